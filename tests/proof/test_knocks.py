"""Many connections at once in their short form, and the planted bug that they show."""

from pathlib import Path

import pytest

from proof import knocks

pytestmark = pytest.mark.long
SHORT = 5_000


def test_games_go_on_while_strangers_knock(tmp_path: Path, seed: int) -> None:
    outcome = knocks.run(tmp_path, SHORT, seed)
    print(dict(outcome.figures))
    assert not outcome.faults
    assert outcome.done >= 100
    assert outcome.figures["moves"] > 50


@pytest.mark.catches("slow door")
def test_a_planted_bug_is_found(tmp_path: Path, seed: int) -> None:
    outcome = knocks.run(tmp_path, SHORT, seed, "slow door")
    signs = ("late: ", "refused: ", "nobody new can play ")
    assert any(each.startswith(signs) for each in outcome.faults), outcome.faults
