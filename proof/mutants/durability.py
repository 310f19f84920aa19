"""Planted bugs in what is stored, when it is told, and what a repeated request does."""

import asyncio
import sqlite3
import time
from collections.abc import Callable
from typing import Any

from sideboards.service import checkpoints, sqlite_file
from sideboards.service.log import Event, Told, Write
from sideboards.service.refusals import ServiceRefusal
from sideboards.service.room import Room
from sideboards.service.socket import Connection
from sideboards.service.store import Job, SqliteStore
from sideboards.service.store_postgres import PostgresStore
from sideboards.service.table import Table
from sideboards.service.tables import Tables

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
        table._applied(event, entry, wish.via)

    _patch(SqliteStore, "submit", talkative)
    _slow_down()


def synchronous_normal() -> None:
    """SQLite hands commits to the system and does not wait until the disk has them."""
    mode, _, *rest = sqlite_file.SETTINGS
    _patch(sqlite_file, "SETTINGS", (mode, "synchronous = NORMAL", *rest))


def checkpoint_unsynced() -> None:
    """SQLite's log begins anew before the disk has what was copied from it."""
    right = checkpoints.checkpoint

    def hasty(connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA synchronous = OFF")
        right(connection)
        connection.execute("PRAGMA synchronous = FULL")

    _patch(checkpoints, "checkpoint", hasty)


def gives_up_after_a_full_disk() -> None:
    """Once something could not be saved, nothing is saved any more."""
    commit, undone = SqliteStore._commit, SqliteStore._undone
    given_up: list[sqlite3.Error] = []

    def noted(self: SqliteStore, batch: list[Job], error: sqlite3.Error) -> list[object]:
        given_up.append(error)
        return undone(self, batch, error)

    def once(self: SqliteStore, batch: list[Job]) -> list[object]:
        return undone(self, batch, given_up[0]) if given_up else commit(self, batch)

    _patch(SqliteStore, "_undone", noted)
    _patch(SqliteStore, "_commit", once)


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


def _slow_down() -> None:
    commit = SqliteStore._commit

    def slow(self: SqliteStore, batch: list[Job]) -> list[object]:
        if all(isinstance(job.what, Write) and job.what.row is None for job in batch):
            time.sleep(SLOW_DISK)
        return commit(self, batch)

    _patch(SqliteStore, "_commit", slow)
    commit_writes = PostgresStore._commit

    async def slow_writes(self: PostgresStore, writes: list[Write]) -> list[int | Exception]:
        if all(write.row is None for write in writes):
            await asyncio.sleep(SLOW_DISK)
        return await commit_writes(self, writes)

    _patch(PostgresStore, "_commit", slow_writes)


def _patch(owner: object, name: str, planted: object) -> None:
    setattr(owner, name, planted)


def _nobody(_: object) -> None:
    pass


MUTANTS: dict[str, Callable[[], None]] = {
    "acknowledge first": acknowledge_first,
    "broadcast first": broadcast_first,
    "synchronous=NORMAL": synchronous_normal,
    "checkpoint unsynced": checkpoint_unsynced,
    "gives up after a full disk": gives_up_after_a_full_disk,
    "full disk ends connections": full_disk_ends_connections,
    "key ignored": key_ignored,
    "older board shown": older_board_shown,
}
