import copy
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sideboards import Edition, Pattern, Refusal, Rows, load_edition, parse_edition
from sideboards.core.card import COLORS, HANDLES
from sideboards.core.edition import NUMBERS, check_numbers

FILE = Path(__file__).parents[1] / "src" / "sideboards" / "data" / "edition.json"
Data = dict[str, Any]


def changed(change: Callable[[Data], object]) -> bytes:
    """The shipped edition file after one change."""
    data = copy.deepcopy(json.loads(FILE.read_text()))
    change(data)
    return json.dumps(data).encode()


def test_r2_thirty_objectives_colors_handles_rows(edition: Edition) -> None:
    assert [pattern.number for pattern in edition.patterns] == list(range(1, 15))
    assert [pattern.kind for pattern in edition.patterns] == ["color"] * 7 + ["handle"] * 7
    assert [row.number for row in edition.rows] == list(range(15, 31))
    for kind in ("color", "handle"):
        points = [pattern.points for pattern in edition.patterns if pattern.kind == kind]
        assert points == sorted(points), "within a kind a higher number is harder and pays more"


def test_r3_four_suggestions_of_one_objective_of_each_kind(edition: Edition) -> None:
    assert len(edition.suggestions) == 4
    for color, handle, row in edition.suggestions:
        assert color in NUMBERS["color"]
        assert handle in NUMBERS["handle"]
        assert row in NUMBERS["row"]


def test_r4_attested_patterns(edition: Edition) -> None:
    assert (edition.patterns[7].cells, edition.patterns[7].points) == (((0, 0), (1, 1)), 3)
    assert (len(edition.patterns[2].cells), edition.patterns[2].points) == (3, 4)


def test_r25_given_colors_and_handles_in_the_books_order(edition: Edition) -> None:
    assert tuple(row.only for row in edition.rows[4:9]) == COLORS
    assert tuple(row.only for row in edition.rows[9:12]) == HANDLES


def test_an_edition_knows_the_hash_of_its_file(edition: Edition) -> None:
    assert edition.sha256 == hashlib.sha256(FILE.read_bytes()).hexdigest()
    assert load_edition(FILE) == edition
    assert load_edition(FILE) is not edition


def test_r4_an_owner_may_write_another_edition() -> None:
    def own_box(data: Data) -> None:
        data["name"] = "My box"
        data["cards"]["1"], data["cards"]["2"] = data["cards"]["2"], data["cards"]["1"]
        data["objectives"][0] = {
            "number": 1,
            "kind": "color",
            "cells": [[6, 3], [2, 1], [4, 4]],
            "points": 12,
            "turns": "half",
        }
        data["objectives"][18]["only"] = "black"
        data["objectives"][26]["rows"] = [4, 0]
        data["objectives"].reverse()
        data["suggestions"] = [[1, 14, 30]]
        del data["about"]

    own = parse_edition(changed(own_box))
    assert own.patterns[0] == Pattern(
        "color", ((0, 0), (2, 3), (4, 2)), points=12, turns="half", number=1
    )
    assert own.rows[4].only == "black"
    assert own.rows[12] == Rows("color", "longest in each row", rows=(0, 4), number=27)
    assert own.suggestions == ((1, 14, 30),)


def set_card(number: str, text: object) -> Callable[[Data], object]:
    return lambda data: data["cards"].update({number: text})


def set_objective(place: int, **fields: object) -> Callable[[Data], object]:
    return lambda data: data["objectives"][place - 1].update(fields)


