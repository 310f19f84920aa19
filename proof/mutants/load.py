"""Planted bugs in how fast, how large and how equal things are."""

import asyncio
import os
import time
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from sideboards.core.edition import Edition, Numbers
from sideboards.service.desk import Desk
from sideboards.service.house import Subscriber
from sideboards.service.socket import Connection
from sideboards.service.store import SqliteStore
from sideboards.service.table import Table
from sideboards.service.tables import Tables


def other_scoring() -> None:
    """The fast engine pays a point more for every color combination."""
    from sideboards.fast import engine, playout  # noqa: PLC0415 (numba, only where it is used)

    def material(edition: Edition, numbers: Numbers) -> engine.Material:
        right = engine.material(edition, numbers)
        pays = right.pays.copy()
        pays[0] += 1
        return right._replace(pays=pays)

    playout.material = material  # type: ignore[attr-defined,assignment]


def slow_commit(seconds: float = 0.5) -> None:
    """Every commit takes half a second."""
    commit = SqliteStore._commit

    def slow(self: SqliteStore, batch: list[Any]) -> list[object]:
        time.sleep(seconds)
        return commit(self, batch)

    SqliteStore._commit = slow  # type: ignore[method-assign]


def views_late(seconds: float = 0.5) -> None:
    """Who closes a round is answered at once; the others see the new one half a second later."""
    send = Table.send_view

    def late(self: Table, subscriber: Subscriber) -> None:
        asyncio.get_running_loop().call_later(seconds, send, self, subscriber)

    Table.send_view = late  # type: ignore[method-assign]


def start_reads_all() -> None:
    """A start looks at every game in the file, for three milliseconds each."""
    open_ = SqliteStore.open

    async def thorough(self: SqliteStore) -> None:
        await open_(self)
        sql = "SELECT count(*) FROM tables"
        (tables,) = await self._asked(lambda db: db.execute(sql).fetchone())
        time.sleep(0.003 * tables)

    SqliteStore.open = thorough  # type: ignore[method-assign]


def tables_stay() -> None:
    """No table is ever unloaded."""
    Tables._unload = lambda self, now: None  # type: ignore[method-assign] # noqa: ARG005


def connections_keep_a_buffer() -> None:
    """Every connection keeps 64 KiB from its first to its last frame."""
    begin = Connection.__init__
    kept: WeakKeyDictionary[Connection, bytes] = WeakKeyDictionary()

    def greedy(self: Connection, *given: Any) -> None:  # noqa: ANN401
        begin(self, *given)
        kept[self] = os.urandom(65536)

    Connection.__init__ = greedy  # type: ignore[assignment,method-assign]


def connections_stay() -> None:
    """What is known of a connection is kept after its end."""
    closed = Desk.closed
    kept: list[tuple[Connection, bytes]] = []

    def keeping(self: Desk, connection: Connection) -> None:
        closed(self, connection)
        kept.append((connection, os.urandom(16384)))

    Desk.closed = keeping  # type: ignore[method-assign]


MUTANTS: dict[str, Callable[[], None]] = {
    "other scoring": other_scoring,
    "slow commit": slow_commit,
    "views late": views_late,
    "start reads all": start_reads_all,
    "tables stay": tables_stay,
    "connections keep a buffer": connections_keep_a_buffer,
    "connections stay": connections_stay,
}
