"""Whole games through the real screen, for every way of input."""

import pytest

from tests.web.deals import begun
from tests.web.games import Hand, finger, finish, keys, listed, mouse, play, rematch, totals
from tests.web.screen import Screen
from tests.web.visitors import DESKTOP, PHONE, House

HANDS = {"touch": finger, "mouse": mouse, "keyboard": keys, "list": listed}
GAMES = [
    (1, "list"),
    (1, "touch"),
    (2, "keyboard"),
    (2, "touch"),
    (4, "mouse"),
    (4, "list"),
    (6, "keyboard"),
    (6, "mouse"),
]
"""Every number of players and every way of input twice."""


@pytest.mark.parametrize(("seats", "way"), GAMES)
def test_a_whole_game(site: House, seats: int, way: str) -> None:
    """What the screen tells at the end is what the engine counts, and the record replays."""
    size = DESKTOP if way in ("mouse", "list") else PHONE
    visitor = site.visit(size=size, touch=way == "touch", speed="none")
    table = visitor.dealt(*["easy"] * (seats - 1))
    screen = play(visitor, HANDS[way], seed=seats)
    assert screen.totals() == totals(visitor, table)


@pytest.mark.parametrize(("hand", "begin"), [(keys, 0), (finger, 4)])
def test_the_variant(site: House, hand: Hand, begin: int) -> None:
    visitor = site.visit(touch=hand is finger, speed="none")
    record = begun(2, begin, variant=True) if begin else None
    table = visitor.dealt("easy", variant=True, practice=record)
    screen = play(visitor, hand, begin=begin)
    assert screen.totals() == totals(visitor, table)


def test_solo_ends_with_its_ranking(site: House) -> None:
    visitor = site.visit(speed="none")
    table = visitor.dealt(practice=begun(1, 5))
    screen = play(visitor, keys, begin=5)
    [total] = totals(visitor, table)
    tier = visitor.view(table)["result"]["tier"]
    assert screen.totals() == [total]
    screen.page.get_by_text(screen.say(f"title.{tier}")).first.wait_for()


def test_a_game_goes_on_from_a_record(site: House) -> None:
    """The practice tables of the other tests are real games, too."""
    visitor = site.visit(speed="none")
    table = visitor.dealt(*["easy"] * 5, practice=begun(6, 5))
    screen = play(visitor, keys, begin=5)
    assert screen.totals() == totals(visitor, table)


def test_a_rematch_in_the_same_tab(site: House) -> None:
    visitor = site.visit(speed="none")
    first = visitor.dealt("easy", show=False)
    finish(visitor, first)
    visitor.page.goto(f"{site.base}/t/{first}")
    Screen(visitor.page).over()
    second = rematch(visitor)
    assert second != first
    screen = play(visitor, keys, seed=2)
    assert screen.totals() == totals(visitor, second)
