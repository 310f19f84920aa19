"""How fast the environments are: decided steps per CPU second, beside PettingZoo's tictactoe.

One loop serves all: `agent_iter`, `last`, a random legal action, `step`; dead steps and resets
take their time but do not count. The machine may be busy, so everything is measured in turn,
several times; medians are compared. Tictactoe needs pygame, which nothing else here needs:
without it the ratios are left out. `python -m bench.envs`
"""

import gc
import statistics
import time
from random import random
from typing import Any

from sideboards.minds import envs

REPEATS = 9
STEPS = 3000
WARM = 3000
OBJECTIVES = (3, 8, 19)


def steps_per_second(table: Any, steps: int) -> float:  # noqa: ANN401 (any AEC environment)
    """Play whole games at random until so many steps are decided; steps per CPU second."""
    decided = game = 0
    begin = time.process_time()
    while decided < steps:
        table.reset(seed=game)
        game += 1
        for _ in table.agent_iter():
            seen, _, terminated, truncated, _ = table.last()
            if terminated or truncated:
                table.step(None)
                continue
            (legal,) = seen["action_mask"].nonzero()
            table.step(legal[int(random() * len(legal))])
            decided += 1
    return decided / (time.process_time() - begin)


def tables() -> dict[str, Any]:
    """Everything that is measured, by name."""
    found: dict[str, Any] = {}
    try:
        from pettingzoo.classic import tictactoe_v3  # noqa: PLC0415 (it is there with pygame only)
    except ImportError:
        print("pygame is missing, so there is no tictactoe to compare with\n")
    else:
        peer: Any = tictactoe_v3  # it has no annotations
        found["tictactoe_v3.raw_env"] = peer.raw_env()
        found["tictactoe_v3.env"] = peer.env()
    for players in (2, 4, 6):
        for make in (envs.raw_env, envs.env):
            name = f"{make.__name__}, {players} players"
            found[name] = make(players=players, objectives=OBJECTIVES)
    found["raw_env, 4 players, variant"] = envs.raw_env(
        players=4, variant=True, objectives=OBJECTIVES
    )
    found["raw_env, 4, any objectives"] = envs.raw_env(players=4)
    found["raw_env, 4 players, tallies"] = envs.raw_env(
        players=4, tallies=True, objectives=OBJECTIVES
    )
    return found


def main() -> None:
    """Measure and print."""
    print(__doc__)
    measured = tables()
    warm = envs.raw_env(players=6, objectives=OBJECTIVES, tallies=True)
    steps_per_second(warm, WARM)  # what reads the objectives is made in the first games
    gc.freeze()
    rates: dict[str, list[float]] = {name: [] for name in measured}
    for _ in range(REPEATS):
        for name, table in measured.items():
            rates[name].append(steps_per_second(table, STEPS))
    medians = {name: statistics.median(found) for name, found in rates.items()}
    print(f"{'steps per CPU second':30} {'median':>9} {'highest':>9}   of raw_env  of env")
    for name, found in rates.items():
        ratios = "".join(
            f"{medians[name] / medians[peer]:9.2f} x"
            for peer in ("tictactoe_v3.raw_env", "tictactoe_v3.env")
            if peer in medians
        )
        print(f"{name:30} {medians[name]:9,.0f} {max(found):9,.0f}  {ratios}")


if __name__ == "__main__":
    main()
