"""The batched environment: what it shows, deals, pays and refuses, beside core and view."""

import subprocess
import sys
from random import Random
from typing import Any

import numpy as np
import pytest

from sideboards import Edition, IllegalMove, Mode, Refusal, deal, new_setup, view
from sideboards.core.scoring import Points, Score, Tally
from sideboards.fast.actions import ACTIONS, SWAP, WAIT
from sideboards.minds import envs
from sideboards.minds.batch import BatchedEnv
from sideboards.minds.observation import SIZE, encode, mask
from sideboards.minds.rewards import Reward, rewards, rewards_of_many
from tests.games import TABLES
from tests.test_games import any_actions, played_in_core

pytestmark = pytest.mark.long

GAMES = 4


def table_of(mode: Mode, seats: int, games: int = GAMES, **options: Any) -> BatchedEnv:  # noqa: ANN401
    return BatchedEnv(games, players=seats, variant=mode == "variant", **options)


@pytest.mark.parametrize("tallies", [False, True])
@pytest.mark.parametrize(("mode", "seats"), TABLES)
def test_observations_and_masks_are_those_of_views(mode: Mode, seats: int, tallies: bool) -> None:
    table = table_of(mode, seats, tallies=tallies, autoreset=False)
    seen, infos = table.reset(seed=seats)
    states = [deal(table.setup_of(game)) for game in range(GAMES)]
    rng, steps = Random(seats), 0
    while True:
        assert seen.shape == (GAMES, seats, SIZE)
        assert seen.dtype == infos["action_mask"].dtype == np.int8
        for game, state in enumerate(states):
            for seat in range(seats):
                of_seat = view(state, seat)
                assert np.array_equal(seen[game, seat], encode(of_seat, tallies=tallies))
                assert np.array_equal(infos["action_mask"][game, seat], mask(of_seat))
        if all(state.over for state in states):
            break
        actions = any_actions(infos["action_mask"], rng, 0.3)
        seen, _, _, infos = table.step(actions)
        states = [played_in_core(*each) for each in zip(states, actions, strict=True)]
        steps += 1
    assert 7 <= steps <= 14


def test_it_plays_as_the_parallel_environment_does(edition: Edition) -> None:
    table, rng = BatchedEnv(1, players=3, edition=edition, reward="margin"), Random(1)
    single = envs.parallel_env(players=3, edition=edition, reward="margin")
    for seed in range(5):
        seen, infos = table.reset(seed=seed)
        alone, _ = single.reset(options={"setup": table.setup_of(0)})
        while single.agents:
            for agent, vector in zip(single.agents, seen[0], strict=True):
                assert np.array_equal(alone[agent]["observation"], vector)
            actions = any_actions(infos["action_mask"], rng, 0.2)
            alone, paid, *_ = single.step(dict(zip(single.agents, actions[0], strict=True)))
            seen, rewarded, dones, infos = table.step(actions)
            assert rewarded[0].tolist() == [*paid.values()]
        assert dones[0]


# deals


def test_a_seed_deals_the_same_games_and_every_game_another() -> None:
    table, other = (table_of("standard", 6, 50) for _ in range(2))
    seen, _ = table.reset(seed=5)
    again, _ = other.reset(seed=5)
    assert np.array_equal(seen, again)
    decks = {table.setup_of(game).deck for game in range(50)}
    assert len(decks) == 50
    assert len({table.setup_of(game).refill for game in range(50)} - decks) == 50
    assert len({table.setup_of(game).objectives for game in range(50)}) > 40
    for each in (table, other):
        each.reset()
    assert table.setup_of(7) == other.setup_of(7)
    assert table.setup_of(7).deck not in decks
    table.reset(seed=6)
    assert table.setup_of(7) != other.setup_of(7)


def test_without_a_seed_chance_decides() -> None:
    one, other = table_of("solo", 1), table_of("solo", 1)
    one.reset()
    other.reset()
    assert one.setup_of(0).deck != other.setup_of(0).deck


def test_cards_and_objectives_are_dealt_evenly() -> None:
    games = 30_000
    table = table_of("standard", 2, games, observations=False)
    table.reset(seed=1)
    for place in (0, 5, 30, 59):
        counts = np.bincount(table._table.order[:, place], minlength=61)[1:]
        expected = games / 60
        assert abs(counts - expected).max() < 5 * expected**0.5
    for kind, (first, last) in enumerate(((1, 7), (8, 14), (15, 30))):
        counts = np.bincount(table._open.numbers[:, kind])[first:]
        expected = games / (last + 1 - first)
        assert len(counts) == last + 1 - first
        assert abs(counts - expected).max() < 5 * expected**0.5


