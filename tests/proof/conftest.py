"""What the tests of the proof share: one seed for the whole run, which is printed."""

import os
from random import SystemRandom

import pytest

from tests.service.conftest import postgres_server, postgres_url, running_postgres

__all__ = ["postgres_server", "postgres_url", "running_postgres"]
SEED = "SIDEBOARDS_SEED"


def pytest_configure() -> None:
    """Draw the seed before any process of the run is started, so that all of them share it."""
    if not os.environ.get(SEED):
        os.environ[SEED] = str(SystemRandom().randrange(10**6))


def pytest_report_header() -> str:
    """The seed, and how the same run is made again."""
    seed = os.environ[SEED]
    return f"seed of the proof: {seed}; the same again: make proof SEED={seed}"


@pytest.fixture
def seed() -> int:
    return int(os.environ[SEED])
