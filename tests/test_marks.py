"""What is marked on a board, beside a plain search that tries everything."""

from itertools import combinations
from random import Random

import pytest

from sideboards import Laid, load_edition, parse_board, tally
from sideboards.core.board import Board
from sideboards.core.edition import NUMBERS
from sideboards.core.marks import Combinations, marks
from sideboards.core.notation import format_board
from tests import reference

EDITION = load_edition()
Cells = frozenset[tuple[int, int]]


def random_board(rng: Random, cards: int) -> Board:
    return tuple(Laid(card, rng.random() < 0.5) for card in rng.sample(range(1, 61), cards))


def fitting(board: Board, number: int) -> list[Cells]:
    """Every place of a pattern, as the plain reference finds it."""
    pattern = reference.objective(number)
    values = reference.COLOR if pattern["kind"] == "color" else reference.HANDLE
    columns = reference.board(format_board(board))
    found = (reference.places(columns, pattern, value) for value in values.values())
    return [frozenset(place) for each in found for place in each]


def largest_choices(places: list[Cells]) -> list[frozenset[Cells]]:
    """All largest choices of places that share no drawer: tries every choice."""
    for count in range(len(places), -1, -1):
        found = [
            frozenset(chosen)
            for chosen in combinations(places, count)
            if len(frozenset().union(*chosen)) == sum(map(len, chosen))
        ]
        if found:
            return found
    raise AssertionError("nothing is a choice, too")


@pytest.mark.parametrize("seed", range(120))
def test_marks_are_those_of_a_search_that_tries_everything(seed: int) -> None:
    rng = Random(seed)
    board = random_board(rng, rng.randint(0, 8))
    color, handle, row = (rng.choice(numbers) for numbers in NUMBERS.values())
    objectives = EDITION.objectives((color, handle, row))
    shown, counted = marks(board, objectives, EDITION), tally(board, objectives, EDITION)
    for number, found, count in (
        (color, shown.color, counted.color),
        (handle, shown.handle, counted.handle),
    ):
        assert found.count == count
        assert found.points == count * reference.objective(number)["points"]
        _check(found, fitting(board, number))
    assert shown.row.length == counted.row == sum(map(len, shown.row.runs))
    assert shown.row.points == 2 * counted.row


def _check(found: Combinations, places: list[Cells]) -> None:
    assert sorted(map(sorted, places)) == sorted(map(sorted, found.fits))
    if len(places) > 14:
        return  # too many choices to try them all
    choices = largest_choices(places)
    assert frozenset(map(frozenset, found.combinations)) in choices
    assert found.another == (len(choices) > 1)


@pytest.mark.parametrize("seed", range(12))
def test_one_drawer_short_is_what_a_further_card_makes(seed: int) -> None:
    """Every card laid at either end makes as many combinations more as its drawers promise."""
    rng = Random(seed)
    board = random_board(rng, rng.randint(1, 7))
    numbers = rng.choice(NUMBERS["color"]), rng.choice(NUMBERS["handle"]), 15
    objectives = EDITION.objectives(numbers)
    before, short = tally(board, objectives, EDITION), marks(board, objectives, EDITION).short
    promised = 0
    for card in {*range(1, 61)} - {laid.card for laid in board}:
        for turned in (False, True):
            laid = Laid(card, turned)
            column = reference.column(str(laid))
            for end in ("left", "right"):
                after = tally(
                    (laid, *board) if end == "left" else (*board, laid), objectives, EDITION
                )
                made = [
                    each for each in short if each.end == end and each.what in column[each.height]
                ]
                assert after.color - before.color == sum(s.kind == "color" for s in made)
                assert after.handle - before.handle == sum(s.kind == "handle" for s in made)
                promised += len(made)
    assert promised


def test_an_empty_and_a_full_board_want_no_drawer() -> None:
    objectives = EDITION.objectives((3, 8, 19))
    assert marks((), objectives, EDITION).short == ()
    full = parse_board("60~ 17 19 9 13~ 11~ 24 2~")
    assert marks(full, objectives, EDITION).short == ()
    wanted = marks(full[:7], objectives, EDITION).short
    assert wanted
    assert {each.kind for each in wanted} == {"color", "handle"}
