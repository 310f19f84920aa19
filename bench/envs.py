"""How fast the environments are: decisions per CPU second on one core, deals and scores included.

Single environments are played in the loop that `bench.beside` plays (`agent_iter`, `last`, a
random legal action, `step`). The batched one steps many games at once; choosing the actions does
not count there, because whoever has thousands of games chooses with arrays, too. The machine may
be busy, so all are measured in turn, several times; median and highest are printed.
"""

import gc
import statistics
import time

import numpy as np

from bench.loops import SEED, Measure, Measured, aec_games
from sideboards.fast.actions import WAIT
from sideboards.minds import envs
from sideboards.minds.batch import BatchedEnv

REPEATS = 5
SECONDS = 0.3
WARM_SECONDS = 0.5
GAMES = 1000


def batched(table: BatchedEnv) -> Measure:
    """A measure of random games in a batched environment."""
    rng = np.random.default_rng(SEED)
    _, first = table.reset(seed=SEED)
    table.step(first["action_mask"].argmax(axis=-1))  # to load what is compiled does not count
    _, first = table.reset(seed=SEED)
    masks = [first["action_mask"]]

    def play(seconds: float) -> Measured:
        decisions, spent = 0, 0.0
        while spent < seconds:
            chances = rng.random(masks[-1].shape, np.float32) + 1
            actions = (masks.pop() * chances).argmax(axis=-1)
            decisions += int((actions != WAIT).sum())
            begin = time.process_time()
            *_, infos = table.step(actions)
            spent += time.process_time() - begin
            masks.append(infos["action_mask"])
        return Measured(decisions, spent)

    return play


def measures() -> dict[str, Measure]:
    """Everything that is measured, by name."""
    batches = {
        "solo": BatchedEnv(GAMES, players=1),
        "4 players": BatchedEnv(GAMES, players=4),
        "4 players, tallies": BatchedEnv(GAMES, players=4, tallies=True),
        "4 players, no observations": BatchedEnv(GAMES, players=4, observations=False),
    }
    return {
        **{f"env, {n} players": aec_games(envs.env(players=n)) for n in (2, 4, 6)},
        "env, 4 players, variant": aec_games(envs.env(players=4, variant=True)),
        "env, 4 players, tallies": aec_games(envs.env(players=4, tallies=True)),
        **{f"{GAMES:,} games at once, {name}": batched(env) for name, env in batches.items()},
    }


def main() -> None:
    """Measure and print."""
    print(__doc__)
    prepared = measures()
    for measure in prepared.values():
        measure(WARM_SECONDS)
    gc.freeze()  # what was prepared is nothing that the collector should walk through
    rates: dict[str, list[float]] = {name: [] for name in prepared}
    for _ in range(REPEATS):
        for name, measure in prepared.items():
            rates[name].append(measure(SECONDS).rate)
    print(f"{'decisions per CPU second':48} {'median':>12} {'highest':>12}")
    for name, found in rates.items():
        print(f"{name:48} {statistics.median(found):12,.0f} {max(found):12,.0f}")
