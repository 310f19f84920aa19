"""The soak: it adds up over runs, loses at most a chunk, and its page tells it all."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from proof import goals, ledger, report
from proof.ledger import Entry, Ledger
from proof.outcome import Outcome
from sideboards import Refusal
from tests.proof import tiny

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
LIMIT = 60


def command(folder: Path, goals_: str, *options: str) -> list[str]:
    return [
        sys.executable, "-m", "proof", "soak", "--goals", f"tests.proof.tiny:{goals_}",
        "--folder", str(folder / "soak"), "--report", str(folder / "report.html"), *options,
    ]  # fmt: skip


def soak(folder: Path, goals_: str, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(folder, goals_, *options), cwd=ROOT, env=os.environ | {"TMPDIR": str(folder)},
        capture_output=True, text=True, timeout=LIMIT, check=False,
    )  # fmt: skip


def kept(folder: Path) -> Ledger:
    found = ledger.load(folder / "soak" / "state.json")
    assert found is not None
    return found


def left_behind(folder: Path) -> list[str]:
    """Processes and files of chunks that should have ended."""
    running = [
        " ".join(process.info["cmdline"] or ())
        for process in psutil.process_iter(["cmdline"])
        if str(folder) in " ".join(process.info["cmdline"] or ())
    ]
    return running + [str(file) for file in folder.glob("sideboards-soak-*")]


def test_two_runs_add_up_and_the_page_tells_of_both(tmp_path: Path) -> None:
    first = soak(tmp_path, "GOALS", "--chunks", "3", "--seed", "7")
    assert (first.returncode, first.stderr) == (0, "")
    once = kept(tmp_path)
    assert (once.entries["T1"].done, once.entries["T2"].done) == (20, 7)
    second = soak(tmp_path, "GOALS", "--chunks", "3")
    assert second.returncode == 0
    twice = kept(tmp_path)
    assert (twice.seed, twice.runs) == (7, 2)
    assert (twice.entries["T1"].done, twice.entries["T2"].done) == (30, 21)
    assert twice.seconds > once.seconds
    lines = second.stdout.splitlines()
    told = [re.search(r" (T\d) .* next (\d+), seed (\d+); ", line) for line in lines[:6:2]]
    assert [line.strip() for line in lines[1:6:2]] == [
        f"again: python -m proof {each[1]} --count {each[2]} --seed {each[3]}"
        for each in told
        if each
    ]
    page = (tmp_path / "report.html").read_text()
    assert "30 of 40" in page
    assert "21 of 1,000,000" in page
    assert "in 2 runs, seed 7" in page
    assert "no faults" in page
    assert left_behind(tmp_path) == []


def test_goals_take_turns_and_a_reached_one_is_left_out(tmp_path: Path) -> None:
    done = soak(tmp_path, "ENDS")
    assert done.returncode == 0
    assert kept(tmp_path).entries["T1"].done == 20
    again = soak(tmp_path, "ENDS")
    assert kept(tmp_path).entries["T1"].done == 20
    assert "0 faults" in again.stdout


def test_faults_and_crashes_are_kept_with_the_command_that_makes_them_again(
    tmp_path: Path,
) -> None:
    done = soak(tmp_path, "BROKEN", "--seed", "1", "--only", "T3")
    assert done.returncode == 1
    crashed = soak(tmp_path, "BROKEN", "--chunks", "1", "--only", "T4")
    assert crashed.returncode == 1
    entries = kept(tmp_path).entries
    (fault,) = entries["T3"].sentences
    assert fault["fault"] == "table x: 1 < 2 & lost"
    assert fault["again"].startswith("python -m proof T3 --count 5 --seed ")
    assert "RuntimeError: nothing works in games" in entries["T4"].sentences[0]["fault"]
    assert entries["T4"].done == 0
    page = (tmp_path / "report.html").read_text()
    assert "nothing works" in page
    words = fault["again"].split()[3:]
    again = subprocess.run(
        [sys.executable, "-m", "proof", *words, "--goals", "tests.proof.tiny:BROKEN"],
        cwd=ROOT, capture_output=True, text=True, timeout=LIMIT, check=False,
    )  # fmt: skip
    assert again.returncode == 1
    assert again.stdout.startswith(f"seed {words[-1]}; again: {fault['again']}\n")
    assert "fault: table x: 1 < 2 & lost" in again.stdout


def begun(folder: Path, *options: str) -> subprocess.Popen[str]:
    """A soak in the middle of a chunk that does not end by itself."""
    process = subprocess.Popen(
        command(folder, "SLOW", "--hours", "1", *options), cwd=ROOT,
        env=os.environ | {"TMPDIR": str(folder)}, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    end = time.monotonic() + LIMIT
    while not list(folder.glob("sideboards-soak-*/begun")) and time.monotonic() < end:
        time.sleep(0.05)
    time.sleep(0.5)  # until its process runs too
    return process


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_soak_that_is_ended_in_mid_chunk_loses_at_most_the_chunk(
    tmp_path: Path, how: signal.Signals
) -> None:
    process = begun(tmp_path)
    try:
        process.send_signal(how)
        code = process.wait(LIMIT)
    finally:
        process.kill()
        assert process.stdout is not None
        process.stdout.close()
    assert code == (-signal.SIGKILL if how is signal.SIGKILL else 0)
    found = kept(tmp_path).entries
    assert (found["T1"].done, found["T5"].begun, found["T5"].chunks) == (10, 1, 0)
    end = time.monotonic() + LIMIT
    while time.monotonic() < end and left_behind(tmp_path):
        time.sleep(0.1)
    assert left_behind(tmp_path) == []
    resumed = soak(tmp_path, "GOALS", "--chunks", "1", "--only", "T1")
    assert resumed.returncode == 0
    assert kept(tmp_path).entries["T1"].done == 20


def test_a_soak_ends_when_its_time_is_over(tmp_path: Path) -> None:
    assert soak(tmp_path, "GOALS", "--hours", "0.0001").returncode == 0
    assert 1 <= kept(tmp_path).entries["T1"].chunks <= 2


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"version": 2}', '{"version": 1, "seed": 1, "entries": {"T1": 5}}']
)
def test_a_damaged_ledger_is_refused_in_one_sentence(tmp_path: Path, text: str) -> None:
    file = tmp_path / "soak" / "state.json"
    file.parent.mkdir()
    file.write_text(text)
    with pytest.raises(Refusal, match=r"cannot be read .*; expected what a soak has kept"):
        ledger.load(file)
    if not text:
        done = soak(tmp_path, "GOALS")
        assert (done.returncode, done.stdout) == (2, "")
        assert len(done.stderr.splitlines()) == 1
        assert file.read_text() == ""


def test_an_unknown_goal_is_refused(tmp_path: Path) -> None:
    done = soak(tmp_path, "GOALS", "--only", "G99")
    assert done.returncode == 2
    assert done.stderr == "proof: goal: found 'G99'; expected soak, or one of T1, T2\n"


def test_the_page_needs_nothing_from_elsewhere_and_quotes_what_it_shows() -> None:
    book = Ledger(5)
    for number in range(3):
        book.seconds += 100
        book.note(tiny.GOALS[0], tiny.fine(ROOT, 10, number), "again", 1.0)
    book.note(tiny.BROKEN[1], tiny.broken(ROOT, 5, 1), "python <again>", 1.0)
    page = report.page(book, (*tiny.GOALS, tiny.BROKEN[1]))
    assert "it &lt;holds&gt;" in page
    assert "1 &lt; 2 &amp; lost" in page
    assert "python &lt;again&gt;" in page
    assert page.count("<svg ") == 1
    assert "ms of a &lt;tiny&gt; thing" in page
    for foreign in ("<script", "http:", "https:", "src=", "@import", "url("):
        assert foreign not in page


def test_samples_of_all_chunks_are_judged_together_and_once(tmp_path: Path) -> None:
    first = soak(tmp_path, "SAMPLES", "--chunks", "1", "--seed", "7")
    assert first.returncode == 0
    assert len(kept(tmp_path).entries["T6"].samples["one"]) == 10
    assert soak(tmp_path, "SAMPLES").returncode == 1
    entry = kept(tmp_path).entries["T6"]
    assert (entry.done, entry.faults, entry.judged, entry.samples) == (40, 1, True, {})
    (fault,) = entry.sentences
    assert fault["fault"] == "2 of 20 and 1 of 20"
    assert fault["again"] == "python -m proof soak --only T6 --seed 7"
    assert [value for _, value in entry.figures["p"]] == [0.5]


def test_figures_of_many_chunks_take_little_room() -> None:
    book = Ledger(5)
    for number in range(3 * ledger.MOST_POINTS):
        book.seconds += 1
        book.note(tiny.GOALS[0], Outcome(1, ("a",), {"x": number}), "again", 1.0)
    entry = book.entries["T1"]
    points = entry.figures["x"]
    assert len(points) <= ledger.MOST_POINTS
    assert points[0][1] == 0
    assert points[-1][1] == 3 * ledger.MOST_POINTS - 1
    assert (entry.faults, len(entry.sentences)) == (3 * ledger.MOST_POINTS, ledger.MOST_FAULTS)


def test_a_ledger_is_read_as_it_was_written(tmp_path: Path) -> None:
    book = Ledger(5, 2, 3.5, {"T1": Entry(5, 1, 2.5, 0, [], {"x": [(0.1, 2.0)]}, 1)})
    ledger.save(book, tmp_path / "state.json")
    assert ledger.load(tmp_path / "state.json") == book
    assert json.loads((tmp_path / "state.json").read_text())["version"] == 1


def test_the_command_that_tries_a_goal_again_names_the_planted_bug() -> None:
    goal = goals.GOALS[0]
    assert goal.again(5, 7) == "python -m proof G1 --count 5 --seed 7"
    assert goal.again(5, 7, "slow commit").endswith(" --seed 7 --mutant 'slow commit'")


def test_every_goal_asks_for_more_in_a_soak_than_in_short() -> None:
    names = [goal.name for goal in goals.GOALS]
    assert len(names) == len(set(names))
    for goal in goals.GOALS:
        assert 0 < goal.gate <= goal.target
        assert 0 < goal.chunk <= goal.target
