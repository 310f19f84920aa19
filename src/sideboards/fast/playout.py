"""Random games, very many: dealt, played by random legal moves and scored on arrays."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sideboards.core.card import COLUMNS, HEIGHTS
from sideboards.core.edition import CARDS, Edition, Numbers
from sideboards.core.game import LAST_ROUND
from sideboards.core.scoring import ROW_POINTS, Mode
from sideboards.fast.actions import SWAP
from sideboards.fast.engine import (
    STARTS,
    WHOLE,
    Material,
    Rules,
    bonus,
    material,
    refilled,
    rules,
    tally,
)
from sideboards.fast.kernel import kernel

MOST_MOVES = 2 * COLUMNS
"""More moves than any seat makes in a game."""


class Played(NamedTuple):
    """Random games that were played."""

    totals: NDArray[np.int16]
    """By game and seat: the final points."""
    decisions: int
    """All placements and swaps."""


class Table(NamedTuple):
    """The one table at which all games are played in turn."""

    deck: NDArray[np.int64]
    refill: NDArray[np.int64]
    discards: NDArray[np.int64]
    hands: NDArray[np.int64]
    rest: NDArray[np.int64]
    thrown_now: NDArray[np.int64]
    words: NDArray[np.int64]


class Log(NamedTuple):
    """What is needed to play the same games again; empty when nobody asks."""

    decks: NDArray[np.int8]
    refills: NDArray[np.int8]
    moves: NDArray[np.int8]
    """By game: seat and action in turn, two numbers for every move, -1 after the last."""


def random_games(
    edition: Edition, *, mode: Mode, seats: int, objectives: Numbers, games: int, seed: int
) -> Played:
    """Play games by random legal moves, swaps among them, to their final points."""
    return _played(edition, mode, seats, objectives, seed, games, None)


def logged_games(
    edition: Edition, *, mode: Mode, seats: int, objectives: Numbers, games: int, seed: int
) -> tuple[Played, Log]:
    """The same games as `random_games` plays, with decks and moves."""
    log = _log(games, seats)
    return _played(edition, mode, seats, objectives, seed, games, log), log


def _log(games: int, seats: int) -> Log:
    order = np.zeros((games, CARDS), np.int8)
    return Log(order, order.copy(), np.full((games, 2 * MOST_MOVES * seats), -1, np.int8))


def _played(
    edition: Edition,
    mode: Mode,
    seats: int,
    objectives: Numbers,
    seed: int,
    games: int,
    log: Log | None,
) -> Played:
    cards = np.arange(1, CARDS + 1)
    table = Table(
        deck=cards,
        refill=cards.copy(),
        discards=np.zeros(CARDS, np.int64),
        hands=np.zeros((seats, 4), np.int64),
        rest=np.zeros((seats, 4), np.int64),
        thrown_now=np.zeros(2, np.int64),
        words=np.zeros((seats, 3), np.int64),
    )
    totals = np.zeros((games, seats), np.int16)
    known = material(edition, objectives)
    decisions = _play(table, known, rules(mode, seats), seed, totals, log)
    return Played(totals, decisions)


@kernel
def random_bits(state: np.uint64) -> np.uint64:
    """The next state of a xorshift generator (never zero)."""
    state ^= state << np.uint64(13)
    state ^= state >> np.uint64(7)
    state ^= state << np.uint64(17)
    return state


@kernel
def below(state: np.uint64, limit: int) -> int:
    """A number below the limit from the high bits of a generator's state."""
    return np.int64((state >> np.uint64(32)) * np.uint64(limit) >> np.uint64(32))


@kernel
def first_state(seed: int) -> np.uint64:
    """A state of the generator, well mixed, for every seed."""
    state = np.uint64(seed) + np.uint64(0x9E3779B97F4A7C15)
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    state ^= state >> np.uint64(31)
    return state or np.uint64(1)


