"""The suites of `make test`: every test file is in exactly one of them."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from scripts import suites

TESTS = Path(__file__).parent


def test_every_test_file_is_in_exactly_one_suite() -> None:
    found = Counter(file for suite in suites.SUITES for file in suite.files())
    assert set(found) == set(TESTS.rglob("test_*.py"))
    assert set(found.values()) == {1}


def test_every_named_part_has_its_file() -> None:
    parts = {file.stem.removeprefix("test_") for file in TESTS.glob("test_*.py")}
    assert parts >= suites.CHECKS | suites.MINDS


def test_all_suites_together_fit_into_25_minutes() -> None:
    assert sum(suite.minutes for suite in suites.SUITES) < 25


def test_a_failure_in_one_suite_is_told_at_the_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(suites, "PYTEST", (sys.executable, "-c", "import sys; sys.exit(1)"))
    with pytest.raises(SystemExit) as ended:
        suites.main(["core", "proof"])
    assert ended.value.code == 1
    *_, core, proof = capsys.readouterr().out.splitlines()
    assert core.startswith("core     FAILED in 0 min")
    assert proof.startswith("proof    FAILED in 0 min")


def test_an_unknown_suite_is_refused() -> None:
    command = [sys.executable, "-m", "scripts.suites", "cores"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert "found cores; expected checks, core, minds, service, web, proof" in ended.stderr


def test_whoever_stops_one_suite_stops_all(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(suites, "PYTEST", (sys.executable, "-c", "import sys; sys.exit(2)"))
    with pytest.raises(KeyboardInterrupt):
        suites.main(["core", "proof"])
    assert "proof" not in capsys.readouterr().out
