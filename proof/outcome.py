"""What a run of a goal found."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Outcome:
    """How often something was tried, what went wrong, and what was measured."""

    done: int
    """How many of what the goal counts: kills, cuts, pairs of worlds, messages."""
    faults: tuple[str, ...] = ()
    """What should not have happened, one sentence each."""
    figures: Mapping[str, float] = field(default_factory=dict)
    """What was measured, by its name with its unit, such as `s until ready`."""
    samples: Mapping[str, Sequence[float]] = field(default_factory=dict)
    """By name, what is judged only when many runs have brought enough of it (`Goal.verdict`)."""
