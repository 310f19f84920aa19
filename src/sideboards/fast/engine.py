"""The game on arrays: many games side by side, each a row of every array of `Games`.

Nothing here is decided anew: numbers come from `core`, and the tests compare every move and
every point with it. Boards are three words of 60 bits; a word holds three tracks.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sideboards.core.card import COLUMNS, HEIGHTS, TRACK_BITS
from sideboards.core.edition import CARDS, Edition, Numbers
from sideboards.core.game import DEALT, DRAWN, LAST_ROUND
from sideboards.core.objective import Objectives
from sideboards.core.reader import PAIR_BASE
from sideboards.core.scoring import (
    ONE_RUN_BONUSES,
    PLACE_BONUSES,
    ROW_POINTS,
    TWO_RUN_BONUSES,
    Mode,
)
from sideboards.fast.kernel import kernel
from sideboards.fast.tables import FIRST, found
from sideboards.fast.worth import LONGEST, TWO_LONGEST, row_sort

STARTS = 48
"""Actions 0 to 47: two slots of the hand in order, each turned or not."""
PLACEMENTS = 12
"""Actions 48 to 59: a slot of the hand, the left or the right end, turned or not."""
SWAP = STARTS + PLACEMENTS
WAIT = SWAP + 1
"""What a seat does that has sealed its choice while others have not."""
ACTIONS = WAIT + 1
UNSEALED = -1

_WORDS = 3
MASK = (1 << TRACK_BITS) - 1
_POWERS = np.array([HEIGHTS**n for n in range(COLUMNS + 1)])
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


class Games(NamedTuple):
    """Games side by side; the first index of every array is the game."""

    words: NDArray[np.int64]
    """By seat: the board's tracks, three to a word."""
    laid: NDArray[np.int8]
    """By seat: the board's cards, left to right, as 2 x number + turned; 0 where none lies."""
    hands: NDArray[np.int8]
    """By seat: the hand; first what was passed on, then what was drawn; 0 where none is."""
    swap: NDArray[np.bool_]
    """By seat: whether the swap card is still unused."""
    sealed: NDArray[np.int8]
    """By seat: the action that is sealed, or `UNSEALED`."""
    deck: NDArray[np.int8]
    """The draw pile is what stands from `top` to before `bottom`."""
    refill: NDArray[np.int8]
    discards: NDArray[np.int8]
    at: NDArray[np.int64]
    """Top and bottom of the pile, number of discards, round."""


TOP, BOTTOM, THROWN, ROUND = 0, 1, 2, 3


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
    words = np.zeros((CARDS + 1, 2, _WORDS), np.int64)
    size = TRACK_BITS * _WORDS
    for turned, cards in enumerate((edition.upright, edition.turned)):
        for number, packed in enumerate(cards):
            for word in range(_WORDS):
                words[number, turned, word] = packed >> size * word & (1 << size) - 1
    return words


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


def new_games(games: int, seats: int) -> Games:
    """Room for so many games, nothing dealt yet; every deck in the order of the numbers."""
    order = np.tile(np.arange(1, CARDS + 1, dtype=np.int8), (games, 1))
    return Games(
        words=np.zeros((games, seats, _WORDS), np.int64),
        laid=np.zeros((games, seats, COLUMNS), np.int8),
        hands=np.zeros((games, seats, max(DEALT.values())), np.int8),
        swap=np.zeros((games, seats), np.bool_),
        sealed=np.full((games, seats), UNSEALED, np.int8),
        deck=order.copy(),
        refill=order,
        discards=np.zeros((games, CARDS), np.int8),
        at=np.zeros((games, 4), np.int64),
    )


@kernel
def deal(games: Games, rules: Rules, game: int) -> None:
    """Begin a game anew with its deck and its refill."""
    at = games.at[game]
    at[TOP], at[BOTTOM], at[THROWN], at[ROUND] = rules.seats * rules.dealt, CARDS, 0, 0
    for seat in range(rules.seats):
        for word in range(3):
            games.words[game, seat, word] = 0
        for column in range(COLUMNS):
            games.laid[game, seat, column] = 0
        games.swap[game, seat] = rules.swaps
        games.sealed[game, seat] = UNSEALED
        for slot in range(4):
            games.hands[game, seat, slot] = (
                games.deck[game, seat * rules.dealt + slot] if slot < rules.dealt else 0
            )


@kernel
def held(rules: Rules, round_: int) -> int:
    """How many cards everybody holds."""
    if round_ == 0:
        return rules.dealt
    return 0 if round_ > LAST_ROUND else (rules.dealt - 1 if rules.passes else rules.drawn)


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
def _refill(games: Games, game: int) -> None:
    at = games.at[game]
    at[BOTTOM] = refilled(games.deck[game], games.refill[game], games.discards[game], at[THROWN])
    at[TOP], at[THROWN] = 0, 0


