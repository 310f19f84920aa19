"""People over REST: cookies and origins, other devices, to be forgotten, headers, the page."""

import json
import re
import socket
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from html.parser import HTMLParser
from pathlib import Path

import httpx
import psutil
import pytest

from sideboards.core.fair import check_proof, parse_proof
from sideboards.data import load_edition
from sideboards.service import http, shell
from sideboards.words import LANGUAGES, words
from tests.service.rest import Person, browser, running, wait_until

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running(tmp_path_factory.mktemp("people")) as address:
        yield address


def guest_by_cookie(base: str, **headers: str) -> tuple[httpx.Client, httpx.Response]:
    http = browser(base)
    answer = http.post("/api/guests", json={"name": "Ana"}, headers={"Origin": base} | headers)
    assert answer.status_code == 201, answer.text
    return http, answer


def test_a_browser_gets_a_cookie_that_no_script_reads(base: str) -> None:
    http, answer = guest_by_cookie(base)
    cookie = answer.headers["set-cookie"]
    assert re.match(r"sideboards=[\w-]{43};", cookie)
    for part in ("HttpOnly", "Path=/", "SameSite=strict", "Max-Age=34560000"):
        assert part in cookie
    assert "Secure" not in cookie
    assert "token" not in answer.json()
    assert http.get("/api/me").json()["name"] == "Ana"


def test_a_program_gets_a_token_and_no_cookie(base: str) -> None:
    answer = browser(base).post("/api/guests", json={"name": "Bot", "token": True})
    assert len(answer.json()["token"]) == 43
    assert "set-cookie" not in answer.headers


def test_over_https_the_cookie_stays_there(tmp_path: Path) -> None:
    site = "https://play.example"
    with running(tmp_path, origins=(site,)) as base:
        assert "; Secure" in guest_by_cookie(base, Origin=site)[1].headers["set-cookie"]


def test_no_foreign_page_is_told_that_it_may_read(base: str) -> None:
    asked = {"Origin": "https://elsewhere.example", "Access-Control-Request-Method": "POST"}
    answer = browser(base).options("/api/tables", headers=asked)
    assert answer.status_code == 204
    assert not any(name.startswith("access-control") for name in answer.headers)


def test_an_empty_token_does_not_let_a_cookie_act(base: str) -> None:
    http, _ = guest_by_cookie(base)
    headers = {"Origin": "https://elsewhere.example", "Authorization": "Bearer"}
    assert http.delete("/api/me", headers=headers).status_code == 401
    assert http.get("/api/me").status_code == 200


def test_a_token_needs_no_origin(base: str) -> None:
    assert Person(base).post("/api/tables", {}).status_code == 201


def test_another_device_becomes_the_same_guest_once(base: str) -> None:
    ana = Person(base)
    table = ana.table()
    seat = ana.sit(table).json()
    given = ana.post("/api/me/transfer").json()
    assert given["seconds"] == 600
    phone = browser(base)
    typed = given["code"].lower().replace("-", " ")
    answer = phone.post("/api/transfer", json={"code": typed})
    assert answer.status_code == 201
    assert phone.get("/api/me").json()["id"] == ana.id
    own = {"Origin": base}
    again = phone.post(f"/api/tables/{table}/seats", json={}, headers=own)
    assert (again.status_code, again.json()["token"]) == (200, seat["token"])
    assert ana.get("/api/me").status_code == 200
    assert browser(base).post("/api/transfer", json={"code": typed}).status_code == 404


def test_a_new_name_is_shown_at_once(base: str) -> None:
    ana = Person(base, "Ana")
    table = ana.table()
    ana.sit(table)
    answer = ana.http.patch("/api/me", json={"name": "  Ana   Luísa ", "language": "pt"})
    assert answer.json() == {"id": ana.id, "name": "Ana Luísa", "language": "pt"}
    assert ana.get(f"/api/tables/{table}").json()["seats"][0]["name"] == "Ana Luísa"


def test_who_is_deleted_is_gone_everywhere_and_proofs_still_verify(tmp_path: Path) -> None:
    name = "Zebulon Quux"
    with running(tmp_path) as base:
        gone, bob = Person(base, name), Person(base, "Bob")
        finished = gone.start("random")
        gone.finish(finished)
        both = bob.table(public=True)
        for who in (gone, bob):
            assert who.sit(both).status_code == 201
        waiting = bob.table(seats=3, public=True)
        for who in (gone, bob):
            assert who.sit(waiting).status_code == 201
        feed = gone.post("/api/me/feed").json()["path"]
        bob.do(both, "start")
        bob.view(both)
        paths = [
            "/api/tables", "/api/me/tables", "/", "/metrics",
            *(f"/api/tables/{table}{end}" for table in (both, waiting, finished)
              for end in ("", "/view", "/record", "/score", "/replay")),
        ]  # fmt: skip
        assert sum(name in bob.get(path).text for path in paths) >= 4
        assert gone.http.delete("/api/me").status_code == 204
        assert not [path for path in paths if name in bob.get(path).text]
        assert gone.get("/api/me").status_code == 401
        assert bob.get(feed).status_code == 404
        wait_until(lambda: bob.get(f"/api/tables/{both}").json()["seats"][0]["bot"] == "medium")
        wait_until(lambda: bob.get(f"/api/tables/{waiting}").json()["seats"][0]["kind"] == "empty")
        bob.finish(both)
        for table in (finished, both):
            check_proof(parse_proof(bob.get(f"/api/tables/{table}/proof").content), load_edition())
            assert "#1" in bob.get(f"/api/tables/{table}/record").text
    left = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"Bob" in left
    assert name.encode() not in left


