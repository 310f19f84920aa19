"""What is sent over REST: nonsense is refused, in the language that is asked for."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from sideboards.service.protocol import MAX_MESSAGE
from sideboards.words import LANGUAGES, words
from tests.service.rest import JSON, Person, browser, running, sentence_of

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running(tmp_path_factory.mktemp("bodies")) as address:
        yield address


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_refusal_speaks_the_language_that_is_asked_for(base: str, language: str) -> None:
    wanted = words(language)("refusal.not_found")
    asked = {"Accept-Language": f"xx, {language}-XX;q=0.9, en;q=0.1"}
    answer = browser(base).get("/api/nothing", headers=asked)
    assert sentence_of(answer, "not_found") == wanted
    guest = Person(base, language=language)
    assert sentence_of(guest.act("2222222222222", "start"), "unknown_table") == words(language)(
        "refusal.unknown_table"
    )


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "not_json"),
        (b"null", "bad_value"),
        (b"[]", "bad_value"),
        (b'"Ana"', "bad_value"),
        (b"{}", "bad_value"),
        (b'{"name": NaN}', "not_json"),
        (b'{"name": "Ana", "name": "Leo"}', "not_json"),
        (b'{"name": "Ana", "admin": true}', "bad_value"),
        (b'{"name": "Ana", "token": 1}', "bad_value"),
        (b'{"name": "Ana", "token": "true"}', "bad_value"),
        (b'{"name": "Ana", "language": "xx"}', "bad_value"),
        (b'{"name": "Ana"} {}', "not_json"),
        (b'{"name": "\xff"}', "not_json"),
        (b'{"name": "\\ud800"}', "not_json"),
        (b'{"name": "\\u0000"}', "bad_name"),
        (b"[" * 8000, "not_json"),
        (b"9" * 8000, "not_json"),
    ],
)
def test_nonsense_is_refused(base: str, body: bytes, code: str) -> None:
    sent = browser(base).post("/api/guests", content=body, headers={"Content-Type": JSON})
    assert sent.json()["code"] in (code, "not_json"), sent.text
    sentence_of(sent, sent.json()["code"])


@pytest.mark.parametrize("kind", ["", "text/plain", "application/x-www-form-urlencoded", "x"])
def test_a_body_must_say_that_it_is_json(base: str, kind: str) -> None:
    headers = {"Content-Type": kind} if kind else {}
    sent = browser(base).post("/api/guests", content=b'{"name": "Ana"}', headers=headers)
    assert "Content-Type: application/json" in sentence_of(sent, "bad_content_type")


def test_no_body_is_larger_than_a_message_or_endless(base: str) -> None:
    http = browser(base)
    headers = {"Content-Type": JSON}
    for path in ("/api/score", "/api/guests"):
        sentence_of(http.post(path, content=b" " * MAX_MESSAGE, headers=headers), "not_json")
        sentence_of(http.post(path, content=b" " * (MAX_MESSAGE + 1), headers=headers), "too_large")

    def endless() -> Iterator[bytes]:
        for _ in range(20):
            yield b" " * 1000

    sentence_of(http.post("/api/guests", content=endless(), headers=headers), "too_large")


def test_new_guests_of_one_address_are_limited(tmp_path: Path) -> None:
    with running(tmp_path, guests_per_hour=2) as base:
        tries = [browser(base).post("/api/guests", json={"name": "Ana"}) for _ in range(3)]
        assert [each.status_code for each in tries] == [201, 201, 429]
