"""A message from the server moves nothing under the finger, whatever one is about to do (L3)."""

from collections.abc import Callable

import pytest

from tests.service.rest import Person
from tests.web.deals import begun
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
    screen.options.nth(2).focus()
    screen.page.keyboard.press("Space")


def half_typed(screen: Screen) -> None:
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
    ben.do(table, _placing(ben, table), "undo")
    if round_:
        ben.do(table, "swap")
    ben.post(f"/api/tables/{table}/phrases", {"phrase": "hello"})
    cleo.do(table, "leave", "return")
    ben.do(table, _placing(ben, table))


def _placing(person: Person, table: str) -> str:
    options = person.view(table)["options"]
    return str(next(option["move"] for option in options if option["move"] != "swap"))


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


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_nothing_shifts_during_play(site: House, size: tuple[int, int]) -> None:
    """The other one chooses late, so that no input of one's own excuses what then happens."""
    ben = site.person("Ben")
    visitor = site.visit(size=size, moving=True)
    table = visitor.dealt("easy", people=(ben,), practice=begun(3, 3))
    screen = Screen(visitor.page)
    screen.ready(3)
    visitor.page.wait_for_load_state("networkidle")
    watch_shifts(visitor.page)
    for round_ in (3, 4, 5):
        screen.ready(round_)
        screen.card(0).click()
        screen.lock.click()
        screen.change.wait_for()
        visitor.page.wait_for_timeout(700)
        if round_ == 4:
            ben.do(table, "swap")
            visitor.page.wait_for_timeout(700)
        ben.do(table, _placing(ben, table))
        visitor.page.wait_for_timeout(1200)
    found = shifts(visitor.page)
    assert sum(value for value, _ in found) < 0.01, found
