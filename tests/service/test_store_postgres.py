"""What only the PostgreSQL store promises: several servers, and a database that goes away."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import asyncpg
import pytest

from sideboards.core.refusal import Refusal
from sideboards.service import postgres_statements as statements
from sideboards.service import store_postgres
from sideboards.service.dump import backup, restore
from sideboards.service.log import RESTART_GRACE, CannotSave, InDoubt, Taken, Write
from sideboards.service.postgres_database import FAILED, PostgresDatabase, connect, one_line
from sideboards.service.sqlite_file import SqliteFile
from sideboards.service.store import SqliteStore
from sideboards.service.store_postgres import PostgresStore
from tests.service.postgres import PostgresServer
from tests.service.stores import (
    ANA,
    WAITING,
    AnyStore,
    creation,
    made,
    opened,
    run,
    with_guests,
)

pytestmark = pytest.mark.long


async def until(true: Callable[[], bool], limit: float = 10) -> None:
    end = time.monotonic() + limit
    while not true():
        assert time.monotonic() < end
        await asyncio.sleep(0.01)


async def again(what: Callable[[], Awaitable[object]], limit: float = 10) -> None:
    """Try until the database answers."""
    end = time.monotonic() + limit
    while True:
        try:
            await what()
        except (CannotSave, InDoubt):
            assert time.monotonic() < end
            await asyncio.sleep(0.05)
        else:
            return


def notes_of(store: AnyStore) -> list[str]:
    """What a store hears, as it comes."""
    notes: list[str] = []
    store.listen(
        lambda table: notes.append(f"wake {table}"),
        lambda text: notes.append(f"heard {text}"),
        lambda: notes.append("lost"),
    )
    return notes


def test_lists_and_deadlines_can_use_indexes_only(postgres_url: str) -> None:
    async def body() -> None:
        async with opened(lambda: PostgresStore(postgres_url)):
            connection = await asyncpg.connect(postgres_url)
            await connection.execute("SET enable_seqscan = off")  # small tables need no index
            for name in (
                *("READ", "DUE", "ALL_DUE", "FORGOTTEN", "LOBBY", "TABLES_OF", "OPEN_TABLES_OF"),
                *("WITH_CODE", "OF_DEVICE", "OF_FEED", "TAKE_TRANSFER", "NAMES"),
            ):
                prepared = await connection.prepare(getattr(statements, name))
                values = {"text": "x", "bytea": b"x", "text[]": ["x"], "int4[]": [5]}
                types = [parameter.name for parameter in prepared.get_parameters()]
                plan = str(await prepared.explain(*(values.get(kind, 5) for kind in types)))
                assert "Seq Scan" not in plan, name
                assert "Index" in plan, name
            await connection.close()

    run(body())


def test_servers_hear_each_other_and_not_themselves(postgres_url: str) -> None:
    async def body() -> None:
        async with (
            opened(lambda: PostgresStore(postgres_url)) as one,
            opened(lambda: PostgresStore(postgres_url)) as two,
        ):
            heard = {"one": notes_of(one), "two": notes_of(two)}
            await made(one, "T1")
            await two.append(Write("T1", 1, 0, "swap"))
            await one.announce('{"say": "hello  you"}')
            with pytest.raises(Taken):
                await one.append(Write("T1", 1, 0, "swap"))
            await until(lambda: len(heard["one"]) == 1 and len(heard["two"]) == 2)
            await asyncio.sleep(0.1)
            assert heard == {
                "one": ["wake T1"],
                "two": ["wake T1", 'heard {"say": "hello  you"}'],
            }

    run(body())


def test_two_servers_at_the_same_positions(postgres_url: str) -> None:
    async def grow(store: AnyStore, name: str, table: str) -> int:
        """Append 20 events as a server does: the loser reads again."""
        mine = 0
        position = len(await store.read(table))
        while mine < 20:
            try:
                await store.append(Write(table, position, 0, name, f"{name}{mine}"))
                mine += 1
                position += 1
            except Taken:
                position = len(await store.read(table))
        return mine

    async def body() -> None:
        async with (
            opened(lambda: PostgresStore(postgres_url)) as one,
            opened(lambda: PostgresStore(postgres_url)) as two,
        ):
            tables = [f"T{number}" for number in range(10)]
            for table in tables:
                await made(one, table)
            await asyncio.gather(
                *(grow(one, "one", table) for table in tables),
                *(grow(two, "two", table) for table in reversed(tables)),
            )
            for table in tables:
                events = await one.read(table)
                assert [event.position for event in events] == list(range(41))
                keys = [event.key for event in events if event.action == "two"]
                assert keys == [f"two{number}" for number in range(20)]

    run(body())


def test_deadlines_rest_only_while_no_server_is_alive(postgres_url: str) -> None:
    async def body() -> None:
        async with (
            opened(lambda: PostgresStore(postgres_url)) as one,
            opened(lambda: PostgresStore(postgres_url)) as two,
        ):
            assert await one.resume("one") == 0
            due = await made(one, "T1", due_after=60_000) + 60_000
            assert await two.resume("two") == 0, "one is alive"
            await one.leave("one")
            assert await one.resume("three") == 0, "two is alive"
            await two.leave("two")
            await one.leave("three")
            await asyncio.sleep(0.05)
            moved = sorted(await asyncio.gather(one.resume("four"), two.resume("five")))
            assert moved[0] == 0, "the second of two that start finds the first alive"
            assert RESTART_GRACE + 50 <= moved[1] < RESTART_GRACE + 5000
            assert await one.due("T1") == due + moved[1]

    run(body())


WITNESS = """
    CREATE TABLE said (what text, durable text);
    CREATE FUNCTION say() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO said VALUES (TG_TABLE_NAME, current_setting('synchronous_commit'));
        RETURN NULL;
    END $$;"""


def test_all_that_was_answered_is_on_the_disk_whatever_the_default_is(
    postgres_url: str, tmp_path: Path
) -> None:
    async def body() -> None:
        connection = await asyncpg.connect(postgres_url)
        await connection.execute(WITNESS)
        name = postgres_url.rpartition("/")[2]
        await connection.execute(f"ALTER DATABASE {name} SET synchronous_commit = off")
        async with opened(lambda: SqliteStore(tmp_path / "empty.db")):
            pass
        await backup(SqliteFile(tmp_path / "empty.db"), tmp_path / "dump", lambda *_: None)
        await PostgresStore(postgres_url).migrate()
        tables = ("guests", "devices", "transfers", "tables", "events", "servers")
        for table in tables:
            await connection.execute(
                f"""CREATE TRIGGER said AFTER INSERT OR UPDATE OR DELETE ON {table}
                    FOR EACH STATEMENT EXECUTE FUNCTION say()"""
            )
        await restore(PostgresDatabase(postgres_url), tmp_path / "dump", lambda *_: None)
        async with opened(lambda: PostgresStore(postgres_url)) as store:
            for _ in range(2):  # the second time by a connection that was used before
                await store.resume("me")
                await with_guests(store)
                await store.set_feed(ANA.id, b"feed")
                await store.add_transfer(b"code", ANA.id, await store.now() + 60_000)
                assert await store.take_transfer(b"code") == ANA
                await store.delete_guest(ANA.id)
                await store.delete_guest("g-ben")
            await made(store, "T1")
        rows = await connection.fetch("SELECT DISTINCT what, durable FROM said")
        assert {tuple(row) for row in rows} == {(table, "on") for table in tables}
        await connection.close()

    run(body())


async def hold(connection: "asyncpg.Connection[asyncpg.Record]", table: str) -> None:
    """Keep others from a table's row; fails if somebody else has it for longer."""
    sql = "SELECT 1 FROM tables WHERE id = $1 FOR UPDATE"
    await connection.execute(sql, table, timeout=0.9)


