"""The game as numbers: what kernels must know of an edition and a mode, and how they score.

Nothing here is decided anew: numbers come from `core`, and the tests compare every move and
every point with it. Boards are three words of 60 bits; a word holds three tracks.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sideboards.core.card import COLUMNS, Tracks, unpacked
from sideboards.core.edition import CARDS, Edition, Numbers
from sideboards.core.game import DEALT, DRAWN
from sideboards.core.objective import Objectives
from sideboards.core.reader import PAIR_BASE
from sideboards.core.scoring import (
    ONE_RUN_BONUSES,
    PLACE_BONUSES,
    TWO_RUN_BONUSES,
    Mode,
)
from sideboards.fast.actions import FIRST_PLACE
from sideboards.fast.kernel import kernel
from sideboards.fast.tables import FIRST, found
from sideboards.fast.worth import LONGEST, TWO_LONGEST, row_sort

STARTS = FIRST_PLACE

TRACK_BITS = 20
"""Room for a track, a number of 8 digits to the base 5, in a word."""
_WORDS = 3
MASK = (1 << TRACK_BITS) - 1
WHOLE = FIRST[COLUMNS]


class Material(NamedTuple):
    """What kernels must know of an edition and of three of its objectives."""

    cards: NDArray[np.int64]
    """By number, then upright or turned: the three words of a card."""
    color: NDArray[np.uint8]
    handle: NDArray[np.uint8]
    row: NDArray[np.uint8]
    """What the objectives find in every track."""
    pays: NDArray[np.int64]
    """Points of a color and of a handle combination; sort, first and last track of the row."""


class Rules(NamedTuple):
    """What kernels must know of a mode and a number of seats."""

    dealt: int
    drawn: int
    seats: int
    swaps: bool
    passes: bool
    places: NDArray[np.int64]
    """The row bonus of each place; none in solo."""
    steps: NDArray[np.int64]
    """The solo row bonus by length, for one run and for two."""


@lru_cache(maxsize=64)
def material(edition: Edition, numbers: Numbers) -> Material:
    """The edition and these three objectives as arrays."""
    objectives: Objectives = edition.objectives(numbers)
    color, handle, row = objectives
    return Material(
        cards=_card_words(edition),
        color=found(color),
        handle=found(handle),
        row=found(row),
        pays=np.array([color.points, handle.points, *row_sort(row)]),
    )


@lru_cache(maxsize=8)
def _card_words(edition: Edition) -> NDArray[np.int64]:
    cards = [[words(unpacked(packed)) for packed in turns] for turns in edition.columns]
    return np.array(cards, np.int64)


def words(tracks: Tracks) -> list[int]:
    """The tracks of a board, three to a word."""
    return [
        sum(track << TRACK_BITS * i for i, track in enumerate(tracks[first : first + 3]))
        for first in range(0, 3 * _WORDS, 3)
    ]


def rules(mode: Mode, seats: int) -> Rules:
    """The mode and the number of seats as arrays."""
    places = np.array(PLACE_BONUSES[seats] if seats > 1 else (), np.int64)
    steps = np.zeros((2, len(TWO_RUN_BONUSES)), np.int64)
    steps[0, : len(ONE_RUN_BONUSES)] = ONE_RUN_BONUSES
    steps[1] = TWO_RUN_BONUSES
    return Rules(
        dealt=DEALT[mode],
        drawn=DRAWN[mode],
        seats=seats,
        swaps=mode != "variant",
        passes=mode != "solo",
        places=places,
        steps=steps,
    )


@kernel
def refilled(
    deck: NDArray[np.int64],
    refill: NDArray[np.int64],
    discards: NDArray[np.int64],
    thrown: int,
) -> int:
    """The discards become the pile, in the order of the refill; its size."""
    in_pile = np.zeros(CARDS + 1, np.bool_)
    for i in range(thrown):
        in_pile[discards[i]] = True
    size = 0
    for i in range(CARDS):
        if in_pile[refill[i]]:
            deck[size] = refill[i]
            size += 1
    return size


@kernel
def start_slots(action: int) -> tuple[int, int, int, int]:
    """The slots of the left and the right card of a start, and whether each is turned."""
    pair, turns = action // 4, action % 4
    left, right = pair // 3, pair % 3
    return left, right + (right >= left), turns // 2, turns % 2


@kernel
def track(words: NDArray[np.int64], board: int, i: int) -> int:
    """The i-th track of a board."""
    return words[board, i // 3] >> TRACK_BITS * (i % 3) & MASK


@kernel
def tally(
    words: NDArray[np.int64], board: int, material: Material, first: int
) -> tuple[int, int, int]:
    """What a board shows: color and handle combinations, drawers in rows.

    `first` is where the tracks of its length begin.
    """
    low, middle, high = words[board, 0], words[board, 1], words[board, 2]
    color, handle, row, pays = material.color, material.handle, material.row, material.pays
    colors = (
        np.int64(color[first + (low & MASK)])
        + color[first + (low >> TRACK_BITS & MASK)]
        + color[first + (low >> 2 * TRACK_BITS)]
        + color[first + (middle & MASK)]
        + color[first + (middle >> TRACK_BITS & MASK)]
    )
    handles = (
        np.int64(handle[first + (middle >> 2 * TRACK_BITS)])
        + handle[first + (high & MASK)]
        + handle[first + (high >> TRACK_BITS)]
    )
    longest, second = 0, 0
    for i in range(pays[3], pays[4]):
        pair = np.int64(row[first + track(words, board, i)])
        one, other = pair // PAIR_BASE, pair % PAIR_BASE
        if pays[2] == LONGEST:
            longest = max(longest, one)
        elif pays[2] == TWO_LONGEST:
            if one > longest:
                longest, second = one, max(longest, other)
            else:
                second = max(second, one)
        else:
            longest, second = max(longest, one), max(second, other)
    return colors, handles, longest + second


@kernel
def bonus(lengths: NDArray[np.int64], seat: int, rules: Rules, sort: int) -> int:
    """The row bonus of a seat, by the row lengths of all."""
    length = lengths[seat]
    if rules.seats == 1:
        return rules.steps[0 if sort == LONGEST else 1, length]
    if length == 0:
        return 0
    place = 0
    for other in range(rules.seats):
        if lengths[other] > length:
            new = True
            for earlier in range(other):
                new = new and lengths[earlier] != lengths[other]
            place += new
    return rules.places[place] if place < len(rules.places) else 0
