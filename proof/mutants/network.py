"""Planted bugs in what happens on the wire, in stops, in backups and in the pile."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any

from proof import jumps
from proof.mutants.load import slow_commit
from sideboards.client import line
from sideboards.core import game
from sideboards.core.game import State
from sideboards.core.refusal import Refusal
from sideboards.service import clock, dump, socket, store
from sideboards.service.attendance import Attendance
from sideboards.service.croupier import Croupier
from sideboards.service.desk import Desk
from sideboards.service.house import Subscriber
from sideboards.service.log import Event
from sideboards.service.presence import Presence
from sideboards.service.protocol import Hello
from sideboards.service.room import Actor, Room
from sideboards.service.sqlite_file import SqliteCopy, SqliteFile, connect
from sideboards.service.store import SqliteStore
from sideboards.service.table import Table
from sideboards.service.thinking import Chosen
from sideboards.service.wish import Wish


def keys_per_socket() -> None:
    """A repeated request is known only on the socket that it came over first."""
    request = Table.request
    heard: dict[str, Subscriber] = {}

    def forgetful(self: Table, actor: Actor, key: str, *rest: Any) -> None:  # noqa: ANN401
        via: Subscriber = rest[1]
        if heard.setdefault(key, via) is not via:
            self.room.keys.pop(f"{actor.number}.{key}", None)
        request(self, actor, key, *rest)

    Table.request = forgetful  # type: ignore[assignment,method-assign]


def silence_unnoticed() -> None:
    """Nobody notices that nothing is heard any more."""
    line.DEAD_AFTER = socket.DEAD_AFTER = 600.0


def waiting_untold() -> None:
    """Nobody hears that it takes longer to store something."""
    socket.PENDING_AFTER = 1e6


def last_choice_races() -> None:
    """An action is checked when it arrives, not when its turn has come."""
    ask = Table._ask

    def request(self: Table, actor: Actor, key: str, text: str, *rest: Any) -> None:  # noqa: ANN401
        try:
            entry = ask(self, actor, text, key)
        except Refusal as refusal:
            rest[1](refusal)
            return
        wish = Wish(lambda: entry, f"{actor.number}.{key}", text, *rest)
        self._turns.ask(partial(self._begin, wish))

    Table.request = request  # type: ignore[assignment,method-assign]


def reshuffle_missing() -> None:
    """The discards never become the pile."""

    def draw(self: game._Stock, *, bottom: bool = False) -> int:
        cards = list(self.pile)
        card = cards.pop(-1 if bottom else 0)
        self.pile = tuple(cards)
        return card

    game._Stock.draw = draw  # type: ignore[method-assign]


def swaps_from_the_top() -> None:
    """A swap takes the cards that somebody else would have drawn."""
    draw = game._Stock.draw
    game._Stock.draw = lambda self, bottom=False: draw(self)  # type: ignore[method-assign,misc] # noqa: ARG005


def stop_drops_moves() -> None:
    """A stop does not wait for what is under way, on a disk so slow that something always is."""
    socket.Connection.busy = property(lambda _: False)  # type: ignore[method-assign,assignment]
    slow_commit(0.1)


def stop_keeps_the_line() -> None:
    """A stop also stores what still waits for its turn, and has no time for it."""
    Table._check_open = lambda self, wish: None  # type: ignore[method-assign] # noqa: ARG005
    slow_commit(0.9)


def time_runs_on() -> None:
    """The time without a server counts."""
    resume = SqliteStore.resume

    async def at_once(self: SqliteStore, server: str) -> int:
        moved = await resume(self, server)
        sql = "UPDATE tables SET due = due - ? WHERE due IS NOT NULL"
        await self._asked(lambda db: db.execute(sql, (moved,)))
        return 0

    SqliteStore.resume = at_once  # type: ignore[method-assign]


def upgrade_forgets_choices() -> None:
    """A server that takes up a game knows nothing of what is sealed in its round."""
    begin = Table.__init__

    def forgetful(self: Table, room: Room, *rest: Any) -> None:  # noqa: ANN401
        if room.game is not None:
            room.game = replace(room.game, sealed=(None,) * len(room.game.seats))
        begin(self, room, *rest)

    Table.__init__ = forgetful  # type: ignore[assignment,method-assign]


def wall_clock_decides() -> None:
    """Deadlines are those of the machine's calendar, and move when it jumps."""
    jumps.install()
    calendar = SimpleNamespace(time=time.time, monotonic=time.time)
    for module in (clock, store):
        setattr(module, "time", calendar)  # noqa: B010 (theirs)


def nobody_is_ever_away() -> None:
    """However long somebody is gone, the others have to wait."""
    Presence.is_away = lambda *_: False  # type: ignore[method-assign]


def returns_are_greeted_late(seconds: float = 5.0) -> None:
    """Whoever has been at a table before, on any server, is greeted only after five seconds."""
    admit, come, come_elsewhere = Desk.admit, Attendance.come, Attendance.come_elsewhere
    known = set[tuple[str, int | None]]()

    def came(self: Attendance, seat: int, now: int) -> None:
        known.add((self._table.room.table, seat))
        come(self, seat, now)

    def came_elsewhere(self: Attendance, seat: int, when: int) -> None:
        known.add((self._table.room.table, seat))
        come_elsewhere(self, seat, when)

    async def late(self: Desk, hello: Hello) -> tuple[Table, Actor]:
        table, actor = await admit(self, hello)
        if (table.room.table, actor.seat) in known:
            await asyncio.sleep(seconds)
        return table, actor

    Desk.admit = late  # type: ignore[method-assign]
    Attendance.come = came  # type: ignore[method-assign]
    Attendance.come_elsewhere = came_elsewhere  # type: ignore[method-assign]


