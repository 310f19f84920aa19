"""People who go and come back, in every round and at every version; and planted bugs."""

from pathlib import Path

import pytest

from proof import absences
from sideboards.core.game import LAST_ROUND
from sideboards.service.presence import AWAY_AFTER

pytestmark = pytest.mark.long
GAMES = 4


def test_games_go_on_without_people_and_seats_stay_their_own(tmp_path: Path, seed: int) -> None:
    outcome = absences.run(tmp_path, GAMES, seed)
    assert not outcome.faults
    assert outcome.done == GAMES
    gone = sum(gone for _, gone in absences.TABLES[:GAMES])
    away = sum(away >= AWAY_AFTER for away, _ in absences.PLAN)
    assert outcome.figures["returns"] == gone * len(absences.PLAN)
    assert outcome.figures["choices of a bot"] == gone * away
    assert outcome.figures["wrong tokens"] == 2 * len(absences.PLAN) * GAMES


@pytest.mark.parametrize(
    ("mutant", "fault"),
    [
        pytest.param(mutant, fault, marks=pytest.mark.catches(mutant))
        for mutant, fault in [
            ("nobody is ever away", "unfinished: "),
            ("leaver's seat is lost", "is lost: 4003"),
            ("other cards on return", "cards: "),
            ("bot chooses after return", "meddled: "),
            ("seat unchecked", "stolen: "),
        ]
    ],
)
def test_a_bug_in_absence_is_noticed(mutant: str, fault: str, tmp_path: Path, seed: int) -> None:
    outcome = absences.run(tmp_path, 1, seed, mutant)
    assert any(fault in each for each in outcome.faults), outcome


def test_who_comes_back_at_any_version_sees_what_others_see(tmp_path: Path, seed: int) -> None:
    outcome = absences.versions(tmp_path, 1, seed)
    assert not outcome.faults
    assert outcome.done == 1
    least = absences.SEATS * (LAST_ROUND + 1)
    assert outcome.figures["returns"] > least, "one after the deal, and one after every event"


@pytest.mark.catches("reconnect shows an older view")
def test_an_older_view_is_noticed(tmp_path: Path, seed: int) -> None:
    outcome = absences.versions(tmp_path, 1, seed, "reconnect shows an older view")
    assert any(fault.startswith("older: ") for fault in outcome.faults)
