from itertools import chain
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sideboards import (
    Board,
    Edition,
    Pattern,
    Points,
    Rows,
    Score,
    Tally,
    explain,
    final_scores,
    load_edition,
    parse_board,
    parse_card,
    tally,
    tier,
)
from sideboards.core.board import Laid
from sideboards.core.card import COLORS, HANDLES, Card, Drawer
from sideboards.core.edition import NUMBERS
from sideboards.core.objective import Objectives, forms
from sideboards.core.scoring import row_bonuses
from tests import reference
from tests.reference import Cell
from tests.test_board import boards

EDITION = load_edition()
ANY_ROW = Rows("color", "longest")
PAIR = Pattern("color", ((0, 0), (1, 0)), points=2)


def signs(picture: str) -> list[tuple[str, ...]]:
    """The columns of a drawn board."""
    return list(zip(*[line.split() for line in picture.strip().splitlines()], strict=True))


def drawn(picture: str) -> Board:
    """A board whose `o` are the red drawers; the other drawers take what is left."""
    board = []
    for column in signs(picture):
        others = iter(COLORS[1:])
        handles = iter(HANDLES)
        board.append(
            Laid(
                Card(
                    tuple(
                        Drawer("red" if sign == "o" else next(others), next(handles, None))
                        for sign in column
                    )
                )
            )
        )
    return tuple(board)


def painted(picture: str) -> Board:
    """A board with a letter for the color of every drawer."""
    return tuple(
        Laid(
            parse_card("".join(a + b for a, b in zip(column, ("f", "s", "b", "", ""), strict=True)))
        )
        for column in signs(picture)
    )


def count(picture: str, pattern: Pattern) -> int:
    """How many red combinations `pattern` finds; other colors may add theirs."""
    reds = {
        (x, y) for x, column in enumerate(signs(picture)) for y, s in enumerate(column) if s == "o"
    }
    found = explain(drawn(picture), (pattern, PAIR_OF_HANDLES, ANY_ROW), EDITION).color
    return sum(set(drawers) <= reds for drawers in found)


def red_places(picture: str, pattern: Pattern) -> list[set[Cell]]:
    """Every place where the pattern fits in red, overlapping or not."""
    written = {"kind": "color", "cells": pattern.cells}
    return reference.places(by_hand(drawn(picture)), written, "red")


def by_hand(board: Board) -> list[reference.Column]:
    """The board as the plain reference sees it."""
    return reference.board(" ".join(map(str, board)))


PAIR_OF_HANDLES = Pattern("handle", ((0, 0), (1, 1)), points=3)
DIAGONAL = Pattern("color", ((0, 0), (1, 1)), points=3)
STEP = EDITION.patterns[1]


def test_r19_every_combination_pays_and_colors_may_differ() -> None:
    board = parse_board("60~ 17 19 9 13~ 11~ 24 2~")
    why = explain(board, EDITION.objectives((3, 8, 19)), EDITION)
    columns = reference.board("60~ 17 19 9 13~ 11~ 24 2~")
    colors = [{columns[x][y][0] for x, y in drawers} for drawers in why.color]
    handles = [{str(columns[x][y][1]) for x, y in drawers} for drawers in why.handle]
    assert [len(alike) for alike in colors + handles] == [1] * 8
    assert len(set.union(*colors)) > 1
    assert len(set.union(*handles)) > 1


def test_r20_a_pattern_may_be_mirrored_and_turned() -> None:
    picture = """
        . . . . . . . .
        o . . o . . . .
        . o o . o o . .
        . . . . . . o .
        . . . . . . . o
    """
    assert count(picture, STEP) == 2


def test_r20_a_quarter_turn_counts_unless_the_pattern_says_half() -> None:
    """Two columns apart and one height down; turned by a quarter: next column, two down."""
    knight = ((0, 0), (2, 1))
    quarter = Pattern("color", knight, points=3)
    half = Pattern("color", knight, points=3, turns="half")
    assert forms(knight, "half") == (((0, 0), (2, 1)), ((0, 1), (2, 0)))
    assert set(forms(knight, "quarter")) - set(forms(knight, "half")) == {
        ((0, 0), (1, 2)),
        ((0, 2), (1, 0)),
    }
    picture = """
        o .
        . .
        . o
        . .
        . .
    """
    assert count(picture, quarter) == 1
    assert count(picture, half) == 0


