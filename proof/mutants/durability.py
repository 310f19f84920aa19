"""Planted bugs in what is stored, when it is told, and what a repeated request does."""

import time
from collections.abc import Callable
from typing import Any

from sideboards.service import sqlite_file
from sideboards.service.log import Event, Told, Write
from sideboards.service.room import Room
from sideboards.service.store import Job, SqliteStore
from sideboards.service.table import Table

SLOW_DISK = 0.15
"""Seconds that every commit takes longer, so that a kill finds the gap before it."""


def acknowledge_first() -> None:
    """Whoever asks is told that it is stored as soon as it is handed over."""
    submit = SqliteStore.submit

    def hasty(self: SqliteStore, write: Write, told: Told) -> None:
        submit(self, write, _nobody if is_from_socket(told) else told)
        if is_from_socket(told):
            self._loop.call_soon(told, self._now())

    _patch(SqliteStore, "submit", hasty)
    _slow_down()


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


def key_ignored() -> None:
    """A request that is sent again is taken as a new one."""
    _patch(Room, "is_known", lambda *_: False)


def is_from_socket(told: Any) -> bool:  # noqa: ANN401 (a partial)
    """Whether a write was asked for at a table, rather than by a route or a bot."""
    return getattr(told.func, "__func__", None) is Table._told


def _slow_down() -> None:
    commit = SqliteStore._commit

    def slow(self: SqliteStore, batch: list[Job]) -> list[object]:
        time.sleep(SLOW_DISK)
        return commit(self, batch)

    _patch(SqliteStore, "_commit", slow)


def _patch(owner: object, name: str, planted: object) -> None:
    setattr(owner, name, planted)


def _nobody(_: object) -> None:
    pass


MUTANTS: dict[str, Callable[[], None]] = {
    "acknowledge first": acknowledge_first,
    "broadcast first": broadcast_first,
    "synchronous=NORMAL": synchronous_normal,
    "key ignored": key_ignored,
}
