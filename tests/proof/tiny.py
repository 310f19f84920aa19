"""Goals that take no time, for the tests of the soak."""

import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from proof.goals import Goal
from proof.outcome import Outcome


def fine(folder: Path, count: int, seed: int) -> Outcome:
    assert folder.is_dir()
    return Outcome(count, (), {"ms of a <tiny> thing": float(seed % 50 + 1)})


def broken(folder: Path, count: int, seed: int) -> Outcome:
    del folder, seed
    return Outcome(count, ("table x: 1 < 2 & lost",))


def crashing(folder: Path, count: int, seed: int) -> Outcome:
    raise RuntimeError(f"nothing works in {folder.name} with {count} and {seed > 0}")


def slow(folder: Path, count: int, seed: int) -> Outcome:
    """Never ends by itself, and has a process that does not either."""
    del seed
    (folder.parent / "begun").touch()
    with subprocess.Popen([sys.executable, "-c", f"import time; time.sleep(600) # {folder}"]):
        time.sleep(600)
    return Outcome(count)


def sampling(folder: Path, count: int, seed: int) -> Outcome:
    del folder
    return Outcome(count, samples={"one": [float(seed)] * count, "other": [0.5] * count})


def judging(samples: Mapping[str, Sequence[float]]) -> Outcome:
    one, other = samples["one"], samples["other"]
    told = f"{len(set(one))} of {len(one)} and {len(set(other))} of {len(other)}"
    return Outcome(len(one), (told,), {"p": 0.5})


def goal(name: str, function: str, target: int, chunk: int) -> Goal:
    place = f"tests.proof.tiny:{function}"
    return Goal(name, f"the {function} one", "it <holds>", "things", 1, target, chunk, place)


GOALS = (goal("T1", "fine", 40, 10), goal("T2", "fine", 10**6, 7))
BROKEN = (goal("T1", "fine", 10, 10), goal("T3", "broken", 5, 5), goal("T4", "crashing", 5, 5))
SLOW = (goal("T1", "fine", 10, 10), goal("T5", "slow", 5, 5))
SAMPLES = (replace(goal("T6", "sampling", 40, 10), verdict="tests.proof.tiny:judging", samples=20),)
ENDS = (goal("T1", "fine", 20, 10),)
