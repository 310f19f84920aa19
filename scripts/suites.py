"""All tests, suite by suite, each with its time beside the share that it may take.

Examples: `python -m scripts.suites` runs all of them, `python -m scripts.suites core web` two.
"""

import argparse
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from proof.soak import children, kill

TESTS = Path(__file__).parents[1] / "tests"
PYTEST = (sys.executable, "-m", "pytest", "--hypothesis-profile=thorough")
TOGETHER = "--dist=worksteal"
"""Whoever has nothing left to do takes over what another has not begun."""
INTERRUPTED = 2
"""With this pytest ends when somebody presses Ctrl-C."""
PATIENCE = 3
"""So many times its share a suite may take before it is ended."""
GOODBYE = 15.0
"""Seconds in which tests that were interrupted may end what they have started."""
CHECKS = frozenset(
    [
        "bench",
        "docs",
        "examples",
        "make_proofs",
        "make_protocol",
        "setup",
        "suites",
        "tools",
        "words",
    ]
)
MINDS = frozenset(
    [
        "arena",
        "batch",
        "belief",
        "bots",
        "chart",
        "cli_minds",
        "coach",
        "envs",
        "ladder",
        "observation",
        "par",
        "quick_game",
        "standings",
        "strength",
        "values",
        "workers",
    ]
)
"""The files directly in `tests` that are about something else than the game itself."""

ELSEWHERE = {
    "client/test_load.py": "proof",
    "service/test_web.py": "web",
    "service/test_wheel.py": "web",
}
"""The files in folders that belong to another suite: load, pages, and what opens the browser."""


@dataclass(frozen=True, slots=True)
class Suite:
    """Some tests, and the minutes that they may take on 2 cores."""

    name: str
    minutes: int
    folders: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    """A command that belongs to it and runs first."""
    workers: str = "auto"
    """How many tests run at a time; more than there are cores where they often wait."""
    measures: bool = False
    """Whether some of its tests are to run alone."""

    def files(self) -> Iterator[Path]:
        """The test files of this suite."""
        for file in sorted(TESTS.glob("*/test_*.py")):
            folder = file.parent.name
            suite = ELSEWHERE.get(f"{folder}/{file.name}")
            if suite == self.name or (suite is None and folder in self.folders):
                yield file
        for file in sorted(TESTS.glob("test_*.py")):
            if suite_of(file.stem.removeprefix("test_")) == self.name:
                yield file


SUITES = (
    Suite("checks", 2, before=("make", "--no-print-directory", "lint")),
    Suite("core", 2),
    Suite("minds", 3),
    Suite("service", 3, ("service", "client"), workers="4"),
    Suite("web", 6, ("web",), workers="3"),
    Suite("proof", 8, ("proof",), workers="3", measures=True),
)


def suite_of(part: str) -> str:
    """The suite of a file directly in `tests`, by what it is about."""
    return "checks" if part in CHECKS else "minds" if part in MINDS else "core"


def run(suite: Suite) -> bool:
    """Run a suite; whether all of it passed, and in time."""
    limit = PATIENCE * 60 * suite.minutes
    end = time.monotonic() + limit
    try:
        return _run(suite, end)
    except subprocess.TimeoutExpired:
        print(
            f"{suite.name}: it did not end within {spoken(limit)}, {PATIENCE} times its share; "
            "it was ended with all that it had started",
            flush=True,
        )
        return False


def _run(suite: Suite, end: float) -> bool:
    if suite.before and _code(suite.before, end):
        return False
    files = [os.path.relpath(file) for file in suite.files()]
    together = (TOGETHER, f"--numprocesses={suite.workers}")
    if suite.measures:
        passed = _pytest(end, *together, "-m", "not alone", *files)
        return _pytest(end, "-m", "alone", *files) and passed
    return _pytest(end, *together, *files)


def _pytest(end: float, *arguments: str) -> bool:
    """Run some tests; whether all of them passed."""
    code = _code((*PYTEST, *arguments), end)
    if code == INTERRUPTED:
        raise KeyboardInterrupt
    return code == 0


def _code(command: tuple[str, ...], end: float) -> int:
    """The exit code of a command, which is ended with all of its processes when time is up."""
    process = subprocess.Popen(  # noqa: S603 (ours)
        command,
        stdin=subprocess.DEVNULL,
        start_new_session=True,  # so that it can be told from all else that runs here
    )
    try:
        return process.wait(max(0.0, end - time.monotonic()))
    finally:
        if process.returncode is None:  # too slow, or somebody stops it
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a command: first as Ctrl-C does, then with everything that it has started."""
    family = children(process.pid)
    os.killpg(process.pid, signal.SIGINT)
    try:
        with suppress(subprocess.TimeoutExpired):
            process.wait(GOODBYE)
    finally:
        kill(family)  # also those with a session of their own, such as servers
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def spoken(seconds: float) -> str:
    """A time as people say it."""
    return f"{int(seconds) // 60} min {int(seconds) % 60:02} s"


def main(arguments: list[str] | None = None) -> None:
    """Run the named suites, or all; exit with 1 if one has failed."""
    names = [suite.name for suite in SUITES]
    parser = argparse.ArgumentParser("python -m scripts.suites", description=__doc__)
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=", ".join(names))
    asked = parser.parse_args(arguments).suites
    for name in asked:
        if name not in names:
            parser.error(f"found {name}; expected {', '.join(names)}")
    told, failed = [], False
    for suite in SUITES:
        if asked and suite.name not in asked:
            continue
        print(f"== {suite.name} ==", flush=True)
        begun = time.monotonic()
        passed = run(suite)
        took = time.monotonic() - begun
        over = ", more than its share" if took > 60 * suite.minutes else ""
        verdict = "passed" if passed else "FAILED"
        line = f"{suite.name:8} {verdict} in {spoken(took)} of {suite.minutes} min{over}"
        print(line, flush=True)
        told.append(line)
        failed |= not passed
    print("\n".join(["", *told]))
    sys.exit(failed)


def command() -> None:
    """Run as a command; whoever stops it, or closes its terminal, stops the tests too."""
    for sign in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(sign, _stop)
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("stopped")


def _stop(*_: object) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    command()
