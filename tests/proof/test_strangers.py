"""What strangers may not do, each row once, and the planted bugs that each check catches."""

from pathlib import Path

import pytest

from proof import strangers

pytestmark = pytest.mark.long


def test_strangers_get_nowhere(tmp_path: Path, seed: int) -> None:
    outcome = strangers.run(tmp_path, 40, seed)
    print(dict(outcome.figures))
    assert not outcome.faults
    assert outcome.done > 800


@pytest.mark.parametrize(
    ("mutant", "row", "fault"),
    [
        pytest.param(mutant, row, fault, marks=pytest.mark.catches(mutant))
        for mutant, row, fault in [
            ("origin unchecked", "origins", "opened a socket"),
            ("token in the log", "tokens", "a token stands in the log"),
            ("seat unchecked", "seats", "forged token"),
            ("rate limit missing", "floods", "a flood"),
            ("limit too strict", "fastest", "the fastest honest player was closed"),
            ("stalled readers stay", "stalled", "readers stay for"),
            ("mailbox unbounded", "mailboxes", "does not read costs"),
            ("giant messages taken", "giants", "giant message"),
            ("code guessing unlimited", "guesses", "wrong codes were tried"),
            ("tables unlimited", "guesses", "open tables"),
            ("header missing", "headers", "the policy is"),
            ("deleted guests stay", "forgotten", "forgotten"),
            ("handshake unlimited", "handshakes", "a handshake of"),
        ]
    ],
)
def test_a_planted_bug_is_found(
    tmp_path: Path, seed: int, mutant: str, row: str, fault: str
) -> None:
    outcome = strangers.run(tmp_path, 24 if row == "mailboxes" else 6, seed, mutant, (row,))
    assert any(fault in each for each in outcome.faults), outcome.faults
