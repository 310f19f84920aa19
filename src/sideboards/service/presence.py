"""Presence: who is connected to a table, here or through another server, and who is away."""

from collections.abc import Iterable

from sideboards.service.log import TABLE, Event

AWAY_AFTER = 60_000
"""Milliseconds without a connection after which somebody is away."""
SILENT_AFTER = 180_000
"""Milliseconds without input after which somebody is away."""
ELSEWHERE = 45_000
"""Milliseconds that the word of another server counts."""
EARLY = 30_000
"""So many milliseconds before somebody would be away, a sign of life is told at once; what comes
sooner, other servers learn in time when they are told who is here."""


class Presence:
    """The people of one table."""

    __slots__ = ("_begun", "_elsewhere", "_gone", "_here", "_input", "_known")

    def __init__(self, begun: int, known: int = 0) -> None:
        """Nobody counts as gone or silent since before `begun`, nor as away until `known`."""
        self._begun = begun
        self._known = known
        self._here: set[int] = set()
        self._gone: dict[int, int] = {}
        """When those who are not connected here were last known to be there."""
        self._input: dict[int, int] = {}
        self._elsewhere: dict[int, int] = {}

    @property
    def here(self) -> Iterable[int]:
        """The seats that are connected to this server."""
        return self._here

    def come(self, seat: int, now: int) -> None:
        """Somebody connects."""
        self._arrive(seat, now)
        self._here.add(seat)

    def go(self, seat: int, now: int) -> None:
        """Somebody's connection ends."""
        self._here.discard(seat)
        self._gone[seat] = now

    def forget(self, seat: int) -> None:
        """Somebody does not sit here any more."""
        for known in (self._gone, self._input, self._elsewhere):
            known.pop(seat, None)
        self._here.discard(seat)

    def act(self, seat: int, at: int) -> None:
        """Somebody did something."""
        self._input[seat] = max(at, self._input.get(seat, 0))
        self.look(seat, at)

    def look(self, seat: int, at: int) -> None:
        """Somebody asked by request: without a connection that is to be there for a moment."""
        if seat not in self._here:
            self._arrive(seat, at)
            self._gone[seat] = max(at, self._gone.get(seat, 0))

    def _arrive(self, seat: int, at: int) -> None:
        """Who comes after a minute without connection has opened the page, and that is input.

        What comes back sooner was only broken, and who looks again is perhaps a program: a phone
        that loses its network again and again says nothing of its owner.
        """
        if seat not in self._input or self._is_gone(seat, at):
            self._input[seat] = max(at, self._input.get(seat, 0))

    def take(self, event: Event) -> None:
        """Who asked for what is stored did something then, by whichever server it came."""
        if event.by != TABLE:
            self.act(event.by, event.at)

    # ---- what other servers say ------------------------------------------------------------------

    def lines(self, table: str, now: int) -> list[str]:
        """What other servers are told: who is connected here, and who was there a moment ago."""
        recent = [seat for seat, at in self._gone.items() if now - at < AWAY_AFTER]
        return [self.line(table, seat, now) for seat in {*self._here, *recent}]

    def line(self, table: str, seat: int, now: int) -> str:
        """The same for one seat; moments are told as such, so that no repetition prolongs them."""
        if seat in self._here:
            return f"here {table} {seat} {self.silent(seat, now)}"
        return f"seen {table} {seat} {self._gone.get(seat, 0)} {self._input.get(seat, 0)}"

    def hear_come(self, seat: int, now: int) -> None:
        """Another server says that somebody is connected there."""
        self._elsewhere[seat] = now + ELSEWHERE

    def hear(self, seat: int, silent: int, now: int) -> None:
        """Another server says that somebody is connected there, silent for so long."""
        self.hear_come(seat, now)
        self._input[seat] = max(now - silent, self._input.get(seat, 0))

    def hear_seen(self, seat: int, at: int, input_at: int) -> None:
        """Another server says when somebody was there, and when she last did something."""
        self._gone[seat] = max(at, self._gone.get(seat, 0))
        self._input[seat] = max(input_at, self._input.get(seat, 0))

    def hear_gone(self, seat: int, now: int) -> None:
        """Another server says that somebody's connection ended there."""
        if self._elsewhere.pop(seat, None) is not None:
            self._gone[seat] = now

    # ---- questions -------------------------------------------------------------------------------

    def silent(self, seat: int, now: int) -> int:
        """For how long somebody has done nothing."""
        return now - self._acted(seat)

    def is_present(self, seat: int, now: int) -> bool:
        """Whether somebody is connected to any server."""
        return seat in self._here or self._elsewhere.get(seat, 0) > now

    def is_away(self, seat: int, now: int) -> bool:
        """Whether a bot may choose for somebody."""
        return now >= self._known and not self.is_back(seat, now)

    def is_back(self, seat: int, now: int) -> bool:
        """Whether somebody is surely there: not only because nobody knows yet."""
        return not self._is_gone(seat, now) and self.silent(seat, now) < SILENT_AFTER

    def is_overdue(self, seat: int, now: int) -> bool:
        """Whether others may count somebody as away, or soon, who have not heard of a sign now."""
        return self.silent(seat, now) >= SILENT_AFTER - EARLY or self._is_gone(seat, now + EARLY)

    def next_change(self, seats: Iterable[int], now: int) -> int | None:
        """When the next of these seats will be away if nothing happens."""
        times = []
        for seat in seats:
            if self.is_away(seat, now):
                continue
            change = self._acted(seat) + SILENT_AFTER
            if seat not in self._here:  # another server may end without a word
                change = min(change, self._last(seat) + AWAY_AFTER)
            times.append(max(change, self._known))
        return min(times, default=None)

    def _is_gone(self, seat: int, now: int) -> bool:
        """Whether somebody has had no connection for a minute."""
        return not self.is_present(seat, now) and now - self._last(seat) >= AWAY_AFTER

    def _acted(self, seat: int) -> int:
        """When somebody did something for the last time."""
        return max(self._begun, self._input.get(seat, 0))

    def _last(self, seat: int) -> int:
        """When somebody was surely connected for the last time."""
        heard = self._elsewhere.get(seat, 0) - ELSEWHERE
        return max(self._begun, self._gone.get(seat, 0), heard)
