"""Planted bugs in what happens on the wire, in stops, in backups and in the pile."""

import asyncio
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from sideboards.client import line
from sideboards.core import game
from sideboards.core.refusal import Refusal
from sideboards.service import dump, socket
from sideboards.service.house import Subscriber
from sideboards.service.room import Actor
from sideboards.service.sqlite_file import SqliteCopy
from sideboards.service.store import SqliteStore
from sideboards.service.table import Table, Wish


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
    commit = SqliteStore._commit

    def slow(self: SqliteStore, batch: list[Any]) -> list[object]:
        time.sleep(0.1)
        return commit(self, batch)

    SqliteStore._commit = slow  # type: ignore[method-assign]


def time_runs_on() -> None:
    """The time without a server counts."""
    resume = SqliteStore.resume

    async def at_once(self: SqliteStore, server: str) -> int:
        moved = await resume(self, server)
        sql = "UPDATE tables SET due = due - ? WHERE due IS NOT NULL"
        await self._asked(lambda db: db.execute(sql, (moved,)))
        return 0

    SqliteStore.resume = at_once  # type: ignore[method-assign]


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


MUTANTS: dict[str, Callable[[], None]] = {
    "keys per socket": keys_per_socket,
    "silence unnoticed": silence_unnoticed,
    "last choice races": last_choice_races,
    "reshuffle missing": reshuffle_missing,
    "swaps from the top": swaps_from_the_top,
    "stop drops moves": stop_drops_moves,
    "time runs on": time_runs_on,
    "backup torn": backup_torn,
    "backup stale": backup_stale,
}
