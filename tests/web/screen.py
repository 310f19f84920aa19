"""What somebody does at the screen, found by role and name alone, in any of the five languages."""

import re
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Locator, Page, expect

from sideboards import load_edition, parse_board
from sideboards.core.card import Drawer
from sideboards.words import Words, words

ROUNDS = 6
LETTERS = "ABCD"
INERT = 400
"""Milliseconds after a new hand in which a click may still have been meant for the last one."""


@dataclass(frozen=True, slots=True)
class Screen:
    """The play screen, spoken of in its language."""

    page: Page
    language: str = "en"

    @property
    def say(self) -> Words:
        """The words of this screen."""
        return words(self.language)

    # ---- parts

    def button(self, key: str, **places: object) -> Locator:
        """The button with a text."""
        return self.page.get_by_role("button", name=self.say(key, **places), exact=True)

    @property
    def lock(self) -> Locator:
        """The button that locks in."""
        return self.button("web.play.lock")

    @property
    def change(self) -> Locator:
        """The button that takes the choice back."""
        return self.button("web.play.change")

    @property
    def swap(self) -> Locator:
        """The button that asks whether to swap."""
        return self.page.get_by_role(
            "button", name=re.compile("^" + self.say("web.play.swap"))
        ).first

    @property
    def turn(self) -> Locator:
        """The button that turns the card taken last."""
        named = re.compile("^" + re.escape(self.say("web.play.turn")))
        return self.page.get_by_role("button", name=named).last

    @property
    def hand(self) -> Locator:
        """The part with the hand."""
        return self.page.get_by_role("region", name=self.say("web.play.hand"), exact=True)

    @property
    def hand_cards(self) -> list[Locator]:
        """All cards of the hand."""
        return [card for card in map(self.card, range(4)) if card.count()]

    def card(self, place: int) -> Locator:
        """A card of the hand, from 0."""
        called = self.say("web.say.card", letter=LETTERS[place])
        return self.hand.get_by_role("button", name=re.compile(rf"^{re.escape(called)}[,:]"))

    def slot(self, end: str) -> Locator:
        """A free end of the own board: left or right."""
        where = self.say("web.play.slot", end=self.say(f"web.say.{end}"))
        return self.page.get_by_role("button", name=where, exact=True)

    @property
    def objectives(self) -> Locator:
        """The three objectives."""
        return self.page.get_by_role("region", name=self.say("web.play.objectives"), exact=True)

    @property
    def opponents(self) -> Locator:
        """The others' boards."""
        return self.page.get_by_role("region", name=self.say("web.play.table"), exact=True)

    @property
    def options(self) -> Locator:
        """All options, as radio buttons of one list."""
        named = re.compile(re.escape(self.say("web.play.options")))
        return self.page.get_by_role("radiogroup", name=named).get_by_role("radio")

    @property
    def command(self) -> Locator:
        """Where a move can be typed."""
        return self.page.get_by_role("textbox", name=self.say("web.play.command"))

    @property
    def board(self) -> Locator:
        """The own board, as a table."""
        return self.page.get_by_role("table", name=self.say("web.play.board"), exact=True)

    @property
    def asks_to_swap(self) -> bool:
        """Whether it asks before a swap."""
        return self.page.get_by_text(self.say("web.play.swap.ask")).first.is_visible()

    def swap_hand(self) -> None:
        """Swap, and say yes."""
        self.swap.click()
        self.page.get_by_text(self.say("web.play.swap.ask")).first.wait_for()
        self.button("web.play.swap").click()

    def show_options(self) -> None:
        """Make the list of options seen, if it is not."""
        if not self.options.first.is_visible():
            self.button("web.play.options").click()

    # ---- time

    def round_sign(self, number: int) -> Locator:
        """What tells the round."""
        if number == 0:
            said = self.say("web.say.start")
        else:
            said = self.say("web.say.round", round=number, rounds=ROUNDS)
        return self.page.get_by_role("img", name=said, exact=True)

    def ready(self, number: int) -> None:
        """Wait until one can choose in this round."""
        expect(self.round_sign(number)).to_be_visible()
        expect(self.lock).to_be_visible()
        self.page.wait_for_timeout(INERT)

    def taken(self, number: int) -> None:
        """Wait until the choice of this round is locked, or the round is closed."""
        gone = self.round_sign(number)
        for _ in range(200):
            if self.change.is_visible() or not gone.is_visible():
                return
            self.page.wait_for_timeout(50)
        raise AssertionError(f"nothing was locked in round {number}")

    def over(self) -> None:
        """Wait for the end screen."""
        expect(self.button("web.over.rematch")).to_be_visible()

    def online(self) -> None:
        """Wait until the screen says that there is a connection."""
        expect(
            self.page.get_by_text(self.say("web.play.online"), exact=True).first
        ).to_be_attached()
        expect(self.page.get_by_text(self.say("web.play.lost.banner"))).to_have_count(0)

    # ---- what it shows

    def drawer(self, drawer: Drawer) -> str:
        """A drawer in words."""
        color = self.say(f"color.{drawer.color}")
        if drawer.handle is None:
            return color
        return self.say("web.say.drawer", color=color, handle=self.say(f"handle.{drawer.handle}"))

    def agrees(self, view: dict[str, Any]) -> None:
        """Fail unless the screen shows what this view of the own seat says."""
        edition = load_edition()
        expect(self.round_sign(view["public"]["round"])).to_be_visible()
        expect(self.change if view["choice"] else self.lock).to_be_visible()
        seat = view["seat"]
        laid = parse_board(view["boards"][seat])
        cards = [
            edition.card(int(str(each.card))).drawers[:: -1 if each.turned else 1] for each in laid
        ]
        rows = [[self.drawer(card[height]) for card in cards] for height in range(5)]
        lines = self.board.get_by_role("row").all()[1:]
        assert [line.get_by_role("cell").all_text_contents() for line in lines] == rows
        hand = view["hands"][seat][-1]
        names = [card.get_attribute("aria-label") for card in self.hand_cards]
        assert len(names) == len(hand)

    def totals(self) -> list[int]:
        """The totals of the end screen, by seat."""
        raise NotImplementedError
