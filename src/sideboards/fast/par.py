"""Par: the exact best of a solo deal, found by trying everything that could still be better."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sideboards.core.card import COLUMNS, HEIGHTS
from sideboards.core.edition import Edition, Numbers
from sideboards.core.game import LAST_ROUND
from sideboards.core.objective import Pattern, Rows
from sideboards.core.reader import PAIR_BASE
from sideboards.core.scoring import ONE_RUN_BONUSES, ROW_POINTS, TWO_RUN_BONUSES
from sideboards.fast.kernel import kernel
from sideboards.fast.policy import worth
from sideboards.fast.tables import SITUATIONS, found, part, runs
from sideboards.fast.worth import Worth, row_sort

_WAYS = 16
"""Four ways to lay each of four cards: the hand, and the pair that a swap would bring."""


@lru_cache(maxsize=16)
def ceilings(edition: Edition, numbers: Numbers) -> Worth:
    """What boards can be worth at most, whatever comes; whole boards exactly, in points."""
    color, handle, row = edition.objectives(numbers)
    return Worth(
        color=_ceilings(color),
        handle=_ceilings(handle),
        runs=runs(row),
        rows=_row_ceilings(row),
        sort=row_sort(row),
        keep=np.zeros(COLUMNS + 1, np.int64),
    )


@lru_cache(maxsize=64)
def _ceilings(pattern: Pattern) -> NDArray[np.int16]:
    """By track: the points of the best continuation."""
    most = found(pattern).astype(np.int16) * np.int16(pattern.points)
    for columns in range(COLUMNS - 1, -1, -1):
        longer, tracks = most[part(columns + 1)], np.arange(HEIGHTS**columns)
        most[part(columns)] = np.maximum.reduce(
            [longer[height * HEIGHTS**columns + tracks] for height in range(HEIGHTS)]
            + [longer[tracks * HEIGHTS + height] for height in range(HEIGHTS)]
        )
    return most


@lru_cache(maxsize=64)
def _row_ceilings(row: Rows) -> NDArray[np.int16]:
    """By row situation: points and bonus if every further card lengthens every run at an end."""
    at = np.arange(SITUATIONS)
    columns, one, two, three, four = (
        at // PAIR_BASE**place % PAIR_BASE for place in range(4, -1, -1)
    )
    left = COLUMNS - columns
    if row.runs == "longest":
        length = np.minimum(np.maximum(one, three + left), COLUMNS)
        steps = np.array(ONE_RUN_BONUSES)
    else:
        if row.runs == "two longest":
            ranked = np.sort(
                [one, two, (three + left) * (left > 0), (four + left) * (left > 0)], axis=0
            )
            longest, second = ranked[-1], ranked[-2]
        else:
            longest, second = np.maximum(one, three + left), np.maximum(two, four + left)
        length = np.minimum(longest, COLUMNS) + np.minimum(second, COLUMNS)
        steps = np.array(TWO_RUN_BONUSES)
    return (ROW_POINTS * length + steps[length]).astype(np.int16)


@kernel
def best_line(
    hands: NDArray[np.int64],
    pair: NDArray[np.int64],
    cards: NDArray[np.int64],
    most: Worth,
    line: NDArray[np.int64],
) -> int:
    """The highest total of a solo deal; `line` gets the choices that reach it.

    `hands` holds the three cards of the start, then two for every round; `pair` what a swap
    brings. A choice is slot x 4 + way (end x 2 + turned), slots 2 and 3 being the pair; at the
    start it is the slot left out x 4 + both turns. A branch is left when even its ceiling is
    no better than the best so far. Arrays are handed on one by one: in a tuple, as in the other
    kernels, they made this search three times as slow.
    """
    low, middle, high = np.zeros(8, np.int64), np.zeros(8, np.int64), np.zeros(8, np.int64)
    unused = np.ones(8, np.int64)
    chosen = np.zeros(8, np.int64)
    bounds = np.zeros((8, _WAYS), np.int64)
    best = -1
    for start in range(12):
        out, turns = start // 4, start % 4
        one, other = hands[0, (out + 1) % 3], hands[0, (out + 2) % 3]
        a, b = turns >> 1, turns & 1
        low[1] = cards[one, a, 0] * HEIGHTS + cards[other, b, 0]
        middle[1] = cards[one, a, 1] * HEIGHTS + cards[other, b, 1]
        high[1] = cards[one, a, 2] * HEIGHTS + cards[other, b, 2]
        chosen[0] = start
        round_ = 1
        _bound(round_, low, middle, high, unused, hands, pair, cards, most, bounds)
        while round_ > 0:
            way, bound = 0, -1
            for i in range(_WAYS):
                if bounds[round_, i] > bound:
                    way, bound = i, bounds[round_, i]
            if bound <= best:
                round_ -= 1
                continue
            bounds[round_, way] = -1
            chosen[round_] = way
            if round_ == LAST_ROUND:
                best = bound
                line[:] = chosen[: LAST_ROUND + 1]
                continue
            _lay(round_, way, low, middle, high, unused, hands, pair, cards)
            round_ += 1
            _bound(round_, low, middle, high, unused, hands, pair, cards, most, bounds)
    return best


@kernel
def _card(round_: int, way: int, hands: NDArray[np.int64], pair: NDArray[np.int64]) -> int:
    slot = way >> 2
    return hands[round_, slot] if slot < 2 else pair[slot - 2]


@kernel
def _lay(
    round_: int,
    way: int,
    low: NDArray[np.int64],
    middle: NDArray[np.int64],
    high: NDArray[np.int64],
    unused: NDArray[np.int64],
    hands: NDArray[np.int64],
    pair: NDArray[np.int64],
    cards: NDArray[np.int64],
) -> None:
    """Write the board after a choice as that of the next round."""
    card, turned = _card(round_, way, hands, pair), way & 1
    grown, moved = (HEIGHTS, 1) if way & 2 else (1, HEIGHTS ** (round_ + 1))
    low[round_ + 1] = low[round_] * grown + cards[card, turned, 0] * moved
    middle[round_ + 1] = middle[round_] * grown + cards[card, turned, 1] * moved
    high[round_ + 1] = high[round_] * grown + cards[card, turned, 2] * moved
    unused[round_ + 1] = unused[round_] if way < 8 else 0


@kernel
def _bound(
    round_: int,
    low: NDArray[np.int64],
    middle: NDArray[np.int64],
    high: NDArray[np.int64],
    unused: NDArray[np.int64],
    hands: NDArray[np.int64],
    pair: NDArray[np.int64],
    cards: NDArray[np.int64],
    most: Worth,
    bounds: NDArray[np.int64],
) -> None:
    """The ceilings of all choices of a round; -1 for those that are not there."""
    power = HEIGHTS ** (round_ + 1)
    for way in range(_WAYS):
        if way >= 8 and not unused[round_]:
            bounds[round_, way] = -1
            continue
        card, turned = _card(round_, way, hands, pair), way & 1
        grown, moved = (HEIGHTS, 1) if way & 2 else (1, power)
        bounds[round_, way] = worth(
            low[round_] * grown + cards[card, turned, 0] * moved,
            middle[round_] * grown + cards[card, turned, 1] * moved,
            high[round_] * grown + cards[card, turned, 2] * moved,
            round_ + 2,
            most,
        ) + (unused[round_] if way < 8 else 0)
