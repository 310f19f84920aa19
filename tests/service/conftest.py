"""What the tests of the service share: a real PostgreSQL, a fresh database for each test."""

import asyncio
from collections.abc import Iterator
from itertools import count

import asyncpg
import pytest

from tests.service.live import Server, serving
from tests.service.postgres import PostgresServer

NUMBERS = count(1)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A real server process on a SQLite file, for the tests of one file."""
    with serving(tmp_path_factory.mktemp("server") / "a.db") as running:
        yield running


@pytest.fixture(scope="session")
def running_postgres() -> Iterator[PostgresServer]:
    """One server for all tests of this process that do not harm it."""
    server = PostgresServer(fsync=False)
    try:
        server.start()
        yield server
    finally:
        server.remove()


@pytest.fixture
def postgres_url(running_postgres: PostgresServer) -> Iterator[str]:
    """The address of a fresh, empty database."""
    name = f"test_{next(NUMBERS)}"
    _execute(running_postgres.url, f"CREATE DATABASE {name}")
    yield running_postgres.url.replace("/postgres", f"/{name}")
    _execute(running_postgres.url, f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def postgres_server() -> Iterator[PostgresServer]:
    """A running server for one test alone, which may kill it; with fsync, as people run it."""
    server = PostgresServer()
    try:
        server.start()
        yield server
    finally:
        server.remove()


def _execute(url: str, sql: str) -> None:
    async def run() -> None:
        connection = await asyncpg.connect(url)
        await connection.execute(sql)
        await connection.close()

    asyncio.run(run())
