"""Compiled kernels: an extra that may be missing, kept on disk, never in the way at the start."""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from threading import Timer

import pytest

from sideboards.fast.kernel import FOLDER
from sideboards.minds import warm
from tests.command import COMMAND

pytestmark = pytest.mark.long  # every test starts processes of its own

ROOT = Path(__file__).parents[1]
LIGHT = ("click", "numpy", "numpy.libs")


@pytest.fixture
def without_numba(tmp_path: Path) -> dict[str, str]:
    """An environment with the base install only: real packages, and no others."""
    packages = Path(sysconfig.get_path("purelib"))
    folder = tmp_path / "packages"
    folder.mkdir()
    for name in LIGHT:
        if (packages / name).exists():
            (folder / name).symlink_to(packages / name)
    path = os.pathsep.join([str(folder), str(ROOT / "src")])
    return os.environ | {"PYTHONPATH": path, "LC_ALL": "C.UTF-8"}


def run(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-S", "-c", "from sideboards.cli import main; main()", *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_there_is_really_no_numba(without_numba: dict[str, str]) -> None:
    code = "import click, numpy, importlib.util as u; print(u.find_spec('numba'))"
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], env=without_numba, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.stdout == "None\n", done.stderr


@pytest.mark.parametrize("name", ["random", "easy", "greedy", "medium", "hard"])
def test_bots_up_to_hard_play_without_numba(
    without_numba: dict[str, str], name: str, tmp_path: Path
) -> None:
    out = str(tmp_path / "games")
    done = run(without_numba, "simulate", "--games", "2", "--bots", name, "--out", out)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("arguments", "who"),
    [
        (["simulate", "--bots", "master", "--out", "games"], "--bots: master"),
        (["play", "--bots", "master"], "--bots: master"),
        (["par", "game.txt"], "par"),
        (["train"], "train"),
    ],
)
def test_what_needs_numba_says_why_it_is_not_offered(
    without_numba: dict[str, str], arguments: list[str], who: str
) -> None:
    done = run(without_numba, *arguments)
    assert done.returncode == 2
    assert done.stderr == (
        f"sideboards: {who}: numba is not installed; expected the extra fast: "
        "pip install 'sideboards[fast]'\n"
    )


def test_the_list_of_bots_says_it_too(without_numba: dict[str, str]) -> None:
    done = run(without_numba, "bots")
    assert done.returncode == 0
    assert "master: numba is not installed" in done.stdout


@pytest.mark.parametrize("module", ["sideboards", "sideboards.cli", "sideboards.minds.bots"])
def test_nothing_heavy_is_imported_at_the_start(module: str) -> None:
    heavy = ("numpy", "numba", "joblib", "openskill", "matplotlib", "gymnasium", "pettingzoo")
    code = f"import {module}, sys; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_hard_needs_no_compiler(tmp_path: Path) -> None:
    """Also where numba is installed, it is not loaded for a bot that does without."""
    words = ["simulate", "--games", "1", "--bots", "hard", "--out", str(tmp_path / "games")]
    code = (
        "import sys; from sideboards.cli import app;"
        f"app.main({words}, standalone_mode=False); print('numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("False\n")


def test_kernels_are_kept_in_a_folder_for_exactly_their_text() -> None:
    warm.warm_up(lambda: None)
    assert not warm.is_cold()
    assert FOLDER.name.startswith("kernels-")
    assert FOLDER.parent.name == "sideboards"


def test_the_same_text_in_another_place_is_cold(tmp_path: Path) -> None:
    """numba does not find there what was compiled here, so nobody may count on it."""
    shutil.copytree(ROOT / "src" / "sideboards", tmp_path / "sideboards")
    done = subprocess.run(
        [sys.executable, "-c", "from sideboards.fast.kernel import FOLDER; print(FOLDER)"],
        env=os.environ | {"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert Path(done.stdout.strip()).parent == FOLDER.parent
    assert Path(done.stdout.strip()) != FOLDER


def test_the_first_use_compiles_with_a_notice_and_a_later_one_does_not(tmp_path: Path) -> None:
    words = ["simulate", "--games", "1", "--solo", "--bots", "master", "--out"]
    with subprocess.Popen(
        [COMMAND, *words, tmp_path / "first"],
        env=os.environ | {"XDG_CACHE_HOME": str(tmp_path / "cache")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as first:
        assert first.stderr is not None
        bound = Timer(60, first.kill)
        bound.start()
        notice = first.stderr.readline()
        bound.cancel()
        first.kill()  # whoever is told waits for the compiler
    assert notice == "compiling the kernels (once, about a minute) ...\n"
    warm.warm_up(lambda: None)
    later = subprocess.run(
        [COMMAND, *words, tmp_path / "later"], capture_output=True, text=True, check=True
    )
    assert later.stderr == ""


def test_a_game_begins_while_the_kernels_are_compiled(tmp_path: Path) -> None:
    done = subprocess.run(
        [COMMAND, "play", "--bots", "master", "--lang", "en"],
        input="q\n",
        env=os.environ | {"XDG_CACHE_HOME": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0
    assert done.stderr == ""
    notice, question = "is being prepared in the background", "Your choice"
    assert 0 <= done.stdout.find(notice) < done.stdout.find(question)
