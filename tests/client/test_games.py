"""Whole games through the library, against a real server process."""

import asyncio
import re
import threading
from dataclasses import replace
from pathlib import Path
from random import Random

import msgspec
import pytest

from sideboards import Edition, Move, Swap, View, parse_record, replay
from sideboards.client import Client, ServerRefusal, Unreachable, hash_of
from sideboards.client.fairness import is_fair
from sideboards.client.playing import play_bot
from sideboards.client.views import encode
from sideboards.minds.bots import BOTS
from sideboards.service.protocol import Settings
from tests.client.serving import PATIENCE, Server, serving, table_of

pytestmark = pytest.mark.long


def test_a_whole_game_of_two_clients_and_two_bots(server: Server, edition: Edition) -> None:
    async def game() -> None:
        async with Client(server.url) as ana, Client(server.url) as ben:
            table = await table_of([ana, ben], ("greedy", "random"))
            async with ana.seat(table) as one, ben.seat(table) as other:
                with pytest.raises(ServerRefusal) as refused:
                    await other.play("start")
                assert refused.value.code == "not_host"
                await one.play("start")
                last, same = await asyncio.gather(
                    play_bot(one, BOTS["greedy"], Random(1)),
                    play_bot(other, BOTS["easy"], Random(2)),
                )
                assert last is not None
                assert same is not None
                assert last.over
                assert (last.boards, last.played) == (same.boards, same.played)
                assert (one.fair, other.fair) == (True, True)
                assert [seat.mismatches for seat in (one, other)] == [0, 0]
                assert [seat.losses for seat in (one, other)] == [0, 0]
            record = parse_record((await ana.record(table)).encode(), edition)
            assert replay(record.setup, record.played).over
            assert record.played == last.played
            assert record.names[:2] == ("Guest 0", "Guest 1")
            assert len((await ana.score(table))["players"]) == 4
            proof = await ana.proof(table)
            assert is_fair(proof, edition, one.sitting, last) is True
            deck = (proof.deck[1], proof.deck[0], *proof.deck[2:])
            assert is_fair(replace(proof, deck=deck), edition, one.sitting, last) is False

    asyncio.run(asyncio.wait_for(game(), PATIENCE))


@pytest.mark.parametrize("settings", [Settings(seats=1), Settings(seats=3, variant=True)])
def test_solo_and_variant(settings: Settings, server: Server) -> None:
    async def game() -> None:
        async with Client(server.url) as ana:
            table = await table_of([ana], ("random",) * (settings.seats - 1), settings)
            async with ana.seat(table, assist=0) as seat:
                await seat.play("start")
                last = await play_bot(seat, BOTS["greedy"], Random(1))
                assert last is not None
                assert last.over
                assert seat.fair is True
                assert seat.mismatches == 0

    asyncio.run(asyncio.wait_for(game(), PATIENCE))


def test_swap_undo_and_refusals(server: Server) -> None:
    async def game() -> None:
        async with Client(server.url) as ana, Client(server.url) as ben:
            table = await table_of([ana, ben])
            async with ana.seat(table) as one, ben.seat(table) as other:
                await one.play("start")
                view = await one.dealt()
                with pytest.raises(ServerRefusal) as refused:
                    await one.play("swap")
                assert refused.value.code == "too_early"
                with pytest.raises(ServerRefusal, match=r".") as refused:
                    await one.play("fly")
                assert refused.value.code == "not_an_action"
                await one.play(view.legal[0])
                assert one.view is not None
                assert one.view.choice == view.legal[0]
                assert await other.turn() is not None
                await other.until(lambda: bool(other.view and other.view.sealed == (True, False)))
                await one.play("undo")
                await other.until(lambda: bool(other.view and other.view.sealed == (False, False)))
                await one.play(view.legal[5])
                await other.play((await other.dealt()).legal[0])
                second = await one.turn()
                assert second is not None
                await one.play("swap")
                swapped = one.view
                assert swapped is not None
                assert swapped.hand != second.hand
                await other.until(lambda: bool(other.view and not other.view.swaps[0]))
                await other.play((await other.dealt()).legal[0])
                assert (one.mismatches, other.mismatches) == (0, 0)
                async with ana.watch(table) as watcher:
                    seen = await watcher.dealt()
                    assert seen.seat is None
                    assert seen.hands == (None, None)
                    assert seen.boards == swapped.boards

    asyncio.run(asyncio.wait_for(game(), PATIENCE))


def test_a_move_counts_for_the_round_whose_view_was_shown(server: Server) -> None:
    async def game() -> None:
        async with Client(server.url) as ana:
            table = await table_of([ana], ("random",))
            async with ana.seat(table) as seat:
                await seat.play("start")
                start = await seat.dealt()
                await seat.play(start.legal[0], start)
                now = await seat.turn()
                assert now is not None
                with pytest.raises(ServerRefusal) as refused:
                    await seat.play("swap", start)
                assert refused.value.code == "round_over"
                assert seat.view == now
                await seat.play("swap", now)
                assert seat.view.swaps[0] is False

    asyncio.run(asyncio.wait_for(game(), PATIENCE))


