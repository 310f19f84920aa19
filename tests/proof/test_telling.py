"""What every run tells at its end, also when pytest is quiet and tests run in other processes."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.telling import SEED, TOLD

ROOT = Path(__file__).parents[2]
LIMIT = 60
ALONE = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
"""Without what other packages bring along, which takes every process seconds to load."""
SOME = f"""
import os
import pytest

@pytest.mark.parametrize("number", range(6))
def test_told(number, record_property):
    print("kept by pytest")
    record_property("{TOLD}", f"ratio {{number}} with seed " + os.environ["{SEED}"])
    assert number % 3
"""


def told(folder: Path, place: str, seed: str, *options: str) -> list[str]:
    """What is told of some tests at a place; two of six fail."""
    file = folder / place / "test_some.py"
    file.parent.mkdir(parents=True)
    file.write_text(SOME)
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "--tb=no", f"--rootdir={folder}", *options),
            *("-p", "tests.telling", "-p", "xdist.plugin", "-p", "no:cacheprovider", str(file)),
        ],
        cwd=folder,
        env=os.environ | {SEED: seed, "PYTHONPATH": str(ROOT)} | ALONE,
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    assert done.returncode == 1, done
    lines = done.stdout.splitlines()
    return sorted(line for line in lines if line.startswith(("ratio", "seed")))


@pytest.mark.parametrize("options", [(), ("--numprocesses=2",)], ids=["alone", "together"])
def test_lines_and_seed_are_told_once(tmp_path: Path, options: tuple[str, ...]) -> None:
    assert told(tmp_path, "tests/proof", "77", *options) == [
        *(f"ratio {number} with seed 77" for number in range(6)),
        "seed of the proof: 77; the same again: make proof SEED=77",
    ]


def test_a_seed_that_nobody_gave_is_drawn_once_for_all_processes(tmp_path: Path) -> None:
    *_, last, seed = told(tmp_path, "tests/proof", "", "--numprocesses=2")
    drawn = re.fullmatch(r"seed of the proof: (\d+); the same again: make proof SEED=\1", seed)
    assert drawn
    assert last == f"ratio 5 with seed {drawn[1]}"


def test_other_tests_have_no_such_seed(tmp_path: Path) -> None:
    assert len(told(tmp_path, "tests/core", "77")) == 6
