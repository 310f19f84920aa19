"""Refusals over REST: every code that can be provoked, each with a sentence, never a traceback."""

import sqlite3
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from sideboards.service.limits import TABLES_PER_GUEST, WRONG_PER_ADDRESS
from sideboards.service.refusals import CODES
from tests.service.rest import JSON, Person, browser, running, sentence_of

pytestmark = pytest.mark.long

OF_SOCKETS = {
    "wrong_protocol", "hello_first", "newer_tab", "too_silent", "too_many_messages",
    "too_many_sockets",
}  # fmt: skip
ELSEWHERE = {
    "already_seated",  # whoever sits there gets the token again
    "internal", "server_full", "stopping",
    "nobody_left",
}  # fmt: skip
OF_MOVES = {
    "not_in_hand", "one_card", "two_cards", "same_card", "too_early", "swap_used", "no_swap",
    "sealed", "round_closed", "over", "no_seat",
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("refusals")


@pytest.fixture(scope="module")
def base(folder: Path) -> Iterator[str]:
    with running(folder) as address:  # without the extra `fast`, so that something is missing
        yield address


PROVOKED: dict[str, Callable[[str], httpx.Response]] = {}


def provokes(code: str) -> Callable[[Callable[[str], httpx.Response]], None]:
    def keep(call: Callable[[str], httpx.Response]) -> None:
        PROVOKED[code] = call

    return keep


@pytest.fixture(scope="module")
def codes_are_complete() -> None:
    assert PROVOKED.keys() | OF_SOCKETS | ELSEWHERE == CODES.keys() | OF_MOVES


@pytest.mark.usefixtures("codes_are_complete")
@pytest.mark.parametrize("code", sorted(CODES.keys() - OF_SOCKETS - ELSEWHERE) + sorted(OF_MOVES))
def test_a_code_is_answered_with_its_sentence(base: str, code: str) -> None:
    begun = time.monotonic()
    answer = PROVOKED[code](base)
    assert time.monotonic() - begun < 20
    sentence = sentence_of(answer, code)
    assert sentence.endswith(".")
    assert "{" not in sentence


# ---- what was sent -----------------------------------------------------------------------------


@provokes("bad_message")
def _(base: str) -> httpx.Response:
    return browser(base).get("/", headers={"Host": "a b"})


@provokes("not_json")
def _(base: str) -> httpx.Response:
    return browser(base).post("/api/guests", content="{", headers={"Content-Type": JSON})


@provokes("bad_content_type")
def _(base: str) -> httpx.Response:
    return browser(base).post("/api/guests", data={"name": "Ana"})


@provokes("bad_value")
def _(base: str) -> httpx.Response:
    return browser(base).post("/api/guests", json={"name": 3})


@provokes("bad_name")
def _(base: str) -> httpx.Response:
    return browser(base).post("/api/guests", json={"name": "a\u202eb"})


@provokes("bad_settings")
def _(base: str) -> httpx.Response:
    return Person(base).post("/api/tables", {"seats": 1, "variant": True})


@provokes("bad_seed")
def _(base: str) -> httpx.Response:
    ana = Person(base)
    table = ana.table(seats=1)
    ana.sit(table, 0, "ab" * 32)
    ana.do(table, "start")
    return ana.act(table, f"open {'cd' * 32}")


@provokes("unknown_bot")
def _(base: str) -> httpx.Response:
    ana = Person(base)
    return ana.act(ana.table(), "bot 1 genius")


@provokes("unknown_phrase")
def _(base: str) -> httpx.Response:
    ana = Person(base)
    table = ana.table()
    ana.sit(table)
    return ana.post(f"/api/tables/{table}/phrases", {"phrase": "buy my hat"})


@provokes("not_an_action")
def _(base: str) -> httpx.Response:
    ana = Person(base)
    return ana.act(ana.start(), "dance")


@provokes("too_large")
def _(base: str) -> httpx.Response:
    return browser(base).post("/api/guests", json={"name": "a" * 8192})


# ---- who sent it -------------------------------------------------------------------------------


@provokes("who_are_you")
def _(base: str) -> httpx.Response:
    return browser(base).get("/api/me", headers={"Authorization": f"Bearer {'a' * 43}"})


@provokes("foreign_origin")
def _(base: str) -> httpx.Response:
    return browser(base).post(
        "/api/guests", json={"name": "Ana"}, headers={"Origin": "https://elsewhere.example"}
    )


@provokes("not_your_seat")
def _(base: str) -> httpx.Response:
    table = Person(base).start()
    return Person(base, "Bob").act(table, "swap")


@provokes("not_host")
def _(base: str) -> httpx.Response:
    return Person(base, "Bob").act(Person(base).table(), "start")


@provokes("no_spectators")
def _(base: str) -> httpx.Response:
    ana = Person(base)
    over = ana.start("easy", spectators=False)
    ana.finish(over)
    assert browser(base).get(f"/api/tables/{over}/view").status_code == 200  # as it promises
    table = Person(base).start(spectators=False)
    assert Person(base).get(f"/api/tables/{table}").status_code == 403
    return browser(base).get(f"/api/tables/{table}/view")


@provokes("sent_away")
def _(base: str) -> httpx.Response:
    ana, bob = Person(base), Person(base, "Bob")
    table = ana.table(seats=3)
    ana.sit(table, 0)
    bob.sit(table, 1)
    ana.do(table, "remove 1")
    return bob.sit(table, 2)


@provokes("no_assist")
def _(base: str) -> httpx.Response:
    ana = Person(base)
    return ana.get(f"/api/tables/{ana.start('random')}/advice")


@provokes("round_over")
def _(base: str) -> httpx.Response:
    ana = Person(base)
    table = ana.start("random")
    ana.do(table, ana.view(table)["options"][0]["move"])
    while ana.view(table)["public"]["round"] == 0:
        time.sleep(0.02)
    return ana.act(table, "swap", "0.9.late")


@provokes("no_phrases")
def _(base: str) -> httpx.Response:
    ana = Person(base)
    return ana.post(f"/api/tables/{ana.start(phrases=False)}/phrases", {"phrase": "hello"})


@provokes("wrong_code")
def _(base: str) -> httpx.Response:
    return browser(base).post("/api/codes", json={"code": "AAAAAA"})


@provokes("wrong_transfer")
def _(base: str) -> httpx.Response:
    return browser(base).post("/api/transfer", json={"code": "AAAAA-AAAAA"})


@provokes("unknown_table")
def _(base: str) -> httpx.Response:
    return browser(base).get("/api/tables/2222222222222/view")


@provokes("not_found")
def _(base: str) -> httpx.Response:
    return browser(base).get("/api/nothing")


@provokes("wrong_method")
def _(base: str) -> httpx.Response:
    answer = browser(base).put("/api/me", json={})
    assert answer.headers["allow"] == "DELETE, GET, HEAD, OPTIONS, PATCH"
    return answer


# ---- what the table says -----------------------------------------------------------------------


@provokes("table_full")
def _(base: str) -> httpx.Response:
    ana = Person(base)
    table = ana.table(seats=1)
    ana.sit(table)
    return Person(base, "Bob").sit(table)


@provokes("seat_taken")
def _(base: str) -> httpx.Response:
    ana = Person(base)
    table = ana.table()
    ana.sit(table, 1)
    return Person(base, "Bob").sit(table, 1)


@provokes("not_waiting")
def _(base: str) -> httpx.Response:
    return Person(base, "Bob").sit(Person(base).start("random"))


@provokes("not_started")
def _(base: str) -> httpx.Response:
    ana = Person(base)
    table = ana.table()
    ana.sit(table, 0, "ab" * 32)
    return ana.act(table, f"open {'cd' * 32}")


@provokes("not_playing")
def _(base: str) -> httpx.Response:
    ana = Person(base)
    table = ana.table()
    sentence_of(ana.get(f"/api/tables/{table}/view"), "not_started")
    ana.do(table, "close")
    return ana.get(f"/api/tables/{table}/view")


@provokes("not_over")
def _(base: str) -> httpx.Response:
    ana = Person(base)
    table = ana.start()
    for what in ("record", "score", "replay", "coach", "par"):
        sentence_of(ana.get(f"/api/tables/{table}/{what}"), "not_over")
    return ana.get(f"/api/tables/{table}/proof")


@provokes("never_dealt")
def _(base: str) -> httpx.Response:
    ana = Person(base)
    table = ana.table(seats=1)
    ana.do(table, "close")
    for what in ("record", "score", "replay", "coach", "par"):
        sentence_of(ana.get(f"/api/tables/{table}/{what}"), "never_dealt")
    return ana.get(f"/api/tables/{table}/proof")


@provokes("key_reused")
def _(base: str) -> httpx.Response:
    ana = Person(base)
    table = ana.start()
    first, second = (option["move"] for option in ana.view(table)["options"][:2])
    ana.act(table, first, "0.1.aaaa")
    return ana.act(table, second, "0.1.aaaa")


@provokes("bot_plays")
def _(base: str) -> httpx.Response:
    ana, bob = Person(base), Person(base, "Bob")
    table = ana.table()
    for who in (ana, bob):
        who.sit(table)
    ana.do(table, "start")
    ana.view(table)
    ana.do(table, "leave")
    return ana.act(table, "undo")


@provokes("seats_empty")
def _(base: str) -> httpx.Response:
    ana = Person(base)
    return ana.act(ana.table(), "start")


@provokes("not_away")
def _(base: str) -> httpx.Response:
    ana, bob = Person(base), Person(base, "Bob")
    table = ana.table()
    for who in (ana, bob):
        who.sit(table)
    ana.do(table, "start")
    ana.view(table)
    return ana.act(table, "vote 1")


@provokes("not_a_person")
def _(base: str) -> httpx.Response:
    ana = Person(base)
    table = ana.start("random")
    ana.post("/api/test/clock", {"advance": 61_000})
    return ana.act(table, "vote 1")


def practised(ana: Person) -> str:
    """A practice table that somebody has played to its end."""
    played = ana.start()
    ana.finish(played)
    record = ana.get(f"/api/tables/{played}/record").text
    begun = "\n".join(record.splitlines()[:-3]) + "\n"
    table = ana.start(practice=begun)
    sentence_of(ana.post(f"/api/tables/{table}/rematch"), "no_practice_rematch")
    ana.finish(table)
    return table


@provokes("no_practice_proof")
def _(base: str) -> httpx.Response:
    ana = Person(base)
    return ana.get(f"/api/tables/{practised(ana)}/proof")


@provokes("no_practice_rematch")
def _(base: str) -> httpx.Response:
    ana = Person(base)
    return ana.post(f"/api/tables/{practised(ana)}/rematch")


@provokes("not_solo")
def _(base: str) -> httpx.Response:
    ana = Person(base)
    table = ana.start("random")
    ana.finish(table)
    return ana.get(f"/api/tables/{table}/par")


@provokes("not_offered")
def _(base: str) -> httpx.Response:
    ana = Person(base)
    table = ana.start()
    ana.finish(table)
    return ana.get(f"/api/tables/{table}/par")


@provokes("bot_not_here")
def _(base: str) -> httpx.Response:
    ana = Person(base)
    table = ana.table(seats=2)
    ana.sit(table, 0)
    return ana.act(table, "bot 1 master")


@provokes("abandoned")
def _(base: str) -> httpx.Response:
    ana = Person(base)
    given_up = ana.start()
    ana.do(given_up, "close")
    sentence_of(ana.get(f"/api/tables/{given_up}/par"), "abandoned")
    table = ana.table()
    ana.do(table, "close")
    return ana.act(table, "start")


# ---- what the rules say ------------------------------------------------------------------------


def move(base: str, kind: str, *, bots: int = 0, **settings: object) -> httpx.Response:
    """The answer to a kind of move that is not allowed."""
    ana = Person(base)
    table = ana.start(*["random"] * bots, **settings)
    hand = ana.view(table)["hands"][0][-1]
    other = next(card for card in range(1, 61) if card not in hand)
    if kind in ("one_card", "swap_used"):
        ana.do(table, ana.view(table)["options"][0]["move"])
    if kind == "swap_used":
        ana.do(table, "swap")
    if kind == "over":
        ana.finish(table)
    texts = {
        "not_in_hand": f"{hand[0]},{other}",
        "same_card": f"{hand[0]},{hand[0]}",
        "two_cards": f"L{hand[0]}",
        "one_card": f"{hand[0]},{hand[1]}",
        "round_closed": "undo",
        "over": f"L{hand[0]}",
    }
    return ana.act(table, texts.get(kind, "swap"))


PROVOKED |= {
    "not_in_hand": lambda base: move(base, "not_in_hand"),
    "same_card": lambda base: move(base, "same_card"),
    "two_cards": lambda base: move(base, "two_cards"),
    "one_card": lambda base: move(base, "one_card"),
    "too_early": lambda base: move(base, "too_early"),
    "swap_used": lambda base: move(base, "swap_used"),
    "no_swap": lambda base: move(base, "no_swap", bots=1, variant=True),
    "round_closed": lambda base: move(base, "round_closed"),
    "over": lambda base: move(base, "over"),
    "no_seat": lambda base: Person(base).sit(Person(base).table(), 5),
}


@provokes("sealed")
def _(base: str) -> httpx.Response:
    ana, bob = Person(base), Person(base, "Bob")
    table = ana.table()
    for who in (ana, bob):
        who.sit(table)
    ana.do(table, "start")
    first, second = (option["move"] for option in ana.view(table)["options"][:2])
    ana.do(table, first)
    return ana.act(table, second)


# ---- too much, and what the server says --------------------------------------------------------


@provokes("too_many_tables")
def _(base: str) -> httpx.Response:
    ana = Person(base)
    for _ in range(TABLES_PER_GUEST):
        ana.table()
    return ana.post("/api/tables", {})


def test_many_tables_at_once_do_not_pass_the_limit(base: str) -> None:
    ana = Person(base)
    with ThreadPoolExecutor(TABLES_PER_GUEST + 10) as pool:
        asked = pool.map(lambda _: ana.post("/api/tables", {}), range(TABLES_PER_GUEST + 10))
        answers = [answer.status_code for answer in asked]
    assert answers.count(201) == TABLES_PER_GUEST
    assert answers.count(429) == 10


@provokes("too_many_requests")
def _(base: str) -> httpx.Response:
    ana = Person(base)
    for _ in range(600):
        answer = ana.get("/api/me")
        if answer.status_code != 200:
            break
    return answer if answer.status_code == 429 else ana.get("/api/me")


def locked(call: Callable[[], httpx.Response]) -> httpx.Response:
    """The answer while somebody else writes to the database."""
    other = sqlite3.connect(DATABASES[0], isolation_level=None)
    try:
        other.execute("BEGIN IMMEDIATE")
        begun = time.monotonic()
        answer = call()
        assert time.monotonic() - begun < 1.3
        other.execute("ROLLBACK")
    finally:
        other.close()
    return answer


DATABASES: list[Path] = []


@pytest.fixture(scope="module", autouse=True)
def _database(folder: Path) -> None:
    DATABASES[:] = [folder / "sideboards.db"]


@provokes("too_slow")
def _(base: str) -> httpx.Response:
    http = browser(base)
    return locked(lambda: http.post("/api/guests", json={"name": "Ana"}))


@provokes("cannot_save")
def _(base: str) -> httpx.Response:
    other = sqlite3.connect(DATABASES[0], isolation_level=None)
    try:
        other.execute("ALTER TABLE guests RENAME TO elsewhere")
        return browser(base).post("/api/guests", json={"name": "Ana"})
    finally:
        other.execute("ALTER TABLE elsewhere RENAME TO guests")
        other.close()


def test_a_code_that_nobody_could_look_up_was_not_wrong(tmp_path: Path) -> None:
    with running(tmp_path) as base:
        ana = Person(base)
        table = ana.table()
        code = {"code": ana.get(f"/api/tables/{table}").json()["code"]}
        other = sqlite3.connect(tmp_path / "sideboards.db", isolation_level=None)
        try:
            other.execute("ALTER TABLE tables RENAME TO elsewhere")
            for _ in range(WRONG_PER_ADDRESS.count + 1):
                sentence_of(ana.post("/api/codes", code), "cannot_save")
        finally:
            other.execute("ALTER TABLE elsewhere RENAME TO tables")
            other.close()
        assert ana.post("/api/codes", code).json() == {"table": table}


@provokes("busy")
def _(base: str) -> httpx.Response:
    ana = Person(base)
    table = ana.table()
    ana.sit(table)

    def call() -> httpx.Response:
        pending = ana.act(table, "bot 1 easy", "0.7.slow")
        assert (pending.status_code, pending.json()) == (
            202,
            {"type": "pending", "key": "0.7.slow"},
        )
        return ana.act(table, "start", "0.8.next")

    answer = locked(call)
    again = ana.act(table, "bot 1 easy", "0.7.slow")
    assert (again.status_code, again.json()["type"]) == (200, "ack")
    return answer
