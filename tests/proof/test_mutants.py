"""The planted bugs: each is caught by a test that names it, and each is told of on the page."""

import subprocess
import sys
from pathlib import Path

import pytest

from proof.mutants import MUTANTS
from scripts.make_mutants import PAGE, caught, page

pytestmark = pytest.mark.long
ASKED_FOR = {
    "acknowledge first",
    "broadcast first",
    "synchronous=NORMAL",
    "key ignored",
    "seed in the view",
    "stable hidden ids",
    "early choice",
    "spectator sees hands",
    "frame length depends on a choice",
    "chain head over secrets",
    "origin unchecked",
    "rate limit missing",
    "name unescaped",
    "mailbox unbounded",
    "reshuffle missing",
    "bot sees state",
}
OF_THE_HARNESS = {
    "balancer",
    "history",
    "mutants",
    "needles",
    "nursery",
    "pipes",
    "proxy",
    "scanner",
    "soak",
    "telling",
}
"""Parts that are tested by themselves; what they find is shown by the goals."""


def test_what_was_asked_for_is_planted() -> None:
    assert set(MUTANTS) >= ASKED_FOR


def test_every_planted_bug_is_caught_and_the_page_tells_by_which_test() -> None:
    found = caught()  # which loads all tests; so both are looked at here
    assert page() == PAGE.read_text()
    assert set(found) == set(MUTANTS)
    files = {file.name for file in Path(__file__).parent.glob("test_*.py")}
    catching = {file for each in found.values() for file in each}
    assert files - catching == {f"test_{part}.py" for part in OF_THE_HARNESS}


def test_an_unknown_bug_is_refused() -> None:
    command = [sys.executable, "-m", "proof.mutants", "acknowledge last", "serve"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "found ['acknowledge last']; expected one of" in done.stderr
