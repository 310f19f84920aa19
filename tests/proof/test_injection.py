"""Names that are code, in a real browser, and the planted bugs that it catches."""

from pathlib import Path

import pytest

from proof import injection
from sideboards.words import LANGUAGES

pytestmark = pytest.mark.long


def test_names_are_only_text_and_nothing_foreign_is_asked(tmp_path: Path, seed: int) -> None:
    outcome = injection.run(tmp_path, 60, seed)
    print(dict(outcome.figures))
    assert not outcome.faults
    assert outcome.done >= 60
    assert outcome.figures["pages"] >= 60
    assert outcome.figures["names shown"] >= 60 * (len(LANGUAGES) + 4), "in all languages"


@pytest.mark.parametrize(
    ("mutant", "fault"),
    [
        pytest.param(mutant, fault, marks=pytest.mark.catches(mutant))
        for mutant, fault in [
            ("name unescaped", "is written as it is"),
            ("name runs", "scripts ran"),
            ("foreign style", "foreign host"),
            ("names escaped twice", "/lobby ("),
        ]
    ],
)
def test_a_planted_bug_is_found(tmp_path: Path, seed: int, mutant: str, fault: str) -> None:
    outcome = injection.run(tmp_path, 3, seed, mutant)
    assert any(fault in each for each in outcome.faults), outcome.faults
