"""A tab in which one plays on and on holds no more than the game that it shows."""

from playwright.sync_api import CDPSession, Route

from tests.web.games import finish, keys, play, rematch
from tests.web.screen import Screen
from tests.web.visitors import House

MORE = 1.05
"""Games differ a little in what is on their last screen."""
MORE_BYTES = 1.25
"""A heap also holds what is only kept for a while."""
CHOICES = 2
"""Rounds of each game that are played at the screen."""
PAUSE = 1500
"""Milliseconds after which whatever still ran for the last game has ended."""


def held(session: CDPSession) -> dict[str, float]:
    """What the tab holds, garbage collected."""
    session.send("HeapProfiler.collectGarbage")
    metrics = session.send("Performance.getMetrics")["metrics"]
    return {each["name"]: float(each["value"]) for each in metrics}


def test_games_that_are_over_leave_nothing_in_the_tab(site: House) -> None:
    visitor = site.visit(speed="none", knowsRules=True)
    page, screen = visitor.page, Screen(visitor.page)

    def never_ready(route: Route) -> None:
        route.fulfill(json={"progress": 0.1})

    # A busy server: whoever waits for a calculation waits until leaving.
    page.route("**/api/tables/*/par", never_ready)
    page.route("**/api/tables/*/coach?*", never_ready)
    table = visitor.dealt()
    session = visitor.context.new_cdp_session(page)
    session.send("Performance.enable")
    readings = []
    for game in range(5):
        if game:
            table = rematch(visitor)
        play(visitor, keys, until=CHOICES)
        finish(visitor, table)
        screen.over()
        page.wait_for_timeout(PAUSE)
        readings.append(held(session))
    first, last = readings[1], readings[-1]
    for what in ("Nodes", "JSEventListeners"):
        assert last[what] <= first[what] * MORE, (what, [each[what] for each in readings])
    sizes = [each["JSHeapUsedSize"] for each in readings]
    assert sizes[-1] <= sizes[1] * MORE_BYTES, sizes