def test_r20_it_makes_no_difference_for_our_patterns(edition: Edition) -> None:
    for pattern in edition.patterns:
        assert forms(pattern.cells, "quarter") == forms(pattern.cells, "half")


def test_r21_a_drawer_counts_once_per_objective() -> None:
    picture = """
        . . o
        . o .
        o . .
        . . .
        . . .
    """
    assert count(picture, DIAGONAL) == 1


def test_r21_a_chain_of_diagonals_pays_for_both_ends() -> None:
    """Whoever marks the middle diagonal first finds one; the maximum is two."""
    picture = """
        o . . .
        . o . .
        . . o .
        . . . o
        . . . .
    """
    assert count(picture, DIAGONAL) == 2
    assert all(place & {(1, 1), (2, 2)} for place in red_places(picture, DIAGONAL))


def test_r21_counting_from_left_to_right_is_wrong() -> None:
    """Taking the first two columns, a quarter turn, leaves nothing; the others make two."""
    knight = Pattern("color", ((0, 0), (2, 1)), points=3)
    picture = """
        . . . .
        o . . .
        . . o o
        . o . .
        . . . .
    """
    assert {(0, 1), (1, 3)} in red_places(picture, knight)
    assert reference.most_disjoint(red_places(picture, knight)) == 2
    assert count(picture, knight) == 2


def test_r21_counting_greedily_is_wrong_in_the_books_example() -> None:
    columns = reference.board("60~ 17 19 9 13~ 11~ 24 2~")
    handle = reference.objective(8)
    found = [
        place
        for value in reference.HANDLE.values()
        for place in reference.places(columns, handle, value)
    ]
    assert len(found) == 7, "overlapping places"
    counts = set()
    for seed in range(200):
        used: set[Cell] = set()
        marked = 0
        for place in Random(seed).sample(found, len(found)):
            if not place & used:
                used |= place
                marked += 1
        counts.add(marked)
    assert 4 in counts
    assert max(counts) == 5 == reference.combinations(columns, handle)


def test_r21_a_drawer_without_handle_never_matches() -> None:
    board = parse_board("RTPfOsBb RTPfOsBb")
    pair = Pattern("handle", ((0, 0), (1, 0)), points=1)
    assert tally(board, (PAIR, pair, ANY_ROW), EDITION).handle == 3


@given(boards, st.integers(1, 7), st.integers(8, 14), st.integers(15, 30))
def test_r21_all_thirty_objectives_agree_with_brute_force(
    board: Board, color: int, handle: int, row: int
) -> None:
    columns = reference.board(" ".join(map(str, board)))
    expected = Tally(
        reference.combinations(columns, reference.objective(color)),
        reference.combinations(columns, reference.objective(handle)),
        reference.row_length(columns, reference.objective(row)),
    )
    assert tally(board, EDITION.objectives((color, handle, row)), EDITION) == expected


@pytest.mark.long
@pytest.mark.parametrize("number", range(1, 31))
def test_r21_each_objective_on_finished_boards_agrees_with_brute_force(number: int) -> None:
    rng = Random(number)
    color, handle, row = (
        number if number in numbers else numbers[0] for numbers in NUMBERS.values()
    )
    objectives = EDITION.objectives((color, handle, row))
    which = 0 if number < 8 else 1 if number < 15 else 2
    count_by_hand = reference.combinations if number < 15 else reference.row_length
    for _ in range(150):
        board = tuple(Laid(card, rng.random() < 0.5) for card in rng.sample(range(1, 61), 8))
        expected = count_by_hand(by_hand(board), reference.objective(number))
        assert tally(board, objectives, EDITION)[which] == expected


