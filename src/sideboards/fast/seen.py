"""What seats see: observations of all games side by side, written by one kernel."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sideboards.core.card import COLORS, COLUMNS, HANDLES, HEIGHTS
from sideboards.core.edition import CARDS
from sideboards.fast.engine import Rules, tally
from sideboards.fast.games import (
    BOTTOM,
    ROUND,
    THROWN,
    TOP,
    UNSEALED,
    Games,
    Library,
    Open,
    material_of,
)
from sideboards.fast.kernel import kernel
from sideboards.fast.tables import FIRST

CARD_SIZE = HEIGHTS * (len(COLORS) + len(HANDLES))
BOARD_SIZE = COLUMNS * CARD_SIZE
WORDS = CARD_SIZE // 8
"""A card's drawers, a byte for each kind, are copied eight at a time."""
_FIRST = np.array(FIRST)


class Places(NamedTuple):
    """Where the fields of an observation begin."""

    mode: int
    players: int
    objectives: int
    round: int
    pile: int
    discards: int
    choice: int
    sealed: int
    swaps: int
    hand_drawers: int
    hand_cards: int
    passed: int
    seen: int
    board_drawers: int
    board_cards: int
    tallies: int


@kernel
def _copy(target: NDArray[np.int8], source: NDArray[np.int8]) -> None:
    """Copy from the first place on; a plain index from 0 lets many bytes move at once."""
    for i in range(len(source)):
        target[i] = source[i]


@kernel
def observe(
    games: Games,
    library: Library,
    open_: Open,
    rules: Rules,
    mode: int,
    faces: NDArray[np.int64],
    at: Places,
    tallies: bool,  # noqa: FBT001 (kernels are called by position)
    vectors: NDArray[np.int8],
) -> None:
    """Write what every seat of every game sees into vectors of zeros.

    `faces` are the drawers of all cards, by 2 x number + turned, as `WORDS` words. One long
    kernel for the same reason as in `fast.games`.
    """
    seats = rules.seats
    # The boards are written once, twice around the table, so that any seat can begin.
    boards = np.zeros(2 * seats * COLUMNS * WORDS, np.int64)
    drawers, bytes_of = boards.view(np.int8), faces.view(np.int8)
    numbers = np.zeros(2 * seats * COLUMNS, np.int8)
    counted = np.zeros(2 * seats * 3, np.int8)
    laid, hands, swap, sealed = games.laid, games.hands, games.swap, games.sealed
    passed, held, counts, opened = games.passed, games.held, games.at, open_.numbers
    for game in range(len(vectors)):
        round_, shown = counts[game, ROUND], 0
        columns = round_ + 1 if round_ > 0 else 0
        for place in range(2 * seats):
            seat = place if place < seats else place - seats
            for column in range(COLUMNS):
                code = np.int64(laid[game, seat, column])
                spot = place * COLUMNS + column
                numbers[spot] = code >> 1
                shown |= 1 << (code >> 1)
                for word in range(WORDS):
                    boards[spot * WORDS + word] = faces[code, word]
        if tallies:
            known = material_of(library, open_, game)
            for seat in range(seats):
                found = tally(games.words[game], seat, known, _FIRST[columns])
                for i in range(3):
                    counted[seat * 3 + i] = counted[(seats + seat) * 3 + i] = found[i]
        for seat in range(seats):
            vector = vectors[game, seat]
            vector[at.mode + mode] = 1
            vector[at.players + seats - 1] = 1
            for kind in range(3):
                vector[at.objectives + opened[game, kind] - 1] = 1
            vector[at.round + round_] = 1
            vector[at.pile] = counts[game, BOTTOM] - counts[game, TOP]
            vector[at.discards] = counts[game, THROWN]
            vector[at.choice] = sealed[game, seat] + 1
            for place in range(seats):
                who = seat + place if seat + place < seats else seat + place - seats
                vector[at.sealed + place] = sealed[game, who] != UNSEALED
                vector[at.swaps + place] = swap[game, who]
            for slot in range(4):
                card = np.int64(hands[game, seat, slot])
                if card:
                    vector[at.hand_cards + slot] = card
                    start = at.hand_drawers + slot * CARD_SIZE
                    _copy(vector[start : start + CARD_SIZE], bytes_of[2 * card])
            for slot in range(2):
                vector[at.passed + slot] = passed[game, seat, slot]
            seen = (held[game, seat] | shown) >> 1
            bits = vector[at.seen : at.seen + CARDS]
            for i in range(CARDS):
                bits[i] = seen >> i & 1
            start, stop = seat * BOARD_SIZE, (seat + seats) * BOARD_SIZE
            _copy(vector[at.board_drawers :], drawers[start:stop])
            start, stop = seat * COLUMNS, (seat + seats) * COLUMNS
            _copy(vector[at.board_cards :], numbers[start:stop])
            if tallies:
                _copy(vector[at.tallies :], counted[seat * 3 : (seat + seats) * 3])
