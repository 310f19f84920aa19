"""The ledger of a soak: what every goal has reached so far, kept in one file."""

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from proof.goals import Goal
from proof.outcome import Outcome
from sideboards.core.refusal import Refusal

VERSION = 1
MOST_POINTS = 400
"""Points of a figure over time; of more, every second is left out."""
MOST_FAULTS = 50
Point = tuple[float, float]


@dataclass(slots=True)
class Entry:
    """What a goal has reached."""

    done: int = 0
    chunks: int = 0
    seconds: float = 0.0
    faults: int = 0
    sentences: list[dict[str, str]] = field(default_factory=list)
    """The first faults: what, the command that makes it again, and when."""
    figures: dict[str, list[Point]] = field(default_factory=dict)
    """By name, the hour of the soak and what was measured then."""
    begun: int = 0
    """Chunks that were begun; one more than ended while one is running, or after a kill."""
    samples: dict[str, list[float]] = field(default_factory=dict)
    """What is not yet judged."""
    judged: bool = False
    """Whether samples were judged, which is done once."""


@dataclass(slots=True)
class Ledger:
    """What all goals have reached, over all runs of a soak."""

    seed: int
    runs: int = 0
    seconds: float = 0.0
    entries: dict[str, Entry] = field(default_factory=dict)

    def of(self, goal: Goal) -> Entry:
        """What a goal has reached."""
        return self.entries.setdefault(goal.name, Entry())

    def note(self, goal: Goal, outcome: Outcome, again: str, seconds: float) -> None:
        """Add what a chunk has found."""
        entry = self.of(goal)
        entry.done += outcome.done
        entry.chunks += 1
        entry.seconds += seconds
        self._add(entry, outcome, again)
        if not entry.judged:
            for name, values in outcome.samples.items():
                entry.samples.setdefault(name, []).extend(values)

    def judge(self, goal: Goal, again: str) -> None:
        """Judge the samples of all chunks together, as soon as there are enough; only once."""
        entry = self.of(goal)
        fewest = min(map(len, entry.samples.values()), default=0)
        if entry.judged or not goal.verdict or fewest < goal.samples:
            return
        self._add(entry, goal.judge(entry.samples), again)
        entry.judged = True
        entry.samples.clear()

    def _add(self, entry: Entry, outcome: Outcome, again: str) -> None:
        entry.faults += len(outcome.faults)
        room = MOST_FAULTS - len(entry.sentences)
        entry.sentences += [{"fault": each, "again": again} for each in outcome.faults[:room]]
        hour = self.seconds / 3600
        for name, value in outcome.figures.items():
            points = entry.figures.setdefault(name, [])
            points.append((round(hour, 4), float(value)))
            if len(points) > MOST_POINTS:
                del points[1::2]

    @property
    def faults(self) -> int:
        """Of all goals together."""
        return sum(entry.faults for entry in self.entries.values())


def save(ledger: Ledger, file: Path) -> None:
    """Write the file so that after a kill it is the old one or the new one."""
    text = json.dumps({"version": VERSION, **asdict(ledger)}, indent=1)
    unfinished = file.with_suffix(".unfinished")
    with unfinished.open("w") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
    unfinished.replace(file)


def load(file: Path) -> Ledger | None:
    """What former runs have kept; None if there was none. Refused if it cannot be read."""
    try:
        found: dict[str, Any] = json.loads(file.read_text())
        if found.pop("version") != VERSION:
            raise ValueError("another version")
        entries = {name: _entry(entry) for name, entry in found.pop("entries").items()}
        ledger = Ledger(**found, entries=entries)
        ledger.seed = int(ledger.seed)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise Refusal(
            f"{file}: cannot be read ({type(error).__name__}); expected what a soak has kept, "
            "or no file to begin anew"
        ) from None
    return ledger


def _entry(found: dict[str, Any]) -> Entry:
    entry = Entry(**found)
    entry.figures = {
        name: [(float(hour), float(value)) for hour, value in points]
        for name, points in entry.figures.items()
    }
    entry.done, entry.faults = int(entry.done), int(entry.faults)
    return entry
