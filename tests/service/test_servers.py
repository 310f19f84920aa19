"""Several servers on one database: no server owns a table, and each may go away."""

import asyncio
import time
from collections.abc import Iterator
from random import Random
from urllib.parse import urlsplit

import asyncpg
import psutil
import pytest

from proof.proxy import Proxy
from sideboards.service.limits import TABLES_PER_GUEST
from sideboards.service.store_postgres import PostgresStore
from sideboards.words import words
from tests.service.live import (
    Message,
    Player,
    Server,
    all_reach,
    ask,
    greeted,
    new_player,
    new_table,
    play_round,
    playing,
    run,
    seated,
    serving,
    start,
)
from tests.service.postgres import PostgresServer, database
from tests.service.stores import opened

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def shared_url(running_postgres: PostgresServer) -> Iterator[str]:
    """A database for the tests of this file that harm no server."""
    with database(running_postgres) as url:
        yield url


@pytest.fixture(scope="module")
def one(shared_url: str) -> Iterator[Server]:
    """A server for the tests of this file."""
    with serving(shared_url, compiled=False) as server:
        yield server


@pytest.fixture(scope="module")
def other(shared_url: str) -> Iterator[Server]:
    """Another server on the same database."""
    with serving(shared_url, compiled=False) as server:
        yield server


async def stored(url: str, table: str) -> list[tuple[int, int, str]]:
    """The log of a table as the database has it."""
    connection = await asyncpg.connect(url)
    try:
        rows = await connection.fetch(
            "SELECT position, seat, action FROM events WHERE table_id = $1 ORDER BY position", table
        )
        return [(row[0], row[1], row[2]) for row in rows]
    finally:
        await connection.close()


async def split(players: list[Player], servers: list[Server]) -> None:
    """Connect every second player to the other server."""
    for number, player in enumerate(players):
        player.close()
        await player.connect(servers[number % len(servers)])


def test_a_game_over_two_servers_goes_on_when_one_is_killed(one: Server, shared_url: str) -> None:
    with serving(shared_url, compiled=False) as other:

        async def body() -> None:
            rng = Random(1)
            async with seated(one, 3, ("easy",)) as players:
                await split(players, [one, other])
                await start(players)
                for _ in range(2):
                    await play_round(players, rng, swaps=0.3)
                assert all(player.view["boards"] == players[0].view["boards"] for player in players)
                # All at once, on both servers: each position is written once, nobody is refused.
                for _ in range(2):
                    now = players[0].round
                    keys = [(player, player.ask(player.some_move(rng))) for player in players]
                    for player, key in keys:
                        answer = await player.answer(key)
                        assert answer["type"] == "ack", answer
                    await all_reach(players, now + 1)
                # A newer tab at the other server closes the older one.
                await players[1].until(lambda: players[1].close_code is None)
                newer = Player(one, "P1", "")
                newer.token, newer.seat = players[1].token, 1
                await newer.connect()
                await players[1].until(lambda: players[1].close_code == 4001)
                newer.close()
                await players[1].connect(other)
                # One server dies in mid-round; sealed choices are known to the other.
                await players[0].play(players[0].some_move(rng))
                sealed = players[1].some_move(rng)
                key = players[1].ask(sealed)
                await players[1].answer(key)
                views = [player.view for player in players]
                await asyncio.to_thread(other.kill)
                for player, view in zip(players, views, strict=True):
                    if player.server is other:
                        player.close()
                        await player.connect(one)
                    assert player.view["choice"] == view["choice"]
                    assert player.view["hands"] == view["hands"]
                # As if the answer of the dead one had been lost: sent again, it counts once.
                again = await players[1].act(sealed, key)
                assert again["type"] == "ack", again
                for player in players[2:]:
                    await player.play(player.some_move(rng))
                await all_reach(players, 5)
                while players[0].round <= 6:
                    await play_round(players, rng)
                log = await stored(shared_url, players[0].table_id)
                assert [position for position, _, _ in log] == list(range(len(log)))
                assert sum((seat, action) == (1, sealed) for _, seat, action in log) == 1

        run(body())


