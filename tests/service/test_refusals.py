import pickle
import re
from pathlib import Path

import pytest

import sideboards
from sideboards.core.refusal import Refusal
from sideboards.service.protocol import PHRASES
from sideboards.service.refusals import CODES, RULES, ServiceRefusal, status
from sideboards.words import LANGUAGES, words

SOURCE = Path(sideboards.__file__).parent
WITH_PLACE = {"bad_settings", "bad_value"}


def raised() -> set[str]:
    """The codes that appear in the source of the service."""
    source = "".join(path.read_text() for path in (SOURCE / "service").rglob("*.py"))
    return set(re.findall(r'ServiceRefusal\(\s*"(\w+)"', source))


def test_every_code_that_is_raised_is_in_the_list() -> None:
    assert {"bad_name", "who_are_you", "not_your_seat", "wrong_transfer"} <= raised()
    assert raised() <= set(CODES)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("code", CODES)
def test_every_code_has_a_short_sentence_in_every_language(code: str, language: str) -> None:
    places = {"where": "$.seats"} if code in WITH_PLACE else {}
    sentence = ServiceRefusal(code, **places).sentence(language)
    assert 20 <= len(sentence) <= 140
    assert sentence[0].isupper() or sentence[0] == "À"
    assert sentence.endswith(".")
    assert not re.search(r"[\x00-\x1f{}]", sentence)
    assert ("$.seats" in sentence) is (code in WITH_PLACE)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_two_codes_say_the_same(language: str) -> None:
    texts = [words(language).texts[f"refusal.{code}"] for code in CODES]
    assert len(set(map(str, texts))) == len(CODES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_phrases_and_notices_are_spoken(language: str) -> None:
    spoken = words(language)
    assert all(len(spoken(f"phrase.{phrase}")) <= 40 for phrase in PHRASES)
    for code in ("bot_replaced", "timeout", "sitting_in"):
        assert "Ana {x}" in spoken(f"notice.{code}", name="Ana {x}")
    assert spoken("notice.reshuffled")


def test_a_refusal_reads_in_english_and_travels_between_processes() -> None:
    refusal = ServiceRefusal("bad_value", where="language")
    assert isinstance(refusal, Refusal)
    assert str(refusal) == "One value is not possible (language). Change it and try again."
    again = pickle.loads(pickle.dumps(refusal))  # noqa: S301 (our own bytes)
    assert (again.code, str(again), again.sentence("de")) == (
        "bad_value",
        str(refusal),
        refusal.sentence("de"),
    )


def test_statuses() -> None:
    assert all(400 <= number < 600 for number in CODES.values())
    assert status("who_are_you") == 401
    assert status("not_in_hand") == RULES == 409


def test_a_code_of_the_service_is_none_of_the_rules() -> None:
    source = (SOURCE / "core" / "game.py").read_text()
    assert not set(re.findall(r'_forbid\(\s*"(\w+)"', source)) & set(CODES)
