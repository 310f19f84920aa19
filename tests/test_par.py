"""Par: exact, and reached by a legal line."""

import time
from random import Random

import pytest

from sideboards import Edition, Refusal, Setup, State, deal, legal, new_setup, replay, scores, step
from sideboards.fast.engine import material
from sideboards.fast.par import ceilings
from sideboards.minds.arena import play_game
from sideboards.minds.bots import hard
from sideboards.minds.par import par

pytestmark = pytest.mark.long


def solo(edition: Edition, seed: int) -> Setup:
    return new_setup(edition, seats=1, rng=Random(seed))


def total(state: State) -> int:
    return scores(state)[0].points.total


@pytest.mark.parametrize("seed", range(20))
def test_the_line_is_legal_and_reaches_par(edition: Edition, seed: int) -> None:
    setup = solo(edition, seed)
    found = par(setup)
    state = replay(setup, [(0, move) for move in found.moves])
    assert state.over
    assert total(state) == found.total
    assert found.total >= total(play_game(setup, [hard], Random(seed)))


def best_from(state: State) -> int:
    """The best total from a state on, by trying every move of the core."""
    if state.over:
        return total(state)
    return max(best_from(step(state, 0, move)) for move in legal(state, 0))


@pytest.mark.parametrize("seed", range(6))
def test_par_cannot_be_beaten_from_anywhere_on_its_line(edition: Edition, seed: int) -> None:
    """All 17,000 continuations of the last rounds, after par's line and after random moves."""
    setup = solo(edition, seed)
    found = par(setup)
    rounds = [i for i, move in enumerate(found.moves) if str(move) != "swap"]
    state = replay(setup, [(0, move) for move in found.moves[: rounds[4]]])
    assert best_from(state) == found.total
    rng = Random(seed)
    state = deal(setup)
    while state.round < 4:
        state = step(state, 0, rng.choice(legal(state, 0)))
    assert best_from(state) <= found.total


def test_only_solo_deals_have_a_par(edition: Edition) -> None:
    with pytest.raises(Refusal, match="expected a solo game"):
        par(new_setup(edition, seats=2, rng=Random(1)))


def test_par_takes_less_than_two_seconds(edition: Edition) -> None:
    for seed in range(30):
        setup = solo(edition, seed)
        material(edition, setup.objectives)
        ceilings(edition, setup.objectives)
        begin = time.process_time()
        par(setup)
        assert time.process_time() - begin < 2
