"""Time at a table: clocks, stand-ins, and what is left alone for long."""

import asyncio
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from statistics import median

import psutil
import pytest

from sideboards.core.fair import check_proof, parse_proof
from sideboards.core.notation import parse_record
from sideboards.data import load_edition
from sideboards.minds.bots import BOTS
from tests.service.live import (
    SOON,
    Player,
    Server,
    advance,
    all_reach,
    finish,
    new_player,
    play_round,
    playing,
    run,
    seated,
    serving,
    start,
)

pytestmark = pytest.mark.long
MINUTE = 60_000
DAY = 86_400_000


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("time") / "a.db", compiled=False) as running:
        yield running


async def tables_in_memory(player: Player) -> int:
    """How many tables the server holds, once the housekeeping is done."""
    await asyncio.sleep(0.2)
    text = (await player.rest("GET", "/metrics")).text
    (line,) = [line for line in text.splitlines() if line.startswith("sideboards_tables ")]
    return int(float(line.split()[1]))


async def until_round(player: Player, round_: int) -> None:
    """Wait until a table has come to a round; asks by a route, so nobody is at the table."""
    async with asyncio.timeout(SOON):
        while True:
            seen = await player.rest("GET", f"/api/tables/{player.table_id}/view")
            if seen.json()["view"]["public"]["round"] >= round_:
                return
            await asyncio.sleep(0.05)


# ---- clocks ----


@pytest.mark.parametrize("seconds", [10, 300, 86_400, 259_200])
def test_at_the_deadline_the_draft_counts_else_a_bots_choice(server: Server, seconds: int) -> None:
    async def body() -> None:
        async with playing(server, 3, round_seconds=seconds) as (ana, ben, cleo):
            assert ana.left is not None
            assert seconds * 1000 - 3000 < ana.left <= seconds * 1000
            for now in range(3):
                moves = [move for move in ana.moves if move != "swap"]
                drafted = moves[-1]
                for move in (*moves[:6], "swap", drafted):
                    ana.send(type="draft", round=now, move=move)
                ben.send(type="draft", round=now, move="L61~")  # never legal
                sealed = cleo.moves[0]
                await cleo.play(sealed)
                await asyncio.sleep(0.3)  # of more than 5 drafts in a second the last comes later
                for player in (ana, ben):
                    player.send(type="ping")
                    count = len(player.messages)
                    await player.until(
                        lambda p=player, c=count: any(  # type: ignore[misc]
                            m["type"] == "pong" for m in p.messages[c:]
                        )
                    )
                assert await ben.refused("help 0") == "not_away"
                await advance(server, seconds * 1000)
                await all_reach([ana, ben, cleo], now + 1)
                played = [move for move in ana.view["played"] if not move.endswith("swap")]
                assert played[-3] == f"0 {drafted}"
                assert played[-1] == f"2 {sealed}"
                assert ana.left is not None
                assert ana.left > seconds * 1000 - 3000
            assert any(message["type"] == "notice" for message in ana.messages)

    run(body())


def test_no_draft_outlives_its_round_and_none_is_told(server: Server) -> None:
    async def body() -> None:
        async with playing(server, 2, round_seconds=60) as (ana, ben):
            ana.send(type="draft", round=0, move=ana.moves[3])
            ana.send(type="draft", round=0, move=None)
            ana.send(type="draft", round=1, move=ana.moves[3])
            before = len(ben.frames)
            ben.send(type="ping")
            await ben.until(lambda: len(ben.frames) > before)
            assert [message["type"] for message in ben.messages[before:]] == ["pong"]
            await advance(server, 60_000)
            await all_reach([ana, ben], 1)

    run(body())


def test_who_ran_out_of_time_chooses_for_oneself_in_the_next_round(server: Server) -> None:
    async def body() -> None:
        async with playing(server, 2, round_seconds=60) as players:
            for now in range(2):
                await advance(server, 60_000)
                await all_reach(players, now + 1)
                await asyncio.sleep(0.3)
                assert players[0].view["public"]["sealed"] == [False, False]
                for player in players:
                    await player.play(player.moves[0])
                    await player.play("undo")

    run(body())


def test_who_chose_in_time_is_not_chosen_for_in_the_next_round(tmp_path: Path) -> None:
    """Time runs out while the last choice is being saved, which closes the round."""

    async def body(server: Server, others: sqlite3.Connection) -> None:
        async with playing(server, 2, round_seconds=60) as (ana, ben):
            await play_round([ana, ben], Random(1))
            await ben.play(ben.moves[0])
            ana.send(type="draft", round=1, move=ana.moves[1])
            await advance(server, 55_000)
            others.execute("BEGIN IMMEDIATE")
            ana.ask(ana.moves[0])
            await ana.until(lambda: any(m["type"] == "pending" for m in ana.messages))
            await advance(server, 5_000)
            await asyncio.sleep(0.3)
            others.execute("ROLLBACK")
            await all_reach([ana, ben], 2)
            await asyncio.sleep(0.5)
            assert ana.view["public"]["sealed"] == [False, False]
            assert [m for m in ben.messages if m["type"] == "notice"] == []

    file = tmp_path / "a.db"
    with (
        serving(file, compiled=False) as server,
        closing(sqlite3.connect(file, isolation_level=None)) as others,
    ):
        run(body(server, others))


