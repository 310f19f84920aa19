"""Games side by side are games of the core: hands, boards, piles and points after every step."""

from functools import cache
from itertools import zip_longest
from random import Random

import numpy as np
import pytest

from sideboards import Edition, Laid, Mode, State, deal, new_setup, scores, step, view
from sideboards.core.edition import CARDS
from sideboards.core.game import Hand
from sideboards.fast.actions import SWAP, WAIT, legal_actions, move_of
from sideboards.fast.games import BOTTOM, ROUND, THROWN, TOP, Games
from sideboards.fast.playout import logged_games
from sideboards.minds.batch import BatchedEnv
from sideboards.minds.observation import Vector
from tests.games import TABLES
from tests.test_playout import moves_of, setup_of

pytestmark = pytest.mark.long


LAID = [Laid(code // 2, code % 2 == 1) for code in range(2 * CARDS + 2)]
"""By the number that stands for it on a board of arrays."""


@cache
def allowed(mask: bytes) -> tuple[int, ...]:
    """The actions that a mask allows."""
    return tuple(action for action, legal in enumerate(mask) if legal)


def any_actions(masks: Vector, rng: Random, swaps: float) -> list[list[int]]:
    """A random legal action of every seat of every game; a swap with this chance."""
    found: list[list[int]] = []
    for of_game in masks:
        found.append([])
        for mask in of_game:
            options = allowed(mask.tobytes())
            swapping = SWAP in options and rng.random() < swaps
            placing = [action for action in options if action != SWAP]
            found[-1].append(SWAP if swapping else rng.choice(placing or [WAIT]))
    return found


def played_in_core(state: State, actions: list[int]) -> State:
    """The state after a step of all seats."""
    for seat, action in enumerate(actions):
        if action != WAIT and not state.over:
            state = step(state, seat, move_of(action, state.seats[seat].hand))
    return state


def check_equal(games: Games, states: list[State]) -> None:
    """Everything on the tables, in hand and in the piles is equal."""
    hands, laid, swap = games.hands.tolist(), games.laid.tolist(), games.swap.tolist()
    at, sealed = games.at.tolist(), games.sealed.tolist()
    decks, discards = games.deck.tolist(), games.discards.tolist()
    for game, state in enumerate(states):
        top, bottom, thrown = (at[game][i] for i in (TOP, BOTTOM, THROWN))
        assert at[game][ROUND] == state.round
        assert tuple(decks[game][top:bottom]) == state.pile
        assert tuple(discards[game][:thrown]) == state.discards
        for seat, there in enumerate(state.seats):
            assert without_zeros(hands[game][seat]) == there.hand
            codes = without_zeros(laid[game][seat])
            assert tuple([LAID[code] for code in codes]) == there.board
            assert swap[game][seat] == there.swap
            choice, action = state.sealed[seat], sealed[game][seat]
            assert (None if action < 0 else move_of(action, there.hand)) == choice


def without_zeros(cards: list[int]) -> Hand:
    """The cards up to the first empty place; behind it there are none."""
    count = cards.index(0) if 0 in cards else len(cards)
    assert not any(cards[count:])
    return tuple(cards[:count])


def play_beside_core(table: BatchedEnv, rng: Random, swaps: float) -> int:
    """Play all games once in both, comparing after every step; how often a pile was refilled."""
    states = [deal(table.setup_of(game)) for game in range(table.games)]
    check_equal(table._table, states)
    refills = 0
    while not all(state.over for state in states):
        actions = any_actions(table.masks(), rng, swaps)
        before = [len(state.discards) for state in states]
        playing = [not state.over for state in states]
        _, rewards, dones, infos = table.step(actions)
        states = [played_in_core(*each) for each in zip(states, actions, strict=True)]
        refills += sum(len(s.discards) < n for s, n in zip(states, before, strict=True))
        check_equal(table._table, states)
        for game, state in enumerate(states):
            assert dones[game] == (state.over and playing[game])
            ended = [score.points.total for score in scores(state)] if dones[game] else None
            totals = ended or [0] * table.players
            assert infos["total"][game].tolist() == totals == rewards[game].tolist()
    return refills


def table_of(mode: Mode, seats: int, games: int) -> BatchedEnv:
    return BatchedEnv(
        games, players=seats, variant=mode == "variant", observations=False, autoreset=False
    )


@pytest.mark.parametrize("swaps", [0.1, 1.0])
@pytest.mark.parametrize(("mode", "seats"), TABLES)
def test_every_step_leads_to_the_same_table(mode: Mode, seats: int, swaps: float) -> None:
    table = table_of(mode, seats, 40)
    table.reset(seed=seats)
    refills = play_beside_core(table, Random(f"{mode} {seats} {swaps}"), swaps)
    if swaps == 1.0:
        assert (refills > 0) == (mode == "standard" and seats == 6)


@pytest.mark.long
@pytest.mark.parametrize(("mode", "seats"), TABLES)
def test_many_games_lead_to_the_same_table(mode: Mode, seats: int) -> None:
    table, rng = table_of(mode, seats, 500), Random(f"long {mode} {seats}")
    table.reset(seed=100 + seats)
    for swaps in (0.05, 0.3):
        play_beside_core(table, rng, swaps)
        table.reset()


def test_r15_a_refill_happens_within_a_swap_and_within_a_draw() -> None:
    """Six seats that all swap in the last round, or all before it."""
    for early in (True, False):
        table = table_of("standard", 6, 30)
        table.reset(seed=3)
        states = [deal(table.setup_of(game)) for game in range(30)]
        refilled_by: set[str] = set()
        rng = Random(1)
        while not states[0].over:
            now = states[0].round >= 1 if early else states[0].round == 6
            actions = any_actions(table.masks(), rng, 1.0 if now else 0.0)
            pile = len(states[0].pile)
            table.step(actions)
            states = [played_in_core(*each) for each in zip(states, actions, strict=True)]
            check_equal(table._table, states)
            swapped = actions[0].count(SWAP)
            drawn = 2 * swapped or (0 if states[0].over else 6)  # nobody swaps while a round closes
            if drawn > pile:
                refilled_by.add("swap" if swapped else "draw")
        assert refilled_by == ({"draw"} if early else {"swap"})


# the same moves as in `fast.playout`


def steps_of(moves: list[tuple[int, int]], seats: int) -> list[list[int]]:
    """The moves of a logged game, one after the other, as steps of all seats."""
    steps: list[list[int]] = []
    waiting: list[list[int]] = [[] for _ in range(seats)]
    for seat, action in moves:
        waiting[seat].append(action)
        if seat == seats - 1 and action != SWAP:
            while any(waiting):
                steps.append([queue.pop(0) if queue else WAIT for queue in waiting])
    return steps


def check_same_totals(edition: Edition, mode: Mode, seats: int, games: int) -> None:
    """Games that `fast.playout` plays at random have the same totals side by side."""
    rng = Random(f"{mode} {seats} {games}")
    for begin in range(0, games, 1000):
        many = min(1000, games - begin)
        given = new_setup(edition, mode=mode, seats=seats, rng=rng)
        played, log = logged_games(
            edition,
            mode=mode,
            seats=seats,
            objectives=given.objectives,
            games=many,
            seed=rng.randrange(2**32),
        )
        table = table_of(mode, seats, many)
        table.reset(setups=[setup_of(given, log, game) for game in range(many)])
        steps = [steps_of(moves_of(log, game), seats) for game in range(many)]
        totals = np.zeros_like(played.totals)
        for now in zip_longest(*steps, fillvalue=[WAIT] * seats):
            *_, infos = table.step(now)
            totals += infos["total"].astype(totals.dtype)
        assert np.array_equal(totals, played.totals)


@pytest.mark.parametrize(("mode", "seats"), TABLES)
def test_random_games_have_the_same_totals(edition: Edition, mode: Mode, seats: int) -> None:
    check_same_totals(edition, mode, seats, 100)


@pytest.mark.long
@pytest.mark.parametrize(("mode", "seats"), TABLES)
def test_100_000_random_games_have_the_same_totals(
    edition: Edition, mode: Mode, seats: int
) -> None:
    check_same_totals(edition, mode, seats, -(-100_000 // len(TABLES)))


def test_masks_are_the_legal_actions_of_the_core() -> None:
    for mode, seats in TABLES:
        table = table_of(mode, seats, 5)
        table.reset(seed=1)
        states = [deal(table.setup_of(game)) for game in range(5)]
        rng = Random(seats)
        while not states[0].over:
            masks = table.masks()
            for game, state in enumerate(states):
                for seat in range(seats):
                    found = tuple(np.flatnonzero(masks[game, seat]).tolist())
                    assert found == tuple(sorted(legal_actions(view(state, seat))))
            actions = any_actions(masks, rng, 0.3)
            table.step(actions)
            states = [played_in_core(*each) for each in zip(states, actions, strict=True)]
        assert not table.masks()[0].any()
