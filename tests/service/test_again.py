"""The same deal once more, and games that go on from a round of another."""

import time
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

from sideboards import format_record, load_edition, parse_record
from tests.service.rest import Person, browser, running

EDITION = load_edition()
pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running(tmp_path_factory.mktemp("again"), requests_per_minute=100_000) as address:
        yield address


def record(person: Person, table: str, rounds: int | None = None) -> str:
    query = "" if rounds is None else f"?rounds={rounds}"
    answer = person.get(f"/api/tables/{table}/record{query}")
    assert answer.status_code == 200, answer.text
    return answer.text


def opening(person: Person, text: str, bots: tuple[str, ...]) -> tuple[str, Any]:
    """A table that goes on with a record, and its first view."""
    table = person.start(*bots, practice=text, variant="mode: variant" in text)
    return table, person.view(table)


@pytest.mark.parametrize(
    ("bots", "settings"),
    [((), {}), (("random",), {}), (("random", "easy"), {}), (("random",), {"variant": True})],
)
def test_a_finished_game_goes_on_from_every_round(
    base: str, bots: tuple[str, ...], settings: dict[str, object]
) -> None:
    ana = Person(base)
    table = ana.start(*bots, **settings)
    end = ana.finish(table)
    rounds = ana.get(f"/api/tables/{table}/replay").json()["rounds"]
    for number in (0, 1, 4, 6):
        text = record(ana, table, number)
        again, view = opening(ana, text, bots)
        assert view["public"]["round"] == number
        assert view["objectives"] == end["objectives"]
        assert view["hands"][0][-1] == rounds[number]["hands"][0][0]
        before = rounds[number - 1]["boards"] if number else [""] * (1 + len(bots))
        assert view["boards"] == before
        info = ana.get(f"/api/tables/{again}").json()
        assert info["settings"]["practice"] == text
        assert again not in {each["table"] for each in ana.get("/api/tables").json()}
    last = ana.finish(again)
    assert last["result"]
    assert ana.get(f"/api/tables/{again}/proof").json()["code"] == "no_practice_proof"
    assert record(ana, again).startswith("sideboards-record-1\n")


def test_a_cut_record_is_the_beginning_of_the_whole_one(base: str) -> None:
    ana = Person(base)
    table = ana.start("random")
    ana.finish(table)
    whole = record(ana, table)
    assert record(ana, table, 7) == whole
    lines = [record(ana, table, number).splitlines() for number in range(8)]
    for shorter, longer in pairwise(lines):
        assert longer[: len(shorter)] == shorter
        assert len(longer) >= len(shorter) + 2
    for number in range(7):
        text = record(ana, table, number)
        again = parse_record(text.encode(), EDITION, unfinished=True)
        assert format_record(again) == text
    for wrong in ("8", "-1", "x"):
        answer = ana.get(f"/api/tables/{table}/record?rounds={wrong}")
        assert answer.status_code == 400


def test_the_record_stays_closed_until_the_game_is_over(base: str) -> None:
    ana = Person(base)
    table = ana.start("random")
    for number in (0, 1, 7):
        answer = browser(base).get(f"/api/tables/{table}/record?rounds={number}")
        assert answer.json()["code"] == "not_over"


def test_try_this_deal_again_is_the_same_solo_deal(base: str) -> None:
    ana = Person(base)
    table = ana.start()
    first = ana.view(table)["hands"][0][0]
    ana.finish(table)
    again, view = opening(ana, record(ana, table, 0), ())
    assert view["hands"][0][0] == first
    assert view["mode"] == "solo"
    ana.do(again, view["options"][0]["move"])
    for _ in range(100):
        if ana.view(again)["public"]["round"] == 1:
            break
        time.sleep(0.02)
    assert ana.view(again)["public"]["round"] == 1
