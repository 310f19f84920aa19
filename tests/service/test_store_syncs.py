"""What the SQLite store does when syncs fail or take long, and when others lock the file."""

import asyncio
import errno
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from sideboards.service import writer
from sideboards.service.log import CannotSave, InDoubt, Write
from sideboards.service.sqlite_file import SqliteFile, sync
from sideboards.service.store import SqliteStore
from tests.service import ringless
from tests.service.full_disk import goes_on
from tests.service.pages import unwritten
from tests.service.stores import ANA, made, opened, run
from tests.tools import needed

NEW_LOG = 32 + 24 + 4096
"""Bytes of a log that holds one page: its head, and the page with a head of its own."""
SYNCER = """
import asyncio, os, sqlite3, sys
from pathlib import Path
from sideboards.service import checkpoints
from sideboards.service.log import InDoubt, Row, Write
from sideboards.service.store import SqliteStore

checkpoints.EVENTS = 20

async def main():
    store = SqliteStore(Path(sys.argv[1]))
    await store.open()
    await store.secret()
    row = Row("waiting", True, "", None, (), "{}")
    await store.append(Write("T1", 0, -1, "create", row=row))
    for position in range(1, 100):
        await store.append(Write("T1", position, 0, "swap"))
    writer = store._writer
    files = [writer._log, *(writer._ring.files if writer._ring else ())]
    kept, pipe = [os.dup(file) for file in files], os.pipe()
    for file in files:
        os.dup2(pipe[1], file)  # which cannot be synced
    try:
        await store.append(Write("T1", 100, 0, "swap"))
    except InDoubt:
        pass
    for file, right in zip(files, kept):
        os.dup2(right, file)
    await store.read("T1")  # after which the log was emptied
    await store.append(Write("T1", 101, 0, "swap"))
    other = sqlite3.connect(sys.argv[1], isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    writer._checkpoints.count(checkpoints.EVENTS)
    writer._begin()  # a checkpoint, behind which nothing can be written
    while writer._away:
        await asyncio.sleep(0.001)
    other.execute("ROLLBACK")
    for position in range(102, 105):
        await store.append(Write("T1", position, 0, "swap"))
    print(os.getpid(), flush=True)
    os._exit(0)  # what a close syncs is not asked about

asyncio.run(main())
"""


TELLER = """
import asyncio, os, sys
from pathlib import Path
from sideboards.service.log import Row, Write
from sideboards.service.store import SqliteStore

async def main():
    store = SqliteStore(Path(sys.argv[1]))
    await store.open()
    row = Row("waiting", True, "", None, (), "{}")
    await store.append(Write("T1", 0, -1, "create", row=row))
    for position in range(1, 20):
        try:
            await store.append(Write("T1", position, 0, "swap"))
        except Exception as error:
            print(type(error).__name__, position, flush=True)
            os._exit(0)  # as if it was killed
        print("stored", position, flush=True)

asyncio.run(main())
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "games.db"


@pytest.fixture(params=["ring", "thread"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each way to sync: through a ring, and as where the system has none."""
    if request.param == "thread":
        monkeypatch.setattr(writer, "open_ring", lambda _: None)
    return str(request.param)


async def opened_with(way: str, file: Path) -> SqliteStore:
    """An open store whose commits are synced in a way, with a table."""
    store = SqliteStore(file)
    await store.open()
    await made(store, "T1")
    if store._writer._ring is None and way == "ring":
        await store.close()
        pytest.skip("this machine offers no rings")
    return store


@contextmanager
def failing_syncs(store: SqliteStore) -> Iterator[None]:
    """Syncs of the log fail, because its descriptors are those of a pipe for a while."""
    files, ring = [store._writer._log], store._writer._ring
    if ring is not None:
        files += ring.files
    kept, pipe = [os.dup(file) for file in files], os.pipe()
    try:
        for file in files:
            os.dup2(pipe[1], file)
        yield
    finally:
        for file, right in zip(files, kept, strict=True):
            os.dup2(right, file)
        for each in (*kept, *pipe):
            os.close(each)


def test_after_a_sync_that_failed_nothing_is_read_before_it_is_at_its_place(
    file: Path, way: str
) -> None:
    async def body() -> None:
        store = await opened_with(way, file)
        with closing(sqlite3.connect(file)) as other:
            other.execute("BEGIN")
            other.execute("SELECT count(*) FROM events").fetchone()  # so the log cannot be emptied
            with failing_syncs(store):
                with pytest.raises(InDoubt):
                    await store.append(Write("T1", 1, 0, "R1", "1.1.a"))
                with pytest.raises(CannotSave):
                    await store.read("T1")
                with pytest.raises(CannotSave):
                    await store.append(Write("T1", 2, 0, "R2"))
            with pytest.raises(CannotSave):
                await store.ping()
            other.rollback()
        assert [event.action for event in await store.read("T1")] == ["create", "R1"]
        assert Path(f"{file}-wal").stat().st_size == NEW_LOG, "the log begins anew"
        await goes_on(store, "T1", 2)
        await store.close()

    run(body())


