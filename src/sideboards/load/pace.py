"""The pace: who thinks waits here until it is time for the next move of anybody."""

import asyncio
from random import Random

TICK = 0.005
BURST = 0.25
"""Seconds of moves that are made up for at once after a delay; what is later is not made up."""


class Pace:
    """Lets people go on at a rate, whoever of them; in a hurry everybody at once."""

    def __init__(self, rate: float, rng: Random) -> None:
        self._rate = rate
        self._rng = rng
        self._thinking: list[asyncio.Future[None]] = []
        self.hurried = False
        """Whether nobody thinks any more, nor dawdles."""

    async def think(self) -> None:
        """Return when it is time to move."""
        if not self.hurried:
            waiting: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._thinking.append(waiting)
            await waiting

    def hurry(self) -> None:
        """Let everybody go on at once, from now on."""
        self.hurried = True
        self._release(len(self._thinking))

    async def run(self) -> None:
        """Keep the rate until cancelled."""
        loop = asyncio.get_running_loop()
        due, last = 0.0, loop.time()
        while True:
            await asyncio.sleep(TICK)
            now = loop.time()
            due = min(due + (now - last) * self._rate, max(1.0, BURST * self._rate))
            last = now
            due -= self._release(int(due))

    def _release(self, count: int) -> int:
        thinking, released = self._thinking, 0
        while thinking and released < count:
            at = self._rng.randrange(len(thinking))
            thinking[at], thinking[-1] = thinking[-1], thinking[at]
            waiting = thinking.pop()
            if not waiting.done():
                waiting.set_result(None)
                released += 1
        return released
