"""Scripts in names: shown as the signs that they are, on every page and in every language.

A real browser looks at all pages on which names stand. Nothing may run, no policy may be broken,
and nothing may be asked of another host: the browser itself finds no other than this machine.
"""

import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from dataclasses import dataclass, field
from functools import partial
from itertools import cycle
from pathlib import Path
from random import Random
from urllib.parse import quote

import httpx

from proof.outcome import Outcome
from scripts.chromium import build, launched
from sideboards import Record, format_record, load_edition, parse_record
from sideboards.words import LANGUAGES
from tests.service.live import Server, serving
from tests.service.rest import Person
from tests.web.deals import begun
from tests.web.screen import ROUNDS, Screen
from tests.web.visitors import DESKTOP, PHONE, House, Visitor

PAYLOADS = (
    "<script>alert(1)</script", "<script>a()</script>", "<script src=//x.y/>",
    "<img src=x onerror=a()>", "<svg/onload=a()>", "<svg><script>a()//", "<body onload=a()>",
    "<iframe src=//x.y>", "\"><script>a()</script>", "'><script>a()</script>", "--><script>a()//",
    "]]><script>a()//", "</title><svg/onload=a()>", "</script><svg onload=a()",
    "</style><svg/onload=a()", "<!--<script>", "\" onmouseover=a() x=\"",
    "' onfocus=a() autofocus", "\" autofocus onfocus=a()", "`onload=a()`", "javascript:alert(1)",
    "<a href=javascript:a()>", "data:text/html,<b>x", "<base href=//x.y/>",
    "<link rel=stylesheet>", "<style>*{color:red}", "<p style=x:expression()",
    "<meta http-equiv=refresh", "<object data=//x.y>", "<embed src=//x.y>",
    "<math><mi//xlink:href=", "<details open ontoggle", "<input autofocus onfocus",
    "<video><source onerror=", "<audio src onerror=a()>", "<marquee onstart=a()>",
    "{{constructor}}", "{{7*7}}", "${alert(1)}", "#{7*7}", "<%= 7*7 %>", "{0.__class__}",
    "{name}", "{}", "%s%s%n", "%3Cscript%3E", "&lt;script&gt;", "&#60;script&#62;",
    "&#x3c;b&#x3e;", "\\u003cscript\\u003e", "\\x3cscript\\x3e", "&quot;&gt;&lt;b&gt;",
    "\\\";a();//", "';a();//", "<b>bold</b>", "<!DOCTYPE x [<!ENTITY",
    "<?xml version='1.0'?>", "&xxe;", "__proto__", "constructor", "\\x1b[31m", "^[[31mred",
    "=cmd|' /C calc'!A0", "; DROP TABLE guests--", "../../etc/passwd",
)  # fmt: skip
"""Names of at most 24 signs, each of which is code somewhere."""
WATCH = """
window.ran = 0;
window.a = window.alert = window.prompt = window.confirm = () => { window.ran += 1; };
document.addEventListener("securitypolicyviolation", (event) => {
  window.ran += 1;
  console.error("policy: " + event.violatedDirective + " " + event.blockedURI);
});
"""
STRAY = """() => [...document.querySelectorAll(
  'iframe, object, embed, base, math, marquee, details[ontoggle], img[src="x"], [onerror],'
  + ' [onload], [onfocus], [onmouseover], script:not([src]):not([type="application/json"])'
)].map((each) => each.outerHTML.slice(0, 80))"""
"""Elements that no page of ours has."""
SEATS = 6
BROWSED = 12
"""Addresses that the browser itself opens."""
ALONE = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"


@dataclass
class Corpus:
    """A site full of names, and what they did."""

    house: House
    server: Server
    folder: Path
    faults: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    """What the browser told besides."""
    pages: int = 0
    shown: int = 0

    def leave(self) -> None:
        """End all visits, so that no page goes on while others are looked at."""
        self.told += self.house.close()

    def look(self, visitor: Visitor, where: str, names: tuple[str, ...] = ()) -> None:
        """Look at the page as it is now: nothing ran, and all names stand there as they are."""
        self.pages += 1
        page = visitor.page
        if ran := page.evaluate("window.ran"):
            self.faults.append(f"{where}: {ran} scripts ran or were stopped")
        if stray := page.evaluate(STRAY):
            self.faults.append(f"{where}: a name became {stray[0]}")
        text = page.evaluate("document.documentElement.textContent") + page.title()
        for name in names:
            self.shown += 1
            if " ".join(name.split()) not in " ".join(text.split()):
                self.faults.append(f"{where}: {name!r} is not shown as it is")


