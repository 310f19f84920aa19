"""Rows 42 and 44: nobody runs out of time by a jump of the calendar, or while there is no server.

People play against the clock. Either the calendar of the server's machine jumps by an hour or a
day, or its time zone changes; or the server is killed, and a minute passes until it is back. (Its
file is made a minute older instead, which is the same to the server.) In both cases the time that
is left is that of before, and after it the clock still runs out.
"""

import asyncio
import sqlite3
import time
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from bench.filling import Dealt, fill
from proof.jumps import JUMPS, ZONE, jump
from proof.outcome import Outcome
from proof.prepared import NOTHING
from proof.stops import people
from tests.service.live import Player, Server, advance, serving
from tests.service.live import run as bounded

SEATS = 4
ROUND = 900
"""Seconds that a round has."""
LEFT = 40_000
"""Milliseconds that are left of them when the server is killed: less than it is gone."""
DOWN = 60_000
"""Milliseconds without a server."""
GRACE = 20_000
"""Milliseconds that everybody gets on top after that."""
QUIET = 0.3
"""Seconds in which somebody whose time is up would hear of it."""
ROUNDING = 50
"""Milliseconds that two clocks may differ over some seconds."""
LIMIT = 120.0
PROGRAM = ("proof.jumps",)


@dataclass(slots=True)
class Clocks:
    """Tables that are played against the clock, and what was found."""

    dealt: list[Dealt]
    faults: list[str] = field(default_factory=list)
    ran_out: int = 0
    """At how many tables time ran out when it should."""

    async def connected(self, server: Server) -> list[Player]:
        """One of each table."""
        players = people(server, [(each.table, each.tokens[:1]) for each in self.dealt])
        for player in players:
            await player.connect()
        return players

    def check_quiet(self, players: list[Player], after: str) -> None:
        """Nobody has run out of time."""
        late = sum(map(is_out_of_time, players))
        if late:
            self.faults.append(f"timeout: at {late} tables of {len(players)} after {after}")

    async def run_out(self, server: Server, players: list[Player]) -> None:
        """When it is time, time runs out."""
        await advance(server, max(player.left or 0 for player in players) + 1000)
        for player in players:
            try:
                await player.until(lambda p=player: is_out_of_time(p))  # type: ignore[misc] # a default
                self.ran_out += 1
            except TimeoutError:
                self.faults.append(f"stopped: the clock of table {player.table_id} never runs out")


def is_out_of_time(player: Player) -> bool:
    """Whether somebody has heard that time is up; that is told before anything is chosen."""
    return any(m["type"] == "notice" and m["code"] == "timeout" for m in player.messages)


async def left(player: Player) -> int:
    """The milliseconds that somebody is told to have left now."""
    before = len(player.messages)
    player.send(type="resync")
    await player.until(lambda: any(m["type"] == "view" for m in player.messages[before:]))
    return player.left or 0


# ---- the calendar jumps -----------------------------------------------------------------------


def jumps(folder: Path, count: int, seed: int, mutant: str = "") -> Outcome:  # noqa: ARG001 (no chance in it)
    """Let the calendar jump while `count` seats have to choose in time."""
    file = folder / "jumps.db"
    clocks = Clocks(asyncio.run(fill(file, -(-count // SEATS), round_seconds=ROUND)))
    with serving(file, mutant=mutant, program=PROGRAM, may_fail=bool(mutant)) as server:
        bounded(_jump(clocks, server), LIMIT)
    return _outcome(clocks)


async def _jump(clocks: Clocks, server: Server) -> None:
    players = await clocks.connected(server)
    for number in range(ZONE + 1):
        what = "a change of the time zone" if number == ZONE else f"a jump of {JUMPS[number]} s"
        begun = time.monotonic()
        before = [await left(player) for player in players]
        jump(server.pid, number)
        await asyncio.sleep(QUIET)
        await advance(server, 0)  # which looks for tables whose time is over
        for player, had in zip(players, before, strict=True):
            has = await left(player)
            passed = 1000 * (time.monotonic() - begun) + ROUNDING
            if not had - passed <= has <= had:
                clocks.faults.append(f"time: {had} ms were left, and {has} ms after {what}")
        clocks.check_quiet(players, what)
        if clocks.faults:
            return
    await clocks.run_out(server, players)


# ---- there is no server -----------------------------------------------------------------------


def downtime(folder: Path, count: int, seed: int, mutant: str = "") -> Outcome:  # noqa: ARG001 (no chance in it)
    """Kill a server for a minute while `count` seats have to choose in less time than that."""
    file = folder / "downtime.db"
    clocks = Clocks(asyncio.run(fill(file, -(-count // SEATS), round_seconds=ROUND)))
    with serving(file, mutant=mutant, program=NOTHING, may_fail=bool(mutant)) as server:
        spent, before = bounded(_spend(clocks, server), LIMIT)
        server.kill()
        _age(file, spent + DOWN)
        server.start()
        bounded(_back(clocks, before, server), LIMIT)
    return _outcome(clocks)


async def _spend(clocks: Clocks, server: Server) -> tuple[int, list[int]]:
    """Let time pass until little is left; the milliseconds, and what everybody then has."""
    players = await clocks.connected(server)
    spent = min([await left(player) for player in players]) - LEFT
    await advance(server, spent)
    await asyncio.sleep(QUIET)  # so that the server has told its file of the new time
    return spent, [await left(player) for player in players]


def _age(file: Path, milliseconds: int) -> None:
    """Make a file older: by the time without a server, and by that which it was ahead."""
    with closing(sqlite3.connect(file)) as db, db:
        db.execute("UPDATE servers SET beat = beat - ?", (milliseconds,))
        db.execute("UPDATE tables SET due = due - ? WHERE due IS NOT NULL", (milliseconds,))


async def _back(clocks: Clocks, before: list[int], server: Server) -> None:
    """Everybody has at least the time of before, and soon nobody's time is over."""
    players = await clocks.connected(server)
    for player, had in zip(players, before, strict=True):
        has = await left(player)
        if has < had:
            clocks.faults.append(f"time: {had} ms were left before the kill, and {has} ms after it")
    await advance(server, GRACE // 2)
    await asyncio.sleep(QUIET)
    clocks.check_quiet(players, f"{DOWN // 1000} s without a server")
    if not clocks.faults:
        await clocks.run_out(server, players)


def _outcome(clocks: Clocks) -> Outcome:
    seats = SEATS * len(clocks.dealt)
    return Outcome(seats, tuple(clocks.faults), {"clocks that ran out in time": clocks.ran_out})
