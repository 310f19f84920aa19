"""A server that is killed at any moment: short form, and with planted bugs."""

from pathlib import Path

import pytest

from proof import kills

pytestmark = pytest.mark.long
KILLS = 15


def test_what_was_acknowledged_or_seen_survives_every_kill(tmp_path: Path, seed: int) -> None:
    outcome = kills.run(tmp_path, KILLS, seed)
    assert not outcome.faults, outcome
    assert outcome.done >= KILLS
    assert outcome.figures["acknowledged"] > 2 * KILLS * kills.GAMES
    assert outcome.figures["in doubt at a kill"] > 0  # kills came in mid-work


@pytest.mark.parametrize(
    ("mutant", "kind"),
    [
        pytest.param(name, kind, marks=pytest.mark.catches(name))
        for name, kind in [
            ("acknowledge first", "lost:"),
            ("broadcast first", "changed after seen:"),
            ("key ignored", "duplicated:"),
        ]
    ],
)
def test_a_kill_shows_what_is_told_too_early_or_taken_twice(
    tmp_path: Path, seed: int, mutant: str, kind: str
) -> None:
    outcome = kills.run(tmp_path, 2, seed, mutant)
    assert any(fault.startswith(kind) for fault in outcome.faults), outcome