def run(folder: Path, count: int, seed: int, mutant: str = "") -> Outcome:
    """Show `count` names that are code to a browser, on all pages, in all five languages."""
    build()
    begun_at = time.monotonic()
    rng = Random(seed)
    names = rng.sample(PAYLOADS, min(count, len(PAYLOADS)))
    if mutant:  # those first that end an attribute, where a bug would be
        names = sorted(PAYLOADS, key=lambda name: not name.startswith('"'))[:count]
    with (
        serving(folder / "names.db", mutant=mutant, may_fail=True) as server,
        launched(ALONE) as browser,
    ):
        corpus = Corpus(House(browser, server.here), server, folder)
        languages = cycle(rng.sample(LANGUAGES, len(LANGUAGES)))
        for first in range(0, len(names), SEATS):
            _table(corpus, tuple(names[first : first + SEATS]), next(languages))
            corpus.leave()
        steps = [
            *(partial(_list, corpus, language, tuple(names)) for language in LANGUAGES),
            partial(_addresses, corpus, names),
            partial(_terminal, corpus, names),
        ]
        for step in steps:
            if mutant and (corpus.faults or corpus.told):
                break
            step()
            corpus.leave()
    faults = [*corpus.faults, *(f"the browser tells: {each[:200]}" for each in corpus.told)]
    figures = {
        "s": round(time.monotonic() - begun_at, 1),
        "pages": corpus.pages,
        "names shown": corpus.shown,
    }
    return Outcome(len(names), tuple(faults[:20]), figures)


def _visit(corpus: Corpus, language: str, size: tuple[int, int]) -> Visitor:
    visitor = corpus.house.visit(language=language, size=size, speed="none", knowsRules=True)
    visitor.context.add_init_script(WATCH)
    visitor.page.on("dialog", lambda dialog: corpus.faults.append(f"dialog: {dialog.message}"))
    return visitor


def _table(corpus: Corpus, names: tuple[str, ...], language: str) -> None:
    """One table through all of its pages, with everybody named by a piece of code."""
    base = corpus.server.here
    visitor = _visit(corpus, language, DESKTOP if len(names) % 2 else PHONE)
    page, screen = visitor.page, Screen(visitor.page, language)
    people = [Person(base, name, language) for name in names[1:]]
    visitor.be(names[0])
    made = visitor.call("POST", "/api/tables", {"seats": len(names), "practice": _record(names)})
    table = str(made["table"]["table"])
    made = visitor.call("POST", "/api/tables", {"seats": SEATS, "public": True})
    listed = str(made["table"]["table"])
    for each in (table, listed):
        visitor.call("POST", f"/api/tables/{each}/seats", {"seat": 0, "commit": ""})
    for seat, person in enumerate(people, 1):
        person.sit(table, seat)
        person.sit(listed)
    page.goto(f"{base}/t/{table}")
    page.get_by_role("main").first.wait_for()
    page.get_by_role("button").first.wait_for()
    corpus.look(visitor, f"waiting ({language})", names)
    visitor.act(table, "start", "0.9.abcd")
    screen.ready(ROUNDS)
    corpus.look(visitor, f"playing ({language})", names[1:])
    _feed(corpus, visitor, people, names)
    for person in people:
        person.do(table, person.view(table)["options"][0]["move"])
    visitor.act(table, visitor.view(table)["options"][0]["move"], f"{ROUNDS}.9.abcd")
    screen.over()
    corpus.look(visitor, f"over ({language})", names[1:])
    page.goto(f"{base}/t/{table}/replay")
    page.get_by_role("main").first.wait_for()
    page.get_by_role("button").first.wait_for()
    corpus.look(visitor, f"replay ({language})", names[1:])
    _raw(corpus, f"/t/{table}", names)


def _list(corpus: Corpus, language: str, names: tuple[str, ...]) -> None:
    """All public tables at once, with everybody's name in every language; and the other pages."""
    visitor = _visit(corpus, language, DESKTOP)
    for path, shown in (("/lobby", names), ("/", ()), ("/rules", ())):
        visitor.page.goto(corpus.server.here + path)
        visitor.page.get_by_role("main").first.wait_for()
        visitor.page.wait_for_load_state("networkidle")
        corpus.look(visitor, f"{path} ({language})", shown)


