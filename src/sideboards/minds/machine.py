"""Objectives as small flat machines, for games that end here and there.

The core's readers keep what they found in big tables, which pays when millions of boards are
scored. A machine has a few hundred states, is explored in milliseconds and stays near the
processor; it reads with the core's own readings, so it can find nothing else.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from sideboards.core.card import COLUMNS, HEIGHTS
from sideboards.core.objective import Objective, Pattern, forms
from sideboards.core.reader import CombinationsReading, GivenRowsReading, Reading, RunsReading

_MOST_STATES = 2000
"""A machine with more is one of a very wide pattern, which is better not explored."""


class Machine:
    """All states that a reading can reach on a board, with the next state for each height."""

    __slots__ = ("_after", "_bytes")

    def __init__(self, after: list[int], found: list[int]) -> None:
        # A state is five times its number: where its five next states stand.
        self._after = after
        self._bytes = found

    def read(self, tracks: Iterable[Sequence[int]]) -> list[int]:
        """What is found in each track, as the bytes of the core's reader."""
        after, found = self._after, []
        for track in tracks:
            state = 0
            for height in track:
                state = after[state + height]
            found.append(self._bytes[state // HEIGHTS])
        return found


@lru_cache(maxsize=100)
def machine(objective: Objective) -> Machine | None:
    """The machine of an objective; None if it has too many states."""
    start = _start(objective)
    states: dict[Reading, int] = {start: 0}
    after: list[int] = []
    layer = [start]
    for _ in range(COLUMNS):
        following: list[Reading] = []
        for reading in layer:
            for height in range(HEIGHTS):
                then = reading.advance(height)
                if then not in states:
                    states[then] = HEIGHTS * len(states)
                    following.append(then)
                after.append(states[then])
        if len(states) > _MOST_STATES:
            return None
        layer = following
    return Machine(after, [reading.byte for reading in states])


def _start(objective: Objective) -> Reading:
    if isinstance(objective, Pattern):
        return CombinationsReading(forms(objective.cells, objective.turns))
    return GivenRowsReading(objective.rows) if objective.rows else RunsReading()
