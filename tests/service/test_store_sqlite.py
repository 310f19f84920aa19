"""What only the SQLite store promises: one file, one server, full disks, kill -9."""

import asyncio
import fcntl
import os
import re
import resource
import sqlite3
import stat
import subprocess
import sys
import time
from contextlib import closing
from functools import partial
from pathlib import Path

import psutil
import pytest

from sideboards.core.refusal import Refusal
from sideboards.service import store as statements
from sideboards.service.checkpoints import EVENTS, RETRIES
from sideboards.service.log import CannotSave, Write
from sideboards.service.sqlite_file import SqliteFile, connect, first, open_locked
from sideboards.service.store import SqliteStore
from tests.service.full_disk import fill_until_refused, goes_on
from tests.service.stores import ANA, AnyStore, made, opened, run, with_guests
from tests.tools import needed

APPENDER = """
import asyncio, sys
from pathlib import Path
from sideboards.service.log import Row, Write
from sideboards.service.store import SqliteStore

async def grow(store, table):
    row = Row("waiting", True, "", None, (), "{}")
    await store.append(Write(table, 0, -1, "create", row=row))
    position = 0
    while True:
        sys.stdout.write(f"{table} {position}\\n")
        sys.stdout.flush()
        position += 1
        await store.append(Write(table, position, 0, f"R{position}"))

async def main():
    store = SqliteStore(Path(sys.argv[1]))
    await store.open()
    await asyncio.gather(*(grow(store, f"{sys.argv[2]}-{n}") for n in range(8)))

asyncio.run(main())
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "games.db"


def test_lists_and_deadlines_use_indexes_only(file: Path) -> None:
    async def make() -> None:
        async with opened(lambda: SqliteStore(file)):
            pass

    run(make())
    own = "PRIMARY KEY"
    expected = {
        (statements.READ, 2): [own],
        (statements.DUE, 1): [own],
        (statements.ALL_DUE, 2): ["tables_due"],
        (statements.FORGOTTEN, 2): ["tables_without_clock", own],
        (statements.LOBBY, 1): ["tables_lobby", own, own],
        (statements.TABLES_OF, 2): [own, "members_guest", own, own],
        (statements.OPEN_TABLES_OF, 2): ["tables_made_by", own, own, "members_guest", own, own],
        (statements.WITH_CODE, 1): ["tables_code"],
        (statements.OF_DEVICE, 1): [own, own],
        (statements.OF_FEED, 1): ["sqlite_autoindex_guests_2"],
    }
    with closing(connect(file, "ro")) as db:
        for (sql, values), indexes in expected.items():
            plan = db.execute(f"EXPLAIN QUERY PLAN {sql}", ["?"] * values).fetchall()
            steps = [row[3] for row in plan if row[3].startswith(("SCAN", "SEARCH"))]
            used = [
                re.findall(r"USING (?:COVERING )?(?:INDEX )?(PRIMARY KEY|\w+)", s) for s in steps
            ]
            assert used == [[index] for index in indexes], sql
            scans = [step for step in steps if step.startswith("SCAN")]
            # The lobby's index is a partial one: it holds the open public tables alone.
            assert scans == (["SCAN t USING INDEX tables_lobby"] if sql == statements.LOBBY else [])


def test_a_second_server_is_refused_in_one_sentence(file: Path) -> None:
    async def body() -> None:
        async with opened(lambda: SqliteStore(file)) as store:
            with pytest.raises(Refusal, match=r"games\.db: in use by another server; expected"):
                await SqliteStore(file).open()
            with pytest.raises(Refusal, match="in use"):
                await SqliteStore(file).migrate(0)
            await made(store, "T1")
        async with opened(lambda: SqliteStore(file)) as store:
            assert len(await store.read("T1")) == 1

    run(body())


def test_a_file_has_one_lock_whichever_links_lead_to_it(tmp_path: Path) -> None:
    folder, link, over = tmp_path / "real", tmp_path / "link.db", tmp_path / "over" / "games.db"
    folder.mkdir()
    link.symlink_to(folder / "games.db")
    over.parent.symlink_to(folder)
    paths = (folder / "games.db", link, over)

    async def body() -> None:
        for mine in reversed(paths):  # at first it is not there
            async with opened(partial(SqliteStore, mine)) as store:
                for other in paths:
                    with pytest.raises(Refusal, match="in use by another server"):
                        await SqliteStore(other).open()
                    with pytest.raises(Refusal, match="in use by another server"):
                        async with SqliteFile(other).filling():
                            pass
                assert str(store) == str(paths[0])

    run(body())
    assert {each.name for each in tmp_path.iterdir()} == {"real", "link.db", "over"}
    link.unlink()
    link.symlink_to(link)
    with pytest.raises(Refusal, match="Too many levels of symbolic links; expected"):
        run(SqliteStore(link).open())


def test_files_that_are_no_database_of_ours_are_refused(tmp_path: Path) -> None:
    async def refusal(path: Path) -> str:
        with pytest.raises(Refusal) as refused:
            await SqliteStore(path).open()
        return str(refused.value)

    (tmp_path / "text").write_text("this is not a database, and long enough to be read as one" * 9)
    assert "text: file is not a database; expected" in run(refusal(tmp_path / "text"))
    with closing(sqlite3.connect(tmp_path / "other")) as db:
        db.execute("CREATE TABLE theirs (x)")
    theirs = (tmp_path / "other").read_bytes()
    assert "other program; expected" in run(refusal(tmp_path / "other"))
    assert (tmp_path / "other").read_bytes() == theirs
    assert run(refusal(tmp_path / "text" / "under.db")).endswith("expected a place for a database")
    assert {each.name for each in tmp_path.iterdir()} == {"text", "other"}, "nothing is left behind"


def test_a_lock_that_was_removed_by_whoever_held_it_counts_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, lock, flock = tmp_path / "games.db", tmp_path / "games.db.lock", fcntl.flock
    removed = list[bool]()

    def late(descriptor: int, how: int) -> None:
        if not removed:  # between open and flock somebody else was refused
            removed.append(True)
            lock.unlink()
        flock(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", late)
    with closing(open_locked(file)) as held:
        assert os.path.samestat(os.fstat(held.lock), lock.stat())
        with pytest.raises(Refusal, match="in use"):
            open_locked(file)
    assert file.exists()


def test_a_commit_is_on_the_disk_before_it_returns(file: Path) -> None:
    locked = open_locked(file)
    assert first(locked.connection, "PRAGMA journal_mode")[0] == "wal"
    assert first(locked.connection, "PRAGMA synchronous")[0] == 2
    locked.close()


def test_only_the_owner_can_read_the_file(file: Path) -> None:
    async def body() -> None:
        async with opened(lambda: SqliteStore(file)) as store:
            await store.secret()

    run(body())
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_deleted_name_leaves_no_bytes_in_the_file(file: Path) -> None:
    async def body() -> None:
        async with opened(lambda: SqliteStore(file)) as store:
            await with_guests(store)
        assert ANA.id.encode() in file.read_bytes()
        async with opened(lambda: SqliteStore(file)) as store:
            await store.delete_guest(ANA.id)
        assert ANA.id.encode() not in file.read_bytes()

    run(body())


def test_a_deleted_name_leaves_the_log_at_once_or_when_nobody_reads_it_any_more(
    file: Path,
) -> None:
    log = Path(f"{file}-wal")

    async def gone(store: AnyStore) -> bool:
        for position in range(1, 2 + EVENTS // RETRIES):
            if ANA.name.encode() not in log.read_bytes():
                return True
            await store.append(Write("T1", position, 0, "R1"))
        return ANA.name.encode() not in log.read_bytes()

    async def body() -> None:
        async with opened(lambda: SqliteStore(file)) as store:
            await made(store, "T1")
            for reading in (False, True):
                await store.add_guest(ANA, b"phone")
                assert ANA.name.encode() in log.read_bytes()
                with closing(sqlite3.connect(file)) as other:
                    if reading:
                        other.execute("BEGIN")
                        other.execute("SELECT count(*) FROM events").fetchone()
                    await store.delete_guest(ANA.id)
                    await store.ping()
                    assert (ANA.name.encode() in log.read_bytes()) == reading
            assert await gone(store)

    run(body())


def test_time_does_not_jump_with_the_wall_clock(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def body() -> None:
        async with opened(lambda: SqliteStore(file)) as store:
            before = await store.now()
            real = time.time
            monkeypatch.setattr(time, "time", lambda: real() + 3600)
            assert await made(store, "T1") - before < 10_000

    run(body())


# ---- no space ---------------------------------------------------------------------------------


def test_a_file_that_must_not_grow(file: Path) -> None:
    async def body() -> None:
        store = SqliteStore(file)
        await store.open()
        await made(store, "T1")
        await made(store, "T2")
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, hard))
        try:
            stored = await fill_until_refused(store, "T1", 1)
            both = await asyncio.gather(
                store.append(Write("T1", stored, 0, "x" * 20_000)),
                store.append(Write("T2", 1, 0, "x" * 20_000)),
                return_exceptions=True,
            )
            assert [type(result) for result in both] == [CannotSave, CannotSave]
            assert len(await store.read("T1")) == stored, "reading still works"
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        await goes_on(store, "T1", stored)
        await store.close()

    run(body())


MOUNTED = 'mount -t tmpfs -o size=4m tmpfs "$0" && exec "$@"'


def test_a_full_disk_and_space_again(tmp_path: Path) -> None:
    needed("mount")
    root = () if os.getuid() == 0 else ("--user", "--map-root-user")
    alone = (needed("unshare"), *root, "--mount", "/bin/sh", "-c", MOUNTED, str(tmp_path))
    done = subprocess.run(
        [*alone, sys.executable, "-m", "tests.service.full_disk", str(tmp_path)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    # Where nobody may mount (neither root nor in a namespace of users) this fails, and says so.
    assert (done.returncode, done.stdout) == (0, "full, and on again\n"), done.stderr
    assert list(tmp_path.iterdir()) == []  # it was a disk of its own


# ---- the process ends -------------------------------------------------------------------------


@pytest.mark.long
def test_the_log_begins_anew_while_moves_keep_coming(file: Path) -> None:
    """Checkpoints are made between commits, so the log does not grow with every move."""
    tables, moves = 100, 120

    async def body() -> None:
        async with opened(lambda: SqliteStore(file)) as store:
            names = [f"t{number}" for number in range(tables)]
            await asyncio.gather(*(made(store, name) for name in names))
            for position in range(1, moves):
                writes = [Write(name, position, 0, f"R{position}") for name in names]
                await asyncio.gather(*map(store.append, writes))
            header = Path(f"{file}-wal").read_bytes()[:32]
            begun_anew = int.from_bytes(header[12:16])  # where SQLite counts it
            assert begun_anew >= tables * moves // EVENTS // 2
            for name in names:
                assert len(await store.read(name)) == moves

    run(body())
    with closing(connect(file, "ro")) as stored:
        assert first(stored, "SELECT count(*) FROM events")[0] == tables * moves


def test_one_connection_writes(file: Path) -> None:
    """With two of them SQLite before 3.51.3 may lose what was committed."""

    async def body() -> None:
        async with opened(lambda: SqliteStore(file)) as store:
            await made(store, "T1")
            files = [each for each in psutil.Process().open_files() if each.path == str(file)]
            assert sum("+" in each.mode for each in files) == 1
            assert len(files) == 2, "and one reads"

    run(body())


def test_a_big_file_opens_at_once(file: Path) -> None:
    finished, live, each = 100_000, 1_000, 10

    async def fill() -> None:
        names = [f"T{number:06}" for number in range(finished + live)]
        async with SqliteFile(file).filling() as copy:
            await copy.insert(
                "tables",
                "id phase public code created due made_by summary",
                [
                    (name, "finished", 1, "", number, None, "g", "{}")
                    if number < finished
                    else (name, "playing", 1, "", number, number, "g", "{}")
                    for number, name in enumerate(names)
                ],
            )
            await copy.insert(
                "events",
                "table_id position seat action key at",
                [
                    (name, position, 0, "R17", "", position)
                    for name in names
                    for position in range(each)
                ],
            )

    async def body() -> None:
        began = time.perf_counter()
        store = SqliteStore(file)
        await store.open()
        assert len(await store.all_due(finished + live, limit=live)) == live
        assert len(await store.lobby()) == 100
        assert await store.forgotten(finished + live) == []
        assert len(await store.open_tables_of("g")) == live
        took = time.perf_counter() - began
        await store.close()
        assert took < 0.5

    run(fill())
    run(body())
