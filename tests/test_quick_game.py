"""The quick game plays exactly as the core does, and shows exactly what a view holds."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from sideboards import (
    Edition,
    Mode,
    Pattern,
    Setup,
    State,
    Swap,
    deal,
    legal,
    new_setup,
    scores,
    step,
    view,
)
from sideboards.fast.actions import LEGAL, action_of
from sideboards.minds.observation import encode, mask
from sideboards.minds.quick_game import QuickGame
from tests.games import TABLES

pytestmark = pytest.mark.long

GAMES = 12


def dealt(setup: Setup) -> QuickGame:
    game = QuickGame(setup.edition, setup.mode, setup.seats, tallies=True)
    game.deal(setup.objectives, list(setup.deck), list(setup.refill))
    return game


def check_equal(game: QuickGame, state: State) -> None:
    """Everything on the table, in hand and in the piles, and what every seat sees, is equal."""
    assert game.round == state.round
    assert game.hands == [seat.hand for seat in state.seats]
    assert game.boards == tuple(seat.board for seat in state.seats)
    assert game.swaps == tuple(seat.swap for seat in state.seats)
    assert tuple(game.pile) == state.pile
    assert tuple(game.discards) == state.discards
    assert game.scores() == scores(state)
    for seat in range(game.seats):
        seen = view(state, seat)
        found = np.frombuffer(game.observe(seat), np.int8)
        assert np.array_equal(found, encode(seen))
        assert LEGAL[game.situations[seat]] == mask(seen).tobytes()


def play_beside_core(game: QuickGame, setup: Setup, rng: Random, swaps: float) -> int:
    """Play a game in both, comparing after every move; how often the pile was refilled."""
    state, refills = deal(setup), 0
    check_equal(game, state)
    while not state.over:
        seat = rng.choice(state.waiting)
        moves = legal(state, seat)
        placements = [move for move in moves if not isinstance(move, Swap)]
        swapping = len(placements) < len(moves) and rng.random() < swaps
        move = moves[-1] if swapping else rng.choice(placements)
        before = len(game.discards)
        game.act(seat, action_of(move, state.seats[seat].hand))
        refills += len(game.discards) < before
        state = step(state, seat, move)
        check_equal(game, state)
    assert game.over
    return refills


@pytest.mark.parametrize("swaps", [0.0, 0.4, 1.0])
@pytest.mark.parametrize(("mode", "seats"), TABLES)
def test_every_move_leads_to_the_same_table(
    edition: Edition, mode: Mode, seats: int, swaps: float
) -> None:
    rng = Random(f"{mode} {seats} {swaps}")
    for _ in range(GAMES // seats + 1):
        setup = new_setup(edition, mode=mode, seats=seats, rng=rng)
        play_beside_core(dealt(setup), setup, rng, swaps)


@pytest.mark.long
@pytest.mark.parametrize(("mode", "seats"), TABLES)
def test_many_games_lead_to_the_same_table(edition: Edition, mode: Mode, seats: int) -> None:
    rng = Random(f"long {mode} {seats}")
    for _ in range(60 // seats):
        setup = new_setup(edition, mode=mode, seats=seats, rng=rng)
        play_beside_core(dealt(setup), setup, rng, rng.choice([0.1, 0.5, 1.0]))


def test_r15_the_comparison_goes_through_a_refill(edition: Edition) -> None:
    rng = Random(3)
    setup = new_setup(edition, mode="standard", seats=6, rng=rng)
    assert play_beside_core(dealt(setup), setup, rng, 1.0) == 1


def test_a_second_deal_forgets_the_first(edition: Edition) -> None:
    rng = Random(4)
    one, two = (new_setup(edition, mode="standard", seats=3, rng=rng) for _ in range(2))
    game = dealt(one)
    play_beside_core(game, one, rng, 0.5)
    game.deal(two.objectives, list(two.deck), list(two.refill))
    check_equal(game, deal(two))


def test_all_objectives_are_counted_alike(edition: Edition) -> None:
    for number in range(15, 31):
        rng = Random(number)
        pattern = number % 7
        for seats in (1, 3):
            setup = replace(
                new_setup(edition, seats=seats, rng=rng),
                objectives=(1 + pattern, 8 + pattern, number),
            )
            play_beside_core(dealt(setup), setup, rng, 0.2)


def test_a_very_wide_pattern_is_counted_without_keeping_all_its_states(edition: Edition) -> None:
    """An owner's pattern may reach over all 8 columns."""
    wide = Pattern("color", ((0, 0), (3, 2), (7, 1)), 5)
    own = replace(edition, patterns=(wide, *edition.patterns[1:]))
    rng = Random(8)
    for _ in range(3):
        setup = replace(new_setup(own, seats=2, rng=rng), objectives=(1, 8, 15))
        play_beside_core(dealt(setup), setup, rng, 0.2)
