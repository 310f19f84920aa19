"""Compiles all kernels once, so that tests in several processes do not do it side by side."""

from random import Random

import numpy as np

from sideboards.core.game import new_setup
from sideboards.data import load_edition
from sideboards.fast.engine import material, rules
from sideboards.fast.learning import Lesson, learn_games, swap_gains
from sideboards.fast.playout import logged_games, random_games
from sideboards.fast.tables import SITUATIONS, classes, runs
from sideboards.minds.par import par
from sideboards.minds.warm import warm_up


def main() -> None:
    """Run each kernel on something small; quick when that was done before."""
    edition = load_edition()
    warm_up(lambda: print("compiling the kernels (once, about a minute) ..."))
    par(new_setup(edition, seats=1, rng=Random(0)))
    for play in (random_games, logged_games):
        play(edition, mode="solo", seats=1, objectives=(1, 8, 15), games=1, seed=0)
    color, handle, row = edition.objectives((1, 8, 15))
    weights = [np.zeros(size, np.float32) for size in (500, 500, SITUATIONS)]
    known = material(edition, (1, 8, 15))
    lesson = Lesson(known, classes(color), classes(handle), runs(row), *weights)
    learn_games(lesson, rules("solo", 1), 1, 0.1, 0)
    swap_gains(lesson, 1, 0)


if __name__ == "__main__":
    main()
