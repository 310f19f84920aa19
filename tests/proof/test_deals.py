"""Fair deals: the short form."""

from pathlib import Path

import pytest

from proof.deals import run

pytestmark = pytest.mark.long


def test_every_deal_is_as_promised(tmp_path: Path, seed: int) -> None:
    outcome = run(tmp_path, 20, seed)
    assert outcome.done == 20
    assert not outcome.faults


@pytest.mark.catches("seed chosen late")
def test_a_seed_that_is_chosen_late_is_noticed(tmp_path: Path, seed: int) -> None:
    faults = run(tmp_path, 1, seed, "seed chosen late").faults
    assert "has changed its commitment" in faults[0]


@pytest.mark.catches("other cards dealt")
def test_other_cards_than_the_seeds_decide_are_noticed(tmp_path: Path, seed: int) -> None:
    faults = run(tmp_path, 1, seed, "other cards dealt").faults
    assert "deck: not what the seeds decide" in faults[0]


@pytest.mark.catches("honest seat called silent")
def test_an_honest_seat_that_is_called_silent_is_noticed(tmp_path: Path, seed: int) -> None:
    faults = run(tmp_path, 1, seed, "honest seat called silent").faults
    assert "seat 0 opened a seed that the proof lacks" in faults[0]
