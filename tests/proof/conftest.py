"""What the tests of the proof share: one seed for the whole run, which is printed."""

import os

import pytest

from tests.service.conftest import postgres_server, postgres_url, running_postgres
from tests.telling import SEED

__all__ = ["postgres_server", "postgres_url", "running_postgres"]
PLACES = {
    "test_nobody_can_tell_twin_worlds_apart": 0.0,
    "test_hostile_input_harms_nobody": 1 / 4,
    "test_strangers_get_nowhere": 1 / 3,
    "test_names_are_only_text_and_nothing_foreign_is_asked": 1 / 2,
    "test_what_was_acknowledged_or_seen_survives_every_kill": 2 / 3,
    "test_every_action_is_applied_once_through_a_hundred_cuts": 3 / 4,
}
"""Where the longest tests stand among all: where the share of one of two to four workers begins."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes long begins early, so that in the end nobody waits for it alone."""
    for item in [each for each in items if each.name in PLACES]:
        items.remove(item)
        items.insert(round(PLACES[item.name] * len(items)), item)


@pytest.fixture
def seed() -> int:
    return int(os.environ[SEED])
