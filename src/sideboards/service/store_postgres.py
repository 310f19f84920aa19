"""The durable log on PostgreSQL, which several servers share."""

import asyncio
import json
import secrets
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import asyncpg
from asyncpg.exceptions import TransactionRollbackError

from sideboards.service import postgres_statements as statements
from sideboards.service.log import (
    LEFT_AFTER,
    RESTART_GRACE,
    SERVER_ALIVE,
    CannotSave,
    Event,
    Guest,
    InDoubt,
    Listed,
    Taken,
    Told,
    Write,
    resolve,
)
from sideboards.service.postgres_database import (
    CONNECT_LIMIT,
    FAILED,
    LISTENING,
    LOST,
    OTHERS,
    Connection,
    be_durable,
    connect,
    migrate,
    one_line,
    options,
    shown,
)
from sideboards.service.postgres_time import NOW, UNCORRECTED, SharedTime, monotonic
from sideboards.service.questions import Questions, Unaskable

CHANNEL = "sideboards"
RETRY = 0.2
"""Seconds until the listener connects again; doubled up to RETRY_MOST."""
RETRY_MOST = 2.0
ALIVE_EVERY = 5.0
"""Seconds between the listener's signs of life."""
AWAKE = 0.5
"""Seconds after an answer in which the database counts as awake."""
MOST_AT_ONCE = 1000
RESUMING = 0x51DEB0A2E
"""The advisory lock under which one server after the other resumes."""
RESUME_TRIES = 3
"""Times that a server tries to resume if the database ends what it does, as in a deadlock."""


@dataclass(slots=True)
class Job:
    """An event to be appended, and who learns how it went."""

    write: Write
    told: Told


