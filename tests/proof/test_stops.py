"""G10: a stop with fifty games under way, an upgrade and the way back."""

from pathlib import Path

import pytest

from proof import stops

pytestmark = pytest.mark.long


def test_a_stop_answers_all_that_is_under_way_and_loses_nothing(tmp_path: Path, seed: int) -> None:
    outcome = stops.run(tmp_path, 50, seed)
    assert not outcome.faults
    assert outcome.done == 50
    assert outcome.figures["acked"] > 200
    assert outcome.figures["in flight"] > 0


def test_on_a_slow_disk_whoever_waits_for_a_turn_is_refused(tmp_path: Path, seed: int) -> None:
    outcome = stops.run(tmp_path, 15, seed, "slow commit")
    assert not outcome.faults
    assert outcome.figures["in flight"] > 15, "several of one table"


@pytest.mark.catches("stop keeps the line")
def test_a_stop_that_has_no_time_for_everybody_is_noticed(tmp_path: Path, seed: int) -> None:
    outcome = stops.run(tmp_path, 15, seed, "stop keeps the line")
    assert any(fault.startswith("unanswered:") for fault in outcome.faults)


@pytest.mark.catches("stop drops moves")
def test_a_stop_that_waits_for_nobody_is_noticed(tmp_path: Path, seed: int) -> None:
    outcome = stops.run(tmp_path, 30, seed, "stop drops moves")
    assert any(fault.startswith("unanswered:") for fault in outcome.faults)


def test_games_in_every_round_go_on_after_an_upgrade_and_back(tmp_path: Path, seed: int) -> None:
    outcome = stops.upgrade(tmp_path, 7, seed)
    assert not outcome.faults
    assert outcome.done == 7


@pytest.mark.catches("time runs on")
def test_clocks_that_run_without_a_server_are_noticed(tmp_path: Path, seed: int) -> None:
    outcome = stops.upgrade(tmp_path, 1, seed, "time runs on")
    assert any(fault.startswith("time:") for fault in outcome.faults)


@pytest.mark.catches("upgrade forgets sealed choices")
def test_sealed_choices_that_are_lost_on_the_way_are_noticed(tmp_path: Path, seed: int) -> None:
    outcome = stops.upgrade(tmp_path, 2, seed, "upgrade forgets sealed choices")
    assert any(fault.startswith("changed:") for fault in outcome.faults)
