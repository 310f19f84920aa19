"""The measured ladder: complete, in order of strength, and the same in the data and on the page."""

import json
from itertools import pairwise
from pathlib import Path

import pytest

from sideboards.data import shipped
from sideboards.minds.bots import BOTS
from sideboards.words import LANGUAGES
from tests.command import output

PAGE = Path(__file__).parents[1] / "docs" / "bots.md"
MEASURED = json.loads(shipped("ladder.json"))


def test_every_bot_was_measured_on_two_thousand_deals() -> None:
    assert list(MEASURED["bots"]) == list(BOTS)
    assert MEASURED["deals"] == 2000


def test_each_bot_is_stronger_than_the_one_before() -> None:
    for weaker, stronger in pairwise(MEASURED["bots"].values()):
        gap = stronger["solo"] - weaker["solo"]
        assert gap > 2 * (weaker["stderr"] + stronger["stderr"]) / 2


def test_the_page_shows_what_was_measured() -> None:
    text = PAGE.read_text()
    for name, found in MEASURED["bots"].items():
        assert f"| Solo | {name} | {found['solo']:.2f} ± {found['stderr']:.2f} points |" in text
        assert f"| `{name}` |" in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_list_of_bots_speaks_five_languages(language: str) -> None:
    text = output("bots", "--lang", language)
    for name in BOTS:
        assert name in text
    assert len(text.splitlines()) == 1 + 2 * len(BOTS)


def test_the_list_of_bots_as_json() -> None:
    found = json.loads(output("bots", "--json"))
    assert list(found) == list(BOTS)
    assert set(found["master"]) == {"solo", "stderr", "ms", "character", "missing"}
