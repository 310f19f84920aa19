"""The two servers of twin worlds: same ids, same secret, and a file of what bots are asked."""

import asyncio
import json
import shutil
import sqlite3
import sys
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import asyncpg

from proof.lines import HOST, STOPPED, Talk, content
from sideboards.service.log import Event
from sideboards.service.store import SqliteStore
from sideboards.service.store_postgres import PostgresStore
from tests.service.live import Server

EVENTS = "SELECT table_id, position, seat, action, key, at FROM events ORDER BY 1, 2"
STANDING = f"""CREATE OR REPLACE FUNCTION milliseconds() RETURNS bigint LANGUAGE sql AS
    'SELECT {STOPPED}::bigint'"""
"""The time of a PostgreSQL database, stopped."""


class Overheard(Server):
    """A server process that keeps what it asks its bots in a file."""

    def __init__(
        self, database: Path | str, overheard: Path, mutant: str, *options: str, coach: bool
    ) -> None:
        super().__init__(database, *options, mutant=mutant)
        serve = self._command.index("serve")
        program = [sys.executable, "-m", "proof.overheard", str(overheard), mutant or "none"]
        self._command = [*program, "coach" if coach else "none", *self._command[serve:]]


class Side:
    """One of the two worlds' servers, and the people in it."""

    def __init__(
        self, database: Path | str, overheard: Path, seed: int, mutant: str, *, coach: bool
    ) -> None:
        """`database` is a file, or the address of a PostgreSQL database whose time stands still."""
        self._database = database
        self.overheard = overheard
        self.overheard.touch()
        options = ("--seed", str(seed), "--origin", f"http://{HOST}")
        self._server = Overheard(database, self.overheard, mutant, *options, coach=coach)
        self.talk = Talk(0)
        self.guests: list[str] = []
        self.failures: list[str] = []

    async def start(self) -> None:
        """Start, and return when it is ready."""
        await asyncio.to_thread(self._server.start)
        self.port = self._server.port
        self.talk = Talk(self.port)

    def end(self) -> None:
        """End the process; what went wrong in it is kept."""
        self.talk.cut()
        self._server.kill()
        self.failures = self._server.failures()

    async def stop_clock(self) -> None:
        """Let no time pass any more."""
        if isinstance(self._database, Path):
            await self.ok("POST", "/api/test/clock", "", {"stop": STOPPED})

    async def ok(self, method: str, path: str, token: str, body: object = None) -> bytes:
        """The answer to a request that must be granted."""
        answer = await self.talk.ask(method, path, token, body)
        if not answer.startswith(b"HTTP/1.1 2"):
            raise ScriptError(f"{method} {path}: {answer!r}")
        return answer

    async def invite(self, count: int) -> None:
        """Let so many new guests come; those before are gone."""
        self.guests = []
        for number in range(count):
            wish = {"name": f"P{number}", "language": "en", "token": True}
            answer = await self.ok("POST", "/api/guests", "", wish)
            self.guests.append(json.loads(content(answer))["token"])

    async def logs(self) -> dict[str, list[Event]]:
        """The events of all tables, when the server has ended."""
        found: dict[str, list[Event]] = {}
        for table, *event in await self._rows():
            found.setdefault(str(table), []).append(Event(*event))
        return found

    async def _rows(self) -> Sequence[Iterable[Any]]:
        if isinstance(self._database, Path):
            with closing(sqlite3.connect(self._database)) as db:
                return db.execute(EVENTS).fetchall()
        connection = await asyncpg.connect(self._database)
        try:
            rows: Sequence[Iterable[Any]] = await connection.fetch(EVENTS)
            return rows
        finally:
            await connection.close()

    async def metrics(self) -> bytes:
        """The page of metrics."""
        return await self.talk.ask("GET", "/metrics")


class ScriptError(Exception):
    """The script could not be played as it was written."""


async def twin_databases(folder: Path) -> tuple[Path, Path]:
    """Two empty databases with one secret that signs tokens."""
    one, other = folder / "one.db", folder / "other.db"
    store = SqliteStore(one)
    await store.open()
    await store.secret()
    await store.close()
    shutil.copy(one, other)
    return one, other


async def twin_databases_at(address: str) -> tuple[str, str]:
    """The same on a PostgreSQL server, where time stands still."""
    one, other = (address.replace("/postgres", f"/{name}") for name in ("one", "other"))
    connection = await asyncpg.connect(address)
    try:
        await connection.execute("CREATE DATABASE one")
        store = PostgresStore(one)
        await store.open()
        await store.secret()
        await store.close()
        inside = await asyncpg.connect(one)
        await inside.execute(STANDING)
        await inside.close()
        await connection.execute("CREATE DATABASE other TEMPLATE one")
    finally:
        await connection.close()
    return one, other


async def start_sides(
    folder: Path, seed: int, mutant: str, *, coach: bool = False, postgres: str = ""
) -> list[Side]:
    """Two servers that will draw the same ids, and sign tokens with the same secret.

    `postgres` is the address of a PostgreSQL server for their databases; else they have files.
    """
    databases: list[Path | str] = []
    databases += await (twin_databases_at(postgres) if postgres else twin_databases(folder))
    sides = [
        Side(each, folder / f"{number}.asked", seed, mutant, coach=coach)
        for number, each in enumerate(databases)
    ]
    started = await asyncio.gather(*(side.start() for side in sides), return_exceptions=True)
    if failed := [error for error in started if isinstance(error, BaseException)]:
        for side in sides:
            side.end()
        raise failed[0]
    return sides
