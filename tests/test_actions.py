"""Actions and moves: one small number for every move, there and back."""

from random import Random

import pytest

from sideboards import Edition, Laid, Mode, Place, Refusal, Start, Swap, Undo, legal, view
from sideboards.fast.actions import ACTIONS, SWAP, WAIT, action_of, legal_actions, move_of
from tests.games import TABLES, random_game


@pytest.mark.parametrize(("mode", "seats"), TABLES)
def test_every_legal_move_is_one_action_and_back(edition: Edition, mode: Mode, seats: int) -> None:
    states, _ = random_game(edition, mode, seats, Random(seats), swaps=0.3)
    for state in states:
        for seat in state.waiting:
            hand = state.seats[seat].hand
            moves = legal(state, seat)
            actions = [action_of(move, hand) for move in moves]
            assert [move_of(action, hand) for action in actions] == list(moves)
            assert len(set(actions)) == len(moves)
            assert actions == sorted(actions), "in the order in which the core lists them"
            assert legal_actions(view(state, seat)) == tuple(actions)


def test_there_are_62_actions_and_each_of_them_means_something() -> None:
    assert (SWAP, WAIT, ACTIONS) == (60, 61, 62)
    four, three = (7, 8, 9, 10), (7, 8, 9)
    starts = [move_of(action, four) for action in range(48)]
    places = [move_of(action, three) for action in range(48, 60)]
    assert len({*starts, *places}) == 60
    assert str(starts[0]) == "7,8"
    assert str(starts[47]) == "10~,9~"
    assert [str(move) for move in places[:4]] == ["L7", "L7~", "R7", "R7~"]
    assert move_of(60, three) == Swap()


def test_a_seat_that_has_sealed_waits_and_after_the_end_nothing_is_legal(edition: Edition) -> None:
    states, moves = random_game(edition, "standard", 2, Random(1), swaps=0)
    assert legal_actions(view(states[1], moves[0][0])) == (WAIT,)
    assert legal_actions(view(states[-1], 0)) == ()
    assert legal_actions(view(states[0], None)) == ()


@pytest.mark.parametrize("action", [-1, 8, 56, WAIT, 62])
def test_an_action_without_a_move_is_refused(action: int) -> None:
    with pytest.raises(Refusal, match=f"action: found {action} with a hand of 2; expected"):
        move_of(action, (1, 2))


@pytest.mark.parametrize(
    "move", [Undo(), Place(Laid(3), "left"), Start(Laid(1), Laid(3)), Start(Laid(3), Laid(1))]
)
def test_a_move_without_an_action_is_refused(move: Start | Place | Undo) -> None:
    with pytest.raises(Refusal, match="expected a choice from it or a swap"):
        action_of(move, (1, 2))
