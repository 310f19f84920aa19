"""G1, G2 and G9: many players at once, how long they wait, and what they cost in memory.

Real processes on loopback. Latency is that of the service in turn with a bare echo of the same
library, over as many sockets and at the same rate; only the ratio counts. See `bench.service`,
which measures the same and more.
"""

import asyncio
import re
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import uvloop

from bench.filling import SEATS, Dealt, fill
from bench.hosts import ANSWER_WITHIN, Bare, Server
from bench.line import Line
from bench.service import (
    QUICK,
    Bench,
    Plan,
    latency,
    memory,
    more_files,
    players,
    quantile,
    spectators,
)
from bench.swarm import Slice, Stuck
from proof.outcome import Outcome

LEAST_RATE = 0.9
"""Share of the wanted rate that must be reached."""
GAMES = 1_000
LASTS = 40
"""Seconds after which a thousand games have too few moves left for 500 per second."""
HELD_FOR = 30.0
"""Seconds that sockets are held."""
HELD_RATE = 100.0
"""Moves per second meanwhile."""
HELD_MEMORY = 600.0
"""MiB that a server may have with 10,000 sockets at 2,500 games."""
CONNECTIONS = 2_000
"""Those that come and go in the short form."""
WARM = 5_000
"""Those of a long run after which memory is first read; of a short one half."""
CYCLE = 200
"""Connections that come and go at the same time."""
GROWTH = 1.02
"""How much larger a server may be after the later connections than after the first."""
SPARE = 1024.0
"""KiB that it may grow in any case, which is the grain of what is measured."""
FILES = 8
"""Files that a server may have more than before."""
SHORT = 1.5
"""Seconds of moves after which a planted bug has shown."""
PLAYED = 20
"""Tables that are played to their end."""
OVER = 61_000
"""Milliseconds after which a finished game takes no memory."""
GONE_WITHIN = 8.0


def run(folder: Path, count: int, seed: int, mutant: str = "") -> Outcome:
    """The short form on one server: caps with 2,000 connections, then so many rounds."""
    plan = replace(QUICK, repeats=count, seed=seed)
    return _measured(folder, plan, mutant, rounds=True, connections=CONNECTIONS)


def waits(
    folder: Path, count: int, seed: int, mutant: str = "", tables: int = QUICK.tables
) -> Outcome:
    """So many rounds of moves and echoes, 200 games of four, 100 moves per second.

    With a planted bug it is short, and at fewer tables more of their rounds end in that time.
    """
    plan = replace(QUICK, repeats=count, seed=seed)
    if mutant:
        plan = replace(plan, seconds=SHORT, tables=tables)
    return _measured(folder, plan, mutant, rounds=True)


def full(folder: Path, count: int, seed: int, mutant: str = "") -> Outcome:
    """The same with 1,000 games of four, 500 moves per second."""
    return _measured(folder, replace(Plan(), repeats=count, seed=seed), mutant, rounds=True)


