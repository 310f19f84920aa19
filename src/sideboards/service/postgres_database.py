"""A PostgreSQL database: how it is reached and migrated, and what its errors mean."""

import asyncio
import os
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from socket import gaierror
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import asyncpg

from sideboards.core.refusal import Refusal
from sideboards.service.migrations import SHIPPED, newest, steps

if TYPE_CHECKING:  # only the stubs know that it is generic
    Connection = asyncpg.Connection[asyncpg.Record]
    Pooled = asyncpg.pool.PoolConnectionProxy[asyncpg.Record]
else:
    Connection, Pooled = asyncpg.Connection, asyncpg.pool.PoolConnectionProxy

CONNECT_LIMIT = 0.9
"""Seconds until a database that does not answer counts as unreachable."""
COMMIT_LIMIT = 10.0
"""Seconds until a commit without an answer counts as in doubt."""
MIGRATION = 0x51DEB0A2D
"""The advisory lock under which one server migrates while the others wait."""
LISTENING = "sideboards server"
"""The name, as the database lists it, of the connection that every running server keeps."""
OTHERS = """
    SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
    AND application_name LIKE $1 || ' %' AND application_name <> $1 || ' ' || $2"""
ENDING = 10
"""Tenths of a second in which the database notices that a server has ended."""
DATA, STATEMENT = "22", "42"
"""Classes of codes: what is said there quotes what was sent; or only the program's own words."""
QUOTED = re.compile('"[^"]*"')
"""What may be the name of a user, or an address."""
NUMBER = re.compile(r"\[Errno (\d+)\]")
LOST = (
    OSError,
    TimeoutError,
    asyncpg.PostgresConnectionError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    asyncpg.OperatorInterventionError,
)
"""What is raised when a connection breaks, cannot be made, or answers too late."""
FAILED = (*LOST, asyncpg.PostgresError)
DURABLE = """
    SELECT set_config('synchronous_commit', 'on', false)
    WHERE current_setting('synchronous_commit') = 'off'"""


def shown(url: str) -> str:
    """A database's address as it may be printed: without name, password and options.

    >>> shown("postgresql://me:secret@db.local:5432/games?sslmode=require")
    'postgresql://db.local:5432/games'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def options(url: str, name: str = "sideboards") -> dict[str, Any]:
    """What all connections of this program share; the database lists them by name."""
    return {
        "dsn": url,
        "timeout": CONNECT_LIMIT,
        "command_timeout": COMMIT_LIMIT,
        "server_settings": {"application_name": name, "jit": "off"},
    }


async def connect(url: str, name: str = "sideboards") -> Connection:
    """A new connection; raises one of FAILED."""
    return await asyncpg.connect(**options(url, name))


async def be_durable(connection: Connection) -> None:
    """Have a connection answer only when it is on the disk, whatever the database's default is."""
    await connection.execute(DURABLE)


async def patiently(url: str) -> Connection:
    """A connection for long work; refused in one sentence if there is none."""
    try:
        return await asyncpg.connect(**options(url) | {"timeout": 5.0, "command_timeout": None})
    except (*FAILED, ValueError) as error:
        raise Refusal(
            f"{shown(url)}: {one_line(error)}; expected a PostgreSQL database that can be reached"
        ) from None


async def migrate(
    url: str, to: int | None = None, folder: Path = SHIPPED, *, alone: bool = False
) -> tuple[int, int]:
    """Bring a database to a version (None: the newest); the versions before and after.

    With `alone` it is refused to change anything while a server is alive.
    """
    connection = await patiently(url)
    try:
        async with connection.transaction():
            await connection.execute("SELECT pg_advisory_xact_lock($1)", MIGRATION)
            before, after = await _bring_to(connection, to, folder)
            if alone and before != after:
                await _refuse_beside_servers(connection)
            return before, after
    except Refusal as refusal:
        raise Refusal(f"{shown(url)}: {refusal}") from None
    except FAILED as error:
        raise Refusal(
            f"{shown(url)}: {one_line(error)}; expected a database that can be migrated"
        ) from None
    finally:
        await connection.close()


