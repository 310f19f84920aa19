"""Power losses: a trace shows what a disk would have kept at any moment, and that is opened.

For a moment of the trace the files are written anew as they would be if the power had failed then:
what was written is there only if a sync of that file has begun after it and has ended well, and a
name is there, or gone, only if the folder was synced. In every second case some of the other pages
are there as well, whichever, for a disk may also have written them. All that was acknowledged
before must be in such a file. `-shm` is left out: SQLite makes it anew.

`python -m proof.power NAME serve …` is a server with the planted bug NAME, or none if that is one
of `WAYS` to sync, that makes checkpoints often, so that power fails in some of them too.
"""

import asyncio
import shutil
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from proof.history import FAILURES
from proof.logs import log_faults, logs_of, room_of
from proof.mutants import MUTANTS
from proof.mutants.durability import commit_in_thread
from proof.outcome import Outcome
from proof.prepared import prepare_nothing
from proof.traces import Call
from sideboards.cli import main
from sideboards.core.refusal import Refusal
from sideboards.data import load_edition
from sideboards.service import checkpoints
from sideboards.service.store import SqliteStore

PAGE = 4096
"""Bytes that a disk writes whole or not at all."""
EVENTS = 25
"""Stored events after which a checkpoint begins here."""
SHOWN = 3
WAYS = ("thread", "ring")
"""How commits are synced."""


@dataclass(frozen=True, slots=True)
class Loss:
    """A moment at which the power fails, and what is then on the disk."""

    at: int
    """The line of the trace."""
    files: dict[str, bytes]
    torn: bool
    """Whether some pages are there that were not synced."""


@dataclass(slots=True)
class Disk:
    """What happened to the files of one database, in the order of a trace."""

    database: str
    calls: list[Call] = field(default_factory=list)
    of_folder: list[Call] = field(default_factory=list)

    @classmethod
    def of(cls, trace: Sequence[Call], database: Path) -> "Disk":
        """The disk of a trace."""
        path = str(database.resolve())
        names = (path, f"{path}-wal", f"{path}-journal")
        calls = [call for call in trace if call.file in names]
        folder = str(database.resolve().parent)
        return cls(path, calls, [call for call in trace if call.file == folder])

    def after(self, at: int, rng: Random | None = None) -> Loss:
        """What is there if the power fails at a line; with `rng`, also some of what need not be."""
        files: dict[str, bytearray] = {}
        named = _synced_until(self.of_folder, at)
        synced = {
            name: _synced_until([call for call in self.calls if call.file == name], at)
            for name in {call.file for call in self.calls}
        }
        begun = dict[str, int]()
        for call in self.calls:
            if call.begun >= at or call.result < 0 or call.is_sync:
                continue
            if call.name == "unlink":
                if _is_before(call, named) or (rng is not None and rng.random() < 0.5):
                    files.pop(call.file, None)
                    begun.pop(call.file, None)
                continue
            begun.setdefault(call.file, call.begun)
            file = files.setdefault(call.file, bytearray())
            _apply(file, call, whole=_is_before(call, synced[call.file]), rng=rng)
        for name, first in begun.items():
            if first >= named and (rng is None or rng.random() < 0.5):
                del files[name]
        return Loss(at, {name: bytes(file) for name, file in files.items()}, rng is not None)


def _synced_until(calls: Sequence[Call], at: int) -> int:
    """The line where the last sync began that had ended well by then; -1 if there is none."""
    ended = [c.begun for c in calls if c.is_sync and c.result == 0 and c.ended and c.ended < at]
    return max(ended, default=-1)


def _is_before(call: Call, line: int) -> bool:
    return call.ended is not None and call.ended < line


def _apply(file: bytearray, call: Call, *, whole: bool, rng: Random | None) -> None:
    """Do to a file what a call does, or a part of it, or nothing."""
    if call.name == "ftruncate":
        if whole or (rng is not None and rng.random() < 0.5):
            size = call.numbers[0]
            file[size:] = bytes(max(0, size - len(file)))
        return
    size, offset = call.numbers
    if size != len(call.data):
        raise AssertionError(f"a write of {size} bytes is traced with {len(call.data)}")
    for begin, data in _pages(offset, call.data):
        if whole or (rng is not None and rng.random() < 0.5):
            file.extend(bytes(max(0, begin - len(file))))
            file[begin : begin + len(data)] = data


