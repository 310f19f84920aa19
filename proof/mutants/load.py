"""Planted bugs in how fast, how large and how equal things are."""

import asyncio
import os
import time
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from proof.mutants.durability import commit_in_thread
from sideboards.core.edition import Edition, Numbers
from sideboards.service.desk import Desk
from sideboards.service.house import Subscriber
from sideboards.service.protocol import Hello
from sideboards.service.room import Actor
from sideboards.service.socket import Connection
from sideboards.service.store import SqliteStore
from sideboards.service.table import Table
from sideboards.service.tables import Tables
from sideboards.service.writer import Batch, Writer


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
    commit = Writer._commit

    def slow(self: Writer, batch: Batch) -> list[object]:
        time.sleep(seconds)
        return commit(self, batch)

    Writer._commit = slow  # type: ignore[method-assign]
    commit_in_thread()


def commits_one_by_one() -> None:
    """Every event has a commit of its own, which takes four milliseconds."""
    commit = Writer._commit

    def one_by_one(self: Writer, batch: Batch) -> list[object]:
        results: list[object] = []
        for job in batch.jobs:
            time.sleep(0.004)
            results += commit(self, Batch([job], [], [], begun=True))
        return results

    Writer._commit = one_by_one  # type: ignore[method-assign]
    commit_in_thread()


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


def connections_keep_a_buffer(size: int = 65536) -> None:
    """Every connection keeps 64 KiB from its first to its last frame."""
    begin = Connection.__init__
    kept: WeakKeyDictionary[Connection, bytes] = WeakKeyDictionary()

    def greedy(self: Connection, *given: Any) -> None:  # noqa: ANN401
        begin(self, *given)
        kept[self] = os.urandom(size)

    Connection.__init__ = greedy  # type: ignore[assignment,method-assign]


def connections_keep_megabytes() -> None:
    """Every connection keeps four megabytes from its first to its last frame."""
    connections_keep_a_buffer(4 * 1024 * 1024)


def only_so_many_sockets() -> None:
    """Of more than a hundred sockets one is closed for every new one."""
    opened = Desk.opened

    def strict(self: Desk, connection: Connection) -> None:
        opened(self, connection)
        if len(self.connections) > 100:
            next(each for each in self.connections if each is not connection).close(
                1013, "server_full"
            )

    Desk.opened = strict  # type: ignore[method-assign]


def back_too_late() -> None:
    """A server that goes on where another one was lets nobody in for eleven seconds."""
    admit, resume = Desk.admit, SqliteStore.resume
    opens = 0.0

    async def resumed(self: SqliteStore, server: str) -> int:
        nonlocal opens
        moved = await resume(self, server)
        opens = time.monotonic() + 11 if moved else 0.0
        return moved

    async def late(self: Desk, hello: Hello) -> tuple[Table, Actor]:
        await asyncio.sleep(max(0.0, opens - time.monotonic()))
        return await admit(self, hello)

    SqliteStore.resume = resumed  # type: ignore[method-assign]
    Desk.admit = late  # type: ignore[method-assign]


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
    "commits one by one": commits_one_by_one,
    "views late": views_late,
    "start reads all": start_reads_all,
    "tables stay": tables_stay,
    "connections keep a buffer": connections_keep_a_buffer,
    "connections keep megabytes": connections_keep_megabytes,
    "only so many sockets": only_so_many_sockets,
    "back too late": back_too_late,
    "connections stay": connections_stay,
}
