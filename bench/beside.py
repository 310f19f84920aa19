"""How fast Sideboards is beside its peers: ratios of decisions per CPU second on one core.

Every round measures Sideboards and then its peer, half a CPU second each, so that both meet the
same machine in the same state. A ratio is the median of the ratios of the rounds, with the lowest
and the highest. The peers live in an environment of their own, .venv-peers, made at the first run.
"""

import json
import os
import statistics
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any, Self

import sideboards as sb
from bench.core import random_games
from bench.loops import SEED, Measure, Measured, aec_games, nothing, timed

ROOT = Path(__file__).parents[1]
REPEATS = 7
SECONDS = 0.5
SEATS = 4
BATCH = 20_000
PLACEMENTS = 28
"""What four seats decide in a standard game at least: a start and six placements each."""
OBJECTIVES = (5, 12, 15)


class NotThereYet(Exception):
    """A part of Sideboards that cannot be measured because it is not written."""


class PeersMissing(Exception):
    """The peers cannot be measured."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A measure of Sideboards, the peer's measure beside it, and the ratio that is the goal."""

    name: str
    own: Callable[[], Measure]
    peer: str
    """What `bench.peers` is asked for."""
    project: str
    goal: float
    stretch: float | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """The rounds of a comparison; without own rounds when there is nothing to measure yet."""

    comparison: Comparison
    game: str
    """What the peer played."""
    own: tuple[Measured, ...]
    peer: tuple[Measured, ...]

    @property
    def ratios(self) -> tuple[float, ...]:
        """Round by round, how many decisions Sideboards makes in the time of one of the peer."""
        pairs = zip(self.own, self.peer, strict=True)
        return tuple(own.rate / peer.rate for own, peer in pairs)


