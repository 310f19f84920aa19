"""Presence: who is connected to a table, here or through another server, and who is away."""

from collections.abc import Iterable

AWAY_AFTER = 60_000
"""Milliseconds without a connection after which somebody is away."""
SILENT_AFTER = 180_000
"""Milliseconds without input after which somebody is away."""
ELSEWHERE = 45_000
"""Milliseconds that the word of another server counts."""


class Presence:
    """The people of one table."""

    __slots__ = ("_begun", "_elsewhere", "_gone", "_here", "_input")

    def __init__(self, now: int) -> None:
        self._begun = now
        self._here: set[int] = set()
        self._gone: dict[int, int] = {}
        self._input: dict[int, int] = {}
        self._elsewhere: dict[int, int] = {}

    @property
    def here(self) -> Iterable[int]:
        """The seats that are connected to this server."""
        return self._here

    def come(self, seat: int, now: int) -> None:
        """Somebody connects."""
        self._here.add(seat)
        self._input[seat] = now

    def go(self, seat: int, now: int) -> None:
        """Somebody's connection ends."""
        self._here.discard(seat)
        self._gone[seat] = now

    def forget(self, seat: int) -> None:
        """Somebody does not sit here any more."""
        for known in (self._gone, self._input, self._elsewhere):
            known.pop(seat, None)
        self._here.discard(seat)

    def act(self, seat: int, now: int) -> None:
        """Somebody does something."""
        self._input[seat] = now
        self.look(seat, now)

    def look(self, seat: int, now: int) -> None:
        """Somebody asks by request: without a connection that is to be there for a moment."""
        if seat not in self._here:
            self._gone[seat] = now

    def hear(self, seat: int, silent: int, now: int) -> None:
        """Another server says that somebody is connected there, silent for so long."""
        self._elsewhere[seat] = now + ELSEWHERE
        self._input[seat] = max(now - silent, self._input.get(seat, 0))

    def hear_gone(self, seat: int, now: int) -> None:
        """Another server says that somebody's connection ended there."""
        if self._elsewhere.pop(seat, None) is not None:
            self._gone[seat] = now

    def silent(self, seat: int, now: int) -> int:
        """For how long somebody has done nothing."""
        return now - self._input.get(seat, self._begun)

    def is_present(self, seat: int, now: int) -> bool:
        """Whether somebody is connected to any server."""
        return seat in self._here or self._elsewhere.get(seat, 0) > now

    def is_away(self, seat: int, now: int) -> bool:
        """Whether a bot may choose for somebody."""
        if not self.is_present(seat, now) and now - self._last(seat) >= AWAY_AFTER:
            return True
        return self.silent(seat, now) >= SILENT_AFTER

    def next_change(self, seats: Iterable[int], now: int) -> int | None:
        """When the next of these seats will be away if nothing happens."""
        times = []
        for seat in seats:
            if self.is_away(seat, now):
                continue
            times.append(self._input.get(seat, self._begun) + SILENT_AFTER)
            if not self.is_present(seat, now):
                times.append(self._last(seat) + AWAY_AFTER)
        return min(times, default=None)

    def _last(self, seat: int) -> int:
        """When somebody was surely connected for the last time."""
        heard = self._elsewhere.get(seat, 0) - ELSEWHERE
        return max(self._gone.get(seat, self._begun), heard)
