"""Games among bots."""

from collections.abc import Sequence
from random import Random

from sideboards.core.game import Setup, State, deal, step
from sideboards.core.view import view
from sideboards.minds.bots import Bot


def play_game(setup: Setup, bots: Sequence[Bot], rng: Random) -> State:
    """The finished game of these bots, one per seat."""
    state = deal(setup)
    while not state.over:
        seat = state.waiting[0]  # a bot that has swapped is asked again
        state = step(state, seat, bots[seat](view(state, seat), rng))
    return state
