"""Tables of tracks: equal to the core's readers, to brute force and to plain computations."""

from collections import Counter
from itertools import product
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from sideboards import Edition, Laid, Pattern, Rows, load_edition
from sideboards.core.board import Board, tracks
from sideboards.core.card import COLORS, COLUMNS, HANDLES, HEIGHTS
from sideboards.core.reader import heights
from sideboards.fast.tables import FIRST, TRACKS, classes, found, part, runs
from sideboards.fast.worth import Worth, board_values, extended_values, lengths, row_sort
from tests import reference

pytestmark = pytest.mark.long

EDITION = load_edition()
ANY_COLOR = "red"
COUNTS = {
    "pair": 90,
    "diagonal": 95,
    "long stairs": 140,
    "stairs": 168,
    "double step": 204,
    "landing": 205,
    "vee": 238,
    "zigzag": 277,
    "table": 284,
    "step": 363,
    "boot": 437,
}


def random_track(rng: Random, columns: int) -> int:
    return rng.randrange(HEIGHTS**columns)


def random_board(rng: Random, columns: int) -> Board:
    cards = rng.sample(range(1, 61), columns)
    return tuple(Laid(card, rng.random() < 0.5) for card in cards)


def as_reference(pattern: Pattern) -> reference.Data:
    return {"kind": "color", "cells": pattern.cells, "turns": pattern.turns}


def red_columns(track: int, columns: int) -> list[reference.Column]:
    """Columns with the color red at the heights of a track and nothing elsewhere."""
    return [
        [(ANY_COLOR if y == height else "", None) for y in range(HEIGHTS)]
        for height in heights(track, columns)
    ]


def test_all_tracks_stand_in_one_array_the_shorter_ones_first() -> None:
    assert TRACKS == 488_281 == sum(HEIGHTS**columns for columns in range(COLUMNS + 1))
    assert [part(n).stop - part(n).start for n in range(COLUMNS + 1)] == [
        HEIGHTS**n for n in range(COLUMNS + 1)
    ]
    assert part(COLUMNS).stop == TRACKS


@pytest.mark.parametrize("pattern", EDITION.patterns, ids=lambda p: f"{p.number} {p.name}")
def test_combinations_are_those_of_the_core_and_of_brute_force(pattern: Pattern) -> None:
    table, rng = found(pattern), Random(pattern.number)
    for columns in range(COLUMNS + 1):
        for _ in range(25):
            track = random_track(rng, columns)
            count = table[FIRST[columns] + track]
            assert count == pattern.reader.walk(heights(track, columns))
            places = reference.places(red_columns(track, columns), as_reference(pattern), ANY_COLOR)
            assert count == reference.most_disjoint(places)


@pytest.mark.parametrize("row", EDITION.rows, ids=lambda row: str(row.number))
def test_runs_are_those_of_the_core(row: Rows) -> None:
    table, rng = found(row), Random(row.number)
    for columns in range(COLUMNS + 1):
        for _ in range(40):
            track = random_track(rng, columns)
            assert table[FIRST[columns] + track] == row.reader.walk(heights(track, columns))


@pytest.mark.long
@pytest.mark.parametrize(
    "pattern",
    {pattern.cells: pattern for pattern in EDITION.patterns}.values(),
    ids=lambda p: p.name,
)
def test_combinations_of_many_tracks_are_those_of_brute_force(pattern: Pattern) -> None:
    table, rng = found(pattern), Random(pattern.name)
    for _ in range(2000):
        columns = rng.randrange(4, COLUMNS + 1)
        track = random_track(rng, columns)
        places = reference.places(red_columns(track, columns), as_reference(pattern), ANY_COLOR)
        assert table[FIRST[columns] + track] == reference.most_disjoint(places)


# classes


