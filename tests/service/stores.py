"""What the tests of both stores share: opened stores, bounded runs, plain rows."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, TypeVar

from sideboards.service.log import Guest, Row, Write
from sideboards.service.store import SqliteStore
from sideboards.service.store_postgres import PostgresStore

T = TypeVar("T")
AnyStore = SqliteStore | PostgresStore
Make = Callable[[], AnyStore]
LIMIT = 60
WAITING = Row(phase="waiting", public=True, code="", due_after=None, guests=(), summary="{}")
CLOCK = """
    CREATE OR REPLACE FUNCTION milliseconds() RETURNS bigint LANGUAGE sql VOLATILE AS
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint + {}'"""
"""The time of a PostgreSQL database, as its migration makes it, and something more."""
ANA = Guest("g-ana", "Ana", "pt")
BEN = Guest("g-ben", "Ben", "de")


def run(work: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine, which must not take for ever."""
    return asyncio.run(asyncio.wait_for(work, LIMIT))


@asynccontextmanager
async def opened(make: Make) -> AsyncIterator[AnyStore]:
    """An open store, closed afterwards."""
    store = make()
    await store.open()
    try:
        yield store
    finally:
        await store.close()


def contract(test: Callable[[AnyStore], Awaitable[None]]) -> Callable[[Make], None]:
    """A test of any store, from a test of an open one."""

    def wrapped(make: Make) -> None:
        async def body() -> None:
            async with opened(make) as store:
                await test(store)

        run(body())

    wrapped.__name__ = getattr(test, "__name__", "")
    return wrapped


def creation(table: str, **changes: Any) -> Write:  # noqa: ANN401 (fields of a Row)
    """The first event of a table."""
    return Write(table, 0, -1, "create", row=replace(WAITING, **changes))


async def made(store: AnyStore, table: str, **changes: Any) -> int:  # noqa: ANN401
    """Make a table; the time of its first event."""
    return await store.append(creation(table, **changes))


async def set_clock(store: PostgresStore, ahead: int) -> None:
    """Set the clock of a database ahead of this machine's, by milliseconds."""
    await store._pool.execute(CLOCK.format(ahead))


async def with_guests(store: AnyStore) -> None:
    """Store Ana and Ben."""
    await store.add_guest(ANA, b"ana's phone")
    await store.add_guest(BEN, b"ben's phone")
