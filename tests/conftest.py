"""What all tests share: the shipped edition, and one way of drawing chance."""

import signal

import pytest
from hypothesis import HealthCheck, settings

from sideboards import Edition, load_edition

# A test run in the background ignores Ctrl-C, and so would every process that it starts.
signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile(
    "daily", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("thorough", settings.get_profile("daily"), max_examples=1000)
settings.load_profile("daily")


@pytest.fixture(scope="session")
def edition() -> Edition:
    return load_edition()