def test_a_draft_counts_although_nobody_was_there_for_hours(server: Server) -> None:
    async def body() -> None:
        async with playing(server, 2, round_seconds=86_400) as (ana, ben):
            drafted = [ana.moves[-1], ben.moves[-1]]
            ana.send(type="draft", round=0, move=drafted[0])
            draft = {"round": 0, "move": drafted[1]}
            answer = await ben.rest("POST", f"/api/tables/{ben.table_id}/draft", draft)
            assert answer.status_code == 204
            await ana.gone()
            await ben.gone()
            await advance(server, 31 * MINUTE)
            await asyncio.sleep(0.3)  # tables are looked through, and some are unloaded
            await advance(server, DAY - 31 * MINUTE)
            await until_round(ana, 1)
            await ana.connect()
            assert ana.view["played"] == [f"0 {drafted[0]}", f"1 {drafted[1]}"]

    run(body())


def test_a_change_of_mind_after_the_deadline_holds_nobody_up(server: Server) -> None:
    async def body() -> None:
        async with playing(server, 4, round_seconds=60) as players:
            ana = players[0]
            for now in range(7):
                await advance(server, 60_000)
                while ana.round == now:
                    seq = ana.seq
                    if ana.view["choice"] is not None:
                        ana.ask("undo")
                    await ana.until(lambda s=seq: ana.seq > s)  # type: ignore[misc]
            assert ana.view["result"]

    run(body())


def test_a_clock_goes_on_without_anybody(server: Server) -> None:
    async def body() -> None:
        async with playing(server, 2, round_seconds=86_400) as (ana, ben):
            ana.close()
            ben.close()
            for round_ in range(1, 8):
                await advance(server, DAY + 1)
                await until_round(ana, round_)
            await ana.connect()
            assert ana.phase == "finished"

    run(body())


def test_a_stored_deadline_survives_and_downtime_does_not_count(tmp_path: Path) -> None:
    with serving(tmp_path / "a.db", compiled=False) as server:

        async def before() -> tuple[Player, int]:
            async with playing(server, 2, round_seconds=10) as (ana, _):
                await asyncio.sleep(0.5)
                ana.send(type="resync")
                count = len(ana.messages)
                await ana.until(lambda: len(ana.messages) >= count + 2)
                assert ana.left is not None
                return ana, ana.left

        ana, left = run(before())
        server.kill()
        time.sleep(2)
        server.start()

        async def after() -> None:
            again = Player(server, "P0", "")
            again.token = ana.token
            await again.connect()
            assert again.left is not None
            # The last heartbeat may be 5 seconds before the end.
            assert left + 14_000 < again.left <= left + 20_000 + 7_000
            assert again.view == ana.view

        run(after())


def test_leaving_and_returning_does_not_prolong_the_opening(server: Server) -> None:
    async def body() -> None:
        async with seated(server, 2) as (ana, ben):
            await ana.play("start")
            await advance(server, 3000)
            await ben.play("leave")
            await ben.play("return")
            await advance(server, 2500)
            await all_reach([ana], 0)
            await ana.until(lambda: ana.view)

    run(body())


# ---- long times ----


def test_a_month_of_silence_ends_a_table_and_opens_its_seeds(server: Server) -> None:
    async def body() -> None:
        async with playing(server, 2) as (ana, ben):
            await play_round([ana, ben], Random(4))
            for path in ("proof", "record"):
                answer = await ana.rest("GET", f"/api/tables/{ana.table_id}/{path}")
                assert answer.json()["code"] == "not_over"
            for player in (ana, ben):
                player.close()
            await advance(server, 29 * DAY)
            await asyncio.sleep(0.3)
            answer = await ana.rest("GET", f"/api/tables/{ana.table_id}")
            assert answer.json()["phase"] == "playing"
            await advance(server, 30 * DAY + 1000)
            for _ in range(50):
                answer = await ana.rest("GET", f"/api/tables/{ana.table_id}")
                if answer.json()["phase"] == "abandoned":
                    break
                await asyncio.sleep(0.1)
            assert answer.json()["phase"] == "abandoned"
            proof = (await ana.rest("GET", f"/api/tables/{ana.table_id}/proof")).content
            setup = check_proof(parse_proof(proof), load_edition())
            assert list(setup.deck[:3]) == ana.view["hands"][0][0]

    run(body())


