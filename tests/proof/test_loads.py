"""Lively people: a scanner hears all that they get, and finds a planted leak."""

from pathlib import Path

import pytest

from proof.loads import run

pytestmark = pytest.mark.long


@pytest.mark.catches("neighbor's hand")
def test_a_planted_leak_is_heard_in_a_crowd(tmp_path: Path, seed: int) -> None:
    outcome = run(tmp_path, 50, seed, "neighbor's hand")
    assert any("found the hands of seat" in fault for fault in outcome.faults), outcome.faults[:5]


def test_lively_people_are_told_nothing_too_early(tmp_path: Path, seed: int) -> None:
    outcome = run(tmp_path, 200, seed)
    print(dict(outcome.figures))
    assert not outcome.faults, outcome.faults[:5]
    assert outcome.done > 20
    for what in ("frames scanned", "swaps", "minds changed", "reloads", "absences", "returns"):
        assert outcome.figures[what] > 0, what
