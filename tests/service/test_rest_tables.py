"""Tables and games over REST: a whole game by a script, its record and proof, lists, limits."""

import re
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree as ET

import httpx
import pytest

from sideboards.core.fair import check_proof, parse_proof, seat_commitment
from sideboards.core.notation import parse_record
from sideboards.data import load_edition
from sideboards.service.thinking import Job, Thinkers
from sideboards.words import LANGUAGES
from tests.service.rest import Person, browser, running, wait_until
from tests.test_sheet import BOOKS, Data, owned

pytestmark = pytest.mark.long
ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running(tmp_path_factory.mktemp("rest")) as address:
        yield address


def test_a_whole_game_of_two_by_scripts(base: str) -> None:
    ana, leo = Person(base, "Ana"), Person(base, "Leo")
    table = ana.table(seats=2)
    seeds = ["11" * 32, "22" * 32]
    for seat, (who, seed) in enumerate(zip((ana, leo), seeds, strict=True)):
        answer = who.sit(table, seat, seat_commitment(table, seat, seed))
        assert (answer.status_code, answer.json()["seat"]) == (201, seat)
    ana.do(table, "start")
    for who, seed in zip((ana, leo), seeds, strict=True):
        who.do(table, f"open {seed}")
    while (view := ana.view(table))["result"] is None:
        for who in (ana, leo):
            who.do(table, who.view(table)["options"][-1]["move"])
    assert view["public"]["round"] == 7
    edition = load_edition()
    proof = parse_proof(ana.get(f"/api/tables/{table}/proof").content)
    setup = check_proof(proof, edition)
    assert proof.unopened == ()
    answer = leo.get(f"/api/tables/{table}/record")
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert answer.headers["content-disposition"].startswith("attachment;")
    record = parse_record(answer.content, edition)
    assert (record.setup, record.names) == (setup, ("Ana", "Leo"))
    explained = ana.get(f"/api/tables/{table}/score").json()
    totals = [score["total"] for score in view["public"]["scores"]]
    assert [player["total"] for player in explained["players"]] == totals
    replay = ana.get(f"/api/tables/{table}/replay").json()
    assert [each["round"] for each in replay["rounds"]] == list(range(7))
    assert [each["total"] for each in replay["rounds"][-1]["scores"]] == totals
    moves = [move for each in replay["rounds"] for move in each["moves"]]
    assert moves == [f"{seat} {move}" for seat, move in record.played]


def test_the_hash_is_that_of_the_view_and_spectators_see_no_hand(base: str) -> None:
    ana, bob = Person(base), Person(base, "Bob")
    table = ana.start("random")
    own = ana.get(f"/api/tables/{table}/view").json()
    other = bob.get(f"/api/tables/{table}/view").json()
    assert own["view"]["hands"][0]
    assert other["view"]["hands"] == [None, None]
    assert (other["view"]["options"], other["view"]["seat"]) == ([], None)
    assert own["hash"] != other["hash"]
    without = ana.get(f"/api/tables/{table}/view?assist=0").json()["view"]
    assert "points" in own["view"]["options"][0]
    assert "points" not in without["options"][0]
    alone = ana.start()  # where nobody else can choose meanwhile
    ack = ana.act(alone, ana.view(alone)["options"][0]["move"]).json()
    assert ack["view_hash"] == ana.get(f"/api/tables/{alone}/view").json()["hash"]


def test_answers_to_actions_hold_no_more_help_than_is_wanted(base: str) -> None:
    ana = Person(base)
    table = ana.start()
    actions = f"/api/tables/{table}/actions"

    def seen(assist: int) -> httpx.Response:
        return ana.get(f"/api/tables/{table}/view?assist={assist}")

    refused = ana.post(f"{actions}?assist=0", {"key": "0.1.abcd", "action": "swap"}).json()
    assert refused["code"] == "too_early"
    assert refused["view"] == seen(0).json()["view"] != seen(1).json()["view"]
    assert refused["view_hash"] == seen(0).json()["hash"]
    move = refused["view"]["options"][0]["move"]
    ack = ana.post(f"{actions}?assist=0", {"key": "0.2.abcd", "action": move}).json()
    assert ack["view_hash"] == seen(0).json()["hash"] != seen(1).json()["hash"]
    wrong = ana.post(f"{actions}?assist=4", {"key": "1.1.abcd", "action": move})
    assert (wrong.status_code, wrong.json()["code"]) == (400, "bad_value")


