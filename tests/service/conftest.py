"""What the tests of the service share: a real PostgreSQL, a fresh database for each test."""

from collections.abc import Iterator

import pytest

from tests.service.live import Server, serving
from tests.service.postgres import PostgresServer, database


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A real server process on a SQLite file, for all tests of this process."""
    with serving(tmp_path_factory.mktemp("server") / "a.db", compiled=False) as running:
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
    with database(running_postgres) as url:
        yield url


@pytest.fixture
def postgres_server() -> Iterator[PostgresServer]:
    """A running server for one test alone, which may kill it; with fsync, as people run it."""
    server = PostgresServer()
    try:
        server.start()
        yield server
    finally:
        server.remove()
