"""The environments: conformance, play, rewards, order, and what they refuse."""

import copy
import pickle
import subprocess
import sys
from random import Random
from typing import Any

import gymnasium
import numpy as np
import pettingzoo.test
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.utils import wrappers

from sideboards import (
    Edition,
    IllegalMove,
    Mode,
    Refusal,
    deal,
    new_setup,
    scores,
    step,
)
from sideboards.core.scoring import Points, Score, Tally
from sideboards.fast.actions import SWAP, WAIT, move_of
from sideboards.minds import envs
from sideboards.minds.envs import CheckedAEC, SideboardsAEC, SideboardsParallel, SoloEnv
from sideboards.minds.rewards import rewards

pytestmark = pytest.mark.long

conformance: Any = pettingzoo.test  # it has no annotations
OPTIONS: list[dict[str, Any]] = [
    *[{"players": players} for players in range(2, 7)],
    *[{"players": players, "variant": True} for players in range(2, 7)],
    {"players": 3, "reward": "win", "tallies": True, "objectives": (3, 8, 19)},
    {"players": 4, "reward": "margin", "render_mode": "ansi"},
]
# PettingZoo's tests know the names of its own environments whose observations are dictionaries
# with a mask; of all others they say so in a warning.
usual = pytest.mark.filterwarnings(
    "ignore:Observation is not a NumPy array",
    "ignore:Observation space for each agent probably should be",
)


def any_action(mask: Any, rng: Random) -> int:  # noqa: ANN401
    return int(rng.choice(np.flatnonzero(mask)))


# conformance


@usual
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_pettingzoo_finds_no_fault_with_the_aec_environments(options: dict[str, Any]) -> None:
    conformance.api_test(envs.raw_env(**options), num_cycles=30)
    conformance.api_test(envs.env(**options), num_cycles=30)
    conformance.seed_test(lambda: envs.raw_env(**options), num_cycles=20)
    conformance.seed_test(lambda: envs.env(**options), num_cycles=20)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_pettingzoo_finds_no_fault_with_the_parallel_environment(options: dict[str, Any]) -> None:
    conformance.parallel_api_test(envs.parallel_env(**options), num_cycles=30)
    conformance.parallel_seed_test(lambda: envs.parallel_env(**options), num_cycles=20)


@pytest.mark.parametrize("options", [{}, {"tallies": True}, {"objectives": (3, 8, 19)}], ids=str)
def test_gymnasium_finds_no_fault_with_the_solo_environment(options: dict[str, Any]) -> None:
    check_env(gymnasium.make("Sideboards-v0", render_mode="ansi", **options).unwrapped)


def test_the_solo_environment_is_registered() -> None:
    made = gymnasium.make("Sideboards-v0", objectives=(3, 8, 19))
    assert isinstance(made.unwrapped, SoloEnv)
    found, _ = made.reset(seed=1)
    assert found in made.observation_space


# play


@pytest.mark.parametrize(("mode", "players"), [("standard", 2), ("standard", 6), ("variant", 4)])
def test_a_seed_deals_the_same_game_as_the_library(
    edition: Edition, mode: Mode, players: int
) -> None:
    """AEC, parallel and core play the same game: same hands seen, same scores as rewards."""
    aec = envs.env(players=players, variant=mode == "variant")
    parallel = envs.parallel_env(players=players, variant=mode == "variant")
    for seed in range(6):
        rng = Random(seed)
        aec.reset(seed=seed)
        observations, _ = parallel.reset(seed=seed)
        state = deal(new_setup(edition, mode=mode, seats=players, rng=Random(seed)))
        paid: dict[str, float] = {}
        while aec.agents and not any(aec.terminations.values()):
            before = state.round
            actions: dict[int, list[int]] = {}
            while state.round == before:
                seat = int(aec.agent_selection[-1])
                seen, *_ = aec.last()
                assert seen is not None
                action = any_action(seen["action_mask"], rng)
                actions.setdefault(seat, []).append(action)
                state = step(state, seat, move_of(action, state.seats[seat].hand))
                aec.step(action)
            while any(actions.values()):  # whoever has nothing left to do waits for the swappers
                agents = {
                    agent: actions[seat].pop(0) if actions[seat] else WAIT
                    for seat, agent in enumerate(parallel.agents)
                }
                observations, paid, *_ = parallel.step(agents)
            for agent in parallel.possible_agents:
                same = aec.observe(agent)
                assert np.array_equal(observations[agent]["observation"], same["observation"])
        assert [*paid.values()] == [score.points.total for score in scores(state)]
        assert aec.rewards == paid


def test_whoever_swaps_acts_again_and_the_others_wait_in_the_parallel_environment() -> None:
    table = envs.parallel_env(players=2)
    table.reset(seed=1)
    table.step({"seat_0": 0, "seat_1": 0})
    seen, *_ = table.step({"seat_0": 48, "seat_1": SWAP})
    assert np.flatnonzero(seen["seat_0"]["action_mask"]).tolist() == [WAIT]
    assert np.flatnonzero(seen["seat_1"]["action_mask"]).tolist() == list(range(48, 56))
    seen, _, _, _, infos = table.step({"seat_0": WAIT, "seat_1": 50})
    assert SWAP in np.flatnonzero(seen["seat_0"]["action_mask"])
    assert SWAP not in np.flatnonzero(infos["seat_1"]["action_mask"])