@pytest.mark.parametrize("pattern", EDITION.patterns, ids=lambda p: f"{p.number} {p.name}")
def test_tracks_collapse_into_a_few_hundred_classes(pattern: Pattern) -> None:
    numbers = classes(pattern)
    assert len(np.unique(numbers)) == int(numbers.max()) + 1 == COUNTS[pattern.name]
    lengths_of_classes: dict[int, set[int]] = {}
    for columns in range(COLUMNS + 1):
        for number in np.unique(numbers[part(columns)]):
            lengths_of_classes.setdefault(int(number), set()).add(columns)
    assert all(len(found_in) == 1 for found_in in lengths_of_classes.values())


def gains(pattern: Pattern, track: int, columns: int, more: int) -> Counter[int]:
    """How often each number of further combinations comes out of all ways to lay `more` cards."""
    table = found(pattern)
    before = int(table[FIRST[columns] + track])
    counted: Counter[int] = Counter()
    for ways in product(range(2 * HEIGHTS), repeat=more):
        after, length = track, columns
        for way in ways:
            height = way % HEIGHTS
            after = after * HEIGHTS + height if way >= HEIGHTS else height * HEIGHTS**length + after
            length += 1
        counted[int(table[FIRST[length] + after]) - before] += 1
    return counted


def next_columns(pattern: Pattern, track: int, columns: int) -> NDArray[np.int64]:
    """By end and height: what the next column adds, and the class that it leads to."""
    table, numbers = found(pattern), classes(pattern)
    before = int(table[FIRST[columns] + track])
    ends = (
        [height * HEIGHTS**columns + track for height in range(HEIGHTS)],
        [track * HEIGHTS + height for height in range(HEIGHTS)],
    )
    first = FIRST[columns + 1]
    return np.array(
        [[(int(table[first + t]) - before, int(numbers[first + t])) for t in end] for end in ends]
    )


def pairs_in_one_class(pattern: Pattern, columns: int, rng: Random) -> tuple[int, int]:
    """Two tracks of one class, any two of a class that has several."""
    numbers = classes(pattern)[part(columns)]
    while True:
        one = random_track(rng, columns)
        alike = np.flatnonzero(numbers == numbers[one])
        if len(alike) > 1:
            return one, int(rng.choice(alike))


@pytest.mark.parametrize("pattern", EDITION.patterns, ids=lambda p: f"{p.number} {p.name}")
def test_tracks_of_one_class_gain_the_same_from_every_continuation(pattern: Pattern) -> None:
    """Column by column, read from either end and either way up, and over several columns."""
    rng = Random(pattern.number)
    for columns in range(2, COLUMNS):
        for _ in range(6):
            one, other = pairs_in_one_class(pattern, columns, rng)
            mine, yours = (next_columns(pattern, track, columns) for track in (one, other))
            readings = (yours, yours[::-1], yours[:, ::-1], yours[::-1, ::-1])
            assert any(np.array_equal(mine, reading) for reading in readings)
            more = min(2, COLUMNS - columns)
            assert gains(pattern, one, columns, more) == gains(pattern, other, columns, more)


def test_tracks_of_different_classes_differ_in_some_continuation() -> None:
    """Nothing is kept apart that is alike: before the last card the classes are the gains."""
    pattern, rng = EDITION.patterns[0], Random(1)
    columns = COLUMNS - 1
    numbers = classes(pattern)[part(columns)]
    for _ in range(200):
        one, other = random_track(rng, columns), random_track(rng, columns)
        mine, yours = (next_columns(pattern, track, columns) for track in (one, other))
        readings = (yours, yours[::-1], yours[:, ::-1], yours[::-1, ::-1])
        alike = any(np.array_equal(mine, reading) for reading in readings)
        assert alike == (numbers[one] == numbers[other])


# rows


def plain_runs(track: tuple[int, ...], row: Rows) -> int:
    """The four run lengths of a track, looked for run by run."""
    all_runs: list[tuple[int, int, int]] = []
    begin = 0
    for column in range(1, len(track) + 1):
        if column == len(track) or track[column] != track[begin]:
            all_runs.append((begin, track[begin], column - begin))
            begin = column
    at_ends = [run for run in all_runs if run[0] == 0 or run[0] + run[2] == len(track)]
    if row.rows:
        scoring = [max((n for _, y, n in all_runs if y == r), default=0) for r in row.rows]
        growing = [max((n for _, y, n in at_ends if y == r), default=0) for r in row.rows]
    else:
        scoring = [*sorted((n for *_, n in all_runs), reverse=True), 0, 0][:2]
        growing = [at_ends[0][2], at_ends[-1][2]] if at_ends else [0, 0]
    one, two, three, four = *scoring, *growing
    return one << 12 | two << 8 | three << 4 | four


