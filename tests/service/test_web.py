"""The browser client as the server gives it out, and all that comes with it."""

import asyncio
import gzip
import json
import re
import threading
import time
from collections.abc import Iterator
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest
from PIL import Image

from sideboards import Edition, deal, load_edition, parse_board, parse_record, tally
from sideboards.core.board import Laid
from sideboards.core.marks import marks
from sideboards.service import shell as shells
from sideboards.service.drawn import drawn
from sideboards.service.easel import Easel
from sideboards.service.install import ICONS
from sideboards.service.pictures import preview_svg
from sideboards.service.placard import Placard, head_lines
from sideboards.service.shell import ELSEWHERE, INDEX, practice, shell
from sideboards.words import LANGUAGES, words
from tests.service.rest import Person, browser, running

ROOT = Path(__file__).parents[2]
EDITION = load_edition()
PAGES = ("/", "/lobby", "/rules")


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    assert INDEX.exists(), "the browser client is not built; expected scripts/web to have done it"
    folder = tmp_path_factory.mktemp("web")
    with running(folder, requests_per_minute=100_000, guests_per_hour=1000) as address:
        yield address


class Page(HTMLParser):
    """A page taken apart."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.title = ""
        self.language = ""
        self.metas: dict[str, str] = {}
        self.loads: list[str] = []
        self.attributes: set[str] = set()
        self.scripts: list[dict[str, str | None]] = []
        self.boot = ""
        self.here = ""
        self._inside: tuple[str, str | None] = ("", None)
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.attributes |= found.keys()
        self._inside = (tag, found.get("id"))
        if tag == "html":
            self.language = found["lang"] or ""
        if tag == "meta" and (name := found.get("name") or found.get("property")):
            self.metas[name] = found["content"] or ""
        if tag == "script":
            self.scripts.append(found)
        if tag in ("link", "script", "img", "iframe", "object", "a"):
            self.loads += [to for name in ("href", "src") if (to := found.get(name))]

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002 (whichever)
        self._inside = ("", None)

    def handle_data(self, data: str) -> None:
        if self._inside[0] == "title" and not self.title:
            self.title = data
        if self._inside == ("script", "boot"):
            self.boot += data
        if self._inside == ("script", "here"):
            self.here += data


def opened(base: str, path: str, **headers: str) -> Page:
    answer = browser(base).get(path, headers=headers)
    assert answer.status_code == 200, answer.text[:200]
    return Page(answer.text)


# ---- the page ------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("path", PAGES)
def test_every_page_comes_in_the_language_of_the_browser(
    base: str, path: str, language: str
) -> None:
    answer = browser(base).get(path, headers={"accept-language": f"xx, {language}-CH;q=0.9"})
    page = Page(answer.text)
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["content-language"] == page.language == language
    assert "accept-language" in answer.headers["vary"]
    assert "set-cookie" not in answer.headers
    assert page.title == words(language)("term.game")
    assert page.metas["description"] == words(language)("page.about")
    assert words(language)("page.script") in answer.text
    boot = json.loads(page.boot)
    assert boot["language"] == language
    assert boot["words"]["term.pile"] == words(language)("term.pile")
    assert opened(base, f"{path}?language={language}").language == language


def test_the_page_brings_all_that_the_program_needs(base: str) -> None:
    answer = browser(base).get("/")
    boot = json.loads(Page(answer.text).boot)
    assert boot["edition"] == EDITION.sha256
    assert boot["cards"] == [str(card) for card in EDITION.cards]
    assert [each["number"] for each in boot["objectives"]] == list(range(1, 31))
    assert boot["suggestions"] == [list(each) for each in EDITION.suggestions]
    assert [bot["name"] for bot in boot["bots"]][:2] == ["random", "easy"]
    for name in ("d-red-flower", "objective-3", "objective-30-large", "logo", "back"):
        assert f'<symbol id="{name}"' in answer.text


def test_the_page_has_every_text_that_the_program_names() -> None:
    """What the browser asks for by name must not be among the texts that are left out."""
    named = set[str]()
    for file in (ROOT / "web" / "src").rglob("*.ts*"):
        if not file.name.endswith((".test.ts", ".test.tsx")):
            named |= set(re.findall(r"""["'`]([a-z]+\.[a-z_.]+)["'`$]""", file.read_text()))
    assert any(name.startswith("web.") for name in named)
    left_out = {key for key in words("en").texts if key.startswith(ELSEWHERE)}
    assert not named & left_out
    assert not {name for name in named if name.endswith(".") and name.startswith(ELSEWHERE)}


def test_no_page_loads_anything_foreign_or_runs_anything_inline(base: str) -> None:
    table = Person(base).start("random")
    client, found = browser(base), set[str]()
    for path in (*PAGES, f"/t/{table}", f"/t/{table}/replay/0", "/offline"):
        answer = client.get(path)
        page = Page(answer.text)
        assert page.loads
        found |= {*page.loads}
        assert not any(name == "style" or name.startswith("on") for name in page.attributes)
        for script in page.scripts:
            assert script.get("src") or script["type"] == "application/json"
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
        assert "unsafe" not in policy
        foreign = re.findall(r"https?://[^\s\"'<)]+", answer.text)
        known = (base, "http://www.w3.org/")
        assert not [each for each in foreign if not each.startswith(known)]
    for to in found:
        assert to.startswith("/"), to
        assert not to.startswith("//"), to
        assert client.get(to).status_code == 200, to


def test_the_page_is_compressed_and_the_same_after_all(base: str) -> None:
    with httpx.Client(base_url=base) as client:
        plain = client.get("/", headers={"accept-encoding": "identity"})
        refused = client.get("/", headers={"accept-encoding": "gzip;q=0, br;q=0.5"})
        packed = client.get("/", headers={"accept-encoding": "br;q=0.9, gzip;q=0.8"})
    assert "content-encoding" not in plain.headers
    assert "content-encoding" not in refused.headers
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.content == plain.content == refused.content
    assert int(packed.headers["content-length"]) < len(plain.content) / 4
    assert "accept-encoding" in packed.headers["vary"]


def test_the_joined_compression_is_right_for_every_head() -> None:
    found = shell("de", EDITION, ("easy",))
    assert found is not None
    rng = Random(3)
    for size in (0, 1, 10, 500, 70_000):
        head = "".join(chr(rng.choice([60, 228, 8364, rng.randint(97, 122)])) for _ in range(size))
        assert gzip.decompress(found.gzipped(head)) == found.plain(head)


def test_a_page_costs_less_than_a_millisecond() -> None:
    found = shell("de", EDITION, ("easy",))
    assert found is not None
    head = head_lines(Placard("Sideboards", "x" * 300, "/preview.png"), "http://here", "/t/abc")
    best = min(_seconds(lambda: found.gzipped(head)) for _ in range(30))
    assert best < 0.001
    assert min(_seconds(lambda: shell("de", EDITION, ("easy",))) for _ in range(30)) < 0.001


def _seconds(work: Any) -> float:  # noqa: ANN401 (any call)
    begun = time.process_time()
    work()
    return time.process_time() - begun


def test_a_known_page_is_not_sent_again(base: str) -> None:
    first = browser(base).get("/")
    assert first.headers["cache-control"] == "no-cache"
    again = browser(base).get("/", headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    other = browser(base).get(
        "/", headers={"if-none-match": first.headers["etag"], "accept-language": "pt"}
    )
    assert other.status_code == 200


def test_built_files_are_kept_for_ever_and_come_packed(base: str) -> None:
    (script,) = [each["src"] for each in opened(base, "/").scripts if each.get("src")]
    assert script
    with httpx.Client(base_url=base) as client:
        sizes = {}
        for encoding in ("br", "gzip", "identity"):
            with client.stream("GET", script, headers={"accept-encoding": encoding}) as answer:
                sizes[encoding] = len(b"".join(answer.iter_raw()))
                assert answer.headers["cache-control"].endswith("immutable")
                assert answer.headers["content-type"].startswith("text/javascript")
                assert answer.headers.get("content-encoding", "identity") == encoding
    assert sizes["br"] < sizes["gzip"] < sizes["identity"]


@pytest.mark.parametrize(
    "path",
    [
        "/assets/none.js",
        "/assets/..%2findex.html",
        "/assets/%2e%2e/index.html",
        "/assets/../shell.py",
        "/static/index.html",
        "/api/nothing",
        "/icon-99.png",
        "/t/UNKNOWN/preview.png",
    ],
)
def test_what_there_is_not_is_refused(base: str, path: str) -> None:
    answer = browser(base).get(path)
    assert answer.status_code == 404
    assert answer.json()["sentence"]


def test_people_get_a_page_when_there_is_nothing(base: str) -> None:
    wanted = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8", "accept-language": "it"}
    for path in ("/nothing/at/all", "/t/UNKNOWN", "/t/UNKNOWN/replay"):
        answer = browser(base).get(path, headers=wanted)
        assert answer.status_code == 404
        assert Page(answer.text).language == "it"
    assert browser(base).get("/api/nothing", headers=wanted).json()["code"] == "not_found"


# ---- links to tables -----------------------------------------------------------------------------


def test_a_link_tells_who_plays_and_for_what(base: str) -> None:
    ana = Person(base, "Ana")
    table = ana.table(seats=2, objectives=[3, 8, 19])
    ana.sit(table, 0)
    waiting = opened(base, f"/t/{table}", **{"accept-language": "de"})
    assert waiting.title == waiting.metas["og:title"] == "Spiel Sideboards mit Ana"
    assert "2 Punkte pro Schublade" in waiting.metas["og:description"]
    assert waiting.metas["og:url"] == f"{base}/t/{table}"
    assert waiting.metas["og:image"].startswith(f"{base}/t/{table}/preview.png")
    assert waiting.metas["twitter:card"] == "summary_large_image"
    ana.do(table, "bot 1 random", "start")
    ana.view(table)
    playing = opened(base, f"/t/{table}")
    assert playing.title == f"Sideboards: Ana, {words('en')('bot.random')}"


def test_names_cannot_break_out_of_the_page(base: str) -> None:
    ana = Person(base, '"><b>&Ana')
    table = ana.start("random")
    text = browser(base).get(f"/t/{table}").text
    assert "<b>" not in text
    assert '"><b>&Ana' in Page(text).title


def test_a_table_without_spectators_tells_only_its_objectives(base: str) -> None:
    ana = Person(base, "Zebulon")
    table = ana.start("random", spectators=False, objectives=[3, 8, 19])
    text = browser(base).get(f"/t/{table}").text
    assert "Zebulon" not in text
    assert Page(text).title == "Sideboards"
    assert "red drawers" in Page(text).metas["og:description"]
    ana.finish(table)
    assert Image.open(BytesIO(_settled(base, table))).size == (1200, 630)
    assert _settled(base, table) == _drawn(EDITION, (3, 8, 19), ())


def _settled(base: str, table: str) -> bytes:
    """The picture of a table, once it is drawn."""
    client = browser(base)
    for _ in range(40):
        answer = client.get(f"/t/{table}/preview.png")
        if answer.status_code == 200:
            assert answer.headers["content-type"] == "image/png"
            return answer.content
        assert (answer.status_code, answer.headers["location"]) == (302, "/preview.png")
        time.sleep(0.25)
    raise AssertionError("the picture was never ready")


def _drawn(edition: Edition, numbers: tuple[int, int, int], boards: tuple[Any, ...]) -> bytes:
    async def draw() -> bytes:
        easel = Easel()
        for _ in range(40):
            if found := await easel.preview((numbers, boards), edition):
                return found
        raise AssertionError("the picture was never ready")

    return asyncio.run(draw())


@pytest.mark.long
def test_a_preview_shows_the_open_boards_and_nothing_hidden(base: str) -> None:
    ana, ben = Person(base, "Ana"), Person(base, "Ben")  # whom nothing hurries, as it does a bot
    table = ana.start_with(ben, objectives=[3, 8, 19])
    assert _settled(base, table) == _drawn(EDITION, (3, 8, 19), ())
    for person in (ana, ben):
        person.do(table, person.view(table)["options"][0]["move"])
    # Ana's second choice is sealed: her own view has it, but nobody else's, nor the picture.
    ana.do(table, ana.view(table)["options"][0]["move"])
    spectator = browser(base).get(f"/api/tables/{table}/view").json()["view"]
    boards = tuple(map(parse_board, spectator["boards"]))
    assert _settled(base, table) == _drawn(EDITION, (3, 8, 19), boards)
    ben.do(table, "leave")
    ana.finish(table)
    final = ana.view(table)["boards"]
    assert _settled(base, table) == _drawn(EDITION, (3, 8, 19), tuple(map(parse_board, final)))


def test_previews_of_all_tables_can_be_drawn() -> None:
    rng = Random(5)
    for count in range(7):
        cards = rng.sample(range(1, 61), 8 * count)
        boards = tuple(tuple(map(Laid, cards[8 * i : 8 * i + 8])) for i in range(count))
        drawing = preview_svg((3, 8, 19) if count else None, boards, EDITION)
        assert "var(" not in drawing
        assert drawing.count('role="img"') == count
        for used in set(re.findall(r'href="#([\w-]+)"|url\(#([\w-]+)\)', drawing)):
            assert f'id="{"".join(used)}"' in drawing


# ---- installing ----------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_client_can_be_installed_in_every_language(base: str, language: str) -> None:
    answer = browser(base).get("/manifest.webmanifest", headers={"accept-language": language})
    assert answer.headers["content-type"].startswith("application/manifest+json")
    found = answer.json()
    assert found["name"] == found["short_name"] == "Sideboards"
    assert (found["start_url"], found["scope"], found["display"]) == ("/", "/", "standalone")
    assert found["lang"] == language
    assert found["description"] == words(language)("page.about")
    purposes = {icon.get("purpose", "any") for icon in found["icons"]}
    assert purposes == {"any", "maskable"}
    for icon in found["icons"]:
        picture = browser(base).get(icon["src"])
        assert picture.headers["content-type"] == icon["type"]
        if icon["type"] == "image/png":
            wide, high = Image.open(BytesIO(picture.content)).size
            assert icon["sizes"] == f"{wide}x{high}"


def test_icons_are_pictures_of_their_size(base: str) -> None:
    for path, size in zip(ICONS, (180, 192, 512, 512), strict=True):
        answer = browser(base).get(path)
        picture = Image.open(BytesIO(answer.content)).convert("RGBA")
        assert picture.size == (size, size)
        assert len(picture.getcolors(2**20) or ()) > 50
        corner = picture.getpixel((0, 0))
        assert isinstance(corner, tuple)
        assert (corner[3] == 255) == ("180" in path or "maskable" in path)
    small = browser(base).get("/favicon.ico")
    assert small.status_code == 200
    assert Image.open(BytesIO(small.content)).size == (32, 32)


def test_the_service_worker_keeps_what_was_built_and_never_what_is_played(base: str) -> None:
    answer = browser(base).get("/sw.js")
    assert answer.headers["content-type"].startswith("text/javascript")
    assert answer.headers["cache-control"] == "no-cache"
    assert "{{" not in answer.text
    (kept,) = re.findall(r"^const ASSETS = (\[.*\]);$", answer.text, re.MULTILINE)
    assets = json.loads(kept)
    assert any(each.endswith(".css") for each in assets)
    assert {each for each in opened(base, "/").loads if each.startswith("/assets/")} <= {*assets}
    for each in assets:
        assert browser(base).get(each).status_code == 200
    assert "/api" not in answer.text
    assert "/ws" not in answer.text


def test_the_offline_page_has_all_languages_and_shows_one(base: str) -> None:
    text = browser(base).get("/offline", headers={"accept-language": "fr"}).text
    for language in LANGUAGES:
        assert words(language)("page.offline.what") in text
    assert text.count(" hidden>") == len(LANGUAGES) - 1
    assert '<main lang="fr">' in text
    assert browser(base).get("/offline.js").headers["content-type"].startswith("text/javascript")


# ---- the first table -----------------------------------------------------------------------------


def test_the_first_steps_of_the_practice_deal_work() -> None:
    record = parse_record(practice(EDITION).encode(), EDITION, unfinished=True)
    setup = record.setup
    assert (setup.mode, setup.seats, setup.objectives) == ("standard", 2, EDITION.suggestions[0])
    assert record.played == ()
    objectives = EDITION.objectives(setup.objectives)
    hand = deal(setup).seats[0].hand
    first = Laid(hand[0]), Laid(hand[1])
    shown = marks(first, objectives, EDITION)
    assert (shown.color.count, shown.handle.count, shown.handle.points) == (0, 1, 3)
    ((left, right),) = shown.handle.combinations
    for (column, height), card in zip((left, right), hand[:2], strict=True):
        assert EDITION.card(card).drawers[height].handle == "flower"
        assert column == hand.index(card)
    assert abs(left[1] - right[1]) == 1
    for one in hand:
        for other in hand:
            if one != other:
                assert tally((Laid(one), Laid(other)), objectives, EDITION).handle == 1
    drawn = setup.deck[6]
    after = tally((*first, Laid(drawn)), objectives, EDITION)
    assert (after.color, after.row) == (1, 3)


def test_the_practice_deal_can_be_played(base: str) -> None:
    ana = Person(base)
    boot = json.loads(opened(base, "/").boot)
    table = ana.start("easy", practice=boot["practice"])
    view = ana.view(table)
    hand = view["hands"][0][-1]
    ana.do(table, f"{hand[0]},{hand[1]}")
    while ana.view(table)["public"]["round"] == 0:
        time.sleep(0.02)
    assert (
        ana.view(table)["hands"][0][-1][1]
        == parse_record(boot["practice"].encode(), EDITION, unfinished=True).setup.deck[6]
    )


def test_other_cards_have_no_practice_deal() -> None:
    other = Edition("Other", "0" * 64, "", EDITION.cards, EDITION.patterns, EDITION.rows, ())
    assert practice(other) == ""


# ---- one's own seat ------------------------------------------------------------------------------


def test_a_browser_finds_its_own_seat_again(base: str) -> None:
    ana, ben = Person(base, "Ana"), Person(base, "Ben")
    table = ana.table(seats=2)
    assert ana.get(f"/api/tables/{table}/seat").text == "null"
    seated = ana.sit(table, 1).json()
    found = ana.get(f"/api/tables/{table}/seat").json()
    assert (found["seat"], found["token"]) == (1, seated["token"])
    assert ben.get(f"/api/tables/{table}/seat").text == "null"
    assert browser(base).get(f"/api/tables/{table}/seat").status_code == 401
    assert ana.get("/api/tables/UNKNOWN/seat").status_code == 404


def test_a_page_that_is_built_anew_is_read_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = tmp_path / "index.html"
    monkeypatch.setattr(shells, "INDEX", built)
    assert shell("en", EDITION, ()) is None
    for mark in ("first", "second"):
        built.write_text(f'<html lang="en"><title>x</title><!--head-->{mark}<!--data-->')
        time.sleep(0.01)
        found = shell("en", EDITION, ())
        assert found is not None
        assert mark.encode() in found.plain("")


def test_a_browser_may_ask_who_it_is_without_a_refusal(base: str) -> None:
    answer = browser(base).get("/api/guest")
    assert (answer.status_code, answer.text) == (200, "null")
    ana = Person(base, "Ana")
    assert ana.get("/api/guest").json() == ana.get("/api/me").json()
    ana.http.headers["Authorization"] = "Bearer nonsense"
    assert ana.get("/api/guest").text == "null"


def test_a_picture_is_drawn_once_and_nobody_waits_long_for_it() -> None:
    begun, go_on = threading.Event(), threading.Event()

    def draw() -> bytes:
        assert not begun.is_set(), "drawn twice"
        begun.set()
        assert go_on.wait(20)
        return b"picture"

    async def ask() -> list[bytes | None]:
        first = await asyncio.gather(*(drawn("test", draw) for _ in range(5)))
        go_on.set()
        while (found := await drawn("test", draw)) is None:
            await asyncio.sleep(0.01)
        return [*first, found]

    assert asyncio.run(ask()) == [None] * 5 + [b"picture"]


# ---- what a page brings for whoever opens it -----------------------------------------------------

OPENED = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


def here(answer: httpx.Response) -> Any:  # noqa: ANN401 (JSON)
    return json.loads(Page(answer.text).here)


def test_the_page_of_a_table_brings_guest_seat_and_view(base: str) -> None:
    ana = Person(base, "Ana")
    table = ana.start("random")
    ana.wait_for_bots(table)
    answer = ana.get(f"/t/{table}", headers=OPENED)
    found = here(answer)
    assert found["guest"] == ana.get("/api/me").json()
    seated = ana.get(f"/api/tables/{table}/seat").json()
    assert found["seat"] == {"seat": seated["seat"], "token": seated["token"]}
    assert found["table"] == seated["table"]
    assert found["view"]["view"] == ana.view(table)
    assert found["view"]["view"]["hands"][0]
    # Nobody may keep a page with which one can play.
    assert answer.headers["cache-control"] == "private, no-store"
    assert "etag" not in answer.headers
    assert "cookie" in answer.headers["vary"]


def test_nobody_else_gets_the_token_or_the_hand(base: str) -> None:
    ana, ben = Person(base, "Ana"), Person(base, "Ben")
    table = ana.start("random")
    ana.wait_for_bots(table)
    own = here(ana.get(f"/t/{table}", headers=OPENED))
    for other in (ben, browser(base)):
        answer = other.get(f"/t/{table}", headers=OPENED)
        assert own["seat"]["token"] not in answer.text
        assert own["guest"]["id"] not in answer.text
        found = here(answer)
        assert found["seat"] is None
        assert (
            found["view"]["view"] == browser(base).get(f"/api/tables/{table}/view").json()["view"]
        )
        assert not any(found["view"]["view"]["hands"])
        assert answer.headers["cache-control"] == "private, no-cache"
    assert here(ben.get(f"/t/{table}", headers=OPENED))["guest"]["name"] == "Ben"
    forged = browser(base).get(f"/t/{table}", headers=OPENED | {"cookie": "sideboards=" + "a" * 43})
    assert here(forged)["guest"] is None


def test_a_table_without_spectators_is_brought_to_its_players_only(base: str) -> None:
    ana, ben = Person(base, "Zebulon"), Person(base, "Ben")
    table = ana.start("random", spectators=False)
    assert here(ana.get(f"/t/{table}", headers=OPENED))["seat"]["seat"] == 0
    answer = ben.get(f"/t/{table}", headers=OPENED)
    assert (here(answer)["table"], here(answer)["view"]) == (None, None)
    assert "Zebulon" not in answer.text


def test_every_page_says_for_whom_it_was_made_and_is_known_again(base: str) -> None:
    ana = Person(base, "Ana")
    for path in PAGES:
        answer = ana.get(path, headers=OPENED)
        assert here(answer)["guest"]["name"] == "Ana"
        stranger = browser(base).get(path, headers=OPENED)
        assert here(stranger) == {"guest": None, "table": None, "seat": None, "view": None}
        tag = answer.headers["etag"]
        assert tag != stranger.headers["etag"]
        assert ana.get(path, headers=OPENED | {"if-none-match": tag}).status_code == 304
        again = browser(base).get(path, headers=OPENED | {"if-none-match": tag})
        assert again.status_code == 200
        # A service worker fetches it as nobody in particular.
        assert Page(browser(base).get(path).text).here == ""
    unknown = ana.get("/t/UNKNOWN", headers=OPENED)
    assert unknown.status_code == 404
    assert (here(unknown)["guest"]["name"], here(unknown)["table"]) == ("Ana", None)


def test_names_cannot_break_out_of_what_a_page_brings(base: str) -> None:
    name = "</script><b>"
    ana = Person(base, name)
    table = ana.table(seats=2)
    ana.sit(table, 0)
    for path in ("/", f"/t/{table}"):
        answer = ana.get(path, headers=OPENED)
        assert "<b>" not in answer.text
        assert here(answer)["guest"]["name"] == name


def test_the_service_worker_keeps_pages_as_a_stranger_gets_them(base: str) -> None:
    text = browser(base).get("/sw.js").text
    assert text.count("addAll") == 1
    assert 'new Request(path, { credentials: "omit" })' in text