def test_whoever_swaps_acts_again_at_once_in_the_aec_environment() -> None:
    table = envs.raw_env(players=2)
    table.reset(seed=1)
    order = []
    for action in (0, 0, 48, SWAP, 50, 48):
        order.append(table.agent_selection)
        table.step(action)
    assert [int(agent[-1]) for agent in order] == [0, 1, 0, 1, 1, 0]
    assert np.flatnonzero(table.infos["seat_0"]["action_mask"]).tolist() == [WAIT]


def test_infos_always_have_the_mask_of_the_observation() -> None:
    table, rng = envs.env(players=3), Random(2)
    table.reset(seed=3)
    for agent in table.agent_iter():
        seen, _, ended, _, info = table.last()
        assert seen is not None
        for other in table.agents:
            mask = table.observe(other)["action_mask"]
            assert np.array_equal(table.infos[other]["action_mask"], mask)
        assert info is table.infos[agent]
        assert seen["observation"].flags.writeable
        table.step(None if ended else any_action(seen["action_mask"], rng))


def test_what_was_given_out_never_changes() -> None:
    table, rng = envs.raw_env(players=2), Random(2)
    table.reset(seed=3)
    kept = []
    while not any(table.terminations.values()):
        seen, *_ = table.last()
        assert seen is not None
        kept.append((seen, copy.deepcopy(seen)))
        table.step(any_action(seen["action_mask"], rng))
    for given, then in kept:
        assert np.array_equal(given["observation"], then["observation"])
        assert np.array_equal(given["action_mask"], then["action_mask"])


def test_a_given_setup_is_dealt(edition: Edition) -> None:
    setup = new_setup(edition, seats=1, rng=Random(5))
    solo = SoloEnv()
    seen, _ = solo.reset(options={"setup": setup})
    again, _ = solo.reset(seed=5)
    assert np.array_equal(seen["observation"], again["observation"])
    with pytest.raises(Refusal, match="found a setup for 1 seats, solo"):
        envs.raw_env(players=2).reset(options={"setup": setup})
    with pytest.raises(Refusal, match='found "no" as the setup; expected a Setup'):
        solo.reset(options={"setup": "no"})


def test_an_environment_can_be_pickled_in_the_middle_of_a_game() -> None:
    table = envs.env(players=2)
    table.reset(seed=1)
    table.step(0)
    other = pickle.loads(pickle.dumps(table))  # noqa: S301 (made a moment ago)
    one, two = table.observe("seat_1"), other.observe("seat_1")
    assert np.array_equal(one["observation"], two["observation"])


def test_the_table_is_rendered_as_a_spectator_sees_it() -> None:
    table = envs.env(players=2, objectives=(3, 8, 19), render_mode="ansi")
    table.reset(seed=1)
    table.step(0)
    start = table.render()
    assert start == (
        "round 0, objectives 3,8,19, pile 54, discards 0\n"
        "seat 0, swap card unused\n\n\n\n\n\n\n"
        "seat 1, swap card unused\n\n\n\n\n\n"
    )
    table.step(0)
    table.step(SWAP)
    shown = table.render()
    assert shown is not None
    assert "round 1, objectives 3,8,19, pile 50, discards 2\nseat 0\n" in shown
    assert len(shown.splitlines()) == 1 + 2 * 7
    assert envs.env(players=2).render() is None


# rewards


def score(total: int, place: int) -> Score:
    return Score(Tally(0, 0, 0), Points(total, 0, 0, 0, 0), place)


@pytest.mark.parametrize(
    ("table", "win", "margin"),
    [
        ([(30, 2), (40, 1)], [-1, 1], [-10, 10]),
        ([(40, 1), (40, 1)], [0, 0], [0, 0]),
        ([(40, 2), (41, 1), (30, 3)], [-0.5, 1, -0.5], [-1, 1, -11]),
        ([(9, 1), (5, 3), (9, 1), (1, 4)], [1 / 3, -1 / 3, 1 / 3, -1 / 3], [0, -4, 0, -8]),
    ],
)
def test_rewards(table: list[tuple[int, int]], win: list[float], margin: list[float]) -> None:
    found = tuple(score(*each) for each in table)
    assert rewards(found, "points") == [total for total, _ in table]
    assert rewards(found, "win") == pytest.approx(win)
    assert sum(rewards(found, "win")) == pytest.approx(0)
    assert rewards(found, "margin") == margin


def test_the_end_tells_the_parts_of_the_score() -> None:
    solo, rng = SoloEnv(), Random(1)
    seen, info = solo.reset(seed=1)
    ended, paid, total = False, 0.0, 0.0
    while not ended:
        assert total == 0
        assert "points" not in info
        seen, paid, ended, _, info = solo.step(any_action(seen["action_mask"], rng))
        total += paid
    assert total == paid == sum(info["points"].values()) == info["total"]
    assert info["place"] == 1
    assert not info["action_mask"].any()
    assert not solo.action_masks().any()
    with pytest.raises(Refusal, match=r"found no game in play; expected reset\(\) first"):
        solo.step(0)


