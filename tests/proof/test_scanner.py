"""The scanner says nothing in honest games, and finds every card that is told too early."""

import json
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from proof.scanner import Scanner
from sideboards.core.game import State, Swap, deal, legal, new_setup, step
from sideboards.core.scoring import Mode
from sideboards.data import load_edition
from sideboards.service.wire import Showing, ack_message, public_message, view_message
from tests.games import TABLES

EDITION = load_edition()


def states(mode: Mode, seats: int, rng: Random) -> list[tuple[State, State]]:
    """A whole game with swaps: every state, with the one at the opening of its round."""
    state = opening = deal(new_setup(EDITION, mode=mode, seats=seats, rng=rng))
    found = [(state, opening)]
    while not state.over:
        seat = rng.choice(state.waiting)
        moves = legal(state, seat)
        swaps = isinstance(moves[-1], Swap) and rng.random() < 0.3
        state = step(state, seat, moves[-1] if swaps else rng.choice(moves[:-1]))
        if state.round != opening.round:
            opening = state
        found.append((state, opening))
    return found


@pytest.mark.parametrize(("mode", "seats"), TABLES)
def test_honest_games_give_no_reason_to_speak(mode: Mode, seats: int) -> None:
    for viewer in (None, *range(seats)):
        scanner, before = Scanner(viewer), None
        for seq, (state, opening) in enumerate(states(mode, seats, Random(seats))):
            before = Showing(state, opening, before)
            shown = before.shown(viewer, points=bool(seats % 2))
            assert scanner.hear(view_message(shown, seq, None)) == []
            assert scanner.hear(ack_message("1.1.abcd", shown, seq, 7)) == []
            assert scanner.hear(public_message(before.public(points=True), seq, None)) == []


def hand_of_another(view: Any) -> None:  # noqa: ANN401 (JSON)
    view["hands"][1] = [[1, 2, 3]]


def one_card_more(view: Any) -> None:  # noqa: ANN401 (JSON)
    view["hands"][0][-1].append(60)


def unknown_option(view: Any) -> None:  # noqa: ANN401 (JSON)
    known = {card for hand in view["hands"][0] for card in hand}
    known |= {int(text.strip("~")) for board in view["boards"] for text in board.split()}
    view["options"][0]["move"] = f"L{next(card for card in range(1, 61) if card not in known)}"


def early_board(view: Any) -> None:  # noqa: ANN401 (JSON)
    view["boards"][1] += " 60"


def early_move(view: Any) -> None:  # noqa: ANN401 (JSON)
    view["played"].append("1 L60")


def new_field(view: Any) -> None:  # noqa: ANN401 (JSON)
    view["deck"] = list(range(60))


def new_public_field(view: Any) -> None:  # noqa: ANN401 (JSON)
    view["public"]["chosen"] = [None, "L60"]


def choice_for_seal(view: Any) -> None:  # noqa: ANN401 (JSON)
    view["public"]["sealed"][1] = "L60"


def open_discards(view: Any) -> None:  # noqa: ANN401 (JSON)
    view["open_discards"] = [60]


@pytest.mark.parametrize(
    "plant",
    [
        hand_of_another,
        one_card_more,
        unknown_option,
        early_board,
        early_move,
        new_field,
        new_public_field,
        choice_for_seal,
        open_discards,
    ],
)
def test_a_planted_card_is_reported(plant: Callable[[Any], None]) -> None:
    state, opening = next(
        (s, o) for s, o in states("standard", 3, Random(8)) if s.round == 2 and 0 in s.waiting
    )
    message = json.loads(view_message(Showing(state, opening).shown(0, points=True), 9, None))
    assert Scanner(0).hear(json.dumps(message).encode()) == []
    plant(message["view"])
    assert Scanner(0).hear(json.dumps(message).encode())


@pytest.mark.parametrize(
    "message",
    [
        b"no JSON",
        b'{"type":"secret"}',
        b'{"type":"said","phrase":"hello","seat":1,"hand":[1,2]}',
        b'{"type":"refused","code":"not_in_hand","key":"1.1.abcd","sentence":"Seat 2 holds 17."}',
    ],
)
def test_other_messages_are_looked_at_too(message: bytes) -> None:
    assert Scanner(None).hear(message)


def test_refusals_as_they_are_said() -> None:
    said = b'{"type":"refused","code":"not_in_hand","key":"1.1.abcd","sentence":"Not your card."}'
    assert Scanner(0).hear(said) == []
