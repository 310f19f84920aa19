"""Objectives as small flat machines: every state that a reading can reach on a board.

A machine has a few hundred states and is explored in milliseconds. It reads with the core's own
readings, so it can find nothing else; it only finds it in all tracks at once.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sideboards.core.card import COLUMNS, HEIGHTS
from sideboards.core.objective import Objective, Pattern, forms
from sideboards.core.reader import CombinationsReading, GivenRowsReading, Reading, RunsReading

_MOST_STATES = 2000
"""A machine with more is one of a very wide pattern, which takes long to explore."""


class Machine(NamedTuple):
    """By state: what it found, and the next state for each height."""

    bytes: NDArray[np.uint8]
    after: NDArray[np.int32]

    def read_all(self) -> NDArray[np.uint8]:
        """What is found in every track, the shorter ones first, as the core's reader tells."""
        states = np.zeros(1, np.int32)
        lengths = [states]
        for _ in range(COLUMNS):
            states = self.after[states].ravel()
            lengths.append(states)
        return self.bytes[np.concatenate(lengths)]


def machine(objective: Objective) -> Machine | None:
    """The machine of an objective; None if it has too many states."""
    start = _start(objective)
    states: dict[Reading, int] = {start: 0}
    after: list[list[int]] = []
    layer = [start]
    for _ in range(COLUMNS):
        following: list[Reading] = []
        for reading in layer:
            row = []
            for height in range(HEIGHTS):
                then = reading.advance(height)
                if then not in states:
                    states[then] = len(states)
                    following.append(then)
                row.append(states[then])
            after.append(row)
        if len(states) > _MOST_STATES:
            return None
        layer = following
    found = np.array([reading.byte for reading in states], np.uint8)
    return Machine(found, np.array(after, np.int32))


def _start(objective: Objective) -> Reading:
    if isinstance(objective, Pattern):
        return CombinationsReading(forms(objective.cells, objective.turns))
    return GivenRowsReading(objective.rows) if objective.rows else RunsReading()
