"""The automated audit of every page and phase, in both themes."""

import pytest

from tests.web.deals import begun
from tests.web.games import keys, play
from tests.web.looks import audit, gaps
from tests.web.screen import ROUNDS, Screen
from tests.web.visitors import DESKTOP, PHONE, House

THEMES = ("light", "dark")
SIZES = {"phone": PHONE, "desktop": DESKTOP}


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("path", ["/", "/lobby", "/rules", "/nowhere"])
def test_pages(site: House, path: str, theme: str) -> None:
    visitor = site.visit(theme=theme)
    if path == "/nowhere":
        visitor.watch.allow("status of 404")
    visitor.page.goto(site.base + path)
    visitor.page.get_by_role("main").first.wait_for()
    visitor.page.wait_for_load_state("networkidle")
    assert audit(visitor.page) + gaps(visitor.page) == []


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("size", SIZES)
def test_phases_of_the_play_screen(site: House, size: str, theme: str) -> None:
    ben = site.person("Ben")
    visitor = site.visit(size=SIZES[size], theme=theme, speed="none")
    page, screen = visitor.page, Screen(visitor.page)
    visitor.dealt("easy", "easy", people=(ben,))
    screen.ready(0)
    assert audit(page) == [], "start"
    screen.card(0).click()
    screen.card(1).click()
    assert audit(page) == [], "start, two cards"
    screen.lock.click()
    screen.change.wait_for()
    assert audit(page) == [], "waiting"
    visitor.dealt("easy", "easy", people=(ben,), practice=begun(4, 3, 9))
    screen.ready(3)
    screen.card(0).click()
    assert audit(page) == [], "chosen"
    screen.swap.click()
    assert audit(page) == [], "asked to swap"
    screen.button("web.play.keep").click()
    screen.objectives.get_by_role("button").first.click()
    assert audit(page) == [], "objective open"
    page.keyboard.press("Escape")
    screen.opponents.get_by_role("button").first.click()
    assert audit(page) == [], "opponent open"
    page.keyboard.press("Escape")
    screen.button("web.menu.open").click()
    page.get_by_role("dialog").wait_for()
    page.get_by_text(screen.say("web.menu.keys.letters"), exact=True).click()
    page.get_by_label(screen.say("web.play.turn"), exact=True).fill("s")
    page.get_by_role("alert").wait_for()
    page.wait_for_load_state("networkidle")
    assert audit(page) == [], "menu open"


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("seats", [1, 4])
def test_end_and_replay(site: House, seats: int, theme: str) -> None:
    visitor = site.visit(theme=theme, speed="none")
    table = visitor.dealt(*["easy"] * (seats - 1), practice=begun(seats, ROUNDS, 9))
    play(visitor, keys, begin=ROUNDS)
    assert audit(visitor.page) + gaps(visitor.page) == [], "end"
    visitor.page.goto(f"{site.base}/t/{table}/replay/3")
    visitor.page.get_by_role("main").first.wait_for()
    visitor.page.wait_for_load_state("networkidle")
    assert audit(visitor.page) + gaps(visitor.page) == [], "replay"


def test_waiting_page(site: House) -> None:
    for theme in THEMES:
        visitor = site.visit(theme=theme)
        visitor.be("Ana")
        table = visitor.call("POST", "/api/tables", {"seats": 4})["table"]["table"]
        visitor.call("POST", f"/api/tables/{table}/seats", {"seat": 0, "commit": ""})
        visitor.page.goto(f"{site.base}/t/{table}")
        visitor.page.get_by_role("main").first.wait_for()
        visitor.page.wait_for_load_state("networkidle")
        assert audit(visitor.page) + gaps(visitor.page) == []
