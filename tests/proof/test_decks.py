"""Unbiased decks: the short form."""

from pathlib import Path

import pytest

from proof.decks import LIMIT, run

pytestmark = pytest.mark.long


def test_every_card_comes_to_every_place_equally_often(tmp_path: Path, seed: int) -> None:
    outcome = run(tmp_path, 6_000, seed)
    assert outcome.done == 6_000
    assert not outcome.faults
    assert outcome.figures["chi-square of cards and places"] > 3_100  # too even is no chance either


@pytest.mark.catches("biased shuffle")
def test_a_biased_shuffle_is_noticed(tmp_path: Path, seed: int) -> None:
    outcome = run(tmp_path, 5_000, seed, "biased shuffle")
    assert outcome.faults
    assert outcome.figures["chi-square of cards and places"] > LIMIT
