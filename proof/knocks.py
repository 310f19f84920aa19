"""Goal: however many connections strangers open, the games that run go on (row 32).

Another process opens up to 5,000 per second and says half a request on each, in turn with as long
a time of quiet. People play all the while. Nothing of theirs is lost, refused or late; how much
longer they wait is told as a ratio, the slowest of a hundred moves beside the same in quiet.
"""

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import median

from proof.held import held
from proof.history import LATER, History, Operation, judge
from proof.kills import stored
from proof.outcome import Outcome
from proof.prepared import NOTHING
from proof.visits import WITHIN
from proof.witness import Crowd
from tests.service.live import Server, playing
from tests.service.live import run as complete

RATE = 5_000.0
"""Connections that are to be opened per second."""
TABLES = (2, 2, 2, 2, 2, 2)
SECONDS = 2.0
"""How long it is quiet, and how long strangers knock, in turn."""
PATIENCE = 20.0


@dataclass(slots=True)
class Times:
    """When it was quiet and when not, and how many connections were opened."""

    quiet: list[tuple[float, float]] = field(default_factory=list)
    loud: list[tuple[float, float]] = field(default_factory=list)
    opened: list[int] = field(default_factory=list)
    lag: float = 0.0
    """The longest time that this process itself was kept waiting."""
    kept: list[tuple[float, float]] = field(default_factory=list)
    """Moments, and how long both processes were kept from a core until then."""

    def held(self, begin: float, end: float) -> float:
        """Seconds for which they were kept from a core between two moments."""
        inside = [held for at, held in self.kept if begin <= at <= end]
        return inside[-1] - inside[0] if inside else 0.0


def run(folder: Path, count: int, seed: int, mutant: str = "") -> Outcome:
    """Open `count` connections, or as many as this machine can in the time of so many."""
    path, times = folder / "knocks.db", Times()
    rounds = max(1, round(count / (RATE * SECONDS)))
    seconds = min(SECONDS, count / RATE)
    server = Server(path, mutant=mutant, program=NOTHING)
    try:
        server.start()
        work = _run(server, Random(seed), times, rounds, seconds)
        crowd = complete(work, 60 + 4 * rounds * SECONDS)
    finally:
        server.kill()
        wrote = server.failures()
    crowd.history.logs = stored(path, {person.table for person in crowd.people})
    others = [
        *crowd.faults,
        *_faults(crowd.history, times),
        *(f"the server wrote: {line}" for line in wrote[:5]),
    ]
    faults = judge(crowd.history, f"knocks-{seed}", keep=not mutant, others=others)
    return Outcome(sum(times.opened), faults, _figures(crowd.history, times, seconds))


async def _run(server: Server, rng: Random, times: Times, rounds: int, seconds: float) -> Crowd:
    """Quiet and strangers in turn; at the end everybody is still there, and a table can be made."""
    crowd = Crowd([server], rng, pause=(0.02, 0.15))
    await crowd.sit_down(TABLES)
    async with crowd, _watching(times, server.pid):
        await crowd.all_here(PATIENCE)
        for number in range(rounds):
            crowd.rounds = number * 6 // rounds  # so that rounds close under way
            begun = time.monotonic()
            await asyncio.sleep(seconds)
            times.quiet.append((begun, time.monotonic()))
            begun = time.monotonic()
            times.opened.append(await _knock(server.port, seconds))
            times.loud.append((begun, time.monotonic()))
        if not await crowd.acks(len(crowd.people) // 2, PATIENCE / 2):
            crowd.faults.append("games do not go on after many connections")
    if not crowd.faults and not _faults(crowd.history, times):
        try:
            async with playing(server, 2):
                pass
        except (AssertionError, OSError, asyncio.IncompleteReadError) as error:
            crowd.faults.append(f"nobody new can play after many connections: {error!r:.200}")
    return crowd


async def _knock(port: int, seconds: float) -> int:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "proof.knocker", str(port), str(RATE), str(seconds),
        stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        async with asyncio.timeout(PATIENCE + seconds):
            said, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
    return int(said)


@asynccontextmanager
async def _watching(times: Times, process: int) -> AsyncIterator[None]:
    """Measure how long this process itself is kept waiting: by that much answers may be late."""

    async def watch() -> None:
        while True:
            begun = time.monotonic()
            await asyncio.sleep(0.01)
            times.lag = max(times.lag, time.monotonic() - begun - 0.01)
            times.kept.append((time.monotonic(), held(process)))

    watcher = asyncio.ensure_future(watch())
    try:
        yield
    finally:
        watcher.cancel()


# ---- judging -----------------------------------------------------------------------------------


def _faults(history: History, times: Times) -> list[str]:
    """Moves that were refused for lack of time, and those that took too long."""
    faults = list[str]()
    bound, last = WITHIN + times.lag, times.loud[-1][1]
    for operation in history.operations:
        faults += [
            f"refused: {operation} was answered {answer.code} while strangers knocked"
            for answer in operation.answers
            if answer.code in LATER
        ]
        took = _waited(operation, last)
        if took > bound and took > bound + times.held(operation.sent[0], operation.sent[0] + took):
            faults.append(f"late: {operation} took {took:.1f} s; own lag {times.lag:.1f} s")
    return faults[:10]


def _waited(operation: Operation, last: float) -> float:
    """Seconds until the first answer, or until the last knock."""
    until = operation.answers[0].at if operation.answers else last
    return until - operation.sent[0] if operation.sent else 0.0


def _figures(history: History, times: Times, seconds: float) -> dict[str, float]:
    def slow(spans: Sequence[tuple[float, float]]) -> float:
        waits = sorted(
            _waited(each, end)
            for begin, end in spans
            for each in history.operations
            if each.sent and each.answers and begin <= each.sent[0] < end
        )
        return waits[len(waits) * 99 // 100] if waits else 0.0

    pairs = [
        (slow([quiet]), slow([loud])) for quiet, loud in zip(times.quiet, times.loud, strict=True)
    ]
    return {
        "connections per s, median": round(median(times.opened) / seconds),
        "connections per s, most": round(max(times.opened) / seconds),
        "ms until a move is stored, p99, quiet": round(1000 * slow(times.quiet), 1),
        "ms until a move is stored, p99, knocking": round(1000 * slow(times.loud), 1),
        "ratio of p99, median": round(
            median(loud / quiet for quiet, loud in pairs if quiet) if pairs else 0.0, 2
        ),
        "moves": sum(bool(each.answers) for each in history.operations),
        "s of own lag": round(times.lag, 3),
    }
