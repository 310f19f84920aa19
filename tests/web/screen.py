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
PATIENCE = 30_000
"""Milliseconds for anything that a page is waited for."""
STEP = 50
INERT = 400
"""Milliseconds after a new hand in which a click may still have been meant for the last one."""
FIRST = """async (most) => {
  const first = !self.wasReady;
  self.wasReady = true;
  const drawn = async () => {
    await document.fonts.ready;
    for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
  };
  await Promise.race([drawn(), new Promise((done) => setTimeout(done, most))]);
  return first;
}"""
"""Whether nobody has waited on this page since it was loaded; told when it is drawn."""


@dataclass(frozen=True, slots=True)
class Screen:
    """The screens of a game, spoken of in their language."""

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

    def region(self, key: str) -> Locator:
        """The part of the page with a title."""
        return self.page.get_by_role("region", name=self.say(key), exact=True)

    def _action(self, key: str) -> Locator:
        """A button of the lowest bar; the name of a key may follow its text."""
        named = re.compile("^" + re.escape(self.say(key)))
        return self.region("web.play.lock").get_by_role("button", name=named)

    @property
    def lock(self) -> Locator:
        """The button that locks in."""
        return self._action("web.play.lock")

    @property
    def change(self) -> Locator:
        """The button that takes the choice back."""
        return self._action("web.play.change")

    @property
    def swap(self) -> Locator:
        """The button that asks whether to swap."""
        return self._action("web.play.swap")

    @property
    def turn(self) -> Locator:
        """The button that turns the card taken last."""
        return self.button("web.play.turn")

    @property
    def hand(self) -> Locator:
        """The part with the hand."""
        return self.region("web.play.hand")

    @property
    def hand_cards(self) -> list[Locator]:
        """All cards of the hand."""
        return [card for card in map(self.card, range(4)) if card.count()]

    def card(self, place: int) -> Locator:
        """A card of the hand, from 0."""
        called = self.say("web.say.card", letter=LETTERS[place])
        return self.hand.get_by_role("button", name=re.compile(rf"^{re.escape(called)}[,:]"))

    def slot(self, end: str) -> Locator:
        """A free end of the own board, left or right, where the card is not yet."""
        return self.button("web.play.slot", end=self.say(f"term.{end}_end"))

    @property
    def objectives(self) -> Locator:
        """The three objectives."""
        return self.region("web.play.objectives")

    @property
    def opponents(self) -> Locator:
        """The others' boards."""
        return self.region("web.play.table")

    @property
    def options(self) -> Locator:
        """All options, as radio buttons of one list."""
        group = self.page.get_by_role("group", name=self.say("web.play.options"), exact=True)
        return group.get_by_role("radio")

    @property
    def list_lock(self) -> Locator:
        """The button below the list that locks in."""
        return self.region("web.play.options").get_by_role(
            "button", name=self.say("web.play.lock"), exact=True
        )

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

    # ---- time

    def round_sign(self, number: int) -> Locator:
        """What tells the round."""
        if number == 0:
            said = self.say("web.say.start")
        else:
            said = self.say("web.say.round", round=number, rounds=ROUNDS)
        title = self.say("labelled", name=self.say("term.game"), text=said)
        # Accessible names have plain spaces; French sets a narrow one before the colon.
        named = re.compile(f"^{re.escape(' '.join(title.split()))}")
        return self.page.get_by_role("heading", name=named, level=1)

    def ready(self, number: int) -> None:
        """Wait until one can choose in this round."""
        expect(self.round_sign(number)).to_be_visible()
        expect(self.lock).to_be_visible()
        if not self.page.evaluate(FIRST, INERT):  # else no earlier hand was there to be clicked at
            self.page.wait_for_timeout(INERT)

    def taken(self, number: int) -> None:
        """Wait until the choice of this round is locked, or the round is closed."""
        sign = self.round_sign(number)
        for _ in range(PATIENCE // STEP):
            if self.change.is_visible() or not sign.is_visible():
                return
            self.page.wait_for_timeout(STEP)
        raise AssertionError(f"nothing was locked in round {number}")

    def over(self) -> None:
        """Wait for the end, and let everything be counted at once."""
        counted = self.region("web.over.combinations")
        expect(counted.or_(self.button("web.over.skip")).first).to_be_attached()
        if not counted.count():
            self.button("web.over.skip").click()
        expect(counted).to_be_attached()

    def online(self) -> None:
        """Wait until the screen says that there is a connection."""
        told = self.page.get_by_text(self.say("web.play.online"), exact=True)
        expect(told.first).to_be_attached()
        expect(self.page.get_by_text(self.say("web.play.lost.banner"))).to_have_count(0)

    # ---- what it shows

    def drawer(self, drawer: Drawer) -> str:
        """A drawer in words."""
        color = self.say(f"color.{drawer.color}")
        if drawer.handle is None:
            return color
        return self.say("web.say.drawer", color=color, handle=self.say(f"handle.{drawer.handle}"))

    def read(self, card: int, *, turned: bool) -> list[str]:
        """The drawers of a card in words, from top to bottom as it lies."""
        drawers = load_edition().card(card).drawers
        return [self.drawer(each) for each in (drawers[::-1] if turned else drawers)]

    def agrees(self, view: dict[str, Any]) -> None:
        """Fail unless the screen shows what this view of the own seat says."""
        seat = view["seat"]
        expect(self.round_sign(view["public"]["round"])).to_be_visible()
        expect(self.change if view["choice"] else self.lock).to_be_visible()
        hand = view["hands"][seat][-1]
        expect(self.card(len(hand) - 1)).to_be_visible()
        expect(self.card(len(hand))).to_have_count(0)
        for place, card in enumerate(hand):
            upright, turned = (self.read(card, turned=each) for each in (False, True))
            expect(self.card(place)).to_have_attribute("aria-label", _either(upright, turned))
        laid = [(int(str(each.card)), each.turned) for each in parse_board(view["boards"][seat])]
        columns = [self.read(card, turned=turned) for card, turned in laid]
        for _ in range(PATIENCE // STEP):
            shown = self._columns()
            for begin in range(len(shown) - len(columns) + 1):  # a tried card lies at an end
                if shown[begin : begin + len(columns)] == columns:
                    return
            self.page.wait_for_timeout(STEP)
        raise AssertionError((shown, columns))

    def _columns(self) -> list[list[str]]:
        """The cards of the own board as its table tells them; none while it is drawn anew."""
        found: list[list[str]] = self.board.evaluate_all(
            """tables => tables.flatMap((table) => [...table.rows].slice(1))
              .map((row) => [...row.querySelectorAll("td")].map((cell) => cell.textContent))"""
        )
        return [list(column) for column in zip(*found, strict=False)]

    def totals(self) -> list[int]:
        """The totals that the end screen tells, by seat."""
        heads = self.region("web.over.combinations").get_by_role("heading", level=2)
        told = [int(re.findall(r"\d+", text)[-1]) for text in heads.all_text_contents()]
        if len(told) > 1:
            result = self.page.get_by_role("table", name=self.say("web.over.result"))
            lines = result.get_by_role("row").all()[1:]
            cells = [line.get_by_role("cell").all_text_contents() for line in lines]
            assert [int(row[-1]) for row in cells] == sorted(told, reverse=True)
        return told


def _either(*ways: list[str]) -> re.Pattern[str]:
    """Matches a text that names all parts of one of these ways, in order."""
    return re.compile("|".join(".*".join(map(re.escape, parts)) for parts in ways), re.DOTALL)
