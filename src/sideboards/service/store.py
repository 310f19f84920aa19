"""The durable log on SQLite: one file, one writer thread, many moves per commit."""

import asyncio
import json
import secrets
import sqlite3
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar

import msgspec

from sideboards.service.checkpoints import Checkpoints
from sideboards.service.log import (
    RESTART_GRACE,
    CannotSave,
    Event,
    Guest,
    Listed,
    Row,
    Taken,
    Told,
    Write,
    resolve,
)
from sideboards.service.sqlite_file import connect, first, open_locked, version_of

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]

INSERT_EVENTS = "INSERT INTO events (table_id, position, seat, action, key, at) VALUES "
ONE_EVENT = """(?{0}, CASE WHEN ?{1} = 0 OR EXISTS (
    SELECT 1 FROM events WHERE table_id = ?{0} AND position = ?{1} - 1) THEN ?{1} END,
    ?{2}, ?{3}, ?{4}, ?{5})"""
"""Without the event before it has no position, which the table refuses."""
AT_ONCE = 32
"""The most events in one statement."""
INSERT_TABLE = """
    INSERT INTO tables (id, phase, public, code, created, due, made_by, summary)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)"""
UPDATE_TABLE = (
    "UPDATE tables SET phase = ?, public = ?, code = ?, due = ?, summary = ? WHERE id = ?"
)
INSERT_MEMBER = """
    INSERT OR IGNORE INTO members (table_id, guest, seat) SELECT ?, id, ?
    FROM guests WHERE id = ?"""
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
    SELECT id, phase, created, updated, due, summary, guests FROM listed
    WHERE public AND phase IN ('waiting', 'playing') ORDER BY created DESC, id LIMIT ?"""
TABLES_OF = """
    SELECT id, phase, created, updated, due, summary, guests FROM listed
    WHERE id IN (SELECT table_id FROM members WHERE guest = ?)
    ORDER BY phase IN ('waiting', 'playing') DESC, updated DESC, id LIMIT ?"""
OPEN_TABLES_OF = """
    SELECT count(*) FROM tables WHERE made_by = ? AND phase IN ('waiting', 'playing')"""
WITH_CODE = "SELECT id FROM tables WHERE code = ? AND code <> '' AND phase = 'waiting'"
OF_DEVICE = """
    SELECT id, name, language FROM guests WHERE id = (SELECT guest FROM devices WHERE hash = ?)"""
OF_FEED = "SELECT id, name, language FROM guests WHERE feed = ?"
NAMES = "SELECT id, name FROM guests WHERE id IN (SELECT value FROM json_each(?))"


class Job(msgspec.Struct):
    """Something to be written, and who learns how it went: a result, or an exception."""

    what: Write | Work[Any]
    told: Callable[[Any], None]


class SqliteStore:
    """The store in one SQLite file, used by one server.

    One thread owns the only connection that writes events. What is asked for while a commit runs
    shares the next one.
    """

    shared = False
    awake = True

    def __init__(self, path: Path) -> None:
        self._path = path.absolute()
        self._asked_for: list[Job] = []
        """What is asked for in the present turn of the loop."""
        self._queue: SimpleQueue[list[Job] | None] = SimpleQueue()
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
        self._file = await asyncio.to_thread(open_locked, self._path)
        self._writing = self._file.connection
        self._reading = connect(self._path, "ro")
        self._checkpoints = Checkpoints(self._writing)
        self._readers = ThreadPoolExecutor(1, "store-read")
        self._writer = Thread(target=self._write, name="store-write", daemon=True)
        self._writer.start()

    async def close(self) -> None:
        """Finish what was asked for, then let go of the file."""
        self._hand_over()
        self._queue.put(None)
        await asyncio.to_thread(self._writer.join)
        await asyncio.to_thread(self._readers.shutdown)
        self._reading.close()
        self._file.close()

    async def migrate(self, to: int | None = None) -> tuple[int, int]:
        """Bring a file that is not open to a version (None: the newest); versions before, after."""

        def bring() -> tuple[int, int]:
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
        self._ask(Job(write, told))

    def _ask(self, job: Job) -> None:
        self._asked_for.append(job)
        if len(self._asked_for) == 1:  # to wake the other thread costs more than to wait for all
            self._loop.call_soon(self._hand_over)

    def _hand_over(self) -> None:
        if self._asked_for:
            self._queue.put(self._asked_for)
            self._asked_for = []

    async def append(self, write: Write) -> int:
        """Store an event; its time. Raises Taken or CannotSave."""
        future: asyncio.Future[int] = self._loop.create_future()
        self.submit(write, partial(resolve, future))
        return await future

    def _asked(self, work: Work[T]) -> asyncio.Future[T]:
        future: asyncio.Future[T] = self._loop.create_future()
        self._ask(Job(work, partial(resolve, future)))
        return future

    def _write(self) -> None:
        """The writer thread: gather, commit, tell; until None is found in the queue."""
        queue = self._queue
        while (batch := queue.get()) is not None:
            while not queue.empty():
                if (more := queue.get()) is None:
                    queue.put(None)
                    break
                batch += more
            results = self._commit(batch)
            with suppress(RuntimeError):  # a loop that is closed asks for nothing
                self._loop.call_soon_threadsafe(self._tell, batch, results)
            self._checkpoints.stored(len(batch))

    def _tell(self, batch: list[Job], results: list[object]) -> None:
        """Tell everybody what became of a batch; in the thread of the loop."""
        for job, result in zip(batch, results, strict=True):
            self._loop.call_soon(job.told, result)  # so that one that fails stops no other

    def _commit(self, batch: list[Job]) -> list[object]:
        """What became of each job, in order: its result, or an exception."""
        connection, at = self._writing, self._now()
        try:
            if are_moves(batch):  # one statement, which is a transaction by itself
                return write_all(connection, batch, at)
            connection.execute("BEGIN IMMEDIATE")
            results = write_all(connection, batch, at)
            connection.execute("COMMIT")
        except sqlite3.OperationalError as error:
            return self._undone(batch, error)
        except Exception:  # one of them is guilty; the others must not suffer
            connection.rollback()
            return self._commit_singly(batch, at)
        return results

    def _commit_singly(self, batch: list[Job], at: int) -> list[object]:
        """The same, where only the guilty ones fail."""
        connection, results = self._writing, list[object]()
        try:
            connection.execute("BEGIN IMMEDIATE")
            for job in batch:
                connection.execute("SAVEPOINT one")
                try:
                    results += write_all(connection, [job], at)
                except sqlite3.OperationalError:
                    raise
                except Exception as error:  # the one who asked will see it
                    connection.execute("ROLLBACK TO one")
                    taken = isinstance(error, sqlite3.IntegrityError)
                    results.append(Taken(str(error)) if taken else error)
                connection.execute("RELEASE one")
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            return self._undone(batch, error)
        return results

    def _undone(self, batch: list[Job], error: sqlite3.Error) -> list[object]:
        with suppress(sqlite3.Error):  # SQLite may have rolled back by itself
            self._writing.rollback()
        return [CannotSave(str(error)) for _ in batch]

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
            return await self._loop.run_in_executor(self._readers, rows)
        except sqlite3.Error as error:
            raise CannotSave(str(error)) from None

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

    async def open_tables_of(self, guest: str) -> int:
        """How many tables a guest has made that still wait or play."""
        return int((await self._read(OPEN_TABLES_OF, guest))[0][0])

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
        RESTART_GRACE; the milliseconds they moved (0 if there never was a server).

        The lock says that no other server is alive, however short ago it was."""

        def go_on(db: sqlite3.Connection) -> int:
            now = self._now()
            last = first(db, "SELECT max(beat) FROM servers")[0]
            moved = 0 if last is None else max(0, now - last) + RESTART_GRACE
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


