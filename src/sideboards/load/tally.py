"""The tally: what all people together did, noticed, and waited for; its size never grows."""

import math
from collections import Counter
from dataclasses import dataclass, field

SHORTEST = 1e-5
"""Seconds of the first step of a histogram."""
STEP = math.log(1.02)
STEPS = 900
"""The last step is beyond 500 seconds."""
SHOWN_FAULTS = 20


class Waits:
    """Waiting times in steps of 2 percent: quantiles of any number of them in little memory.

    >>> waits = Waits()
    >>> for number in range(1, 101):
    ...     waits.add(number / 1000)
    >>> round(waits.quantile(0.5), 3), waits.count, waits.longest
    (0.05, 100, 0.1)
    """

    __slots__ = ("_steps", "count", "longest")

    def __init__(self) -> None:
        self._steps = [0] * STEPS
        self.count = 0
        self.longest = 0.0

    def add(self, seconds: float) -> None:
        """Count a wait."""
        step = int(math.log(max(seconds, SHORTEST) / SHORTEST) / STEP)
        self._steps[min(step, STEPS - 1)] += 1
        self.count += 1
        self.longest = max(self.longest, seconds)

    def quantile(self, share: float) -> float:
        """Seconds below which such a share of all waits lies; 0 without any."""
        wanted, seen = share * self.count, 0
        for step, count in enumerate(self._steps):
            seen += count
            if count and seen >= wanted:
                return min(SHORTEST * math.exp((step + 0.5) * STEP), self.longest)
        return 0.0


@dataclass(slots=True)
class Tally:
    """What happened since somebody began to count."""

    waits: Waits = field(default_factory=Waits)
    """From a move to its acknowledgement."""
    answers: int = 0
    """To requests of any kind, also after moves no longer count."""
    moves: int = 0
    undos: int = 0
    swaps: int = 0
    drafts: int = 0
    games: int = 0
    """Played to their end."""
    reloads: int = 0
    """Connections that people ended and made again."""
    absences: int = 0
    """Of these, by people who were away for a while."""
    returns: int = 0
    """Of people for whom a bot has played on."""
    losses: int = 0
    """Connections that were lost."""
    refusals: Counter[str] = field(default_factory=Counter)
    """Whatever the server refused, by its code."""
    faults: int = 0
    sentences: list[str] = field(default_factory=list)
    """The first faults."""
    counts: bool = True
    """Whether moves still count; after the end only faults do."""

    def moved(self, move: str, seconds: float) -> None:
        """Count an acknowledged move, and how long that took."""
        if self.counts:
            self.waits.add(seconds)
            self.moves += 1
            self.swaps += move == "swap"
            self.undos += move == "undo"

    def fault(self, sentence: str) -> None:
        """Count something that should never happen."""
        self.faults += 1
        if len(self.sentences) < SHOWN_FAULTS:
            self.sentences.append(sentence)
