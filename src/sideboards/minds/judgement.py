"""Judgement: the best move by what boards are worth, with the swap card used when it pays."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sideboards.core.board import Board
from sideboards.core.card import COLUMNS, HEIGHTS
from sideboards.core.edition import Edition, Numbers
from sideboards.core.game import Choice, Move, Place, Start, Swap, choices
from sideboards.core.objective import Pattern, Rows
from sideboards.core.reader import PAIR_BASE
from sideboards.core.scoring import ROW_POINTS
from sideboards.core.view import View
from sideboards.fast.tables import SITUATIONS, found, part, runs
from sideboards.fast.worth import (
    SCALE,
    Worth,
    board_values,
    extended_values,
    fresh_pair,
    row_sort,
)
from sideboards.minds.belief import belief

_CHOICE = 0.5
"""How often a card can be laid where one objective wants it."""
_GROWTH = 0.3
"""How many drawers a run at an end is hoped to gain from every further card."""
_LONG_ROW = {"longest": (3, 8), "two longest": (5, 12), "longest in each row": (5, 12)}
_LONG_ROW_POINTS = 8
"""The hoped-for bonus grows from none at the first length to all at the second."""
_KEEP = (0, 0, 0, 3, 3, 2.5, 2, 1.5, 1)
"""By number of columns: what an unused swap card seems worth."""


def best_move(view: View, values: Worth) -> Move:
    """The move to the board of the highest worth; a swap when a fresh pair promises more.

    Among equals the first, so the same view always gets the same answer.
    """
    here = view.boards[view.seat or 0]
    moves = [
        move
        for move in choices(view.hand, start=view.round == 0, swap=False)
        if isinstance(move, Start | Place)
    ]
    worths = board_values([after(here, move) for move in moves], view.edition, values)
    best = int(np.argmax(worths))
    if view.round > 0 and view.swaps[view.seat or 0]:
        unseen = belief(view).unseen
        fresh = fresh_pair(extended_values(here, unseen, view.edition, values))
        if fresh - worths[best] > values.keep[len(here) + 1]:
            return Swap()
    return moves[best]


def after(board: Board, move: Choice) -> Board:
    """The board after a choice."""
    match move:
        case Start(left, right):
            return (left, right)
        case Place(laid, "left"):
            return (laid, *board)
        case Place(laid):
            return (*board, laid)


@lru_cache(maxsize=16)
def guessed_worth(edition: Edition, numbers: Numbers) -> Worth:
    """What boards may be worth for three objectives, guessed without any learning."""
    color, handle, row = edition.objectives(numbers)
    return Worth(
        color=_hopes(color),
        handle=_hopes(handle),
        runs=runs(row),
        rows=_row_hopes(row),
        sort=row_sort(row),
        keep=np.array([round(each * SCALE) for each in _KEEP]),
    )


@lru_cache(maxsize=64)
def _hopes(pattern: Pattern) -> NDArray[np.int16]:
    """By track: its points, and what the next columns would add.

    Computed backwards: a further column has any height, and goes to the better end as often
    as a player can choose freely.
    """
    hopes = found(pattern).astype(np.float64) * pattern.points
    for columns in range(COLUMNS - 1, 0, -1):
        longer, tracks = hopes[part(columns + 1)], np.arange(HEIGHTS**columns)
        left = [longer[height * HEIGHTS**columns + tracks] for height in range(HEIGHTS)]
        right = [longer[tracks * HEIGHTS + height] for height in range(HEIGHTS)]
        better, either = np.maximum(left, right).mean(axis=0), np.mean([left, right], axis=(0, 1))
        hopes[part(columns)] = _CHOICE * better + (1 - _CHOICE) * either
    return np.round(hopes * SCALE).astype(np.int16)


@lru_cache(maxsize=64)
def _row_hopes(row: Rows) -> NDArray[np.int16]:
    """By row situation: what its runs will score if those at the ends grow, and a bonus."""
    at = np.arange(SITUATIONS)
    columns, one, two, three, four = (
        at // PAIR_BASE**place % PAIR_BASE for place in range(4, -1, -1)
    )
    growth = _GROWTH * (COLUMNS - columns)
    match row.runs:
        case "longest":
            length = np.maximum(one, three + growth)
        case "two longest":
            length = np.maximum(one, three + growth)
            length += np.maximum(two, np.minimum(four, two) + growth / 2)
        case _:
            length = np.maximum(one, three + growth / 2) + np.maximum(two, four + growth / 2)
    bonus = np.interp(length, _LONG_ROW[row.runs], (0, _LONG_ROW_POINTS))
    hopes: NDArray[np.float64] = (ROW_POINTS * length + bonus) * SCALE
    return np.round(hopes).astype(np.int16)