def _record(names: tuple[str, ...]) -> str:
    """A game before its last round, as a file that tells the names of its players."""
    begun_game = parse_record(begun(len(names), ROUNDS).encode(), load_edition(), unfinished=True)
    return format_record(Record(begun_game.setup, begun_game.played, names))


# ---- what is no page ---------------------------------------------------------------------------


def _feed(corpus: Corpus, visitor: Visitor, people: list[Person], names: tuple[str, ...]) -> None:
    """The feed of somebody for whom a table waits: whole, and with the names as they are."""
    made = visitor.call("POST", "/api/tables", {"seats": len(names)})  # practice is in no feed
    table = str(made["table"]["table"])
    visitor.call("POST", f"/api/tables/{table}/seats", {"seat": 0, "commit": ""})
    for seat, person in enumerate(people, 1):
        person.sit(table, seat)
    visitor.act(table, "start", "0.9.abcd")
    visitor.wait(lambda: visitor.is_dealt(table))
    path = visitor.call("POST", "/api/me/feed")["path"]
    answer = httpx.get(corpus.server.here + path, timeout=10)
    try:
        feed = ET.fromstring(answer.content)  # noqa: S314 (our own server's)
    except ET.ParseError as error:
        corpus.faults.append(f"feed: not whole any more: {error}")
        return
    titles = "".join(title.text or "" for title in feed.iter("{http://www.w3.org/2005/Atom}title"))
    for name in names[1:]:
        corpus.shown += 1
        if name not in titles:
            corpus.faults.append(f"feed: {name!r} is not told as it is")


def _raw(corpus: Corpus, path: str, names: tuple[str, ...]) -> None:
    """The page as it is sent, with what link previews show: no name is written as code."""
    wanted = {"Accept": "text/html", "Accept-Language": "de"}
    text = httpx.get(corpus.server.here + path, timeout=10, headers=wanted).text
    for name in names:
        if "<" in name and name in text:
            corpus.faults.append(f"{path}: {name!r} is written as it is")
        if '"' in name and f'content="{name}' in text:
            corpus.faults.append(f"{path}: {name!r} ends an attribute")


def _addresses(corpus: Corpus, names: list[str]) -> None:
    """Code in addresses: refused or shown as text, in what is sent and in the browser."""
    visitor = _visit(corpus, "en", DESKTOP)
    visitor.watch.allow("status of 40[04]")
    forms = ("/t/{}", "/{}", "/?language={}", "/t/x/replay/{}", "/lobby#{}", "/rules?x={}")
    for number, name in enumerate(names):
        path = forms[number % len(forms)].format(quote(name, safe=""))
        _raw(corpus, path, (name,))
        if number < BROWSED and number % len(forms) != 2:
            visitor.page.goto(corpus.server.here + path)
            visitor.page.get_by_role("main").first.wait_for()
            corpus.look(visitor, path)


def _terminal(corpus: Corpus, names: list[str]) -> None:
    """A terminal shows the names, and no sign that it would obey."""
    people = [Person(corpus.server.here, name) for name in names[: SEATS - 1]]
    table = people[0].table(seats=SEATS, practice=_record((*names[: SEATS - 1], "Ana")))
    for person in people:
        person.sit(table)
    place = f"{corpus.server.here}/t/{table}"
    with subprocess.Popen(
        [sys.executable, "-m", "sideboards", "play", "--table", place, "--name", "Ana"],
        env={"PATH": "", "XDG_STATE_HOME": str(corpus.folder), "HOME": str(corpus.folder)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as terminal:
        try:
            for _ in range(200):
                if people[0].get(f"/api/tables/{table}").json()["seats"][-1]["kind"] == "person":
                    people[0].do(table, "start")
                    break
                time.sleep(0.1)
            said, _ = terminal.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            terminal.kill()
            said, _ = terminal.communicate()
    corpus.pages += 1
    if b"\x1b" in said or b"Traceback" in said:
        corpus.faults.append(f"terminal: {said[-200:]!r}")
    for name in names[: SEATS - 1]:
        corpus.shown += 1
        if name.encode() not in said:
            corpus.faults.append(f"terminal: {name!r} is not shown as it is: {said[-300:]!r}")
