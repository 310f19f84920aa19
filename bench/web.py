"""What the page costs: bytes, the first picture, the first touch, and memory over many games.

A real Chromium and `sideboards serve` on loopback. A phone is stood in for by a processor 4 times
slower, 1.6 Mbit/s down and 150 ms round trip, each time with an empty cache. Interactive is the
time at which a card of the hand can be taken and no task of more than 50 ms follows for a second.
From input to paint: the time of the event to the end of the frame that shows it, over all keys of
several whole games, with a tenth of a second between two keys.
Memory is that of the page alone: the browser interprets, because the machine code that it compiles
while one plays lies in the same heap and hides what the page keeps.
"""

import argparse
import gzip
import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, CDPSession, Page

from bench.hosts import Server
from bench.line import Line, show
from scripts.chromium import STATIC, build, launched
from sideboards.core.refusal import Refusal
from tests.web.games import by_keys, keys, play, rematch
from tests.web.visitors import House

SLOWER = 4
DOWN, UP = 1_600_000 / 8, 750_000 / 8
ROUND_TRIP = 150
BETWEEN = 100
"""Milliseconds between two keys: as fast as people can."""
INTERPRETED = "--js-flags=--no-opt,--no-maglev,--no-sparkplug"
"""Without any of the compilers that make machine code."""
QUIET = 1000
"""Milliseconds without a long task after which a page counts as interactive."""
BYTES_GOAL, LOAD_GOAL, INPUT_GOAL, GROWTH_GOAL = 60.0, 1.5, 50.0, 1.1


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is measured."""

    loads: int = 7
    games: int = 50
    settle: int = 5
    """Games after which memory is read for the first time."""
    keyed: int = 4
    """Games whose keys are timed: about 25 keys each, so that a few slow ones do not decide."""


QUICK = Plan(loads=3, games=8, settle=3, keyed=2)

NOTE_TIMES = """(() => {
  window.times = {first: 0, card: 0, busy: 0};
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries())
      if (entry.name === "first-contentful-paint") times.first = entry.startTime;
  }).observe({type: "paint", buffered: true});
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) times.busy = entry.startTime + entry.duration;
  }).observe({type: "longtask", buffered: true});
  const look = () => {
    const card = document.querySelector("main button[aria-pressed]");
    if (card !== null) times.card = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})()"""
READY = f"""() => {{
  const {{first, card, busy}} = window.times;
  return first > 0 && card > 0 && performance.now() - Math.max(card, busy) > {QUIET};
}}"""
NOTE_INPUTS = """(() => {
  window.inputs = [];
  addEventListener("keydown", (event) => {
    const begin = event.timeStamp;
    requestAnimationFrame(() => {
      const after = new MessageChannel();
      after.port1.onmessage = () => window.inputs.push(performance.now() - begin);
      after.port2.postMessage(null);
    });
  }, true);
})()"""


# ---- bytes -------------------------------------------------------------------------------------


def script_bytes() -> int:
    """JavaScript of the play screen, gzipped: the entry and all that it imports at once."""
    manifest = json.loads((STATIC / ".vite/manifest.json").read_text())
    wanted, seen = [key for key, part in manifest.items() if part.get("isEntry")], set[str]()
    while wanted:
        key = wanted.pop()
        if key not in seen:
            seen.add(key)
            wanted += manifest[key].get("imports", [])
    files = [STATIC / manifest[key]["file"] for key in seen]
    return sum(len(gzip.compress(file.read_bytes(), 9)) for file in files)


# ---- loading -----------------------------------------------------------------------------------


def slow_down(page: Page) -> CDPSession:
    """Make of this machine a phone on a slow net."""
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.clearBrowserCache")
    session.send(
        "Network.emulateNetworkConditions",
        {
            "offline": False,
            "latency": ROUND_TRIP,
            "downloadThroughput": DOWN,
            "uploadThroughput": UP,
        },
    )
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    return session


def load(house: House, path: str | None) -> tuple[float, float]:
    """Seconds to the first contentful paint and until interactive; None: a table with a game."""
    visitor = house.visit()
    if path is None:
        path = f"/t/{visitor.dealt('easy', show=False)}"
    visitor.context.add_init_script(NOTE_TIMES)
    slow_down(visitor.page)
    visitor.page.goto(house.base + path, wait_until="commit")
    visitor.page.wait_for_function(READY, timeout=60_000)
    times = visitor.page.evaluate("() => window.times")
    visitor.context.close()
    house.visitors.remove(visitor)
    return times["first"] / 1000, max(times["first"], times["card"], times["busy"]) / 1000


# ---- playing -----------------------------------------------------------------------------------


def inputs(house: House, rate: int, seed: int) -> list[float]:
    """Milliseconds from input to paint in a whole game against a bot."""
    visitor = house.visit(speed="normal", moving=True)
    visitor.context.add_init_script(NOTE_INPUTS)
    visitor.dealt("easy")
    session = visitor.context.new_cdp_session(visitor.page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": rate})
    play(visitor, keys, seed)
    found: list[float] = visitor.page.evaluate("() => window.inputs")
    visitor.context.close()
    house.visitors.remove(visitor)
    return found


def heaps(house: House, games: int) -> list[dict[str, float]]:
    """What the tab holds after each of so many games, garbage collected."""
    visitor = house.visit(speed="none")
    table = visitor.dealt()
    session = visitor.context.new_cdp_session(visitor.page)
    session.send("Performance.enable")
    found = []
    for number in range(games):
        if number:
            table = rematch(visitor)
        by_keys(visitor, table)
        session.send("HeapProfiler.collectGarbage")
        metrics = session.send("Performance.getMetrics")["metrics"]
        found.append({each["name"]: float(each["value"]) for each in metrics})
    visitor.context.close()
    house.visitors.remove(visitor)
    return found


# ---- all ---------------------------------------------------------------------------------------


@contextmanager
def house_of(browser: Browser) -> Iterator[House]:
    """A server on a fresh file, and the browser in front of it."""
    with (
        tempfile.TemporaryDirectory(prefix="sideboards-bench-") as folder,
        Server(Path(folder) / "web.db", "--bot-beat", "0") as server,
    ):
        server.warm()
        yield House(browser, f"http://127.0.0.1:{server.port}")


def measure(plan: Plan) -> list[Line]:
    """All lines."""
    build()
    kilobytes = script_bytes() / 1000
    lines = [Line("play screen: kB of JavaScript, gzipped", (kilobytes,), BYTES_GOAL)]
    with launched() as browser, house_of(browser) as house:
        load(house, "/")  # the server's own first answer is no matter of the page
        for name, path in (("start page", "/"), ("play screen", None)):
            times = [load(house, path) for _ in range(plan.loads)]
            firsts, readies = zip(*times, strict=True)
            lines.append(Line(f"{name}: s to first contentful paint", firsts, LOAD_GOAL))
            lines.append(Line(f"{name}: s until interactive", readies, LOAD_GOAL))
    with launched(INTERPRETED) as browser, house_of(browser) as house:
        heap = heaps(house, plan.games)
        for key, name in (
            ("JSHeapUsedSize", "heap"),
            ("Nodes", "nodes"),
            ("JSEventListeners", "listeners"),
        ):
            before, after = heap[plan.settle - 1][key], heap[-1][key]
            note = f"{before:,.0f} after game {plan.settle}, {after:,.0f} after game {plan.games}"
            lines.append(
                Line(
                    f"one tab, {plan.games} games: growth of {name}",
                    (after / before,),
                    GROWTH_GOAL,
                    note=note,
                )
            )
    with launched(pause=BETWEEN) as browser, house_of(browser) as house:
        for rate, name in ((1, "this machine"), (SLOWER, f"{SLOWER} x slower")):
            found = sorted(
                each for seed in range(1, plan.keyed + 1) for each in inputs(house, rate, seed)
            )
            late = found[int(len(found) * 0.95)]
            note = f"median {found[len(found) // 2]:.0f} of {len(found)} inputs"
            lines.append(
                Line(f"play: ms input to paint, 95 %, {name}", (late,), INPUT_GOAL, note=note)
            )
    return lines


def main(arguments: list[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser("python -m bench.web", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer loads and games")
    parser.add_argument("--json", action="store_true", help="print JSON")
    asked = parser.parse_args(arguments)
    try:
        lines = measure(QUICK if asked.quick else Plan())
    except Refusal as refusal:
        sys.exit(f"The page could not be measured: {refusal}.")
    show(__doc__, lines, as_json=asked.json)


if __name__ == "__main__":
    main()
