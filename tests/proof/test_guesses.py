"""Row 35 at length, in its smallest form: what is guessed by the hundred."""

from pathlib import Path

import pytest

from proof import guesses

pytestmark = pytest.mark.long


@pytest.mark.catches("code guessing unlimited")
def test_codes_that_are_guessed_without_end_are_noticed(tmp_path: Path, seed: int) -> None:
    outcome = guesses.run(tmp_path, 300, seed, "code guessing unlimited")
    assert any(each.startswith("wrong_code: ") for each in outcome.faults), outcome
    assert outcome.figures["unknown_table"] >= 100