@pytest.mark.parametrize("row", EDITION.rows, ids=lambda row: str(row.number))
def test_what_matters_of_a_track_for_a_row_is_counted_run_by_run(row: Rows) -> None:
    table, rng = runs(row), Random(row.number)
    for columns in range(COLUMNS + 1):
        for _ in range(30):
            track = random_track(rng, columns)
            assert table[FIRST[columns] + track] == plain_runs(heights(track, columns), row)


# worth


def random_worth(row: Rows, rng: Random) -> Worth:
    """Values without any sense, so that a wrong look-up shows."""
    chance = np.random.default_rng(rng.randrange(2**32))
    return Worth(
        color=chance.integers(-999, 999, TRACKS).astype(np.int16),
        handle=chance.integers(-999, 999, TRACKS).astype(np.int16),
        runs=runs(row),
        rows=chance.integers(-999, 999, 9**5).astype(np.int16),
        sort=row_sort(row),
        keep=np.zeros(COLUMNS + 1, np.int64),
    )


def plain_situation(board: Board, row: Rows, edition: Edition) -> int:
    """The row situation of a board, from the runs of its tracks."""
    columns = len(board)
    of_tracks = [
        plain_runs(heights(track, columns), row)
        for track in tracks(board, edition)[row.reader.tracks]
    ]
    digits = [[packed >> shift & 15 for packed in of_tracks] for shift in (12, 8, 4, 0)]
    if row.runs == "longest in each row":
        four = [max(each) for each in digits]
    else:
        scoring = sorted(digits[0] + digits[1], reverse=True)[:2]
        growing = sorted(digits[2] + digits[3], reverse=True)[:2]
        if row.runs == "longest":
            scoring[1] = 0
        four = scoring + growing
    index = columns
    for digit in four:
        index = index * 9 + digit
    return index


def plain_value(board: Board, row: Rows, values: Worth, edition: Edition) -> int:
    at = [FIRST[len(board)] + track for track in tracks(board, edition)]
    total = sum(int(values.color[i]) for i in at[: len(COLORS)])
    total += sum(int(values.handle[i]) for i in at[len(COLORS) :])
    assert len(at) == len(COLORS) + len(HANDLES)
    return total + int(values.rows[plain_situation(board, row, edition)])


@pytest.mark.parametrize("row", EDITION.rows, ids=lambda row: str(row.number))
def test_boards_are_worth_the_sum_of_their_parts(row: Rows) -> None:
    rng = Random(row.number)
    values = random_worth(row, rng)
    for columns in range(2, COLUMNS + 1):
        boards = [random_board(rng, columns) for _ in range(12)]
        expected = [plain_value(board, row, values, EDITION) for board in boards]
        assert board_values(boards, EDITION, values).tolist() == expected
        situations = np.array([plain_situation(board, row, EDITION) for board in boards])
        counts = [row.count(tracks(board, EDITION), columns) for board in boards]
        assert lengths(situations).tolist() == counts


@pytest.mark.parametrize("number", [15, 20, 29])
def test_a_board_with_a_card_more_is_worth_its_best_way(number: int) -> None:
    row, rng = EDITION.rows[number - 15], Random(number)
    values = random_worth(row, rng)
    for columns in range(2, COLUMNS):
        board = random_board(rng, columns)
        lying = {laid.card for laid in board}
        cards = [card for card in range(1, 61) if card not in lying][:8]
        best = [
            max(
                plain_value(grown, row, values, EDITION)
                for turned in (False, True)
                for laid in (Laid(card, turned),)
                for grown in ((laid, *board), (*board, laid))
            )
            for card in cards
        ]
        assert extended_values(board, cards, EDITION, values).tolist() == best
