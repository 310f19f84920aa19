"""The durable log on SQLite: one file for one server."""

import asyncio
import json
import secrets
import sqlite3
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from sideboards.core.refusal import Refusal
from sideboards.service.checkpoints import begin_anew, checkpoint
from sideboards.service.log import (
    LEFT_AFTER,
    RESTART_GRACE,
    CannotSave,
    Event,
    Guest,
    Listed,
    Told,
    Write,
    resolve,
)
from sideboards.service.sqlite_file import (
    Locked,
    connect,
    first,
    open_locked,
    real,
    reason,
    version_of,
)
from sideboards.service.writer import Job, Work, Writer

T = TypeVar("T")

READ = """
    SELECT position, seat, action, key, at FROM events
    WHERE table_id = ? AND position > ? ORDER BY position"""
DUE = "SELECT due FROM tables WHERE id = ?"
ALL_DUE = """
    SELECT id FROM tables WHERE due IS NOT NULL AND phase IN ('waiting', 'playing') AND due <= ?
    ORDER BY due LIMIT ?"""
FORGOTTEN = """
    SELECT id FROM listed WHERE due IS NULL AND phase IN ('waiting', 'playing')
    AND created < ?1 AND updated < ?1 ORDER BY created LIMIT ?2"""
LOBBY = """
    SELECT id, phase, created, updated, due, made_by, summary, guests FROM listed
    WHERE public AND phase IN ('waiting', 'playing') ORDER BY created DESC, id LIMIT ?"""
TABLES_OF = """
    SELECT id, phase, created, updated, due, made_by, summary, guests FROM listed
    WHERE id IN (SELECT table_id FROM members WHERE guest = ?)
    ORDER BY phase IN ('waiting', 'playing') DESC, updated DESC, id LIMIT ?"""
OPEN_TABLES_OF = """
    SELECT id, phase, created, updated, due, made_by, summary, guests FROM listed
    WHERE made_by = ?1 AND phase IN ('waiting', 'playing') AND (
        updated > ?2 OR guests = '[]'
        OR EXISTS (SELECT 1 FROM members WHERE table_id = id AND guest = ?1))
    ORDER BY updated, id"""
WITH_CODE = "SELECT id FROM tables WHERE code = ? AND code <> '' AND phase = 'waiting'"
OF_DEVICE = """
    SELECT id, name, language FROM guests WHERE id = (SELECT guest FROM devices WHERE hash = ?)"""
OF_FEED = "SELECT id, name, language FROM guests WHERE feed = ?"
NAMES = "SELECT id, name FROM guests WHERE id IN (SELECT value FROM json_each(?))"