def leavers_seat_is_lost() -> None:
    """Whoever goes has no seat any more."""
    part = Table.part

    def parted(self: Table, subscriber: Subscriber) -> bool:
        seat, chairs = subscriber.seat, self.room.chairs
        if seat is not None and self.room.game is not None:
            chairs[seat] = replace(chairs[seat], guest="")
        return part(self, subscriber)

    Table.part = parted  # type: ignore[method-assign]


def other_cards_on_return() -> None:
    """Whoever takes a seat back from a bot gets other cards."""
    apply = Room.apply

    def applied(self: Room, event: Event, after: State | None = None) -> None:
        apply(self, event, after)
        if event.action == "return" and self.game is not None:
            seats, pile = list(self.game.seats), self.game.pile
            *hands, last = seats[event.seat].hands
            fresh, rest = pile[: len(last)], pile[len(last) :]
            seats[event.seat] = replace(seats[event.seat], hands=(*hands, fresh))
            self.game = replace(self.game, seats=tuple(seats), pile=(*rest, *last))

    Room.apply = applied  # type: ignore[method-assign]


def bot_chooses_after_return() -> None:
    """What a bot has thought of counts, although the seat's person has come back."""

    async def late(self: Croupier, moment: tuple[int, int, int], chosen: Chosen) -> None:
        room, seat = self._table.room, moment[0]
        for _ in range(600):  # until the person is back, or it takes too long
            await asyncio.sleep(0.001)
            if not room.chairs[seat].bot:
                break
        with suppress(Refusal):
            await self._table.take(lambda: room.ask_move(seat, str(chosen.move)))

    Croupier._take_quietly = late  # type: ignore[method-assign]


def reconnect_shows_an_older_view() -> None:
    """Whoever comes back sees the board that was there when they went."""
    join, part = Table.join, Table.part
    left: dict[tuple[str, int | None], Any] = {}

    def joined(self: Table, subscriber: Subscriber) -> None:
        now = self._showing
        self._showing = left.get((self.room.table, subscriber.seat)) or now
        join(self, subscriber)
        self._showing = now

    def parted(self: Table, subscriber: Subscriber) -> bool:
        left[self.room.table, subscriber.seat] = self._showing
        return part(self, subscriber)

    Table.join, Table.part = joined, parted  # type: ignore[method-assign]


def backup_torn() -> None:
    """A backup reads every page of its lists at another moment."""
    fetch = SqliteCopy.fetch
    dump.PAGE = 10

    async def later(self: SqliteCopy, sql: str, *values: object) -> Any:  # noqa: ANN401
        self._db.rollback()  # the end of the moment
        await asyncio.sleep(0.02)  # as if there were many more
        return await fetch(self, sql, *values)

    SqliteCopy.fetch = later  # type: ignore[method-assign]


def backup_stale() -> None:
    """A backup leaves out the newest event of every table."""
    grouped = dump._grouped

    def short(rows: Sequence[Any]) -> dict[str, list[Any]]:
        columns_of_events = 5
        return {
            table: group[:-1] if len(group[0]) == columns_of_events else group
            for table, group in grouped(rows).items()
        }

    dump._grouped = short


def backup_stops_moves() -> None:
    """A backup keeps the file for itself as long as it reads."""
    reading = SqliteFile.reading

    @asynccontextmanager
    async def alone(self: SqliteFile) -> AsyncIterator[SqliteCopy]:
        with closing(connect(self.path, "rw")) as db:
            db.execute("BEGIN IMMEDIATE")
            async with reading(self) as copy:
                yield copy
            await asyncio.sleep(1.5)  # as if there were many more

    SqliteFile.reading = alone  # type: ignore[method-assign]


def restore_slow() -> None:
    """A restore takes twenty milliseconds for every table."""
    fill_page = dump._fill_page

    async def slow(db: Any, guests: Any, tables: list[Any]) -> None:  # noqa: ANN401
        await asyncio.sleep(0.02 * len(tables))
        await fill_page(db, guests, tables)

    dump._fill_page = slow


MUTANTS: dict[str, Callable[[], None]] = {
    "keys per socket": keys_per_socket,
    "silence unnoticed": silence_unnoticed,
    "waiting untold": waiting_untold,
    "last choice races": last_choice_races,
    "reshuffle missing": reshuffle_missing,
    "swaps from the top": swaps_from_the_top,
    "stop drops moves": stop_drops_moves,
    "stop keeps the line": stop_keeps_the_line,
    "time runs on": time_runs_on,
    "upgrade forgets sealed choices": upgrade_forgets_choices,
    "wall clock decides": wall_clock_decides,
    "nobody is ever away": nobody_is_ever_away,
    "returns are greeted late": returns_are_greeted_late,
    "leaver's seat is lost": leavers_seat_is_lost,
    "other cards on return": other_cards_on_return,
    "bot chooses after return": bot_chooses_after_return,
    "reconnect shows an older view": reconnect_shows_an_older_view,
    "backup torn": backup_torn,
    "backup stale": backup_stale,
    "backup stops moves": backup_stops_moves,
    "restore slow": restore_slow,
}
