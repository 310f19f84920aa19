"""A database that dies, stops or is out of reach: short form, and with a planted bug."""

from pathlib import Path

import pytest

from proof import database

pytestmark = pytest.mark.long
KILLS = 3
CUTS = 6


def test_a_database_that_dies_or_stops_loses_and_doubles_nothing(tmp_path: Path, seed: int) -> None:
    outcome = database.run(tmp_path, KILLS, seed)
    assert not outcome.faults, outcome
    assert outcome.done >= KILLS
    assert outcome.figures["acknowledged"] >= (KILLS + 1) * database.BUSY


def test_two_servers_that_are_cut_from_their_database_never_fork(tmp_path: Path, seed: int) -> None:
    outcome = database.cuts(tmp_path, CUTS, seed)
    assert not outcome.faults, outcome
    assert outcome.done >= CUTS
    assert outcome.figures["acknowledged by one"] > CUTS
    assert outcome.figures["acknowledged by the other"] > CUTS


@pytest.mark.catches("acknowledge first")
def test_a_database_that_dies_shows_what_was_acknowledged_too_early(
    tmp_path: Path, seed: int
) -> None:
    outcome = database.run(tmp_path, 1, seed, "acknowledge first")
    assert any(fault.startswith("lost:") for fault in outcome.faults), outcome


@pytest.mark.catches("waiting untold")
def test_a_pause_of_which_nobody_hears_is_noticed(tmp_path: Path, seed: int) -> None:
    outcome = database.pauses(tmp_path, 1, seed, "waiting untold", seconds=1.5)
    assert any("nobody heard that it takes longer" in fault for fault in outcome.faults), outcome


@pytest.mark.catches("acknowledge first")
def test_a_cut_shows_two_servers_that_go_on_by_themselves(tmp_path: Path, seed: int) -> None:
    outcome = database.cuts(tmp_path, 1, seed, "acknowledge first")
    assert any(fault.startswith("forked:") for fault in outcome.faults), outcome


@pytest.mark.catches("older board shown")
def test_who_changes_to_a_server_that_is_cut_off_notices_an_older_board(
    tmp_path: Path, seed: int
) -> None:
    outcome = database.cuts(tmp_path, 6, seed, "older board shown")
    assert any(fault.startswith("changed after seen:") for fault in outcome.faults), outcome
