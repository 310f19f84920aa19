"""Objectives as arrays: what each finds in every track, and which tracks are worth the same.

A track of n columns is a number of n digits to the base 5. All 488,281 tracks of 0 to 8 columns
stand in one array, the shorter ones first: track t of n columns has the index ``FIRST[n] + t``.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sideboards.core.card import COLUMNS, HEIGHTS
from sideboards.core.objective import Objective, Pattern, Rows
from sideboards.core.reader import PAIR_BASE
from sideboards.fast.machine import machine

FIRST: tuple[int, ...] = tuple((HEIGHTS**n - 1) // (HEIGHTS - 1) for n in range(COLUMNS + 2))
"""Where the tracks of each length begin; the last number is that of all tracks."""
TRACKS = FIRST[-1]


def part(columns: int) -> slice:
    """Where the tracks of a length stand."""
    return slice(FIRST[columns], FIRST[columns + 1])


@lru_cache(maxsize=64)
def found(objective: Objective) -> NDArray[np.uint8]:
    """What the objective finds in every track, as its reader tells: a byte each."""
    small = machine(objective)
    if small is not None:
        return small.read_all()
    whole = bytearray()
    for columns in range(COLUMNS + 1):
        whole += objective.reader.complete(columns)
    return np.frombuffer(bytes(whole), np.uint8)


@lru_cache(maxsize=64)
def classes(pattern: Pattern) -> NDArray[np.uint16]:
    """The class of every track; tracks of one class gain the same from every continuation.

    Computed backwards from the whole boards, without loss: two tracks of a length are in one
    class when each further column, at the left or at the right, adds the same and leads to
    the same class. Mirrored and turned tracks are in one class as well, because cards may be
    laid at either end and either way up. The classes of all lengths are numbered in one row.
    """
    counts = found(pattern).astype(np.int64)
    numbers = np.zeros(TRACKS, np.int64)
    for columns in range(COLUMNS - 1, -1, -1):
        longer = counts[part(columns + 1)], numbers[part(columns + 1)]
        numbers[part(columns)] = _classes_of_length(columns, counts[part(columns)], *longer)
    first = 0
    for columns in range(COLUMNS + 1):
        some = numbers[part(columns)]
        some += first
        first = int(some.max()) + 1
    return numbers.astype(np.uint16)


def _classes_of_length(
    columns: int,
    counts: NDArray[np.int64],
    longer_counts: NDArray[np.int64],
    longer_numbers: NDArray[np.int64],
) -> NDArray[np.int64]:
    tracks = np.arange(HEIGHTS**columns)
    many = int(longer_numbers.max()) + 1
    ends: list[list[NDArray[np.int64]]] = [[], []]
    for height in range(HEIGHTS):
        for end, longer in zip(
            ends, (height * HEIGHTS**columns + tracks, tracks * HEIGHTS + height), strict=True
        ):
            end.append((longer_counts[longer] - counts) * many + longer_numbers[longer])
    # Read from either end and either way up; equal readings must get equal numbers, so all four
    # are numbered together. A track's own reading is the pair of its two ends.
    sides = [*ends, *(end[::-1] for end in ends)]
    code = np.zeros(len(sides) * len(tracks), np.int64)
    for place in range(HEIGHTS):
        key = np.concatenate([side[place] for side in sides])
        code = _numbered(code * (int(key.max()) + 1) + key)
    left, right, left_turned, right_turned = code.reshape(len(sides), -1)
    size = int(code.max()) + 1
    pairs = (
        (left, right),
        (right, left),
        (left_turned, right_turned),
        (right_turned, left_turned),
    )
    return _numbered(np.minimum.reduce([one * size + other for one, other in pairs]))


def _numbered(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """The keys, numbered from 0 in their order."""
    return np.unique(keys, return_inverse=True)[1]


SITUATIONS = PAIR_BASE**5
"""Row situations of boards: columns, then four run lengths, each a digit to the base 9."""


@lru_cache(maxsize=64)
def runs(row: Rows) -> NDArray[np.uint16]:
    """What matters of every track for a row objective: four run lengths, four bits each.

    First what the track scores: its two longest runs, or the longest in each of two given rows.
    Then what can still grow: the runs at its left and its right end, or the longest run at an
    end in each of the given rows.
    """
    whole = found(row).astype(np.int64)
    packed = np.zeros(TRACKS, np.int64)
    for columns in range(1, COLUMNS + 1):
        heights = _heights(columns)
        left, right = _end_run(heights), _end_run(heights[::-1])
        if row.rows:
            upper, lower = (
                np.maximum(left * (heights[0] == each), right * (heights[-1] == each))
                for each in row.rows
            )
        else:
            upper, lower = left, right
        packed[part(columns)] = upper << 4 | lower
    packed |= (whole // PAIR_BASE << 12) | (whole % PAIR_BASE << 8)
    return packed.astype(np.uint16)


def _heights(columns: int) -> NDArray[np.int64]:
    """By column: the heights of all tracks of a length."""
    tracks = np.arange(HEIGHTS**columns)
    return np.stack([tracks // HEIGHTS**place % HEIGHTS for place in reversed(range(columns))])


def _end_run(heights: NDArray[np.int64]) -> NDArray[np.int64]:
    """The length of the run that begins in the first column, for all tracks."""
    unbroken: NDArray[np.bool_] = np.logical_and.accumulate(heights == heights[0])
    length: NDArray[np.int64] = unbroken.sum(axis=0, dtype=np.int64)
    return length