class SqliteStore:
    """The store in one SQLite file, used by one server: a connection that reads, and a writer."""

    shared = False
    awake = True

    def __init__(self, path: Path) -> None:
        self._path = real(path)
        self._epoch = int((time.time() - time.monotonic()) * 1000)
        self.offset = 0
        self.stopped: int | None = None
        """The time at which tests have stopped the clock."""

    def __str__(self) -> str:
        return str(self._path)

    # ---- opening and closing ------------------------------------------------------------------

    async def open(self) -> None:
        """Lock the file, migrate to the newest version, begin to work."""
        self._loop = asyncio.get_running_loop()
        file = await asyncio.to_thread(open_safely, self._path)
        self._reading = connect(self._path, "ro")
        self._readers = ThreadPoolExecutor(1, "store-read")
        self._writer = Writer(file, self._path, self._now)

    async def close(self) -> None:
        """Finish what was asked for, then let go of the file."""
        await asyncio.to_thread(self._readers.shutdown)
        self._reading.close()
        await self._writer.close()

    async def migrate(self, to: int | None = None) -> tuple[int, int]:
        """Bring a file that is not open to a version (None: the newest); versions before, after."""

        def bring() -> tuple[int, int]:
            if not self._path.exists():
                raise Refusal(f"{self._path}: not found; expected the file of a database")
            file = open_locked(self._path, to)
            after = version_of(file.connection)
            file.close()
            return file.before, after

        return await asyncio.to_thread(bring)

    # ---- writing ------------------------------------------------------------------------------

    def submit(self, write: Write, told: Told) -> None:
        """Store an event; `told` is called with its time, or with what `append` would raise."""
        if write.position == 0 and write.row is None:
            raise ValueError("the first event of a table comes with a row")
        self._writer.ask(Job(write, told))

    async def append(self, write: Write) -> int:
        """Store an event; its time. Raises Taken, CannotSave or InDoubt."""
        future: asyncio.Future[int] = self._loop.create_future()
        self.submit(write, partial(resolve, future))
        return await future

    def _asked(self, work: Work[T]) -> asyncio.Future[T]:
        future: asyncio.Future[T] = self._loop.create_future()
        self._writer.ask(Job(work, partial(resolve, future)))
        return future

    def _now(self) -> int:
        if self.stopped is not None:
            return self.stopped + self.offset
        # The wall clock as it was when the server began: later jumps of it move no deadline. Its
        # milliseconds begin with those of `Clock`, else one of both would be a bit ahead.
        return self._epoch + int(time.monotonic() * 1000) + self.offset

    # ---- reading ------------------------------------------------------------------------------

    async def _read(self, sql: str, *values: object) -> list[Any]:
        def rows() -> list[Any]:
            return self._reading.execute(sql, values).fetchall()

        try:
            found = await self._loop.run_in_executor(self._readers, rows)
        except sqlite3.Error as error:
            raise CannotSave(reason(error)) from None
        await self._writer.settle()
        return found

    async def ping(self) -> None:
        """Return if something can be saved; raise CannotSave if not."""
        await self._asked(lambda db: set_setting(db, "ping", self._now().to_bytes(8)))

    async def now(self) -> int:
        """The time of this machine in milliseconds; it never jumps while the store is open."""
        return self._now()

    async def read(self, table: str, after: int = -1) -> list[Event]:
        """The events of a table behind a position, in order; empty for an unknown table."""
        return [Event(*row) for row in await self._read(READ, table, after)]

    async def due(self, table: str) -> int | None:
        """The present deadline of a table."""
        rows = await self._read(DUE, table)
        return rows[0][0] if rows else None

    async def all_due(self, until: int, limit: int = 200) -> list[str]:
        """Tables that wait or play and whose deadline is not after `until`, oldest first."""
        return [table for (table,) in await self._read(ALL_DUE, until, limit)]

    async def forgotten(self, before: int, limit: int = 200) -> list[str]:
        """Tables that wait or play, have no deadline, and have no event since `before`."""
        return [table for (table,) in await self._read(FORGOTTEN, before, limit)]

    async def lobby(self, limit: int = 100) -> list[Listed]:
        """Public tables that wait for players or are played, newest first."""
        return [listed(row) for row in await self._read(LOBBY, limit)]

    async def tables_of(self, guest: str, limit: int = 100) -> list[Listed]:
        """The tables at which a guest sits or sat, the latest event first."""
        return [listed(row) for row in await self._read(TABLES_OF, guest, limit)]

    async def open_tables_of(self, guest: str) -> list[Listed]:
        """The tables that a guest has made, and not left to others, that still wait or play; the
        latest event last."""
        left = self._now() - LEFT_AFTER
        return [listed(row) for row in await self._read(OPEN_TABLES_OF, guest, left)]

    async def table_with_code(self, code: str) -> str | None:
        """The waiting table with a short code."""
        rows = await self._read(WITH_CODE, code)
        return rows[0][0] if rows else None

    async def drop_codes(self, before: int) -> None:
        """Forget the short codes of tables that were made before a time."""
        sql = "UPDATE tables SET code = '' WHERE code <> '' AND created < ?"
        await self._asked(lambda db: db.execute(sql, (before,)))

    # ---- guests -------------------------------------------------------------------------------

    async def secret(self) -> bytes:
        """The 32 bytes that sign all tokens of this database, drawn at first use."""

        def drawn(db: sqlite3.Connection) -> bytes:
            fresh = secrets.token_bytes(32)
            db.execute("INSERT OR IGNORE INTO settings VALUES ('secret', ?)", (fresh,))
            return bytes(first(db, "SELECT value FROM settings WHERE name = 'secret'")[0])

        return await self._asked(drawn)

    async def add_guest(self, guest: Guest, device: bytes) -> None:
        """Store a new guest with the hash of its first device token."""

        def add(db: sqlite3.Connection) -> None:
            row = (guest.id, guest.name, guest.language)
            db.execute("INSERT INTO guests (id, name, language) VALUES (?, ?, ?)", row)
            db.execute("INSERT INTO devices (hash, guest) VALUES (?, ?)", (device, guest.id))

        await self._asked(add)

    async def guest_of_device(self, device: bytes) -> Guest | None:
        """The guest that holds a device token, by the token's hash."""
        rows = await self._read(OF_DEVICE, device)
        return Guest(*rows[0]) if rows else None

    async def change_guest(self, guest: Guest) -> None:
        """Store a guest's new name and language."""
        row = (guest.name, guest.language, guest.id)
        await self._asked(
            lambda db: db.execute("UPDATE guests SET name = ?, language = ? WHERE id = ?", row)
        )

    async def delete_guest(self, guest: str) -> None:
        """Remove name, devices, feed, transfer codes and seats in lists; the logs stay."""

        def delete(db: sqlite3.Connection) -> None:
            db.execute("UPDATE tables SET made_by = '' WHERE made_by = ?", (guest,))
            db.execute("DELETE FROM guests WHERE id = ?", (guest,))  # the rest goes with it

        await self._asked(delete)
        self._writer.forget()

    async def names(self, guests: Sequence[str]) -> dict[str, str]:
        """The names of those guests that are not deleted."""
        return dict(await self._read(NAMES, json.dumps(list(guests))))

    async def add_device(self, guest: str, device: bytes) -> None:
        """Store the hash of a further device token."""
        sql = "INSERT INTO devices (hash, guest) SELECT ?, id FROM guests WHERE id = ?"
        await self._asked(lambda db: db.execute(sql, (device, guest)))

    async def add_transfer(self, code: bytes, guest: str, until: int) -> None:
        """Store the hash of a transfer code; it replaces the guest's older one."""
        sql = """INSERT OR REPLACE INTO transfers (guest, hash, until)
                 SELECT id, ?, ? FROM guests WHERE id = ?"""

        def add(db: sqlite3.Connection) -> None:
            db.execute("DELETE FROM transfers WHERE until <= ?", (self._now(),))
            db.execute(sql, (code, until, guest))

        await self._asked(add)

    async def take_transfer(self, code: bytes) -> Guest | None:
        """The guest of an unexpired transfer code, which is used up by this."""
        sql = """SELECT id, name, language FROM guests JOIN transfers ON guest = id
                 WHERE hash = ? AND until > ?"""

        def take(db: sqlite3.Connection) -> Guest | None:
            row = first(db, sql, code, self._now())
            db.execute("DELETE FROM transfers WHERE hash = ?", (code,))
            return Guest(*row) if row else None

        return await self._asked(take)

    async def set_feed(self, guest: str, feed: bytes) -> None:
        """Store the hash of a guest's feed address; it replaces the older one."""
        await self._asked(
            lambda db: db.execute("UPDATE guests SET feed = ? WHERE id = ?", (feed, guest))
        )

    async def guest_of_feed(self, feed: bytes) -> Guest | None:
        """The guest of a feed address."""
        rows = await self._read(OF_FEED, feed)
        return Guest(*rows[0]) if rows else None

    # ---- servers ------------------------------------------------------------------------------

    async def resume(self, server: str) -> int:
        """Called once at start: all deadlines move by the time since the last heartbeat, plus
        RESTART_GRACE; the milliseconds they moved (0 if there never was a server). They move back
        where the calendar is behind that of the last heartbeat.

        The lock says that no other server is alive, however short ago it was."""

        def go_on(db: sqlite3.Connection) -> int:
            now = self._now()
            last = first(db, "SELECT max(beat) FROM servers")[0]
            moved = 0 if last is None else now - last + RESTART_GRACE
            db.execute(
                """UPDATE tables SET due = due + ?
                   WHERE due IS NOT NULL AND phase IN ('waiting', 'playing')""",
                (moved,),
            )
            db.execute("DELETE FROM servers")
            set_beat(db, server, now, running=True)
            return moved

        return await self._asked(go_on)

    async def beat(self, server: str) -> None:
        """Say that a server is alive."""
        await self._asked(lambda db: set_beat(db, server, self._now(), running=True))

    async def leave(self, server: str) -> None:
        """Say that a server stops: from now on it is not alive."""
        await self._asked(lambda db: set_beat(db, server, self._now(), running=False))

    async def announce(self, text: str) -> None:
        """Nothing: there are no other servers."""

    def listen(
        self, wake: Callable[[str], None], heard: Callable[[str], None], lost: Callable[[], None]
    ) -> None:
        """Nothing: there are no other servers."""


def open_safely(path: Path) -> Locked:
    """The locked file, with all that an earlier process has left in its log at its place.

    A sync of that log may have failed just before the process ended.
    """
    file = open_locked(path)
    checkpoint(file.connection)
    begin_anew(file.connection)
    return file


# ---- statements -------------------------------------------------------------------------------


def set_setting(db: sqlite3.Connection, name: str, value: bytes) -> None:
    """Store a value under a name."""
    db.execute("INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)", (name, value))


def set_beat(db: sqlite3.Connection, server: str, at: int, *, running: bool) -> None:
    """Store when a server was last alive."""
    sql = "INSERT OR REPLACE INTO servers (id, beat, running) VALUES (?, ?, ?)"
    db.execute(sql, (server, at, running))


def listed(row: Any) -> Listed:  # noqa: ANN401
    """A table in a list, from a row of the view `listed`."""
    table, phase, created, updated, due, made_by, summary, members = row
    guests = sorted(((guest, seat) for guest, seat in json.loads(members)), key=lambda m: m[::-1])
    return Listed(table, phase, created, updated, due, made_by, summary, tuple(guests))
