"""Twin worlds on the screen: what a browser shows does not depend on what a seat must not know."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from io import BytesIO
from itertools import count, islice
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page

from proof.lines import STOPPED
from proof.sides import twin_databases
from proof.twins import Deed, Pair, World, twins
from scripts.chromium import build
from sideboards import load_edition
from tests.service.live import Server, serving
from tests.service.rest import Person
from tests.web.screen import STEP, Screen
from tests.web.visitors import House, Visitor

PAIRS = 3
QUIET = 6
"""So many looks in a row must show the same before it counts."""
LOOKS = 200
NOISE = 8
"""Of 255: what drawing the same letters twice gives."""


def pairs(seed: int) -> Iterator[Pair]:
    """Pairs in which a seat looks at a small table."""
    for number in count():
        pair = twins(load_edition(), seed, number)
        small = 2 <= pair.worlds[0].setup.seats <= 3 and len(pair.worlds[0].deeds) < 12
        if small and pair.viewer is not None:
            yield pair


@contextmanager
def twin_servers(folder: Path, mutant: str = "") -> Iterator[list[Server]]:
    """Two servers that draw the same ids."""
    build()
    with ThreadPoolExecutor(1) as beside:  # the browser has the loop of this thread
        files = beside.submit(lambda: asyncio.run(twin_databases(folder))).result()
    with ExitStack() as stack:
        yield [stack.enter_context(serving(file, "--seed", "5", mutant=mutant)) for file in files]


class Seats:
    """Everybody at one table in one world; the viewer has a browser."""

    def __init__(self, house: House, pair: Pair, world: World) -> None:
        assert pair.viewer is not None
        self.viewer, setup = pair.viewer, world.setup
        self.visitor = house.visit()
        self.visitor.call("POST", "/api/test/clock", {"stop": STOPPED})
        self.people: dict[int, Person] = {}
        for seat in range(setup.seats):
            if seat == self.viewer:
                self.visitor.be(f"P{seat}")
            else:
                self.people[seat] = house.person(f"P{seat}")
        objectives = list(setup.objectives)
        settings = {"seats": setup.seats, "variant": setup.mode == "variant"}
        made = self.call(0, "/api/tables", settings | {"objectives": objectives, "assist": 2})
        self.table = str(made["table"]["table"])
        order = {"table": self.table, "deck": setup.deck, "refill": setup.refill}
        self.visitor.call("POST", "/api/test/deck", order)
        for seat in range(setup.seats):
            self.call(seat, f"/api/tables/{self.table}/seats", {"seat": seat, "commit": ""})
        self._numbers = count(1)
        self.do(Deed(0, "start", 0))
        self.visitor.wait(lambda: self.visitor.is_dealt(self.table))

    def call(self, seat: int, path: str, body: object) -> dict[str, dict[str, object]]:
        if seat == self.viewer:
            answer: dict[str, dict[str, object]] = self.visitor.call("POST", path, body)
        else:
            said = self.people[seat].post(path, body)
            assert said.is_success, said.text
            answer = said.json() if said.content else {}
        return answer

    def do(self, deed: Deed) -> None:
        here = f"/api/tables/{self.table}"
        if deed.action.startswith("draft "):
            move = deed.action.removeprefix("draft ")
            self.call(deed.seat, f"{here}/draft", {"round": deed.round, "move": move})
        else:
            key = f"{deed.round}.{next(self._numbers)}.twin"
            self.call(deed.seat, f"{here}/actions", {"key": key, "action": deed.action})


def looks(visitor: Visitor) -> tuple[str, bytes]:
    """The page when it is quiet: its elements, and its pixels."""
    last, same = "", 0
    for _ in range(LOOKS):
        now = elements(visitor.page)
        same = same + 1 if now == last else 0
        if same >= QUIET:
            return now, visitor.page.screenshot(animations="disabled", caret="hide")
        last = now
        visitor.page.wait_for_timeout(STEP)
    raise AssertionError("the page is never quiet")


def contrast(one: bytes, other: bytes) -> int:
    """By how much the two pictures differ where they differ most, of 255."""
    mine, yours = (
        np.asarray(Image.open(BytesIO(each)).convert("RGB"), int) for each in (one, other)
    )
    return int(abs(mine - yours).max()) if mine.shape == yours.shape else 255


def elements(page: Page) -> str:
    return str(page.evaluate("() => document.title + document.body.outerHTML"))


def shown(house: House, pair: Pair, world: World) -> tuple[str, bytes, str]:
    """What the viewer's browser shows at the time, and what after it."""
    seats = Seats(house, pair, world)
    visitor = seats.visitor
    half = len(world.deeds) // 2
    for deed in world.deeds[:half]:
        seats.do(deed)
    visitor.page.goto(f"{house.base}/t/{seats.table}")
    screen = Screen(visitor.page)
    screen.online()
    for deed in world.deeds[half:]:
        seats.do(deed)
    screen.agrees(visitor.view(seats.table))
    found, pixels = looks(visitor)
    for deed in world.last:
        seats.do(deed)
    if world.last[0].round < 6:
        screen.agrees(visitor.view(seats.table))
    later, _ = looks(visitor)
    return found, pixels, later


def compared(browser: Browser, servers: list[Server], pair: Pair) -> tuple[str, bool]:
    """What somebody could tell at the time, which should be nothing; whether they differ later."""
    both = []
    for server, world in zip(servers, pair.worlds, strict=True):
        house = House(browser, server.here)
        try:
            both.append(shown(house, pair, world))
        finally:
            problems = house.close()
        assert problems == []
    (mine, pixels, later), (yours, others, afterwards) = both
    assert len(mine) > 1000
    told = "the elements differ" if mine != yours else ""
    if not told and contrast(pixels, others) > NOISE:
        told = "the pixels differ"
    return told, later != afterwards


def test_a_screen_shows_twin_worlds_alike(browser: Browser, tmp_path: Path) -> None:
    with twin_servers(tmp_path) as servers:
        found = [compared(browser, servers, pair) for pair in islice(pairs(11), PAIRS)]
    assert [told for told, _ in found] == [""] * PAIRS
    assert any(later for _, later in found), "after the time somebody's screen differs"


@pytest.mark.catches("page marks hidden cards")
def test_a_page_that_marks_hidden_cards_is_noticed(browser: Browser, tmp_path: Path) -> None:
    pair = next(pair for pair in pairs(11) if "hand" in pair.kind)
    with twin_servers(tmp_path, "page marks hidden cards") as servers:
        assert compared(browser, servers, pair)[0] == "the elements differ"
