"""One ticker per event loop: looks after the time of all its sockets at once."""

import asyncio
from typing import Protocol
from weakref import WeakKeyDictionary

BEAT = 0.25
"""Seconds between two looks at all sockets."""


class Ticking(Protocol):
    """Something that looks at the clock now and then."""

    def tick(self, now: float) -> None:
        """Do what is due."""


class Ticker:
    """Calls everybody every quarter of a second; thousands of sockets need one timer only."""

    __slots__ = ("__weakref__", "_all", "_timer")

    def __init__(self) -> None:
        self._all: set[Ticking] = set()
        self._timer: asyncio.TimerHandle | None = None

    def add(self, ticking: Ticking) -> None:
        """Look after somebody from now on."""
        self._all.add(ticking)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(BEAT, self._tick)

    def remove(self, ticking: Ticking) -> None:
        """Look after somebody no more."""
        self._all.discard(ticking)
        if not self._all and self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _tick(self) -> None:
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(BEAT, self._tick)
        now = loop.time()
        for ticking in tuple(self._all):
            ticking.tick(now)


_tickers: WeakKeyDictionary[asyncio.AbstractEventLoop, Ticker] = WeakKeyDictionary()


def ticker() -> Ticker:
    """The ticker of the running event loop."""
    loop = asyncio.get_running_loop()
    if (found := _tickers.get(loop)) is None:
        found = _tickers[loop] = Ticker()
    return found
