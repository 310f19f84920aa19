"""How fast Sideboards is beside its peers: ratios of decisions per CPU second on one core.

Every round measures Sideboards and then its peer, half a CPU second each, so that both meet the
same machine in the same state. A ratio is the median of the ratios of the rounds, with the lowest
and the highest. Rows without a goal are there to be read beside the others: OpenSpiel with a fixed
order of the prizes, environments without any checks, and the bare games inside of rlcard's
environments. The peers live in an environment of their own, .venv-peers, made at the first run.
"""

import json
import os
import statistics
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Self

import sideboards as sb
from bench.core import random_games
from bench.loops import SEED, Measure, Measured, aec_games, nothing, timed
from sideboards.fast import playout
from sideboards.minds import envs

ROOT = Path(__file__).parents[1]
REPEATS = 7
SECONDS = 0.5
SEATS = 4
BATCH = 20_000
WARM_SECONDS = 1.0
OBJECTIVES = (5, 12, 15)


class PeersMissing(Exception):
    """The peers cannot be measured."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A measure of Sideboards, the peer's measure beside it, and the ratio that is the goal.

    Without a goal it is measured for information only.
    """

    name: str
    own: Callable[[], Measure]
    peer: str
    """What `bench.peers` is asked for."""
    project: str
    goal: float | None = None
    stretch: float | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """The rounds of a comparison."""

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
        made = subprocess.run(["scripts/venv", "peers"], cwd=ROOT, check=False)  # noqa: S607 - our own script
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


def batch_engine() -> Measure:
    """Random 4-player games in the batch engine, scored at the end."""
    edition, rng = sb.load_edition(), Random(SEED)

    def play(_: None) -> int:
        played = playout.random_games(
            edition,
            mode="standard",
            seats=SEATS,
            objectives=OBJECTIVES,
            games=BATCH,
            seed=rng.randrange(2**31),
        )
        return played.decisions

    play(None)  # compiles
    return lambda seconds: timed(nothing, play, seconds)


def wrapped_steps() -> Measure:
    """Steps of the PettingZoo environment with all its checks."""
    return aec_games(envs.env(players=SEATS))


def raw_steps() -> Measure:
    """Steps of the PettingZoo environment that refuses illegal actions only."""
    return aec_games(envs.raw_env(players=SEATS))


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
    Comparison("batch engine: random games", batch_engine, "goofspiel-fixed", "OpenSpiel"),
    Comparison("PettingZoo steps: env", wrapped_steps, "tictactoe", "PettingZoo", 5),
    Comparison("PettingZoo steps: raw_env", raw_steps, "tictactoe-raw", "PettingZoo"),
    Comparison("core with deals", lambda: core_play(deals=True), "rlcard", "rlcard", 1),
    Comparison(
        "core with deals", lambda: core_play(deals=True), "rlcard-bare-deals", "rlcard bare"
    ),
    Comparison("core without deals", lambda: core_play(deals=False), "rlcard-bare", "rlcard bare"),
)


def compare(comparison: Comparison, peers: Peers, repeats: int, seconds: float) -> Result:
    """Measure Sideboards and its peer in turn, `repeats` times."""
    own_measure = comparison.own()
    own_measure(WARM_SECONDS)  # what reads the objectives is made in the first games
    game, _ = peers.measure(comparison.peer, seconds / 10)  # the first time it is prepared
    own, peer = [], []
    for _ in range(repeats):
        own.append(own_measure(seconds))
        peer.append(peers.measure(comparison.peer, seconds)[1])
    return Result(comparison, game, tuple(own), tuple(peer))


def verdict(ratio: float, goal: float | None, stretch: float | None) -> str:
    """Whether a ratio reaches its goal; nothing where there is none."""
    if goal is None:
        return ""
    if stretch and ratio >= stretch:
        return f"reached, and the stretch of {stretch:g} x"
    return "reached" if ratio >= goal else f"missed: {ratio / goal:.2f} of the goal"


def row(result: Result) -> str:
    """A comparison as a line of the table."""
    comparison = result.comparison
    beside = f"{comparison.project} {result.game}"
    theirs = statistics.median(each.rate for each in result.peer)
    goal = "-" if comparison.goal is None else f"{comparison.goal:g} x"
    ours = statistics.median(each.rate for each in result.own)
    ratio = statistics.median(result.ratios)
    spread = f"{ratio:.2f} ({min(result.ratios):.2f}-{max(result.ratios):.2f})"
    line = (
        f"{comparison.name:27} {ours:11,.0f} {beside:32} {theirs:11,.0f} {spread:>20} {goal:>5}"
        f"  {verdict(ratio, comparison.goal, comparison.stretch)}"
    )
    return line.rstrip()


HEADER = (
    f"{'decisions per CPU second':27} {'Sideboards':>11} {'beside':32} {'the peer':>11}"
    f" {'ratio (low-high)':>20} {'goal':>5}"
)


def alone(comparison: Comparison, seconds: float) -> str:
    """The own rate of a comparison whose peer is missing, as a line."""
    return f"{comparison.name:27} {comparison.own()(seconds).rate:11,.0f}"


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
            if comparison.goal is not None:
                print(alone(comparison, SECONDS))