def test_what_both_servers_would_write_is_stored_once(
    one: Server, other: Server, shared_url: str
) -> None:
    async def body() -> None:
        async with seated(one, 2, ("easy",), round_seconds=10) as players:
            await split(players, [one, other])
            await start(players)
            ana, ben = players
            drafted = ben.moves[5]
            ben.send(type="draft", round=0, move=drafted)  # known to the other server only
            await all_reach(players, 1, 15)
            log = await stored(shared_url, ana.table_id)
            (dealt,) = [position for position, _, action in log if action == "deal"]
            moves = log[dealt + 1 :]
            first = [(seat, action) for _, seat, action in moves if "," in action]
            assert sorted(seat for seat, _ in first) == [0, 1, 2]
            assert (1, drafted) in first
            await play_round(players, Random(2))
            assert ana.view["boards"] == ben.view["boards"]

    run(body())


def test_who_goes_on_at_another_server_is_never_gone(
    one: Server, other: Server, shared_url: str
) -> None:
    async def body() -> None:
        async with playing(one, 2) as (ana, _), opened(lambda: PostgresStore(shared_url)) as store:
            heard: list[str] = []
            store.listen(lambda _: None, lambda text: heard.extend(text.splitlines()), lambda: None)
            newer = Player(other, "P0", "")
            newer.token, newer.seat = ana.token, 0
            await newer.connect()
            await ana.until(lambda: ana.close_code == 4001)
            await asyncio.sleep(0.3)
            ends = f"gone {ana.table_id} 0"
            assert any(line.startswith(f"join {ana.table_id} 0 ") for line in heard)
            assert ends not in heard
            newer.close()
            while ends not in heard:
                await asyncio.sleep(0.02)

    run(body())


def test_who_sits_down_elsewhere_is_known_by_name(one: Server, other: Server) -> None:
    async def body() -> None:
        async with seated(one, 1, seats=2) as (ana,), seated(other, 1) as (ben,):
            ben.name = "P0"
            await ben.sit(ana.table_id, 1)
            await ben.connect(other)
            await ana.until(lambda: ana.table["seats"][1]["present"])
            await ana.until(lambda: ana.table["seats"][1]["name"] == "P0")
            ben.send(type="say", phrase="hello")
            await ana.until(lambda: ana.messages[-1]["type"] == "said")
            ben.close()
            await ana.until(lambda: not ana.table["seats"][1]["present"])

    run(body())


def test_requests_see_the_present_whichever_server_takes_them(one: Server, other: Server) -> None:
    async def body() -> None:
        async with seated(one, 2) as players:
            await split(players, [one, other])
            await start(players)
            ana = players[0]
            for _ in range(20):
                path = f"/api/tables/{ana.table_id}"
                key, move = ana.new_key(), ana.moves[0]
                deed = {"key": key, "action": move}
                done = await ask(one, "POST", f"{path}/actions", deed, ana.headers)
                assert done.status_code == 200, done.text
                seen = await ask(other, "GET", f"{path}/view", None, ana.headers)
                assert seen.json()["view"]["choice"] == move
                assert (await ana.act("undo"))["type"] == "ack"

    run(body())


def test_whoever_comes_is_answered_within_a_second_while_the_database_sleeps(
    postgres_url: str,
) -> None:
    async def body(server: Server) -> None:
        async with playing(server, 2) as (ana, ben):
            for player in (ana, ben):
                player.close()
            connection = await asyncpg.connect(postgres_url)
            await connection.execute("BEGIN; LOCK TABLE events, tables, guests")
            try:
                begun = time.monotonic()
                await ana.connect()
                assert ana.close_code == 1013
                assert time.monotonic() - begun < 1
                assert ana.messages[-1]["code"] == "cannot_save"
            finally:
                await connection.close()
            await ana.connect()
            assert ana.view

    with serving(postgres_url, compiled=False) as server:
        run(body(server))


def test_a_lost_wake_up_is_caught_up(one: Server, other: Server, shared_url: str) -> None:
    async def body() -> None:
        async with seated(one, 2) as players:
            await split(players, [one, other])
            await start(players)
            connection = await asyncpg.connect(shared_url)
            for _ in range(3):
                # All connections that listen are cut, and a move is made meanwhile.
                await connection.execute(
                    """SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                       WHERE datname = current_database() AND pid <> pg_backend_pid()
                       AND query ILIKE 'LISTEN%'"""
                )
                await play_round(players, Random(3))
            await connection.close()

    run(body())