def _pages(offset: int, data: bytes) -> Iterator[tuple[int, bytes]]:
    """The parts of a write that lie on different pages, and where."""
    begin = 0
    while begin < len(data):
        end = min(len(data), begin + PAGE - (offset + begin) % PAGE)
        yield offset + begin, data[begin:end]
        begin = end


# ---- trying ------------------------------------------------------------------------------------


def lose(
    trace: Sequence[Call],
    database: Path,
    acks: Sequence[tuple[bytes, int]],
    count: int,
    seed: int,
    *,
    keep: bool,
) -> Outcome:
    """Let the power fail so many times: as acknowledgements leave, in checkpoints, at any time."""
    rng, disk = Random(f"power {seed}"), Disk.of(trace, database)
    if not acks:
        return Outcome(0, ("nothing was acknowledged before the power failed",))
    first = acks[0][1]
    moved = [call.begun for call in disk.calls if call.file == disk.database and call.begun > first]
    last = max(call.begun for call in trace)
    faults, checked, torn = list[str](), 0, 0
    for number in range(count):
        moment = (
            rng.choice(acks)[1] + 1,
            rng.choice(moved) + 1 if moved else rng.choice(acks)[1] + 1,
            rng.randint(first, last) + 1,
        )[number % 3]
        loss = disk.after(moment, rng if number % 2 else None)
        told = {key.decode() for key, left in acks if left < moment}
        folder = database.parent / f"power-{number}"
        found = list(_faults(folder, loss, told))
        checked, torn = checked + len(told), torn + loss.torn
        if found and keep:
            kept = FAILURES / f"power-{seed}-{number}"
            shutil.copytree(folder, kept, dirs_exist_ok=True)
            found.append(f"the files are in {FAILURES.name}/{kept.name}")
        shutil.rmtree(folder)
        faults += found
    figures = {
        "power losses": count,
        "power losses with torn writes": torn,
        "power losses beside a checkpoint": count // 3 if moved else 0,
        "acknowledgements looked for after a power loss": checked,
    }
    return Outcome(count, tuple(faults), figures)


def _faults(folder: Path, loss: Loss, told: set[str]) -> Iterator[str]:
    """What is wrong with the files that a power loss leaves, opened by the service's own store."""
    when = f"power lost at line {loss.at}{', torn' * loss.torn}"
    folder.mkdir()
    for name, data in loss.files.items():
        (folder / Path(name).name).write_bytes(data)
    path = next(iter(loss.files), "")
    file = folder / Path(path.removesuffix("-wal").removesuffix("-journal")).name
    if not path or not file.exists():
        yield f"{when}: the database is gone"
        return
    try:
        asyncio.run(_open(file))
        with closing(sqlite3.connect(file)) as db:
            (sound,) = db.execute("PRAGMA integrity_check").fetchone()
        if sound != "ok":
            yield f"{when}: the file is broken: {sound}"
        logs = logs_of(file)
    except (Refusal, sqlite3.Error) as error:
        yield f"{when}: the file cannot be opened: {error}"
        return
    for table, log in logs.items():
        yield from (f"{when}: {fault}" for fault in log_faults(table, log))
        try:
            room_of(table, log, load_edition())
        except (Refusal, AssertionError) as error:
            yield f"{when}: the log of table {table} cannot be played: {error}"
    stored = {event.key.partition(".")[2] for log in logs.values() for event in log if event.key}
    if lost := sorted(told - stored):
        shown = ", ".join(lost[:SHOWN])
        yield f"{when}: {len(lost)} of {len(told)} acknowledged are lost, such as {shown}"


async def _open(file: Path) -> None:
    store = SqliteStore(file)
    await store.open()
    await store.close()


if __name__ == "__main__":
    prepare_nothing()
    checkpoints.EVENTS = EVENTS
    planted = sys.argv.pop(1)
    if planted == WAYS[0]:
        commit_in_thread()
    elif planted not in WAYS:
        MUTANTS[planted]()
    main()
