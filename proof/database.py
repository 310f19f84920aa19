"""Goal: a PostgreSQL that dies, stops or cannot be reached loses, doubles and forks nothing.

Either the database itself is killed and stopped under load; or two servers share it, each over a
line of its own that is cut, or holds back what is sent, while people come and go between them. The
servers know of each other through the database alone: who is cut from it is cut from the other.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from random import Random
from statistics import median
from typing import Any, Literal
from urllib.parse import urlsplit

from proof.history import History, judge
from proof.kills import ends
from proof.logs import stored_in
from proof.outcome import Outcome
from proof.prepared import NOTHING
from proof.proxy import Proxy
from proof.witness import Crowd
from sideboards.core.game import LAST_ROUND
from sideboards.service.postgres_database import COMMIT_LIMIT
from tests.service.live import Server
from tests.service.live import run as complete
from tests.service.postgres import PostgresServer

TABLES = (2, 3, 4, 3, 2, 4)
BUSY = 15
"""Actions that are acknowledged before the next thing goes wrong."""
PATIENCE = 80.0
"""Seconds that anything may take; a bound, not a goal."""
SHORT = 3.0
"""The same after a planted bug, with which nothing may work any more."""
FLOWS = 5.0
"""Seconds after which moves must flow again."""
STOPPED = 3.0
"""Seconds for which the database is stopped in the short form."""
PAUSE = 30.0
"""The same in a soak."""
APART = 10.0
"""Seconds that some of the cuts last in a soak."""
LONG_EVERY = 5
"""One in so many."""
Way = Literal["cut", "hold", "lose"]
WAYS: tuple[Way, ...] = ("cut", "hold", "cut", "hold", "cut", "hold", "cut", "lose")
"""What happens to a line, in turn. What is lost is noticed only when the commit takes too long."""
Result = tuple[Outcome, History]


def run(
    folder: Path,  # noqa: ARG001 (the database has a folder of its own)
    count: int,
    seed: int,
    mutant: str = "",
    stopped: float = STOPPED,
) -> Outcome:
    """Kill a database `count` times under load, and stop it once for some seconds."""

    async def work(postgres: PostgresServer) -> Result:
        return await _kill(postgres, count, Random(seed), mutant, stopped)

    limit = 180 + 20 * count + stopped
    return _judged(PostgresServer(), work, limit, f"database-{seed}", keep=not mutant)


def pauses(
    folder: Path,  # noqa: ARG001 (as above)
    count: int,
    seed: int,
    mutant: str = "",
    seconds: float = PAUSE,
) -> Outcome:
    """Stop a database under load `count` times, each for so many seconds."""

    async def work(postgres: PostgresServer) -> Result:
        return await _pause(postgres, count, Random(seed), mutant, seconds)

    limit = 180 + (20 + seconds) * count
    return _judged(PostgresServer(), work, limit, f"pauses-{seed}", keep=not mutant)


def long_cuts(folder: Path, count: int, seed: int) -> Outcome:
    """The same as `cuts`, and the first of every five lasts for ten seconds."""
    return cuts(folder, count, seed, long=True)


def cuts(
    folder: Path,  # noqa: ARG001 (as above)
    count: int,
    seed: int,
    mutant: str = "",
    *,
    long: bool = False,
) -> Outcome:
    """Cut two servers from their database, and so from each other, `count` times."""

    async def work(postgres: PostgresServer) -> Result:
        return await _cut(postgres.url, count, Random(seed), mutant, long=long)

    quick = PostgresServer(fsync=False)
    return _judged(quick, work, 180 + 30 * count, f"apart-{seed}", keep=not mutant)


def _judged(
    postgres: PostgresServer,
    work: Callable[[PostgresServer], Coroutine[Any, Any, Result]],
    limit: float,
    name: str,
    *,
    keep: bool,
) -> Outcome:
    """What comes of something that is done to a database of its own, and all faults of that."""
    try:
        postgres.start()
        outcome, history = complete(work(postgres), limit)
    finally:
        postgres.remove()
    return replace(outcome, faults=judge(history, name, keep=keep, others=outcome.faults))


# ---- the database dies ------------------------------------------------------------------------


async def _kill(
    postgres: PostgresServer, count: int, rng: Random, mutant: str, stopped: float
) -> Result:
    back, doubts, whole = list[float](), 0, not mutant
    async with _playing([postgres.url], rng, mutant) as crowd:
        for number in range(count):
            crowd.rounds = number * (LAST_ROUND + 1) // count
            await crowd.acks(BUSY, PATIENCE)
            await asyncio.sleep(rng.uniform(0.0, 0.5))
            await asyncio.to_thread(postgres.kill)
            doubts += crowd.under_way
            await asyncio.sleep(rng.uniform(0.0, 1.5))
            await asyncio.to_thread(postgres.start)
            back.append(await crowd.flows(crowd.servers, f"kill {number + 1}", FLOWS, PATIENCE))
        await crowd.acks(BUSY, PATIENCE if whole else SHORT)
        if whole:
            back.append(await _stop(postgres, crowd, stopped))
            await crowd.finish(PATIENCE)
    await _take_logs(crowd, postgres.url, whole=whole)
    figures = {
        "s until moves flow, median": median(back),
        "s until moves flow, most": max(back),
        "acknowledged": crowd.acked,
        "in doubt at a kill": doubts,
        "in doubt for ever": crowd.in_doubt,
        "told that it takes longer": crowd.pending,
    }
    return Outcome(count, tuple(crowd.faults), figures), crowd.history


async def _pause(
    postgres: PostgresServer, count: int, rng: Random, mutant: str, seconds: float
) -> Result:
    back, whole = list[float](), not mutant
    async with _playing([postgres.url], rng, mutant) as crowd:
        for number in range(count):
            crowd.rounds = number * (LAST_ROUND + 1) // count
            await crowd.acks(BUSY, PATIENCE)
            back.append(await _stop(postgres, crowd, seconds))
        if whole:
            await crowd.finish(PATIENCE)
    await _take_logs(crowd, postgres.url, whole=whole)
    figures = {
        "s until moves flow, median": median(back),
        "s until moves flow, most": max(back),
        "acknowledged": crowd.acked,
        "told that it takes longer": crowd.pending,
        "in doubt for ever": crowd.in_doubt,
    }
    return Outcome(count, tuple(crowd.faults), figures), crowd.history


async def _stop(postgres: PostgresServer, crowd: Crowd, seconds: float) -> float:
    """Stop the database for a while: whoever asks hears that it takes longer."""
    before = crowd.pending
    postgres.pause()
    try:
        await asyncio.sleep(seconds)
    finally:
        postgres.pause(go_on=True)
    if crowd.pending == before:
        crowd.faults.append("while the database was stopped, nobody heard that it takes longer")
    return await crowd.flows(crowd.servers, "the stop", FLOWS, PATIENCE)


# ---- two servers are cut from it --------------------------------------------------------------


async def _cut(url: str, count: int, rng: Random, mutant: str, *, long: bool) -> Result:
    back, whole, most = list[float](), not mutant, 0.0
    port = urlsplit(url).port or 0
    async with Proxy(port) as one, Proxy(port) as other:
        lines = [one, other]
        urls = [url.replace(f":{port}/", f":{line.port}/") for line in lines]
        async with _playing(urls, rng, mutant) as crowd:
            for number in range(count):
                crowd.rounds = number * (LAST_ROUND + 1) // count
                await crowd.acks(BUSY, PATIENCE)
                which = [[0], [1], [0, 1]][number % 3]
                way = WAYS[number % len(WAYS)]
                apart = APART if long and number % LONG_EVERY == 0 else rng.uniform(0.6, 2.0)
                most = max(most, apart)
                async with _broken([lines[n] for n in which], way):
                    for _ in range(2):
                        await asyncio.sleep(apart / 2)
                        crowd.scatter()
                within = FLOWS + (COMMIT_LIMIT if way == "lose" else 0.0)
                cut_off, what = [crowd.servers[n] for n in which], f"{way} {number + 1}"
                back.append(await crowd.flows(cut_off, what, within, PATIENCE))
            await crowd.acks(BUSY, PATIENCE if whole else SHORT)
            if whole:
                await crowd.finish(PATIENCE)
    await _take_logs(crowd, url, whole=whole)
    figures = {
        "s until moves flow, median": median(back),
        "s until moves flow, most": max(back),
        "s that a cut lasted, most": most,
        "acknowledged by one": crowd.acked_by[0],
        "acknowledged by the other": crowd.acked_by[1],
        "in doubt for ever": crowd.in_doubt,
    }
    return Outcome(count, tuple(crowd.faults), figures), crowd.history


@asynccontextmanager
async def _broken(lines: list[Proxy], way: Way) -> AsyncIterator[None]:
    """Nothing gets through for a while; what is lost stays so until both sides notice it."""
    for line in lines:
        if way == "cut":
            line.refuse()
            line.cut()
        else:
            line.stall(keep=way == "hold")
    yield
    for line in lines:
        line.mend()
        line.heal()


# ---- both -------------------------------------------------------------------------------------


@asynccontextmanager
async def _playing(urls: Sequence[str], rng: Random, mutant: str) -> AsyncIterator[Crowd]:
    """Everybody at their tables, on one server for each address of the database."""
    servers = [Server(url, mutant=mutant, program=NOTHING) for url in urls]
    crowd = Crowd(servers, rng)
    try:
        for server in servers:
            await asyncio.to_thread(server.start)
        await crowd.sit_down(TABLES[:4] if mutant else TABLES)
        async with crowd:
            yield crowd
    finally:
        for server in servers:
            await asyncio.to_thread(server.kill)
            crowd.faults += [f"a server wrote: {line}" for line in server.failures()[:5]]


async def _take_logs(crowd: Crowd, url: str, *, whole: bool) -> None:
    """Read what is stored; where the games are over, everybody must have seen just that."""
    logs = await stored_in(url)
    tables = {person.table for person in crowd.people}
    crowd.history.logs = {table: logs.get(table, []) for table in tables}
    if whole:
        crowd.faults += ends(crowd.history)
