"""Refusals over REST are told in the language of the guest, whatever is wrong."""

import asyncio
from collections.abc import Iterator

import httpx
import pytest

from sideboards.service import calls
from sideboards.service.identity import Identity
from sideboards.service.log import CannotSave, Guest
from sideboards.words import words
from tests.service.rest import Person, running

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running(tmp_path_factory.mktemp("server")) as base:
        yield base


@pytest.fixture(scope="module")
def dora(base: str) -> Person:
    return Person(base, "Dora", "de")


def nothing_of(base: str, token: str) -> list[httpx.Response]:
    """All kinds of requests that are refused before or without asking who sends them."""
    with httpx.Client(base_url=base, headers={"Authorization": f"Bearer {token}"}) as http:
        return [
            http.post("/api/tables", json={"seats": "two"}),
            http.post("/api/tables", content=b"{", headers={"Content-Type": "application/json"}),
            http.post("/api/tables", content=b" " * 20_000),
            http.post("/api/codes", json={"code": "ABCDEF"}),
            http.get("/api/nothing"),
            http.delete("/api/tables"),
            http.get("/api/tables/2222222222222"),
        ]


def told(answers: list[httpx.Response], language: str) -> list[bool]:
    """Whether the sentences are those of a language."""
    spoken = words(language)
    begins = [
        str(spoken.texts[f"refusal.{answer.json()['code']}"]).partition("{")[0]
        for answer in answers
    ]
    return [
        answer.json()["sentence"].startswith(begin)
        for answer, begin in zip(answers, begins, strict=True)
    ]


def test_every_refusal_speaks_the_language_of_the_guest(base: str, dora: Person) -> None:
    answers = nothing_of(base, dora.token)
    codes = [answer.json()["code"] for answer in answers]
    assert codes == [
        *("bad_value", "not_json", "too_large", "wrong_code"),
        *("not_found", "wrong_method", "unknown_table"),
    ]
    assert all(told(answers, "de")), codes
    assert all(told(nothing_of(base, "x" * 43), "en"))
    asked = dora.http.get("/api/nothing", headers={"Accept-Language": "fr"})
    assert told([asked], "fr") == [True]


def test_a_guest_of_another_origin_is_refused_in_her_language(base: str, dora: Person) -> None:
    cookies = {calls.COOKIE: dora.token}
    with httpx.Client(base_url=base, cookies=cookies) as http:
        answer = http.post("/api/tables", json={}, headers={"Origin": "https://elsewhere.example"})
    assert answer.json()["code"] == "foreign_origin"
    assert told([answer], "de") == [True]


def test_a_refusal_does_not_wait_for_a_language(
    dora: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(_: Identity, __: str) -> Guest:
        raise CannotSave("away")

    monkeypatch.setattr(Identity, "guest", fails)
    assert told([dora.http.get("/api/nothing")], "en") == [True]

    async def hangs(_: Identity, __: str) -> Guest:
        await asyncio.sleep(60)
        raise AssertionError

    monkeypatch.setattr(Identity, "guest", hangs)
    answer = dora.http.get("/api/nothing")
    assert told([answer], "en") == [True]
    assert answer.elapsed.total_seconds() < 0.8
