"""Attendance: who is at one table and who is away, and who is told: people and other servers."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from sideboards.service.clock import Timer
from sideboards.service.house import House
from sideboards.service.log import TABLE, Event
from sideboards.service.presence import Presence
from sideboards.service.refusals import ServiceRefusal

if TYPE_CHECKING:
    from sideboards.service.table import Table

ANSWERED_WITHIN = 1_000
"""Milliseconds in which other servers say who is there, when one of them loads a table."""


class Attendance:
    """What is known of the people of one table."""

    __slots__ = ("_alarm", "_house", "_table", "presence")

    def __init__(self, table: "Table", house: House) -> None:
        self._table = table
        self._house = house
        self._alarm: Timer | None = None
        now = house.clock.now()
        asked = now + ANSWERED_WITHIN if house.store.shared else 0
        self.presence = Presence(min(house.cut, now), asked)
        house.announce(f"who {table.room.table}")

    def stop(self) -> None:
        """Fire no timer any more."""
        if self._alarm is not None:
            self._alarm.cancel()

    # ---- what happens here -----------------------------------------------------------------------

    def come(self, seat: int, now: int) -> None:
        """Somebody connects."""
        self.presence.come(seat, now)
        self._tell()
        self._take_votes_back(seat, now)

    def go(self, seat: int, now: int) -> None:
        """Somebody's connection ends."""
        self.presence.go(seat, now)
        self._tell()

    def heard(self, seat: int) -> None:
        """Somebody did something, and so is not away."""
        self._see(seat, self.presence.act, self._house.clock.now())

    def looked(self, seat: int) -> None:
        """Somebody asks by request: no sign of the person, a program may look again and again."""
        self._see(seat, self.presence.look, self._house.clock.now())

    def stored(self, event: Event) -> None:
        """Something is stored, by this server or another."""
        if event.by != TABLE:
            self._see(event.by, self.presence.act, event.at)
        word, _, said = event.action.partition(" ")
        if word == "vote" and int(said) in self.presence.here:  # told late of who has come here
            self._take_votes_back(int(said), self._house.clock.now())

    def _see(self, seat: int, take: Callable[[int, int], None], at: int) -> None:
        now = self._house.clock.now()
        if self.presence.is_overdue(seat, now):
            self._learn(seat, partial(take, seat, at))
            self._house.announce(self.line(seat))
        else:
            take(seat, at)
        self._take_votes_back(seat, now)

    def _take_votes_back(self, seat: int, now: int) -> None:
        """Who is there again is not to lose the seat by what others wanted before."""
        croupier = self._table.croupier
        if croupier.has_votes(seat) and self.presence.is_back(seat, now):
            croupier.take_votes_back(seat)

    # ---- what other servers say ------------------------------------------------------------------

    def lines(self) -> list[str]:
        """What other servers are told now and then."""
        return self.presence.lines(self._table.room.table, self._house.clock.now())

    def line(self, seat: int) -> str:
        """The same of one seat."""
        return self.presence.line(self._table.room.table, seat, self._house.clock.now())

    def come_elsewhere(self, seat: int, when: int) -> None:
        """Somebody of this seat has connected to another server, some time ago."""
        older = self._table.seats.get(seat)
        if older is not None:
            if self._table.joined.get(seat, 0) >= when:
                return  # told late: the connection here is the newer one
            older.close(4001, "newer_tab")
        self._learn(seat, partial(self.presence.hear_come, seat, self._house.clock.now()))

    def here_elsewhere(self, seat: int, silent: int) -> None:
        """Somebody is connected to another server."""
        self._learn(seat, partial(self.presence.hear, seat, silent, self._house.clock.now()))

    def seen_elsewhere(self, seat: int, at: int, input_at: int) -> None:
        """Somebody was at another server a moment ago."""
        self._learn(seat, partial(self.presence.hear_seen, seat, at, input_at))

    def gone_elsewhere(self, seat: int) -> None:
        """Somebody's connection to another server ended."""
        self._learn(seat, partial(self.presence.hear_gone, seat, self._house.clock.now()))

    # ---- who is away -----------------------------------------------------------------------------

    def is_away(self, seat: int) -> bool:
        """Whether a bot may choose for somebody."""
        return self.presence.is_away(seat, self._house.clock.now())

    def check_away(self, seat: int) -> None:
        """Refuse to take somebody's seat who is not away."""
        if not self.is_away(seat):
            raise ServiceRefusal("not_away")

    def watch(self) -> None:
        """Tell everybody when somebody is away, as soon as that is so."""
        self.stop()
        people = [seat for seat, chair in enumerate(self._table.room.chairs) if chair.acts]
        change = self.presence.next_change(people, self._house.clock.now())
        if change is not None and self._table.room.phase == "playing":
            self._alarm = self._house.clock.call_at(change + 1, self._tell)

    def _learn(self, seat: int, learn: Callable[[], None]) -> None:
        """Learn something of somebody; if it changes who is there, everybody here is told."""
        before = self._state(seat)
        learn()
        if self._state(seat) != before:
            self._tell()

    def _state(self, seat: int) -> tuple[bool, bool]:
        now = self._house.clock.now()
        return self.presence.is_present(seat, now), self.presence.is_away(seat, now)

    def _tell(self) -> None:
        self._table.tell_table()
        self.watch()