def test_a_server_that_is_cut_off_shows_nobody_an_older_board(one: Server, shared_url: str) -> None:
    port = urlsplit(shared_url).port or 0

    async def body() -> None:
        async with Proxy(port) as line:
            address = shared_url.replace(f":{port}/", f":{line.port}/")
            far = Server(address, compiled=False)
            try:
                await asyncio.to_thread(far.start)
                async with playing(one, 3) as players:
                    await split(players, [one, far])
                    line.refuse()
                    line.cut()
                    ana = players[0]
                    await ana.play(ana.moves[0])
                    ana.close()
                    await ana.connect(far)
                    assert ana.close_code == 1013
                    assert not ana.view
                    line.mend()
                    await ana.connect(far)
                    assert ana.seq == 2
                    assert ana.view["public"]["sealed"] == [True, False, False]
            finally:
                await asyncio.to_thread(far.kill)
                assert not far.failures()

    run(body())


def test_servers_say_when_they_come_and_go(postgres_url: str) -> None:
    """So that nobody counts as away whose connection was only cut by one of them."""

    async def body() -> None:
        store, heard = PostgresStore(postgres_url), list[str]()
        store.listen(lambda _: None, heard.append, lambda: None)
        await store.open()
        server = Server(postgres_url, compiled=False)
        try:
            await asyncio.to_thread(server.start)
            async with asyncio.timeout(5):
                while heard != ["cut"]:
                    await asyncio.sleep(0.05)
            server.terminate()
            assert await server.ended(20) == 0
            assert heard == ["cut"] * 2
        finally:
            await asyncio.to_thread(server.kill)
            await store.close()
        assert not server.failures()

    run(body())


# ---- what is noticed ----


async def news(player: Player, server: Server) -> list[Message]:
    """What was noticed at somebody's table, as a server tells those who ask."""
    answer = await ask(server, "GET", f"/api/tables/{player.table_id}/news?language=de", None)
    return [each["message"] for each in answer.json() if each["message"]["type"] == "notice"]


def noticed(player: Player) -> list[tuple[str, int]]:
    """What somebody has heard of, in order of the seats."""
    notices = [message for message in player.messages if message["type"] == "notice"]
    return sorted((notice["code"], notice["seat"]) for notice in notices)


def test_that_time_is_up_is_told_once_at_every_server(one: Server, other: Server) -> None:
    async def body() -> None:
        async with seated(one, 3, round_seconds=10) as players:
            await split(players, [one, other])
            ben = players[1]
            ben.close()
            await ben.connect(language="fr")
            await start(players)
            players[2].close()  # whoever is at no server is chosen for by any
            ben.send(type="draft", round=0, move=ben.moves[5])
            expected = [("timeout", 0), ("timeout", 1), ("timeout", 2)]
            for player in players[:2]:
                await player.until(lambda p=player: noticed(p) == expected, 20)  # type: ignore[misc]
            await asyncio.sleep(0.5)  # nothing comes twice
            assert [noticed(player) for player in players[:2]] == [expected] * 2
            said = {m["seat"]: m["sentence"] for m in ben.messages if m["type"] == "notice"}
            assert said[0] == words("fr")("notice.timeout", name="P0")
            for server in (one, other):
                told = await news(ben, server)
                assert sorted(each["seat"] for each in told) == [0, 1, 2]
                assert words("de")("notice.timeout", name="P0") in {m["sentence"] for m in told}

    run(body())


def stop_thinking(server: Server) -> None:
    """No bot of a server answers any more, until it has found that out."""
    workers = psutil.Process(server.pid).children(recursive=True)
    assert workers
    for worker in workers:
        worker.suspend()


def test_a_bot_that_was_replaced_is_told_once_at_every_server(postgres_url: str) -> None:
    with (
        serving(postgres_url, compiled=False) as one,
        serving(postgres_url, compiled=False) as other,
    ):

        async def body() -> None:
            async with seated(one, 2, ("hard",)) as players:
                await split(players, [one, other])
                for server in (one, other):  # each finds it out, and one of them stores a choice
                    stop_thinking(server)
                await start(players)
                for player in players:
                    await player.until(lambda p=player: noticed(p), 15)  # type: ignore[misc]
                await asyncio.sleep(1)
                for player in players:
                    assert noticed(player) == [("bot_replaced", 2)]
                for server in (one, other):
                    assert [each["seat"] for each in await news(players[0], server)] == [2]

        run(body())