def test_a_second_server_starts_while_others_play(postgres_url: str) -> None:
    async def body() -> None:
        async with (
            opened(lambda: PostgresStore(postgres_url)) as one,
            opened(lambda: PostgresStore(postgres_url)) as two,
        ):
            await one.resume("one")
            await made(one, "T1", due_after=60_000)
            connection = await asyncpg.connect(postgres_url)
            async with connection.transaction():
                await hold(connection, "T1")
                assert await asyncio.wait_for(two.resume("two"), 5) == 0
            await connection.close()

    run(body())


@pytest.mark.parametrize("kind", ["play", "codes", "guest", "resume"])
def test_several_rows_are_changed_in_one_order(postgres_url: str, kind: str) -> None:
    played = replace(WAITING, phase="playing", due_after=60_000)

    async def body() -> None:
        async with opened(lambda: PostgresStore(postgres_url)) as store:
            await store.resume("me")
            names = [f"T{number}" for number in range(10)]
            for table in reversed(names):
                await made(store, table, made_by=ANA.id, code=table, due_after=60_000)
            changes: dict[str, Callable[[], Awaitable[object]]] = {
                "play": lambda: asyncio.gather(
                    *(store.append(Write(table, 1, 0, "swap", row=played)) for table in names)
                ),
                "codes": lambda: store.drop_codes(2**62),
                "guest": lambda: store.delete_guest(ANA.id),
                "resume": lambda: store.resume("me"),
            }
            connection = await asyncpg.connect(postgres_url)
            await connection.execute("ANALYZE")  # so that tables are read as they lie there
            async with connection.transaction():
                await hold(connection, "T4")
                changing = asyncio.ensure_future(changes[kind]())
                await asyncio.sleep(0.2)
                assert not changing.done()
                for later in names[5:]:
                    await hold(connection, later)
            await changing
            await connection.close()

    run(body())


