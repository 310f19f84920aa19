"""What a crash, a stop, a slow reader or a broken table does to everybody else: nothing."""

import asyncio
import json
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from tests.service.live import (
    Message,
    Player,
    Server,
    Wire,
    all_reach,
    finish,
    playing,
    run,
    serving,
)

pytestmark = pytest.mark.long


def same_again(player: Player) -> Player:
    """The same person with the same seat, after the event loop of before has ended."""
    again = Player(player.server, player.name, "")
    again.headers, again.token = player.headers, player.token
    again.seat, again.table_id, again.seed = player.seat, player.table_id, player.seed
    return again


async def seal_some(
    players: list[Player], count: int, rng: Random
) -> dict[Player, tuple[str, str]]:
    """Some choose, perhaps after a swap, one of three changes her mind; the keys and choices."""
    sealed = {}
    for player in rng.sample(players, count):
        if "swap" in player.moves and rng.random() < 0.5:
            await player.play("swap")
        move = player.some_move(rng)
        key = player.ask(move)
        assert (await player.answer(key))["type"] == "ack"
        sealed[player] = (key, move)
    if count == 3:
        taken_back = next(iter(sealed))
        await taken_back.play("undo")
        del sealed[taken_back]
    latest = max(player.seq for player in players)
    for player in players:
        await player.until(lambda p=player: p.seq == latest)  # type: ignore[misc]
    return sealed


async def crash(server: Server, players: list[Player]) -> None:
    """Kill the server and start it again; everybody sees what was there before."""
    before = [(player.view, player.seq) for player in players]
    for player in players:
        player.close()
    await asyncio.to_thread(server.kill)
    await asyncio.to_thread(server.start)
    for player, seen in zip(players, before, strict=True):
        await player.connect()
        assert (player.view, player.seq) == seen


def test_a_crash_in_any_round_loses_no_sealed_choice(tmp_path: Path) -> None:
    """Killed in every round, with 0 to 3 of 4 choices sealed, one of them taken back."""
    rng = Random(1)
    with serving(tmp_path / "a.db") as server:

        async def body() -> None:
            async with playing(server, 4) as players:
                for now in range(7):
                    sealed = await seal_some(players, now % 4, rng)
                    await crash(server, players)
                    for player, (key, move) in sealed.items():
                        # Sent again after the crash: the stored outcome, and nothing new.
                        seq = player.seq
                        assert (await player.act(move, key))["seq"] == seq
                        assert (await player.act("swap", key))["code"] == "key_reused"
                    for player in players:
                        if player not in sealed:
                            await player.play(player.some_move(rng))
                    await all_reach(players, now + 1)
                assert players[0].view["result"]

        run(body(), 90)


def test_a_stop_answers_all_that_is_under_way_and_loses_nothing(tmp_path: Path) -> None:
    with serving(tmp_path / "a.db") as server:
        games = 20

        async def before() -> list[tuple[Player, dict[str, str]]]:
            async with asyncio.TaskGroup() as group:
                made = [group.create_task(sat_down(server)) for _ in range(games)]
            players = [player for task in made for player in task.result()]
            asked: list[tuple[Player, dict[str, str]]] = [(player, {}) for player in players]

            async def hurry(player: Player, sent: dict[str, str]) -> None:
                while player.close_code is None:
                    action = player.moves[0] if player.moves else "undo"
                    sent[player.ask(action)] = action
                    await asyncio.sleep(0.02)

            tasks = [asyncio.ensure_future(hurry(*each)) for each in asked]
            await asyncio.sleep(0.7)
            begun = time.monotonic()
            server.terminate()
            assert await server.ended(6) == 0
            assert time.monotonic() - begun < 5
            for player in players:
                await player.until(lambda p=player: p.close_code is not None)  # type: ignore[misc]
            await asyncio.gather(*tasks)
            assert {player.close_code for player in players} == {1012}
            return asked

        asked = run(before())
        acked = sum(a["type"] == "ack" for player, _ in asked for a in player.answers.values())
        assert acked > 2 * games
        server.kill()
        server.start()

        async def after() -> None:
            for player, sent in asked:
                again = await same_again(player).connect()
                latest = max(
                    (a["seq"] for a in player.answers.values() if a["type"] == "ack"), default=1
                )
                assert again.seq >= latest
                for key, answer in list(player.answers.items())[-2:]:
                    if answer["type"] == "ack":
                        assert (await again.act(sent[key], key))["type"] == "ack"
                        assert again.answers[key]["seq"] == again.seq

        run(after())


async def sat_down(server: Server) -> list[Player]:
    """Two people who hold their first cards, and stay."""
    async with playing(server, 2) as players:
        stay = [same_again(player) for player in players]
        for player in players:
            player.close()
        for player in stay:
            await player.connect()
        return stay


@pytest.mark.parametrize("broken", ["L61", "sit {}"])
def test_a_table_that_cannot_be_read_harms_no_other(tmp_path: Path, broken: str) -> None:
    with serving(tmp_path / "a.db", may_fail=True) as server:

        async def before() -> tuple[list[Player], list[Player]]:
            async with (
                playing(server, 2, round_seconds=10) as bad,
                playing(server, 2, round_seconds=10) as good,
            ):
                return bad, good

        bad, good = run(before())
        server.kill()
        with closing(sqlite3.connect(tmp_path / "a.db")) as file:
            (position,) = file.execute(
                "SELECT max(position) FROM events WHERE table_id = ?", (bad[0].table_id,)
            ).fetchone()
            file.execute(
                "INSERT INTO events VALUES (?, ?, 0, ?, '', 0)",
                (bad[0].table_id, position + 1, broken),
            )
            file.execute("UPDATE tables SET due = 1000 WHERE id = ?", (bad[0].table_id,))
            file.execute("UPDATE servers SET beat = beat - 100000")
            file.commit()
        server.start()

        async def after() -> None:
            wire = await Wire.connect(server.port)
            wire.send(type="hello", protocol=1, token=bad[0].token)
            answer: Message = await wire.message()
            assert (answer["type"], answer["code"]) == ("refused", "internal")
            assert await wire.closed() == 1013
            players = [await same_again(player).connect() for player in good]
            await finish(players, Random(3))
            for player in players:
                player.close()

        run(after())


def test_one_answer_for_each_of_many_messages_at_once(tmp_path: Path) -> None:
    with serving(tmp_path / "a.db") as server:

        async def body() -> None:
            async with playing(server, 2) as (ana, _):
                keys = [ana.ask("nonsense") for _ in range(50)]
                keys += [ana.ask(move) for move in ana.moves[:10]]
                answers = [await ana.answer(key) for key in keys]
                codes = [answer.get("code", "ack") for answer in answers]
                assert codes == ["not_an_action"] * 50 + ["ack"] + ["sealed"] * 9
                assert json.dumps(answers)

        run(body())
