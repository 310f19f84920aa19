"""Settings are kept on the device; the language can change at any time."""

from importlib.metadata import version

import pytest
from playwright.sync_api import Page, expect

from sideboards.words import LANGUAGES
from tests.web.deals import begun
from tests.web.games import finish, keys, play
from tests.web.looks import faults, gaps
from tests.web.screen import ROUNDS, Screen
from tests.web.visitors import PHONE, House

NAMES = {"de": "Deutsch", "en": "English", "fr": "Français", "it": "Italiano", "pt": "Português"}


def pick(page: Page, name: str) -> None:
    """Choose one of several; the words of a choice lie over its circle."""
    page.get_by_role("radio", name=name, exact=True).focus()
    page.keyboard.press("Space")


def test_the_language_changes_in_the_middle_of_a_choice(site: House) -> None:
    """Nothing is lost: the card stays chosen, and all texts are those of the new language."""
    visitor = site.visit(speed="none")
    visitor.dealt("easy", practice=begun(2, 2, 4))
    screen = Screen(visitor.page)
    screen.ready(2)
    screen.card(1).click()
    for language in ("de", "fr", "it", "pt", "en"):
        screen.button("web.menu.open").click()
        pick(visitor.page, NAMES[language])
        screen = Screen(visitor.page, language)
        screen.button("web.menu.close").click()
        expect(screen.card(1)).to_have_attribute("aria-pressed", "true")
        expect(visitor.page.locator("html")).to_have_attribute("lang", language)
        assert gaps(visitor.page) == []
    visitor.page.reload()
    screen.ready(2)
    expect(screen.card(1)).to_have_attribute("aria-pressed", "true")


def test_settings_are_kept(site: House) -> None:
    visitor = site.visit("/")
    screen = Screen(visitor.page)
    screen.button("web.menu.open").click()
    for key in ("web.menu.theme.dark", "web.menu.textures.strong", "web.menu.speed.fast"):
        pick(visitor.page, screen.say(key))
    pick(visitor.page, "Deutsch")
    visitor.page.reload()
    root = visitor.page.locator("html")
    expect(root).to_have_attribute("data-theme", "dark")
    expect(root).to_have_attribute("data-textures", "strong")
    expect(root).to_have_attribute("data-speed", "fast")
    expect(root).to_have_attribute("lang", "de")


def test_left_handed_the_bar_is_mirrored(site: House) -> None:
    boxes = {}
    for left in (False, True):
        visitor = site.visit(leftHanded=left, speed="none")
        visitor.dealt("easy", practice=begun(2, 2, 4))
        screen = Screen(visitor.page)
        screen.ready(2)
        box = screen.lock.bounding_box()
        assert box is not None
        boxes[left] = box["x"]
    assert boxes[True] < PHONE[0] / 2 < boxes[False] + 60


def test_letters_of_keys_are_changed_and_switched_off(site: House) -> None:
    """A letter that is taken is refused; help tells the present letters; all is kept."""
    visitor = site.visit(speed="none")
    visitor.dealt("easy", practice=begun(2, 2, 4))
    page, screen = visitor.page, Screen(visitor.page)
    screen.ready(2)
    press = page.keyboard.press
    press("1")
    card = screen.card(0)
    upright = card.get_attribute("aria-label")

    def letters() -> None:
        screen.button("web.menu.open").click()
        page.get_by_text(screen.say("web.menu.keys.letters"), exact=True).click()

    letters()
    field = page.get_by_label(screen.say("web.play.turn"), exact=True)
    field.focus()
    press("s")
    taken = screen.say("web.menu.keys.taken", letter="S", action=screen.say("web.play.swap"))
    expect(page.get_by_role("alert").filter(has_text=taken)).to_be_in_viewport()
    expect(field).to_have_value("F")
    press("4")
    expect(page.get_by_role("alert")).to_have_text(screen.say("web.menu.keys.one"))
    expect(field).to_have_value("F")
    press("q")
    expect(field).to_have_value("Q")
    screen.button("web.menu.close").click()
    press("f")
    expect(card).to_have_attribute("aria-label", upright or "")
    press("q")
    expect(card).not_to_have_attribute("aria-label", upright or "")
    press("?")
    help_ = screen.region("web.play.keys")
    expect(help_).to_contain_text("Shift+Q")
    press("Escape")
    page.reload()
    screen.ready(2)
    press("q")
    expect(card).to_have_attribute("aria-label", upright or "")
    letters()
    screen.button("web.menu.keys.usual").click()
    expect(field).to_have_value("F")
    page.get_by_role("switch", name=screen.say("web.menu.keys"), exact=True).click()
    screen.button("web.menu.close").click()
    for sign in ("f", "2", "s"):
        press(sign)
    expect(card).to_have_attribute("aria-label", upright or "")
    expect(card).to_have_attribute("aria-pressed", "true")
    assert not screen.asks_to_swap
    card.focus()
    press("Enter")  # is no letter
    screen.taken(2)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_is_missing_or_cut_off(site: House, language: str) -> None:
    """The pages round the game; the game itself is measured apart."""
    visitor = site.visit(language=language, speed="none")
    page, screen = visitor.page, Screen(visitor.page, language)
    for path in ("/", "/lobby", "/rules"):
        page.goto(site.base + path)
        page.get_by_role("main").first.wait_for()
        page.wait_for_load_state("networkidle")
        assert gaps(page) + faults(page) == [], path
    screen.button("web.menu.open").click()
    page.get_by_role("radio", name=NAMES["de"], exact=True).wait_for()
    page.get_by_text(screen.say("web.menu.keys.letters"), exact=True).click()
    assert gaps(page) + faults(page) == [], "menu"
    told = screen.say("web.menu.version", version=version("sideboards"))
    expect(page.get_by_text(told, exact=True)).to_be_visible()
    visitor.be("Ana")
    waiting = visitor.call("POST", "/api/tables", {"seats": 6})["table"]["table"]
    visitor.call("POST", f"/api/tables/{waiting}/seats", {"seat": 0, "commit": ""})
    page.goto(f"{site.base}/t/{waiting}")
    screen.button("web.lobby.start").wait_for()
    page.wait_for_load_state("networkidle")
    assert gaps(page) + faults(page) == [], "waiting for players"
    for seats in (1, 6):
        table = visitor.dealt(*["easy"] * (seats - 1), practice=begun(seats, ROUNDS), show=False)
        finish(visitor, table)
        for path in ("", "/replay/0", "/replay/4"):
            page.goto(f"{site.base}/t/{table}{path}")
            page.get_by_role("main").first.wait_for()
            page.wait_for_load_state("networkidle")
            assert gaps(page) + faults(page) == [], (seats, path)


def test_help_levels_show_no_more_than_asked_for(site: House) -> None:
    """Level 0: no points before the end, neither on the screen nor in what the page was sent."""
    visitor = site.visit(speed="none")
    table = visitor.dealt("easy", practice=begun(2, 4, 4), assist=0)
    screen = Screen(visitor.page)
    screen.ready(4)
    screen.card(0).click()
    total = screen.say("web.say.total", total="").strip()
    assert total not in visitor.page.locator("main").inner_text()
    assert all("points" not in option for option in visitor.view(table)["options"])
    play(visitor, keys, begin=4)
