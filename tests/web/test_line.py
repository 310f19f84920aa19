"""A line that breaks at any message, and a tab that slept: nothing is lost or doubled."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from proof.proxy import Verdict, Way, open_way
from scripts.chromium import build
from tests.service.live import Server, serving
from tests.service.rest import Person
from tests.web.cutter import Cutter
from tests.web.deals import begun
from tests.web.screen import INERT, Screen
from tests.web.visitors import LOST_LINE, House, Visitor

MESSAGES = ("act", "draft", "ack", "public", "view", "table")
FROM_BROWSER = ("act", "draft")


@pytest.fixture(scope="module")
def cutter() -> Iterator[Cutter]:
    wire = Cutter()
    try:
        yield wire
    finally:
        wire.close()


@pytest.fixture(scope="module")
def far_server(cutter: Cutter, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server behind the cutter."""
    build()
    database = tmp_path_factory.mktemp("far") / "games.db"
    with serving(database, "--origin", cutter.proxy.url) as server:
        cutter.proxy.target = server.port
        yield server


@pytest.fixture
def behind(browser: Browser, cutter: Cutter, far_server: Server) -> Iterator[House]:
    """Visitors who reach the server over the cutter."""
    house = House(browser, cutter.proxy.url, far_server.here)
    try:
        yield house
    finally:
        problems = house.close()
    assert problems == []


def cut_once(cutter: Cutter, kind: str, verdict: Verdict) -> None:
    """Cut at the next message of a kind, once."""

    def rule(way: Way, message: dict[str, Any]) -> Verdict:
        if message["type"] != kind or way != ("up" if kind in FROM_BROWSER else "down"):
            return "pass"
        cutter.proxy.rule = open_way
        return verdict

    cutter.proxy.rule = rule


def first_move(person: Person, table: str) -> str:
    return str(next(o["move"] for o in person.view(table)["options"] if o["move"] != "swap"))


@pytest.mark.parametrize("verdict", ["swallow", "deliver"])
@pytest.mark.parametrize("kind", MESSAGES)
def test_check_5_a_cut_at_every_message(
    behind: House, cutter: Cutter, kind: str, verdict: Verdict
) -> None:
    """Every step of a round, each cut at the first message of a kind that it brings about."""
    ben = behind.person("Ben")
    visitor = behind.visit()
    visitor.watch.allow(LOST_LINE)
    table = visitor.dealt(people=(ben,), practice=begun(2, 1, 4))
    screen = Screen(visitor.page)
    screen.ready(1)
    begin = cutter.proxy.cuts

    def step(deed: Callable[[], object], holds: Callable[[dict[str, Any]], object]) -> None:
        before = cutter.proxy.cuts
        cut_once(cutter, kind, verdict)
        deed()
        visitor.wait(lambda: holds(ben.view(table)["public"]))
        screen.agrees(visitor.view(table))
        cutter.proxy.rule = open_way
        if cutter.proxy.cuts > before:
            screen.online()
            screen.agrees(visitor.view(table))

    def choose_and_lock() -> None:
        screen.card(0).click()
        screen.lock.click()

    step(lambda: screen.card(1).click(), lambda _: True)
    step(lambda: ben.do(table, first_move(ben, table)), lambda public: public["sealed"][1])
    step(lambda: ben.do(table, "undo"), lambda public: not public["sealed"][1])
    step(choose_and_lock, lambda public: public["sealed"][0])
    screen.change.wait_for()
    step(screen.change.click, lambda public: not public["sealed"][0])
    step(screen.swap_hand, lambda public: public["swapped"] == [0])
    visitor.page.wait_for_timeout(INERT)
    step(choose_and_lock, lambda public: public["sealed"][0])
    step(lambda: ben.do(table, "leave"), lambda public: public["round"] == 2)  # a bot plays on
    screen.ready(2)
    screen.agrees(visitor.view(table))
    assert cutter.proxy.cuts > begin
    played = [line for line in visitor.view(table)["played"] if line.startswith("0 ")]
    assert len(played) == 3, "start, swap, one card: nothing is lost or doubled"


def _round(visitor: Visitor, table: str) -> int:
    return int(visitor.view(table)["public"]["round"])


def test_check_5_a_tab_that_slept_ten_minutes(behind: House, cutter: Cutter) -> None:
    """The choice is kept, and what happened meanwhile is shown at once."""
    ben = behind.person("Ben")
    visitor = behind.visit()
    visitor.watch.allow(LOST_LINE)
    table = visitor.dealt(people=(ben,), practice=begun(2, 3, 4))
    screen = Screen(visitor.page)
    screen.ready(3)
    screen.card(1).click()
    session = visitor.context.new_cdp_session(visitor.page)
    session.send("Page.setWebLifecycleState", {"state": "frozen"})
    cutter.cut()
    ben.post("/api/test/clock", {"advance": 600_000})
    ben.do(table, "swap")
    ben.do(table, first_move(ben, table))
    cutter.mend()
    session.send("Page.setWebLifecycleState", {"state": "active"})
    screen.online()
    screen.agrees(visitor.view(table))
    assert screen.card(1).get_attribute("aria-pressed") == "true"
    screen.lock.click()
    visitor.wait(lambda: _round(visitor, table) == 4)
    screen.ready(4)
    screen.agrees(visitor.view(table))


def test_without_a_line_the_choice_is_kept_and_said(behind: House, cutter: Cutter) -> None:
    ben = behind.person("Ben")
    visitor = behind.visit()
    visitor.watch.allow(LOST_LINE)
    table = visitor.dealt(people=(ben,), practice=begun(2, 3, 4))
    screen = Screen(visitor.page)
    screen.ready(3)
    cutter.cut()
    screen.page.get_by_text(screen.say("web.play.lost.banner")).wait_for()
    screen.card(0).click()
    screen.lock.click()
    cutter.mend()
    screen.online()
    visitor.wait(lambda: ben.view(table)["public"]["sealed"][0])
    screen.change.wait_for()
    screen.agrees(visitor.view(table))


def test_whoever_is_one_too_many_reads_why(browser: Browser, tmp_path: Path) -> None:
    build()
    with serving(tmp_path / "games.db", "--sockets-per-address", "1", compiled=False) as server:
        house = House(browser, server.here, server.here)
        first = house.visit()
        table = first.dealt(people=(house.person("Ben"),), practice=begun(2, 3, 4))
        Screen(first.page).ready(3)
        second = house.visit()
        second.watch.allow(LOST_LINE)
        second.page.goto(f"{server.here}/t/{table}")
        screen = Screen(second.page)
        screen.page.get_by_text(screen.say("refusal.too_many_sockets")).wait_for()
        first.page.close()
        screen.online()
        assert house.close() == []
