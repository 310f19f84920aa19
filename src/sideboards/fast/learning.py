"""Learning values: solo games in which the values so far decide, and learn from it."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sideboards.core.card import COLUMNS, HEIGHTS
from sideboards.core.edition import CARDS
from sideboards.core.game import LAST_ROUND
from sideboards.core.reader import PAIR_BASE
from sideboards.core.scoring import ROW_POINTS
from sideboards.fast.engine import MASK, TRACK_BITS, Material, Rules
from sideboards.fast.kernel import kernel
from sideboards.fast.playout import below, first_state, random_bits
from sideboards.fast.policy import situation
from sideboards.fast.tables import FIRST
from sideboards.fast.worth import LONGEST

_FIRST = np.array(FIRST)
_LEAST_RATE = 0.01
"""The bonus of a whole board is no guess, so it is learned at least so fast."""


class Lesson(NamedTuple):
    """Three objectives, and the weights that are learned for them."""

    material: Material
    color_classes: NDArray[np.uint16]
    handle_classes: NDArray[np.uint16]
    runs: NDArray[np.uint16]
    color: NDArray[np.float32]
    handle: NDArray[np.float32]
    """By class: the further points of a track."""
    row: NDArray[np.float32]
    """By situation: the further points of the row, and its bonus."""


@kernel
def _track(low: int, middle: int, high: int, i: int) -> int:
    word = low if i < 3 else (middle if i < 6 else high)
    return word >> TRACK_BITS * (i % 3) & MASK


@kernel
def _length(at: int) -> int:
    """The drawers that score in a row situation."""
    return at // PAIR_BASE**3 % PAIR_BASE + at // PAIR_BASE**2 % PAIR_BASE


@kernel
def _value(low: int, middle: int, high: int, columns: int, lesson: Lesson) -> float:
    """What a board is worth by the weights so far."""
    first, pays = _FIRST[columns], lesson.material.pays
    total = np.float32(0)
    for i in range(5):
        t = first + _track(low, middle, high, i)
        total += lesson.material.color[t] * pays[0] + lesson.color[lesson.color_classes[t]]
    for i in range(5, 8):
        t = first + _track(low, middle, high, i)
        total += lesson.material.handle[t] * pays[1] + lesson.handle[lesson.handle_classes[t]]
    at = situation(low, middle, high, columns, lesson.runs, pays[2:])
    return total + lesson.row[at] + ROW_POINTS * _length(at)


@kernel
def _learn(low: int, middle: int, high: int, columns: int, lesson: Lesson, step: float) -> None:
    """Move every weight of a board by `step`."""
    first = _FIRST[columns]
    for i in range(5):
        t = first + _track(low, middle, high, i)
        lesson.color[lesson.color_classes[t]] += step
    for i in range(5, 8):
        t = first + _track(low, middle, high, i)
        lesson.handle[lesson.handle_classes[t]] += step
    at = situation(low, middle, high, columns, lesson.runs, lesson.material.pays[2:])
    lesson.row[at] += step


@kernel
def _best_start(deck: NDArray[np.int64], dealt: int, lesson: Lesson) -> tuple[int, int, int]:
    """The best board of two of the first cards; left and right do not matter."""
    cards = lesson.material.cards
    best = -1e9
    board = (0, 0, 0)
    for a in range(dealt):
        for b in range(a):
            for turns in range(4):
                x, y, left, right = deck[a], deck[b], turns >> 1, turns & 1
                low = cards[x, left, 0] * HEIGHTS + cards[y, right, 0]
                middle = cards[x, left, 1] * HEIGHTS + cards[y, right, 1]
                high = cards[x, left, 2] * HEIGHTS + cards[y, right, 2]
                value = _value(low, middle, high, 2, lesson)
                if value > best:
                    best, board = value, (low, middle, high)
    return board


@kernel
def _best_with(
    board: tuple[int, int, int], columns: int, card: int, lesson: Lesson
) -> tuple[float, tuple[int, int, int]]:
    """The best board with one card more, and its value."""
    cards = lesson.material.cards
    low, middle, high = board
    power = HEIGHTS**columns
    best, after = -1e9, board
    for way in range(4):
        turned = way & 1
        grown, moved = (HEIGHTS, 1) if way >= 2 else (1, power)
        one = low * grown + cards[card, turned, 0] * moved
        two = middle * grown + cards[card, turned, 1] * moved
        three = high * grown + cards[card, turned, 2] * moved
        value = _value(one, two, three, columns + 1, lesson)
        if value > best:
            best, after = value, (one, two, three)
    return best, after


@kernel
def _shuffle(deck: NDArray[np.int64], state: np.uint64) -> np.uint64:
    for i in range(CARDS - 1):
        state = random_bits(state)
        j = i + below(state, CARDS - i)
        deck[i], deck[j] = deck[j], deck[i]
    return state


@kernel
def learn_games(lesson: Lesson, rules: Rules, games: int, rate: float, seed: int) -> float:
    """Play solo games and learn from each; the mean of their points without the swap card."""
    deck = np.arange(1, CARDS + 1)
    state = first_state(seed)
    mean = 0.0
    for _ in range(games):
        state = _shuffle(deck, state)
        board = _best_start(deck, rules.dealt, lesson)
        for round_ in range(1, LAST_ROUND + 1):
            columns = round_ + 1
            top = rules.dealt + (round_ - 1) * rules.drawn
            best, after = _best_with(board, columns, deck[top], lesson)
            for slot in range(1, rules.drawn):
                value, other = _best_with(board, columns, deck[top + slot], lesson)
                if value > best:
                    best, after = value, other
            low, middle, high = board
            before = _value(low, middle, high, columns, lesson)
            _learn(low, middle, high, columns, lesson, (best - before) * rate)
            board = after
        low, middle, high = board
        at = situation(low, middle, high, COLUMNS, lesson.runs, lesson.material.pays[2:])
        paid = rules.steps[0 if lesson.material.pays[2] == LONGEST else 1, _length(at)]
        mean += _value(low, middle, high, COLUMNS, lesson) - lesson.row[at] + paid
        lesson.row[at] += (paid - lesson.row[at]) * max(rate, _LEAST_RATE)
    return mean / games


@kernel
def swap_gains(lesson: Lesson, games: int, seed: int) -> NDArray[np.float64]:
    """By solo game and number of columns: how much better than the hand a fresh pair would be."""
    deck = np.arange(1, CARDS + 1)
    state = first_state(seed)
    gains = np.zeros((games, COLUMNS + 1))
    for game in range(games):
        state = _shuffle(deck, state)
        board = _best_start(deck, 3, lesson)
        for columns in range(2, COLUMNS):
            top = 3 + (columns - 2) * 2
            best, after = _best_with(board, columns, deck[top], lesson)
            value, other = _best_with(board, columns, deck[top + 1], lesson)
            if value > best:
                best, after = value, other
            worths = np.zeros(CARDS - top - 2)
            for i in range(len(worths)):
                worths[i], _ = _best_with(board, columns, deck[top + 2 + i], lesson)
            worths.sort()
            count, fresh = len(worths), 0.0
            for i in range(count):
                fresh += worths[i] * i
            gains[game, columns] = fresh / (count * (count - 1) / 2) - best
            board = after
    return gains