def test_a_server_that_resumes_gives_way_to_one_that_keeps_to_no_order(postgres_url: str) -> None:
    async def body() -> None:
        async with opened(lambda: PostgresStore(postgres_url)) as store:
            await store.resume("me")
            for table in ("T1", "T2"):
                await made(store, table, due_after=60_000)
            before = await store.due("T1")
            connection = await asyncpg.connect(postgres_url)
            await connection.execute("SET deadlock_timeout = '1min'")  # so the other one gives way
            async with connection.transaction():
                await hold(connection, "T2")
                resuming = asyncio.ensure_future(store.resume("me"))
                await asyncio.sleep(0.2)
                await connection.execute("SELECT 1 FROM tables WHERE id = 'T1' FOR UPDATE")
            moved = await resuming
            assert before is not None
            assert await store.due("T1") == before + moved, "once"
            await connection.close()

    run(body())


def test_a_guest_who_is_deleted_while_she_sits_down(postgres_url: str) -> None:
    async def body() -> None:
        async with (
            opened(lambda: PostgresStore(postgres_url)) as one,
            opened(lambda: PostgresStore(postgres_url)) as two,
        ):
            for number in range(30):
                await with_guests(one)
                await asyncio.gather(
                    made(one, f"T{number}", guests=((ANA.id, 0),), made_by=ANA.id),
                    two.delete_guest(ANA.id),
                    two.delete_guest("g-ben"),
                )
                assert await one.tables_of(ANA.id) == []

    run(body())


def test_text_that_postgresql_cannot_hold(postgres_url: str) -> None:
    async def body() -> None:
        async with opened(lambda: PostgresStore(postgres_url)) as store:
            good, bad = await asyncio.gather(
                made(store, "A"), made(store, "B", summary="\0"), return_exceptions=True
            )
            assert isinstance(good, int)
            assert isinstance(bad, CannotSave)
            assert await store.read("B") == []

    run(body())


def test_a_question_that_postgresql_cannot_take_harms_no_other(postgres_url: str) -> None:
    async def body() -> None:
        async with opened(lambda: PostgresStore(postgres_url)) as store:
            await made(store, "T1", due_after=1000)
            await with_guests(store)
            for bad in ("\0", "\ud800"):
                answers = await asyncio.gather(
                    *(store.read("T1"), store.read(bad), store.due("T1"), store.due(bad)),
                    *(store.names([ANA.id]), store.names([bad])),
                    return_exceptions=True,
                )
                assert [isinstance(answer, CannotSave) for answer in answers] == [False, True] * 3

    run(body())


def test_an_address_that_leads_nowhere_is_refused_without_the_password() -> None:
    async def refusal(url: str) -> str:
        with pytest.raises(Refusal) as refused:
            await PostgresStore(url).open()
        return str(refused.value)

    sentence = run(refusal("postgresql://me:hush@127.0.0.1:1/games"))
    assert sentence.startswith(
        "postgresql://127.0.0.1:1/games: ConnectionRefusedError: Connection refused; "
    )
    assert sentence.endswith("; expected a PostgreSQL database that can be reached")
    assert "hush" not in sentence
    assert "\n" not in sentence


