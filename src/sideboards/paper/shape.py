"""Lines of the drawings: numbers, rounded outlines, and the joined outline of a combination."""

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

from sideboards.core.reader import Cell

Point = tuple[float, float]


class Rect(NamedTuple):
    """A place on a picture."""

    x: float
    y: float
    w: float
    h: float

    @property
    def right(self) -> float:
        """Its right edge."""
        return self.x + self.w

    @property
    def bottom(self) -> float:
        """Its lower edge."""
        return self.y + self.h

    @property
    def middle(self) -> Point:
        """Its middle."""
        return self.x + self.w / 2, self.y + self.h / 2

    def grown(self, by: float) -> "Rect":
        """The same place, larger on each side."""
        return Rect(self.x - by, self.y - by, self.w + 2 * by, self.h + 2 * by)

    def __str__(self) -> str:
        x = f'x="{path_number(self.x)}" ' if self.x else ""
        y = f'y="{path_number(self.y)}" ' if self.y else ""
        return f'{x}{y}width="{path_number(self.w)}" height="{path_number(self.h)}"'


Place = Callable[[Cell], Rect]


def path_number(value: float) -> str:
    """A number as short as a picture needs it: two places, no zero in front."""
    text = f"{value + 0.0:.2f}".rstrip("0").rstrip(".")
    text = text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text
    return "0" if text in {"", "-0", "-"} else text


def point_text(point: Point) -> str:
    """A point of a path."""
    return f"{path_number(point[0])} {path_number(point[1])}"


def rounded(points: Sequence[Point], radius: float) -> str:
    """A closed path through the points, its corners rounded.

    Blunt corners are rounded less, so that a bar between two drawers stays straight.
    """
    path: list[str] = []
    for i, corner in enumerate(points):
        before, after = points[i - 1], points[(i + 1) % len(points)]
        blunt = (
            sum((a - c) * (b - c) for a, b, c in zip(before, after, corner, strict=True)) < -0.01
        )
        cut = radius / 2 if blunt else radius
        into, out = _towards(corner, before, cut), _towards(corner, after, cut)
        path.append(f"{'L' if i else 'M'}{point_text(into)}Q{point_text(corner)} {point_text(out)}")
    return "".join(path) + "z"


def outline(cells: Sequence[Cell], place: Place, bridge: float) -> list[Point]:
    """The corners of what a combination covers: one drawer per column, joined from left to right.

    Neighbours of one height grow together; others are joined by a bar, `bridge` wide on each side
    of where their corners meet.
    """
    ordered = sorted(cells)
    upper: list[Point] = []
    lower: list[Point] = []
    first, last = place(ordered[0]), place(ordered[-1])
    upper.append((first.x, first.y))
    lower.append((first.x, first.bottom))
    for (column, height), (next_column, next_height) in pairwise(ordered):
        a, b = place((column, height)), place((next_column, next_height))
        if next_height > height:
            upper += [(a.right, a.y), (a.right, min(a.bottom, b.y) - bridge)]
            upper += [(max(a.right, b.x) + bridge, b.y)]
            lower += [(min(a.right, b.x) - bridge, a.bottom)]
            lower += [(b.x, max(a.bottom, b.y) + bridge), (b.x, b.bottom)]
        elif next_height < height:
            lower += [(a.right, a.bottom), (a.right, max(a.y, b.bottom) + bridge)]
            lower += [(max(a.right, b.x) + bridge, b.bottom)]
            upper += [(min(a.right, b.x) - bridge, a.y)]
            upper += [(b.x, min(a.y, b.bottom) - bridge), (b.x, b.y)]
        elif next_column > column + 1:
            middle = a.middle[1]
            upper += [(a.right, a.y), (a.right, middle - bridge / 2)]
            upper += [(b.x, middle - bridge / 2), (b.x, b.y)]
            lower += [(a.right, a.bottom), (a.right, middle + bridge / 2)]
            lower += [(b.x, middle + bridge / 2), (b.x, b.bottom)]
    upper.append((last.right, last.y))
    lower.append((last.right, last.bottom))
    return upper + lower[::-1]


def ring(middle: Point, radius: float) -> str:
    """A circle as part of a path."""
    r, wide = path_number(radius), path_number(2 * radius)
    start = point_text((middle[0] - radius, middle[1]))
    return f"M{start}a{r} {r} 0 1 0 {wide} 0a{r} {r} 0 1 0-{wide} 0"


def joint(a: Point, b: Point, radius: float) -> str:
    """A line between two rings, from rim to rim."""
    return f"M{point_text(_towards(a, b, radius, 1))}L{point_text(_towards(b, a, radius, 1))}"


def _towards(start: Point, end: Point, distance: float, most: float = 0.5) -> Point:
    """The point so far on the way from one to the other, at most the given part of the way."""
    length = math.dist(start, end)
    part = min(distance / length, most) if length else 0
    return start[0] + (end[0] - start[0]) * part, start[1] + (end[1] - start[1]) * part