def load(folder: Path, count: int, seed: int, mutant: str = "", tables: int = GAMES) -> Outcome:
    """1,000 games of four at 500 moves per second for `count` seconds, or as long as they last."""
    plan, slices = replace(Plan(), seed=seed, tables=tables), list[Slice]()

    async def moves(server: Server, tables: list[Dealt]) -> None:
        """New games every 40 seconds, before too few people are left to move."""
        for at in range(0, len(tables), plan.tables):
            crowd = await players(server, tables[at : at + plan.tables], seed)
            part = min(LASTS, count - LASTS * len(slices))
            slices.append(await crowd.run(plan.rate, seconds=part))
            await crowd.close()

    with ExitStack() as stack:
        server, dealt = _serving(stack, folder, plan.tables * -(-count // LASTS), mutant)
        try:
            uvloop.run(moves(server, dealt))
        except Stuck as stuck:
            return Outcome(0, (f"stuck: {stuck}",))
        reached = sum(each.answered for each in slices) / sum(each.seconds for each in slices)
        figures = {
            "moves per second": reached,
            "ms until acknowledged, p99": quantile([w for s in slices for w in s.waits], 0.99),
            "MB of memory": server.memory() / 1024,
        }
    return Outcome(count, tuple(_rate_faults(reached, plan.rate)), figures)


def hold(
    folder: Path, count: int, seed: int, mutant: str = "", seconds: float = HELD_FOR
) -> Outcome:
    """So many sockets at once, four for each game; some of them move, none is lost."""
    faults, figures = list[str](), dict[str, float]()

    async def holding(server: Server, tables: list[Dealt]) -> None:
        crowd = await players(server, tables, seed)
        begun = server.cpu()
        done = await crowd.run(HELD_RATE, seconds=seconds)
        megabytes = server.memory() / 1024
        if megabytes > HELD_MEMORY:
            faults.append(f"memory: {megabytes:.0f} MB; expected at most {HELD_MEMORY:g}")
        figures["sockets"] = len(crowd.sockets)
        figures["MB of memory"] = megabytes
        figures["% of a core"] = (server.cpu() - begun) / done.seconds * 100
        figures["moves per second"] = done.rate
        faults.extend(_rate_faults(done.rate, HELD_RATE))
        await crowd.close()

    with ExitStack() as stack:
        server, dealt = _serving(stack, folder, -(-count // SEATS), mutant)
        try:
            uvloop.run(holding(server, dealt))
        except Stuck as stuck:
            faults.append(f"stuck: {stuck}")
    return Outcome(int(figures.get("sockets", 0)), tuple(faults), figures)


def caps(folder: Path, count: int, seed: int, mutant: str = "") -> Outcome:
    """Memory of sockets and games, and so many connections that come and go; by the targets."""
    plan = replace(
        QUICK,
        seed=seed,
        tables=min(QUICK.tables, max(40, count // 10)),
        idle=min(QUICK.idle, max(200, count // 5)),
        idle_goal=Plan().idle_goal,
        table_goal=Plan().table_goal,
    )
    return _measured(folder, plan, mutant, connections=count)


def _measured(
    folder: Path, plan: Plan, mutant: str, *, rounds: bool = False, connections: int = 0
) -> Outcome:
    """Caps if there are connections, then latency if there are rounds."""
    faults: list[str] = []
    figures: dict[str, float] = {}

    async def whole(bench: Bench) -> None:
        if connections:
            await memory(bench)
            await _caps(bench, connections, faults, figures)
        if rounds:
            await latency(bench)

    with ExitStack() as stack:
        tables = plan.tables + (PLAYED if connections else 0)
        bench = _started(stack, folder, plan, tables, mutant)
        try:
            uvloop.run(whole(bench))
        except Stuck as stuck:
            return Outcome(0, (*faults, f"stuck: {stuck}"))
    judged, lines = _judged(bench.lines)
    faults += _rate_faults(lines.get("latency: moves per second", plan.rate), plan.slice_rate)
    done = plan.repeats if rounds else connections
    return Outcome(done, (*judged, *faults), lines | figures)


def _rate_faults(reached: float, wanted: float) -> Iterator[str]:
    if reached < LEAST_RATE * wanted:
        yield f"only {reached:.0f} moves per second; expected {wanted:.0f}"


def _serving(
    stack: ExitStack, folder: Path, tables: int, mutant: str
) -> tuple[Server, list[Dealt]]:
    """A server with tables to play at."""
    stack.enter_context(more_files())
    dealt = uvloop.run(fill(folder / "games.db", tables))
    server = stack.enter_context(Server(folder / "games.db", mutant=mutant))
    if not mutant:  # a planted bug shows also while the server reads ahead
        server.warm()
    return server, dealt


def _started(stack: ExitStack, folder: Path, plan: Plan, tables: int, mutant: str) -> Bench:
    """A server with tables to play at, and bare ones."""
    server, dealt = _serving(stack, folder, tables, mutant)
    echo = stack.enter_context(Bare("echo", folder))
    stored = stack.enter_context(Bare("stored", folder))
    return Bench(plan, server, echo, echo, stored, dealt)


def _judged(lines: list[Line]) -> tuple[list[str], dict[str, float]]:
    """What is beyond its goal, and every figure."""
    figures = {line.name: line.middle for line in lines}
    faults = [
        f"{line.name}: {line.middle:.2f}; expected at most {line.goal:g}"
        for line in lines
        if line.goal is not None and line.middle > line.goal
    ]
    return faults, figures


async def _caps(bench: Bench, count: int, faults: list[str], figures: dict[str, float]) -> None:
    """Games that are over leave nothing, nor do connections that come and go."""
    server = bench.server
    over, bench.tables = bench.tables[-PLAYED:], bench.tables[:-PLAYED]
    stay = await _finished(server, over, bench.plan.seed)
    if stay:
        faults.append(f"{stay} finished games are in memory after 60 s; expected 0")
    watched = bench.tables[0].table
    files, half = server.files(), min(WARM, count // 2)
    first = await _come_and_go(server, watched, half)
    second = await _come_and_go(server, watched, count - half)
    if second > max(GROWTH * first, first + SPARE):
        faults.append(
            f"{count - half} connections that came and went left {second - first:.0f} KiB; "
            f"expected at most {GROWTH - 1:.0%} of {first:.0f}"
        )
    if (more := server.files() - files) > FILES:
        faults.append(f"{more} files were left open; expected at most {FILES}")
    figures["MiB after all connections"] = second / 1024


async def _come_and_go(server: Server, table: str, count: int) -> float:
    """Resident KiB after so many connections were made and ended."""
    for at in range(0, count, CYCLE):
        crowd = await spectators(server, table, min(CYCLE, count - at))
        await crowd.close()
    await asyncio.sleep(0.5)
    return server.memory()


async def _finished(server: Server, tables: list[Dealt], seed: int) -> int:
    """How many tables stay in memory after their games were over for a minute."""
    before = await asyncio.to_thread(_loaded, server)
    crowd = await players(server, tables, seed)
    await crowd.run()
    await crowd.close()
    end = time.monotonic() + GONE_WITHIN
    while True:
        await asyncio.to_thread(_advance, server)
        await asyncio.sleep(0.2)
        left = await asyncio.to_thread(_loaded, server) - before
        if left <= 0 or time.monotonic() > end:
            return max(0, left)


def _loaded(server: Server) -> int:
    """Tables in memory, as the server counts them."""
    address = f"http://127.0.0.1:{server.port}/metrics"
    with urllib.request.urlopen(address, timeout=ANSWER_WITHIN) as answer:
        found = re.search(r"^sideboards_tables (\S+)$", answer.read().decode(), re.MULTILINE)
    return 0 if found is None else round(float(found[1]))


def _advance(server: Server) -> None:
    """Let a minute pass."""
    asked = urllib.request.Request(
        f"http://127.0.0.1:{server.port}/api/test/clock",
        data=b'{"advance":%d}' % OVER,
        headers={
            "Content-Type": "application/json",
            "Origin": f"http://127.0.0.1:{server.port}",
        },
    )
    urllib.request.urlopen(asked, timeout=ANSWER_WITHIN).close()  # noqa: S310 (our own server)
