"""The time that servers share goes on when the clock of their PostgreSQL database jumps."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from sideboards.service.log import RESTART_GRACE, Write
from sideboards.service.postgres_time import JUMP, monotonic
from sideboards.service.store_postgres import PostgresStore
from tests.service.stores import made, run, set_clock

pytestmark = pytest.mark.long

DAYS = 4 * 86_400_000
HOUR = 3_600_000


@asynccontextmanager
async def servers(url: str, count: int) -> AsyncIterator[list[PostgresStore]]:
    """The stores of so many servers that have begun to work, one after the other."""
    stores = [PostgresStore(url) for _ in range(count)]
    try:
        for number, store in enumerate(stores):
            await store.open()
            await store.resume(f"server {number}")
        yield stores
    finally:
        for store in stores:
            await store.close()


def goes_on(before: int, time: int) -> bool:
    """Whether a time may be that of a moment later; a correction is exact to some milliseconds."""
    return abs(time - before) < JUMP


async def correction(store: PostgresStore) -> int:
    """What is added to the database's clock."""
    row = await store._pool.fetchrow("SELECT value FROM settings WHERE name = 'clock'")
    return int(row["value"]) if row else 0


@pytest.mark.parametrize("jump", [DAYS, -DAYS])
def test_a_jump_moves_no_deadline_and_no_event(postgres_url: str, jump: int) -> None:
    async def body() -> None:
        async with servers(postgres_url, 1) as (store,):
            before = await made(store, "T1", due_after=60_000)
            due = await store.due("T1")
            await set_clock(store, jump)
            moved = await store.append(Write("T1", 1, 0, "swap"))  # before anybody has looked
            after = await made(store, "T2", due_after=60_000)
            times = (moved, after, await store.now())
            assert all(goes_on(before, time) for time in times), (before, times)
            assert await store.due("T1") == due == before + 60_000
            assert await store.due("T2") == after + 60_000
            await store.add_transfer(b"code", "nobody", after)
            assert abs(await correction(store) + jump) < 1000

    run(body())


@pytest.mark.parametrize("first", ["now", "beat", "append"])
def test_servers_that_see_the_same_jump_correct_it_once(postgres_url: str, first: str) -> None:
    async def body() -> None:
        async with servers(postgres_url, 3) as stores:
            before = await made(stores[0], "T1")
            for again in (1, 2):
                await set_clock(stores[0], again * DAYS)
                if first == "now":
                    times = await asyncio.gather(*(store.now() for store in stores))
                elif first == "append":
                    times = await asyncio.gather(
                        *(made(store, f"T{again}{n}") for n, store in enumerate(stores))
                    )
                else:
                    await asyncio.gather(
                        *(store.beat(f"server {n}") for n, store in enumerate(stores))
                    )
                    times = [await store.now() for store in stores]
                assert all(goes_on(before, time) for time in times), (before, times)
                assert abs(await correction(stores[0]) + again * DAYS) < 1000

    run(body())


def test_a_server_that_stood_still_takes_the_time_of_the_others(postgres_url: str) -> None:
    async def body() -> None:
        async with servers(postgres_url, 2) as (awake, asleep):
            before = await made(awake, "T1")
            assert asleep._time._ahead is not None
            asleep._time._ahead -= HOUR  # as if its machine had slept for so long
            assert goes_on(before, await asleep.append(Write("T1", 1, 0, "swap")))
            await awake.beat("server 0")
            assert goes_on(before, await asleep.now())
            assert await correction(awake) == 0

    run(body())


def test_who_comes_after_a_jump_has_the_same_time(postgres_url: str) -> None:
    async def body() -> None:
        async with servers(postgres_url, 1) as (one,):
            before = await made(one, "T1", due_after=60_000)
            await set_clock(one, DAYS)
            await one.beat("server 0")
            two = PostgresStore(postgres_url)
            await two.open()
            assert await two.resume("later") == 0, "one is alive"
            assert goes_on(before, await made(two, "T2"))
            assert goes_on(before, await one.now())
            await two.close()

    run(body())


def test_a_first_server_goes_by_the_clock_again(postgres_url: str) -> None:
    async def body() -> None:
        async with servers(postgres_url, 1) as (store,):
            await made(store, "T1", due_after=60_000)
            await set_clock(store, DAYS)
            before = await store.now()
            await store.leave("server 0")
        async with servers(postgres_url, 1) as (store,):
            assert await correction(store) == 0
            now, due = await store.now(), await store.due("T1")
            assert DAYS - JUMP < now - before < DAYS + JUMP
            assert due is not None
            assert 60_000 - JUMP < due - now < 60_000 + RESTART_GRACE

    run(body())


def test_an_answer_that_takes_long_is_no_jump(postgres_url: str) -> None:
    async def body() -> None:
        async with servers(postgres_url, 1) as (store,):
            before = await store.now()
            time = store._time
            begun = monotonic() - 2 * JUMP
            assert not time.is_expected(before - 3 * JUMP, begun)
            assert time.is_expected(before - JUMP, begun)
            expected = time.expected()
            assert expected is not None
            assert goes_on(before, expected), "nobody goes by a late answer"

    run(body())