# illegal actions and wrong order


def test_an_illegal_action_ends_the_game() -> None:
    solo = SoloEnv()
    solo.reset(seed=1)
    _, paid, ended, cut, _ = solo.step(SWAP)
    assert (paid, ended, cut) == (-1.0, True, False)
    table = envs.parallel_env(players=3)
    table.reset(seed=1)
    _, paid_to, ends, _, _ = table.step({"seat_0": 0, "seat_1": WAIT, "seat_2": 0})
    assert paid_to == {"seat_0": 0.0, "seat_1": -1.0, "seat_2": 0.0}
    assert all(ends.values())
    assert table.agents == []


def transcript(table: Any, seed: int) -> list[object]:  # noqa: ANN401
    """Everything that a loop over `agent_iter` gets to see, with an illegal action now and then."""
    rng = Random(seed)
    told: list[object] = []
    table.reset(seed=seed)
    for agent in table.agent_iter():
        seen, paid, ended, cut, info = table.last()
        told.append((agent, seen["observation"].tobytes(), seen["action_mask"].tobytes()))
        told.append((paid, ended, cut, [*info], table.agents[:], {**table.rewards}))
        legal = any_action(seen["action_mask"], rng) if not ended else None
        table.step(rng.randrange(62) if legal is not None and rng.random() < 0.02 else legal)
    return told


def test_the_built_in_checks_do_what_the_usual_wrappers_do() -> None:
    ends = set()
    for seed in range(30):
        raw: Any = envs.raw_env(players=3)
        wrapped = wrappers.OrderEnforcingWrapper(
            wrappers.AssertOutOfBoundsWrapper(wrappers.TerminateIllegalWrapper(raw, -1))
        )
        told = transcript(envs.env(players=3), seed)
        assert transcript(wrapped, seed) == told
        ends.add(any(isinstance(each, tuple) and each[0] == -1 for each in told))
    assert ends == {False, True}, "games that ended by an illegal action, and others"


def test_raw_env_refuses_an_illegal_action_and_goes_on() -> None:
    table = envs.raw_env(players=2)
    table.reset(seed=1)
    with pytest.raises(IllegalMove, match="found 60 of seat_0; expected one whose place in the"):
        table.step(SWAP)
    table.step(0)
    assert table.agent_selection == "seat_1"


@pytest.mark.parametrize("make", [envs.raw_env, envs.env, envs.parallel_env])
def test_nothing_is_there_before_the_first_reset(make: Any) -> None:  # noqa: ANN401
    with pytest.raises(AttributeError, match=r"agents: not there; expected .* after reset\(\)"):
        print(make(players=2).agents)


def test_the_order_of_calls_is_checked() -> None:
    table = envs.env(players=2)
    table.reset(seed=1)
    with pytest.raises(Refusal, match="found no step in its loop"):
        for _ in table.agent_iter():
            pass
    with pytest.raises(Refusal, match="found 62; expected 0 to 61"):
        table.step(62)
    table.step(SWAP)
    with pytest.raises(Refusal, match="found 0 of seat_0 after the end; expected None"):
        table.step(0)
    table.step(None)
    table.step(None)
    with pytest.raises(Refusal, match="the game is over; expected reset"):
        table.step(None)


def test_bad_options_are_refused() -> None:
    with pytest.raises(Refusal, match="seats: found 7 in mode standard; expected 2 to 6 players"):
        envs.env(players=7)
    with pytest.raises(Refusal, match="found 8 as the color objective"):
        SoloEnv(objectives=(8, 8, 19))
    with pytest.raises(Refusal, match='reward: found "luck"; expected points, win, margin'):
        envs.env(reward="luck")
    with pytest.raises(Refusal, match='render_mode: found "human"; expected ansi or none'):
        envs.parallel_env(render_mode="human")
    with pytest.raises(Refusal, match='agent: found "seat_2"; expected seat_0, seat_1'):
        envs.env(players=2).action_space("seat_2")
    table = envs.parallel_env(players=2)
    table.reset()
    with pytest.raises(Refusal, match="actions: found seat_0; expected seat_0, seat_1"):
        table.step({"seat_0": 1})


# imports


def test_the_package_imports_no_environment_library() -> None:
    code = (
        "import sys, sideboards, sideboards.cli;"
        "print([n for n in ('numpy', 'gymnasium', 'pettingzoo') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("missing", ["gymnasium", "pettingzoo"])
def test_a_missing_extra_is_named_in_one_sentence(missing: str) -> None:
    code = f"import sys; sys.modules[{missing!r}] = None; import sideboards.minds.envs"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        f"ImportError: sideboards.minds.envs: {missing} is missing; "
        "expected the extra that brings it: sideboards[envs]"
    )


def test_the_classes_are_what_the_functions_make() -> None:
    assert type(envs.raw_env()) is SideboardsAEC
    assert type(envs.env()) is CheckedAEC
    assert type(envs.parallel_env()) is SideboardsParallel
