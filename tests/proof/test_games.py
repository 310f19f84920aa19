"""G12: every recorded game and a thousand random ones come out the same in both engines."""

import subprocess
import sys
from pathlib import Path

import pytest

from proof.games import run
from tests.test_setup import ROOT

pytestmark = pytest.mark.long

GATE = 1_000
LIMIT = 240


def test_games_come_out_the_same(tmp_path: Path, seed: int) -> None:
    outcome = run(tmp_path, GATE, seed)
    assert not outcome.faults, outcome.faults[:3]
    assert outcome.done >= GATE
    assert outcome.figures["recorded games"] >= 200


@pytest.mark.catches("other scoring")
def test_another_scoring_in_the_fast_engine_is_caught(seed: int) -> None:
    """In a process of its own, because the bug is planted there."""
    words = ["G12", "--count", "50", "--seed", str(seed), "--mutant", "other scoring"]
    done = subprocess.run(
        [sys.executable, "-m", "proof", *words],
        cwd=ROOT, capture_output=True, text=True, timeout=LIMIT, check=False,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert " in the core, " in done.stdout
    assert "recorded game" not in done.stdout.partition("fault: ")[2]