def test_a_bot_that_thinks_for_too_long_is_asked_again(tmp_path: Path) -> None:
    """What it found for one round is not played in the next, where it was never asked."""
    thinking, thought = threading.Event(), threading.Event()
    asked: list[View] = []

    def slow(view: View, rng: Random) -> Move:
        asked.append(view)
        if view.round == 1:
            thinking.set()
            thought.wait(PATIENCE)
            return Swap()
        return rng.choice([move for move in view.legal if not isinstance(move, Swap)])

    async def game(server: Server) -> None:
        async with Client(server.url) as ana, Client(server.url) as ben:
            table = await table_of([ana, ben], settings=Settings(round_seconds=300))
            async with ana.seat(table) as one, ben.seat(table) as other:
                await one.play("start")
                playing = asyncio.ensure_future(play_bot(one, slow, Random(1)))
                await other.play((await other.dealt()).legal[0])
                await asyncio.to_thread(thinking.wait, PATIENCE)
                for seat in (one, other):
                    now = await seat.turn()
                    assert now is not None
                    seat.draft(now.legal[0])
                await asyncio.sleep(0.5)  # drafts are not answered
                await server.advance(301)
                await one.until(lambda: bool(one.view and one.view.round == 2))
                thought.set()
                await other.until(
                    lambda: bool(other.view and other.view.round == 2 and other.view.sealed[0])
                )
                playing.cancel()
        assert [view.round for view in asked] == [0, 1, 2]
        assert Swap() not in [move for seat, move in asked[2].played if seat == 0]

    with serving(tmp_path) as server:
        asyncio.run(asyncio.wait_for(game(server), PATIENCE))


def test_a_full_table_is_told_as_such_and_ones_own_seat_is_found(server: Server) -> None:
    async def game() -> None:
        async with Client(server.url) as ana, Client(server.url) as ben:
            await ben.sign_in("Ben")
            table = await table_of([ana], ("random",))
            sitting = ana.sittings[table]
            with pytest.raises(ServerRefusal) as refused:
                await ben.sit(table)
            assert refused.value.code == "table_full"
            again = await ana.sit(table)
            assert (again.seat, again.seed) == (0, sitting.seed)
            await ana.act(table, "start")
            with pytest.raises(ServerRefusal) as refused:
                await ben.sit(table)
            assert refused.value.code == "not_waiting"
            assert (await ana.sit(table)).seed == sitting.seed

    asyncio.run(asyncio.wait_for(game(), PATIENCE))


def test_a_wrong_view_is_noticed_and_asked_for_again(server: Server) -> None:
    async def game() -> None:
        async with Client(server.url) as ana:
            table = await table_of([ana], ("random",))
            async with ana.seat(table) as seat:
                await seat.play("start")
                view = await seat.dealt()
                info = seat.info
                assert info is not None
                spoiled = msgspec.structs.replace(info, boards=("1", "2"))
                head = {"type": "view", "clock": None, "hash": "0" * 32, "seq": seat.seq}
                seat.take(encode(head | {"view": spoiled}))
                assert seat.view != view
                assert seat.mismatches == 1
                await seat.until(lambda: bool(seat.view and seat.view.boards == view.boards))
                seat.take(encode(head | {"view": info, "hash": hash_of(encode(info))}))
                assert seat.mismatches == 1

    asyncio.run(asyncio.wait_for(game(), PATIENCE))


def test_guests_come_go_and_move(server: Server) -> None:
    async def visit() -> None:
        async with Client(server.url, language="de") as ana, Client(server.url) as phone:
            person = await ana.sign_in("Ana")
            assert (await ana.me()) == person
            assert (await ana.rename("Anna")).name == "Anna"
            code = await ana.transfer_code()
            assert (await phone.transfer(code.code)).id == person.id
            with pytest.raises(ServerRefusal) as refused:
                await ana.sign_in("\x00")
            assert refused.value.code == "bad_name"
            assert "Name" in refused.value.sentence, "in German"
            table = (await ana.create(Settings(seats=2, public=True))).table
            info = await phone.table(table)
            assert info.code is not None
            assert await phone.table_with_code(info.code) == table
            assert table in [each["table"] for each in await phone.tables()]
            first = await ana.sit(table)
            again = await ana.sit(table)
            assert (again.seat, again.seed) == (first.seat, first.seed)
            elsewhere = await phone.sit(table)
            assert (elsewhere.seat, elsewhere.seed) == (0, ""), "the seed stays where it was drawn"
            assert table in [each["table"] for each in await ana.my_tables()]
            await ana.delete()
            with pytest.raises(ServerRefusal) as refused:
                await phone.me()
            assert refused.value.code == "who_are_you"

    asyncio.run(asyncio.wait_for(visit(), PATIENCE))


def test_unknown_tables_and_absent_servers(server: Server) -> None:
    async def knock() -> None:
        async with Client(server.url) as ana:
            with pytest.raises(ServerRefusal) as refused:
                await ana.table("nowhere")
            assert refused.value.code == "unknown_table"
            async with ana.watch("nowhere") as watcher:
                with pytest.raises(ServerRefusal) as refused:
                    await watcher.dealt()
                assert refused.value.code == "unknown_table"
        async with Client("http://127.0.0.1:9") as nobody:
            with pytest.raises(Unreachable, match=r"http://127\.0\.0\.1:9: .*; expected a server"):
                await nobody.me()

    asyncio.run(asyncio.wait_for(knock(), PATIENCE))


def test_the_example_of_the_page_works(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parents[2] / "docs" / "client.md").read_text()
    (example,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert "http://localhost:8000" in example
    code = example.replace("http://localhost:8000", server.url)
    exec(compile(code, "client.md", "exec"), {"__name__": "example"})  # noqa: S102 (our own page)
    assert re.fullmatch(r"\d+ points; fair deal: True\n", capsys.readouterr().out)