# ---- statements -------------------------------------------------------------------------------


def are_moves(batch: list[Job]) -> bool:
    """Whether a batch is nothing but a few events, each of another table."""
    if len(batch) > AT_ONCE:
        return False
    tables = {job.what.table for job in batch if isinstance(job.what, Write) and not job.what.row}
    return len(tables) == len(batch)


def write_all(db: sqlite3.Connection, batch: list[Job], at: int) -> list[object]:
    """Do all jobs inside the transaction; the result of each, in order."""
    results: list[object] = [at] * len(batch)
    events: list[Write] = []
    for number, job in enumerate(batch):
        what = job.what
        if isinstance(what, Write):
            events.append(what)
        else:
            results[number] = what(db)
    tables: set[str] = set()
    some: list[Write] = []
    for event in events:
        if event.table in tables or len(some) == AT_ONCE:  # a statement does not see its own rows
            write_events(db, some, at)
            tables, some = set(), []
        tables.add(event.table)
        some.append(event)
    write_events(db, some, at)
    for event in events:
        if event.row is not None:
            write_row(db, event, event.row, at)
    return results


def write_events(db: sqlite3.Connection, events: list[Write], at: int) -> None:
    """Store events of different tables in one statement, all or none."""
    values: list[str | int] = []
    for event in events:
        values += (event.table, event.position, event.seat, event.action, event.key, at)
    if values:
        db.execute(insert_events(len(events)), values)


@cache
def insert_events(count: int) -> str:
    """The statement that stores so many events."""
    places = [ONE_EVENT.format(*range(first, first + 6)) for first in range(1, 6 * count, 6)]
    return INSERT_EVENTS + ", ".join(places)


def write_row(db: sqlite3.Connection, write: Write, row: Row, at: int) -> None:
    """Make or change the index row of a table."""
    due = None if row.due_after is None else at + row.due_after
    head = (row.phase, row.public, row.code)
    if write.position == 0:
        db.execute(INSERT_TABLE, (write.table, *head, at, due, row.made_by, row.summary))
        seated: list[tuple[str, int]] = []
    else:
        db.execute(UPDATE_TABLE, (*head, due, row.summary, write.table))
        sql = "SELECT guest, seat FROM members WHERE table_id = ? ORDER BY seat, guest"
        seated = db.execute(sql, (write.table,)).fetchall()
    if seated != sorted(row.guests, key=lambda member: member[::-1]):
        db.execute("DELETE FROM members WHERE table_id = ?", (write.table,))
        db.executemany(INSERT_MEMBER, [(write.table, seat, guest) for guest, seat in row.guests])


def set_setting(db: sqlite3.Connection, name: str, value: bytes) -> None:
    """Store a value under a name."""
    db.execute("INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)", (name, value))


def set_beat(db: sqlite3.Connection, server: str, at: int, *, running: bool) -> None:
    """Store when a server was last alive."""
    sql = "INSERT OR REPLACE INTO servers (id, beat, running) VALUES (?, ?, ?)"
    db.execute(sql, (server, at, running))


def listed(row: Any) -> Listed:  # noqa: ANN401
    """A table in a list, from a row of the view `listed`."""
    table, phase, created, updated, due, summary, members = row
    guests = sorted(((guest, seat) for guest, seat in json.loads(members)), key=lambda m: m[::-1])
    return Listed(table, phase, created, updated, due, summary, tuple(guests))