def test_what_the_database_says_is_told_without_names_values_and_addresses(
    postgres_url: str,
) -> None:
    refused = ConnectionRefusedError(111, "Connect call failed ('192.0.2.1', 5432)")
    assert one_line(refused) == "ConnectionRefusedError: Connection refused"
    several = OSError(f"Multiple exceptions: {refused}, {refused}")
    assert one_line(several) == "OSError: Connection refused"
    assert one_line(TimeoutError()) == "TimeoutError"

    async def said(sql: str, *values: object, url: str = postgres_url) -> str:
        async def ask() -> None:
            connection = await asyncpg.connect(url)
            try:
                await connection.fetch(sql, *values)
            finally:
                await connection.close()

        with pytest.raises(FAILED) as failed:
            await ask()
        return one_line(failed.value)

    async def body() -> None:
        missing = 'UndefinedTableError 42P01: relation "nowhere" does not exist'
        assert await said("SELECT * FROM nowhere") == missing
        unknown = 'InvalidCatalogNameError 3D000: database "…" does not exist'
        assert await said("SELECT 1", url=f"{postgres_url}x") == unknown
        assert await said("SELECT $1::text::int", "ana") == "InvalidTextRepresentationError 22P02"
        assert await said("SELECT $1::int", "ana") == "DataError 22000"
        connection = await asyncpg.connect(postgres_url)
        await connection.execute("CREATE TABLE names (name text PRIMARY KEY)")
        await connection.execute("INSERT INTO names VALUES ('ana')")
        await connection.close()
        twice = await said("INSERT INTO names VALUES ($1)", "ana")
        # What stands behind it would quote the value.
        assert twice.startswith("UniqueViolationError 23505: duplicate key value violates")
        assert "ana" not in twice

    run(body())


# ---- the database goes away -------------------------------------------------------------------


@dataclass
class Player:
    """Appends to a table as long as it may, and knows what was acknowledged."""

    store: AnyStore
    table: str
    known: dict[int, str] = field(default_factory=dict)
    troubles: int = 0
    over: bool = False

    async def play(self) -> None:
        """Append; after a doubt, look."""
        attempt = 0
        while not self.over:
            position, attempt = len(self.known) + 1, attempt + 1
            key = f"{self.table}.{attempt}"
            try:
                await self.store.append(Write(self.table, position, 0, "swap", key))
            except CannotSave:
                self.troubles += 1
                await asyncio.sleep(0.05)
            except InDoubt:
                self.troubles += 1
                if await self.is_stored(position, key):
                    self.known[position] = key
            else:
                self.known[position] = key

    async def is_stored(self, position: int, key: str) -> bool:
        """Whether the last event is stored, asked until the database is back."""
        keys: list[str] = []

        async def look() -> None:
            keys[:] = [event.key for event in await self.store.read(self.table, position - 1)]

        await again(look)
        assert keys in ([], [key])
        return bool(keys)


def test_what_nobody_has_thought_of_ends_neither_notices_nor_commits(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    faults, told = [True, False, True], list[BaseException]()

    async def flaky(*asked: str) -> object:
        if faults and faults.pop(0):
            raise RuntimeError
        return await connect(*asked)

    async def body() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: told.append(context["exception"]))
        monkeypatch.setattr(store_postgres, "connect", flaky)
        async with asyncio.timeout(20), opened(lambda: PostgresStore(postgres_url)) as store:
            with pytest.raises(CannotSave):
                await made(store, "T1")
            notes = notes_of(store)
            async with opened(lambda: PostgresStore(postgres_url)) as other:
                await made(other, "T2")
            await until(lambda: notes == ["wake T2"])
            await made(store, "T1")
        assert [type(error) for error in told] == [RuntimeError] * 2

    run(body())


def test_without_a_database_the_answer_comes_soon(postgres_server: PostgresServer) -> None:
    async def body() -> None:
        async with opened(lambda: PostgresStore(postgres_server.url)) as store:
            await made(store, "T1")
            postgres_server.kill()
            await asyncio.sleep(0.1)
            for what in (
                lambda: store.append(Write("T1", 1, 0, "swap")),
                lambda: store.append(creation("T2")),
                store.ping,
                lambda: store.read("T1"),
                lambda: store.add_guest(ANA, b"phone"),
                lambda: store.resume("me"),
            ):
                began = time.monotonic()
                with pytest.raises(CannotSave):
                    await what()
                assert time.monotonic() - began < 1
            await asyncio.to_thread(postgres_server.start)
            await again(lambda: store.append(Write("T1", 1, 0, "swap")))
            assert len(await store.read("T1")) == 2

    run(body())