def test_no_bot_is_said_to_be_replaced_that_has_chosen_by_another_server(postgres_url: str) -> None:
    with (
        serving(postgres_url, compiled=False) as one,
        serving(postgres_url, compiled=False) as other,
    ):

        async def body() -> None:
            async with seated(one, 2, ("hard",)) as players:
                await split(players, [one, other])
                stop_thinking(one)
                await start(players)
                for player in players:
                    await player.until(lambda p=player: p.view["public"]["sealed"][2])  # type: ignore[misc]
                await asyncio.sleep(6)  # until the first has found it out as well
                assert not any(noticed(player) for player in players)

        run(body())


# ---- a slow database ----


def test_a_slow_commit_is_told_and_one_at_a_time(one: Server, shared_url: str) -> None:
    async def body() -> None:
        async with playing(one, 3) as (ana, ben, cleo):
            lock = await asyncpg.connect(shared_url)
            transaction = lock.transaction()
            await transaction.start()
            await lock.execute("LOCK TABLE events IN EXCLUSIVE MODE")
            begun = time.monotonic()
            key = ana.ask(ana.moves[0])
            await ana.until(lambda: ana.messages[-1] == {"type": "pending", "key": key}, 1.3)
            assert 0.7 < time.monotonic() - begun < 1.2
            assert not ben.view["public"]["sealed"][0]  # nobody hears of it before the commit
            assert ana.view["choice"] is None
            answer: Message = await ana.act("undo")
            assert answer["code"] == "busy"
            deed = {"key": "0.9.another", "action": "undo"}  # of the same seat, by another way
            route = f"/api/tables/{ana.table_id}/actions"
            assert (await ana.rest("POST", route, deed)).json()["code"] == "busy"
            ana.ask(ana.moves[0], key)  # sent again: one answer serves both
            ana.send(type="ping")
            await ana.until(lambda: ana.messages[-1] == {"type": "pong"}, 1)
            other = ben.ask(ben.moves[0])
            await ben.until(lambda: ben.messages[-1] == {"type": "pending", "key": other}, 2)
            await transaction.rollback()
            assert (await ana.answer(key))["type"] == "ack"
            assert (await ben.answer(other))["type"] == "ack"
            assert sum(m["type"] == "ack" and m["key"] == key for m in ana.messages) == 1
            await ana.play("undo")
            await ana.play(ana.moves[0])
            await cleo.play(cleo.moves[0])
            await all_reach([ana, ben, cleo], 1)
            await lock.close()

    run(body())


def test_a_greeting_that_takes_longer_is_answered_within_a_second(
    one: Server, shared_url: str
) -> None:
    async def body() -> None:
        async with playing(one, 2) as (ana, _):
            ana.close()
            await ana.gone()
            lock = await asyncpg.connect(shared_url)
            transaction = lock.transaction()
            await transaction.start()
            await lock.execute("LOCK TABLE events IN ACCESS EXCLUSIVE MODE")
            begun, wire = time.monotonic(), await greeted(ana)
            told = asyncio.ensure_future(wire.message())
            while not told.done():  # others are answered, so the database is busy, not asleep
                assert (await ask(one, "GET", "/ready", None)).status_code == 200
                await asyncio.sleep(0.1)
            assert told.result() == {"type": "pending", "key": None}
            assert 0.7 < time.monotonic() - begun < 1.2
            await transaction.rollback()
            answer: Message = await wire.message()
            assert answer["type"] == "welcome", answer
            wire.abort()
            await lock.close()

    run(body())


def test_a_server_stops_in_good_order_when_its_database_is_gone(
    postgres_server: PostgresServer,
) -> None:
    with serving(postgres_server.url, compiled=False) as server:
        postgres_server.kill()
        server.terminate()
        assert run(server.ended(20)) == 0


def test_two_servers_together_keep_to_the_limit_of_tables(postgres_url: str) -> None:
    with serving(postgres_url) as one, serving(postgres_url) as other:

        async def body() -> None:
            for _ in range(4):
                ana = await new_player(one)
                for _ in range(TABLES_PER_GUEST - 1):
                    await new_table(ana)
                one_each = [
                    ask(server, "POST", "/api/tables", {}, ana.headers) for server in (one, other)
                ]
                codes = [answer.status_code for answer in await asyncio.gather(*one_each)]
                assert 429 in codes
            connection = await asyncpg.connect(postgres_url)
            try:
                rows = await connection.fetch(
                    "SELECT count(*) FROM tables WHERE phase = 'waiting' GROUP BY made_by"
                )
            finally:
                await connection.close()
            assert len(rows) == 4
            assert all(TABLES_PER_GUEST - 1 <= row[0] <= TABLES_PER_GUEST for row in rows), rows

        run(body())
