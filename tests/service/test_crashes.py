"""What a crash, a stop, a slow reader or a broken table does to everybody else: nothing."""

import asyncio
import json
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from random import Random

import psutil
import pytest

from tests.service.live import (
    Message,
    Player,
    Wire,
    finish,
    play_round,
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


def test_who_does_not_read_is_closed_and_disturbs_nobody(tmp_path: Path) -> None:
    with serving(tmp_path / "a.db") as server:

        async def body() -> None:
            async with playing(server, 3) as (ana, ben, cleo):
                process = psutil.Process(server.pid)
                stalled = []
                for _ in range(20):
                    wire = await Wire.connect(server.port, lazy=True)
                    wire.send(type="hello", protocol=1, table=ana.table_id)
                    wire.writer.transport.pause_reading()  # type: ignore[attr-defined]
                    stalled.append(wire)
                memory = process.memory_info().rss
                begun = time.monotonic()

                async def signs_of_life() -> None:
                    while True:
                        for wire in stalled:
                            wire.send(type="ping")
                        await asyncio.sleep(2)

                life = asyncio.ensure_future(signs_of_life())
                waits: list[float] = []
                rng, key = Random(2), ""
                while time.monotonic() - begun < 4:
                    for player in (ana, ben, cleo):
                        asked = time.monotonic()
                        key = player.ask(player.moves[rng.randrange(12)])
                        await player.answer(key)
                        await player.play("undo")
                        waits.append(time.monotonic() - asked)
                        if player is cleo:
                            break
                    await asyncio.sleep(0.05)
                waits.sort()
                assert waits[len(waits) * 99 // 100] < 0.5
                assert process.memory_info().rss - memory < 20 * (128 + 64) * 1024 + 8_000_000
                life.cancel()
                await play_round([ana, ben, cleo], rng)
                for player in (ana, ben, cleo):
                    assert player.close_code is None

        run(body())


def test_a_reader_that_stops_is_gone_within_30_seconds(tmp_path: Path) -> None:
    with serving(tmp_path / "a.db") as server:

        async def body() -> None:
            async with playing(server, 2) as (ana, _):
                wire = await Wire.connect(server.port, lazy=True)
                wire.send(type="hello", protocol=1, table=ana.table_id)
                await wire.message()
                wire.writer.transport.pause_reading()  # type: ignore[attr-defined]
                connections = len(psutil.Process(server.pid).net_connections("tcp"))
                begun = time.monotonic()
                while time.monotonic() - begun < 30:
                    for _ in range(20):
                        wire.send(type="resync")  # answered with a few thousand bytes
                    await asyncio.sleep(0.3)
                    if len(psutil.Process(server.pid).net_connections("tcp")) < connections:
                        break
                assert time.monotonic() - begun < 30
                await ana.play(ana.moves[0])

        run(body())


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
