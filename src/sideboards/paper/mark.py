"""Marks round what scores: they differ in shape, never in color."""

from collections.abc import Sequence
from itertools import pairwise

from sideboards.core.reader import Cell
from sideboards.core.scoring import Explanation
from sideboards.paper.measure import Pitch
from sideboards.paper.shape import (
    Place,
    Rect,
    joint,
    outline,
    path_number,
    point_text,
    ring,
    rounded,
)

LINE, CASING = "var(--cream)", "var(--casing)"


def mark_drawing(marks: Explanation, place: Place, pitch: Pitch) -> str:
    """From below: the band of the row, rings of handles, numbered outlines of colors."""
    return "".join(
        [
            *(_band(run, place, pitch) for run in marks.row),
            *(_rings(cells, place, pitch) for cells in marks.handle),
            *(_outline(cells, place, pitch, i) for i, cells in enumerate(marks.color, 1)),
        ]
    )


def _band(cells: Sequence[Cell], place: Place, pitch: Pitch) -> str:
    """Along the lower edge, with a tick between two drawers."""
    first = place(cells[0])
    high = max(4, 0.13 * pitch.h)
    y = first.bottom - high / 2 - 0.6
    band = Rect(first.x + 1, y, pitch.w * len(cells) - 2, high)
    ticks = "".join(f"M{point_text((place(cell).x, y))}v{path_number(high)}" for cell in cells[1:])
    return (
        f'<g fill="{LINE}" stroke="{CASING}" stroke-width="1.3">'
        f'<rect {band} rx="{path_number(high / 2)}"/><path d="{ticks}"/></g>'
    )


def _rings(cells: Sequence[Cell], place: Place, pitch: Pitch) -> str:
    radius = 0.36 * pitch.h + 0.8
    middles = [place(cell).middle for cell in cells]
    lines = [joint(a, b, radius) for a, b in pairwise(middles)]
    return _cased("".join([*(ring(middle, radius) for middle in middles), *lines]), 2.1, 4.4)


def _outline(cells: Sequence[Cell], place: Place, pitch: Pitch, number: int) -> str:
    inset = min(1.2, 0.8 + pitch.h / 110)
    corners = outline(cells, lambda cell: place(cell).grown(-inset), 0.2 * pitch.h)
    first, radius = place(cells[0]), max(6.6, 0.19 * pitch.h)
    badge = point_text((first.x + inset + 0.45 * radius, first.y + inset + 0.45 * radius))
    return (
        _cased(rounded(corners, 0.1 * pitch.h + 1.5), 2.4, 5)
        + f'<g transform="translate({badge})"><circle r="{path_number(radius)}" fill="{LINE}" '
        f'stroke="{CASING}" stroke-width="1.3"/><text y="{path_number(0.5 * radius)}" '
        f'fill="{CASING}" font-family="sans-serif" font-weight="700" text-anchor="middle" '
        f'font-size="{path_number(1.4 * radius)}">{number}</text></g>'
    )


def _cased(path: str, line: float, casing: float) -> str:
    """A light line in a dark one, readable on every paint."""
    return (
        '<g fill="none" stroke-linejoin="round">'
        f'<path d="{path}" stroke="{CASING}" stroke-width="{casing:g}"/>'
        f'<path d="{path}" stroke="{LINE}" stroke-width="{line:g}"/></g>'
    )
