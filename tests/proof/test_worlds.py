"""Twin worlds: nobody can tell them apart, and every planted leak is found."""

from pathlib import Path

import pytest

from proof.mutants.secrecy import MUTANTS
from proof.turns import likeness, verdict
from proof.twins import KINDS, twins
from proof.worlds import BATCH, Beside, run
from sideboards.core.view import view
from sideboards.data import load_edition

pytestmark = pytest.mark.long
PAIRS = 500
FEW = 8
"""Pairs that are enough to see a planted bug: every kind of exchange is among them."""
BESIDE = {
    "bot sees state": (1, Beside(bots=2)),
    "coach sees hands": (1, Beside(coached=1)),
    "agents see hands": (0, Beside(agents=FEW)),
    "pause tells of hands": (1, Beside(bots=36)),
    "refusal tells of hands": (3 * FEW, Beside()),
}
"""Planted bugs that show elsewhere: pairs, and what is played beside them."""
CHANNELS = {
    "socket": 1.0,
    "seat": 0.9,
    "older tab": 0.3,
    "lost socket": 0.15,
    "routes": 1.0,
    "exports": 1.0,
    "refusals": 1.0,
    "lists": 1.0,
    "metrics": 1.0,
    "feed": 0.7,
    "terminal": 0.7,
    "packed page": 0.9,
    "page": 0.1,
    "preview": 0.2,
    "environment": 1.0,
}
"""The least share of pairs in which each is compared; on a quiet machine. Spectators, a sixth of
the viewers, have neither a feed nor a text client."""
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
    "export too early": "exports of",
    "page tells of hands": "page of",
    "agents see hands": "the environment tells seat",
    "metrics by card": "metrics differ",
    "refusal tells of hands": "differs at byte",
    "pause tells of hands": "their delays differ",
}
ONLY = {"export too early", "page tells of hands", "agents see hands", "metrics by card"}
"""Planted bugs that show in one channel alone, so that none of the others could catch them."""


def test_nobody_can_tell_twin_worlds_apart(tmp_path: Path, seed: int) -> None:
    outcome = run(tmp_path, PAIRS, seed)
    print(dict(outcome.figures))
    assert not outcome.faults, outcome.faults[:5]
    assert outcome.done >= PAIRS
    quiet = PAIRS - BATCH * outcome.figures["pairs disturbed"]
    for channel, share in CHANNELS.items():
        assert outcome.figures[f"bytes of {channel}"] > 0
        assert outcome.figures[f"pairs over {channel}"] >= share * quiet, channel
    assert outcome.figures["pairs seen to differ"] >= 0.95 * PAIRS
    assert outcome.figures["bot turns"] > 60
    assert not verdict(outcome.samples).faults
    assert outcome.figures["tables with a coach"] == 4
    assert outcome.figures["pairs with PostgreSQL"] == 10


@pytest.mark.parametrize(
    "mutant", [pytest.param(name, marks=pytest.mark.catches(name)) for name in MUTANTS]
)
def test_a_planted_leak_is_found(tmp_path: Path, seed: int, mutant: str) -> None:
    count, beside = BESIDE.get(mutant, (FEW, Beside()))
    outcome = run(tmp_path, count, seed, mutant, beside)
    faults = outcome.faults
    if mutant == "pause tells of hands":
        assert not faults, faults[:5]
        faults = verdict(outcome.samples).faults
    assert any(SEEN_BY[mutant] in fault for fault in faults), faults[:5]
    if mutant in ONLY:
        assert all(SEEN_BY[mutant] in fault for fault in faults), faults[:5]


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
