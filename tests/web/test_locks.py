"""Two who press at the same moment: whatever comes first, all see the same."""

from functools import partial
from typing import Any

import pytest

from tests.web.deals import begun
from tests.web.screen import Screen
from tests.web.visitors import House, Visitor

SOON = 400
"""Milliseconds from now at which both press."""
PRESS = """([name, at]) => {
  const button = [...document.querySelectorAll("button")]
    .find((each) => (each.ariaLabel ?? each.textContent).trim() === name && each.checkVisibility());
  setTimeout(() => button.click(), at - Date.now());
}"""


def two_at_a_table(site: House, rounds: int) -> tuple[Visitor, Visitor, str]:
    ana, ben = site.visit(), site.visit()
    ben.be("Ben")
    ana.be("Ana")
    record = begun(2, rounds, 6)
    table = ana.call("POST", "/api/tables", {"seats": 2, "practice": record})["table"]["table"]
    for seat, visitor in enumerate((ana, ben)):
        visitor.call("POST", f"/api/tables/{table}/seats", {"seat": seat, "commit": ""})
    ana.act(table, "start", "0.9.abcd")
    for visitor in (ana, ben):
        visitor.wait(partial(visitor.is_dealt, table))
        visitor.page.goto(f"{site.base}/t/{table}")
        Screen(visitor.page).ready(rounds)
    return ana, ben, table


def settled(public: dict[str, Any]) -> bool:
    """Whether Ben's choice counts, in a round that it closed or with Ana's open again."""
    return bool(public["round"] == 4 or public["sealed"] == [False, True])


def press(visitor: Visitor, key: str, at: float) -> None:
    visitor.page.evaluate(PRESS, [Screen(visitor.page).say(key), at])


def test_check_6_two_lock_in_the_same_millisecond(site: House) -> None:
    ana, ben, table = two_at_a_table(site, 3)
    for round_ in (3, 4, 5):
        for visitor in (ana, ben):
            Screen(visitor.page).ready(round_)
            Screen(visitor.page).card(0).click()
        at = ana.page.evaluate("() => Date.now()") + SOON
        press(ana, "web.play.lock", at)
        press(ben, "web.play.lock", at)
        for visitor in (ana, ben):
            Screen(visitor.page).ready(round_ + 1)
            Screen(visitor.page).agrees(visitor.view(table))
    assert ana.view(table)["boards"] == ben.view(table)["boards"]


@pytest.mark.parametrize("later", [-6, -2, 0, 2, 6])
def test_check_6_one_reopens_while_the_last_one_locks(site: House, later: int) -> None:
    """Either it was open again in time, or the round was closed: never both, and all agree."""
    ana, ben, table = two_at_a_table(site, 3)
    for visitor in (ana, ben):
        Screen(visitor.page).card(1).click()
    Screen(ana.page).lock.click()
    Screen(ana.page).change.wait_for()
    at = ana.page.evaluate("() => Date.now()") + SOON
    press(ana, "web.play.change", at + later)
    press(ben, "web.play.lock", at)
    ana.wait(lambda: settled(ana.view(table)["public"]))
    views = [visitor.view(table) for visitor in (ana, ben)]
    assert views[0]["public"] == views[1]["public"]
    closed = views[0]["public"]["round"] == 4
    for visitor, view in zip((ana, ben), views, strict=True):
        Screen(visitor.page).agrees(view)
    if not closed:
        screen = Screen(ana.page)
        assert screen.card(1).get_attribute("aria-pressed") == "true"
        screen.lock.click()
        screen.ready(4)