def test_the_same_key_again_gives_the_same_outcome_once(base: str) -> None:
    ana = Person(base)
    table = ana.start("random")
    move = ana.view(table)["options"][0]["move"]
    first = ana.act(table, move, "0.9.same")
    again = ana.act(table, move, "0.9.same")
    assert (first.status_code, again.status_code) == (200, 200)
    assert ana.act(table, "swap", "0.9.same").json()["code"] == "key_reused"


def test_a_refused_action_comes_with_the_true_view(base: str) -> None:
    ana = Person(base)
    table = ana.start("random")
    refused = ana.act(table, "swap").json()
    assert refused["code"] == "too_early"
    seen = ana.get(f"/api/tables/{table}/view").json()
    assert refused["view"]["hands"] == seen["view"]["hands"]
    assert refused["key"].startswith("0.")


def test_sitting_down_again_gives_the_token_again(base: str) -> None:
    ana = Person(base)
    table = ana.table()
    first, again = ana.sit(table), ana.sit(table)
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json()["token"] == again.json()["token"]


def test_settings_change_with_a_new_commitment(base: str) -> None:
    ana = Person(base)
    table = ana.table()
    before = ana.get(f"/api/tables/{table}").json()
    after = ana.http.patch(f"/api/tables/{table}", json={"seats": 3}).json()
    assert len(after["seats"]) == 3
    assert after["commit"] != before["commit"]
    again = ana.http.patch(f"/api/tables/{table}", json={"public": True, "assist": 0}).json()
    assert again["settings"] == after["settings"] | {"public": True, "assist": 0}


def test_a_code_finds_its_table_however_it_is_typed(base: str) -> None:
    ana, bob = Person(base), Person(base, "Bob")
    table = ana.table()
    code = ana.get(f"/api/tables/{table}").json()["code"]
    typed = f" {code[:3].lower()}-{code[3:]} "
    assert bob.post("/api/codes", {"code": typed}).json() == {"table": table}


def test_private_tables_are_in_no_list(base: str) -> None:
    ana, bob = Person(base), Person(base, "Bob")
    private, public = ana.table(), ana.table(public=True)
    for table in (private, public):
        ana.sit(table)
    shown = bob.get("/api/tables")
    assert public in shown.text
    assert private not in shown.text
    listed = next(each for each in shown.json() if each["table"] == public)
    assert (listed["names"], listed["your_seat"]) == (["Ana", None], None)
    assert bob.get("/api/me/tables").json() == []
    assert {each["table"] for each in ana.get("/api/me/tables").json()} == {private, public}
    assert private not in ana.get("/").text


def test_practice_is_in_no_list(base: str) -> None:
    ana = Person(base)
    table = ana.start("random")
    ana.finish(table)
    record = ana.get(f"/api/tables/{table}/record?rounds=2").text
    practice = ana.table(seats=2, practice=record)
    ana.sit(practice, 0)
    mine = [each["table"] for each in ana.get("/api/me/tables").json()]
    assert mine == [table]


