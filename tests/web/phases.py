"""The main phases, always with the same cards: for pictures of them."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.service.rest import Person
from tests.web.deals import begun
from tests.web.games import finish
from tests.web.screen import ROUNDS, Screen
from tests.web.visitors import Visitor

Phase = Callable[[Visitor], None]
SUGGESTED = (3, 8, 19)
QUIET = 900
"""Milliseconds after which nothing moves any more."""
THINKING = 120_000
"""Milliseconds that the coach may take for a whole game."""


def settled(page: Page) -> None:
    """Wait until everything is drawn and nothing moves."""
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(QUIET)


def landing(visitor: Visitor) -> None:
    """The first visit."""
    visitor.page.goto(visitor.watch.base)
    visitor.page.get_by_role("main").first.wait_for()
    settled(visitor.page)


def start(visitor: Visitor) -> None:
    """The first cards, one of them taken."""
    _deal(visitor, 4, 0)
    Screen(visitor.page, visitor.language).card(1).click()
    settled(visitor.page)


def choosing(visitor: Visitor) -> None:
    """A card is chosen in the middle of a game of four."""
    _deal(visitor, 4, 4)
    screen = Screen(visitor.page, visitor.language)
    screen.card(0).click()
    settled(visitor.page)


def waiting(visitor: Visitor) -> None:
    """Locked in, while somebody thinks."""
    ben = Person(visitor.watch.base, "Peter")
    record = begun(4, 3, 24, objectives=SUGGESTED)
    visitor.dealt("easy", "medium", people=(ben,), practice=record)
    screen = Screen(visitor.page, visitor.language)
    screen.ready(3)
    screen.card(1).click()
    screen.lock.click()
    screen.change.wait_for()
    settled(visitor.page)


def crowded(visitor: Visitor) -> None:
    """Six players, late."""
    _deal(visitor, 6, 6)
    Screen(visitor.page, visitor.language).card(1).click()
    settled(visitor.page)


def asking(visitor: Visitor) -> None:
    """Whether to swap."""
    _deal(visitor, 3, 2)
    Screen(visitor.page, visitor.language).swap.click()
    settled(visitor.page)


def scoring(visitor: Visitor) -> None:
    """The end of a game of four."""
    _over(visitor, 4)


def solo_end(visitor: Visitor) -> None:
    """The end of a game alone, with its ranking."""
    _over(visitor, 1)


def _deal(visitor: Visitor, seats: int, rounds: int) -> str:
    record = begun(seats, rounds, 20 + seats, objectives=SUGGESTED)
    names = ["easy", "medium", "easy", "easy", "medium"][: seats - 1]
    table = visitor.dealt(*names, practice=record)
    Screen(visitor.page, visitor.language).ready(rounds)
    visitor.wait(lambda: all(visitor.view(table)["public"]["sealed"][1:]))
    return table


def _over(visitor: Visitor, seats: int) -> None:
    record = begun(seats, ROUNDS, 20 + seats, objectives=SUGGESTED)
    table = visitor.dealt(*["easy"] * (seats - 1), practice=record, show=False)
    finish(visitor, table)
    visitor.page.goto(f"{visitor.watch.base}/t/{table}")
    screen = Screen(visitor.page, visitor.language)
    screen.over()
    thinking = visitor.page.get_by_text(screen.say("web.over.thinking"))
    expect(thinking).to_have_count(0, timeout=THINKING)
    settled(visitor.page)


PHASES: dict[str, Phase] = {
    "landing": landing,
    "start": start,
    "choosing": choosing,
    "waiting": waiting,
    "crowded": crowded,
    "asking": asking,
    "scoring": scoring,
    "solo-end": solo_end,
}
