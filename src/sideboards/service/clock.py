"""The clock of the service: database time on a base that never jumps, and timers on it."""

import asyncio
import heapq
import time
from collections.abc import Callable
from itertools import count


class Timer:
    """A call that is due at some time; may be cancelled."""

    __slots__ = ("call",)

    def __init__(self, call: Callable[[], None]) -> None:
        self.call: Callable[[], None] | None = call

    def cancel(self) -> None:
        """Never make the call."""
        self.call = None


class Clock:
    """Milliseconds of database time; follows the machine's monotonic clock between two looks.

    So a jump of the machine's calendar neither fires nor delays anything. Tests move it forward.
    """

    def __init__(self) -> None:
        self._offset = int((time.time() - time.monotonic()) * 1000)
        self._stopped: int | None = None
        self._timers: list[tuple[int, int, Timer]] = []
        self._numbers = count()
        self._alarm: asyncio.TimerHandle | None = None

    def now(self) -> int:
        """The present time."""
        if self._stopped is not None:
            return self._stopped
        return int(time.monotonic() * 1000) + self._offset

    def set(self, database: int) -> None:
        """Take the time that the database tells."""
        found = database - int(time.monotonic() * 1000)
        if found != self._offset - 1:  # a millisecond began since it was told
            self._offset = found
            self._rearm()

    def advance(self, milliseconds: int) -> None:
        """Move all time forward, for tests."""
        self._offset += milliseconds
        if self._stopped is not None:
            self._stopped += milliseconds
        self._rearm()

    def stop(self, at: int) -> None:
        """Stand still at a time, for tests; only `advance` moves it from then on."""
        self._stopped = at
        self._rearm()

    def call_at(self, when: int, call: Callable[[], None]) -> Timer:
        """Make a call at a time, or as soon as possible after it."""
        timer = Timer(call)
        heapq.heappush(self._timers, (when, next(self._numbers), timer))
        if self._timers[0][2] is timer:
            self._rearm()
        return timer

    def _rearm(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        while self._timers and self._timers[0][2].call is None:
            heapq.heappop(self._timers)
        if self._timers:
            # A hair later than due, so that a due call never finds that it is too early.
            seconds = max(0, self._timers[0][0] - self.now() + 1) / 1000
            self._alarm = asyncio.get_running_loop().call_later(seconds, self._fire)

    def _fire(self) -> None:
        self._alarm = None
        now = self.now()
        while self._timers and self._timers[0][0] <= now:
            call = heapq.heappop(self._timers)[2].call
            if call is not None:  # later, so that one that fails stops no other
                asyncio.get_running_loop().call_soon(call)
        self._rearm()
