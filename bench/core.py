"""How fast the core is: CPU rates on one core, each beside its goal.

The machine may be busy, so every rate is measured several times, in turn with a plain Python
loop. Median, lowest and highest are printed: when the loop's rates differ, so does the machine's
speed, and the highest is the rate of an undisturbed core.
"""

import gc
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

import sideboards as sb
from sideboards.core.scoring import points

REPEATS = 7
SEED = 2024


@dataclass(frozen=True, slots=True)
class Rate:
    """A thing to measure: `run` does it once and says how many it did."""

    name: str
    goal: float
    run: Callable[[], int]


def random_games(setups: list[sb.Setup], rng: Random) -> int:
    """Play each set-up to the end by random legal moves; the number of decisions."""
    decisions = 0
    for setup in setups:
        state = sb.deal(setup)
        while not state.over:
            for seat in range(setup.seats):
                swapped = True
                while swapped:
                    move = rng.choice(sb.legal(state, seat))
                    state = sb.step(state, seat, move)
                    swapped = isinstance(move, sb.Swap)
                    decisions += 1
    return decisions


def finished_boards(edition: sb.Edition, count: int, rng: Random) -> list[sb.Board]:
    """The boards of random finished games."""
    boards: list[sb.Board] = []
    while len(boards) < count:
        state = sb.deal(sb.new_setup(edition, seats=6, rng=rng))
        while not state.over:
            for seat in state.waiting:
                state = sb.step(state, seat, rng.choice(sb.legal(state, seat)[:-1]))
        boards += [seat.board for seat in state.seats]
    return boards[:count]


def plain_loop() -> int:
    """A loop without meaning, to see how fast the machine is at the moment."""
    total = 0
    for i in range(1_000_000):
        total += i & 3
    return 1_000_000


def rates() -> list[Rate]:
    """Everything that is measured."""
    edition, rng = sb.load_edition(), Random(SEED)
    setups = [sb.new_setup(edition, seats=4, rng=rng) for _ in range(400)]
    boards = finished_boards(edition, 60_000, rng)
    objectives = edition.objectives((5, 12, 15))  # the widest patterns, and two runs to find
    for board in boards[:30_000]:
        sb.tally(board, objectives, edition)
    fresh = boards[30_000:]  # once warm means: the tables are, the boards are new
    tables = [fresh[i : i + 4] for i in range(0, len(fresh), 4)]
    views = [sb.view(sb.deal(setup), seat=0) for setup in setups[:50]]

    def score_tables() -> int:
        for four in tables:
            sb.final_scores(four, objectives, edition, "standard", [True] * 4)
        return len(fresh)

    def score_boards() -> int:
        for board in fresh:
            counted = sb.tally(board, objectives, edition)
            points(counted, objectives, [counted.row], "solo", swap=True)
        return len(fresh)

    def imagine_states() -> int:
        for view in views:
            sb.imagine(view, rng)
        return len(views)

    def list_options() -> int:
        return sum(len(view.options) for view in views)

    return [
        Rate(
            "decisions in random 4-player games (legal, step)",
            60_000,
            lambda: random_games(setups, rng),
        ),
        Rate("scores of single finished boards, all parts, once warm", 100_000, score_boards),
        Rate("the same for 4 boards at a table, with their places", 0, score_tables),
        Rate("options with points at the start", 0, list_options),
        Rate("imagined states at the start", 0, imagine_states),
        Rate("turns of a plain Python loop", 0, plain_loop),
    ]


def import_seconds() -> float:
    """The CPU time of `import sideboards` in a new process."""
    code = (
        "import time; begin = time.process_time(); import sideboards;"
        "print(time.process_time() - begin); import sys; assert 'numpy' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(done.stdout)


def main() -> None:
    """Measure and print."""
    print(__doc__)
    measured: dict[str, list[float]] = {}
    prepared = rates()
    gc.freeze()  # the prepared boards are nothing that the collector should walk through
    imports = []
    for _ in range(REPEATS):
        for rate in prepared:
            begin = time.process_time()
            number = rate.run()
            measured.setdefault(rate.name, []).append(number / (time.process_time() - begin))
        imports.append(import_seconds())
    print(f"{'per CPU second':58} {'median':>12} {'lowest':>12} {'highest':>12} {'goal':>9}")
    for rate in prepared:
        found = measured[rate.name]
        goal = f"{rate.goal:,.0f}" if rate.goal else "-"
        middle = statistics.median(found)
        verdict = ""
        if rate.goal:
            verdict = f"  {middle / rate.goal:.2f} x goal (best {max(found) / rate.goal:.2f} x)"
        figures = f"{middle:12,.0f} {min(found):12,.0f} {max(found):12,.0f} {goal:>9}"
        print(f"{rate.name:58} {figures}{verdict}")
    middle = statistics.median(imports)
    print(f"import sideboards, without numpy: {middle:.3f} s CPU (goal: under 0.15)")


if __name__ == "__main__":
    main()
