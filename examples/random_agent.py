"""A random agent in all three environments: AEC, parallel and solo.

Run it as it is, or cell by cell in an editor that knows ``# %%``. `--episodes` says how many
games each environment plays, `--seed` makes them the same again.
"""

# %% The environments need the extra `envs`: sideboards[envs].
import argparse

import numpy as np

from sideboards.minds.envs import SoloEnv, env, parallel_env
from sideboards.minds.observation import Vector, fields


# %% An agent is whatever turns a mask (and the observation) into one of the 62 actions.
def random_action(mask: Vector, rng: np.random.Generator) -> int:
    """Any legal action."""
    return int(rng.choice(np.flatnonzero(mask)))


# %% AEC: one agent at a time. Choices are sealed until the round closes, so the order of the
# seats tells nobody anything. Whoever swaps is asked again at once.
def play_aec(episodes: int, rng: np.random.Generator) -> dict[str, float]:
    """The mean points of four random agents that act one after the other."""
    table = env(players=4)
    total = dict.fromkeys(table.possible_agents, 0.0)
    for _ in range(episodes):
        table.reset(seed=int(rng.integers(2**32)))
        for agent in table.agent_iter():
            seen, reward, terminated, truncated, _ = table.last()
            total[agent] += reward
            if terminated or truncated or seen is None:
                table.step(None)
            else:
                table.step(random_action(seen["action_mask"], rng))
    return {agent: points / episodes for agent, points in total.items()}


# %% Parallel: everybody at once. When somebody has swapped, the others wait a step: their mask
# then has a single 1, so a masked agent needs no code for it.
def play_parallel(episodes: int, rng: np.random.Generator) -> dict[str, float]:
    """The mean margin of two random agents in the variant, who act at the same time."""
    table = parallel_env(players=2, variant=True, reward="margin")
    total = dict.fromkeys(table.possible_agents, 0.0)
    for _ in range(episodes):
        seen, _ = table.reset(seed=int(rng.integers(2**32)))
        while table.agents:
            actions = {
                agent: random_action(seen[agent]["action_mask"], rng) for agent in table.agents
            }
            seen, rewards, _, _, _ = table.step(actions)
            for agent, reward in rewards.items():
                total[agent] += reward
    return {agent: points / episodes for agent, points in total.items()}


# %% Solo: one agent, the usual loop of Gymnasium. `fields` takes a vector apart by name.
def play_solo(episodes: int, rng: np.random.Generator) -> float:
    """The mean points of a random agent on its own."""
    table = SoloEnv(render_mode="ansi")
    total = 0.0
    for _ in range(episodes):
        seen, _ = table.reset(seed=int(rng.integers(2**32)))
        ended = False
        while not ended:
            action = random_action(seen["action_mask"], rng)
            seen, reward, ended, _, _ = table.step(action)
            total += reward
    print(table.render())
    print("cards of the last board:", *fields(seen["observation"])["board_cards"][0])
    return total / episodes


# %% All together.
def main() -> None:
    """Play and print the means."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    solo = play_solo(options.episodes, rng)
    print(f"solo: {solo:.1f} points")
    for agent, points in play_aec(options.episodes, rng).items():
        print(f"four players, {agent}: {points:.1f} points")
    for agent, margin in play_parallel(options.episodes, rng).items():
        print(f"variant for two, {agent}: {margin:+.1f} points ahead")


if __name__ == "__main__":
    main()
