"""Twin worlds: nobody can tell them apart, and every planted leak is found."""

from pathlib import Path

import pytest

from proof.mutants.secrecy import MUTANTS
from proof.turns import likeness
from proof.twins import KINDS, twins
from proof.worlds import run
from sideboards.core.view import view
from sideboards.data import load_edition

pytestmark = pytest.mark.long
PAIRS = 500
FEW = 8
"""Pairs that are enough to see a planted bug: every kind of exchange is among them."""
WITH_A_BOT = 20

CHANNELS = {
    "socket",
    "older tab",
    "lost socket",
    "rest",
    "page",
    "feed",
    "preview",
    "metrics",
    "terminal",
    "environment",
}
SEEN_BY = {
    "seed in the view": "holds the server's seed in hexadecimal",
    "stable hidden ids": "differs at byte",
    "early choice": "differs at byte",
    "spectator sees hands": "of a spectator differs at byte",
    "frame length depends on a choice": "differs at byte",
    "chain head over secrets": "differs at byte",
    "bot sees state": "the bot was asked something else",
    "coach sees hands": "the coach told something else",
    "initial deck in join": "differs at byte",
    "log arguments": "differs at byte",
    "neighbor's hand": "differs at byte",
}


def test_nobody_can_tell_twin_worlds_apart(tmp_path: Path, seed: int) -> None:
    outcome = run(tmp_path, PAIRS, seed)
    print(dict(outcome.figures))
    assert not outcome.faults, outcome.faults[:5]
    assert outcome.done >= PAIRS
    assert all(outcome.figures[f"bytes of {channel}"] > 0 for channel in CHANNELS)
    assert outcome.figures["pairs seen to differ"] >= 0.95 * PAIRS
    assert outcome.figures["bot turns"] > 20
    assert outcome.figures["tables with a coach"] == 4
    assert outcome.figures["pairs with PostgreSQL"] == 10


@pytest.mark.parametrize(
    "mutant", [pytest.param(name, marks=pytest.mark.catches(name)) for name in MUTANTS]
)
def test_a_planted_leak_is_found(tmp_path: Path, seed: int, mutant: str) -> None:
    count = {"bot sees state": WITH_A_BOT, "coach sees hands": 1}.get(mutant, FEW)
    outcome = run(tmp_path, count, seed, mutant, coached=int(mutant == "coach sees hands"))
    assert any(SEEN_BY[mutant] in fault for fault in outcome.faults), outcome.faults[:5]


def test_pairs_are_of_every_kind_and_their_states_differ(seed: int) -> None:
    pairs = [twins(load_edition(), seed, number) for number in range(60)]
    wanted = {kind if isinstance(kind, str) else "-".join(kind) for kind in KINDS}
    assert {pair.kind for pair in pairs} >= wanted - {"discards-pile", "discards-hand"}
    for pair in pairs:
        one, other = (world.state() for world in pair.worlds)
        assert one != other
        assert pair.viewer in pair.blind
        assert all(view(one, each) == view(other, each) for each in pair.blind)
        ended = [*one.seats] == [*other.seats] and one.pile == other.pile
        assert ended == (pair.kind == "choice")


def test_delays_of_one_distribution_are_told_from_those_of_two() -> None:
    even, odd = list(range(0, 400, 2)), list(range(1, 400, 2))
    assert likeness(even, odd) > 0.9
    assert likeness(even, [each + 100 for each in odd]) < 1e-5
    # Of 10 against 10 values that do not mix, 2 of 184,756 orders are as extreme.
    assert likeness(range(10), range(10, 20)) < 1e-3
