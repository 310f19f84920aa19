"""The first thirty seconds of a newcomer; `bench.web` measures how soon a page can be touched."""

import time

from playwright.sync_api import Page, expect

from tests.web.screen import Screen
from tests.web.visitors import PHONE, House

READING = 1500
"""Milliseconds that somebody needs to read a bubble."""


def practice_cards(page: Page) -> list[str]:
    screen = Screen(page)
    start = screen.say("web.lobby.take", card="|").partition("|")[0]
    buttons = page.get_by_role("button").all()
    names = [button.get_attribute("aria-label") or "" for button in buttons]
    return [name for name in names if name.startswith(start)]


def test_check_7_first_card_within_15_s_and_first_commit_within_30_s(site: House) -> None:
    visitor = site.visit(size=PHONE, touch=True, moving=True)
    page, screen = visitor.page, Screen(visitor.page)
    begin = time.monotonic()
    page.goto(site.base)
    page.get_by_text(screen.say("web.tutorial.objectives")).wait_for()
    page.wait_for_timeout(READING)
    cards = practice_cards(page)
    assert len(cards) == 3, "a dealt table, before anything was asked for"
    page.get_by_role("button", name=cards[0], exact=True).tap()
    page.wait_for_url("**/t/*")
    expect(screen.card(0)).to_have_attribute("aria-pressed", "true")
    first_card = time.monotonic() - begin
    page.wait_for_timeout(READING)
    screen.card(1).tap()
    page.wait_for_timeout(READING)
    screen.lock.tap()
    screen.taken(0)
    first_commit = time.monotonic() - begin
    assert first_card < 15, first_card
    assert first_commit < 30, first_commit
    expect(screen.round_sign(1)).to_be_visible()
    table = page.url.rpartition("/")[2]
    assert len(visitor.view(table)["boards"][0].split()) == 2


def test_touching_a_card_keeps_it_chosen_and_the_tips_can_be_switched_off(site: House) -> None:
    visitor = site.visit("/", touch=True)
    page, screen = visitor.page, Screen(visitor.page)
    page.get_by_text(screen.say("web.tutorial.objectives")).wait_for()
    screen.button("web.tutorial.skip").tap()
    expect(page.get_by_text(screen.say("web.tutorial.objectives"))).to_have_count(0)
    page.reload()
    page.get_by_role("main").first.wait_for()
    expect(page.get_by_text(screen.say("web.tutorial.objectives"))).to_have_count(0)
