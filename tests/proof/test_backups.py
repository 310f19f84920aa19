"""G11: backups under load, restored into empty files, a thousand games verified."""

from pathlib import Path

import pytest

from proof import backups

pytestmark = pytest.mark.long


def test_a_backup_under_load_restores_a_thousand_games(tmp_path: Path, seed: int) -> None:
    outcome = backups.run(tmp_path, 1000, seed)
    assert not outcome.faults
    assert outcome.done >= 1000
    assert outcome.figures["deeds"] > 100


@pytest.mark.catches("backup torn")
def test_a_backup_of_several_moments_is_noticed(tmp_path: Path, seed: int) -> None:
    outcome = backups.run(tmp_path, 100, seed, "backup torn")
    assert any(fault.startswith(("torn:", "row:")) for fault in outcome.faults)


@pytest.mark.catches("backup stale")
def test_a_backup_without_the_newest_events_is_noticed(tmp_path: Path, seed: int) -> None:
    outcome = backups.run(tmp_path, 10, seed, "backup stale")
    assert any(fault.startswith("row:") for fault in outcome.faults), "finished, without an end"


@pytest.mark.catches("restore slow")
def test_a_restore_that_takes_long_is_noticed(tmp_path: Path, seed: int) -> None:
    outcome = backups.large(tmp_path, 110, seed, "restore slow")
    assert any(fault.startswith("slow:") for fault in outcome.faults), outcome
