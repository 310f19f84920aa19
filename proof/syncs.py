"""Goal: an acknowledgement leaves only after the disk has said that it keeps what it is about.

A kill cannot show a missing sync, since the system still has what the process wrote; a trace of the
system calls can. For every `ack` that leaves a socket, the pages of its commit must have been
written to SQLite's log, and that must have been synced since, with success. The same trace tells
what a disk would have kept if the power had failed at some moment (`proof.power`).
"""

import asyncio
import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import psutil

from proof.outcome import Outcome
from proof.power import WAYS, lose
from proof.traces import LOG, RING, TRACE, Call, calls
from proof.witness import Crowd
from tests.service.live import Server
from tests.service.live import run as complete
from tests.tools import found, missing

TABLES = (3, 3, 3, 3)
ACK = re.compile(rb'"type":"ack","key":"([^"]+)"')
HEADER, COMMIT = 24, slice(4, 8)
"""The length of a frame's header in SQLite's log; where it tells that a commit ends with it."""
LOSSES = 50
"""Times that the power fails at least; in more acknowledgements more often."""
PATIENCE = 120.0


def run(folder: Path, count: int, seed: int, mutant: str = "", *, ring: bool = True) -> Outcome:
    """Trace a server until `count` actions are acknowledged; then let the power fail in it.

    Without a `ring` a thread syncs, as on a system that has none.
    """
    if (reason := cannot_trace(folder)) is not None:
        return Outcome(0, (reason,))
    trace = folder / "trace"
    file, program = folder / "syncs.db", ("proof.power", mutant or WAYS[ring])
    server = Server(file, under=(*TRACE, str(trace)), program=program)
    try:
        faults = complete(_play(server, count, Random(seed)), 2 * PATIENCE)
    finally:
        server.kill()
        wrote = server.failures()
    faults += [f"the server wrote: {line}" for line in wrote[:5]]
    with trace.open(encoding="ascii", errors="replace") as lines:
        traced = calls(lines)
    trace.unlink()
    outcome = judge(traced)
    lost = lose(traced, file, [*_acks(traced)], max(LOSSES, count // 5), seed, keep=not mutant)
    if outcome.done < count:
        faults.append(f"{outcome.done} acknowledgements are in the trace; expected {count}")
    faults = [*outcome.faults, *lost.faults, *faults]
    return replace(outcome, faults=tuple(faults), figures={**outcome.figures, **lost.figures})


def cannot_trace(folder: Path) -> str | None:
    """Why no process can be traced here; None if one can."""
    if found("strace") is None:
        return missing("strace")
    probe = subprocess.run(
        [*TRACE, str(folder / "probe"), "true"],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    if probe.returncode == 0:
        return None
    said = " ".join(probe.stderr.split())
    return f"strace cannot trace here ({said}); expected a machine that allows ptrace"


async def _play(server: Server, count: int, rng: Random) -> list[str]:
    """Play until enough is acknowledged, then stop the server in good order; what went wrong."""
    await asyncio.to_thread(server.start)
    crowd = Crowd([server], rng, pause=(0.05, 0.25))
    await crowd.sit_down(TABLES)
    crowd.rounds = 4
    async with crowd:
        await crowd.acks(count, PATIENCE)
    for child in psutil.Process(server.pid).children():
        child.terminate()  # then the one who traces it writes down the rest, and ends
    await server.ended(PATIENCE / 2)
    return crowd.faults


def judge(trace: Sequence[Call]) -> Outcome:
    """How many acknowledgements there are, and which of them left too early."""
    writes = [call for call in trace if call.file.endswith(LOG) and not call.is_sync]
    syncs = [call for call in trace if call.file.endswith(LOG) and call.is_sync]
    faults, done = list[str](), 0
    for key, sent in _acks(trace):
        done += 1
        written = _end_of_commit(key, writes)
        synced = [
            sync.ended
            for sync in syncs
            if written is not None and sync.begun > written and sync.result == 0 and sync.ended
        ]
        name = key.decode()
        if written is None or written > sent:
            faults.append(f"acknowledged before it was written: {name}")
        elif not synced or min(synced) > sent:
            faults.append(f"acknowledged before it was synced: {name}")
    figures = {
        "acknowledgements": done,
        "syncs of the log": len(syncs),
        "syncs through a ring": sum(sync.name == RING for sync in syncs),
        "acknowledgements after their sync": done - len(faults),
    }
    return Outcome(done, tuple(faults), figures)


def _acks(trace: Sequence[Call]) -> Iterator[tuple[bytes, int]]:
    """The key of every acknowledgement that left a socket, and when; each key once."""
    seen = set[bytes]()
    for call in trace:
        if not call.file.endswith((LOG, ".db")) and not call.is_sync:
            for key in ACK.findall(call.data):
                if key not in seen:
                    seen.add(key)
                    yield key, call.begun


def _end_of_commit(key: bytes, writes: Sequence[Call]) -> int | None:
    """When the last page of the commit that first holds a key was written; None if never."""
    first = next((n for n, call in enumerate(writes) if key in call.data), None)
    if first is None:
        return None
    for head, page in zip(writes[first - 1 :], writes[first:], strict=False):
        if len(head.data) == HEADER and any(head.data[COMMIT]):
            return page.ended
    return None
