"""What kernels know and how they score, part by part beside the core."""

from itertools import combinations_with_replacement
from random import Random

import numpy as np
import pytest

from sideboards import Edition, Rows, load_edition, tally
from sideboards.core.board import tracks
from sideboards.core.card import COLUMNS
from sideboards.core.scoring import row_bonuses
from sideboards.fast import engine
from sideboards.fast.actions import move_of
from sideboards.fast.engine import bonus, material, refilled, rules, start_slots
from sideboards.fast.tables import FIRST
from sideboards.fast.worth import row_sort
from tests.test_tables import random_board

EDITION = load_edition()


@pytest.mark.parametrize("row", EDITION.rows, ids=lambda row: str(row.number))
def test_boards_of_every_length_are_counted_as_in_the_core(edition: Edition, row: Rows) -> None:
    rng = Random(row.number)
    for pattern in range(7):
        numbers = 1 + pattern, 8 + pattern, row.number or 0
        known, objectives = material(edition, numbers), edition.objectives(numbers)
        for columns in (0, *range(2, COLUMNS + 1)):
            board = random_board(rng, columns)
            words = np.array([[1, 2, 3], engine.words(tracks(board, edition))])
            counted = engine.tally(words, 1, known, FIRST[columns])
            assert counted == tally(board, objectives, edition)


def test_start_slots_are_those_of_the_actions() -> None:
    hand = (11, 22, 33, 44)
    for action in range(48):
        left, right, left_turned, right_turned = start_slots(action)
        move = str(move_of(action, hand))
        assert move == f"{hand[left]}{'~' * left_turned},{hand[right]}{'~' * right_turned}"


@pytest.mark.parametrize("seats", range(2, 7))
def test_r27_bonuses_by_place_are_those_of_the_core(seats: int) -> None:
    known = rules("standard", seats)
    for lengths in combinations_with_replacement(range(5), seats):
        expected = row_bonuses(lengths, Rows("color", "longest"), "standard")
        for seat, length in enumerate(lengths):
            paid = bonus(np.array(lengths), seat, known, 0)
            assert paid == expected.get(length, 0)


def test_r30_bonuses_by_steps_are_those_of_the_core(edition: Edition) -> None:
    known = rules("solo", 1)
    for row in edition.rows:
        sort = int(row_sort(row)[0])
        for length in range(9 if row.runs == "longest" else 17):
            expected = row_bonuses([length], row, "solo")[length]
            assert bonus(np.array([length]), 0, known, sort) == expected


def test_r15_discards_become_the_pile_in_the_order_of_the_refill() -> None:
    deck, refill = np.arange(1, 61), np.arange(60, 0, -1)
    size = refilled(deck, refill, np.array([7, 50, 21, 9]), 3)
    assert deck[:size].tolist() == [50, 21, 7]
