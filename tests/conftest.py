"""What all tests share: the shipped edition, one way of drawing chance, and what a run tells."""

import signal

import pytest
from hypothesis import HealthCheck, settings

from sideboards import Edition, load_edition
from tests.telling import pytest_configure, pytest_terminal_summary

__all__ = ["pytest_configure", "pytest_terminal_summary"]

# A test run in the background ignores Ctrl-C, and so would every process that it starts.
signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile(
    "daily", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("thorough", settings.get_profile("daily"), max_examples=400)
settings.load_profile("daily")


@pytest.fixture(scope="session")
def edition() -> Edition:
    return load_edition()


QUICK = {"clock", "identity", "limits", "names", "presence", "refusals", "seat_tokens", "views"}
"""The parts of service and client that are tested without processes and sockets."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of real servers take seconds each: `make check` leaves them to `make test`."""
    for item in items:
        part = item.path.stem.removeprefix("test_")
        if item.path.parent.name in ("service", "client") and part not in QUICK:
            item.add_marker(pytest.mark.long)
