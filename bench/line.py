"""Lines of figures beside their goals, as service and page are measured."""

import json
import statistics
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    """Something that was measured, several times if there are several figures."""

    name: str
    figures: tuple[float, ...]
    goal: float | None = None
    """At most so much."""
    stretch: float | None = None
    note: str = ""

    @property
    def middle(self) -> float:
        """The figure that counts."""
        return statistics.median(self.figures)

    @property
    def verdict(self) -> str:
        """Whether the goal is reached; nothing where there is none."""
        if self.goal is None:
            return self.note
        said = "reached" if self.middle <= self.goal else f"missed: {self.middle / self.goal:.2f} x"
        if self.stretch is not None and self.middle <= self.stretch:
            said = f"reached, and the stretch of {self.stretch:g}"
        return f"{said}; {self.note}" if self.note else said

    def __str__(self) -> str:
        goal = "-" if self.goal is None else f"{self.goal:g}"
        low, high = min(self.figures), max(self.figures)
        line = f"{self.name:60} {self.middle:10.2f} {low:10.2f} {high:10.2f} {goal:>6}"
        return f"{line}  {self.verdict}".rstrip()


HEADER = f"{'':60} {'median':>10} {'lowest':>10} {'highest':>10} {'goal':>6}"


def show(about: str | None, lines: list[Line], *, as_json: bool) -> None:
    """Print the lines below what they are about, or as JSON for programs."""
    if as_json:
        print(_json(lines))
        return
    print(about)
    print(HEADER)
    for line in lines:
        print(line)


def _json(lines: list[Line]) -> str:
    """The lines for programs."""
    found = [
        {
            "name": line.name,
            "median": line.middle,
            "lowest": min(line.figures),
            "highest": max(line.figures),
            "goal": line.goal,
            "reached": None if line.goal is None else line.middle <= line.goal,
            "note": line.note,
        }
        for line in lines
    ]
    return json.dumps(found, indent=2, ensure_ascii=False)