def test_given_setups_are_dealt(edition: Edition) -> None:
    rng = Random(3)
    setups = [new_setup(edition, seats=6, rng=rng) for _ in range(GAMES)]
    table = table_of("standard", 6)
    seen, _ = table.reset(setups=setups)
    for game, setup in enumerate(setups):
        assert table.setup_of(game) == setup
        assert np.array_equal(seen[game, 3], encode(view(deal(setup), 3), tallies=False))


def test_fixed_objectives_stay() -> None:
    table = table_of("standard", 2, objectives=(3, 8, 19))
    table.reset(seed=1)
    table.reset()
    assert {table.setup_of(game).objectives for game in range(GAMES)} == {(3, 8, 19)}


# the end of a game


def test_a_finished_game_begins_anew_in_the_same_step() -> None:
    table, rng = table_of("standard", 2, 20), Random(2)
    seen, infos = table.reset(seed=1)
    ends = np.zeros(20, np.int64)
    for _ in range(40):
        before = [table.setup_of(game) for game in range(20)]
        seen, paid, dones, infos = table.step(any_actions(infos["action_mask"], rng, 0.1))
        ends += dones
        for game in range(20):
            setup = table.setup_of(game)
            assert (setup != before[game]) == dones[game]
            if dones[game]:
                assert (paid[game] > 0).all()
                assert np.array_equal(paid[game], infos["total"][game])
                for seat in range(2):
                    of_seat = view(deal(setup), seat)
                    assert np.array_equal(seen[game, seat], encode(of_seat, tallies=False))
                    assert np.array_equal(infos["action_mask"][game, seat], mask(of_seat))
            else:
                assert not paid[game].any()
                assert not infos["total"][game].any()
    assert ends.min() >= 3


def test_what_is_dealt_next_does_not_depend_on_the_other_games() -> None:
    """Game 3 goes on alike beside games that last longer."""

    def setups(swaps: float) -> list[object]:
        table, rng = table_of("standard", 2, 5), Random(2)
        _, infos = table.reset(seed=1)
        found: list[object] = []
        while len(found) < 3:
            actions = any_actions(infos["action_mask"], rng, swaps)
            actions[3] = [int(np.flatnonzero(m)[0]) for m in infos["action_mask"][3]]
            _, _, dones, infos = table.step(actions)
            if dones[3]:
                found.append(table.setup_of(3))
        return found

    assert setups(0.0) == setups(1.0)


def test_without_autoreset_a_finished_game_stays_and_its_actions_are_not_looked_at() -> None:
    table, rng = table_of("standard", 2, 2, autoreset=False), Random(2)
    _, infos = table.reset(seed=1)
    swapped = False
    dones = np.zeros(2, np.bool_)
    while not dones[0]:
        actions = any_actions(infos["action_mask"], rng, 0.0)
        if not swapped and SWAP in np.flatnonzero(infos["action_mask"][1, 0]):
            actions[1][0], swapped = SWAP, True
        seen, _, dones, infos = table.step(actions)
    last, rest = seen[0].copy(), any_actions(infos["action_mask"], rng, 0.0)[1]
    assert not dones[1]
    seen, paid, dones, infos = table.step([[99, -5], rest])
    assert dones.tolist() == [False, True]
    assert not paid[0].any()
    assert np.array_equal(seen[0], last)
    with pytest.raises(Refusal, match=r"step: found no game in play; expected reset\(\) first"):
        table.step([[0, 0], [0, 0]])


def test_what_was_given_out_never_changes() -> None:
    table, rng = table_of("standard", 3), Random(2)
    seen, infos = table.reset(seed=1)
    kept: list[tuple[Any, Any]] = []
    for _ in range(20):
        given = seen, infos["action_mask"], infos["total"]
        kept += [(each, each.copy()) for each in given]
        seen, paid, dones, infos = table.step(any_actions(infos["action_mask"], rng, 0.2))
        kept += [(each, each.copy()) for each in (paid, dones)]
    assert all(np.array_equal(given, then) for given, then in kept)


