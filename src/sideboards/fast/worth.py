"""What boards are worth: three objectives as tables of values, looked up with numpy alone.

Values are whole numbers, `SCALE` to the point, so that all machines decide alike.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sideboards.core.board import Board, tracks
from sideboards.core.card import COLORS, HANDLES, unpacked
from sideboards.core.edition import Edition
from sideboards.core.objective import Rows, Runs
from sideboards.core.reader import PAIR_BASE
from sideboards.fast.tables import FIRST

SCALE = 256
_SORTS: dict[Runs, int] = {"longest": 0, "two longest": 1, "longest in each row": 2}
LONGEST, TWO_LONGEST = 0, 1


class Worth(NamedTuple):
    """Three objectives as values: of every color track, of every handle track, of every row."""

    color: NDArray[np.int16]
    handle: NDArray[np.int16]
    runs: NDArray[np.uint16]
    """Of every track what matters for the row."""
    rows: NDArray[np.int16]
    """By row situation."""
    sort: NDArray[np.int64]
    """How runs are chosen; first and last (exclusive) of the tracks that matter."""
    keep: NDArray[np.int64]
    """By number of columns: what an unused swap card is worth then."""


def row_sort(row: Rows) -> NDArray[np.int64]:
    """How runs are chosen, and the first and last (exclusive) of the tracks that matter."""
    first, last, _ = row.reader.tracks.indices(len(COLORS) + len(HANDLES))
    return np.array([_SORTS[row.runs], first, last])


def lengths(situations: NDArray[np.int64]) -> NDArray[np.int64]:
    """The drawers that score in row situations."""
    one = situations // PAIR_BASE**3 % PAIR_BASE
    return one + situations // PAIR_BASE**2 % PAIR_BASE


def board_values(boards: Sequence[Board], edition: Edition, values: Worth) -> NDArray[np.int64]:
    """What boards of one length are worth."""
    return track_values(
        np.array([tracks(board, edition) for board in boards]), len(boards[0]), values
    )


def extended_values(
    board: Board, cards: Sequence[int], edition: Edition, values: Worth
) -> NDArray[np.int64]:
    """What a board is worth with each of the cards added in the best way."""
    here = np.array(tracks(board, edition))
    power = 5 ** len(board)
    added = np.array([unpacked(each) for number in cards for each in edition.columns[number]])
    both = np.concatenate([here + added * power, here * 5 + added])
    found = track_values(both, len(board) + 1, values)
    best: NDArray[np.int64] = found.reshape(2, len(cards), 2).max(axis=(0, 2))
    return best


def track_values(found: NDArray[np.int64], columns: int, values: Worth) -> NDArray[np.int64]:
    """What boards of one length are worth, each given as its eight tracks."""
    at = found + FIRST[columns]
    total: NDArray[np.int64] = values.color[at[:, : len(COLORS)]].sum(axis=1, dtype=np.int64)
    total += values.handle[at[:, len(COLORS) :]].sum(axis=1, dtype=np.int64)
    sort, first, last = values.sort
    packed = values.runs[at[:, first:last]].astype(np.int64)
    total += values.rows[_situations(packed, columns, int(sort))]
    return total


def _situations(packed: NDArray[np.int64], columns: int, sort: int) -> NDArray[np.int64]:
    """The row situations of boards, by what matters of their tracks."""
    a, b, c, d = packed >> 12, packed >> 8 & 15, packed >> 4 & 15, packed & 15
    if sort in (LONGEST, TWO_LONGEST):
        scoring = np.sort(np.concatenate([a, b if sort == TWO_LONGEST else 0 * b], axis=1), axis=1)
        one, two = scoring[:, -1], scoring[:, -2] if sort == TWO_LONGEST else 0 * scoring[:, -1]
        growing = np.sort(np.concatenate([c, d], axis=1), axis=1)
        three, four = growing[:, -1], growing[:, -2]
    else:
        one, two, three, four = (each.max(axis=1) for each in (a, b, c, d))
    scoring_part = (columns * PAIR_BASE + one) * PAIR_BASE + two
    index: NDArray[np.int64] = (scoring_part * PAIR_BASE + three) * PAIR_BASE + four
    return index


def fresh_pair(best: NDArray[np.int64]) -> float:
    """The mean of the better of two cards drawn at random, given what each is worth."""
    count = len(best)
    ranks = np.arange(count)
    return float((np.sort(best) * ranks).sum() / (count * (count - 1) / 2))
