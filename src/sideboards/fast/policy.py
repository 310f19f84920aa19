"""Deciding by values: what boards are worth by value tables, and whole games played that way."""

import numpy as np
from numpy.typing import NDArray

from sideboards.core.reader import PAIR_BASE
from sideboards.fast.engine import MASK, TRACK_BITS
from sideboards.fast.kernel import kernel
from sideboards.fast.tables import FIRST
from sideboards.fast.worth import LONGEST, TWO_LONGEST, Worth

_FIRST = np.array(FIRST)


@kernel
def situation(
    low: int,
    middle: int,
    high: int,
    columns: int,
    runs: NDArray[np.uint16],
    sort: NDArray[np.int64],
) -> int:
    """The row situation of a board."""
    first = _FIRST[columns]
    one, two, three, four = 0, 0, 0, 0
    for i in range(sort[1], sort[2]):
        word = low if i < 3 else (middle if i < 6 else high)
        packed = np.int64(runs[first + (word >> TRACK_BITS * (i % 3) & MASK)])
        a, b, c, d = packed >> 12, packed >> 8 & 15, packed >> 4 & 15, packed & 15
        if sort[0] == LONGEST or sort[0] == TWO_LONGEST:
            if sort[0] == LONGEST:
                b = 0
            if a > one:
                one, two = a, max(one, b)
            else:
                two = max(two, a)
            if sort[0] == LONGEST:
                two = 0
            if c < d:
                c, d = d, c
            if c > three:
                three, four = c, max(three, d)
            else:
                four = max(four, c)
        else:
            one, two, three, four = max(one, a), max(two, b), max(three, c), max(four, d)
    index = columns * PAIR_BASE + one
    return ((index * PAIR_BASE + two) * PAIR_BASE + three) * PAIR_BASE + four


@kernel
def worth(low: int, middle: int, high: int, columns: int, values: Worth) -> int:
    """What a board of so many columns is worth in the end."""
    first = _FIRST[columns]
    color, handle = values.color, values.handle
    total = (
        np.int64(color[first + (low & MASK)])
        + color[first + (low >> TRACK_BITS & MASK)]
        + color[first + (low >> 2 * TRACK_BITS)]
        + color[first + (middle & MASK)]
        + color[first + (middle >> TRACK_BITS & MASK)]
        + handle[first + (middle >> 2 * TRACK_BITS)]
        + handle[first + (high & MASK)]
        + handle[first + (high >> TRACK_BITS)]
    )
    return total + values.rows[situation(low, middle, high, columns, values.runs, values.sort)]
