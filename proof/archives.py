"""G11: how much longer people wait while a backup is made, beside how long they wait otherwise.

Games at full load, in turn without a backup and beside one after the other of a file with many
finished games. Only the ratio counts: all of it shares the cores of one machine.
"""

import asyncio
import statistics
import subprocess
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import uvloop

from bench.filling import Dealt, fill
from bench.hosts import Server
from bench.service import Plan, more_files, players, quantile
from bench.swarm import Crowd, Stuck
from proof.backups import command
from proof.outcome import Outcome

LONGER = 2.0
"""How many times as long the 99th percentile may be beside a backup."""
FINISHED = 20_000
"""Finished games in the file, so that a backup takes a while."""
PATIENCE = 120.0


@dataclass(frozen=True, slots=True)
class Size:
    """How much is played."""

    tables: int = Plan().tables
    rate: float = Plan().rate
    seconds: float = 3.0
    """The length of a slice of moves; two of them for each round."""
    finished: int = FINISHED
    warm: bool = True
    """Whether the server has read ahead before; what is short does not wait for that."""


def run(folder: Path, count: int, seed: int, mutant: str = "", size: Size | None = None) -> Outcome:
    """`count` rounds of moves without a backup and beside backups, in turn."""
    size = size or Size()
    file = folder / "archives.db"
    with ExitStack() as stack:
        stack.enter_context(more_files())
        dealt = uvloop.run(fill(file, size.tables, size.finished))
        server = stack.enter_context(Server(file))
        if size.warm:
            server.warm()
        archive = Archive(server, file, size, mutant)
        try:
            uvloop.run(archive.rounds(dealt, count, seed))
        except Stuck as stuck:
            return Outcome(0, (f"stuck: {stuck}",))
    ratio = statistics.median(archive.ratios)
    faults = [*archive.faults]
    if ratio > LONGER:
        faults.append(f"slow: {ratio:.1f} times as long beside a backup; expected {LONGER:g}")
    return Outcome(count, tuple(faults), archive.figures | {"p99 beside a backup, times": ratio})


class Archive:
    """A server that is played on, and the backups of its file."""

    def __init__(self, server: Server, file: Path, size: Size, mutant: str) -> None:
        self._server = server
        self._file = file
        self._size = size
        self._mutant = mutant
        self.ratios: list[float] = []
        self.faults: list[str] = []
        self.figures = {"backups": 0.0}

    async def rounds(self, dealt: list[Dealt], count: int, seed: int) -> None:
        """Everybody plays; a first slice only warms up."""
        size = self._size
        crowd = await players(self._server, dealt, seed)
        try:
            await crowd.run(size.rate, seconds=1)
            for _ in range(count):
                quiet = await self._slice(crowd)
                beside = await self._beside(crowd)
                self.ratios.append(beside / quiet)
                self.figures |= {"ms, p99": quiet, "ms beside a backup, p99": beside}
        finally:
            await crowd.close()

    async def _slice(self, crowd: Crowd) -> float:
        """The 99th percentile of some seconds of moves, in milliseconds."""
        done = await crowd.run(self._size.rate, seconds=self._size.seconds)
        return quantile(done.waits, 0.99)

    async def _beside(self, crowd: Crowd) -> float:
        """The same while one backup after the other is made."""
        over = asyncio.Event()
        copying = asyncio.ensure_future(self._copy_until(over))
        try:
            return await self._slice(crowd)
        finally:
            over.set()
            await asyncio.wait_for(copying, PATIENCE)

    async def _copy_until(self, over: asyncio.Event) -> None:
        dump = self._file.with_suffix(".dump")
        words = command(self._mutant, "backup", str(dump), "--database", str(self._file))
        while not over.is_set():
            process = await asyncio.create_subprocess_exec(*words, stdout=subprocess.DEVNULL)
            if await process.wait():
                self.faults.append("backup: a backup failed")
            self.figures["backups"] += 1
            dump.unlink(missing_ok=True)
