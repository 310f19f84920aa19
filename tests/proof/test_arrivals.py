"""Rows 11 to 13 and 21, and G13: when and how often something arrives changes nothing."""

from pathlib import Path

import pytest

from proof import arrivals
from proof.mutants.network import MUTANTS
from sideboards.core import game

pytestmark = pytest.mark.long
COUNT = 40


def test_whatever_arrives_when_and_how_often_the_game_is_the_same(
    tmp_path: Path, seed: int
) -> None:
    """Messages sent up to five times, six at one barrier, races, equal deals, empty piles."""
    outcome = arrivals.run(tmp_path, COUNT, seed)
    assert not outcome.faults
    figures = outcome.figures
    assert outcome.done >= COUNT, "races"
    assert 0 < figures["taken back"] < outcome.done, "both outcomes"
    assert figures["messages"] >= COUNT
    assert figures["copies"] >= COUNT
    assert figures["rounds of six"] >= COUNT
    assert figures["refilled"] >= COUNT // 10
    assert figures["ordered"] >= 2 * COUNT // 10


def test_no_hand_depends_on_the_order_of_arrival(tmp_path: Path, seed: int) -> None:
    """A hundred games in twenty orders each; and all cards are there after every reshuffle."""
    outcome = arrivals.orders(tmp_path, 100, seed)
    assert not outcome.faults
    assert outcome.done == 2000
    assert outcome.figures["games with other swaps"] >= 5


@pytest.mark.catches("swaps from the top")
def test_swaps_that_change_the_draws_of_others_are_noticed_in_the_core(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(game._Stock, "draw", game._Stock.draw)  # put back afterwards
    MUTANTS["swaps from the top"]()
    outcome = arrivals.orders(tmp_path, 5, seed)
    assert any(fault.startswith("order: ") for fault in outcome.faults)


@pytest.mark.catches("key ignored")
def test_what_is_taken_twice_is_noticed(tmp_path: Path, seed: int) -> None:
    outcome = arrivals.repeats(tmp_path, 16, seed, "key ignored")
    assert [each for each in outcome.faults if each.startswith("twice: ")]


@pytest.mark.parametrize(
    ("mutant", "fault"),
    [
        pytest.param(mutant, fault, marks=pytest.mark.catches(mutant))
        for mutant, fault in (
            ("last choice races", "race: "),
            ("reshuffle missing", "pile: "),
            ("swaps from the top", "order: "),
        )
    ],
)
def test_the_bug_is_noticed(mutant: str, fault: str, tmp_path: Path, seed: int) -> None:
    outcome = arrivals.run(tmp_path, 8, seed, mutant)
    assert [each for each in outcome.faults if each.startswith(fault)]