@kernel
def _play(
    table: Table,
    material: Material,
    rules: Rules,
    seed: int,
    totals: NDArray[np.int16],
    log: Log | None,
) -> int:
    """Deal, play and score; the number of decisions.

    One long kernel on purpose: it works on few small arrays without making views of them, and
    is thereby many times faster than the engine for games side by side.
    """
    deck, refill, discards, hands, rest, thrown_now, words = table
    cards, seats, dealt, drawn = material.cards, rules.seats, rules.dealt, rules.drawn
    top_cards = seats * (dealt + LAST_ROUND * drawn)
    bottom_cards = 2 * seats if rules.swaps else 0
    may_refill = top_cards + bottom_cards > CARDS
    lengths, points = np.zeros(seats, np.int64), np.zeros(seats, np.int64)
    decisions = seats * len(totals)
    pays = material.pays
    state = first_state(seed)
    for number in range(len(totals)):
        if may_refill:  # a refill writes over the deck
            for i in range(CARDS):
                deck[i] = i + 1
        for i in range(0, top_cards, 2):  # one state of the generator serves two cards
            state = random_bits(state)
            j = i + below(state, CARDS - i)
            deck[i], deck[j] = deck[j], deck[i]
            j = i + 1 + below(state << np.uint64(32), CARDS - i - 1)
            deck[i + 1], deck[j] = deck[j], deck[i + 1]
        for i in range(CARDS - 1, max(CARDS - 1 - bottom_cards, top_cards - 1), -1):
            state = random_bits(state)
            j = top_cards + below(state, i - top_cards + 1)
            deck[i], deck[j] = deck[j], deck[i]
        if may_refill:
            for i in range(CARDS):
                state = random_bits(state)
                j = i + below(state, CARDS - i)
                refill[i], refill[j] = refill[j], refill[i]
        if log is not None:
            log.decks[number] = deck
            log.refills[number] = refill
        logged = 0
        top, bottom, thrown = 0, CARDS, 0
        for seat in range(seats):
            for slot in range(dealt):
                hands[seat, slot] = deck[top]
                top += 1
        unused = (1 << seats) - 1 if rules.swaps else 0
        for seat in range(seats):
            state = random_bits(state)
            action = below(state, dealt * (dealt - 1) * 4)
            turns, pair = action & 3, action >> 2
            left, right = pair // (dealt - 1), pair % (dealt - 1)
            right += right >= left
            one, other = hands[seat, left], hands[seat, right]
            for word in range(3):
                words[seat, word] = (
                    cards[one, turns >> 1, word] * HEIGHTS + cards[other, turns & 1, word]
                )
            if dealt == 3:
                rest[seat, 0] = hands[seat, 3 - left - right]
            else:
                kept = 0
                for slot in range(dealt):
                    if slot not in (left, right):
                        rest[seat, kept] = hands[seat, slot]
                        kept += 1
            if log is not None:
                log.moves[number, logged] = seat
                log.moves[number, logged + 1] = (left * 3 + right - (right > left)) * 4 + turns
                logged += 2
        left_over = dealt - 2
        for round_ in range(1, LAST_ROUND + 1):
            if not rules.passes:
                if may_refill:
                    for seat in range(seats):
                        for slot in range(left_over):
                            discards[thrown] = rest[seat, slot]
                            thrown += 1
                left_over = 0
            for seat in range(seats):
                giver = seat - 1 if seat else seats - 1
                for slot in range(left_over):
                    hands[seat, slot] = rest[giver, slot]
                for slot in range(left_over, left_over + drawn):
                    if top == bottom:
                        bottom = refilled(deck, refill, discards, thrown)
                        top, thrown = 0, 0
                    hands[seat, slot] = deck[top]
                    top += 1
            size = left_over + drawn
            if left_over == 2:
                for seat in range(seats):
                    if hands[seat, 0] > hands[seat, 1]:
                        hands[seat, 0], hands[seat, 1] = hands[seat, 1], hands[seat, 0]
            power = HEIGHTS ** (round_ + 1)
            for seat in range(seats):
                state = random_bits(state)
                action = below(state, 4 * size + (unused >> seat & 1))
                decisions += 1
                if action == 4 * size:
                    unused ^= 1 << seat
                    for slot in range(2):
                        if may_refill:
                            thrown_now[slot] = hands[seat, slot]
                        if top == bottom:
                            bottom = refilled(deck, refill, discards, thrown)
                            top, thrown = 0, 0
                        bottom -= 1
                        hands[seat, slot] = deck[bottom]
                    if may_refill:
                        for slot in range(2):
                            discards[thrown] = thrown_now[slot]
                            thrown += 1
                    if log is not None:
                        log.moves[number, logged] = seat
                        log.moves[number, logged + 1] = SWAP
                        logged += 2
                    state = random_bits(state)
                    action = below(state, 4 * size)
                    decisions += 1
                slot, right, turned = action >> 2, action >> 1 & 1, action & 1
                card = hands[seat, slot]
                # Chance decides the end, so no branch: half of the guesses would go wrong.
                grown = 1 + right * (HEIGHTS - 1)
                moved = power - right * (power - 1)
                words[seat, 0] = words[seat, 0] * grown + cards[card, turned, 0] * moved
                words[seat, 1] = words[seat, 1] * grown + cards[card, turned, 1] * moved
                words[seat, 2] = words[seat, 2] * grown + cards[card, turned, 2] * moved
                if size == 2:
                    rest[seat, 0] = hands[seat, 1 - slot]
                else:
                    rest[seat, 0] = hands[seat, 1 if slot == 0 else 0]
                    rest[seat, 1] = hands[seat, 1 if slot == 2 else 2]
                if log is not None:
                    log.moves[number, logged] = seat
                    log.moves[number, logged + 1] = STARTS + action
                    logged += 2
            left_over = size - 1
        for seat in range(seats):
            colors, handles, length = tally(words, seat, material, WHOLE)
            lengths[seat] = length
            points[seat] = colors * pays[0] + handles * pays[1] + length * ROW_POINTS
            points[seat] += unused >> seat & 1
        for seat in range(seats):
            totals[number, seat] = points[seat] + bonus(lengths, seat, rules, pays[2])
    return decisions
