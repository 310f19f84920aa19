"""A message from the server moves nothing under the finger, whatever one is about to do (L3)."""

from collections.abc import Callable

import pytest

from tests.service.rest import Person
from tests.web.deals import begun
from tests.web.games import finger, play
from tests.web.looks import shifts, watch_shifts
from tests.web.screen import Screen
from tests.web.steady import changed, keep
from tests.web.visitors import DESKTOP, PHONE, House

Deed = Callable[[Screen], None]


def one_card(screen: Screen) -> None:
    screen.card(0).click()


def two_cards(screen: Screen) -> None:
    screen.card(0).click()
    screen.card(1).click()


def turned(screen: Screen) -> None:
    screen.card(1).click()
    screen.turn.click()


def in_the_list(screen: Screen) -> None:
    screen.show_options()
    screen.options.nth(2).check()
    screen.options.nth(2).focus()


def half_typed(screen: Screen) -> None:
    screen.show_options()
    screen.command.focus()
    screen.page.keyboard.type("L1")


def asked_to_swap(screen: Screen) -> None:
    screen.card(0).click()
    screen.swap.click()


def objective_open(screen: Screen) -> None:
    screen.card(0).click()
    screen.objectives.get_by_role("button").first.click()


def opponent_open(screen: Screen) -> None:
    screen.card(0).click()
    screen.opponents.get_by_role("button").first.click()


def menu_open(screen: Screen) -> None:
    screen.card(0).click()
    screen.button("web.menu.open").click()


STATES: dict[str, tuple[int, Deed]] = {
    "start, one card": (0, one_card),
    "start, two cards": (0, two_cards),
    "round, chosen": (2, one_card),
    "round, turned": (6, turned),
    "round, in the list": (2, in_the_list),
    "round, half typed": (3, half_typed),
    "round, asked to swap": (1, asked_to_swap),
    "round, objective open": (4, objective_open),
    "round, opponent open": (5, opponent_open),
    "round, menu open": (2, menu_open),
}


def others_do(table: str, round_: int, ben: Person, cleo: Person) -> None:
    """Everything that others can do before a round closes."""
    moves = [option["move"] for option in ben.view(table)["options"] if option["move"] != "swap"]
    ben.do(table, moves[0], "undo")
    if round_:
        ben.do(table, "swap")
    ben.post(f"/api/tables/{table}/phrases", {"phrase": "hello"})
    cleo.do(table, "leave", "return")
    ben.do(table, next(o["move"] for o in ben.view(table)["options"] if o["move"] != "swap"))


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
@pytest.mark.parametrize("state", STATES)
def test_check_4_events_leave_focus_choice_and_targets_alone(
    site: House, state: str, size: tuple[int, int]
) -> None:
    round_, prepare = STATES[state]
    ben, cleo = site.person("Ben"), site.person("Cleo")
    visitor = site.visit(size=size, moving=True)
    record = begun(4, round_, 11)
    table = visitor.dealt("easy", people=(ben, cleo), practice=record)
    screen = Screen(visitor.page)
    screen.ready(round_)
    prepare(screen)
    visitor.page.wait_for_timeout(400)
    keep(visitor.page)
    others_do(table, round_, ben, cleo)
    visitor.wait(lambda: visitor.view(table)["public"]["sealed"][1])
    visitor.page.wait_for_timeout(600)
    assert changed(visitor.page) == []


def test_nothing_shifts_during_play(site: House) -> None:
    visitor = site.visit(touch=True, moving=True)
    visitor.dealt("easy", "easy", practice=begun(3, 4))
    Screen(visitor.page).ready(4)
    watch_shifts(visitor.page)
    play(visitor, finger, begin=4, until=6)
    found = shifts(visitor.page)
    assert sum(value for value, _ in found) < 0.01, found