@st.composite
def patterns(draw: st.DrawFn) -> Pattern:
    """Any pattern that an owner may write: 2 to 5 cells, one per column, columns skipped."""
    columns = draw(st.lists(st.integers(0, 7), min_size=2, max_size=5, unique=True))
    first = min(columns)
    heights = [draw(st.integers(0, 4)) for _ in columns]
    top = min(heights)
    return Pattern(
        draw(st.sampled_from(["color", "handle"])),
        tuple(sorted((x - first, y - top) for x, y in zip(columns, heights, strict=True))),
        points=draw(st.integers(1, 20)),
        turns=draw(st.sampled_from(["half", "quarter"])),
    )


@given(boards, patterns())
@example(parse_board("1 2 3 4 5 6 7 8"), Pattern("color", ((0, 0), (2, 0)), points=1))
def test_r21_inline_patterns_agree_with_brute_force(board: Board, pattern: Pattern) -> None:
    columns = reference.board(" ".join(map(str, board)))
    written = {"kind": pattern.kind, "cells": pattern.cells, "turns": pattern.turns}
    counted = tally(board, (pattern, pattern, ANY_ROW), EDITION)
    # Both places read the pattern's own kind, so both must show the same count.
    assert counted.color == counted.handle == reference.combinations(columns, written)


@given(boards, patterns(), st.sampled_from(EDITION.rows))
def test_r21_what_is_explained_is_disjoint_and_adds_up(
    board: Board, pattern: Pattern, row: Rows
) -> None:
    objectives: Objectives = (pattern, EDITION.patterns[7], row)
    counted, why = tally(board, objectives, EDITION), explain(board, objectives, EDITION)
    columns = reference.board(" ".join(map(str, board)))
    for number, found in ((counted.color, why.color), (counted.handle, why.handle)):
        cells = list(chain.from_iterable(found))
        assert len(found) == number
        assert len(set(cells)) == len(cells), "a drawer counts once per objective"
    which = 0 if pattern.kind == "color" else 1
    shapes = reference.positions(list(pattern.cells), half=pattern.turns == "half")
    for drawers in why.color:
        left, top = min(x for x, _ in drawers), min(y for _, y in drawers)
        assert sorted((x - left, y - top) for x, y in drawers) in shapes
        assert len({columns[x][y][which] for x, y in drawers} - {None}) == 1
    run_cells = list(chain.from_iterable(why.row))
    assert len(run_cells) == counted.row == len(set(run_cells))
    for run in why.row:
        assert len({y for _, y in run}) == 1
        assert [x for x, _ in run] == list(range(run[0][0], run[0][0] + len(run)))


@given(boards, st.integers(1, 7), st.integers(8, 14), st.integers(15, 30))
def test_r9_mirroring_a_board_changes_no_tally(
    board: Board, color: int, handle: int, row: int
) -> None:
    objectives = EDITION.objectives((color, handle, row))
    assert tally(board[::-1], objectives, EDITION) == tally(board, objectives, EDITION)


def length(picture: str, row: Rows) -> int:
    return tally(drawn(picture), (PAIR, PAIR_OF_HANDLES, row), EDITION).row


def test_r22_two_points_per_drawer_and_a_single_drawer_is_a_run() -> None:
    one = parse_board("17")
    score = final_scores([one], EDITION.objectives((1, 8, 17)), EDITION, "solo", [True])[0]
    assert (score.tally.row, score.points.row) == (1, 2)


def test_r23_two_longest_runs_may_share_a_row_and_a_color() -> None:
    board = painted("""
        R R R T R R R
        T P T R P T P
        P T O P B P T
        O B P B T O B
        B O B O O B O
    """)
    objectives = EDITION.objectives((1, 8, 15))
    assert tally(board, objectives, EDITION).row == 6
    assert explain(board, objectives, EDITION).row == (
        ((0, 0), (1, 0), (2, 0)),
        ((4, 0), (5, 0), (6, 0)),
    )


def test_r23_one_run_is_never_split_in_two() -> None:
    board = painted("""
        R R R R
        T P T P
        P T P T
        O B O B
        B O B O
    """)
    assert tally(board, EDITION.objectives((1, 8, 15)), EDITION).row == 4 + 1


def test_r23_handles_count_for_objective_16() -> None:
    board = parse_board("RfTsPbOB RfTsPbOB RTfPsObB")
    assert tally(board, EDITION.objectives((1, 8, 16)), EDITION).row == 2 + 2


