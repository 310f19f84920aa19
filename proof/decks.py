"""Unbiased decks: every card comes to every place equally often, and every key deals its own."""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from random import Random

from proof.mutants import MUTANTS
from proof.outcome import Outcome
from sideboards.core.edition import CARDS
from sideboards.core.fair import fair_setup, rules_string
from sideboards.data import load_edition

LIMIT = 3_878.0
"""Chi-square with 59 x 59 degrees of freedom is above this once in about a million fair runs."""


def run(folder: Path, count: int, seed: int, mutant: str = "") -> Outcome:  # noqa: ARG001 (no file)
    """Deal so many decks, in a process of its own so that a planted bug stays there."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        counts, doubles = pool.submit(_places, count, seed, mutant).result()
    expected = count / CARDS
    square = sum((found - expected) ** 2 / expected for row in counts for found in row)
    faults = []
    if square > LIMIT:
        faults.append(f"chi-square of cards and places is {square:.0f}; expected below {LIMIT:.0f}")
    if doubles:
        faults.append(f"{doubles} of {count} decks were dealt before; expected none")
    return Outcome(count, tuple(faults), {"chi-square of cards and places": square})


def _places(count: int, seed: int, mutant: str) -> tuple[list[list[int]], int]:
    """How often each card came to each place, and how many decks came twice."""
    if mutant:
        MUTANTS[mutant]()
    edition, rng = load_edition(), Random(seed)
    rules = rules_string(edition, "standard", 4, None)
    counts = [[0] * CARDS for _ in range(CARDS)]
    seen = set[tuple[int, ...]]()
    for _ in range(count):
        deck = fair_setup(rng.randbytes(64), edition, rules).deck
        seen.add(deck)
        for place, card in enumerate(deck):
            counts[place][card - 1] += 1
    return counts, count - len(seen)
