"""Whoever waits for a server that never tells a word gives it up, and leaves nothing behind."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import psutil
import pytest

from bench import hosts
from bench.pipes import NotReady, line_of, object_of
from tests.client import serving as client
from tests.service import live

MUTE = "import time; time.sleep(60)"
SOON = 0.5


@contextmanager
def telling(code: str) -> Iterator[IO[bytes]]:
    """What a process tells that runs some Python, and ends with the block."""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            yield process.stdout
        finally:
            process.kill()


def started_by_us() -> list[psutil.Process]:
    return psutil.Process(os.getpid()).children(recursive=True)


def test_lines_and_objects_are_told_one_after_the_other() -> None:
    code = 'print("first\\n{\\n  \\"port\\": 5\\n}\\nlast")'
    with telling(code) as pipe:
        assert line_of(pipe, live.LIMIT) == "first\n"
        assert object_of(pipe, live.LIMIT) == {"port": 5}
        assert line_of(pipe, live.LIMIT) == "last\n"
        with pytest.raises(NotReady, match="the process ended before it was ready; expected"):
            line_of(pipe, live.LIMIT)


@pytest.mark.parametrize("half", ["", "half"])
def test_nobody_waits_without_end_for_a_line(half: str) -> None:
    with telling(f"print('.{half}', end='', flush=True); {MUTE}") as pipe:
        assert os.read(pipe.fileno(), 1) == b"."  # now it has told all that it will
        with pytest.raises(NotReady) as gave_up:
            line_of(pipe, SOON)
    told = f"the process told {half.encode()!r} in 0.5 s; expected a whole line"
    assert str(gave_up.value) == told


def test_nobody_waits_without_end_for_the_rest_of_an_object() -> None:
    with telling(f"print('{{', flush=True); {MUTE}") as pipe:
        assert os.read(pipe.fileno(), 1) == b"{"
        with pytest.raises(NotReady, match=r"in 0\.5 s"):
            object_of(pipe, SOON)


def test_a_measured_server_that_stays_silent_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hosts, "READY_WITHIN", SOON)
    before = started_by_us()
    with pytest.raises(NotReady):
        hosts.Host(["timeit", "-n", "1", MUTE], tmp_path / "log")
    assert started_by_us() == before


def test_a_server_under_test_that_stays_silent_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "READY_WITHIN", SOON)
    before = started_by_us()
    server = live.Server(tmp_path / "games.db", under=("/bin/sh", "-c", "exec sleep 60"))
    try:
        with pytest.raises(NotReady):
            server.start()
    finally:
        server.kill()
        assert server.failures() == []
    assert started_by_us() == before


def test_so_is_one_of_the_tests_of_the_client(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "READY_WITHIN", SOON)
    monkeypatch.setattr(client, "PROGRAM", ("/bin/sh", "-c", "exec sleep 60"))
    before = started_by_us()
    with pytest.raises(NotReady), client.serving(tmp_path):
        pytest.fail("it was never ready")
    assert started_by_us() == before
