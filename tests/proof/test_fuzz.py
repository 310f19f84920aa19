"""Hostile input in its short form, and the planted bugs that it catches."""

from pathlib import Path

import pytest

from proof import cases, fuzz

pytestmark = pytest.mark.long
SHORT = 50_000


def test_hostile_input_harms_nobody(tmp_path: Path, seed: int) -> None:
    outcome = fuzz.run(tmp_path, SHORT, seed)
    print(dict(outcome.figures))
    assert not outcome.faults
    assert outcome.done >= SHORT
    assert outcome.figures["streams"] >= SHORT / 20 - 8
    assert outcome.figures["honest games"] >= 10
    assert outcome.figures["kept cases"] == len(cases.kept()) >= 5


@pytest.mark.parametrize(
    ("mutant", "fault"),
    [
        pytest.param(mutant, fault, marks=pytest.mark.catches(mutant))
        for mutant, fault in [
            ("unknown fields accepted", "of refused, expected"),
            ("duplicate keys accepted", "of refused, expected"),
            ("answer forgotten", "of refused, expected"),
            ("body in the log", "the log"),
            ("late answers", "answered after"),
            ("messages kept", "of memory"),
            ("descriptors kept", "more descriptors"),
        ]
    ],
)
def test_a_planted_bug_is_found(tmp_path: Path, seed: int, mutant: str, fault: str) -> None:
    outcome = fuzz.run(tmp_path, 1200, seed, mutant)
    assert any(fault in each for each in outcome.faults), outcome.faults


@pytest.mark.catches("exception on surrogates")
def test_what_led_to_a_fault_is_kept_and_can_be_sent_again(
    tmp_path: Path, seed: int, capsys: pytest.CaptureFixture[str]
) -> None:
    mutant = "exception on surrogates"
    outcome = fuzz.run(tmp_path, 1200, seed, mutant)
    named = [each.partition("python -m proof.cases ")[2] for each in outcome.faults]
    file = next(path for path in named if path)
    case = cases.Case.load(Path(file))
    assert "closed with 1011" in case.fault
    assert any(b"\\ud800" in data for batch in case.batches for data in batch.messages)
    assert cases.main([file, "--mutant", mutant]) == 1
    assert "was closed with 1011" in capsys.readouterr().out


def test_a_case_keeps_only_the_last_messages_and_any_bytes(tmp_path: Path) -> None:
    case = cases.Case(7, "seat")
    for number in range(20):
        case.add(cases.Batch.of("random", [bytes([number, 0, 255])] * 34))
    assert sum(len(batch.texts) for batch in case.batches) == 306
    paths = [case.save(tmp_path) for _ in range(2)]
    assert [path.name for path in paths] == ["fuzz-7-1.json", "fuzz-7-2.json"]
    assert [cases.Case.load(path) for path in paths] == [case, case]
    assert case.batches[0].messages[0] == b"\x0b\0\xff"


def test_what_is_no_case_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "none.json"
    file.write_text('{"seed": 1}')
    assert cases.main([str(file)]) == 2
    assert "expected a case as a fault names it" in capsys.readouterr().err


def test_two_forged_tokens_may_make_a_true_one_which_is_not_sent() -> None:
    other_seat, cut = b'{"token":"table.1.guest.1.sign"}', b'{"token":"table.0.guest.1.sig"}'
    true = {"table.0.guest.1.sign"}
    assert not fuzz.has_token(other_seat, true)
    assert not fuzz.has_token(cut, true)
    assert fuzz.has_token(cut[:17] + other_seat[17:], true)
