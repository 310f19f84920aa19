"""G11: whoever plays while a backup is made hardly waits longer."""

from pathlib import Path

import pytest

from proof import archives
from proof.archives import Size

pytestmark = pytest.mark.long

FEW = Size(tables=60, rate=50, seconds=2, finished=300, warm=False)
LASTING = Size(tables=60, rate=50, seconds=5, finished=1_500, warm=False)
"""On a busy machine a backup, which gives way to all else, takes seconds before it reads."""


def test_backups_are_made_while_games_are_played(tmp_path: Path, seed: int) -> None:
    outcome = archives.run(tmp_path, 1, seed, size=FEW)
    # How much longer people wait is judged in a soak: of a hundred moves the slowest says little.
    assert not [fault for fault in outcome.faults if not fault.startswith("slow: ")]
    assert outcome.figures["backups"] >= 1


@pytest.mark.catches("backup stops moves")
def test_a_backup_that_lets_nobody_play_is_noticed(tmp_path: Path, seed: int) -> None:
    outcome = archives.run(tmp_path, 1, seed, "backup stops moves", LASTING)
    assert any(fault.startswith("slow: ") for fault in outcome.faults), outcome
