"""Jumps of the calendar and time without a server: nobody runs out of time; and planted bugs."""

from pathlib import Path

import pytest

from proof import clocks

pytestmark = pytest.mark.long


def test_nobody_runs_out_of_time_when_the_calendar_jumps(tmp_path: Path, seed: int) -> None:
    outcome = clocks.jumps(tmp_path, 20, seed)
    assert not outcome.faults
    assert outcome.figures["clocks that ran out in time"] == 20 / clocks.SEATS


@pytest.mark.catches("wall clock decides")
def test_deadlines_of_the_calendar_are_noticed(tmp_path: Path, seed: int) -> None:
    outcome = clocks.jumps(tmp_path, 20, seed, "wall clock decides")
    assert any(fault.startswith(("time: ", "timeout: ")) for fault in outcome.faults)


def test_nobody_runs_out_of_time_without_a_server(tmp_path: Path, seed: int) -> None:
    outcome = clocks.downtime(tmp_path, 80, seed)
    assert not outcome.faults
    assert outcome.done == 80
    assert outcome.figures["clocks that ran out in time"] == 80 / clocks.SEATS


@pytest.mark.catches("time runs on")
def test_time_that_runs_on_without_a_server_is_noticed(tmp_path: Path, seed: int) -> None:
    outcome = clocks.downtime(tmp_path, 20, seed, "time runs on")
    assert any(fault.startswith("time: ") for fault in outcome.faults)
