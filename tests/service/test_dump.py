"""Backup and restore: the same file for both databases, beside a server at work."""

import asyncio
import errno
import gzip
import json
import os
import stat
import subprocess
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import count, pairwise
from pathlib import Path

import pexpect
import pytest

from sideboards.core.refusal import Refusal
from sideboards.service.databases import copied, default_database, open_store
from sideboards.service.dump import End, backup, restore
from sideboards.service.log import RESTART_GRACE, Write
from sideboards.service.sqlite_file import connect, version_of
from tests.command import COMMAND, refused
from tests.service.stores import ANA, BEN, WAITING, AnyStore, made, opened, run, with_guests

PAIRS = [("sqlite", "sqlite"), ("sqlite", "postgres"), ("postgres", "sqlite")]


def silent(done: int, of: int) -> None:
    assert 0 <= done <= of


@pytest.fixture
def names(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
    """A database of each kind that the test's parameters name."""
    return {
        kind: request.getfixturevalue("postgres_url")
        if kind == "postgres"
        else str(tmp_path / "games.db")
        for kind in request.param
    }


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "games.dump"


async def filled(store: AnyStore) -> None:
    """Guests with all they can have, and tables in all phases."""
    await with_guests(store)
    await store.set_feed(ANA.id, b"feed")
    await store.add_transfer(b"transfer", BEN.id, await store.now() + 60_000)
    await store.add_device(ANA.id, b"\0\xff")
    seated = ((ANA.id, 0), (BEN.id, 1), (ANA.id, 2))
    await made(store, "T1", guests=seated, code="ABC234", made_by=ANA.id, due_after=1000)
    await store.append(Write("T1", 1, 2, 'R17 "ä"\n', "1.1.abcd"))
    await made(store, "T2", phase="finished", public=False, guests=((BEN.id, 0),))
    await asyncio.gather(*(store.append(Write("T2", number, 0, "swap")) for number in (1, 2, 3)))
    await asyncio.gather(*(made(store, f"many{number}") for number in range(1200)))  # three pages


async def content(store: AnyStore) -> list[object]:
    """All that can be asked."""
    lobby = await store.lobby(2000)
    return [
        await store.secret(),
        sorted(lobby, key=lambda listed: listed.table),
        [await store.read(table) for table in ("T1", "T2", "many7")],
        [await store.tables_of(guest.id) for guest in (ANA, BEN)],
        [await store.guest_of_device(device) for device in (b"ana's phone", b"\0\xff")],
        await store.guest_of_feed(b"feed"),
        await store.names([ANA.id, BEN.id]),
        await store.open_tables_of(ANA.id),
        await store.table_with_code("ABC234"),
        await store.due("T1"),
    ]


@pytest.mark.long
@pytest.mark.parametrize(
    ("names", "source", "target"), [(p, *p) for p in PAIRS], indirect=["names"]
)
def test_a_dump_restores_everything_in_either_database(
    names: dict[str, str], source: str, target: str, file: Path, tmp_path: Path
) -> None:
    into = names[target] if target != source else str(tmp_path / "other.db")

    async def body() -> None:
        async with opened(lambda: open_store(names[source])) as store:
            await filled(store)
            before = await content(store)
            end = await backup(copied(names[source]), file, silent)
            assert end == End(guests=2, tables=1202, events=1200 + 2 + 4)
        assert await restore(copied(into), file, silent) == end
        async with opened(lambda: open_store(into)) as store:
            assert await content(store) == before
            assert await store.take_transfer(b"transfer") == BEN
            await store.append(Write("T1", 2, 0, "swap"))
        second = tmp_path / "second.dump"
        await backup(copied(names[source]), second, silent)
        assert second.read_bytes() == file.read_bytes()
        with pytest.raises(Refusal, match="not empty"):
            await restore(copied(into), file, silent)

    run(body())


def test_the_name_of_the_dump_is_on_the_disk_before_it_is_told(
    tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    right, synced = os.fsync, list[tuple[bool, bool]]()

    def watched(descriptor: int) -> None:
        of_folder = os.path.sameopenfile(descriptor, folder)
        synced.append((of_folder, file.exists()))
        right(descriptor)
        if of_folder and strange:
            raise OSError(errno.EINVAL, "a folder cannot be synced here")

    folder, strange = os.open(tmp_path, os.O_RDONLY), False
    monkeypatch.setattr(os, "fsync", watched)
    small_dump(tmp_path, file)
    assert synced == [(False, False), (True, True)]
    strange = True
    run(backup(copied(str(tmp_path / "games.db")), file, silent))
    assert len(synced) == 4
    os.close(folder)


def test_the_dump_is_private_and_says_what_it_is(file: Path, tmp_path: Path) -> None:
    async def body() -> None:
        async with opened(lambda: open_store(str(tmp_path / "games.db"))) as store:
            await made(store, "T1", guests=())
            await store.secret()
            await backup(copied(str(tmp_path / "games.db")), file, silent)

    run(body())
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    lines = [json.loads(line) for line in gzip.decompress(file.read_bytes()).splitlines()]
    assert [line["line"] for line in lines] == ["header", "table", "end"]
    assert (lines[0]["format"], lines[0]["version"]) == ("sideboards-dump", 1)
    assert len(list(tmp_path.glob(".*"))) == 0, "nothing unfinished stays"


def test_deadlines_rest_from_the_last_heartbeat_before_the_backup(
    file: Path, tmp_path: Path
) -> None:
    async def body() -> None:
        async with opened(lambda: open_store(str(tmp_path / "games.db"))) as store:
            await store.resume("one")
            due = await made(store, "T1", due_after=1000) + 1000
            await backup(copied(str(tmp_path / "games.db")), file, silent)
        await restore(copied(str(tmp_path / "new.db")), file, silent)
        await asyncio.sleep(0.05)
        async with opened(lambda: open_store(str(tmp_path / "new.db"))) as store:
            moved = await store.resume("two")
            assert moved >= RESTART_GRACE + 50
            assert await store.due("T1") == due + moved

    run(body())


def small_dump(tmp_path: Path, file: Path) -> bytes:
    async def body() -> None:
        async with opened(lambda: open_store(str(tmp_path / "games.db"))) as store:
            await with_guests(store)
            await made(store, "T1", guests=((ANA.id, 0),))
            await made(store, "T2")
            await backup(copied(str(tmp_path / "games.db")), file, silent)

    run(body())
    return file.read_bytes()


@pytest.mark.long
def test_a_torn_or_altered_dump_is_refused_whole(tmp_path: Path, file: Path) -> None:
    whole = small_dump(tmp_path, file)
    lines = gzip.decompress(whole).splitlines(keepends=True)
    bad = [whole[:length] for length in range(0, len(whole), 7)]
    bad += [gzip.compress(b"".join(lines[:length])) for length in range(len(lines))]
    bad += [gzip.compress(b"".join(lines[:1] + lines[2:])), gzip.compress(b"".join(lines[1:]))]
    bad += [gzip.compress(b"".join([*lines, lines[-2]])), gzip.compress(b"".join([*lines, b"{}"]))]
    bad += [gzip.compress(b"".join([*lines[:2], b"\n", *lines[2:]])), b"", b"plain text"]
    bad += [gzip.compress(b"".join(lines).replace(b'"version":1', b'"version":2'))]
    bad += [gzip.compress(b"".join(lines).replace(b'"public":true', b'"public":"true"'))]
    bad += [gzip.compress(b"".join(lines).replace(b'"g-ana",0', b'"nobody",0'))]
    numbers = count()

    async def body() -> None:
        for data in bad:
            file.write_bytes(data)
            target = tmp_path / f"{next(numbers)}.db"
            with pytest.raises(Refusal) as refusal:
                await restore(copied(str(target)), file, silent)
            assert "expected" in str(refusal.value)
            assert "\n" not in str(refusal.value)
            assert not list(tmp_path.glob(f"{target.name}*")), "nothing is left of it"
        async with opened(partial(open_store, str(target))) as store:
            assert await store.lobby() == []
        file.write_bytes(bad[0])
        with pytest.raises(Refusal):
            await restore(copied(str(target)), file, silent)
        assert target.exists(), "it was there before"
        file.write_bytes(whole)
        assert (await restore(copied(str(target)), file, silent)).tables == 2

    run(body())


def test_a_missing_file_or_folder_is_refused(tmp_path: Path) -> None:
    async def body() -> None:
        with pytest.raises(Refusal, match="No such file"):
            await restore(copied(str(tmp_path / "new.db")), tmp_path / "none", silent)
        with pytest.raises(Refusal, match=r"none\.db: unable to open"):
            await backup(copied(str(tmp_path / "none.db")), tmp_path / "dump", silent)
        with pytest.raises(Refusal, match="No such file"):
            await backup(copied(str(tmp_path / "none.db")), tmp_path / "no" / "dump", silent)

    run(body())
    assert not (tmp_path / "none.db").exists()


@pytest.mark.long
@pytest.mark.parametrize("names", [("postgres",)], indirect=True, ids=["postgres"])
def test_a_backup_beside_a_server_at_work_is_one_moment(
    names: dict[str, str], file: Path, tmp_path: Path
) -> None:
    (database,) = names.values()

    async def play(store: AnyStore, table: str, over: asyncio.Event) -> None:
        """Append events, each with a row that says its position."""
        for position in count(1):
            row = replace(WAITING, summary=str(position))
            await store.append(Write(table, position, 0, "swap", row=row))
            if over.is_set():
                return

    async def body() -> None:
        async with opened(lambda: open_store(database)) as store:
            tables = [f"T{number}" for number in range(8)]
            for table in tables:
                await made(store, table, summary="0")
            over = asyncio.Event()
            playing = [asyncio.create_task(play(store, table, over)) for table in tables]
            sizes = []
            for number in range(4):
                await asyncio.sleep(0.2)
                process = await asyncio.create_subprocess_exec(
                    *(str(COMMAND), "backup", str(file), "--database", database),
                    stdout=subprocess.DEVNULL,
                )
                assert await process.wait() == 0
                into = str(tmp_path / f"copy{number}.db")
                sizes.append((await restore(copied(into), file, silent)).events)
                async with opened(partial(open_store, into)) as copy:
                    for listed in await copy.lobby():
                        events = await copy.read(listed.table)
                        assert listed.summary == str(len(events) - 1)
            assert all(before < after for before, after in pairwise(sizes))
            over.set()
            await asyncio.gather(*playing)

    run(body())


@pytest.mark.long
@pytest.mark.parametrize(("typed", "left"), [("y", 0), ("n", 1)])
def test_somebody_at_a_terminal_is_asked_before_all_is_deleted(
    tmp_path: Path, file: Path, typed: str, left: int
) -> None:
    small_dump(tmp_path, file)
    games = tmp_path / "games.db"
    child = pexpect.spawn(
        str(COMMAND), ["migrate", "--to", "0", "--database", str(games)], timeout=60
    )
    child.expect_exact(f"Delete all tables and guests in {games}? [y/N]: ")
    child.sendline(typed)
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == (130 if left else 0)
    with closing(connect(games, "ro")) as db:
        assert version_of(db) == left


@pytest.mark.long
@pytest.mark.parametrize(
    "names", [("sqlite",), ("postgres",)], indirect=True, ids=["sqlite", "postgres"]
)
def test_nothing_is_restored_beneath_a_server(
    names: dict[str, str], tmp_path: Path, file: Path
) -> None:
    small_dump(tmp_path / "other", file)
    (database,) = names.values()

    async def body() -> None:
        async with opened(lambda: open_store(database)) as store:
            secret = await store.secret()
            with pytest.raises(Refusal, match=r": in use by an?"):
                await restore(copied(database), file, silent)
            assert await store.secret() == secret
        assert (await restore(copied(database), file, silent)).tables == 2

    run(body())


@pytest.mark.parametrize(
    "names",
    [("sqlite",), pytest.param(("postgres",), marks=pytest.mark.long)],
    indirect=True,
    ids=["sqlite", "postgres"],
)
def test_a_snapshot_sees_nothing_new_and_stops_nobody(names: dict[str, str]) -> None:
    (database,) = names.values()
    question = "SELECT count(*) FROM events"

    async def body() -> None:
        async with opened(lambda: open_store(database)) as store:
            await made(store, "T1")
            async with copied(database).reading() as snapshot:
                assert (await snapshot.fetch(question))[0][0] == 1
                await asyncio.wait_for(store.append(Write("T1", 1, 0, "swap")), 5)
                assert len(await store.read("T1")) == 2
                assert (await snapshot.fetch(question))[0][0] == 1

    run(body())


@pytest.mark.long
def test_the_commands(tmp_path: Path, file: Path) -> None:
    small_dump(tmp_path, file)

    def command(*arguments: str | Path) -> str:
        done = subprocess.run(
            [COMMAND, *arguments], capture_output=True, text=True, timeout=60, check=True
        )
        assert done.stderr == ""
        return done.stdout

    new = tmp_path / "new.db"
    assert "not found" in refused("migrate", "--database", new)
    assert not new.exists()
    new.touch()
    assert command("migrate", "--database", new) == "version 0 -> 1\n"
    assert command("migrate", "--database", new) == "version 1 already\n"
    told = f"{file}: 2 tables with 2 events, 2 guests\n"
    assert command("restore", file, "--database", new) == told
    second = tmp_path / "second.dump"
    assert command("backup", second, "--database", new) == told.replace(str(file), str(second))
    assert second.read_bytes() == file.read_bytes()
    assert "not empty" in refused("restore", file, "--database", new)
    assert "expected 0 to 1" in refused("migrate", "--to", "7", "--database", new)
    assert "expected --yes" in refused("migrate", "--to", "0", "--database", new)
    assert "not empty" in refused("restore", file, "--database", new)
    assert command("migrate", "--to", "0", "--yes", "--database", new) == "version 1 -> 0\n"
    assert "has version 0" in refused("backup", second, "--database", new)
    assert command("restore", file, "--database", new) == told


def test_the_default_database_is_in_the_data_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("HOME", "/home/ana")
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    assert default_database() == "/home/ana/.local/share/sideboards/sideboards.db"
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    assert default_database() == "/data/sideboards/sideboards.db"
    assert str(open_store()) == default_database()
    monkeypatch.setattr("sys.platform", "darwin")
    expected = "/home/ana/Library/Application Support/sideboards/sideboards.db"
    assert default_database() == expected
