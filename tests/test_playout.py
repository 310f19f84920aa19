"""Random games on arrays are games of the core: every move is legal, every total is equal."""

from collections import Counter
from dataclasses import replace
from random import Random

import numpy as np
import pytest

from sideboards import Edition, Mode, Setup, State, Swap, deal, new_setup, scores, step, view
from sideboards.fast.actions import legal_actions, move_of
from sideboards.fast.playout import Log, Played, logged_games, random_games
from tests.games import TABLES

GAMES = 100_000
"""How many games are compared with the core in all; see `test_100_000_games_are_equal`."""
SHARES = 2
"""Parts of each table's games, so that they spread over processes."""
AT_ONCE = 200
"""Games with the same three objectives."""


def setup_of(table: Setup, log: Log, game: int) -> Setup:
    """The set-up of a logged game at this table."""
    deck, refill = log.decks[game].tolist(), log.refills[game].tolist()
    return replace(table, deck=tuple(deck), refill=tuple(refill))


def moves_of(log: Log, game: int) -> list[tuple[int, int]]:
    """Seats and actions in turn, up to the last."""
    pairs = log.moves[game].reshape(-1, 2).tolist()
    return [(seat, action) for seat, action in pairs if seat >= 0]


def replayed(setup: Setup, moves: list[tuple[int, int]]) -> State:
    """The end of a game in the core, which refuses whatever is not legal."""
    state = deal(setup)
    for seat, action in moves:
        state = step(state, seat, move_of(action, state.seats[seat].hand))
    return state


def thrown(state: State, mode: Mode) -> int:
    """How many cards were discarded in a whole game."""
    rest = {"standard": 1, "variant": 2, "solo": 7}[mode] * len(state.seats)
    return rest + 2 * sum(isinstance(move, Swap) for _, move in state.played)


def check_games(edition: Edition, mode: Mode, seats: int, games: int, rng: Random) -> int:
    """Play games of one table, `AT_ONCE` for each objectives, and again in the core; refills."""
    refills = 0
    for begin in range(0, games, AT_ONCE):
        many, table = (
            min(AT_ONCE, games - begin),
            new_setup(edition, seats=seats, mode=mode, rng=rng),
        )
        played, log = logged_games(
            edition,
            mode=mode,
            seats=seats,
            objectives=table.objectives,
            games=many,
            seed=rng.randrange(2**32),
        )
        decisions = 0
        for game in range(many):
            moves = moves_of(log, game)
            state = replayed(setup_of(table, log, game), moves)
            assert state.over
            totals = [score.points.total for score in scores(state)]
            assert totals == played.totals[game].tolist()
            decisions += len(moves)
            on_table = sum(len(seat.board) for seat in state.seats)
            assert on_table + len(state.pile) + len(state.discards) == 60
            refills += len(state.discards) < thrown(state, mode)
        assert decisions == played.decisions
    return refills


@pytest.mark.parametrize(("mode", "seats"), TABLES)
def test_every_move_is_legal_and_every_total_equal(
    edition: Edition, mode: Mode, seats: int
) -> None:
    refills = check_games(edition, mode, seats, 60, Random(f"{mode} {seats}"))
    # Only six seats with swap cards use up the pile, four swaps among 60 cards.
    assert (refills > 0) == (mode == "standard" and seats == 6)


@pytest.mark.long
@pytest.mark.parametrize("share", range(SHARES))
@pytest.mark.parametrize(("mode", "seats"), TABLES)
def test_100_000_games_are_equal(edition: Edition, mode: Mode, seats: int, share: int) -> None:
    games = -(-GAMES // (len(TABLES) * SHARES))
    check_games(edition, mode, seats, games, Random(f"{mode} {seats} {share}"))


@pytest.mark.parametrize(("mode", "seats"), [("solo", 1), ("standard", 4), ("variant", 3)])
def test_every_legal_move_happens_and_about_equally_often(
    edition: Edition, mode: Mode, seats: int
) -> None:
    """The first two decisions of seat 0: all options of the core, none of them rare."""
    _, log = logged_games(
        edition, mode=mode, seats=seats, objectives=(3, 8, 19), games=3000, seed=5
    )
    table = new_setup(edition, mode=mode, seats=seats, objectives=(3, 8, 19), rng=Random(1))
    state = deal(setup_of(table, log, 0))
    for round_ in (0, 1):
        options = legal_actions(view(state, 0))
        chosen = Counter(
            next(action for seat, action in moves_of(log, game)[round_ * seats :] if seat == 0)
            for game in range(3000)
        )
        assert sorted(chosen) == sorted(options)
        assert min(chosen.values()) > 0.6 * 3000 / len(options)
        if round_ == 0:
            for seat, action in moves_of(log, 0)[:seats]:
                state = step(state, seat, move_of(action, state.seats[seat].hand))


def test_a_seed_gives_the_same_games_and_another_seed_others(edition: Edition) -> None:
    def play(seed: int) -> Played:
        return random_games(
            edition, mode="standard", seats=3, objectives=(3, 8, 19), games=50, seed=seed
        )

    assert np.array_equal(play(1).totals, play(1).totals)
    assert not np.array_equal(play(1).totals, play(2).totals)
    logged, _ = logged_games(
        edition, mode="standard", seats=3, objectives=(3, 8, 19), games=50, seed=1
    )
    assert np.array_equal(play(1).totals, logged.totals)
    assert play(1).decisions == logged.decisions


def test_decks_are_shuffled_evenly(edition: Edition) -> None:
    """Every card is about equally often the first, the last dealt and the first drawn by a swap."""
    games = 30_000
    _, log = logged_games(
        edition, mode="standard", seats=2, objectives=(3, 8, 19), games=games, seed=9
    )
    for place in (0, 5, 17, 59):
        counts = np.bincount(log.decks[:, place], minlength=61)[1:]
        expected = games / 60
        assert counts.min() > expected - 5 * expected**0.5
        assert counts.max() < expected + 5 * expected**0.5
