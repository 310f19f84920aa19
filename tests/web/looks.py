"""What can be said of a page as it is drawn: sizes, places, gaps in texts, the audit."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from scripts.chromium import WEB

HERE = Path(__file__).parent
RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")


@cache
def _look() -> str:
    return (HERE / "look.js").read_text()


@cache
def _axe() -> str:
    return (WEB / "node_modules/axe-core/axe.min.js").read_text()


def _ask(page: Page, question: str, **options: object) -> list[Any]:
    found: list[Any] = page.evaluate(f"options => ({_look().strip()}).{question}(options)", options)
    return found


def faults(page: Page, *, scroll: bool = True) -> list[str]:
    """Text that is cut off or sticks out; without `scroll` also what needs scrolling."""
    return _ask(page, "faults", scroll=scroll)


def small(page: Page, least: int = 24, *, scroll: bool = True) -> list[str]:
    """Targets that are smaller than a finger needs, covered, or out of sight."""
    return _ask(page, "small", least=least, scroll=scroll)


def places(page: Page) -> list[Any]:
    """The name and rectangle of every target."""
    return _ask(page, "places")


def gaps(page: Page) -> list[str]:
    """Texts that are missing: keys, unfilled places."""
    return _ask(page, "gaps")


def audit(page: Page) -> list[str]:
    """What axe-core finds wrong, one line each."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(_axe())
    wanted = json.dumps(
        {"runOnly": {"type": "tag", "values": RULES}, "resultTypes": ["violations"]}
    )
    result = page.evaluate(f"async () => (await axe.run(document, {wanted})).violations")
    return [
        f"{each['id']}: {each['help']}: {[node['html'][:160] for node in each['nodes'][:3]]}"
        f" {[node.get('failureSummary', '')[:200] for node in each['nodes'][:1]]}"
        for each in result
    ]


WATCH_SHIFTS = """() => {
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput)
      window.shifts.push([entry.value,
        entry.sources.map(({node}) => node?.outerHTML?.slice(0, 99))]);
  }).observe({type: "layout-shift", buffered: false});
}"""


def watch_shifts(page: Page) -> None:
    """Note from now on whatever moves by itself."""
    page.evaluate(WATCH_SHIFTS)


def shifts(page: Page) -> list[Any]:
    """All layout shifts since `watch_shifts` that no input explains."""
    found: list[Any] = page.evaluate("() => window.shifts")
    return found