@kernel
def _draw_top(games: Games, game: int) -> int:
    at = games.at[game]
    if at[TOP] == at[BOTTOM]:
        _refill(games, game)
    at[TOP] += 1
    return games.deck[game, at[TOP] - 1]


@kernel
def _draw_bottom(games: Games, game: int) -> int:
    at = games.at[game]
    if at[TOP] == at[BOTTOM]:
        _refill(games, game)
    at[BOTTOM] -= 1
    return games.deck[game, at[BOTTOM]]


@kernel
def swap_hand(games: Games, game: int, seat: int) -> None:
    """Throw the hand of two and draw two from the bottom of the pile."""
    one, other = games.hands[game, seat, 0], games.hands[game, seat, 1]
    games.hands[game, seat, 0] = _draw_bottom(games, game)
    games.hands[game, seat, 1] = _draw_bottom(games, game)
    at = games.at[game]
    games.discards[game, at[THROWN]] = one
    games.discards[game, at[THROWN] + 1] = other
    at[THROWN] += 2
    games.swap[game, seat] = False


@kernel
def start_slots(action: int) -> tuple[int, int, int, int]:
    """The slots of the left and the right card of a start, and whether each is turned."""
    pair, turns = action // 4, action % 4
    left, right = pair // 3, pair % 3
    return left, right + (right >= left), turns // 2, turns % 2


@kernel
def lay(
    games: Games,
    material: Material,
    game: int,
    seat: int,
    card: int,
    turned: int,
    left: int,
    columns: int,
) -> None:
    """Lay a card at one end of a board of so many columns."""
    words, laid, power = games.words[game, seat], games.laid[game, seat], _POWERS[columns]
    code = 2 * card + turned
    if left:
        for word in range(3):
            words[word] += material.cards[card, turned, word] * power
        for column in range(columns, 0, -1):
            laid[column] = laid[column - 1]
        laid[0] = code
    else:
        for word in range(3):
            words[word] = words[word] * HEIGHTS + material.cards[card, turned, word]
        laid[columns] = code


@kernel
def close(games: Games, material: Material, rules: Rules, game: int) -> None:
    """Lay what all have sealed, pass the rest to the left, draw; or end the game."""
    at = games.at[game]
    round_ = at[ROUND]
    size = held(rules, round_)
    for seat in range(rules.seats):
        action, hand = games.sealed[game, seat], games.hands[game, seat]
        if round_ == 0:
            one, other, one_turned, other_turned = start_slots(action)
            lay(games, material, game, seat, hand[one], one_turned, 0, 0)
            lay(games, material, game, seat, hand[other], other_turned, 0, 1)
            hand[one] = 0
            hand[other] = 0
        else:
            slot, way = (action - STARTS) // 4, (action - STARTS) % 4
            lay(games, material, game, seat, hand[slot], way % 2, way < 2, round_ + 1)
            hand[slot] = 0
        games.sealed[game, seat] = UNSEALED
        kept = 0
        for slot in range(size):  # what is left moves to the front, in order
            card = hand[slot]
            if card:
                hand[slot] = 0
                hand[kept] = card
                kept += 1
    at[ROUND] += 1
    left_over = size - (2 if round_ == 0 else 1)
    if round_ == LAST_ROUND or not rules.passes:
        for seat in range(rules.seats):
            for slot in range(left_over):
                games.discards[game, at[THROWN]] = games.hands[game, seat, slot]
                games.hands[game, seat, slot] = 0
                at[THROWN] += 1
        left_over = 0
    if round_ == LAST_ROUND:
        return
    for slot in range(left_over):
        last = games.hands[game, rules.seats - 1, slot]
        for seat in range(rules.seats - 1, 0, -1):
            games.hands[game, seat, slot] = games.hands[game, seat - 1, slot]
        games.hands[game, 0, slot] = last
    for seat in range(rules.seats):
        hand = games.hands[game, seat]
        if left_over == 2 and hand[0] > hand[1]:
            hand[0], hand[1] = hand[1], hand[0]
        for slot in range(left_over, left_over + rules.drawn):
            hand[slot] = _draw_top(games, game)


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


@kernel
def score(
    games: Games,
    material: Material,
    rules: Rules,
    game: int,
    lengths: NDArray[np.int64],
    totals: NDArray[np.int64],
) -> None:
    """Write everybody's row length and total into `lengths` and `totals`."""
    pays = material.pays
    round_ = games.at[game, ROUND]
    first = FIRST[round_ + 1] if round_ > 0 else FIRST[0]
    for seat in range(rules.seats):
        colors, handles, length = tally(games.words[game], seat, material, first)
        lengths[seat] = length
        totals[seat] = colors * pays[0] + handles * pays[1] + length * ROW_POINTS
        if games.swap[game, seat]:
            totals[seat] += 1
    for seat in range(rules.seats):
        totals[seat] += bonus(lengths, seat, rules, pays[2])
