"""G6: cuts, stalls and restarts: every action is applied once, and dead lines are noticed."""

from pathlib import Path

import pytest

from proof import cuts
from sideboards.client import line

pytestmark = pytest.mark.long


def test_every_action_is_applied_once_through_a_hundred_cuts(tmp_path: Path, seed: int) -> None:
    outcome = cuts.run(tmp_path, 100, seed)
    assert not outcome.faults
    assert outcome.done >= 100
    assert outcome.figures["restarts"] >= 2, "one stop, one kill"


@pytest.mark.catches("keys per socket")
def test_keys_that_are_forgotten_with_the_socket_are_noticed(tmp_path: Path, seed: int) -> None:
    outcome = cuts.run(tmp_path, 100, seed, "keys per socket")
    assert any(fault.startswith(("refused:", "duplicated:")) for fault in outcome.faults)


def test_a_half_open_connection_is_noticed_and_replaced(tmp_path: Path, seed: int) -> None:
    outcome = cuts.half_open(tmp_path, 6, seed)
    assert not outcome.faults
    assert outcome.done == 6


@pytest.mark.catches("silence unnoticed")
def test_silence_that_nobody_notices_is_noticed(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line, "DEAD_AFTER", 600.0)  # the client's part of the bug
    outcome = cuts.half_open(tmp_path, 1, seed, "silence unnoticed")
    assert any(fault.startswith("unnoticed:") for fault in outcome.faults)
