"""Hostile input in its short form, and the planted bugs that it catches."""

from pathlib import Path

import pytest

from proof import fuzz

pytestmark = pytest.mark.long
SHORT = 50_000


def test_hostile_input_harms_nobody(tmp_path: Path, seed: int) -> None:
    outcome = fuzz.run(tmp_path, SHORT, seed)
    print(dict(outcome.figures))
    assert not outcome.faults
    assert outcome.done >= SHORT
    assert outcome.figures["streams"] >= SHORT / 20 - 8
    assert outcome.figures["honest games"] >= 10


@pytest.mark.parametrize(
    ("mutant", "fault"),
    [
        pytest.param(mutant, fault, marks=pytest.mark.catches(mutant))
        for mutant, fault in [
            ("unknown fields accepted", "of refused, expected"),
            ("duplicate keys accepted", "of refused, expected"),
            ("answer forgotten", "of refused, expected"),
            ("exception on surrogates", "closed with 1011"),
            ("body in the log", "the log"),
            ("late answers", "answered after"),
            ("messages kept", "of memory"),
            ("descriptors kept", "more descriptors"),
        ]
    ],
)
def test_a_planted_bug_is_found(tmp_path: Path, seed: int, mutant: str, fault: str) -> None:
    outcome = fuzz.run(tmp_path, 1200, seed, mutant)
    assert any(fault in each for each in outcome.faults), outcome.faults
