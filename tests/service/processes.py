"""Servers as processes of their own, started as people start them."""

import json
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

LIMIT = 180
OPTIONS = ("serve", "--json", "--host", "127.0.0.1", "--port", "0")


@dataclass(frozen=True, slots=True)
class Server:
    """A server that runs."""

    process: subprocess.Popen[bytes]
    address: str
    """Where it says that it can be reached."""
    log: Path
    """What it has written to standard error."""


@contextmanager
def serving(
    program: str | Path | Sequence[str],
    *options: str,
    cwd: Path,
    env: Mapping[str, str] | None = None,
) -> Iterator[Server]:
    """A server that is ready, ended at the latest with the block; `sideboards` on a free port."""
    started = [program] if isinstance(program, str | Path) else program
    arguments = options if program == "make" else (*OPTIONS, *options)
    with tempfile.TemporaryDirectory() as folder:
        log, said = Path(folder) / "log", Path(folder) / "said"
        with log.open("wb") as errors, said.open("wb") as output:
            process = subprocess.Popen(
                [*started, *arguments], cwd=cwd, env=env, stdout=output, stderr=errors
            )
        family = psutil.Process(process.pid)
        try:
            yield Server(process, _address(process, said, log), log)
        finally:
            if process.poll() is None:
                for each in [*family.children(recursive=True), family]:
                    each.kill()
            process.wait(LIMIT)


def _address(process: subprocess.Popen[bytes], said: Path, log: Path) -> str:
    """The address in the JSON that a server prints when it is ready, whatever stands before it."""
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        _, begun, text = said.read_text().partition("{")
        if begun and text.rstrip().endswith("}"):
            address: str = json.loads(begun + text)["here"]
            return address
        assert process.poll() is None, log.read_text()
        time.sleep(0.05)
    raise AssertionError(f"not ready in time: {log.read_text()}")


def eventually(holds: Callable[[], bool]) -> None:
    """Return when something holds, which must not take for ever."""
    end = time.monotonic() + LIMIT
    while not holds():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.05)
