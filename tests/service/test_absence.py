"""Absence at a table: who is away, and what the others may do then."""

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from tests.service.live import (
    Player,
    Server,
    advance,
    all_reach,
    play_round,
    playing,
    run,
    serving,
)

pytestmark = pytest.mark.long
MINUTE = 60_000


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("absence") / "a.db", compiled=False) as running:
        yield running


def test_a_bot_may_choose_only_for_who_is_away(server: Server) -> None:
    async def body() -> None:
        async with playing(server, 3) as (ana, ben, cleo):
            await play_round([ana, ben, cleo], Random(1))
            ben.close()
            await ana.until(lambda: not ana.table["seats"][1]["present"])
            assert await ana.refused("help 1") == "not_away"
            await advance(server, 59_000)
            assert await ana.refused("help 1") == "not_away"
            await advance(server, 2000)
            await ana.until(lambda: ana.table["seats"][1]["away"])
            assert not ana.table["seats"][2]["away"]
            key = ana.ask("help 1")
            assert (await ana.answer(key))["type"] == "ack"
            await ana.until(lambda: ana.view["public"]["sealed"][1])
            assert (await ana.act("help 1", key))["type"] == "ack"
            assert (await ana.act("help 2", key))["code"] == "key_reused"
            assert await ana.refused("help 1") == "not_away"  # it has chosen
            await ana.play(ana.some_move(Random(2)))
            await cleo.play(cleo.some_move(Random(2)))
            await all_reach([ana, cleo], 2)
            # Only for this round; and whoever comes back is not away any more.
            assert ana.view["public"]["sealed"] == [False] * 3
            await ben.connect()
            await ana.until(lambda: not ana.table["seats"][1]["away"])
            assert await ana.refused("help 1") == "not_away"

    run(body())


def test_three_minutes_without_input_are_absence(server: Server) -> None:
    async def body() -> None:
        async with playing(server, 2) as (ana, ben):
            await advance(server, 2 * MINUTE)
            ana.send(type="ping", active=True)
            await ana.until(lambda: ana.messages[-1]["type"] == "pong")
            await advance(server, MINUTE + 1000)
            await ana.until(lambda: ana.table["seats"][1]["away"])
            assert not ana.table["seats"][0]["away"]
            assert (await ana.act("help 1"))["type"] == "ack"
            ben.send(type="draft", round=0, move=None)
            await ana.play(ana.moves[0])
            await all_reach([ana, ben], 1)
            assert await ana.refused("help 1") == "not_away"

    run(body())


def test_others_together_hand_over_a_seat_and_its_person_takes_it_back(server: Server) -> None:
    async def body() -> None:
        async with playing(server, 3) as (ana, ben, cleo):
            assert await ana.refused("vote 1") == "not_away"
            ben.close()
            await advance(server, 61_000)
            for player in (ana, cleo):
                player.send(type="ping", active=True)
            await ana.until(lambda: ana.table["seats"][1]["away"])
            key = ana.ask("vote 1")
            assert (await ana.answer(key))["type"] == "ack"
            await cleo.until(lambda: cleo.table["seats"][1]["votes"] == [0])
            assert cleo.table["seats"][1]["bot"] is None
            await cleo.play("vote 1")
            await ana.until(lambda: ana.table["seats"][1]["bot"] == "medium")
            await ana.until(lambda: ana.view["public"]["sealed"][1])
            hand = ben.hand
            await ben.connect()
            assert (await ana.act("vote 1", key))["type"] == "ack"  # sent again: the same outcome
            assert await ben.refused("undo") == "bot_plays"
            await ben.play("return")
            assert ben.hand == hand
            await ben.play("undo")
            # Leaving again in the same round: the bot chooses once more.
            await ben.play("leave")
            await ana.until(lambda: ana.view["public"]["sealed"][1])
            await ben.play("return")
            await ana.play(ana.moves[0])
            await cleo.play(cleo.moves[0])
            await all_reach([ana, ben, cleo], 1)
            await play_round([ana, ben, cleo], Random(3))

    run(body())


def test_who_was_gone_before_a_table_was_unloaded_is_away_at_once(server: Server) -> None:
    async def body() -> None:
        async with playing(server, 3) as (ana, ben, cleo):
            for player in (ana, ben, cleo):
                await player.gone()
            await advance(server, 31 * MINUTE)
            await asyncio.sleep(0.3)
            await ana.connect()
            assert [seat["away"] for seat in ana.table["seats"]] == [False, True, True]
            assert (await ana.act("help 1"))["type"] == "ack"
            await cleo.connect()  # whoever comes back is there, before doing anything
            await ana.until(lambda: not ana.table["seats"][2]["away"])
            assert await ana.refused("help 2") == "not_away"

    run(body())