class PostgresStore:
    """The store in a PostgreSQL database, shared by any number of servers.

    What is asked for while a commit runs, or within `window` seconds after the last one began,
    shares the next commit, which is one statement. A broken connection is made again when it is
    needed next; the listener makes its own again by itself.
    """

    shared = True

    def __init__(self, url: str, *, window: float = 0.005) -> None:
        self._url = url
        self._window = window
        self._queue: list[Job] = []
        self._asked = asyncio.Event()
        self._closing = False
        self._connection: Connection | None = None
        self._reads = Questions(self._read_all)
        self._dues = Questions(self._due_all)
        self._names = Questions(self._name_all)
        self._answered = 0.0
        self._time = SharedTime()
        self._server = ""
        self._me = secrets.token_hex(6)
        self._wake: Callable[[str], None] = _ignored
        self._heard: Callable[[str], None] = _ignored
        self._lost: Callable[[], None] = _ignored

    def __str__(self) -> str:
        return shown(self._url)

    @property
    def awake(self) -> bool:
        """Whether the database has answered something just now."""
        return time.monotonic() - self._answered < AWAKE

    # ---- opening and closing ------------------------------------------------------------------

    async def open(self) -> None:
        """Connect, migrate to the newest version, begin to work."""
        await migrate(self._url)
        # What a connection is told in the beginning stays: without `reset` it would be forgotten.
        self._pool = await asyncpg.create_pool(
            min_size=0, max_size=4, init=be_durable, reset=_kept, **options(self._url)
        )
        listening = asyncio.Event()
        self._listener = asyncio.create_task(self._keep_listening(listening))
        self._writer = asyncio.create_task(self._write())
        await listening.wait()
        await migrate(self._url)  # while nobody knew of this server, somebody may have undone it

    async def close(self) -> None:
        """Finish what was asked for, then disconnect."""
        self._closing = True
        self._asked.set()
        await self._writer
        self._listener.cancel()
        with suppress(asyncio.CancelledError):
            await self._listener
        if self._connection is not None:
            self._connection.terminate()
        try:
            await asyncio.wait_for(self._pool.close(), CONNECT_LIMIT)
        except TimeoutError:
            self._pool.terminate()

    async def migrate(self, to: int | None = None) -> tuple[int, int]:
        """Bring the database to a version (None: the newest); the versions before and after."""
        return await migrate(self._url, to, alone=True)

    # ---- the log ------------------------------------------------------------------------------

    def submit(self, write: Write, told: Told) -> None:
        """Store an event; `told` is called with its time, or with what `append` would raise."""
        if write.position == 0 and write.row is None:
            raise ValueError("the first event of a table comes with a row")
        self._queue.append(Job(write, told))
        self._asked.set()

    async def append(self, write: Write) -> int:
        """Store an event; its time. Raises Taken, CannotSave or InDoubt."""
        future: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self.submit(write, partial(resolve, future))
        return await future

    async def _write(self) -> None:
        """Gather, commit, tell; until the store closes and the queue is empty."""
        loop, began = asyncio.get_running_loop(), 0.0
        while True:
            await self._asked.wait()
            if (wait := began + self._window - loop.time()) > 0:
                await asyncio.sleep(wait)
            began = loop.time()
            batch, self._queue = _one_per_table(self._queue)
            if batch:
                results = await self._commit([job.write for job in batch])
                for job, result in zip(batch, results, strict=True):
                    loop.call_soon(job.told, result)  # so that one that fails stops no other
            elif self._closing:
                return
            if not self._queue and not self._closing:
                self._asked.clear()

    async def _commit(self, writes: list[Write]) -> list[int | Exception]:
        """What became of each write, in order: its time, or an exception."""
        try:
            connection = await self._writing()
        except Exception as error:  # whatever it is, the writer goes on
            _tell_of(error)
            return [CannotSave(one_line(error)) for _ in writes]
        try:
            stored = await self._append(connection, writes)
        except Exception as error:  # whatever it is, the writer goes on
            refused = isinstance(error, asyncpg.PostgresError) and not isinstance(error, LOST)
            if refused or isinstance(error, ValueError):  # a value that cannot even be sent
                return await self._blame(writes, error)
            connection.terminate()
            return [InDoubt(one_line(error)) for _ in writes]
        times = {row["table_id"]: int(row["at"]) for row in stored}
        return [
            times.get(write.table) or Taken(f"{write.table}: position {write.position}")
            for write in writes
        ]

    async def _append(self, connection: Connection, writes: list[Write]) -> list[asyncpg.Record]:
        values = *_columns(writes), f"w {self._me} "
        try:
            return await connection.fetch(statements.APPEND, *values, self._time.expected())
        except asyncpg.NotNullViolationError:  # the time is none
            await self._settle_time()
            return await connection.fetch(statements.APPEND, *values, self._time.expected())

    async def _blame(self, writes: list[Write], error: Exception) -> list[int | Exception]:
        """After the statement was refused as a whole: the same one by one."""
        if len(writes) > 1:
            return [(await self._commit([write]))[0] for write in writes]
        if isinstance(error, asyncpg.IntegrityConstraintViolationError):
            return [Taken(one_line(error))]
        return [CannotSave(one_line(error)) if isinstance(error, asyncpg.PostgresError) else error]

    async def _writing(self) -> Connection:
        """The connection that appends, made again if it is broken."""
        if self._connection is None or self._connection.is_closed():
            self._connection = None
            async with asyncio.timeout(CONNECT_LIMIT):
                connection = await connect(self._url)
                try:
                    await be_durable(connection)
                except BaseException:  # one that is not ready must not be used later
                    connection.terminate()
                    raise
            self._connection = connection
        return self._connection

    # ---- reading ------------------------------------------------------------------------------

    async def _fetch(self, sql: str, *values: object) -> list[asyncpg.Record]:
        """The rows of a question; asked once more if the connection was a broken one."""
        for again in (True, False):
            try:
                async with self._pool.acquire(timeout=CONNECT_LIMIT) as connection:
                    rows = await connection.fetch(sql, *values)
                    self._answered = time.monotonic()
                    return rows
            except asyncpg.DataError as error:
                raise Unaskable(one_line(error)) from None
            except FAILED as error:
                if isinstance(error, TimeoutError) or not isinstance(error, LOST) or not again:
                    raise CannotSave(one_line(error)) from None
        raise AssertionError  # unreachable

    async def _change(self, sql: str, *values: object) -> list[asyncpg.Record]:
        """The rows that a change gives; never done twice."""
        try:
            connection = await self._pool.acquire(timeout=CONNECT_LIMIT)
        except FAILED as error:
            raise CannotSave(one_line(error)) from None
        try:
            return await connection.fetch(sql, *values)
        except asyncpg.IntegrityConstraintViolationError as error:
            raise Taken(one_line(error)) from None
        except LOST as error:
            raise InDoubt(one_line(error)) from None
        except asyncpg.PostgresError as error:
            raise CannotSave(one_line(error)) from None
        finally:
            with suppress(*FAILED):
                await self._pool.release(connection)

    async def ping(self) -> None:
        """Return if the database answers and holds our tables; raise CannotSave if not."""
        await self._fetch("SELECT 1 FROM settings LIMIT 1")

    async def now(self) -> int:
        """Database time in milliseconds."""
        begun = monotonic()
        now = int((await self._fetch(NOW))[0][0])
        if not self._time.is_expected(now, begun):
            await self._settle_time()
            now = int((await self._fetch(NOW))[0][0])
        return now

    async def read(self, table: str, after: int = -1) -> list[Event]:
        """The events of a table behind a position, in order; empty for an unknown table."""
        return await self._reads((table, after))

    async def _read_all(self, asked: list[tuple[str, int]]) -> dict[tuple[str, int], list[Event]]:
        found: dict[tuple[str, int], list[Event]] = {place: [] for place in asked}
        tables, behind = zip(*asked, strict=True)
        for place, *event in await self._fetch(statements.READ, tables, behind):
            found[asked[place - 1]].append(Event(*event))
        return found

    async def due(self, table: str) -> int | None:
        """The present deadline of a table."""
        return await self._dues(table)

    async def _due_all(self, tables: list[str]) -> dict[str, int | None]:
        rows = await self._fetch(statements.DUE, tables)
        return dict.fromkeys(tables) | {row[0]: row[1] for row in rows}

    async def all_due(self, until: int, limit: int = 200) -> list[str]:
        """Tables that wait or play and whose deadline is not after `until`, oldest first."""
        return [row[0] for row in await self._fetch(statements.ALL_DUE, until, limit)]

    async def forgotten(self, before: int, limit: int = 200) -> list[str]:
        """Tables that wait or play, have no deadline, and have no event since `before`."""
        return [row[0] for row in await self._fetch(statements.FORGOTTEN, before, limit)]

    async def lobby(self, limit: int = 100) -> list[Listed]:
        """Public tables that wait for players or are played, newest first."""
        return [_listed(row) for row in await self._fetch(statements.LOBBY, limit)]

    async def tables_of(self, guest: str, limit: int = 100) -> list[Listed]:
        """The tables at which a guest sits or sat, the latest event first."""
        return [_listed(row) for row in await self._fetch(statements.TABLES_OF, guest, limit)]

    async def open_tables_of(self, guest: str) -> list[Listed]:
        """The tables that a guest has made, and not left to others, that still wait or play; the
        latest event last."""
        return [
            _listed(row) for row in await self._fetch(statements.OPEN_TABLES_OF, guest, LEFT_AFTER)
        ]

    async def table_with_code(self, code: str) -> str | None:
        """The waiting table with a short code."""
        rows = await self._fetch(statements.WITH_CODE, code)
        return rows[0][0] if rows else None

    async def drop_codes(self, before: int) -> None:
        """Forget the short codes of tables that were made before a time."""
        await self._change(statements.DROP_CODES, before)

    # ---- guests -------------------------------------------------------------------------------

    async def secret(self) -> bytes:
        """The 32 bytes that sign all tokens of this database, drawn at first use."""
        rows: list[asyncpg.Record] = []
        while not rows:  # what the statement has drawn itself, only the next one sees
            rows = await self._change(statements.DRAWN, secrets.token_bytes(32))
        return bytes(rows[0][0])

    async def add_guest(self, guest: Guest, device: bytes) -> None:
        """Store a new guest with the hash of its first device token."""
        await self._change(statements.ADD_GUEST, guest.id, guest.name, guest.language, device)

    async def guest_of_device(self, device: bytes) -> Guest | None:
        """The guest that holds a device token, by the token's hash."""
        return _guest(await self._fetch(statements.OF_DEVICE, device))

    async def change_guest(self, guest: Guest) -> None:
        """Store a guest's new name and language."""
        sql = "UPDATE guests SET name = $1, language = $2 WHERE id = $3"
        await self._change(sql, guest.name, guest.language, guest.id)

    async def delete_guest(self, guest: str) -> None:
        """Remove name, devices, feed, transfer codes and seats in lists; the logs stay."""
        await self._change(statements.DELETE_GUEST, guest)

    async def names(self, guests: Sequence[str]) -> dict[str, str]:
        """The names of those guests that are not deleted."""
        return await self._names(frozenset(guests))

    async def _name_all(self, asked: list[frozenset[str]]) -> dict[frozenset[str], dict[str, str]]:
        rows = await self._fetch(statements.NAMES, list(frozenset().union(*asked)))
        names: dict[str, str] = {row[0]: row[1] for row in rows}
        return {
            guests: {guest: names[guest] for guest in guests if guest in names} for guests in asked
        }

    async def add_device(self, guest: str, device: bytes) -> None:
        """Store the hash of a further device token."""
        await self._change(statements.ADD_DEVICE, device, guest)

    async def add_transfer(self, code: bytes, guest: str, until: int) -> None:
        """Store the hash of a transfer code; it replaces the guest's older one."""
        await self._change(statements.ADD_TRANSFER, code, guest, until)

    async def take_transfer(self, code: bytes) -> Guest | None:
        """The guest of an unexpired transfer code, which is used up by this."""
        return _guest(await self._change(statements.TAKE_TRANSFER, code))

    async def set_feed(self, guest: str, feed: bytes) -> None:
        """Store the hash of a guest's feed address; it replaces the older one."""
        await self._change("UPDATE guests SET feed = $1 WHERE id = $2", feed, guest)

    async def guest_of_feed(self, feed: bytes) -> Guest | None:
        """The guest of a feed address."""
        return _guest(await self._fetch(statements.OF_FEED, feed))

    # ---- servers ------------------------------------------------------------------------------

    async def resume(self, server: str) -> int:
        """Called once at start. If no other server was alive, all deadlines move by the time
        since the last heartbeat, plus RESTART_GRACE; the milliseconds they moved (0 if none). They
        move back where the calendar is behind that of the last heartbeat."""
        for tries_left in reversed(range(RESUME_TRIES)):
            try:
                return await self._resume(server)
            except FAILED as error:
                # Perhaps an older program beside this one, which keeps to no order.
                if not tries_left or not isinstance(error, TransactionRollbackError):
                    raise CannotSave(one_line(error)) from None
        raise AssertionError  # unreachable

    async def _resume(self, server: str) -> int:
        async with (
            self._pool.acquire(timeout=CONNECT_LIMIT) as connection,
            connection.transaction(),
        ):
            await connection.execute("SELECT pg_advisory_xact_lock($1)", RESUMING)
            begun, now = monotonic(), int(await connection.fetchval(NOW))
            rows = await connection.fetch("SELECT id, beat, running FROM servers")
            others = await connection.fetchval(OTHERS, LISTENING, self._me)
            alive = [
                row["id"]
                for row in rows
                if others  # a server that was killed may have had a recent heartbeat
                and row["running"]
                and row["id"] != server
                and row["beat"] > now - SERVER_ALIVE
            ]
            if not alive:
                await connection.execute(UNCORRECTED)
                begun, now = monotonic(), int(await connection.fetchval(NOW))
            self._server = server
            self._time.go_by(now, begun)
            last = max((row["beat"] for row in rows), default=None)
            moved = 0 if alive or last is None else now - last + RESTART_GRACE
            if moved:  # else no move has to wait
                await connection.execute(statements.MOVE_DEADLINES, moved)
            await connection.execute("DELETE FROM servers WHERE id <> ALL($1)", alive)
            await connection.execute(statements.BEAT, server, "running", None)
            return moved

    async def beat(self, server: str) -> None:
        """Say that a server is alive."""
        await self._beat(server, "running")

    async def leave(self, server: str) -> None:
        """Say that a server stops: from now on it is not alive."""
        await self._beat(server, "stopped")

    async def _beat(self, server: str, state: str) -> None:
        try:
            await self._change(statements.BEAT, server, state, self._time.expected())
        except Taken:  # the time is none
            await self._settle_time()
            await self._change(statements.BEAT, server, state, self._time.expected())

    async def _settle_time(self) -> None:
        """Find out whether the database's clock has jumped, and correct the time."""
        try:
            async with (
                self._pool.acquire(timeout=CONNECT_LIMIT) as connection,
                connection.transaction(),
            ):
                await connection.execute("SELECT pg_advisory_xact_lock($1)", RESUMING)
                await self._time.settle(connection, self._server)
        except FAILED as error:
            raise CannotSave(one_line(error)) from None

    async def announce(self, text: str) -> None:
        """Tell the other servers something that is not stored (up to 4,000 bytes)."""
        await self._change("SELECT pg_notify($1, $2)", CHANNEL, f"a {self._me} {text}")

    def listen(
        self, wake: Callable[[str], None], heard: Callable[[str], None], lost: Callable[[], None]
    ) -> None:
        """Call `wake(table)` when another server wrote to a table, `heard(text)` for an
        announcement, `lost()` when notices may have been missed."""
        self._wake, self._heard, self._lost = wake, heard, lost

    def _notice(self, _connection: object, _process: int, _channel: str, payload: object) -> None:
        kind, sender, text = str(payload).split(" ", 2)
        if sender != self._me:
            (self._wake if kind == "w" else self._heard)(text)

    async def _keep_listening(self, listening: asyncio.Event) -> None:
        """Listen until cancelled; a broken connection is made again."""
        delay = RETRY
        while True:
            try:
                connection = await connect(self._url, f"{LISTENING} {self._me}")
                closed = asyncio.Event()
                try:
                    connection.add_termination_listener(lambda _, it=closed: it.set())
                    await connection.add_listener(CHANNEL, self._notice)
                    if listening.is_set():
                        self._lost()
                    listening.set()
                    delay = RETRY
                    await _until_closed(connection, closed)
                finally:
                    connection.terminate()
            except Exception as error:  # whatever it is, notices are not to end with it
                _tell_of(error)
            await asyncio.sleep(delay)
            delay = min(2 * delay, RETRY_MOST)


