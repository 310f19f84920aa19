"""The writer of a SQLite file: what is asked for is gathered, committed, synced, and told.

There is one connection that writes. Events are written in the loop itself, which takes some
microseconds, and the system syncs them through a ring. Everything else is done by a thread: what
takes longer, what finds the file locked, checkpoints, and all of it where there is no ring.
Either the loop or the thread has the connection, never both. SQLite itself syncs no commit: if
that failed it would say that nothing was stored, but the commit would be in the log.
"""

import asyncio
import os
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar

import msgspec

from sideboards.service.checkpoints import Checkpoints, begin_anew, move_all
from sideboards.service.log import CannotSave, InDoubt, Row, Taken, Write
from sideboards.service.ring import Ring, open_ring
from sideboards.service.sqlite_file import BUSY_SECONDS, Locked, reason, sync

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
FEW = 2
"""With more events than these under way the next ones are gathered, which costs less for each."""
ANSWERS_WITHIN = 0.5
"""Seconds that whoever reads waits at the most for the disk to have what was read."""


class Job(msgspec.Struct):
    """Something to be written, and who learns how it went: a result, or an exception."""

    what: Write | Work[Any]
    told: Callable[[Any], None]


class Batch(msgspec.Struct):
    """What is committed together."""

    jobs: list[Job]
    results: list[object]
    """What became of each job, if the disk has it."""
    watching: list[asyncio.Future[None]]
    """Those who have read it and wait until the disk has it."""
    begun: bool = False
    """Whether it may have been written, so that others may have read it: not before the lock of
    the file is held."""