def test_after_a_restart_people_have_a_minute_to_come_back(tmp_path: Path) -> None:
    with serving(tmp_path / "a.db", compiled=False) as server:

        async def before() -> Player:
            async with playing(server, 2) as (ana, _):
                return ana

        ana = run(before())
        server.kill()
        with closing(sqlite3.connect(tmp_path / "a.db")) as db, db:
            db.execute("UPDATE events SET at = at - ?", (10 * MINUTE,))
        server.start()

        async def after() -> None:
            again = Player(server, "P0", "")
            again.token = ana.token
            await again.connect()
            assert await again.refused("help 1") == "not_away"
            await advance(server, MINUTE)
            await again.until(lambda: again.table["seats"][1]["away"])
            assert not again.table["seats"][0]["away"]
            assert (await again.act("help 1"))["type"] == "ack"

        run(after())


def test_a_phone_in_and_out_of_its_network_becomes_away(server: Server) -> None:
    async def body() -> None:
        async with playing(server, 2) as (ana, ben):
            drafted = ben.moves[3]
            await advance(server, 10_000)
            ben.send(type="draft", round=0, move=drafted)
            for _ in range(5):
                await advance(server, 30_000)
                ana.send(type="ping", active=True)
                ben.close()
                await ana.until(lambda: not ana.table["seats"][1]["present"])
                await ben.connect()
                await ana.until(lambda: ana.table["seats"][1]["present"])
                ben.send(type="draft", round=0, move=drafted)  # as clients do by themselves
                ben.send(type="ping")
                await ben.until(lambda: ben.messages[-1]["type"] == "pong")
                assert await ana.refused("help 1") == "not_away"
            await advance(server, 30_000)
            await ana.until(lambda: ana.table["seats"][1]["away"])
            await ben.gone()
            await ben.connect()
            assert ben.table["seats"][1]["away"]
            ben.send(type="ping", active=True)
            await ana.until(lambda: not ana.table["seats"][1]["away"])

    run(body())


def test_votes_count_only_as_long_as_somebody_stays_away(server: Server) -> None:
    async def body() -> None:
        async with playing(server, 3) as (ana, ben, cleo):
            await cleo.gone()
            await advance(server, MINUTE + 1000)
            await ana.play("vote 2")
            await ben.until(lambda: ben.table["seats"][2]["votes"] == [0])
            # It is enough to be there: whoever thinks sends nothing but signs of life.
            await cleo.connect()
            await ben.until(lambda: ben.table["seats"][2]["votes"] == [])
            await cleo.gone()
            await advance(server, MINUTE + 1000)
            await ben.play("vote 2")
            assert ben.table["seats"][2]["bot"] is None
            assert ben.table["seats"][2]["votes"] == [1]
            # Connected, but silent; until something is done.
            await cleo.connect()
            await ben.until(lambda: ben.table["seats"][2]["votes"] == [])
            await advance(server, 4 * MINUTE)
            await ana.play("vote 2")
            await ben.until(lambda: ben.table["seats"][2]["votes"] == [0])
            await cleo.gone()
            await cleo.connect()
            assert cleo.table["seats"][2]["votes"] == [0]
            cleo.send(type="say", phrase="hello")
            await ben.until(lambda: ben.table["seats"][2]["votes"] == [])
            await advance(server, 4 * MINUTE)
            await ben.play("vote 2")
            assert ben.table["seats"][2]["bot"] is None
            await ana.play("vote 2")
            await ben.until(lambda: ben.table["seats"][2]["bot"] == "medium")

    run(body())


def test_who_leaves_does_not_hold_up_the_votes_of_the_others(server: Server) -> None:
    async def body() -> None:
        async with playing(server, 4) as (ana, ben, cleo, dora):
            await dora.gone()
            await advance(server, MINUTE + 1000)
            await ana.play("vote 3")
            await cleo.play("vote 3")
            await ana.until(lambda: ana.table["seats"][3]["votes"] == [0, 2])
            await cleo.play("leave")
            await ana.until(lambda: ana.table["seats"][3]["votes"] == [0])
            await cleo.play("return")
            await ana.until(lambda: ana.table["seats"][3]["votes"] == [0, 2])
            assert ana.table["seats"][3]["bot"] is None
            await ben.play("leave")
            await ana.until(lambda: ana.table["seats"][3]["bot"] == "medium")
            await ana.until(lambda: ana.view["public"]["sealed"][3])

    run(body())


def test_bots_play_only_while_a_person_has_not_left(server: Server) -> None:
    async def body() -> None:
        async with playing(server, 1, ("easy", "easy")) as (ana,):
            await ana.until(lambda: ana.view["public"]["sealed"] == [False, True, True])
            await ana.play("leave")
            await asyncio.sleep(0.3)
            assert (ana.round, ana.view["public"]["sealed"]) == (0, [False, True, True])
            hand = ana.hand
            await ana.play("return")
            assert ana.hand == hand
            await ana.play(ana.moves[0])
            await all_reach([ana], 1)

    run(body())
