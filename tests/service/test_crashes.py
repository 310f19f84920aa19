"""What a crash, a stop, a slow reader or a broken table does to everybody else: nothing."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from tests.service.live import (
    Message,
    Player,
    Wire,
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


@pytest.mark.parametrize("broken", ["L61", "sit {}"])
def test_a_table_that_cannot_be_read_harms_no_other(tmp_path: Path, broken: str) -> None:
    with serving(tmp_path / "a.db", may_fail=True, compiled=False) as server:

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

        async def listed(player: Player) -> dict[str, bool]:
            answer = await player.rest("GET", "/api/me/tables", None)
            assert answer.status_code == 200, answer.text
            return {each["table"]: each["waits_for_you"] for each in answer.json()}

        async def after() -> None:
            assert await listed(bad[0]) == {bad[0].table_id: False}
            assert await listed(good[0]) == {good[0].table_id: True}
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
    with serving(tmp_path / "a.db", compiled=False) as server:

        async def body() -> None:
            async with playing(server, 2) as (ana, _):
                keys = [ana.ask("nonsense") for _ in range(50)]
                keys += [ana.ask(move) for move in ana.moves[:10]]
                answers = [await ana.answer(key) for key in keys]
                codes = [answer.get("code", "ack") for answer in answers]
                assert codes == ["not_an_action"] * 50 + ["ack"] + ["sealed"] * 9
                assert json.dumps(answers)

        run(body())
