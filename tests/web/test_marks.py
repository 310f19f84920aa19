"""What the end screen outlines is disjoint, and adds up to the engine's score."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator

from tests.web.deals import begun
from tests.web.games import finish
from tests.web.screen import ROUNDS, Screen
from tests.web.visitors import House, Visitor

GAMES = [(seats, seed) for seats in (1, 2, 4, 6) for seed in (31, 32, 33)]
Cell = tuple[int, int]


def ended(site: House, seats: int, seed: int) -> tuple[Visitor, str]:
    """A finished game, shown at its end."""
    visitor = site.visit(speed="none")
    record = begun(seats, ROUNDS, seed, swaps=0.1)
    table = visitor.dealt(*["easy"] * (seats - 1), practice=record, show=False)
    finish(visitor, table)
    visitor.page.goto(f"{site.base}/t/{table}")
    Screen(visitor.page).over()
    return visitor, table


def cells_told(line: str) -> list[Cell]:
    """The cells of a line such as "Combination 2: 3 orange drawers, cards 3 to 5, rows 2-2-3"."""
    found = re.search(r"cards? (.+?), row", line)
    assert found is not None, line
    cards = [int(number) for number in re.findall(r"\d+", found[1])]
    if " to " in found[1]:
        cards = list(range(cards[0], cards[-1] + 1))
    rows = [int(number) for number in re.findall(r"\d+", line.rpartition("row")[2])]
    return list(zip(cards, rows * len(cards) if len(rows) == 1 else rows, strict=False))


def disjoint(groups: list[list[Cell]]) -> bool:
    cells = [cell for group in groups for cell in group]
    return len(cells) == len(set(cells))


def lists_of(screen: Screen) -> list[list[Locator]]:
    """The three lists of every player: colors, handles, row."""
    found = screen.region("web.over.combinations").get_by_role("list").all()
    return [found[at : at + 3] for at in range(0, len(found), 3)]


@pytest.mark.parametrize(("seats", "seed"), GAMES)
def test_check_8_outlines_are_disjoint_and_sum_to_the_score(
    site: House, seats: int, seed: int
) -> None:
    visitor, table = ended(site, seats, seed)
    screen = Screen(visitor.page)
    told: dict[str, Any] = visitor.call("GET", f"/api/tables/{table}/score")
    each = [visitor.view(table)["objectives"][place] for place in range(3)]
    worth = {
        int(info["number"]): info["points"]
        for info in visitor.page.evaluate(
            "() => JSON.parse(document.getElementById('boot').textContent).objectives"
        )
    }
    players = lists_of(screen)
    assert len(players) == seats
    for player, lists in zip(told["players"], players, strict=True):
        for kind, place in (("color", 0), ("handle", 1), ("row", 2)):
            lines = lists[place].get_by_role("listitem").all_text_contents()
            groups = [cells_told(line) for line in lines if "card" in line]
            assert disjoint(groups), lines
            counted = len(groups) if kind != "row" else sum(map(len, groups))
            assert counted * worth[each[place]] == player[kind]["points"], (kind, lines)
    assert screen.totals() == [player["total"] for player in told["players"]]


@pytest.mark.parametrize(("seats", "seed"), [(1, 31), (4, 32)])
def test_check_8_what_is_drawn_is_what_is_told(site: House, seats: int, seed: int) -> None:
    """As many outlines, rings and bands on the own board as combinations and runs in words."""
    visitor, _ = ended(site, seats, seed)
    screen = Screen(visitor.page)
    own = lists_of(screen)[0]
    for place, kind in enumerate(("outline", "rings", "band")):
        lines = own[place].get_by_role("listitem").all_text_contents()
        drawn = (
            visitor.page.locator("main svg:has(.board-marks)")
            .first.locator(f".board-{kind}")
            .count()
        )
        assert drawn == sum("card" in line for line in lines), kind
