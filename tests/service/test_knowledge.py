"""What a seat is told in a whole game: the right points, all hands at the end, nothing earlier."""

from random import Random

import pytest

from proof.scanner import Scanner
from sideboards.core.game import State, deal, step
from sideboards.core.notation import parse_record
from sideboards.core.view import view
from sideboards.data import load_edition
from tests.service.live import Message, Player, Server, all_reach, playing, run

pytestmark = pytest.mark.long
PARTS = ("color", "handle", "row", "bonus", "swap")


async def openings(player: Player) -> list[State]:
    """The states at the opening of each round of a finished game, and the last one."""
    answer = await player.rest("GET", f"/api/tables/{player.table_id}/record")
    record = parse_record(answer.content, load_edition())
    states = [deal(record.setup)]
    state = states[0]
    for seat, move in record.played:
        state = step(state, seat, move)
        if state.round > states[-1].round:
            states.append(state)
    return states


def test_options_have_the_points_that_the_rules_give_and_nothing_hidden(server: Server) -> None:
    async def body() -> None:
        async with playing(server, 3) as players:
            seen: dict[tuple[int, int], list[Message]] = {}
            while players[0].round <= 6:
                for player in players:
                    assert player.seat is not None
                    seen[player.seat, player.round] = player.view["options"]
                now = players[0].round
                for player in players:
                    await player.play(player.some_move(Random(now)))
                await all_reach(players, now + 1)
            states = await openings(players[0])
            for player in players:
                hear = Scanner(player.seat).hear
                assert [fault for frame in player.frames for fault in hear(frame)] == []
                assert player.view["hands"] == players[0].view["hands"]
            for (seat, now), options in seen.items():
                expected = [
                    (
                        str(option.move),
                        dict(zip(PARTS, option.points, strict=True)),
                        option.points.total,
                    )
                    for option in view(states[now], seat).options
                ]
                found = [
                    (
                        option["move"],
                        {name: n for name, n in option["points"].items() if name != "total"},
                        option["points"]["total"],
                    )
                    for option in options
                ]
                assert found == expected

    run(body())
