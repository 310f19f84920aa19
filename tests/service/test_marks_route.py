"""The route of marks: what the core says of boards, kept for ever where that is right."""

import json
from collections.abc import Iterator
from random import Random
from typing import Any

import httpx
import msgspec
import pytest

from sideboards import Laid, load_edition, parse_board, tally
from sideboards.core.edition import NUMBERS
from sideboards.core.marks import marks
from sideboards.core.notation import format_board
from tests.service.rest import browser, running

EDITION = load_edition()


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running(tmp_path_factory.mktemp("marks"), requests_per_minute=100_000) as address:
        yield address


def ask(base: str, objectives: str, *boards: str, **more: str) -> httpx.Response:
    query: list[tuple[str, str]] = [("objectives", objectives), *(("board", b) for b in boards)]
    return browser(base).get("/api/marks", params=[*query, *more.items()])


def test_marks_of_many_boards_are_those_of_the_core(base: str) -> None:
    rng = Random(7)
    for _ in range(10):
        color, handle, row = (rng.choice(each) for each in NUMBERS.values())
        objectives = EDITION.objectives((color, handle, row))
        boards = [
            tuple(Laid(card, rng.random() < 0.5) for card in rng.sample(range(1, 61), count))
            for count in rng.choices(range(9), k=48)
        ]
        texts = [format_board(board) for board in boards]
        answer = ask(base, f"{color},{handle},{row}", *texts)
        assert answer.status_code == 200, answer.text
        for found, board in zip(answer.json(), boards, strict=True):
            assert found == json.loads(msgspec.json.encode(marks(board, objectives, EDITION)))
            counted = tally(board, objectives, EDITION)
            assert found["color"]["count"] == counted.color == len(found["color"]["combinations"])


def test_marks_are_kept_for_ever_only_with_the_edition(base: str) -> None:
    plain = ask(base, "3,8,19", "17 42~ 8")
    assert plain.headers["cache-control"] == "no-cache"
    kept = ask(base, "3,8,19", "17 42~ 8", edition=EDITION.sha256)
    assert "immutable" in kept.headers["cache-control"]
    assert kept.json() == plain.json()
    assert ask(base, "3,8,19", "17", edition="0" * 64).json()["code"] == "bad_value"


@pytest.mark.parametrize(
    ("objectives", "boards", "place"),
    [
        ("3,8", ["17"], "objectives"),
        ("3,8,99", ["17"], "objectives"),
        ("a,b,c", ["17"], "objectives"),
        ("3,8,19", ["17 61"], "board"),
        ("3,8,19", ["1 2 3 4 5 6 7 8 9"], "board"),
        ("3,8,19", ["nonsense"], "board"),
        ("3,8,19", ["17"] * 49, "board"),
        ("3,8,19", [], "board"),
    ],
)
def test_what_cannot_be_marked_is_refused(
    base: str, objectives: str, boards: list[str], place: str
) -> None:
    answer = ask(base, objectives, *boards)
    assert answer.status_code == 400
    assert answer.json()["code"] == "bad_value"
    assert f"({place})" in answer.json()["sentence"]


def test_a_spelled_out_card_counts_like_its_number(base: str) -> None:
    spelled = str(EDITION.card(17))
    found: list[Any] = ask(base, "3,8,19", "17 42~", f"{spelled} 42~").json()
    assert found[0] == found[1]
    assert parse_board(spelled)[0].card == EDITION.card(17)
