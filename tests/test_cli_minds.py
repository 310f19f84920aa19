"""The commands `arena` and `strength`, run as people run them."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pexpect
import pytest

from tests.command import COMMAND, output, refused, run
from tests.test_cli import EDITION_FILE
from tests.test_workers import dask_cluster

pytestmark = pytest.mark.long  # every test starts processes of its own

BOT_KEYS = [
    "name", "mean", "stderr", "win_share", "win_stderr", "rating", "ms_per_move", "max_ms",
]  # fmt: skip
SLOW_BOT = """
from time import sleep

def slow(view, rng):
    sleep(0.2)
    return view.options[0].move
def lost(view, rng):
    raise ValueError("out of ideas")
def odd(view, rng):
    return "R99"
"""
TIMES = ("ms_per_move", "max_ms")


def measured(*arguments: str | Path, **options: Any) -> dict[str, Any]:  # noqa: ANN401
    found: dict[str, Any] = json.loads(output("arena", *arguments, "--json", **options))
    return found


def timeless(found: dict[str, Any]) -> dict[str, Any]:
    bots = [{key: value for key, value in bot.items() if key not in TIMES} for bot in found["bots"]]
    return found | {"bots": bots}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(SLOW_BOT)
    return tmp_path


# arena


def test_json_has_the_promised_fields() -> None:
    found = measured("greedy", "random", "--deals", "20", "--jobs", "1")
    assert (found["games"], found["deals"], found["seed"]) == (40, 20, 0)
    assert [list(bot) for bot in found["bots"]] == [BOT_KEYS] * 2
    greedy, random = found["bots"]
    assert (greedy["name"], random["name"]) == ("greedy", "random")
    assert greedy["mean"] > random["mean"] + 10
    assert greedy["win_share"] > 0.8
    assert greedy["win_share"] + random["win_share"] == pytest.approx(1)
    assert greedy["rating"] > 25 > random["rating"]
    assert all(0 < bot["ms_per_move"] <= bot["max_ms"] for bot in found["bots"])
    (pair,) = found["pairs"]
    assert pair["bots"] == ["greedy", "random"]
    assert pair["ahead"] + pair["ties"] + pair["behind"] == 40
    assert pair["decided_share"] == pair["ahead"] / (pair["ahead"] + pair["behind"])


@pytest.mark.parametrize(
    ("options", "games", "mode", "seats"),
    [
        ([], 3 * 6, "standard", 2),
        (["--players", "4"], 3 * 6, "standard", 4),
        (["--variant"], 3 * 6, "variant", 2),
        (["--table"], 3 * 3, "standard", 3),
        (["--table", "--variant"], 3 * 3, "variant", 3),
        (["--solo"], 3 * 3, "solo", 1),
        (["--solo", "--table"], 3 * 3, "solo", 1),
    ],
)
def test_the_ways_to_play(options: list[str], games: int, mode: str, seats: int) -> None:
    found = measured("greedy", "random", "greedy", "--deals", "3", "--jobs", "1", *options)
    assert (found["games"], found["mode"], found["seats"]) == (games, mode, seats)
    assert [bot["name"] for bot in found["bots"]] == ["greedy", "random", "greedy#2"]
    assert len(found["pairs"]) == 3


@pytest.mark.long
def test_processes_change_nothing_but_times_and_another_seed_does() -> None:
    arguments = ("greedy", "random", "--deals", "12", "--seed", "5")
    one = measured(*arguments, "--jobs", "1")
    assert timeless(measured(*arguments, "--jobs", "2")) == timeless(one)
    assert timeless(measured("greedy", "random", "--deals", "12", "--jobs", "1")) != timeless(one)


@pytest.mark.long
def test_a_cluster_changes_nothing_but_times(folder: Path) -> None:
    arguments = ("greedy", "random", "--deals", "8", "--seed", "5")
    with dask_cluster() as address:
        spread = measured(*arguments, "--cluster", address, cwd=folder)
        line = refused("arena", "mine:lost", "random", "--cluster", address, cwd=folder)
    assert timeless(spread) == timeless(measured(*arguments, "--jobs", "1"))
    assert 'mine:lost: it raised ValueError "out of ideas" in deal 1 of seed 0' in line


def test_the_table_for_people() -> None:
    text = output("arena", "greedy", "random", "--deals", "10", "--jobs", "1")
    first, _, head, *rows = text.splitlines()
    assert first == "2 players, 10 deals, pairs with exchanged seats: 20 games, seed 0"
    assert head.split() == ["bot", "mean", "95", "%", "wins", "95", "%", "rating", "ms/move",
                            "longest"]  # fmt: skip
    assert rows[0].startswith("greedy  ")
    assert "± " in rows[0]
    assert rows[3].startswith("pair ")
    assert rows[4].startswith("greedy – random")
    assert len({len(line) for line in (head, *rows[:2])}) == 1, "columns are in line"


def test_one_deal_tells_no_interval() -> None:
    text = output("arena", "greedy", "--solo", "--deals", "1", "--jobs", "1")
    assert text.startswith("Solo, everybody on the same 1 deal: 1 game, seed 0\n")
    assert "–" in text
    assert "pair" not in text


def test_objectives_and_an_edition_of_ones_own(tmp_path: Path) -> None:
    own = json.loads(EDITION_FILE.read_text())
    own["objectives"][2]["points"] = 400
    (tmp_path / "mine.json").write_text(json.dumps(own))
    arguments = ("greedy", "--solo", "--deals", "3", "--jobs", "1", "--objectives", "3,8,19")
    usual = measured(*arguments)["bots"][0]["mean"]
    assert measured(*arguments, "--edition", "mine.json", cwd=tmp_path)["bots"][0]["mean"] > 400
    assert usual < 100


@pytest.mark.parametrize("name", ["chart.svg", "chart.png"])
def test_a_plot_is_drawn(tmp_path: Path, name: str) -> None:
    output("arena", "greedy", "random", "--deals", "3", "--jobs", "1", "--plot", tmp_path / name)
    data = (tmp_path / name).read_bytes()
    if name.endswith("png"):
        assert data.startswith(b"\x89PNG")
    else:
        root = ET.fromstring(data)  # noqa: S314 (our own file)
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert [file.name for file in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "Missing argument"),
        (["greedy"], "bots: found 1; expected 2 or more"),
        (["greedy", "nobody"], 'BOT: found "nobody"; expected '),
        (["greedy", "nowhere:bot"], "BOT: found \"nowhere:bot\": No module named 'nowhere'"),
        (["greedy", "random", "--deals", "0"], "--deals: found 0; expected 1 to 1000000"),
        (["greedy", "random", "--players", "7"], "--players: found 7; expected 1 to 6"),
        (["greedy", "random", "--table", "--players", "3"], "bots: found 2; expected 3, one per"),
        (["greedy", "random", "--solo", "--players", "2"], "--players: found 2 with --solo"),
        (["greedy", "random", "--solo", "--variant"], "--variant: the variant is not offered"),
        (["greedy", "random", "--objectives", "s9"], '--objectives: found "s9"; expected s1'),
        (["greedy", "random", "--edition", "none.json"], "none.json: No such file"),
        (["greedy", "random", "--jobs", "0"], "--jobs: found 0; expected 1 or more"),
        (
            ["greedy", "random", "--jobs", "2", "--cluster", "x"],
            "--cluster: found --jobs 2 too; expected one of them",
        ),
        (["greedy", "random", "--plot", "x.gif"], '--plot: found "x.gif"; expected a name in .svg'),
        (["greedy", "random", "--plot", "no/x.svg"], "--plot: no is no folder to write to"),
        (
            ["mine:lost", "random", "--jobs", "1"],
            'mine:lost: it raised ValueError "out of ideas" in deal 1 of seed 0, round 0, seat 0',
        ),
        (
            ["greedy", "mine:odd", "--jobs", "2", "--deals", "2"],
            'mine:odd: found "R99" in deal 1 of seed 0',
        ),
    ],
)
def test_arena_refuses_what_cannot_be(folder: Path, arguments: list[str], sentence: str) -> None:
    assert sentence in refused("arena", *arguments, cwd=folder)
    assert sorted(file.name for file in folder.iterdir() if file.is_file()) == ["mine.py"]


@pytest.mark.parametrize("package", ["openskill", "joblib", "matplotlib", "distributed"])
def test_a_missing_package_is_named_before_anything_is_played(folder: Path, package: str) -> None:
    """The package is hidden by an import hook of the interpreter, so that it is really missing."""
    (folder / "sitecustomize.py").write_text(f"import sys; sys.modules[{package!r}] = None")
    options = {"joblib": ["--jobs", "2"], "matplotlib": ["--plot", "x.svg"]}.get(package, [])
    options += ["--cluster", "tcp://127.0.0.1:9"] if package == "distributed" else []
    done = run("arena", "mine:slow", "random", *options, cwd=folder, PYTHONPATH=str(folder))
    extra = "cluster" if package == "distributed" else "arena"
    assert done.returncode == 2
    assert done.stderr.decode() == (
        f"sideboards: {extra}: {package} is not installed; "
        f"expected the extra {extra}: pip install 'sideboards[{extra}]'\n"
    )


def group_members(group: int) -> list[str]:
    """The living processes of a process group."""
    listed = subprocess.run(
        ["ps", "-e", "-o", "pgid=,stat=,args="], capture_output=True, text=True, check=True
    )
    rows = [line.split(maxsplit=2) for line in listed.stdout.splitlines()]
    return [row[2] for row in rows if row[0] == str(group) and not row[1].startswith("Z")]


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("delay", [0.0, 0.2, 2.0])
def test_ctrl_c_ends_the_workers_too(folder: Path, jobs: str, delay: float) -> None:
    process = subprocess.Popen(
        [COMMAND, "arena", "mine:slow", "random", "--jobs", jobs],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    wanted = 1 if jobs == "1" else 3
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and len(group_members(process.pid)) < wanted:
        time.sleep(0.02)
    time.sleep(delay if wanted > 1 else delay + 1)  # workers that load, or are amid their games
    os.killpg(process.pid, signal.SIGINT)  # what a terminal does
    stdout, stderr = process.communicate(timeout=30)
    assert process.returncode == 130
    assert stdout == b""
    assert stderr.decode().strip() == "sideboards: stopped"
    deadline = time.monotonic() + 5  # a killed process needs a moment to vanish
    while time.monotonic() < deadline and group_members(process.pid):
        time.sleep(0.05)
    assert group_members(process.pid) == []


def test_a_terminal_shows_a_progress_bar() -> None:
    child = pexpect.spawn(
        str(COMMAND),
        ["arena", "random", "random", "--deals", "40", "--jobs", "1"],
        timeout=30,
        encoding="utf-8",
    )
    child.expect(r"deals .*%")
    child.expect("100%")
    child.expect("random#2")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0


# strength


@pytest.mark.long
def test_strength_prints_every_bot_of_the_ladder() -> None:
    text = output("strength", "--deals", "2", "--jobs", "1")
    assert text.startswith("2 deals, random objectives, seed 0; ± one standard error\n")
    assert "Solo: random" in text
    assert "Solo: greedy" in text
    assert "the best possible with the deck known" in text


@pytest.mark.long
def test_strength_prints_json() -> None:
    found = json.loads(output("strength", "--deals", "2", "--jobs", "1", "--json"))
    assert list(found) == ["deals", "seed", "lines", "notes"]
    assert found["deals"] == 2
    assert {tuple(line) for line in found["lines"]} == {
        ("section", "what", "value", "stderr", "unit", "floor", "holds", "ms_per_move", "max_ms")
    }


@pytest.mark.long
def test_strength_and_arena_agree() -> None:
    """So every line of the table can be looked into with the other command."""
    table = json.loads(output("strength", "--deals", "4", "--jobs", "1", "--json"))
    solo = {line["what"]: line["value"] for line in table["lines"] if line["section"] == "Solo"}
    found = measured("random", "greedy", "--solo", "--deals", "4", "--jobs", "1")
    assert {bot["name"]: bot["mean"] for bot in found["bots"]} == {
        name: solo[name] for name in ("random", "greedy")
    }


def test_strength_refuses_two_numbers_of_deals() -> None:
    assert "--quick: found --deals 5 too; expected one of them" in refused(
        "strength", "--quick", "--deals", "5"
    )
    assert "--deals: found 0; expected 1 to" in refused("strength", "--deals", "0")


@pytest.mark.parametrize("command", ["arena", "strength"])
def test_help_has_an_example(command: str) -> None:
    assert "Example: sideboards" in output(command, "--help")


def test_the_commands_are_light_until_they_are_used() -> None:
    heavy = ("numpy", "numba", "joblib", "openskill", "matplotlib", "distributed")
    code = f"import sideboards.cli, sys; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout == b"[]\n"