def held_back(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> list[Callable[..., None]]:
    """The ends of all syncs from now on, of which nobody hears; each may be told an error."""
    ring, ends = store._writer._ring, list[Callable[..., None]]()
    assert ring is not None
    right = ring.sync

    def sync(done: Callable[[int], None]) -> None:
        right(lambda error: ends.append(lambda failed=error: done(failed)))

    monkeypatch.setattr(ring, "sync", sync)
    return ends


async def two_syncs(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> tuple[list[Callable[..., None]], list[asyncio.Task[int]]]:
    """Two events, each with a sync of its own that has ended, of which nobody has heard."""
    await made(store, "T2")
    ends, asked = held_back(store, monkeypatch), list[asyncio.Task[int]]()
    for table in ("T1", "T2"):
        asked.append(asyncio.ensure_future(store.append(Write(table, 1, 0, "R1"))))
        while len(ends) < len(asked):
            await asyncio.sleep(0.001)
    assert not any(each.done() for each in asked)
    return ends, asked


def test_a_sync_vouches_for_all_that_was_written_before_it(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def body() -> None:
        store = await opened_with("ring", file)
        ends, asked = await two_syncs(store, monkeypatch)
        ends[0]()
        first, second = asked
        await first
        assert not second.done(), "its own sync has not ended"
        reading = asyncio.ensure_future(store.read("T1"))
        await asyncio.sleep(0.05)
        assert not reading.done(), "what can be read is not yet known to be on the disk"
        ends[1]()
        await second
        assert [event.action for event in await reading] == ["create", "R1"]
        monkeypatch.undo()
        await store.close()

    run(body())


def test_a_sync_that_hangs_delays_only_one(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def body() -> None:
        store = await opened_with("ring", file)
        ends, asked = await two_syncs(store, monkeypatch)
        ends[1]()
        await asyncio.gather(*asked)
        ends[0](errno.EIO)  # what it was about is on the disk; the other one has said so
        monkeypatch.undo()
        await goes_on(store, "T1", 2)
        assert Path(f"{file}-wal").stat().st_size > 0, "nothing had to be mended"
        await store.close()

    run(body())


def test_behind_a_sync_that_failed_nothing_counts(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def body() -> None:
        store = await opened_with("ring", file)
        ends, asked = await two_syncs(store, monkeypatch)
        ends[0](errno.EIO)
        for each in asked:
            with pytest.raises(InDoubt):
                await each
        ends[1]()  # too late: there may be a hole before it
        monkeypatch.undo()
        for table in ("T1", "T2"):
            assert [event.action for event in await store.read(table)] == ["create", "R1"]
        assert Path(f"{file}-wal").stat().st_size == NEW_LOG, "the log begins anew"
        await goes_on(store, "T1", 2)
        await store.close()

    run(body())


class Refusing:
    """A ring that the system refuses some entries."""

    def __init__(self, context: Any, often: int) -> None:  # noqa: ANN401 (caio's)
        self._context = context
        self._often = often

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 (as above)
        return getattr(self._context, name)

    def flush(self) -> None:
        if self._often:
            self._often -= 1
            raise SystemError(errno.EAGAIN, "no memory")
        self._context.flush()


@pytest.mark.parametrize("often", [1, 5])
def test_a_ring_that_refused_once_is_not_used_again(file: Path, often: int) -> None:
    async def body() -> None:
        store = await opened_with("ring", file)
        ring = store._writer._ring
        assert ring is not None
        for lane in ring._lanes:
            lane._context = Refusing(lane._context, often)  # type: ignore[assignment]
        with pytest.raises(InDoubt):
            await store.append(Write("T1", 1, 0, "R1"))
        assert [event.action for event in await store.read("T1")] == ["create", "R1"]
        assert not ring.works
        for position in range(2, 12):
            await store.append(Write("T1", position, 0, "x" * 100_000))
            assert unwritten(ring.files[0]) == 0
        await store.close()

    run(body())


def test_what_a_process_left_in_doubt_is_at_its_place_before_it_is_read(
    file: Path, way: str
) -> None:
    async def body() -> None:
        store = await opened_with(way, file)
        with failing_syncs(store), pytest.raises(InDoubt):
            await store.append(Write("T1", 1, 0, "R1"))
        for kind in ("", "-wal"):  # as if the process ended here
            shutil.copy(f"{file}{kind}", f"{file.with_name('left.db')}{kind}")
        async with opened(lambda: SqliteStore(file.with_name("left.db"))) as left:
            alone = file.with_name("alone.db")
            shutil.copy(file.with_name("left.db"), alone)
            with closing(sqlite3.connect(alone)) as db:
                actions = [action for (action,) in db.execute("SELECT action FROM events")]
            assert actions == ["create", "R1"]
            assert [event.action for event in await left.read("T1")] == actions
        await store.close()

    run(body())


@pytest.mark.parametrize("linked", [False, True])
def test_a_backup_holds_nothing_that_is_not_on_the_disk(
    file: Path, way: str, *, linked: bool
) -> None:
    path = file
    if linked:
        path = file.with_name("link.db")
        path.symlink_to(file)

    async def body() -> None:
        store = await opened_with(way, file)
        with failing_syncs(store), pytest.raises(InDoubt):
            await store.append(Write("T1", 1, 0, "R1"))
        log = os.open(f"{file}-wal", os.O_RDONLY)
        assert unwritten(log) > 0
        async with SqliteFile(path).reading() as copy:
            assert unwritten(log) == 0
            assert ("R1",) in await copy.fetch("SELECT action FROM events")
        os.close(log)
        await store.close()

    run(body())


def test_a_thread_that_cannot_sync_is_no_better(file: Path, way: str) -> None:
    async def body() -> None:
        store = await opened_with(way, file)
        with failing_syncs(store), pytest.raises(InDoubt):
            await store.add_guest(ANA, b"phone")
        assert await store.guest_of_device(b"phone") == ANA
        await store.close()

    run(body())


def test_nobody_waits_for_a_lock_of_another_program_but_who_writes(file: Path, way: str) -> None:
    async def body() -> None:
        store = await opened_with(way, file)
        with closing(sqlite3.connect(file, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            begun = time.monotonic()
            waiting = asyncio.ensure_future(store.append(Write("T1", 1, 0, "R1")))
            await asyncio.sleep(0.3)
            assert len(await store.lobby()) == 1
            assert [event.action for event in await store.read("T1")] == ["create"]
            assert time.monotonic() - begun < 1, "the loop goes on, and whoever reads as well"
            assert not waiting.done()
            other.execute("ROLLBACK")
        await waiting
        await goes_on(store, "T1", 2)
        await store.close()

    run(body())


def test_nobody_reads_what_a_thread_has_not_yet_synced(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written, may_go_on = threading.Event(), threading.Event()

    def slow(log: int) -> None:
        written.set()
        assert may_go_on.wait(10)
        sync(log)

    async def body() -> None:
        store = await opened_with("thread", file)
        monkeypatch.setattr("sideboards.service.writer.sync", slow)
        asked = asyncio.ensure_future(store.append(Write("T1", 1, 0, "R1")))
        assert await asyncio.to_thread(written.wait, 10)
        reading = asyncio.ensure_future(store.read("T1"))
        await asyncio.sleep(0.05)
        assert not reading.done(), "what can be read is not yet known to be on the disk"
        assert not asked.done()
        may_go_on.set()
        assert [event.action for event in await reading] == ["create", "R1"]
        await asked
        await store.close()

    monkeypatch.setattr(writer, "open_ring", lambda _: None)
    run(body())


def test_what_cannot_be_synced_is_not_told_to_be_lost(file: Path) -> None:
    """Without a ring too: it is in the log, and may count when the file is opened again."""
    trace = (needed("strace"), "-f", "-qq", "-e", "trace=fdatasync,fsync", "-P", f"{file}-wal")
    fails = ("-e", "inject=fdatasync,fsync:error=EIO:when=9", "-o", os.devnull)
    done = subprocess.run(
        [*trace, *fails, *ringless.PROGRAM, sys.executable, "-c", TELLER, str(file)],
        check=True,
        timeout=60,
        capture_output=True,
        text=True,
    )
    *stored, (said, position) = [line.split() for line in done.stdout.splitlines()]
    assert [kind for kind, _ in stored] == ["stored"] * len(stored)
    assert said == "InDoubt"

    async def body() -> None:
        async with opened(lambda: SqliteStore(file)) as store:
            assert len(await store.read("T1")) in (int(position), int(position) + 1)

    run(body())


@pytest.mark.parametrize("under", [(), ringless.PROGRAM])
def test_the_loop_never_syncs(file: Path, under: tuple[str, ...]) -> None:
    """Neither for an event nor for the head of a log that begins anew: after a checkpoint, after a
    sync that failed, and when another program had the file locked meanwhile."""
    needed("strace")
    trace = file.with_name("trace")
    command = ["strace", "-f", "-e", "trace=fdatasync,fsync", "-o", str(trace)]
    done = subprocess.run(
        [*command, *under, sys.executable, "-c", SYNCER, str(file)],
        check=True,
        timeout=60,
        capture_output=True,
        text=True,
    )
    loop = done.stdout.strip()  # the number of the process is that of its first thread
    syncs = [line for line in trace.read_text().splitlines() if "sync(" in line]
    assert len(syncs) > 5
    assert not [line for line in syncs if line.startswith(f"{loop} ")], syncs
