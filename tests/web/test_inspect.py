"""A long press, or a mouse that rests, shows things large; nothing is chosen by it."""

from playwright.sync_api import CDPSession, Locator, expect

from tests.web.deals import begun
from tests.web.screen import Screen
from tests.web.visitors import DESKTOP, PHONE, House, Visitor

LONG = 700
"""Milliseconds that are surely a long press."""
EDGE = 6
"""Pixels that stay free at the edges of the screen."""
INSPECTED = ".inspected"


def middle(of: Locator) -> dict[str, float]:
    box = of.bounding_box()
    assert box is not None
    return {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}


class Finger:
    """A finger on the screen of a visitor."""

    def __init__(self, visitor: Visitor) -> None:
        self._page = visitor.page
        self._line: CDPSession = visitor.context.new_cdp_session(visitor.page)

    def _touch(self, kind: str, *points: dict[str, float]) -> None:
        self._line.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": list(points)})

    def down(self, on: Locator) -> None:
        """Touch something, and stay there."""
        self._touch("touchStart", middle(on))
        self._page.wait_for_timeout(LONG)

    def move(self, to: Locator) -> None:
        """Go somewhere else without letting go."""
        self._touch("touchMove", middle(to))

    def up(self) -> None:
        """Let go, and wait for whatever a browser makes of it."""
        self._touch("touchEnd")
        self._page.wait_for_timeout(LONG)


def test_a_long_press_shows_large_and_chooses_nothing(site: House) -> None:
    visitor = site.visit(touch=True, speed="none", knowsRules=True)
    visitor.dealt("easy", "easy", practice=begun(3, 3, 4))
    page, screen, finger = visitor.page, Screen(visitor.page), Finger(visitor)
    screen.ready(3)
    shown, card = page.locator(INSPECTED), screen.card(0)
    small = card.bounding_box()
    finger.down(card)
    expect(shown).to_be_visible()
    card.dispatch_event("contextmenu")  # as phones call it
    large = shown.locator("svg").bounding_box()
    assert small is not None
    assert large is not None
    assert large["width"] >= 1.2 * small["width"]
    assert large["height"] >= 1.5 * small["height"]
    assert large["y"] >= 0
    assert large["y"] + large["height"] <= small["y"]
    finger.move(screen.region("web.play.board"))
    expect(page.locator(".dragged")).to_have_count(0)
    finger.up()
    expect(shown).to_have_count(0)
    for each in screen.hand_cards:
        expect(each).to_have_attribute("aria-pressed", "false")
    for other in (screen.opponents.get_by_role("button"), screen.objectives.get_by_role("button")):
        finger.down(other.first)
        expect(shown).to_be_visible()
        box = shown.bounding_box()
        assert box is not None
        assert box["x"] >= EDGE
        assert box["x"] + box["width"] <= PHONE[0] - EDGE
        finger.up()
        expect(shown).to_have_count(0)
        expect(other.first).to_have_attribute("aria-expanded", "false")
    card.tap()
    expect(card).to_have_attribute("aria-pressed", "true")
    laid = card.get_attribute("aria-label")
    finger.down(screen.button("web.play.turn.card", letter="A"))
    expect(shown).to_be_visible()
    finger.up()
    assert card.get_attribute("aria-label") == laid


def test_the_mouse_rests_on_anothers_board(site: House) -> None:
    visitor = site.visit(size=DESKTOP, speed="none", knowsRules=True)
    visitor.dealt("easy", "easy", practice=begun(3, 3, 4))
    page, screen = visitor.page, Screen(visitor.page)
    screen.ready(3)
    other = screen.opponents.get_by_role("button").first
    other.hover()
    shown = page.locator(INSPECTED)
    expect(shown).to_be_visible()
    page.keyboard.press("Escape")
    expect(shown).to_have_count(0)
    screen.card(0).hover()
    other.hover()
    expect(shown).to_be_visible()
    screen.card(0).hover()
    expect(shown).to_have_count(0)
    page.wait_for_timeout(LONG)
    expect(shown).to_have_count(0)
    expect(other).to_have_attribute("aria-expanded", "false")


def test_an_objective_is_drawn_also_large_and_its_picture_is_put_back(site: House) -> None:
    visitor = site.visit(speed="none", knowsRules=True)
    visitor.dealt("easy")
    page, screen = visitor.page, Screen(visitor.page)
    screen.ready(0)
    taken = page.locator(".sprite defs > [id^=objective]")
    expect(taken).to_have_count(3)
    screen.objectives.get_by_role("button").first.click()
    drawn = page.locator(".panel.large .board-objective use")
    expect(drawn).to_have_count(1)
    large = drawn.evaluate(
        "use => { const {width, height} = use.getBBox(); return width * height }"
    )
    assert large > 0
    expect(taken).to_have_count(4)
    page.keyboard.press("Escape")
    expect(taken).to_have_count(3)


def test_the_mouse_rests_on_an_objective_that_is_small(site: House) -> None:
    visitor = site.visit(speed="none", knowsRules=True)
    visitor.dealt("easy", practice=begun(2, 3, 4))
    page, screen = visitor.page, Screen(visitor.page)
    screen.ready(3)
    objective = screen.objectives.get_by_role("button").first
    objective.hover()
    shown = page.locator(INSPECTED)
    expect(shown).to_be_visible()
    expect(shown.locator("use")).not_to_have_count(0)
    screen.card(0).hover()
    expect(shown).to_have_count(0)
    expect(objective).to_have_attribute("aria-expanded", "false")
