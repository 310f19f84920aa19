"""Whole games through the screen: by finger, by mouse, by keyboard, and by the list of options."""

from collections.abc import Callable
from random import Random

from playwright.sync_api import expect

from sideboards import load_edition, parse_record, replay, scores
from tests.web.screen import PATIENCE, ROUNDS, STEP, Screen
from tests.web.visitors import Visitor

Hand = Callable[[Screen, int, Random], None]
"""Makes a choice and locks it in, in a round."""
ENDS = ("left", "right")


def finger(screen: Screen, round_: int, rng: Random) -> None:
    """Tap."""
    if round_ == 0:
        for place in rng.sample(range(3), 2):
            screen.card(place).tap()
        screen.turn.tap()
    else:
        screen.card(rng.randrange(2)).tap()
        other = screen.slot(rng.choice(ENDS))
        if other.count():  # else it is there already
            other.tap()
        if rng.random() < 0.5:
            screen.turn.tap()
    screen.lock.tap()


def mouse(screen: Screen, round_: int, rng: Random) -> None:
    """Click, drag, and turn with the right button."""
    if round_ == 0:
        for place in rng.sample(range(3), 2):
            screen.card(place).click()
    elif round_ % 2:
        half = rng.choice([0.25, 0.75])
        box = screen.region("web.play.board").bounding_box()
        assert box is not None
        screen.card(rng.randrange(2)).hover()
        screen.page.mouse.down()
        screen.page.mouse.move(
            box["x"] + box["width"] * half, box["y"] + box["height"] / 2, steps=5
        )
        screen.page.mouse.up()
    else:
        screen.card(rng.randrange(2)).click()
        screen.card(rng.randrange(2)).click(button="right")
        screen.turn.click()
    screen.lock.click()


def keys(screen: Screen, round_: int, rng: Random) -> None:
    """Press keys; the focus stays wherever it is."""
    press = screen.page.keyboard.press
    if round_ == 0:
        for place in rng.sample(range(3), 2):
            press(str(place + 1))
        press(rng.choice(["f", "Shift+F", "x"]))
    else:
        press(str(rng.randrange(2) + 1))
        press(rng.choice(["ArrowLeft", "ArrowRight"]))
        if rng.random() < 0.5:
            press("f")
    press("Enter")


def listed(screen: Screen, _round: int, rng: Random) -> None:
    """Choose a line of the list."""
    lines = screen.options
    expect(lines.first).to_be_attached()
    lines.nth(rng.randrange(lines.count())).focus()
    screen.page.keyboard.press("Space")
    screen.list_lock.focus()
    screen.page.keyboard.press("Enter")


def play(
    visitor: Visitor, hand: Hand, seed: int = 1, *, begin: int = 0, until: int = ROUNDS + 1
) -> Screen:
    """Play from one round to another, by default the end; the screen that shows it."""
    rng = Random(seed)
    screen = Screen(visitor.page, visitor.language)
    for round_ in range(begin, until):
        screen.ready(round_)
        hand(screen, round_, rng)
        screen.taken(round_)
    if until > ROUNDS:
        screen.over()
    return screen


def by_keys(visitor: Visitor, _table: str = "") -> Screen:
    """A whole game by keyboard."""
    return play(visitor, keys)


def rematch(visitor: Visitor) -> str:
    """Play again; the new table."""
    before = visitor.page.url
    screen = Screen(visitor.page, visitor.language)
    screen.button("web.over.rematch").or_(screen.button("web.over.new_deal")).click()
    visitor.page.wait_for_url(lambda url: url != before and "/t/" in url)
    return visitor.page.url.rpartition("/")[2]


def totals(visitor: Visitor, table: str) -> list[int]:
    """What the engine counts: by the route, and by replaying the record."""
    told = visitor.call("GET", f"/api/tables/{table}/score")
    counted: list[int] = [player["total"] for player in told["players"]]
    answer = visitor.context.request.get(f"{visitor.direct}/api/tables/{table}/record")
    record = parse_record(answer.body(), load_edition())
    state = replay(record.setup, record.played)
    assert [score.points.total for score in scores(state)] == counted
    return counted


def finish(visitor: Visitor, table: str) -> None:
    """Play the rest of a game over REST, where the screen is not what is tested."""
    for attempt in range(PATIENCE // STEP):
        view = visitor.view(table)
        if view["result"]:
            return
        if view["options"]:
            visitor.act(
                table, view["options"][0]["move"], f"{view['public']['round']}.{attempt}.wxyz"
            )
        else:
            visitor.page.wait_for_timeout(STEP)
    raise AssertionError("the game did not end")
