"""What a run of tests tells at its end: its seed and how to have it again, and what it measured.

pytest keeps what a test prints to itself, and with `-q` the header too. A test tells a line by
`record_property(TOLD, line)`, which also comes from the processes of pytest-xdist.
"""

import os
from collections.abc import Iterable, Iterator
from random import SystemRandom

import pytest

SEED = "SIDEBOARDS_SEED"
"""The variable of the environment that all processes of a run have the seed from."""
TOLD = "told"
PROOF = "tests/proof/"


def pytest_configure() -> None:
    """Draw the seed before any process of the run is started, so that all of them share it."""
    if not os.environ.get(SEED):
        os.environ[SEED] = str(SystemRandom().randrange(10**6))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Tell it below everything else; only one process of a run has a terminal."""
    all_of_them = (each for some in terminalreporter.stats.values() for each in some)
    reports = [each for each in all_of_them if isinstance(each, pytest.TestReport)]
    for line in _told(reports):
        terminalreporter.write_line(line)
    if any(each.nodeid.startswith(PROOF) for each in reports):
        seed = os.environ[SEED]
        terminalreporter.write_line(
            f"seed of the proof: {seed}; the same again: make proof SEED={seed}"
        )


def _told(reports: Iterable[pytest.TestReport]) -> Iterator[str]:
    """The lines of all tests, each once: the reports of set-up and tear-down have them too."""
    for report in reports:
        if report.when == "call":
            yield from (str(value) for name, value in report.user_properties if name == TOLD)