def test_among_equal_runs_the_leftmost_then_the_highest_is_shown() -> None:
    board = parse_board("1 2 3")
    shown = explain(board, EDITION.objectives((1, 8, 15)), EDITION).row
    runs = sorted(
        (-length, first, height)
        for height, line in enumerate(zip(*by_hand(board), strict=True))
        for first, length in unbroken([color for color, _ in line])
    )
    assert [(-len(run), *run[0]) for run in shown] == runs[:2]


def unbroken(values: list[str]) -> list[tuple[int, int]]:
    """Where unbroken runs of equal values begin, and how long they are."""
    starts = [i for i in range(len(values)) if i == 0 or values[i] != values[i - 1]]
    return [(a, b - a) for a, b in zip(starts, [*starts[1:], len(values)], strict=True)]


@pytest.mark.long
def test_wide_patterns_do_not_fill_the_memory() -> None:
    wide = Pattern("color", ((0, 0), (3, 1), (7, 2)), points=5)
    rng = Random(1)
    for _ in range(3000):
        board = tuple(Laid(card, rng.random() < 0.5) for card in rng.sample(range(1, 61), 8))
        tally(board, (wide, PAIR_OF_HANDLES, ANY_ROW), EDITION)
    assert wide.reader.states <= 10_100


def test_r24_the_longest_run_of_any_color_or_handle() -> None:
    board = parse_board("46 34~ 31 36 35~ 40 39~ 51~")
    assert tally(board, EDITION.objectives((3, 8, 17)), EDITION).row == 6


def test_r25_the_longest_run_of_the_given_color_alone() -> None:
    board = parse_board("46 34~ 31 36 35~ 40 39~ 51~")
    lengths = [
        tally(board, EDITION.objectives((3, 8, number)), EDITION).row for number in range(19, 24)
    ]
    columns = reference.board("46 34~ 31 36 35~ 40 39~ 51~")
    assert lengths[0] == 6
    assert lengths == [
        max(n for _, value, n in reference.runs(columns, "color") if value == color)
        for color in COLORS
    ]


def test_r26_one_run_in_each_of_two_given_rows() -> None:
    first_and_fourth = EDITION.rows[12]
    second_and_third = EDITION.rows[14]
    picture = """
        o o o . . . . .
        . . . o o o o .
        . . . . . . . o
        . . . . . . . .
        . . . . . . . .
    """
    for row, heights in ((first_and_fourth, (0, 3)), (second_and_third, (1, 2))):
        assert row.rows == heights
        found = reference.runs(by_hand(drawn(picture)), "color")
        expected = sum(max(n for y, _, n in found if y == height) for height in heights)
        assert length(picture, row) == expected


def test_r26_a_row_without_any_handle_counts_nothing() -> None:
    board = parse_board("RTfPsObB RTfPsObB")
    objectives = EDITION.objectives((1, 8, 28))
    assert tally(board, objectives, EDITION).row == 2  # row 1 has none, row 4 has two bars
    assert len(explain(board, objectives, EDITION).row) == 1


@pytest.mark.parametrize(
    ("lengths", "bonuses"),
    [
        ([5, 4], [4, 0]),
        ([5, 5], [4, 4]),
        ([7, 7, 5], [8, 8, 4]),
        ([7, 6, 5], [8, 4, 0]),
        ([7, 6, 5, 5], [8, 4, 2, 2]),
        ([3, 3, 3, 3, 3], [8, 8, 8, 8, 8]),
        ([6, 5, 4, 3, 2, 1], [8, 4, 2, 0, 0, 0]),
        ([0, 0], [0, 0]),
        ([4, 0, 0, 0], [8, 0, 0, 0]),
    ],
)
def test_r27_row_bonus_ranked_without_holes(lengths: list[int], bonuses: list[int]) -> None:
    for mode in ("standard", "variant"):
        found = row_bonuses(lengths, ANY_ROW, "standard" if mode == "standard" else "variant")
        assert [found.get(length, 0) for length in lengths] == bonuses