async def _until_closed(connection: Connection, closed: asyncio.Event) -> None:
    """Return when the connection is closed; raise one of LOST when it no longer answers."""
    while not closed.is_set():
        try:
            await asyncio.wait_for(closed.wait(), ALIVE_EVERY)
        except TimeoutError:
            await connection.execute("SELECT 1", timeout=ALIVE_EVERY)


def _tell_of(error: Exception) -> None:
    """Tell the loop of what nobody has thought of; a database may go away."""
    if not isinstance(error, FAILED):
        asyncio.get_running_loop().call_exception_handler({"message": "store", "exception": error})


def _ignored(*_: object) -> None:
    pass


async def _kept(_: Connection) -> None:
    pass


def _one_per_table(queue: list[Job]) -> tuple[list[Job], list[Job]]:
    """The next batch, at most one write per table; and the rest of the queue.

    One statement does not see its own insertions, so it cannot append twice to a table."""
    batch: dict[str, Job] = {}
    rest = []
    for job in queue:
        if len(batch) == MOST_AT_ONCE or job.write.table in batch:
            rest.append(job)
        else:
            batch[job.write.table] = job
    return [batch[table] for table in sorted(batch)], rest  # in one order: no deadlocks


def _columns(writes: list[Write]) -> list[list[Any]]:
    """The first 15 arguments of APPEND."""
    events = [(w.table, w.position, w.seat, w.action, w.key) for w in writes]
    rows = [(w.table, w.row) for w in writes if w.row is not None]
    changes = [
        (table, row.phase, row.public, row.code, row.due_after, row.made_by, row.summary)
        for table, row in rows
    ]
    seats = [(table, seat, guest) for table, row in rows for guest, seat in row.guests]
    return [*_turned(events, 5), *_turned(changes, 7), *_turned(seats, 3)]


def _turned(rows: Sequence[tuple[Any, ...]], width: int) -> list[list[Any]]:
    return [list(column) for column in zip(*rows, strict=True)] or [[] for _ in range(width)]


def _guest(rows: list[asyncpg.Record]) -> Guest | None:
    return Guest(*rows[0]) if rows else None


def _listed(row: asyncpg.Record) -> Listed:
    table, phase, created, updated, due, made_by, summary, members = row
    guests = sorted(((guest, seat) for guest, seat in json.loads(members)), key=lambda m: m[::-1])
    return Listed(table, phase, created, updated, due, made_by, summary, tuple(guests))
