"""Beliefs: what is called certain is true in every world that the view cannot rule out."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sideboards import Edition, Mode, imagine, view
from sideboards.minds.belief import belief
from tests.games import TABLES, random_game


@pytest.mark.parametrize(("mode", "seats"), TABLES)
@given(seed=st.integers(0, 2**32))
def test_certain_cards_are_there_in_the_real_game_and_in_every_imagined_one(
    edition: Edition, mode: Mode, seats: int, seed: int
) -> None:
    rng = Random(seed)
    states, _ = random_game(edition, mode, seats, rng, swaps=0.1)
    state = rng.choice([each for each in states if not each.over])
    me = rng.randrange(seats)
    seen = view(state, me)
    known = belief(seen)
    refilled = seats == 6 and mode == "standard" and len(state.pile) + len(state.discards) < 20
    for world in (state, imagine(seen, rng)):
        for seat, certain in zip(world.seats, known.hands, strict=True):
            assert set(certain) <= set(seat.hand)
        if not refilled:
            assert set(known.gone) <= set(world.discards)
    assert known.hands[me] == state.seats[me].hand


@pytest.mark.parametrize(("mode", "seats"), TABLES)
def test_every_card_is_in_one_place(edition: Edition, mode: Mode, seats: int) -> None:
    states, _ = random_game(edition, mode, seats, Random(5), swaps=0.1)
    for state in states[:-1]:
        for seat in range(seats):
            known = belief(view(state, seat))
            laid = [each.card for one in state.seats for each in one.board]
            cards = [*laid, *known.gone, *known.unseen, *(c for hand in known.hands for c in hand)]
            assert sorted(map(int, map(str, cards))) == list(range(1, 61))


def test_a_card_that_was_passed_on_is_known_until_it_is_laid(edition: Edition) -> None:
    states, _ = random_game(edition, "standard", 3, Random(1), swaps=0)
    certain = [
        len(belief(view(state, 0)).hands[1])
        for state in states
        if not state.over and state.round > 0
    ]
    assert min(certain) >= 1, "the left neighbour holds what was passed on"


def test_after_a_swap_nothing_is_known_of_a_hand(edition: Edition) -> None:
    states, moves = random_game(edition, "standard", 3, Random(2), swaps=0.9)
    for (seat, move), state in zip(moves, states[1:], strict=True):
        if str(move) == "swap" and seat == 1:
            assert belief(view(state, 0)).hands[1] == ()
            return
    raise AssertionError("somebody swaps")
