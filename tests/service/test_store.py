"""One contract for both stores: what the service may rely on, whatever the database."""

import asyncio
import time
from dataclasses import replace
from pathlib import Path

import pytest

from sideboards.service import store, store_postgres, writer
from sideboards.service.log import (
    RESTART_GRACE,
    SERVER_ALIVE,
    Event,
    Guest,
    Store,
    Taken,
    Write,
)
from sideboards.service.store import SqliteStore
from sideboards.service.store_postgres import PostgresStore
from tests.service.stores import (
    ANA,
    BEN,
    WAITING,
    AnyStore,
    Make,
    contract,
    creation,
    made,
    opened,
    run,
    set_clock,
    with_guests,
)


@pytest.fixture(params=["sqlite", "thread", pytest.param("postgres", marks=pytest.mark.long)])
def make(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    if request.param == "thread":  # as where the system has no rings
        monkeypatch.setattr(writer, "open_ring", lambda _: None)
    if request.param != "postgres":
        return lambda: SqliteStore(tmp_path / "games.db")
    url: str = request.getfixturevalue("postgres_url")
    return lambda: PostgresStore(url)


# ---- the log ----------------------------------------------------------------------------------


@contract
async def test_events_come_back_in_order_with_all_they_hold(store: AnyStore) -> None:
    as_protocol: Store = store  # both keep to the protocol, also for the type checker
    before = await as_protocol.now()
    first = await made(store, "T1")
    second = await store.append(Write("T1", 1, 3, "L17~ äöü\n", "1.1.abcd"))
    assert before <= first <= second <= await store.now()
    assert await store.read("T1") == [
        Event(0, -1, "create", "", first),
        Event(1, 3, "L17~ äöü\n", "1.1.abcd", second),
    ]
    assert [event.position for event in await store.read("T1", after=0)] == [1]
    assert await store.read("T1", after=1) == []
    assert await store.read("T2") == []


@contract
async def test_a_position_is_written_once(store: AnyStore) -> None:
    await made(store, "T1")
    await store.append(Write("T1", 1, 0, "swap", "1.1.aaaa"))
    with pytest.raises(Taken):
        await store.append(Write("T1", 1, 1, "swap", "1.1.bbbb"))
    with pytest.raises(Taken):
        await made(store, "T1", summary="other")
    assert [event.key for event in await store.read("T1")] == ["", "1.1.aaaa"]
    assert (await store.lobby())[0].summary == "{}"


@contract
async def test_no_gaps(store: AnyStore) -> None:
    with pytest.raises(Taken):
        await store.append(Write("T1", 1, 0, "swap"))
    await made(store, "T1")
    with pytest.raises(Taken):
        await store.append(Write("T1", 2, 0, "swap", row=replace(WAITING, summary="late")))
    assert len(await store.read("T1")) == 1
    assert (await store.lobby())[0].summary == "{}"


@contract
async def test_the_first_event_needs_a_row(store: AnyStore) -> None:
    with pytest.raises(ValueError, match="row"):
        await store.append(Write("T1", 0, -1, "create"))


@contract
async def test_200_writers_to_200_tables_all_win(store: AnyStore) -> None:
    names = [f"T{number}" for number in range(200)]
    await asyncio.gather(*(made(store, name) for name in names))
    await asyncio.gather(*(store.append(Write(name, 1, 0, name)) for name in names))
    for name in names:
        assert [event.action for event in await store.read(name)] == ["create", name]


@contract
async def test_200_writers_to_one_position_one_wins(store: AnyStore) -> None:
    await made(store, "T1")
    writes = [Write("T1", 1, 0, f"R{number}") for number in range(200)]
    results = await asyncio.gather(*map(store.append, writes), return_exceptions=True)
    won = [number for number, result in enumerate(results) if isinstance(result, int)]
    assert sum(isinstance(result, Taken) for result in results) == 199
    assert [event.action for event in await store.read("T1", after=0)] == [f"R{won[0]}"]


@contract
async def test_what_follows_in_the_same_breath_is_stored_too(store: AnyStore) -> None:
    writes = [creation("T1"), *(Write("T1", number, 0, "swap") for number in range(1, 20))]
    await asyncio.gather(*map(store.append, writes))
    assert [event.position for event in await store.read("T1")] == list(range(20))


@contract
async def test_neighbours_of_a_loser_are_stored(store: AnyStore) -> None:
    await made(store, "T1")
    await store.append(Write("T1", 1, 0, "swap"))
    results = await asyncio.gather(
        made(store, "A"),
        store.append(Write("T1", 1, 1, "swap")),
        store.append(Write("T1", 3, 1, "swap")),
        made(store, "B"),
        return_exceptions=True,
    )
    assert [type(result) for result in results] == [int, Taken, Taken, int]
    assert {listed.table for listed in await store.lobby()} == {"A", "B", "T1"}


@contract
async def test_poison_text_hurts_nobody_else(store: AnyStore) -> None:
    await made(store, "T1")
    good, bad = await asyncio.gather(
        made(store, "A"), store.append(Write("T1", 1, 0, "\ud800")), return_exceptions=True
    )
    assert isinstance(good, int)
    assert isinstance(bad, Exception)
    assert len(await store.read("T1")) == 1
    await store.append(Write("T1", 1, 0, "swap"))


@contract
async def test_a_caller_that_went_away_disturbs_nothing(store: AnyStore) -> None:
    gone = asyncio.create_task(made(store, "T1"))
    await asyncio.sleep(0)
    gone.cancel()
    await made(store, "T2")
    assert len(await store.read("T1")) == 1


# ---- lists and deadlines ----------------------------------------------------------------------


@contract
async def test_the_lobby_shows_public_open_tables_newest_first(store: AnyStore) -> None:
    await with_guests(store)
    seated = ((ANA.id, 0), (BEN.id, 1))
    created = await made(store, "old", summary='{"seats":2}', guests=seated, due_after=1000)
    await made(store, "private", public=False)
    await asyncio.sleep(0.002)
    await made(store, "over")
    over = replace(WAITING, phase="finished")
    await store.append(Write("over", 1, 0, "end", row=over))
    await asyncio.sleep(0.002)
    await made(store, "new")
    later = await store.append(Write("old", 1, 0, "swap"))
    newest, oldest = await store.lobby()
    assert newest.table == "new"
    assert (oldest.table, oldest.phase, oldest.created, oldest.updated) == (
        "old",
        "waiting",
        created,
        later,
    )
    assert (oldest.due, oldest.summary, oldest.guests) == (created + 1000, '{"seats":2}', seated)
    assert [listed.table for listed in await store.lobby(limit=1)] == ["new"]


@contract
async def test_a_row_replaces_the_older_one(store: AnyStore) -> None:
    await with_guests(store)
    await made(store, "T1", guests=((ANA.id, 0), (BEN.id, 1)), due_after=60_000, made_by=ANA.id)
    row = replace(
        WAITING, phase="playing", summary="2", guests=((BEN.id, 0), (BEN.id, 2), ("nobody", 1))
    )
    await store.append(Write("T1", 1, -1, "deal", row=row))
    (listed,) = await store.tables_of(BEN.id)
    assert listed.guests == ((BEN.id, 0), (BEN.id, 2))
    assert (listed.phase, listed.summary, listed.due) == ("playing", "2", None)
    assert await store.tables_of(ANA.id) == []
    assert await store.open_tables_of(ANA.id) == [listed], "made_by stays"
    assert await store.due("T1") is None


@contract
async def test_the_tables_of_a_guest_latest_event_first(store: AnyStore) -> None:
    await with_guests(store)
    for table in ("T1", "T2", "T3"):
        await made(store, table, guests=((ANA.id, 0),), phase="finished")
        await asyncio.sleep(0.002)
    await store.append(Write("T1", 1, 0, "swap"))
    assert [listed.table for listed in await store.tables_of(ANA.id)] == ["T1", "T3", "T2"]
    assert [listed.table for listed in await store.tables_of(ANA.id, limit=1)] == ["T1"]
    assert await store.tables_of(BEN.id) == []


@contract
async def test_open_tables_are_those_of_who_made_them(store: AnyStore) -> None:
    async def found() -> list[str]:
        return [listed.table for listed in await store.open_tables_of(ANA.id)]

    await with_guests(store)
    await made(store, "T1", made_by=ANA.id)
    await asyncio.sleep(0.002)
    await made(store, "T2", made_by=ANA.id, phase="playing")
    await made(store, "T3", made_by=BEN.id)
    assert await found() == ["T1", "T2"]
    assert [listed.made_by for listed in await store.open_tables_of(ANA.id)] == [ANA.id] * 2
    await asyncio.sleep(0.002)
    await store.append(Write("T1", 1, 0, "swap"))
    assert await found() == ["T2", "T1"], "the latest event last"
    await store.append(Write("T1", 2, -1, "abandon", row=replace(WAITING, phase="abandoned")))
    assert await found() == ["T2"]


def test_a_table_is_left_to_those_who_sit_there(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    seated = {
        "empty": (),
        "mine": ((ANA.id, 0),),
        "ours": ((ANA.id, 0), (BEN.id, 1)),
        "left": ((BEN.id, 1),),
    }

    async def body() -> None:
        async with opened(make) as db:
            await with_guests(db)
            for table, guests in seated.items():
                await made(db, table, made_by=ANA.id, guests=guests)
            found = {listed.table for listed in await db.open_tables_of(ANA.id)}
            assert found == {"empty", "mine", "ours", "left"}
            for module in (store, store_postgres):
                monkeypatch.setattr(module, "LEFT_AFTER", 100)
            await asyncio.sleep(0.15)
            found = {listed.table for listed in await db.open_tables_of(ANA.id)}
            assert found == {"empty", "mine", "ours"}
            await db.append(Write("left", 1, 1, "swap"))
            found = {listed.table for listed in await db.open_tables_of(ANA.id)}
            assert found == {"empty", "mine", "ours", "left"}, "they play just now"

    run(body())


@contract
async def test_due_tables_oldest_first(store: AnyStore) -> None:
    late = await made(store, "late", due_after=2000) + 2000
    soon = await made(store, "soon", due_after=1000, phase="playing") + 1000
    await made(store, "over", due_after=1, phase="finished")
    await made(store, "never")
    assert await store.all_due(soon - 1) == []
    assert await store.all_due(soon) == ["soon"]
    assert await store.all_due(late) == ["soon", "late"]
    assert await store.all_due(late, limit=1) == ["soon"]
    assert await store.due("late") == late
    assert await store.due("never") is None
    assert await store.due("unknown") is None
    await store.append(Write("late", 1, 0, "swap"))
    assert await store.due("late") == late, "an event without a row leaves the deadline"


@contract
async def test_forgotten_tables(store: AnyStore) -> None:
    await made(store, "clock", due_after=1)
    await made(store, "over", phase="abandoned")
    await made(store, "touched")
    created = await made(store, "still")
    await asyncio.sleep(0.005)
    await store.append(Write("touched", 1, 0, "swap"))
    assert await store.forgotten(created) == []
    assert await store.forgotten(created + 2) == ["still"]
    assert set(await store.forgotten(await store.now() + 1)) == {"still", "touched"}


@contract
async def test_a_short_code_leads_to_its_waiting_table_only(store: AnyStore) -> None:
    await made(store, "T1", code="ABC234")
    assert await store.table_with_code("ABC234") == "T1"
    assert await store.table_with_code("") is None
    assert await store.table_with_code("XYZ234") is None
    with pytest.raises(Taken):
        await made(store, "T2", code="ABC234")
    assert await store.read("T2") == []
    await store.append(Write("T1", 1, 0, "start", row=replace(WAITING, phase="playing")))
    assert await store.table_with_code("ABC234") is None
    await made(store, "T2", code="ABC234")
    assert await store.table_with_code("ABC234") == "T2"
    await store.drop_codes(0)
    assert await store.table_with_code("ABC234") == "T2", "it is younger"
    await store.drop_codes(await store.now() + 1)
    assert await store.table_with_code("ABC234") is None


# ---- guests -----------------------------------------------------------------------------------


@contract
async def test_guests_and_their_devices(store: AnyStore) -> None:
    await with_guests(store)
    assert await store.guest_of_device(b"ana's phone") == ANA
    assert await store.guest_of_device(b"unknown") is None
    await store.add_device(ANA.id, b"ana's laptop")
    await store.change_guest(Guest(ANA.id, "Ana Maria", "it"))
    assert await store.guest_of_device(b"ana's laptop") == Guest(ANA.id, "Ana Maria", "it")
    assert await store.names([ANA.id, BEN.id, "nobody"]) == {ANA.id: "Ana Maria", BEN.id: "Ben"}
    assert await store.names([]) == {}
    with pytest.raises(Taken):
        await store.add_guest(ANA, b"third")


@contract
async def test_a_transfer_code_works_once_and_not_for_ever(store: AnyStore) -> None:
    await with_guests(store)
    now = await store.now()
    await store.add_transfer(b"first", ANA.id, now + 60_000)
    await store.add_transfer(b"second", ANA.id, now + 60_000)
    await store.add_transfer(b"ben's", BEN.id, now + 60_000)
    assert await store.take_transfer(b"first") is None, "replaced"
    both = await asyncio.gather(store.take_transfer(b"second"), store.take_transfer(b"second"))
    assert sorted(both, key=str) == [ANA, None]
    assert await store.take_transfer(b"ben's") == BEN
    await store.add_transfer(b"third", ANA.id, now)
    assert await store.take_transfer(b"third") is None, "expired"


@contract
async def test_a_feed_has_one_address(store: AnyStore) -> None:
    await with_guests(store)
    await store.set_feed(ANA.id, b"one")
    assert await store.guest_of_feed(b"one") == ANA
    await store.set_feed(ANA.id, b"two")
    assert await store.guest_of_feed(b"one") is None
    assert await store.guest_of_feed(b"two") == ANA


@contract
async def test_a_deleted_guest_is_nowhere_but_in_the_logs(store: AnyStore) -> None:
    await with_guests(store)
    seated = ((ANA.id, 0), (BEN.id, 1))
    await made(store, "T1", guests=seated, made_by=ANA.id)
    await store.set_feed(ANA.id, b"feed")
    await store.add_transfer(b"code", ANA.id, await store.now() + 60_000)
    await store.delete_guest(ANA.id)
    assert await store.guest_of_device(b"ana's phone") is None
    assert await store.guest_of_feed(b"feed") is None
    assert await store.take_transfer(b"code") is None
    assert await store.names([ANA.id, BEN.id]) == {BEN.id: "Ben"}
    assert await store.tables_of(ANA.id) == []
    assert await store.open_tables_of(ANA.id) == []
    assert len(await store.read("T1")) == 1
    await store.append(Write("T1", 1, 1, "swap", row=replace(WAITING, guests=seated)))
    assert (await store.lobby())[0].guests == ((BEN.id, 1),), "no row brings her back"
    await store.add_device(ANA.id, b"new")
    await store.add_transfer(b"new", ANA.id, await store.now() + 60_000)
    await store.set_feed(ANA.id, b"new")
    assert await store.guest_of_device(b"new") is None
    assert await store.take_transfer(b"new") is None
    assert await store.guest_of_feed(b"new") is None


# ---- servers ----------------------------------------------------------------------------------


async def set_ahead(store: AnyStore, milliseconds: int) -> None:
    """Let the clock of a database show another time."""
    if isinstance(store, SqliteStore):
        store.offset = milliseconds
    else:
        await set_clock(store, milliseconds)


def test_the_first_start_moves_nothing_the_next_ones_do(make: Make) -> None:
    async def body() -> None:
        async with opened(make) as store:
            assert await store.resume("a") == 0
            due = await made(store, "T1", due_after=1000) + 1000
            await made(store, "over", due_after=1000, phase="finished")
            await made(store, "never")
            over = await store.due("over")
            await store.beat("a")
            stopped = await store.now()
            await store.leave("a")
        await asyncio.sleep(0.3)
        async with opened(make) as store:
            before = await store.now()
            moved = await store.resume("b")
            after = await store.now()
            assert before - stopped - 50 <= moved - RESTART_GRACE <= after - stopped
            assert await store.due("T1") == due + moved
            assert await store.due("over") == over
            assert await store.due("never") is None

    run(body())


def test_deadlines_follow_a_calendar_that_was_set_back_meanwhile(make: Make) -> None:
    hours = 3 * 3_600_000

    async def body() -> None:
        async with opened(make) as store:
            await set_ahead(store, hours)
            await store.resume("a")
            assert await made(store, "T1", due_after=60_000) > time.time() * 1000 + hours - 60_000
            await store.leave("a")
        async with opened(make) as store:
            await set_ahead(store, 0)
            moved = await store.resume("b")
            assert moved < 0
            due = await store.due("T1")
            assert due is not None
            assert 60_000 <= due - await store.now() <= 60_000 + RESTART_GRACE

    run(body())


def test_a_server_that_comes_back_under_its_name_was_away(make: Make) -> None:
    async def body() -> None:
        async with opened(make) as store:
            await store.resume("a")
            moved = await store.resume("a")
            assert RESTART_GRACE <= moved < RESTART_GRACE + SERVER_ALIVE

    run(body())


@contract
async def test_it_answers(store: AnyStore) -> None:
    await store.ping()
    await store.announce("nobody hears it")


def test_everything_is_there_after_closing(make: Make) -> None:
    async def body() -> None:
        async with opened(make) as store:
            secret = await store.secret()
            assert len(secret) == 32
            assert await store.secret() == secret
            await with_guests(store)
            await made(store, "T1", guests=((ANA.id, 0),), code="ABC234", due_after=5)
            event = (await store.read("T1"))[0]
            listed = await store.lobby()
        async with opened(make) as store:
            assert await store.secret() == secret
            assert await store.read("T1") == [event]
            assert await store.lobby() == listed
            assert await store.guest_of_device(b"ana's phone") == ANA
            with pytest.raises(Taken):
                await made(store, "T1")

    run(body())


def test_closing_finishes_what_was_asked_for(make: Make) -> None:
    async def body() -> None:
        async with opened(make) as store:
            tasks = [asyncio.create_task(made(store, f"T{number}")) for number in range(50)]
            await asyncio.sleep(0)
        assert all(isinstance(time, int) for time in await asyncio.gather(*tasks))
        async with opened(make) as store:
            assert len(await store.lobby()) == 50

    run(body())