async def version_of(connection: Connection) -> int:
    """The version of a database; 0 if it holds nothing of ours."""
    if await connection.fetchval("SELECT to_regclass('sideboards_version')") is None:
        return 0
    return int(await connection.fetchval("SELECT version FROM sideboards_version"))


async def _bring_to(connection: Connection, to: int | None, folder: Path) -> tuple[int, int]:
    have = after = await version_of(connection)
    for step in steps("postgres", have, to, folder):
        await connection.execute(step.sql)
        after = step.version
    if after != have:
        await connection.execute("DROP TABLE IF EXISTS sideboards_version")
        if after:
            await connection.execute(
                f"CREATE TABLE sideboards_version AS SELECT {after}::integer AS version"
            )
    return have, after


async def _refuse_beside_servers(connection: Connection) -> None:
    """Raise a Refusal if a server is alive, which would lose what it works with."""
    for _ in range(ENDING):
        await connection.execute("SELECT pg_stat_clear_snapshot()")
        if not await connection.fetchval(OTHERS, LISTENING, ""):
            return
        await asyncio.sleep(0.1)
    raise Refusal("in use by a server; expected a database that no server uses")


def one_line(error: BaseException) -> str:
    """What an error says, on one line: its kind, its code, and words without anybody's values.

    >>> one_line(ConnectionRefusedError(111, "Connect failed ('192.0.2.1', 5432)"))
    'ConnectionRefusedError: Connection refused'
    """
    kind = type(error).__name__
    if isinstance(error, asyncpg.PostgresError):
        code = str(error.sqlstate or "")
        kind, said = f"{kind} {code}".strip(), str(error.args[0] if error.args else "")
        if code.startswith(DATA):
            said = ""
        elif not code.startswith(STATEMENT):
            said = QUOTED.sub('"…"', said)
    elif isinstance(error, OSError) and not isinstance(error, gaierror):
        found = NUMBER.search(str(error))  # the text itself, with all addresses that were tried
        said = os.strerror(int(found[1])) if found else ""
    else:
        said = str(error)
    said = " ".join(said.split())
    return f"{kind}: {said}" if said else kind


class PostgresCopy:
    """One transaction in which a database is read or filled."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def fetch(self, sql: str, *values: object) -> Sequence[Any]:
        """The rows of a statement with `$1, $2` for its values."""
        return await self._connection.fetch(sql, *values)

    async def insert(self, table: str, columns: str, rows: list[tuple[Any, ...]]) -> None:
        """Add many rows; the columns are separated by blanks."""
        if rows:
            await self._connection.copy_records_to_table(
                table, records=rows, columns=columns.split()
            )


@dataclass(frozen=True, slots=True)
class PostgresDatabase:
    """A database to be copied from or to."""

    url: str

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[PostgresCopy]:
        """A consistent snapshot; servers may go on writing."""
        async with self._transaction() as connection:
            have, wanted = await version_of(connection), newest("postgres")
            if have != wanted:
                raise Refusal(f"the database has version {have}; expected {wanted}")
            yield PostgresCopy(connection)

    @asynccontextmanager
    async def filling(self) -> AsyncIterator[PostgresCopy]:
        """A transaction that is committed at the end, or never was."""
        await migrate(self.url, alone=True)
        async with self._transaction() as connection:
            await connection.execute("SELECT pg_advisory_xact_lock($1)", MIGRATION)
            await _refuse_beside_servers(connection)  # one that starts now waits for the end
            yield PostgresCopy(connection)

    @asynccontextmanager
    async def _transaction(self) -> AsyncIterator[Connection]:
        connection = await patiently(self.url)
        try:
            await be_durable(connection)
            async with connection.transaction(isolation="repeatable_read"):
                yield connection
        except Refusal as refusal:
            raise Refusal(f"{shown(self.url)}: {refusal}") from None
        except (*FAILED, ValueError) as error:
            raise Refusal(
                f"{shown(self.url)}: {one_line(error)}; expected a database that answers"
            ) from None
        finally:
            await connection.close(timeout=5)
