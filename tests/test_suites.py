"""The suites of `make test`: every test file is in exactly one of them."""

import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from scripts import suites

TESTS = Path(__file__).parent
LIMIT = 60
HANGS = """
import signal, subprocess, sys, time
from pathlib import Path

signal.signal(signal.SIGINT, lambda *_: Path(sys.argv[1], "asked").touch())
worker = subprocess.Popen(["sh", "-c", "trap '' INT; sleep 60; true"])
server = subprocess.Popen(["sleep", "60"], start_new_session=True)
Path(sys.argv[1], "unfinished").write_text(f"{worker.pid} {server.pid}")
Path(sys.argv[1], "unfinished").rename(Path(sys.argv[1], "begun"))
time.sleep(60)
time.sleep(60)
"""
"""Tests that go on when they are asked to stop, with a worker and a server of their own."""


def hanging(folder: Path) -> tuple[str, ...]:
    return sys.executable, "-I", "-S", "-c", HANGS, str(folder)


def left(folder: Path) -> list[psutil.Process]:
    """Which of the processes of tests that hung are still running, a moment later."""
    running = []
    for pid in (folder / "begun").read_text().split():
        with suppress(psutil.NoSuchProcess):
            running.append(psutil.Process(int(pid)))
    return psutil.wait_procs(running, timeout=5)[1]


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


def test_a_suite_that_hangs_is_ended_with_all_that_it_started_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(suites, "PYTEST", hanging(tmp_path))
    monkeypatch.setattr(suites, "PATIENCE", 3 / 120)
    monkeypatch.setattr(suites, "GOODBYE", 0.2)
    with subprocess.Popen(["sleep", "60"]) as bystander:
        with pytest.raises(SystemExit) as ended:
            suites.main(["core"])
        assert bystander.poll() is None
        bystander.kill()
    assert ended.value.code == 1
    out = capsys.readouterr().out
    assert "core: it did not end within 0 min 03 s, 0.025 times its share; it was ended" in out
    assert out.splitlines()[-1].startswith("core     FAILED in 0 min 03 s of 2 min")
    assert (tmp_path / "asked").exists(), "first kindly"
    assert left(tmp_path) == []


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_whoever_stops_the_command_leaves_no_tests_behind(
    tmp_path: Path, how: signal.Signals
) -> None:
    code = f"from scripts import suites; suites.PYTEST = {hanging(tmp_path)!r}; "
    code += "suites.GOODBYE = 0.2; import sys; sys.argv[1:] = ['core']; suites.command()"
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, cwd=TESTS.parent, stderr=subprocess.PIPE, text=True) as running:
        end = time.monotonic() + LIMIT
        while not (tmp_path / "begun").exists() and time.monotonic() < end:
            time.sleep(0.02)
        running.send_signal(how)
        _, said = running.communicate(timeout=LIMIT)
    assert (running.returncode, said) == (1, "stopped\n")
    assert left(tmp_path) == []