def without(number: int, field: str) -> Callable[[Data], object]:
    return lambda data: data["objectives"][number - 1].pop(field)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            lambda data: data.update(format="other"),
            'format: found "other"; expected "sideboards-ed',
        ),
        (lambda data: data.update(name=""), 'name: found ""; expected 1 to 60 printable'),
        (lambda data: data.update(extra=1), 'unknown field "extra"; expected only about, cards'),
        (lambda data: data.pop("cards"), 'the field "cards" is missing'),
        (lambda data: data["cards"].pop("60"), 'cards: the field "60" is missing'),
        (set_card("61", "RfTPsOBb"), 'cards: unknown field "61"'),
        (set_card("7", 7), "cards.7: found 7; expected a text"),
        (set_card("7", "RfRPsOBb"), 'cards.7: card "RfRPsOBb" shows red, red, pink'),
        (set_card("7", "RfTPsOBbR"), 'cards.7: card "RfTPsOBbR" has 6 drawers'),
        (set_card("2", "RsTfPOBb"), "cards.2: the same card as 1; expected 60 different cards"),
        (set_card("2", "BbOPTfRs"), "cards.2: the same card as 1"),
        (lambda data: data["objectives"].pop(), "objectives: found 29 objectives; expected 30"),
        (set_objective(2, number=1), "objectives[1].number: objective 1 stands twice"),
        (set_objective(2, number=31), "objectives[1].number: found 31; expected a whole number"),
        (set_objective(2, kind="handle"), 'objectives[1].kind: found "handle"; expected "color"'),
        (set_objective(8, kind="color"), 'objectives[7].kind: found "color"; expected "handle"'),
        (set_objective(1, points=2.5), "objectives[0].points: found 2.5; expected a whole number"),
        (set_objective(1, points=True), "objectives[0].points: found true"),
        (set_objective(1, points=0), "objectives[0].points: found 0"),
        (set_objective(1, cells=[[0, 0]]), "objectives[0].cells: found 1 cells; expected 2 to 5"),
        (set_objective(1, cells=[[0, 0], [0, 1]]), "cells[1]: a second cell in column 0"),
        (set_objective(1, cells=[[0, 0], [8, 1]]), "objectives[0].cells[1][0]: found 8"),
        (set_objective(1, cells=[[0, 0], [1, 5]]), "objectives[0].cells[1][1]: found 5"),
        (set_objective(1, cells=[[0, 0], [1]]), "objectives[0].cells[1]: found 1 numbers"),
        (set_objective(1, turns="full"), 'turns: found "full"; expected "half" or "quarter"'),
        (set_objective(1, runs="longest"), 'objectives[0]: unknown field "runs"'),
        (without(1, "points"), 'objectives[0]: the field "points" is missing'),
        (set_objective(15, kind="color"), 'objectives[14].kind: found "color"; expected "row"'),
        (set_objective(15, of="handle"), 'objectives[14].of: found "handle"; expected "color"'),
        (set_objective(15, runs="longest"), 'runs: found "longest"; expected "two longest"'),
        (
            set_objective(19, only="flower"),
            'objectives[18].only: found "flower"; expected "red" or',
        ),
        (without(24, "only"), 'objectives[23]: the field "only" is missing'),
        (set_objective(17, only="red"), 'objectives[16]: unknown field "only"'),
        (set_objective(27, rows=[0, 0]), "objectives[26].rows[1]: row 0 stands twice"),
        (set_objective(27, rows=[0, 5]), "objectives[26].rows[1]: found 5"),
        (set_objective(27, rows=[0]), "objectives[26].rows: found 1 rows; expected 2"),
        (lambda data: data.update(suggestions=[[3, 8]]), "suggestions[0]: found 2 objectives"),
        (
            lambda data: data.update(suggestions=[[8, 3, 19]]),
            "suggestions[0]: found 8 as the color objective; expected a number from 1 to 7",
        ),
    ],
)
def test_r4_an_edition_with_a_fault_is_refused_with_its_place(
    change: Callable[[Data], object], sentence: str
) -> None:
    with pytest.raises(Refusal) as refusal:
        parse_edition(changed(change))
    assert sentence in str(refusal.value)
    assert "; expected " in str(refusal.value)


def test_a_missing_edition_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match=r"none\.json: No such file or directory; expected"):
        load_edition(tmp_path / "none.json")


@pytest.mark.parametrize("numbers", [(3, 8), (3, 8, 19, 20), (8, 3, 19), (0, 8, 19), (3, 8, 31)])
def test_r6_the_objectives_are_one_of_each_kind(numbers: tuple[int, ...]) -> None:
    with pytest.raises(Refusal, match="; expected "):
        check_numbers(numbers)