def test_a_table_goes_on_without_the_host_who_was_deleted(tmp_path: Path) -> None:
    with running(tmp_path) as base:
        gone, bob, cleo = (Person(base, name) for name in ("Zoe", "Bob", "Cleo"))
        table, empty = gone.table(seats=2, public=True), gone.table(seats=2, public=True)
        for who in (bob, cleo):
            assert who.sit(table).status_code == 201
        assert bob.act(table, "start").json()["code"] == "not_host"
        assert gone.http.delete("/api/me").status_code == 204
        wait_until(lambda: bob.get(f"/api/tables/{table}").json()["host"] == 0)
        wait_until(lambda: bob.get(f"/api/tables/{empty}").json()["phase"] == "abandoned")
        bob.do(table, "start")
        assert bob.view(table)


def test_whoever_was_deleted_just_before_a_crash_keeps_no_table_waiting(tmp_path: Path) -> None:
    with running(tmp_path) as base:
        gone, bob = Person(base, "Zoe"), Person(base, "Bob")
        table = bob.table()
        for who in (gone, bob):
            who.sit(table)
        bob.do(table, "start")
        bob.view(table)
    with closing(sqlite3.connect(tmp_path / "sideboards.db")) as db, db:
        db.execute("PRAGMA foreign_keys = ON")
        db.execute("DELETE FROM guests WHERE id = ?", (gone.id,))
    with running(tmp_path) as base:
        again = f"{base}/api/tables/{table}"
        wait_until(lambda: httpx.get(again).json()["seats"][0]["bot"] == "medium")


def test_who_reads_no_answer_is_gone_after_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "UNREAD_FOR", 0.3)
    with running(tmp_path) as base, closing(socket.socket()) as lazy:
        lazy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        lazy.connect(("127.0.0.1", int(base.rpartition(":")[2])))
        request = b"GET /api/words/en HTTP/1.1\r\nHost: here\r\n\r\n"
        lazy.sendall(200 * request)  # far more of an answer than a system keeps
        here = lazy.getsockname()
        time.sleep(0.1)
        assert _is_kept(here)
        wait_until(lambda: not _is_kept(here))


def _is_kept(peer: tuple[str, int]) -> bool:
    """Whether the server, which is in this process, has a connection open to somebody."""
    return any(each.raddr == peer for each in psutil.Process().net_connections("tcp"))


def test_heads_are_answered_without_a_body(base: str) -> None:
    ana = Person(base)
    for path in ("/", "/api/me", "/api/tables", "/openapi.json"):
        head, whole = ana.http.head(path), ana.get(path)
        assert (head.status_code, head.content) == (200, b"")
        assert head.headers["content-length"] == whole.headers["content-length"]
    assert ana.http.head("/nothing").status_code == 404


class Page(HTMLParser):
    """What a page loads, links to and has."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.attributes: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]


@pytest.mark.parametrize("language", LANGUAGES)
def test_without_the_built_client_a_plain_page_speaks_five_languages(
    base: str, language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shell, "INDEX", tmp_path / "index.html")
    answer = browser(base).get("/", headers={"Accept-Language": language})
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert f'<html lang="{language}">' in answer.text
    assert words(language)("page.join") in answer.text
    assert f"sideboards play --server {base}" in answer.text
    assert answer.text == browser(base).get(f"/?language={language}").text
    page = Page(answer.text)
    assert not {"script", "style", "iframe", "img"} & set(page.tags)
    assert not any(name == "style" or name.startswith("on") for name in page.attributes)
    assert all(link.startswith("/") or link == "data:," for link in page.links)
    for link in page.links:
        if link.startswith("/"):
            assert browser(base).get(link).status_code == 200


def test_a_foreign_host_is_not_shown_on_the_page(base: str) -> None:
    text = browser(base).get("/", headers={"Host": "elsewhere.example"}).text
    assert "elsewhere" not in text


def test_tokens_and_names_are_in_no_log(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with running(tmp_path) as base:
        ana = Person(base, "Zebulon")
        table = ana.start("random")
        ana.sit(table)
        ana.get(ana.post("/api/me/feed").json()["path"])
        for _ in range(50):
            ana.get("/nothing-Zebulon")
        ana.get("/health")
        secrets = [ana.token, ana.id, table, "Zebulon", "127.0.0.1", base]
    lines = capfd.readouterr().err.splitlines()
    requests = [json.loads(line) for line in lines]
    assert {line["event"] for line in requests} == {"request"}
    assert requests[0].keys() == {"time", "level", "event", "method", "route", "status", "ms"}
    assert not [secret for secret in secrets if any(secret in line for line in lines)]
    assert sum(line["status"] == 404 for line in requests) <= 3
    assert sum(line.get("left_out", 0) for line in requests) >= 47