@pytest.mark.parametrize("reward", ["points", "win", "margin"])
def test_rewards_of_many_games_are_those_of_each(reward: Reward) -> None:
    rng = Random(1)
    for seats in range(2, 7):
        totals = [[rng.randrange(4) for _ in range(seats)] for _ in range(200)]
        found = rewards_of_many(np.array(totals), reward)
        for of_game, paid in zip(totals, found, strict=True):
            ranked = sorted(of_game, reverse=True)
            table = tuple(
                Score(Tally(0, 0, 0), Points(total, 0, 0, 0, 0), ranked.index(total) + 1)
                for total in of_game
            )
            assert paid.tolist() == pytest.approx(rewards(table, reward))


# rollouts


def test_observations_can_be_left_out() -> None:
    table, other = table_of("standard", 4, observations=False), table_of("standard", 4)
    seen, infos = table.reset(seed=1)
    other.reset(seed=1)
    rng = Random(1)
    for _ in range(30):
        assert seen.shape == (GAMES, 4, 0)
        actions = any_actions(infos["action_mask"], rng, 0.2)
        seen, paid, dones, infos = table.step(actions)
        _, same, ends, _ = other.step(np.array(actions, np.uint8))
        assert np.array_equal(paid, same)
        assert np.array_equal(dones, ends)


# refusals


@pytest.mark.parametrize(
    ("action", "round_"), [(SWAP, 0), (WAIT, 0), (-1, 0), (ACTIONS, 1), (0, 1)]
)
def test_an_illegal_action_is_refused_before_anything_changes(action: int, round_: int) -> None:
    table, rng = table_of("standard", 3), Random(1)
    _, infos = table.reset(seed=1)
    for _ in range(round_):
        _, _, _, infos = table.step(any_actions(infos["action_mask"], rng, 0.0))
    parts: list[Any] = [*table._table]
    before = [part.copy() for part in parts]
    actions = any_actions(infos["action_mask"], rng, 0.0)
    actions[2][1] = action
    with pytest.raises(
        IllegalMove, match=f"found {action} of seat 1 in game 2; expected one whose"
    ):
        table.step(actions)
    for was, part in zip(before, parts, strict=True):
        assert np.array_equal(was, part)
    actions[2][1] = int(np.flatnonzero(infos["action_mask"][2, 1])[0])
    table.step(actions)


def test_bad_options_are_refused(edition: Edition) -> None:
    with pytest.raises(Refusal, match="games: found 0; expected a whole number from 1"):
        BatchedEnv(0)
    with pytest.raises(Refusal, match="seats: found 7 in mode standard; expected 2 to 6 players"):
        BatchedEnv(1, players=7)
    with pytest.raises(Refusal, match="seats: found 1 in mode variant; expected 2 to 6 players"):
        BatchedEnv(1, players=1, variant=True)
    with pytest.raises(Refusal, match="found 8 as the color objective"):
        BatchedEnv(1, objectives=(8, 8, 19))
    with pytest.raises(Refusal, match='reward: found "win" in mode solo; expected points'):
        BatchedEnv(1, players=1, reward="win")
    table = BatchedEnv(2, objectives=(3, 8, 19))
    with pytest.raises(Refusal, match=r"found no game in play; expected reset\(\) first"):
        table.step([[0, 0], [0, 0]])
    with pytest.raises(Refusal, match=r"found an array of int64 with shape \(2,\); expected whole"):
        table.step([0, 0])
    with pytest.raises(Refusal, match="found an array of float64"):
        table.step([[0.5, 0.0], [0.0, 0.0]])
    with pytest.raises(Refusal, match="seed: found -1; expected 0 to"):
        table.reset(seed=-1)
    solo = new_setup(edition, seats=1, rng=Random(1))
    with pytest.raises(Refusal, match="setups: found 1; expected one for each of 2 games"):
        table.reset(setups=[solo])
    with pytest.raises(
        Refusal, match=r"setups: found 1 seats, solo, edition .* for game 0; expected"
    ):
        table.reset(setups=[solo, solo])
    two = new_setup(edition, seats=2, rng=Random(1), objectives=(3, 8, 20))
    with pytest.raises(Refusal, match=r"found objectives \(3, 8, 20\) for game 0; expected \(3, 8"):
        table.reset(setups=[two, two])


def test_a_missing_extra_is_named_in_one_sentence() -> None:
    code = "import sys; sys.modules['numba'] = None; import sideboards.minds.batch"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        "ImportError: sideboards.minds.batch: numba is missing; "
        "expected the extra that brings it: sideboards[fast]"
    )
