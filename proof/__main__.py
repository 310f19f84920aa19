"""`python -m proof`: one goal, or all of them for hours."""

import argparse
import importlib
import signal
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from proof.goals import GOALS, Goal
from proof.outcome import Outcome
from proof.soak import Soak, run_chunk
from sideboards.core.refusal import Refusal

LIST = "proof.goals:GOALS"


def goals_of(source: str) -> Sequence[Goal]:
    """The list of goals at `module:name`."""
    module, _, name = source.partition(":")
    found: Sequence[Goal] = getattr(importlib.import_module(module), name)
    return found


def chosen(goals: Sequence[Goal], name: str) -> Goal:
    """The goal with a name; refused if there is none."""
    for goal in goals:
        if goal.name.lower() == name.lower():
            return goal
    expected = ", ".join(goal.name for goal in goals)
    raise Refusal(f"goal: found {name!r}; expected soak, or one of {expected}")


def soak(asked: argparse.Namespace) -> int:
    """Run goals in turn for hours."""
    goals = goals_of(asked.goals)
    picked = [chosen(goals, name) for name in asked.only] or goals
    if not 0 < asked.hours <= 24 * 60:
        raise Refusal(f"--hours: found {asked.hours:g}; expected more than 0, up to 1440")
    running = Soak(
        picked, asked.folder, asked.report, asked.hours * 3600, asked.goals,
        seed=asked.seed, chunks=asked.chunks,
    )  # fmt: skip
    for sign in (signal.SIGINT, signal.SIGTERM):
        signal.signal(sign, lambda *_: running.stop())
    code = running.run()
    faults = running.ledger.faults
    print(f"{faults} faults in {running.ledger.seconds / 3600:.2f} h; see {asked.report}")
    return code


def once(asked: argparse.Namespace) -> int:
    """Run one goal and say what it found."""
    goal = chosen(goals_of(asked.goals), asked.what)
    count, seed = asked.count or goal.gate, asked.seed or 0
    # First of all, so that it is known also of a run that hangs or breaks.
    print(f"seed {seed}; again: {goal.again(count, seed, asked.mutant)}", flush=True)
    with tempfile.TemporaryDirectory(prefix="sideboards-proof-") as folder:
        outcome = goal.run(Path(folder), count, seed, asked.mutant)
    judged = Outcome(0)
    if goal.verdict and all(outcome.samples.values()):
        judged = goal.judge(outcome.samples)
    faults = (*outcome.faults, *judged.faults)
    print(f"{goal.name} {goal.title}: {outcome.done:,} {goal.unit}, {len(faults)} faults")
    for name, value in {**outcome.figures, **judged.figures}.items():
        print(f"  {value:12,.3f}  {name}")
    for fault in faults:
        print(f"  fault: {fault}")
    return 1 if faults else 0


def main(arguments: list[str] | None = None) -> int:
    """The exit code: 1 after a fault, 2 if something else was expected."""
    listed = "; ".join(f"{goal.name} {goal.title}" for goal in GOALS)
    parser = argparse.ArgumentParser("python -m proof", description=__doc__, epilog=listed)
    parser.add_argument("what", help="soak, or a goal such as G3")
    parser.add_argument("name", nargs="?", help=argparse.SUPPRESS)
    parser.add_argument("--hours", type=float, default=1.0, help="how long a soak lasts")
    parser.add_argument("--chunks", type=int, help="end a soak after so many chunks")
    parser.add_argument("--only", action="append", default=[], help="goals of a soak, each once")
    parser.add_argument("--count", type=int, help="how many of what a goal counts")
    parser.add_argument("--seed", type=int, help="the same seed makes the same choices")
    parser.add_argument("--mutant", default="", help="a planted bug, see proof/mutants")
    parser.add_argument("--goals", default=LIST, help="another list of goals, module:name")
    parser.add_argument("--folder", type=Path, default=Path("soak"), help="what a soak keeps")
    parser.add_argument("--report", type=Path, default=Path("soak-report.html"))
    parser.add_argument("--result", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    try:
        match asked.what:
            case "soak":
                return soak(asked)
            case "chunk":
                goal = chosen(goals_of(asked.goals), asked.name)
                run_chunk(goal, asked.count, asked.seed, asked.folder, asked.result)
                return 0
            case _:
                return once(asked)
    except Refusal as refusal:
        print(f"proof: {refusal}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
