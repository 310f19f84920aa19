"""A disk that is full or fails while people play: short form, and with planted bugs."""

from pathlib import Path

import pytest

from proof import disks

pytestmark = pytest.mark.long
TIMES = 2


def test_a_full_disk_loses_nothing_and_games_go_on_by_themselves(tmp_path: Path, seed: int) -> None:
    outcome = disks.run(tmp_path, TIMES, seed)
    assert not outcome.faults, outcome
    assert outcome.done == TIMES
    assert outcome.figures["acknowledged"] >= TIMES * disks.BUSY
    assert outcome.figures["told that nothing can be saved"] >= TIMES * len(disks.TABLES)
    assert outcome.figures["times failing"] >= 1
    assert not any((tmp_path / "disk").iterdir()) or not outcome.figures["times full"]


@pytest.mark.parametrize(
    ("mutant", "fault"),
    [
        pytest.param(name, fault, marks=pytest.mark.catches(name))
        for name, fault in [
            ("acknowledge first", "lost:"),
            ("gives up after a full disk", "disk moves flow after"),
            ("full disk ends connections", "cut:"),
        ]
    ],
)
def test_a_full_disk_shows_what_is_wrong(
    tmp_path: Path, seed: int, mutant: str, fault: str
) -> None:
    outcome = disks.run(tmp_path, 1, seed, mutant)
    assert any(fault in each for each in outcome.faults), outcome
