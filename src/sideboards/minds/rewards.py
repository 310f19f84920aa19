"""Rewards: what the environments pay at the end of a game."""

from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sideboards.core.refusal import Refusal, quoted
from sideboards.core.scoring import Score

Reward = Literal["points", "win", "margin"]
ILLEGAL_REWARD = -1.0


def check_reward(reward: Reward) -> None:
    """Refuse an unknown option ``reward``."""
    if reward not in get_args(Reward):
        expected = ", ".join(get_args(Reward))
        raise Refusal(f"reward: found {quoted(reward)}; expected {expected}")


def rewards(scores: tuple[Score, ...], reward: Reward) -> list[float]:
    """What everybody gets at the end, by the option ``reward``.

    >>> from sideboards.core.scoring import Points, Tally
    >>> totals = [Points(color=total, handle=0, row=0, bonus=0, swap=0) for total in (30, 40)]
    >>> table = tuple(Score(Tally(0, 0, 0), points, 2 - i) for i, points in enumerate(totals))
    >>> rewards(table, "points"), rewards(table, "win"), rewards(table, "margin")
    ([30.0, 40.0], [-1.0, 1.0], [-10.0, 10.0])
    """
    totals = [float(sum(score.points)) for score in scores]
    if reward == "points":
        return totals
    if reward == "margin":
        best = [max(totals[:seat] + totals[seat + 1 :]) for seat in range(len(totals))]
        return [own - other for own, other in zip(totals, best, strict=True)]
    winners = [score.place == 1 for score in scores]
    share, players = 1 / sum(winners), len(scores)
    return [(players * share * won - 1) / (players - 1) for won in winners]


def rewards_of_many(totals: NDArray[np.int64], reward: Reward) -> NDArray[np.float32]:
    """The same for many games at once, by game and seat.

    >>> rewards_of_many(np.array([[30, 40], [40, 40]]), "win").tolist()
    [[-1.0, 1.0], [0.0, 0.0]]
    """
    if reward == "points":
        return totals.astype(np.float32)
    best, players = totals.max(axis=1, keepdims=True), totals.shape[1]
    if reward == "margin":
        second = np.sort(totals, axis=1)[:, -2:-1]
        alone = (totals == best).sum(axis=1, keepdims=True) == 1
        other = np.where((totals == best) & alone, second, best)
        return (totals - other).astype(np.float32)
    won = totals == best
    share = players / won.sum(axis=1, keepdims=True)
    paid: NDArray[np.float32] = ((share * won - 1) / (players - 1)).astype(np.float32)
    return paid
