"""Migrations: up, down and up again; a newer database is refused."""

import asyncio
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from sideboards.core.refusal import Refusal
from sideboards.service.log import CannotSave
from sideboards.service.migrations import SHIPPED, newest, steps
from sideboards.service.postgres_database import migrate
from sideboards.service.sqlite_file import open_locked
from sideboards.service.store import SqliteStore
from sideboards.service.store_postgres import PostgresStore
from tests.service.stores import made, opened, run


@pytest.fixture
def future(tmp_path: Path) -> Path:
    """The migrations of a program that is one version ahead."""
    folder = tmp_path / "migrations"
    for dialect in ("sqlite", "postgres"):
        shutil.copytree(SHIPPED / dialect, folder / dialect)
        following = newest(dialect) + 1
        up, down = (folder / dialect / f"{following:04}_mood.{way}.sql" for way in ("up", "down"))
        up.write_text("ALTER TABLE tables ADD COLUMN mood text NOT NULL DEFAULT 'good';")
        down.write_text("ALTER TABLE tables DROP COLUMN mood;")
    return folder


def test_both_dialects_have_the_same_numbered_steps_both_ways() -> None:
    names = {
        dialect: sorted(file.name for file in (SHIPPED / dialect).iterdir())
        for dialect in ("sqlite", "postgres")
    }
    assert names["sqlite"] == names["postgres"]
    assert len(names["sqlite"]) == 2 * newest("sqlite")
    last = newest("sqlite")
    assert [step.version for step in steps("sqlite", 0, None)] == list(range(1, last + 1))
    assert [step.version for step in steps("sqlite", last, 0)] == list(range(last - 1, -1, -1))


def test_sqlite_up_down_up(tmp_path: Path, future: Path) -> None:
    file = tmp_path / "games.db"

    async def body() -> None:
        ahead = newest("sqlite") + 1
        with pytest.raises(Refusal, match=r"games\.db: not found; expected the file"):
            await SqliteStore(file).migrate()
        assert list(tmp_path.iterdir()) == [tmp_path / "migrations"]
        file.touch()
        assert await SqliteStore(file).migrate() == (0, ahead - 1)
        async with opened(lambda: SqliteStore(file)) as store:
            await made(store, "T1")
        locked = open_locked(file, None, future)
        assert locked.connection.execute("SELECT mood FROM tables").fetchall() == [("good",)]
        locked.close()
        with pytest.raises(Refusal, match=rf"games\.db: the database has version {ahead}, made by"):
            await SqliteStore(file).open()
        open_locked(file, ahead - 1, future).close()
        async with opened(lambda: SqliteStore(file)) as store:
            assert len(await store.read("T1")) == 1
        assert await SqliteStore(file).migrate(0) == (ahead - 1, 0)
        with closing(sqlite3.connect(file)) as db:
            assert db.execute("SELECT * FROM sqlite_master").fetchall() == []
        assert await SqliteStore(file).migrate() == (0, ahead - 1)

    run(body())


def test_a_step_that_fails_leaves_the_version_before(tmp_path: Path, future: Path) -> None:
    file = tmp_path / "games.db"
    (up,) = (future / "sqlite").glob("*_mood.up.sql")
    up.write_text(up.read_text() + "\nSELECT * FROM nowhere;")

    async def body() -> None:
        open_locked(file).close()
        with pytest.raises(Refusal, match="nowhere"):
            open_locked(file, None, future)
        async with opened(lambda: SqliteStore(file)) as store:
            await made(store, "T1")

    run(body())
    with closing(sqlite3.connect(file)) as db:
        assert "mood" not in str(db.execute("SELECT sql FROM sqlite_master").fetchall())


@pytest.mark.long
def test_postgres_up_down_up(postgres_url: str, future: Path) -> None:
    async def body() -> None:
        ahead = newest("postgres") + 1
        async with (  # two servers that start at once on an empty database
            opened(lambda: PostgresStore(postgres_url)) as store,
            opened(lambda: PostgresStore(postgres_url)),
        ):
            await made(store, "T1")
        assert await migrate(postgres_url, None, future) == (ahead - 1, ahead)
        connection = await asyncpg.connect(postgres_url)
        assert await connection.fetchval("SELECT mood FROM tables") == "good"
        with pytest.raises(Refusal, match=f"the database has version {ahead}, made by a newer"):
            await PostgresStore(postgres_url).open()
        assert await migrate(postgres_url, ahead - 1, future) == (ahead, ahead - 1)
        async with opened(lambda: PostgresStore(postgres_url)) as store:
            assert len(await store.read("T1")) == 1
        assert await PostgresStore(postgres_url).migrate(0) == (ahead - 1, 0)
        left = """SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace
                  UNION SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace"""
        assert await connection.fetch(left) == []
        assert await PostgresStore(postgres_url).migrate() == (0, ahead - 1)
        with pytest.raises(Refusal, match="expected 0 to"):
            await PostgresStore(postgres_url).migrate(99)
        await connection.close()

    run(body())


@pytest.mark.long
def test_postgres_is_not_changed_beneath_a_server(postgres_url: str, future: Path) -> None:
    async def body() -> None:
        ahead = newest("postgres") + 1
        async with opened(lambda: PostgresStore(postgres_url)) as store:
            await made(store, "T1")
            with pytest.raises(Refusal, match=r"/test_\d+: in use by a server; expected"):
                await PostgresStore(postgres_url).migrate(0)
            assert await PostgresStore(postgres_url).migrate() == (ahead - 1, ahead - 1)
            assert len(await store.read("T1")) == 1
            # A newer server may start beside it: that only adds.
            assert await migrate(postgres_url, None, future) == (ahead - 1, ahead)
            assert await migrate(postgres_url, ahead - 1, future) == (ahead, ahead - 1)
        assert await PostgresStore(postgres_url).migrate(0) == (ahead - 1, 0)

    run(body())


@pytest.mark.long
def test_a_database_that_is_emptied_while_a_server_starts_is_made_again(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    create, emptied = asyncpg.create_pool, list[tuple[int, int]]()

    async def empty(**options: Any) -> object:  # noqa: ANN401
        emptied.append(await PostgresStore(postgres_url).migrate(0))
        return await create(**options)

    async def body() -> None:
        monkeypatch.setattr(asyncpg, "create_pool", empty)
        async with opened(lambda: PostgresStore(postgres_url)) as store:
            await made(store, "T1")
        assert emptied == [(newest("postgres"), 0)]

    run(body())


@pytest.mark.long
def test_a_database_without_its_tables_is_not_ready(postgres_url: str) -> None:
    async def body() -> None:
        async with opened(lambda: PostgresStore(postgres_url)) as store:
            await store.ping()
            connection = await asyncpg.connect(postgres_url)
            await connection.execute("ALTER TABLE settings RENAME TO elsewhere")
            with pytest.raises(CannotSave, match="settings"):
                await store.ping()
            await connection.close()

    run(body())


@pytest.mark.long
def test_servers_that_start_at_once_migrate_one_after_the_other(postgres_url: str) -> None:
    async def body() -> None:
        moves = await asyncio.gather(*(migrate(postgres_url) for _ in range(6)))
        assert sorted(before for before, _ in moves) == [0, *[newest("postgres")] * 5]

    run(body())
