"""Planted bugs in what is stored, when it is told, and what a repeated request does."""

import asyncio
import sqlite3
import time
from collections.abc import Callable
from typing import Any

from sideboards.service import checkpoints, writer
from sideboards.service.log import Event, Told, Write
from sideboards.service.refusals import ServiceRefusal
from sideboards.service.ring import Ring, Synced
from sideboards.service.room import Room
from sideboards.service.socket import Connection
from sideboards.service.store import SqliteStore
from sideboards.service.store_postgres import PostgresStore
from sideboards.service.table import Table
from sideboards.service.tables import Tables
from sideboards.service.writer import Batch, Job, Writer

SLOW_DISK = 0.15
"""Seconds that a commit of moves takes longer, so that a kill finds the gap before it."""


def acknowledge_first() -> None:
    """Whoever asks is told that it is stored as soon as it is handed over."""
    for store in (SqliteStore, PostgresStore):
        _patch(store, "submit", _hasty(store.submit))
    _slow_down()


def _hasty(submit: Callable[[Any, Write, Told], None]) -> Callable[[Any, Write, Told], None]:
    def hasty(self: object, write: Write, told: Told) -> None:
        if is_from_socket(told):
            asyncio.get_running_loop().call_soon(told, int(time.time() * 1000))
        submit(self, write, _nobody if is_from_socket(told) else told)

    return hasty


def broadcast_first() -> None:
    """The others at the table hear of an action before it is stored; who asked, after that."""
    submit = SqliteStore.submit

    def talkative(self: SqliteStore, write: Write, told: Any) -> None:  # noqa: ANN401 (a partial)
        if not is_from_socket(told):
            submit(self, write, told)
            return
        table: Table = told.func.__self__
        wish, entry = told.args[:2]
        event = Event(write.position, write.seat, write.action, write.key, self._now())
        submit(self, write, lambda _: table._end(wish, None))
        table._follow_up(opens=table._take_in(event, entry, wish.via))

    _patch(SqliteStore, "submit", talkative)
    _slow_down()


def synchronous_normal() -> None:
    """Commits are handed to the system, and nobody waits until the disk has them."""
    _patch(writer, "sync", _nobody)
    _patch(Ring, "sync", _say_so)


def sync_unawaited() -> None:
    """The disk begins to write what was committed, and everybody hears of it at once."""
    sync, is_free = Ring.sync, vars(Ring)["is_free"].fget

    def hasty(self: Ring, done: Synced) -> None:
        if is_free(self):
            sync(self, _nobody)
        _say_so(self, done)

    async def stay_open(_: Ring) -> None:
        pass

    _patch(Ring, "is_free", property(lambda _: True))
    _patch(Ring, "sync", hasty)
    _patch(Ring, "close", stay_open)


def _say_so(_: Ring, done: Synced) -> None:
    asyncio.get_running_loop().call_soon(done, 0)


def checkpoint_unsynced() -> None:
    """SQLite's log begins anew before the disk has what was copied from it."""
    right = checkpoints.checkpoint

    def hasty(connection: sqlite3.Connection) -> None:
        (before,) = connection.execute("PRAGMA synchronous").fetchone()
        connection.execute("PRAGMA synchronous = OFF")
        right(connection)
        connection.execute(f"PRAGMA synchronous = {before}")

    _patch(checkpoints, "checkpoint", hasty)


def gives_up_after_a_full_disk() -> None:
    """Once something could not be saved, nothing is saved any more."""
    commit, undone = Writer._commit, Writer._undone
    given_up: list[sqlite3.Error] = []

    def noted(self: Writer, batch: list[Job], error: sqlite3.Error) -> list[object]:
        given_up.append(error)
        return undone(self, batch, error)

    def once(self: Writer, batch: Batch) -> list[object]:
        return undone(self, batch.jobs, given_up[0]) if given_up else commit(self, batch)

    _patch(Writer, "_undone", noted)
    _patch(Writer, "_commit", once)


def full_disk_ends_connections() -> None:
    """Whoever asks for what cannot be saved loses the connection."""
    refuse = Connection.refuse

    def rude(self: Connection, refusal: ServiceRefusal, key: str | None = None) -> None:
        refuse(self, refusal, key)
        if refusal.code == "cannot_save":
            self.close(1013, "cannot_save")

    _patch(Connection, "refuse", rude)


def key_ignored() -> None:
    """A request that is sent again is taken as a new one."""
    _patch(Room, "is_known", lambda *_: False)


def older_board_shown() -> None:
    """Who comes to a server sees what that one knows, whatever others have stored meanwhile."""
    _patch(Tables, "current", Tables.get)


def is_from_socket(told: Any) -> bool:  # noqa: ANN401 (a partial)
    """Whether a write was asked for at a table, rather than by a route or a bot."""
    return getattr(told.func, "__func__", None) is Table._told


def commit_in_thread() -> None:
    """No bug: as on a system without rings, where a thread may be as slow as a disk."""
    _patch(writer, "open_ring", _nobody)


def _slow_down() -> None:
    commit = Writer._commit
    commit_in_thread()

    def slow(self: Writer, batch: Batch) -> list[object]:
        if all(isinstance(job.what, Write) and job.what.row is None for job in batch.jobs):
            time.sleep(SLOW_DISK)
        return commit(self, batch)

    _patch(Writer, "_commit", slow)
    commit_writes = PostgresStore._commit

    async def slow_writes(self: PostgresStore, writes: list[Write]) -> list[int | Exception]:
        if all(write.row is None for write in writes):
            await asyncio.sleep(SLOW_DISK)
        return await commit_writes(self, writes)

    _patch(PostgresStore, "_commit", slow_writes)


def _patch(owner: object, name: str, planted: object) -> None:
    setattr(owner, name, planted)


def _nobody(*_: object) -> None:
    pass


MUTANTS: dict[str, Callable[[], None]] = {
    "acknowledge first": acknowledge_first,
    "broadcast first": broadcast_first,
    "synchronous=NORMAL": synchronous_normal,
    "sync unawaited": sync_unawaited,
    "checkpoint unsynced": checkpoint_unsynced,
    "gives up after a full disk": gives_up_after_a_full_disk,
    "full disk ends connections": full_disk_ends_connections,
    "key ignored": key_ignored,
    "older board shown": older_board_shown,
}