def test_an_unloaded_table_is_the_same_when_it_comes_back(server: Server) -> None:
    async def body() -> None:
        async with playing(server, 2) as (ana, ben):
            await play_round([ana, ben], Random(5), swaps=1)
            await ana.play(ana.moves[0])
            await ben.until(lambda: ben.view["public"]["sealed"][0])
            views = [(player.view, player.hash, player.seq) for player in (ana, ben)]
            for player in (ana, ben):
                await player.gone()
            await advance(server, 31 * MINUTE)
            await asyncio.sleep(0.3)
            for player, (view, _, seq) in zip((ana, ben), views, strict=True):
                await player.connect()
                assert (player.view, player.seq) == (view, seq)
            await ana.play("undo")
            await finish([ana, ben], Random(6))
            record = await ana.rest("GET", f"/api/tables/{ana.table_id}/record")
            assert parse_record(record.content, load_edition()).played

    run(body())


def test_tables_leave_memory(tmp_path: Path) -> None:
    with serving(tmp_path / "a.db", compiled=False) as server:

        async def body() -> None:
            async with playing(server, 1) as (ana,):
                assert await tables_in_memory(ana) == 1
                await ana.gone()
                await advance(server, 29 * MINUTE)
                assert await tables_in_memory(ana) == 1
                await advance(server, MINUTE)
                assert await tables_in_memory(ana) == 0
                await ana.connect()
                await finish([ana], Random(7))
                await advance(server, 2 * MINUTE)
                assert await tables_in_memory(ana) == 1  # somebody looks at it
                await ana.gone()
                await advance(server, 59_000)
                assert await tables_in_memory(ana) == 1
                await advance(server, 1000)
                assert await tables_in_memory(ana) == 0
                await ana.connect()
                assert ana.phase == "finished"

        run(body())


# ---- bots ----


def test_bots_of_all_strengths_play(server: Server) -> None:
    async def body() -> None:
        strengths = [name for name in BOTS if name != "master"]
        for bots in (tuple(strengths[:3]), tuple(strengths[3:])):
            async with playing(server, 1, bots) as (ana,):
                while ana.round <= 6:
                    now = ana.round
                    await ana.play(ana.some_move(Random(8)))
                    await all_reach([ana], now + 1, 20)
                assert ana.view["result"]["winners"]

    run(body(), 90)


@pytest.mark.parametrize("harm", ["kill", "suspend"])
def test_a_thinker_that_dies_or_hangs_does_not_stop_the_table(tmp_path: Path, harm: str) -> None:
    with serving(tmp_path / "a.db", compiled=False) as server:

        async def body() -> None:
            async with seated(server, 1, ("hard",)) as (ana,):
                await ana.play("start")
                await ana.until(lambda: ana.table["started"])
                workers = psutil.Process(server.pid).children(recursive=True)
                assert workers
                for worker in workers:
                    getattr(worker, harm)()
                begun = time.monotonic()
                ana.ask(f"open {ana.seed}")
                await ana.until(lambda: ana.view)
                await ana.until(lambda: ana.view["public"]["sealed"][1], 7)
                assert time.monotonic() - begun < 5.5
                if harm == "suspend":
                    notices = [m for m in ana.messages if m["type"] == "notice"]
                    assert [(n["code"], n["seat"]) for n in notices] == [("bot_replaced", 1)]
                await ana.play(ana.moves[0])
                await all_reach([ana], 1)

        run(body())


def test_bots_choose_at_their_beat_whatever_they_hold(tmp_path: Path) -> None:
    rounds = 5
    with serving(tmp_path / "a.db", beat=400) as server:

        async def body() -> None:
            async with playing(server, 1, ("easy", "greedy")) as (ana,):
                for now in range(rounds):
                    await ana.until(lambda: all(ana.view["public"]["sealed"][1:]))
                    await ana.play(ana.some_move(Random(now)))
                    await all_reach([ana], now + 1)

        run(body())
    # By the times in the log, so that no wait of this process counts.
    with closing(sqlite3.connect(tmp_path / "a.db")) as db:
        log = db.execute("SELECT seat, action, at FROM events ORDER BY position").fetchall()
    late: dict[int, list[int]] = {1: [], 2: []}
    beats, due = {1: 500, 2: 600}, dict[int, int]()
    for seat, action, at in log:
        if action == "deal" or (seat == 0 and due):  # she chooses last, and so opens a round
            due = {bot: at + beat for bot, beat in beats.items()}
        elif due:
            late[seat].append(at - due[seat])
            due[seat] += beats[seat]  # after a swap a bot chooses once more
    for found in late.values():
        assert len(found) >= rounds
        assert min(found) >= 0, late
        assert median(found) < 150, late


def test_a_late_seed_does_not_hold_the_deal(server: Server) -> None:
    async def body() -> None:
        async with seated(server, 2) as (ana, ben):
            await ana.play("start")
            await ana.play(f"open {ana.seed}")
            await ben.until(lambda: ben.table["seats"][0]["opened"])
            await advance(server, 5000)
            await ben.until(lambda: ben.view)
            assert await ben.refused(f"open {ben.seed}") == "not_started"
            eve = await new_player(server)
            assert (await eve.rest("GET", f"/api/tables/{ana.table_id}/view")).status_code == 200
        async with seated(server, 2) as players:
            await start(players)

    run(body())
