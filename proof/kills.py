"""Goal: a server that is killed at any moment loses, doubles and changes nothing.

Twenty games of two to four people on one SQLite file; the process is killed at random instants
and started again, everybody comes back and asks again for what was not answered.
"""

import asyncio
import sqlite3
import time
from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from random import Random
from statistics import median

from proof.history import History, Stored, judge
from proof.outcome import Outcome
from proof.prepared import NOTHING
from proof.witness import Crowd
from sideboards.core.game import LAST_ROUND
from sideboards.data import load_edition
from sideboards.service.log import Event
from sideboards.service.room import Room
from sideboards.service.wire import Showing
from tests.service.live import Server
from tests.service.live import run as complete

GAMES = 20
BACK = 20.0
"""Seconds in which everybody must be back after a restart; a bound, not a goal."""
LAST = 150.0
"""Seconds in which all games must come to their end; a bound as well."""


def run(folder: Path, count: int, seed: int, mutant: str = "", games: int = GAMES) -> Outcome:
    """Kill a server `count` times under load."""
    path = folder / "kills.db"
    server = Server(path, mutant=mutant, program=NOTHING)
    try:
        work = _run(server, path, count, Random(seed), games=games, whole=not mutant)
        outcome, history = complete(work, LAST + 120 + 10 * count)
    finally:
        server.kill()
        wrote = server.failures()
    others = [*outcome.faults, *(f"the server wrote: {line}" for line in wrote[:5])]
    faults = judge(history, f"kills-{seed}", keep=not mutant, others=others)
    return replace(outcome, faults=faults)


async def _run(
    server: Server, path: Path, count: int, rng: Random, *, games: int, whole: bool
) -> tuple[Outcome, History]:
    """What happened; `whole`: the games are played to their end."""
    ready, first = list[float](), list[float]()
    await asyncio.to_thread(server.start)
    crowd = Crowd([server], rng)
    await crowd.sit_down([rng.randint(2, 4) for _ in range(games)])
    begun, doubts = time.monotonic(), 0
    async with crowd:
        for number in range(count):
            crowd.rounds = number * (LAST_ROUND + 1) // count
            await crowd.acks(2 * games, BACK)
            await asyncio.sleep(rng.uniform(0.0, 0.6))
            killed = time.monotonic()
            await asyncio.to_thread(server.kill)
            doubts += crowd.under_way
            await asyncio.to_thread(server.start)
            ready.append(time.monotonic() - killed)
            if not await crowd.acks(1, BACK):
                crowd.faults.append(f"after kill {number + 1} nothing was acknowledged")
            first.append(time.monotonic() - killed)
        await crowd.all_here(BACK)
        await crowd.acks(games, BACK)  # so that all that was sent again is answered
        if whole:
            await crowd.finish(LAST)
    lasted = time.monotonic() - begun
    await asyncio.to_thread(server.kill)
    history = crowd.history
    history.logs = stored(path, {person.table for person in crowd.people})
    faults = [
        *crowd.faults,
        *(ends(history) if whole else ()),
    ]
    figures = {
        "s until ready, median": median(ready),
        "s until ready, most": max(ready),
        "s until the first new ack, median": median(first),
        "s until the first new ack, most": max(first),
        "acknowledged": crowd.acked,
        "in doubt at a kill": doubts,
        "in doubt for ever": crowd.in_doubt,
        "views heard": len(history.heard),
        "s in all": lasted,
    }
    return Outcome(len(ready), tuple(faults), figures), history


def stored(path: Path, tables: Iterable[str]) -> dict[str, list[Stored]]:
    """The logs in a file, as they are there."""
    sql = "SELECT position, seat, action, key FROM events WHERE table_id = ? ORDER BY position"
    with closing(sqlite3.connect(path)) as file:
        (sound,) = file.execute("PRAGMA integrity_check").fetchone()
        if sound != "ok":
            raise AssertionError(f"the file is broken: {sound}")
        return {table: [Stored(*row) for row in file.execute(sql, (table,))] for table in tables}


def ends(history: History) -> list[str]:
    """Where the last view of a client is not what a replay of the stored log shows."""
    last = {(heard.table, heard.seat): heard for heard in history.heard}
    shows = {table: _showing(table, log) for table, log in history.logs.items()}
    return [
        f"changed after seen: {heard.client} ended with another view than the log gives"
        for heard in last.values()
        if shows[heard.table].shown(heard.seat, points=True).hash != heard.hash
    ]


def _showing(table: str, log: list[Stored]) -> Showing:
    """The pictures of a table after a replay of its whole log."""
    room = Room(table, load_edition())
    for event in log:
        room.apply(Event(event.position, event.seat, event.action, event.key, 0))
    if room.game is None:
        raise AssertionError(f"table {table} has no cards")
    return Showing(room.game, room.opening or room.game)
