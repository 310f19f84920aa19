"""Row 39: a disk that is full, or fails, while people play: nothing is told that is not stored.

Either a small disk in memory is full (where mounting is allowed), or the system does not let the
server's files grow, which SQLite takes for an error of the disk. In both cases people hear that
nothing can be saved now, keep their connections, and play on by themselves once there is space.
"""

import asyncio
import resource
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from random import Random

from proof.history import judge
from proof.kills import ends, stored
from proof.outcome import Outcome
from proof.prepared import NOTHING
from proof.witness import Crowd
from sideboards.core.game import LAST_ROUND
from tests.service.live import Server, ask
from tests.service.live import run as complete

TABLES = (2, 3, 2, 4)
BUSY = 12
"""Actions that are acknowledged before the disk is full."""
FULL = 0.7
"""Seconds for which it is so at least."""
FLOWS = 5.0
"""Seconds after which moves must flow again."""
PATIENCE = 60.0
"""Seconds that anything may take; a bound, not a goal."""
SHORT = 1.0
"""Seconds in which people must have heard of it after a planted bug, with which they may not."""
SIZE = "size=4m"
PIECES = (2**16, 2**12)
"""Bytes that are written at a time until none fit in: first many, then a page."""


def run(folder: Path, count: int, seed: int, mutant: str = "") -> Outcome:
    """Let the disk of a server be full, or fail, `count` times while people play."""
    disk = folder / "disk"
    with small_disk(disk) as is_small:
        path = disk / "games.db"
        server = Server(path, mutant=mutant, program=NOTHING)
        crowd = Crowd([server], Random(seed))
        try:
            server.start()
            work = _run(crowd, path, count, is_small=is_small, whole=not mutant)
            outcome = complete(work, 3 * PATIENCE + 20 * count)
        finally:
            server.kill()
            wrote = server.failures()
        history = crowd.history
        history.logs = stored(path, {person.table for person in crowd.people})
    others = [
        *crowd.faults,
        *(() if mutant else ends(history)),
        *(f"the server wrote: {line}" for line in wrote[:5]),
    ]
    faults = judge(history, f"disks-{seed}", keep=not mutant, others=others)
    return replace(outcome, faults=faults)


async def _run(crowd: Crowd, path: Path, count: int, *, is_small: bool, whole: bool) -> Outcome:
    """People play, the disk is full now and then; `whole`: the games are played to their end."""
    back, refused, ways = list[float](), 0, {"full": 0, "failing": 0}
    heard, patience = (PATIENCE, 2 * FLOWS) if whole else (SHORT, FLOWS)
    await crowd.sit_down(TABLES)
    async with crowd:
        for number in range(count):
            crowd.rounds = 1 + number * LAST_ROUND // count
            await crowd.all_here(PATIENCE)
            await crowd.acks(BUSY, PATIENCE)
            way = "full" if is_small and number % 2 == 0 else "failing"
            ways[way] += 1
            lost, before = crowd.lost, unsaved(crowd)
            with full(path.parent) if way == "full" else failing(path, crowd.servers[0].pid):
                await _look(crowd, before, heard)
            refused += unsaved(crowd) - before
            back.append(await crowd.flows(crowd.servers, f"a {way} disk", FLOWS, patience))
            if crowd.lost > lost:
                crowd.faults.append(f"cut: {crowd.lost - lost} connections ended at a {way} disk")
        if whole:
            await crowd.finish(PATIENCE)
    figures = {
        "s until moves flow, most": max(back),
        "acknowledged": crowd.acked,
        "told that nothing can be saved": refused,
        **{f"times {way}": times for way, times in ways.items()},
    }
    return Outcome(count, tuple(crowd.faults), figures)


async def _look(crowd: Crowd, before: int, within: float) -> None:
    """While nothing can be saved, people hear that, and the server tells it to who looks after it.

    `before`: how often people had heard it up to now.
    """
    await asyncio.sleep(FULL)
    wanted = before + len(crowd.people) // 2
    if not await crowd.until(lambda: unsaved(crowd) >= wanted, within):
        crowd.faults.append("untold: people did not hear that nothing can be saved")
    for path, code in (("/health", 200), ("/ready", 503)):
        answer = await ask(crowd.servers[0], "GET", path, None)
        if answer.status_code != code:
            crowd.faults.append(f"{path}: answers {answer.status_code}; expected {code}")


def unsaved(crowd: Crowd) -> int:
    """How often people have heard that nothing can be saved."""
    answers = (answer for each in crowd.history.operations for answer in each.answers)
    return sum(answer.code == "cannot_save" for answer in answers)


# ---- disks --------------------------------------------------------------------------------------


@contextmanager
def small_disk(folder: Path) -> Iterator[bool]:
    """A folder that is a small disk in memory; whether it is, because not everybody may mount."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", SIZE, "tmpfs", str(folder)]
    unmount = ["umount", "--lazy", str(folder)]
    try:
        mounted = subprocess.run(mount, capture_output=True, check=False).returncode == 0
    except OSError:  # there is no such command
        mounted = False
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(unmount, check=True, timeout=30)


@contextmanager
def full(folder: Path) -> Iterator[None]:
    """A disk without any space."""
    ballast = folder / "ballast"
    try:
        with ballast.open("wb", buffering=0) as file:
            for size in PIECES:
                with suppress(OSError):
                    while file.write(bytes(size)) == size:
                        pass
        yield
    finally:
        ballast.unlink()


@contextmanager
def failing(path: Path, process: int) -> Iterator[None]:
    """A disk that takes nothing more of a server's log.

    Half of its size is the most that a file may have, so that no frame fits in behind the last
    stored one, while what the server writes about itself is far less.
    """
    limit = path.with_name(f"{path.name}-wal").stat().st_size // 2
    soft, hard = resource.prlimit(process, resource.RLIMIT_FSIZE)
    resource.prlimit(process, resource.RLIMIT_FSIZE, (limit, hard))
    try:
        yield
    finally:
        with suppress(ProcessLookupError):
            resource.prlimit(process, resource.RLIMIT_FSIZE, (soft, hard))