class Peers:
    """The process that measures the peers, asked line by line."""

    def __init__(self) -> None:
        made = subprocess.run(["scripts/venv", "peers"], cwd=ROOT, check=False)  # noqa: S607
        if made.returncode:
            raise PeersMissing(
                "The peers could not be installed (is there a network?): Sideboards stands alone."
            )
        self.process = subprocess.Popen(
            [ROOT / ".venv-peers" / "bin" / "python", "-m", "bench.peers"],
            cwd=ROOT,
            env=os.environ | {"PYGAME_HIDE_SUPPORT_PROMPT": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.versions = self._read()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.communicate()

    def ask(self, request: str) -> dict[str, Any]:
        """The answer to one line."""
        assert self.process.stdin  # noqa: S101 - it was opened as a pipe
        self.process.stdin.write(request + "\n")
        self.process.stdin.flush()
        return self._read()

    def measure(self, name: str, seconds: float) -> tuple[str, Measured]:
        """What the peer played, and how much of it in about so many CPU seconds."""
        found = self.ask(f"{name} {seconds}")
        return found["game"], Measured(found["decisions"], found["seconds"])

    def _read(self) -> dict[str, Any]:
        assert self.process.stdout  # noqa: S101 - it was opened as a pipe
        line = self.process.stdout.readline()
        if not line:
            raise PeersMissing("The peers' process ended early: Sideboards stands alone.")
        answer: dict[str, Any] = json.loads(line)
        return answer


def part(module: str) -> Any:  # noqa: ANN401 - a module that may not be there
    """A module of Sideboards that is measured as soon as it is there."""
    try:
        return import_module(module)
    except ModuleNotFoundError as missing:
        if missing.name and module.startswith(missing.name):
            raise NotThereYet("not there yet") from None
        raise


def batch_engine() -> Measure:
    """Random 4-player games in the batch engine, scored at the end."""
    playout = part("sideboards.fast.playout")
    edition, rng = sb.load_edition(), Random(SEED)

    def play(_: None) -> int:
        playout.random_games(
            edition,
            mode="standard",
            seats=SEATS,
            objectives=OBJECTIVES,
            games=BATCH,
            seed=rng.randrange(2**31),
        )
        return BATCH * PLACEMENTS  # swaps are decisions too; uncounted, they only lower the rate

    play(None)  # compiles
    return lambda seconds: timed(nothing, play, seconds)


def wrapped_steps() -> Measure:
    """Steps of the PettingZoo environment with all its wrappers."""
    return aec_games(part("sideboards.minds.envs").env(players=SEATS))


def raw_steps() -> Measure:
    """Steps of the PettingZoo environment without wrappers."""
    return aec_games(part("sideboards.minds.envs").raw_env(players=SEATS))


def core_play(*, deals: bool) -> Measure:
    """Random 4-player games in the core, move by move; with `deals` shuffling counts too."""
    edition, rng = sb.load_edition(), Random(SEED)

    def shuffle() -> list[sb.Setup]:
        return [sb.new_setup(edition, seats=SEATS, rng=rng) for _ in range(20)]

    if deals:
        return lambda seconds: timed(nothing, lambda _: random_games(shuffle(), rng), seconds)
    return lambda seconds: timed(shuffle, lambda setups: random_games(setups, rng), seconds)


COMPARISONS = (
    Comparison("batch engine: random games", batch_engine, "goofspiel", "OpenSpiel", 10, 20),
    Comparison("PettingZoo steps: env", wrapped_steps, "tictactoe", "PettingZoo", 5),
    Comparison("PettingZoo steps: raw_env", raw_steps, "tictactoe-raw", "PettingZoo", 5),
    Comparison("core, move by move", lambda: core_play(deals=False), "rlcard", "rlcard", 1),
    Comparison(
        "core, with shuffling and dealing",
        lambda: core_play(deals=True),
        "rlcard-deals",
        "rlcard",
        1,
    ),
)


def compare(comparison: Comparison, peers: Peers, repeats: int, seconds: float) -> Result:
    """Measure Sideboards and its peer in turn, `repeats` times."""
    try:
        own_measure: Measure | None = comparison.own()
    except NotThereYet:
        own_measure = None
    game, _ = peers.measure(comparison.peer, seconds / 10)  # the first time it is prepared
    own, peer = [], []
    for _ in range(repeats):
        if own_measure:
            own.append(own_measure(seconds))
        peer.append(peers.measure(comparison.peer, seconds)[1])
    return Result(comparison, game, tuple(own), tuple(peer))


def verdict(ratio: float, goal: float, stretch: float | None) -> str:
    """Whether a ratio reaches its goal."""
    if stretch and ratio >= stretch:
        return f"reached, and the stretch of {stretch:g} x"
    return "reached" if ratio >= goal else f"missed: {ratio / goal:.2f} of the goal"


def row(result: Result) -> str:
    """A comparison as a line of the table."""
    comparison = result.comparison
    beside = f"{comparison.project} {result.game}"
    theirs = statistics.median(each.rate for each in result.peer)
    goal = f"{comparison.goal:g} x"
    if not result.own:
        return (
            f"{comparison.name:33} {'-':>11} {beside:25} {theirs:11,.0f} {'-':>20} {goal:>5}"
            "  not there yet"
        )
    ours = statistics.median(each.rate for each in result.own)
    ratio = statistics.median(result.ratios)
    spread = f"{ratio:.2f} ({min(result.ratios):.2f}-{max(result.ratios):.2f})"
    return (
        f"{comparison.name:33} {ours:11,.0f} {beside:25} {theirs:11,.0f} {spread:>20} {goal:>5}"
        f"  {verdict(ratio, comparison.goal, comparison.stretch)}"
    )


HEADER = (
    f"{'decisions per CPU second':33} {'Sideboards':>11} {'beside':25} {'the peer':>11}"
    f" {'ratio (low-high)':>20} {'goal':>5}"
)


def alone(comparison: Comparison, seconds: float) -> str:
    """The own rate of a comparison whose peer is missing, as a line."""
    try:
        return f"{comparison.name:33} {comparison.own()(seconds).rate:11,.0f}"
    except NotThereYet:
        return f"{comparison.name:33} not there yet"


def main() -> None:
    """Measure and print."""
    print(__doc__)
    try:
        with Peers() as peers:
            print("; ".join(f"{name} {number}" for name, number in peers.versions.items()))
            print(HEADER)
            for comparison in COMPARISONS:
                print(row(compare(comparison, peers, REPEATS, SECONDS)), flush=True)
    except PeersMissing as missing:
        print(missing)
        for comparison in COMPARISONS:
            print(alone(comparison, SECONDS))
