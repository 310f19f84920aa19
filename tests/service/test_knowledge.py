"""Who may know what: nothing hidden is in any byte that a seat or a spectator gets."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from sideboards.core.board import Board
from sideboards.core.game import State, deal, step
from sideboards.core.notation import parse_record
from sideboards.core.view import view
from sideboards.data import load_edition
from tests.service.live import (
    Message,
    Player,
    Server,
    all_reach,
    finish,
    new_player,
    playing,
    run,
    seated,
    serving,
)

pytestmark = pytest.mark.long
VIEW = {
    "boards",
    "choice",
    "hands",
    "mode",
    "objectives",
    "open_discards",
    "options",
    "played",
    "public",
    "result",
    "seat",
}
PUBLIC = {"discards", "pile", "round", "scores", "sealed", "swapped", "swaps"}
TABLE = {
    "table",
    "phase",
    "settings",
    "rules",
    "commit",
    "host",
    "seats",
    "started",
    "code",
    "next",
}
PARTS = ("color", "handle", "row", "bonus", "swap")
CARD = re.compile(r"(?<![0-9])[0-9]{1,2}(?![0-9])")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("knowledge") / "a.db") as running:
        yield running


def cards_in(seen: Message) -> set[int]:
    """All card numbers in a view."""
    assert set(seen) == VIEW
    assert set(seen["public"]) == PUBLIC
    texts = [*seen["boards"], seen["choice"] or "", *[move[2:] for move in seen["played"]]]
    texts += [option["move"] for option in seen["options"]]
    found = {int(number) for text in texts for number in CARD.findall(text)}
    for hands in seen["hands"]:
        found |= {card for hand in hands or () for card in hand}
    return found | set(seen["open_discards"] or ())


def laid(board: Board) -> set[int]:
    return {each.card for each in board if isinstance(each.card, int)}


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


def check_frames(player: Player, states: list[State]) -> int:
    """Look at all that somebody got; how many views there were before the end."""
    count = 0
    for frame in player.frames:
        message = json.loads(frame)
        if message["type"] == "table":
            assert set(message["table"]) == TABLE
        if message["type"] == "public":
            assert set(message) == {"type", "clock", "public", "seq"}
            assert set(message["public"]) == PUBLIC
        seen: Any = message.get("view")
        if seen is None or seen["public"]["round"] == 7:
            continue
        count += 1
        now = seen["public"]["round"]
        known = {card for seat in states[now].seats for card in laid(seat.board)}
        if player.seat is not None:
            hands = states[-1].seats[player.seat].hands
            own = len(states[now + 1].seats[player.seat].hands) - 1
            known |= {card for hand in hands[:own] for card in hand}
        assert cards_in(seen) <= known
        assert seen["open_discards"] is None
        assert seen["result"] is None
        for seat, given in enumerate(seen["hands"]):
            assert (given is not None) == (seat == player.seat)
    return count


@pytest.mark.parametrize(
    ("people", "bots", "settings"),
    [
        (2, (), {}),
        (4, (), {"assist": 2}),
        (6, (), {"assist": 0}),
        (3, (), {"variant": True}),
        (2, ("easy", "medium"), {}),
        (1, (), {}),
    ],
)
def test_no_card_is_told_before_it_may_be_known(
    server: Server, people: int, bots: tuple[str, ...], settings: dict[str, object]
) -> None:
    async def body() -> None:
        rng = Random(people)
        async with playing(server, people, bots, **settings) as players:
            eve = await new_player(server, "Eve")
            await eve.connect(token=None, table=players[0].table_id)
            while players[0].round <= 6:
                now = players[0].round
                for player in rng.sample(players, people):
                    if "swap" in player.moves and rng.random() < 0.3:
                        await player.play("swap")
                    await player.play(player.some_move(rng))
                    if player.round == now and rng.random() < 0.3:
                        again = await player.act("undo")
                        if again["type"] == "ack":
                            await player.play(player.some_move(rng))
                    await player.act("nonsense")
                await all_reach([*players, eve], now + 1)
            states = await openings(players[0])
            for player in (*players, eve):
                assert check_frames(player, states) >= 7
            assert all(player.view["hands"] == players[0].view["hands"] for player in players)
            eve.close()

    run(body())


def test_the_scanner_finds_a_card_that_should_not_be_there(server: Server) -> None:
    async def body() -> None:
        async with playing(server, 2) as (ana, ben):
            await finish([ana, ben], Random(1))
            states = await openings(ana)
            ana.seat = 1  # as if ben had got all that ana got
            with pytest.raises(AssertionError):
                check_frames(ana, states)

    run(body())


def test_options_have_the_points_that_the_rules_give(server: Server) -> None:
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


# ---- twins ----


async def twin(server: Server, choices: tuple[int, ...]) -> tuple[list[bytes], ...]:
    """A game in which seat 0 makes certain choices; the frames of all up to the end of a seal."""
    async with seated(server, 3) as players:
        for seat, player in enumerate(players):
            assert player.seed
            player.seed = f"{seat + 1:x}" * 64
        eve = await new_player(server, "Eve")
        await eve.connect(token=None, table=players[0].table_id)
        await players[0].play("start")
        for player in players:  # nobody opens a seed: the deal comes after five seconds
            await player.until(lambda p=player: p.table["started"])  # type: ignore[misc]
        await players[0].rest("POST", "/api/test/clock", {"advance": 5000})
        for player in (*players, eve):
            await player.until(lambda p=player: p.view)  # type: ignore[misc]
        ana, ben, cleo = players
        for choice in choices:
            await ana.play(ana.moves[choice])
            await ana.play("undo")
        await ana.play(ana.moves[choices[-1]])
        await ben.play(ben.moves[0])
        ben.send(type="resync")
        look = await eve.rest("GET", f"/api/tables/{ana.table_id}/view")
        eve.frames.append(look.content)
        for player in (ben, cleo, eve):
            player.send(type="ping")
            await player.until(lambda p=player: p.messages[-1]["type"] == "pong")  # type: ignore[misc]
        assert ben.round == 0
        return tuple([plain(frame) for frame in player.frames] for player in (ana, ben, cleo, eve))


def plain(frame: bytes) -> bytes:
    """A frame without what chance of the client itself makes: keys and seat commitments."""
    frame = re.sub(rb'"key":"[^"]*"', b'"key":""', frame)
    return re.sub(rb'"commit":"[0-9a-f]*","opened"', b'"commit":"","opened"', frame)


def test_different_sealed_choices_give_equal_bytes_to_all_others(tmp_path: Path) -> None:
    with (
        serving(tmp_path / "a.db", "--seed", "7") as one,
        serving(tmp_path / "b.db", "--seed", "7") as other,
    ):

        async def body() -> None:
            mine, *first = await twin(one, (0, 5))
            yours, *second = await twin(other, (17, 23))
            assert mine != yours  # the two worlds differ
            assert first == second
            assert all(len(frames) > 5 for frames in first)

        run(body())