class Writer:
    """The only connection that writes a file.

    A commit need not wait for the sync of the one before: a sync that takes long then delays one
    move and not all that follow. Where much is asked for it is gathered, and comes next.
    """

    def __init__(self, file: Locked, path: Path, now: Callable[[], int]) -> None:
        self._file = file
        self._connection = file.connection
        self._now = now
        self._loop = asyncio.get_running_loop()
        self._checkpoints = Checkpoints(file.connection)
        self._asked: list[Job] = []
        self._pending: list[Batch] = []
        """What was begun and is not yet told, in order."""
        self._told = 0
        """How many batches have been told."""
        self._telling = False
        self._away = False
        """Whether the thread has the connection."""
        self._locked = False
        """Whether another program seems to lock the file, which the thread will wait for."""
        self._doubtful = False
        """Whether a sync has failed: then what was written is not to be built on."""
        self._queue: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        log = path.with_name(f"{path.name}-wal")
        self._log = os.open(log, os.O_RDWR | os.O_CLOEXEC)
        """The descriptor with which the thread syncs."""
        self._ring = open_ring(log)
        self._connection.execute("PRAGMA synchronous = NORMAL")  # every commit is synced here
        self._wait_for_lock(0)
        self._thread = Thread(target=self._work, name="store-write", daemon=True)
        self._thread.start()

    async def close(self) -> None:
        """Finish what was asked for, then let go of the file."""
        while self._away or self._pending or self._asked:
            self._begin()
            await asyncio.sleep(0.001)
        self._queue.put(None)
        await asyncio.to_thread(self._thread.join)
        if self._ring is not None:
            await self._ring.close()
        os.close(self._log)
        self._file.close()

    def ask(self, job: Job) -> None:
        """Write something; who asks is told later."""
        self._asked.append(job)
        if self._ring is not None and isinstance(job.what, Write):
            self._begin()  # the sooner the disk begins, the sooner it is done
        elif len(self._asked) == 1:  # to wake the thread costs more than to wait for all
            self._loop.call_soon(self._begin)

    def forget(self) -> None:
        """Empty the log: it holds what was deleted."""
        self._checkpoints.forget()
        self._begin()

    async def settle(self) -> None:
        """Return when all that can be read is on the disk; raise CannotSave if it is not."""
        settled: asyncio.Future[None] = self._loop.create_future()
        readable = [batch for batch in self._pending if batch.begun]
        if self._doubtful:
            self.ask(Job(lambda _: None, lambda _: _set(settled)))
        elif readable:
            readable[-1].watching.append(settled)
        else:
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(ANSWERS_WITHIN):
                await settled
                if not self._doubtful:
                    return
        raise CannotSave("the disk does not answer")

    # ---- in the loop ------------------------------------------------------------------------

    def _begin(self) -> None:
        """Begin with what was asked for, as far as nothing is in the way."""
        if self._away or self._telling:
            return
        if self._checkpoints.is_due:
            if not self._pending:
                self._hand_over(self._checkpoint_there)
        elif self._asked:
            ring, events = self._ring, all(isinstance(job.what, Write) for job in self._asked)
            well = ring is not None and ring.works and not self._doubtful and not self._locked
            if ring is not None and well and events:
                if ring.is_free and sum(len(batch.jobs) for batch in self._pending) <= FEW:
                    self._commit_here(ring)
            elif not self._pending:
                batch = self._next_batch()
                self._locked = False
                self._pending.append(batch)
                self._hand_over(partial(self._commit_there, batch))

    def _next_batch(self) -> Batch:
        jobs, self._asked = self._asked, []
        return Batch(jobs, [], [])

    def _commit_here(self, ring: Ring) -> None:
        batch = self._next_batch()
        batch.begun = True
        try:
            batch.results = self._commit(batch)
        except Exception as error:  # the thread tries again, and tells what is wrong
            batch.results = [CannotSave(reason(error))]
        if isinstance(batch.results[0], CannotSave):  # perhaps only a lock
            batch.begun = False
            self._asked = batch.jobs
            self._locked = True
            self._begin()
        else:
            self._pending.append(batch)
            ring.sync(partial(self._synced, self._told + len(self._pending)))

    def _synced(self, covered: int, error: int) -> None:
        """A sync has ended that began when so many batches were written."""
        ready = covered - self._told  # fewer than none if a later one was faster
        if self._away:  # with a descriptor of its own, which the thread syncs
            return
        if error and self._pending:
            self._doubtful, ready = True, len(self._pending)
            for batch in self._pending:
                batch.results = doubted(batch, os.strerror(error))
        self._tell(max(0, ready))

    def _tell(self, ready: int) -> None:
        """Tell everybody what became of some batches, then go on with what was asked for."""
        batches = self._pending[:ready]
        del self._pending[:ready]
        self._told += ready
        self._telling = True
        for batch in batches:
            self._checkpoints.count(len(batch.jobs))
            for future in batch.watching:
                _set(future)
            for job, result in zip(batch.jobs, batch.results, strict=True):
                try:
                    job.told(result)
                except Exception as error:  # one that fails stops no other
                    self._loop.call_exception_handler({"message": "store", "exception": error})
        self._telling = False
        self._begin()

    def _hand_over(self, work: Callable[[], None]) -> None:
        """Let the thread do something with the connection; nothing else is under way."""
        self._away = True
        self._queue.put(work)

    def _back(self, ready: int) -> None:
        """The thread has done it."""
        self._away = False
        self._tell(ready)

    # ---- in the thread ----------------------------------------------------------------------

    def _work(self) -> None:
        while (work := self._queue.get()) is not None:
            work()

    def _call_in_loop(self, call: Callable[..., None], *values: object) -> None:
        with suppress(RuntimeError):  # a loop that is closed asks for nothing
            self._loop.call_soon_threadsafe(call, *values)

    def _commit_there(self, batch: Batch) -> None:
        """Commit and sync, however long it takes."""
        try:
            self._commit_and_sync(batch)
        except Exception as error:  # whoever asked is told, and the thread goes on
            batch.results = [CannotSave(reason(error)) for _ in batch.jobs]
        self._call_in_loop(self._back, 1)

    def _commit_and_sync(self, batch: Batch) -> None:
        if self._doubtful and not self._mended():
            batch.results = [CannotSave("the disk has failed") for _ in batch.jobs]
            return
        self._wait_for_lock(BUSY_SECONDS)
        try:
            batch.results = self._commit(batch)
        finally:
            self._wait_for_lock(0)  # in the loop nobody may wait for another program
        if not isinstance(batch.results[0], CannotSave):
            self._sync_there(batch)

    def _sync_there(self, batch: Batch) -> None:
        try:
            sync(self._log)
        except OSError as error:
            self._doubtful = True
            batch.results = doubted(batch, str(error))

    def _checkpoint_there(self) -> None:
        self._wait_for_lock(0)  # whoever reads an old moment of the file holds nobody up
        # If the log does not begin anew now, the next commit may sync its head: not in the loop.
        self._locked = not self._checkpoints.make()
        self._call_in_loop(self._back, 0)

    def _wait_for_lock(self, seconds: int) -> None:
        self._connection.execute(f"PRAGMA busy_timeout = {1000 * seconds}")

    def _mended(self) -> bool:
        """Whether all that was written is on the disk after all, at its place in the file.

        The log itself cannot be trusted any more: behind a hole in it nothing would be found.
        """
        self._doubtful = not move_all(self._connection)
        if not self._doubtful:
            begin_anew(self._connection)
        return not self._doubtful

    # ---- committing -------------------------------------------------------------------------

    def _commit(self, batch: Batch) -> list[object]:
        """What became of each job, in order: its result, or an exception."""
        connection, jobs, at = self._connection, batch.jobs, self._now()
        try:
            if batch.begun and are_moves(jobs):  # one statement, which is a transaction by itself
                return write_all(connection, jobs, at)
            connection.execute("BEGIN IMMEDIATE")
            batch.begun = True
            results = write_all(connection, jobs, at)
            connection.execute("COMMIT")
        except sqlite3.OperationalError as error:
            return self._undone(jobs, error)
        except Exception:  # one of them is guilty; the others must not suffer
            connection.rollback()
            return self._commit_singly(jobs, at)
        return results

    def _commit_singly(self, batch: list[Job], at: int) -> list[object]:
        """The same, where only the guilty ones fail."""
        connection, results = self._connection, list[object]()
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
            self._connection.rollback()
        return [CannotSave(reason(error)) for _ in batch]


def _set(future: asyncio.Future[None]) -> None:
    """Nobody waits for a cancelled one."""
    if not future.done():
        future.set_result(None)


def doubted(batch: Batch, why: str) -> list[object]:
    """What to tell when a sync has failed: the system may have dropped what it was about."""
    return [InDoubt(why) for _ in batch.jobs]


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
