"""The doors: requests of all people together, as many as the server allows one address."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from sideboards.client import ServerRefusal, Unreachable
from sideboards.core.refusal import Refusal

AT_ONCE = 16
SHARE = 0.8
"""Of the requests that are allowed."""
AGAIN_AFTER = 0.5
PATIENCE = 30.0
"""Seconds for which something is asked again while the server does not answer."""
HINTS = {
    "too_many_requests": "--guests-per-hour and --requests-per-minute",
    "too_many_sockets": "--sockets-per-address",
}
T = TypeVar("T")


class LimitMet(Refusal):
    """The server does not allow so much; says with which option it would."""


class Doors:
    """Where requests wait, so that there are never too many."""

    def __init__(self, calls_per_minute: float) -> None:
        self._room = asyncio.Semaphore(AT_ONCE)
        self._apart = 60 / (SHARE * calls_per_minute)
        self._next = 0.0

    async def ask(self, question: Callable[[], Awaitable[T]]) -> T:
        """The answer to a question, which is asked again while the server is away."""
        clock = asyncio.get_running_loop().time
        end = clock() + PATIENCE
        while True:
            try:
                async with self._room:
                    await self._wait_for_turn()
                    return await question()
            except (ServerRefusal, Unreachable) as refusal:
                code = refusal.code if isinstance(refusal, ServerRefusal) else ""
                if code in HINTS:
                    raise LimitMet(
                        f"the server refused {code} of one address; expected a server that was "
                        f"started with a higher {HINTS[code]}"
                    ) from None
                if not refusal.passes or clock() > end:
                    raise
            await asyncio.sleep(AGAIN_AFTER)

    async def _wait_for_turn(self) -> None:
        now = asyncio.get_running_loop().time()
        self._next = max(self._next + self._apart, now)
        if self._next > now:
            await asyncio.sleep(self._next - now)
