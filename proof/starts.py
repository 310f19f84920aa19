"""G3: a server that was killed is ready again within two seconds, however much its file holds."""

import os
import signal
from itertools import islice
from pathlib import Path
from statistics import median

import uvloop

from bench.filling import Dealt, fill
from bench.hosts import Server
from bench.service import players
from proof.held import held
from proof.outcome import Outcome

LIVE = 1_000
FINISHED = 100_000
READY = 2.0
"""Seconds from the start of the process until it says that it is ready."""
PLAYED = 50
"""Tables at which somebody moves before each kill, others each time."""
RATE = 100.0


def run(
    folder: Path,
    count: int,
    seed: int,
    mutant: str = "",
    *,
    live: int = LIVE,
    finished: int = FINISHED,
) -> Outcome:
    """Start a server `count` times, each but the first after a kill under load."""
    file = folder / "starts.db"
    faults, took = list[str](), list[float]()
    tables = iter(uvloop.run(fill(file, live, finished)))
    played = min(PLAYED, live // count)
    for _ in range(count):
        waited = held()
        with Server(file, mutant=mutant) as server:
            late = held(server.pid) - waited
            took.append(server.started)
            if server.started > READY + late:
                faults.append(f"slow: ready after {server.started:.1f} s; expected {READY:g}")
            uvloop.run(_play(server, list(islice(tables, played)), seed))
            os.killpg(server.pid, signal.SIGKILL)  # a session of its own
    figures = {
        "s until ready, median": median(took),
        "s until ready, most": max(took),
        "MB of the file": file.stat().st_size / 1e6,
    }
    return Outcome(count, tuple(faults), figures)


async def _play(server: Server, tables: list[Dealt], seed: int) -> None:
    """Some people come, and move for a second."""
    crowd = await players(server, tables, seed)
    await crowd.run(RATE, seconds=1.0)
    await crowd.close()
