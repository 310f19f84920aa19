"""A trained agent in plain numpy: policy gradient with masked actions on the solo game.

It learns to lay cards for three fixed objectives (color 3, handle 8, the longest red row) from
nothing but played games, and prints what it has learned beside random play on the same deals.
`--episodes` says how many games it learns from, `--seed` makes all of it the same again.

Every legal action lights up a few *signs*: how far the heights of a color or a handle on the
new card are from those on the next two cards of the board. An action's preference is the sum of
its signs' weights, the policy a softmax over the legal actions (the others are masked out), and
the weights follow the gradient of REINFORCE: more of what was better than usual.
"""

# %%
import argparse
import time
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sideboards import load_edition
from sideboards.fast.actions import FIRST_PLACE, PAIRS, SWAP
from sideboards.minds.envs import Observation, SoloEnv
from sideboards.minds.observation import fields

Whole = npt.NDArray[np.int64]
Real = npt.NDArray[np.float64]

OBJECTIVES = (3, 8, 19)
BATCH = 40
RATE = 0.06

# %% Signs. A card shows 5 colors and 3 handles; alike kinds share their signs (0: color,
# 1: handle), and red, which alone counts for the row, has signs of its own (2).
KINDS = np.array([0, 1, 2, 3, 4, 5, 6, 7, 0])
GROUPS = np.array([0, 0, 0, 0, 0, 1, 1, 1, 2])
BY_TWO = 25 * GROUPS  # from the next card and the one behind it: 5 x 5 distances
BY_ONE = 75 + 5 * GROUPS  # at the start, from the other card: 5 distances
BY_ROUND = 90  # to swap in this round
NO_SIGN = 98
SIGNS = 99


def signs(seen: Observation) -> tuple[Whole, Whole]:
    """The legal actions, and for each of them its nine signs."""
    actions = np.flatnonzero(seen["action_mask"])
    parts = fields(seen["observation"])
    hand = parts["hand_drawers"].argmax(axis=1)[:, KINDS]  # slot, kind -> height
    lit = np.full((len(actions), len(KINDS)), NO_SIGN)
    if actions[0] < FIRST_PLACE:
        for row, action in enumerate(actions):
            left, right = (hand[slot] for slot in PAIRS[action // 4])
            left = 4 - left if action & 2 else left
            right = 4 - right if action & 1 else right
            lit[row] = BY_ONE + abs(left - right)
        return actions, lit
    laid = np.count_nonzero(parts["board_cards"][0])
    board = parts["board_drawers"][0].argmax(axis=1)[:, KINDS]
    for row, action in enumerate(actions):
        if action == SWAP:
            lit[row, 0] = BY_ROUND + parts["round"].argmax()
            continue
        slot, way = divmod(int(action) - FIRST_PLACE, 4)
        card = 4 - hand[slot] if way & 1 else hand[slot]
        near, far = (board[laid - 1], board[laid - 2]) if way & 2 else (board[0], board[1])
        lit[row] = BY_TWO + 5 * abs(card - near) + abs(card - far)
    return actions, lit


# %% The policy: a softmax over legal actions only.
def preferences(weights: Real, lit: Whole) -> Real:
    """The probability of every legal action."""
    value = weights[lit].sum(axis=1)
    odds = np.exp(value - value.max())
    chances: Real = odds / odds.sum()
    return chances


# %% One game. The tallies in the observation say what the board pays already, so a decision is
# judged by what came after it and not by the luck before.
@dataclass(frozen=True, slots=True)
class Decision:
    """What was possible, what was chosen, and the points that lay before."""

    lit: Whole
    chances: Real
    chosen: int
    points: float


def play(
    table: SoloEnv, weights: Real, rng: np.random.Generator, seed: int
) -> tuple[list[Decision], float]:
    """The decisions of one game, and its total."""
    color, handle, _ = load_edition().objectives(OBJECTIVES)
    prices = np.array([color.points, handle.points, 2])
    seen, _ = table.reset(seed=seed)
    decisions: list[Decision] = []
    while True:
        actions, lit = signs(seen)
        chances = preferences(weights, lit)
        chosen = int(np.searchsorted(chances.cumsum(), rng.random() * 0.999999))
        points = float(fields(seen["observation"])["tallies"][0] @ prices)
        decisions.append(Decision(lit, chances, chosen, points))
        seen, total, ended, _, _ = table.step(int(actions[chosen]))
        if ended:
            return decisions, total


# %% Learning: after every batch of games the weights move along the gradient. "Usual" is the mean
# of what came after the same round in the batch.
def learn(episodes: int, seed: int) -> Real:
    """The weights after so many games."""
    rng = np.random.default_rng(seed)
    table = SoloEnv(objectives=OBJECTIVES, tallies=True)
    weights = np.zeros(SIGNS)
    for batch in range(episodes // BATCH):
        games = [play(table, weights, rng, int(rng.integers(2**32))) for _ in range(BATCH)]
        to_come = [[total - each.points for each in decisions] for decisions, total in games]
        longest = max(map(len, to_come))
        usual = [np.mean([g[i] for g in to_come if len(g) > i]) for i in range(longest)]
        spread = np.std([value for game in to_come for value in game]) + 1e-9
        gradient = np.zeros(SIGNS)
        for (decisions, _), values in zip(games, to_come, strict=True):
            for i, (each, value) in enumerate(zip(decisions, values, strict=True)):
                better = (value - usual[i]) / spread
                np.add.at(gradient, each.lit[each.chosen], better)
                np.subtract.at(gradient, each.lit, better * each.chances[:, None])
        weights += RATE * gradient / BATCH
        if (batch + 1) % 50 == 0:
            mean = np.mean([total for _, total in games])
            print(f"  {(batch + 1) * BATCH:6} games, the last {BATCH}: {mean:.1f} points")
    return weights


# %% The judgement: the same fresh deals for random and trained play.
def mean_total(weights: Real, games: int) -> tuple[float, float]:
    """The mean total over fresh deals, and its standard error."""
    rng = np.random.default_rng(0)
    table = SoloEnv(objectives=OBJECTIVES, tallies=True)
    totals = [play(table, weights, rng, 10**9 + deal)[1] for deal in range(games)]
    return float(np.mean(totals)), float(np.std(totals) / np.sqrt(games))


def main() -> None:
    """Learn, then compare with random play."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", type=int, default=10_000)
    parser.add_argument("--judged", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    begin = time.process_time()
    weights = learn(options.episodes, options.seed)
    seconds = time.process_time() - begin
    for name, each in (("random", np.zeros(SIGNS)), ("trained", weights)):
        mean, error = mean_total(each, options.judged)
        print(f"{name:8} {mean:5.2f} ± {error:.2f} points over {options.judged} deals")
    print(f"learned from {options.episodes} games in {seconds:.0f} s of CPU")


if __name__ == "__main__":
    main()