def scored(boards_: list[str], swaps: list[bool], mode: str = "standard") -> tuple[Score, ...]:
    objectives = EDITION.objectives((3, 8, 19))
    texts = [parse_board(text) for text in boards_]
    if mode == "variant":
        return final_scores(texts, objectives, EDITION, "variant", swaps)
    if mode == "solo":
        return final_scores(texts, objectives, EDITION, "solo", swaps)
    return final_scores(texts, objectives, EDITION, "standard", swaps)


def test_r28_an_unused_swap_card_is_a_point_but_not_in_the_variant() -> None:
    assert [s.points.swap for s in scored(["1", "2"], [True, False])] == [1, 0]
    assert [s.points.swap for s in scored(["1", "2"], [True, True], "variant")] == [0, 0]
    assert scored(["1"], [True], "solo")[0].points.swap == 1


def test_r29_equal_totals_share_a_place_and_the_next_is_skipped() -> None:
    flat = ["RfTPsOBb", "RfTPsOBb", "TfRPsOBb"]
    same = scored(flat, [True, True, False])
    assert [s.place for s in same] == [1, 1, 3]


@pytest.mark.parametrize(
    ("number", "length_", "bonus"),
    [
        (17, 3, 0), (17, 4, 2), (17, 5, 2), (17, 6, 4), (17, 7, 4), (17, 8, 8),
        (26, 4, 2), (26, 8, 8),
        (15, 6, 0), (15, 7, 2), (15, 8, 2), (15, 9, 4), (15, 10, 4), (15, 11, 8), (15, 16, 8),
        (16, 11, 8), (27, 7, 2), (28, 9, 4), (29, 11, 8), (30, 6, 0),
    ],
)  # fmt: skip
def test_r30_solo_bonus_by_steps(number: int, length_: int, bonus: int) -> None:
    row = EDITION.rows[number - 15]
    assert row_bonuses([length_], row, "solo") == {length_: bonus}


@pytest.mark.parametrize(
    ("total", "rank"),
    [(0, 5), (24, 5), (25, 4), (34, 4), (35, 3), (44, 3), (45, 2), (54, 2), (55, 1), (99, 1)],
)
def test_r31_solo_ranking(total: int, rank: int) -> None:
    assert tier(total) == rank


def test_r34_boards_of_any_length_are_scored_as_if_the_game_ended_now() -> None:
    empty, one, three = scored(["", "17", "60~ 17 19"], [True, True, False])
    assert empty == Score(Tally(0, 0, 0), Points(0, 0, 0, 0, 1), place=3)
    assert (one.tally.row, one.points.bonus) == (1, 4)
    assert three.points == Points(color=8, handle=0, row=4, bonus=8, swap=0)
    assert three.place == 1


def test_the_books_example() -> None:
    found = scored(
        [
            "60~ 17 19 9 13~ 11~ 24 2~",
            "46 34~ 31 36 35~ 40 39~ 51~",
            "12 27 29~ 56 33 28 55~ 50~",
        ],
        [True, True, True],
    )
    assert found == (
        Score(Tally(3, 5, 5), Points(12, 15, 10, 0, 1), place=2),
        Score(Tally(3, 3, 6), Points(12, 9, 12, 4, 1), place=2),
        Score(Tally(2, 4, 7), Points(8, 12, 14, 8, 1), place=1),
    )
    assert [score.points.total for score in found] == [38, 38, 43]


def test_the_books_example_grows_card_by_card() -> None:
    boards_ = [
        "9 13~", "9 13~ 11~", "19 9 13~ 11~", "19 9 13~ 11~ 24", "17 19 9 13~ 11~ 24",
        "60~ 17 19 9 13~ 11~ 24", "60~ 17 19 9 13~ 11~ 24 2~",
    ]  # fmt: skip
    objectives = EDITION.objectives((3, 8, 19))
    assert [tuple(tally(parse_board(text), objectives, EDITION)) for text in boards_] == [
        (0, 2, 2), (1, 3, 3), (1, 4, 3), (1, 5, 4), (1, 5, 4), (3, 5, 4), (3, 5, 5),
    ]  # fmt: skip
