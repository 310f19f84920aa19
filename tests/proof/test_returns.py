"""G3, G6 and G10: a restart is soon over, everybody comes back, and nobody is refused."""

from pathlib import Path

import pytest

from proof import returns, starts

pytestmark = pytest.mark.long
GAMES = 10


def test_everybody_is_back_after_a_kill_and_nobody_is_refused(tmp_path: Path, seed: int) -> None:
    outcome = returns.after_kills(tmp_path, 1, seed, games=GAMES)
    assert not outcome.faults
    assert outcome.figures["people"] == 4 * GAMES
    assert outcome.figures["acknowledged"] >= 4 * GAMES


@pytest.mark.catches("door too narrow")
def test_a_server_that_lets_not_everybody_in_is_noticed(tmp_path: Path, seed: int) -> None:
    outcome = returns.after_kills(tmp_path, 1, seed, "door too narrow", GAMES)
    assert any(fault.startswith("refused: ") for fault in outcome.faults), outcome


@pytest.mark.catches("back too late")
def test_a_server_that_takes_long_to_let_all_in_is_noticed(tmp_path: Path, seed: int) -> None:
    outcome = returns.after_kills(tmp_path, 1, seed, "back too late", GAMES)
    assert any(fault.startswith("late: ") for fault in outcome.faults), outcome


def test_nobody_is_lost_or_waits_while_two_servers_are_restarted_in_turn(
    tmp_path: Path, seed: int
) -> None:
    outcome = returns.rolling(tmp_path, 2, seed, games=GAMES)
    assert not outcome.faults, outcome
    assert outcome.figures["people"] == 4 * GAMES
    assert outcome.figures["lost connections"] == 2 * GAMES + 4 * GAMES, "half of all, then all"
    assert outcome.figures["acknowledged"] >= 4 * GAMES


@pytest.mark.catches("returns are greeted late")
def test_a_server_that_lets_those_wait_who_come_back_is_noticed(tmp_path: Path, seed: int) -> None:
    outcome = returns.rolling(tmp_path, 1, seed, "returns are greeted late", GAMES)
    assert len(outcome.faults) == 1, outcome
    assert outcome.faults[0].startswith("pause: one in a hundred waited "), outcome


@pytest.mark.catches("start reads all")
def test_a_start_that_takes_long_is_noticed(tmp_path: Path, seed: int) -> None:
    outcome = starts.run(tmp_path, 1, seed, "start reads all", live=4, finished=700)
    assert any(fault.startswith("slow: ready after ") for fault in outcome.faults), outcome
