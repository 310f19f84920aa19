"""Games side by side: each is a row of every array of `Games`, dealt and stepped by kernels.

Every game has a chance of its own, so what is dealt in one does not depend on how long others
last. Objectives may differ from game to game.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sideboards.core.card import COLUMNS, HEIGHTS
from sideboards.core.edition import CARDS, FIRST_ROW, NUMBERS, Edition, Numbers
from sideboards.core.game import DEALT, LAST_ROUND
from sideboards.core.scoring import ROW_POINTS
from sideboards.fast.actions import (
    ACTIONS,
    FIRST_PLACE,
    LEGAL,
    OVER,
    PLACE_2,
    PLACE_2_OR_SWAP,
    PLACE_3,
    START_3,
    START_4,
    SWAP,
    WAIT,
    WAITING,
)
from sideboards.fast.engine import (
    WHOLE,
    Material,
    Rules,
    bonus,
    material,
    refilled,
    start_slots,
    tally,
)
from sideboards.fast.kernel import kernel
from sideboards.fast.playout import below, first_state, random_bits
from sideboards.fast.tables import TRACKS, found
from sideboards.fast.worth import row_sort

LEGAL_ACTIONS = np.frombuffer(b"".join(LEGAL), np.int8).reshape(-1, ACTIONS)
"""By situation: a 1 for every legal action."""
UNSEALED = -1


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
    order: NDArray[np.int8]
    """All cards as they are dealt, the top first."""
    refill: NDArray[np.int8]
    deck: NDArray[np.int8]
    """The draw pile is what stands from `top` to before `bottom`."""
    discards: NDArray[np.int8]
    at: NDArray[np.int64]
    """Top and bottom of the pile, number of discards, round."""
    passed: NDArray[np.int8]
    """By seat: what was left over in the last round, in the order of the hand."""
    held: NDArray[np.int64]
    """By seat: the cards that were ever in its hand, a bit for each number."""
    situations: NDArray[np.int8]
    """By seat: what it may do now, one of the situations of `fast.actions`."""


TOP, BOTTOM, THROWN, ROUND = 0, 1, 2, 3


class Library(NamedTuple):
    """An edition with many of its objectives, by their numbers."""

    cards: NDArray[np.int64]
    """As in `Material`."""
    found: NDArray[np.uint8]
    """By number: what an objective finds in every track; nothing for those that are not open."""
    pays: NDArray[np.int64]
    """By number: the points of a pattern; sort, first and last track of a row."""


class Open(NamedTuple):
    """The open objectives of every game."""

    numbers: NDArray[np.int64]
    pays: NDArray[np.int64]
    """As in `Material`."""


def new_games(games: int, seats: int) -> Games:
    """Room for so many games, nothing dealt yet; every deck in the order of the numbers."""
    order = np.tile(np.arange(1, CARDS + 1, dtype=np.int8), (games, 1))
    hands = np.zeros((games, seats, max(DEALT.values())), np.int8)
    return Games(
        words=np.zeros((games, seats, 3), np.int64),
        laid=np.zeros((games, seats, COLUMNS), np.int8),
        hands=hands,
        swap=np.zeros((games, seats), np.bool_),
        sealed=np.full((games, seats), UNSEALED, np.int8),
        order=order,
        refill=order.copy(),
        deck=order.copy(),
        discards=np.zeros((games, CARDS), np.int8),
        at=np.zeros((games, 4), np.int64),
        passed=hands[:, :, 2:].copy(),
        held=np.zeros((games, seats), np.int64),
        situations=np.full((games, seats), OVER, np.int8),
    )


@lru_cache(maxsize=8)
def library(edition: Edition, numbers: Numbers | None) -> Library:
    """The edition with three objectives, or with all."""
    rows = NUMBERS["row"]
    tables = np.zeros((rows[-1] + 1, TRACKS), np.uint8)
    pays = np.zeros((len(tables), 3), np.int64)
    for number, pattern in enumerate(edition.patterns, 1):
        if numbers is None or number in numbers:
            tables[number] = found(pattern)
            pays[number, 0] = pattern.points
    for number, row in zip(rows, edition.rows, strict=True):
        if numbers is None or number in numbers:
            tables[number] = found(row)
            pays[number] = row_sort(row)
    cards = material(edition, numbers or (1, NUMBERS["handle"][0], FIRST_ROW)).cards
    return Library(cards, tables, pays)


@kernel
def first_chances(seed: int, chances: NDArray[np.uint64]) -> None:
    """A chance for every game, from one seed."""
    state = first_state(seed)
    for game in range(len(chances)):
        state = random_bits(state)
        chances[game] = first_state(np.int64(state >> np.uint64(1)))


@kernel
def _shuffle(order: NDArray[np.int8], state: np.uint64) -> np.uint64:
    """Shuffle all cards, from the order of their numbers."""
    for i in range(CARDS):
        order[i] = i + 1
    for i in range(CARDS - 1):
        state = random_bits(state)
        j = i + below(state, CARDS - i)
        order[i], order[j] = order[j], order[i]
    return state


@kernel
def shuffle(
    games: Games,
    open_: Open,
    rules: Rules,
    which: NDArray[np.bool_],
    chances: NDArray[np.uint64],
    drawn: NDArray[np.int64],
) -> None:
    """Shuffle the cards of some games; draw objectives too where `drawn` has ranges of numbers."""
    top_cards = rules.seats * (rules.dealt + LAST_ROUND * rules.drawn)
    refills = top_cards + (2 * rules.seats if rules.swaps else 0) > CARDS
    for game in range(len(which)):
        if not which[game]:
            continue
        state = chances[game]
        for kind in range(len(drawn)):
            state = random_bits(state)
            first, last = drawn[kind]
            open_.numbers[game, kind] = first + below(state, last + 1 - first)
        state = _shuffle(games.order[game], state)
        if refills:  # else the order of the refill is that of the numbers, and never matters
            state = _shuffle(games.refill[game], state)
        chances[game] = state


@kernel
def deal(
    games: Games,
    library: Library,
    open_: Open,
    rules: Rules,
    which: NDArray[np.bool_],
) -> None:
    """Begin some games as they were shuffled."""
    for game in range(len(which)):
        if not which[game]:
            continue
        color, handle, row = open_.numbers[game]
        pays = open_.pays[game]
        pays[0], pays[1] = library.pays[color, 0], library.pays[handle, 0]
        for i in range(3):
            pays[2 + i] = library.pays[row, i]
        at = games.at[game]
        at[TOP], at[BOTTOM], at[THROWN], at[ROUND] = rules.seats * rules.dealt, CARDS, 0, 0
        games.deck[game] = games.order[game]
        games.words[game], games.laid[game] = 0, 0
        games.hands[game], games.held[game], games.passed[game] = 0, 0, 0
        games.swap[game], games.sealed[game] = rules.swaps, UNSEALED
        games.situations[game] = START_3 if rules.dealt == 3 else START_4
        for seat in range(rules.seats):
            for slot in range(rules.dealt):
                card = games.order[game, seat * rules.dealt + slot]
                games.hands[game, seat, slot] = card
                games.held[game, seat] |= 1 << card


@kernel
def first_illegal(actions: NDArray[np.int64], situations: NDArray[np.int8]) -> int:
    """The first illegal action, counted through all games and seats; -1 when there is none."""
    games, seats = actions.shape
    for game in range(games):
        for seat in range(seats):
            action, now = actions[game, seat], situations[game, seat]
            if now != OVER and not (0 <= action < ACTIONS and LEGAL_ACTIONS[now, action]):
                return game * seats + seat
    return -1


@kernel
def material_of(library: Library, open_: Open, game: int) -> Material:
    """What a game is played with."""
    color, handle, row = open_.numbers[game]
    tables = library.found
    return Material(library.cards, tables[color], tables[handle], tables[row], open_.pays[game])


@kernel
def act(
    games: Games,
    library: Library,
    open_: Open,
    rules: Rules,
    actions: NDArray[np.int64],
    totals: NDArray[np.int64],
    over: NDArray[np.bool_],
) -> None:
    """Make one legal action of every seat; write totals where a game is over now.

    Swaps happen at once in seat order. Games that were over before stay as they are. One long
    kernel on purpose: to hand all these arrays to smaller ones would take most of the time.
    """
    words, laid, hands, swap, sealed = (
        games.words,
        games.laid,
        games.hands,
        games.swap,
        games.sealed,
    )
    refill, deck, discards, at = games.refill, games.deck, games.discards, games.at
    passed, held, situations, cards = games.passed, games.held, games.situations, library.cards
    seats, lengths, rest = rules.seats, np.zeros(rules.seats, np.int64), np.zeros((6, 2), np.int8)
    for game in range(len(actions)):
        round_ = at[game, ROUND]
        if round_ > LAST_ROUND:
            continue
        top, bottom, thrown = at[game, TOP], at[game, BOTTOM], at[game, THROWN]
        waiting = seats
        for seat in range(seats):
            action = actions[game, seat]
            if action == SWAP:
                one, other = hands[game, seat, 0], hands[game, seat, 1]
                for slot in range(2):
                    if top == bottom:
                        bottom = refilled(deck[game], refill[game], discards[game], thrown)
                        top, thrown = 0, 0
                    bottom -= 1
                    card = deck[game, bottom]
                    hands[game, seat, slot] = card
                    held[game, seat] |= 1 << card
                discards[game, thrown], discards[game, thrown + 1] = one, other
                thrown += 2
                swap[game, seat] = False
                situations[game, seat] = PLACE_2
            elif action != WAIT:
                sealed[game, seat] = action
                situations[game, seat] = WAITING
            waiting -= sealed[game, seat] != UNSEALED
        if waiting:
            at[game, TOP], at[game, BOTTOM], at[game, THROWN] = top, bottom, thrown
            continue

        # The round closes: everybody lays, then the rest is passed on and everybody draws.
        if round_ == 0:
            size, left_over = rules.dealt, rules.dealt - 2
        else:
            size = rules.dealt - 1 if rules.passes else rules.drawn
            left_over = size - 1
        power = HEIGHTS ** (round_ + 1)
        for seat in range(seats):
            action = np.int64(sealed[game, seat])
            sealed[game, seat] = UNSEALED
            if round_ == 0:
                one, other, one_turned, other_turned = start_slots(action)
                left, right = hands[game, seat, one], hands[game, seat, other]
                laid[game, seat, 0], laid[game, seat, 1] = (
                    2 * left + one_turned,
                    2 * right + other_turned,
                )
                for word in range(3):
                    words[game, seat, word] = (
                        cards[left, one_turned, word] * HEIGHTS + cards[right, other_turned, word]
                    )
            else:
                one, way = (action - FIRST_PLACE) >> 2, (action - FIRST_PLACE) & 3
                other, turned = one, way & 1
                card = hands[game, seat, one]
                if way < 2:
                    for column in range(round_ + 1, 0, -1):
                        laid[game, seat, column] = laid[game, seat, column - 1]
                    laid[game, seat, 0] = 2 * card + turned
                    for word in range(3):
                        words[game, seat, word] += cards[card, turned, word] * power
                else:
                    laid[game, seat, round_ + 1] = 2 * card + turned
                    for word in range(3):
                        words[game, seat, word] = (
                            words[game, seat, word] * HEIGHTS + cards[card, turned, word]
                        )
            kept = 0
            for slot in range(size):
                if slot != one and slot != other:  # noqa: PLR1714 (a tuple takes longer)
                    rest[seat, kept] = hands[game, seat, slot]
                    passed[game, seat, kept] = rest[seat, kept]
                    kept += 1
                hands[game, seat, slot] = 0
        if round_ == LAST_ROUND or not rules.passes:
            for seat in range(seats):
                for slot in range(left_over):
                    discards[game, thrown] = rest[seat, slot]
                    thrown += 1
            left_over = 0
        round_ += 1
        if round_ <= LAST_ROUND:
            for seat in range(seats):
                giver = seat - 1 if seat else seats - 1
                for slot in range(left_over):
                    hands[game, seat, slot] = rest[giver, slot]
                if left_over == 2 and rest[giver, 0] > rest[giver, 1]:
                    hands[game, seat, 0], hands[game, seat, 1] = rest[giver, 1], rest[giver, 0]
                for slot in range(left_over, left_over + rules.drawn):
                    if top == bottom:
                        bottom = refilled(deck[game], refill[game], discards[game], thrown)
                        top, thrown = 0, 0
                    hands[game, seat, slot] = deck[game, top]
                    top += 1
                for slot in range(left_over + rules.drawn):
                    held[game, seat] |= 1 << hands[game, seat, slot]
                if rules.dealt == 4:
                    situations[game, seat] = PLACE_3
                else:
                    situations[game, seat] = PLACE_2_OR_SWAP if swap[game, seat] else PLACE_2
        else:
            over[game] = True
            known = material_of(library, open_, game)
            pays = known.pays
            for seat in range(seats):
                situations[game, seat] = OVER
                colors, handles, length = tally(words[game], seat, known, WHOLE)
                lengths[seat] = length
                totals[game, seat] = colors * pays[0] + handles * pays[1] + length * ROW_POINTS
                totals[game, seat] += swap[game, seat]
            for seat in range(seats):
                totals[game, seat] += bonus(lengths, seat, rules, pays[2])
        at[game, TOP], at[game, BOTTOM], at[game, THROWN], at[game, ROUND] = (
            top,
            bottom,
            thrown,
            round_,
        )
