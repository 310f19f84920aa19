"""Goal: an acknowledgement leaves only after the disk has said that it keeps what it is about.

A kill cannot show a missing sync, since the system still has what the process wrote; a trace of the
system calls can. For every `ack` that leaves a socket, the pages of its commit must have been
written to SQLite's log, and that must have been synced since, with success.
"""

import asyncio
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import psutil

from proof.outcome import Outcome
from proof.witness import Crowd
from tests.service.live import Server
from tests.service.live import run as complete

TABLES = (3, 3, 3, 3)
CALLS = "fdatasync,fsync,sendto,write,writev,sendmsg,pwrite64"
TRACE = ("strace", "-f", "-y", "-xx", "-s", "40000", "--seccomp-bpf", "-e", f"trace={CALLS}", "-o")
BEGIN = re.compile(r"(\d+) +(\w+)\(\d+<([^>]*)>(.*)")
RESUMED = re.compile(r"(\d+) +<\.\.\. (\w+) resumed>.* = (-?\d+)")
ENDED = re.compile(r".* = (-?\d+)( \w+ \(.*\))?$")
TEXT = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
ACK = re.compile(rb'"type":"ack","key":"([^"]+)"')
HEADER, COMMIT = 24, slice(4, 8)
"""The length of a frame's header in SQLite's log; where it tells that a commit ends with it."""
PATIENCE = 120.0


def run(folder: Path, count: int, seed: int, mutant: str = "") -> Outcome:
    """Trace a server until `count` actions are acknowledged."""
    if (reason := cannot_trace(folder)) is not None:
        return Outcome(0, (reason,))
    trace = folder / "trace"
    server = Server(folder / "syncs.db", mutant=mutant, under=(*TRACE, str(trace)))
    try:
        faults = complete(_play(server, count, Random(seed)), 2 * PATIENCE)
    finally:
        server.kill()
        wrote = server.failures()
    faults += [f"the server wrote: {line}" for line in wrote[:5]]
    with trace.open(encoding="ascii", errors="replace") as lines:
        outcome = judge(calls(lines))
    trace.unlink()
    if outcome.done < count:
        faults.append(f"{outcome.done} acknowledgements are in the trace; expected {count}")
    return replace(outcome, faults=(*outcome.faults, *faults))


def cannot_trace(folder: Path) -> str | None:
    """Why no process can be traced here; None if one can."""
    if shutil.which("strace") is None:
        return "strace is not installed; expected it here, scripts/system installs it"
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


# ---- the trace --------------------------------------------------------------------------------


@dataclass(slots=True)
class Call:
    """A system call: the lines where it began and ended, its file and the bytes it was given."""

    name: str
    file: str
    data: bytes
    begun: int
    ended: int | None = None
    """None if it never came back."""
    result: int = -1

    @property
    def is_sync(self) -> bool:
        """Whether it makes what was written durable."""
        return self.name in ("fdatasync", "fsync")


def calls(lines: Iterable[str]) -> list[Call]:
    """The calls of a trace, in the order in which they began."""
    found: list[Call] = []
    under_way: dict[str, Call] = {}
    for number, line in enumerate(lines):
        if begin := BEGIN.match(line):
            process, name, file, rest = begin.groups()
            data = b"".join(map(_plain, TEXT.findall(rest)))
            call = Call(name, _plain(file).decode(), data, number)
            found.append(call)
            if end := ENDED.match(rest.rstrip()):
                call.ended, call.result = number, int(end[1])
            else:
                under_way[process] = call
        elif (resumed := RESUMED.match(line)) and resumed[1] in under_way:
            call = under_way.pop(resumed[1])
            call.ended, call.result = number, int(resumed[3])
    return found


def _plain(text: str) -> bytes:
    return bytes.fromhex(text.replace("\\x", ""))


def judge(trace: Sequence[Call]) -> Outcome:
    """How many acknowledgements there are, and which of them left too early."""
    writes = [call for call in trace if call.file.endswith("-wal") and not call.is_sync]
    syncs = [call for call in trace if call.file.endswith("-wal") and call.is_sync]
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
        "acknowledgements after their sync": done - len(faults),
    }
    return Outcome(done, tuple(faults), figures)


def _acks(trace: Sequence[Call]) -> Iterator[tuple[bytes, int]]:
    """The key of every acknowledgement that left a socket, and when; each key once."""
    seen = set[bytes]()
    for call in trace:
        if not call.file.endswith(("-wal", ".db")) and not call.is_sync:
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