def test_the_feed_tells_what_waits(base: str) -> None:
    ana = Person(base, "Ana <b>", "de")
    table = ana.start("greedy")
    path = ana.post("/api/me/feed").json()["path"]
    answer = Person(base).get(path)
    assert answer.headers["content-type"].startswith("application/atom+xml")
    assert answer.headers["cache-control"] == "private, no-cache"
    feed = ET.fromstring(answer.text)  # noqa: S314 (our own answer)
    assert feed.findtext(f"{ATOM}title") == "Sideboards: Du bist am Zug"
    assert feed.findtext(f"{ATOM}updated", "").endswith("Z")
    (entry,) = feed.findall(f"{ATOM}entry")
    assert entry.findtext(f"{ATOM}title") == "gierig: Start"
    link = entry.find(f"{ATOM}link")
    assert link is not None
    assert link.get("href") == f"{base}/t/{table}"
    waiting = ana.get("/api/me/tables?waiting=true").json()
    assert [(each["table"], each["round"]) for each in waiting] == [(table, 0)]
    newer = ana.post("/api/me/feed").json()["path"]
    assert ana.get(path).json()["code"] == "not_found"
    ana.finish(table)
    after = ana.get(newer)
    assert "<entry>" not in after.text
    (listed,) = ana.get("/api/me/tables").json()
    last = datetime.fromtimestamp(listed["updated"] // 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    changed = ET.fromstring(after.text).findtext(f"{ATOM}updated")  # noqa: S314 (our own answer)
    assert changed == last, "the newest event, however late somebody asks"
    again = ana.get(newer, headers={"If-None-Match": after.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    newest = ana.get(newer, headers={"If-None-Match": answer.headers["etag"]})
    assert (newest.status_code, newest.text) == (200, after.text)


def test_a_table_does_not_wait_for_who_has_chosen(base: str) -> None:
    ana, bob = Person(base), Person(base, "Bob")
    table = ana.table()
    for who in (ana, bob):
        who.sit(table)
    ana.do(table, "start")
    ana.do(table, ana.view(table)["options"][0]["move"])
    assert ana.get("/api/me/tables?waiting=true").json() == []
    (waits,) = bob.get("/api/me/tables?waiting=true").json()
    assert (waits["table"], waits["your_seat"]) == (table, 1)


def test_a_rematch_is_made_once(base: str) -> None:
    ana = Person(base)
    table = ana.start("random")
    ana.finish(table)
    first, again = (ana.post(f"/api/tables/{table}/rematch").json()["table"] for _ in range(2))
    assert first["table"] == again["table"] != table
    assert [seat["bot"] for seat in first["seats"]] == [None, "random"]


def test_drafts_and_phrases_are_taken(base: str) -> None:
    ana = Person(base)
    table = ana.start("random", round_seconds=10)
    choice = ana.view(table)["options"][3]["move"]
    answer = ana.post(f"/api/tables/{table}/draft", {"round": 0, "move": choice})
    assert (answer.status_code, answer.content) == (204, b"")
    assert ana.post(f"/api/tables/{table}/phrases", {"phrase": "hello"}).status_code == 204
    clock = ana.get(f"/api/tables/{table}/view").json()["clock"]
    assert 0 < clock["left"] <= 10_000
    ana.post("/api/test/clock", {"advance": 11_000})
    wait_until(lambda: ana.view(table)["public"]["round"] == 1)
    assert f"0 {choice}" in ana.view(table)["played"]


def test_the_coach_calls_people_by_their_names(base: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ana = Person(base)
    table = ana.start("random")
    ana.finish(table)
    unnamed = [{"seat": seat, "name": f"Person {seat + 1}", "points": 3} for seat in range(2)]
    job = Job("coach", result={"finished": True, "players": unnamed})
    monkeypatch.setattr(Thinkers, "refusal", lambda *_: None)
    monkeypatch.setattr(Thinkers, "job", lambda *_: job)
    answer = ana.get(f"/api/tables/{table}/coach").json()
    assert answer["finished"]
    score = ana.get(f"/api/tables/{table}/score").json()
    names = [player["name"] for player in answer["players"]]
    assert names == [player["name"] for player in score["players"]] == ["Ana", "random"]
    ana.http.patch("/api/me", json={"name": "Anna"})
    again = ana.get(f"/api/tables/{table}/coach").json()
    assert [player["name"] for player in again["players"]] == ["Anna", "random"]


def test_coach_and_par_take_their_time(tmp_path: Path) -> None:
    with running(tmp_path, compiled=True) as base:
        ana = Person(base)
        table = ana.start(assist=3)
        advised = wait_until(lambda: _found(ana.get(f"/api/tables/{table}/advice"))) or {}
        moves = {each["move"] for each in ana.view(table)["options"]}
        weighed = {each["move"] for each in advised["options"]}
        assert weighed < moves, "mirrored starts are the same"
        assert 2 * len(weighed) == len(moves)
        ana.finish(table)
        assert ana.get(f"/api/tables/{table}/advice").json()["code"] == "not_playing"
        for what in ("coach", "par"):
            begun = time.monotonic()
            answer = ana.get(f"/api/tables/{table}/{what}?language=de")
            assert time.monotonic() - begun < 1
            seen = [0.0]
            while answer.status_code == 202:
                assert answer.json().keys() == {"progress"}
                seen.append(answer.json()["progress"])
                time.sleep(0.2)
                assert time.monotonic() - begun < 100
                answer = ana.get(f"/api/tables/{table}/{what}?language=de")
            assert seen == sorted(seen)
            assert answer.status_code == 200, answer.text
            assert answer.json()


def _found(answer: httpx.Response) -> Data | None:
    """What was worked out, if it was."""
    assert answer.status_code in (200, 202), answer.text
    found: Data = answer.json()
    return found if answer.status_code == 200 else None


def test_who_asks_instead_of_listening_hears_what_was_said(base: str) -> None:
    ana, ben = Person(base), Person(base, "Ben", "de")
    table = ana.table(round_seconds=10)
    for who in (ana, ben):
        who.sit(table)
    ana.do(table, "start")
    ana.view(table)
    path = f"/api/tables/{table}/news"
    assert ben.get(path).json() == []
    ana.post(f"/api/tables/{table}/phrases", {"phrase": "hello"})
    (said,) = ben.get(path).json()
    assert said["message"] == {"type": "said", "phrase": "hello", "seat": 0}
    ana.post("/api/test/clock", {"advance": 11_000})
    wait_until(lambda: ana.view(table)["public"]["round"] == 1)
    after = f"{path}?after={said['at']}"
    wait_until(lambda: len(ben.get(after).json()) == 2)
    told = ben.get(after).json()
    assert {each["message"]["code"] for each in told} == {"timeout"}
    assert {each["message"]["seat"] for each in told} == {0, 1}
    assert told[0]["message"]["sentence"] != ana.get(after).json()[0]["message"]["sentence"]
    for _ in range(30):
        ana.post(f"/api/tables/{table}/phrases", {"phrase": "nice"})
    assert len(ben.get(path).json()) == 20


def test_scores_are_those_of_the_command(base: str) -> None:
    ana = Person(base)
    asked = {
        "objectives": [1, 8, 17],
        "mode": "solo",
        "players": [{"name": "Ana", "board": "17 42~ 8"}],
    }
    german = ana.http.post("/api/score", json=asked, headers={"Accept-Language": "de"}).json()
    assert german["title"]["text"] != ana.post("/api/score", asked).json()["title"]["text"]
    assert (
        german["players"][0]["total"] == ana.post("/api/score", asked).json()["players"][0]["total"]
    )


@pytest.mark.parametrize("asked", [BOOKS, owned()], ids=["by number", "drawn by an owner"])
def test_check_10_the_books_example_scores_38_on_every_phone(base: str, asked: Data) -> None:
    """12 for colors, 15 for handles, 10 for the row, no bonus, 1 for the unused swap card."""
    phone = browser(base)
    for language in LANGUAGES:
        answer = phone.post("/api/score", json=asked, headers={"Accept-Language": language})
        assert answer.status_code == 200, answer.text
        lydia, *others = answer.json()["players"]
        points = [lydia[kind]["points"] for kind in ("color", "handle", "row")]
        assert [*points, lydia["bonus"], lydia["swap"], lydia["total"]] == [12, 15, 10, 0, 1, 38]
        assert [player["total"] for player in others] == [38, 43]


def test_material_is_served_with_its_tag(base: str) -> None:
    ana = Person(base)
    edition = ana.get("/api/edition")
    assert edition.headers["etag"] == f'"{load_edition().sha256}"'
    tag = {"If-None-Match": edition.headers["etag"]}
    again = ana.get("/api/edition", headers=tag)
    assert (again.status_code, again.content) == (304, b"")
    assert ana.get("/api/words/pt").json()["term.game"] == "Sideboards"
    bots = ana.get("/api/bots?language=it").json()
    assert [bot["name"] for bot in bots][:2] == ["random", "easy"]
    limits = ana.get("/api/limits").json()
    assert limits.pop("phrases")
    assert limits == {
        "address": base,
        "protocol": 1,
        "message_bytes": 8 * 1024,
        "view_bytes": 16 * 1024,
        "unread_bytes": 64 * 1024,
        "handshake_seconds": 10,
        "messages_per_20_seconds": 200,
        "drafts_per_second": 5,
        "sockets_per_address": 200,
        "tables_per_guest": 20,
        "practice_tables_per_guest": 10,
        "guests_per_hour": limits["guests_per_hour"],
        "calls_per_minute": limits["calls_per_minute"],
        "calls_per_minute_and_guest": 600,
        "wrong_codes_per_10_minutes": 10,
    }


def test_the_server_tells_how_it_is(base: str, tmp_path: Path) -> None:
    ana = Person(base, "Nobody Elses Name")
    table = ana.start("random")
    assert ana.get("/health").json() == {"alive": True}
    assert ana.get("/ready").json() == {"alive": True}
    figures = ana.get("/metrics").text
    assert 'route="/api/tables/{table}/actions",status="200"' in figures
    assert "sideboards_commit_seconds_count" in figures
    assert not any(secret in figures for secret in (table, ana.id, ana.token, "Nobody"))
    with running(tmp_path, test_mode=False, bot_beat=600) as plain:
        assert Person(plain).post("/api/test/clock", {"advance": 1}).status_code == 404
        assert Person(plain).post("/api/test/deck", {}).status_code == 404


def test_starts_deals_and_seeds_are_counted(tmp_path: Path) -> None:
    with running(tmp_path) as base:
        people = [Person(base, name) for name in ("Ana", "Ben", "Cleo")]
        ana, ben, _ = people

        def figures() -> list[str]:
            """How many starts, deals, seeds that were opened, and seeds that were not."""
            text = ana.get("/metrics").text
            line = r"^sideboards_(?:starts|deals|seeds)_total\S* (\S+)\.0$"
            return re.findall(line, text, re.MULTILINE)

        assert figures() == ["0", "0", "0", "0"]
        table = ana.table(seats=4)
        for seat, who in enumerate(people):
            who.sit(table, seat, seat_commitment(table, seat, f"{seat}" * 64))
        ana.do(table, "bot 3 easy", "start", f"open {'0' * 64}")
        ben.do(table, f"open {'1' * 64}")
        assert figures() == ["1", "0", "0", "0"], "broken off, if it stays so"
        ana.post("/api/test/clock", {"advance": 6_000})
        ana.view(table)
        assert figures() == ["1", "1", "2", "1"]
        ana.start("easy")
        assert figures() == ["2", "2", "2", "1"], "nobody had promised a seed"


def test_tests_can_stop_the_clock_and_fix_the_cards(tmp_path: Path) -> None:
    cards = list(range(1, 61))
    with running(tmp_path) as base:
        ana = Person(base)
        assert ana.post("/api/test/clock", {"stop": 1_000}).json() == {"now": 1_000}
        assert ana.post("/api/test/clock", {"advance": 5}).json() == {"now": 1_005}
        table = ana.post("/api/tables", {"seats": 1}).json()["table"]["table"]
        for deck in (cards[1:], [*cards[1:], 2], [0, *cards[1:]]):
            order = {"table": table, "deck": deck, "refill": cards}
            assert ana.post("/api/test/deck", order).status_code == 400
        order = {"table": table, "deck": cards[::-1], "refill": cards}
        assert ana.post("/api/test/deck", order).status_code == 204
        ana.sit(table, 0)
        ana.do(table, "start")
        view = ana.view(table)
        assert view["hands"] == [[[60, 59, 58]]]
        listed = ana.get("/api/me/tables").json()[0]
        assert (listed["created"], listed["updated"]) == (1_005, 1_005)
    with running(tmp_path) as again:  # the log alone tells what was dealt
        later = browser(again)
        later.headers["Authorization"] = f"Bearer {ana.token}"
        assert later.get(f"/api/tables/{table}/view").json()["view"] == view
