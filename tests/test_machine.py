"""Flat machines find in every track what the core's readers find."""

from random import Random

import pytest

from sideboards import Pattern, Rows, load_edition
from sideboards.core.card import COLUMNS, HEIGHTS
from sideboards.core.objective import Objective
from sideboards.core.reader import heights
from sideboards.fast.machine import machine
from sideboards.fast.tables import FIRST, TRACKS

EDITION = load_edition()
SKIPPING = Pattern("handle", ((0, 0), (2, 1), (3, 0)), 5, turns="half")


@pytest.mark.parametrize(
    "objective", [*EDITION.patterns, *EDITION.rows, SKIPPING], ids=lambda o: str(o.number)
)
def test_a_machine_reads_as_the_reader_does(objective: Objective) -> None:
    found = machine(objective)
    assert found is not None
    table, rng = found.read_all(), Random(objective.number)
    assert len(table) == TRACKS
    for columns in range(COLUMNS + 1):
        for track in rng.sample(range(HEIGHTS**columns), min(60, HEIGHTS**columns)):
            assert table[FIRST[columns] + track] == objective.reader.walk(heights(track, columns))


@pytest.mark.long
@pytest.mark.parametrize("objective", [EDITION.patterns[4], EDITION.rows[0], EDITION.rows[12]])
def test_a_machine_reads_all_tracks_as_the_reader_does(objective: Pattern | Rows) -> None:
    found = machine(objective)
    assert found is not None
    whole = b"".join(bytes(objective.reader.complete(n)) for n in range(COLUMNS + 1))
    assert found.read_all().tobytes() == whole


def test_a_very_wide_pattern_has_no_machine() -> None:
    assert machine(Pattern("color", ((0, 0), (3, 2), (7, 1)), 5)) is None
