"""What an objective asks for, as a picture: an unpainted cabinet with the marks of the scoring.

All is drawn from the cells, colors and rows of the objective, never from its number, so that
patterns of owners look like all others.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from sideboards.core.card import HANDLES, HEIGHTS, Handle
from sideboards.core.objective import Objective, Pattern, Rows
from sideboards.core.reader import Cell
from sideboards.paper.handle import UNIT
from sideboards.paper.shape import Rect, joint, outline, path_number, point_text, ring, rounded

PILL = 26
"""A cell of this height has room for the three shapes; lower ones have them beside the picture."""
RUN = 4
"""Drawers of a row that is shown as an example."""


@dataclass(frozen=True, slots=True)
class Paper:
    """How large a picture is, and the largest cells on it."""

    w: float
    h: float
    cell_w: float
    cell_h: float
    line: float


SMALL = Paper(100, 44, 24, 16, 2.4)
LARGE = Paper(200, 140, 58, 40, 3.8)


def objective_picture(objective: Objective, paper: Paper) -> str:
    """The picture of an objective in a box of the paper's size."""
    match objective:
        case Pattern(kind="color"):
            return _color_pattern(objective, paper)
        case Pattern():
            return _handle_pattern(objective, paper)
        case Rows(runs="longest in each row"):
            return _given_rows(objective, paper)
        case _:
            return _loose_rows(objective, paper)


@dataclass(frozen=True, slots=True)
class _Grid:
    """Cells side by side, in the middle of an area."""

    x: float
    y: float
    w: float
    h: float

    def place(self, cell: Cell) -> Rect:
        column, height = cell
        return Rect(self.x + column * self.w, self.y + height * self.h, self.w, self.h)

    def front(self, cell: Cell) -> Rect:
        return self.place(cell).grown(-max(0.7, 0.045 * self.h))


def _grid(columns: int, heights: int, paper: Paper, area: Rect) -> _Grid:
    """The largest cells that fit, neither very flat nor very narrow."""
    h = min(paper.cell_h, area.h / heights)
    w = min(paper.cell_w, area.w / columns, 1.6 * h)
    h = min(h, w / 1.15)
    x, y = area.middle
    return _Grid(x - columns * w / 2, y - heights * h / 2, w, h)


def _size(cells: Sequence[Cell]) -> tuple[int, int]:
    columns, heights = zip(*cells, strict=True)
    return max(columns) + 1, max(heights) + 1


def _color_pattern(pattern: Pattern, paper: Paper) -> str:
    """Stripes for any paint, in the joined outline of a combination."""
    columns, heights = _size(pattern.cells)
    edge = 2 * paper.line
    grid = _grid(columns, heights, paper, Rect(0, 0, paper.w, paper.h).grown(-edge))
    grown = 0.6 + 0.04 * grid.h
    corners = outline(pattern.cells, lambda cell: grid.place(cell).grown(grown), 0.16 * grid.h)
    path = rounded(corners, min(0.15 * grid.h, 5))
    casing, line = path_number(paper.line * 2), path_number(paper.line)
    return (
        _blanks(columns, heights, pattern.cells, grid)
        + f'<g stroke-linejoin="round"><path d="{path}" fill="var(--surface)" '
        f'stroke="var(--surface)" stroke-width="{casing}"/>'
        + "".join(_used("any", grid.front(cell)) for cell in pattern.cells)
        + f'<path d="{path}" fill="none" stroke="var(--ink)" stroke-width="{line}"/></g>'
    )


def _handle_pattern(pattern: Pattern, paper: Paper) -> str:
    """Rings joined by a line: with the three shapes inside, or beside where they are too small."""
    columns, heights = _size(pattern.cells)
    area = Rect(0, 0, paper.w, paper.h).grown(-paper.line)
    grid = _grid(columns, heights, paper, area)
    inside = grid.h >= PILL
    signs = ""
    if not inside:
        beside = 0.22 * paper.w
        grid = _grid(columns, heights, paper, Rect(area.x, area.y, area.w - beside, area.h))
        grid = _Grid((paper.w - columns * grid.w - beside) / 2, grid.y, grid.w, grid.h)
        signs = _signs_below(grid.x + columns * grid.w + 0.62 * beside, paper)
    line = path_number(0.8 * paper.line)
    middles = [grid.place(cell).middle for cell in pattern.cells]
    marks = f'<g fill="none" stroke="var(--ink)" stroke-width="{line}">'
    if inside:
        lines = "".join(joint(a, b, 0) for a, b in pairwise(middles))
        pills = [_pill(grid.front(cell)) for cell in pattern.cells]
        marks += f'<path d="{lines}"/></g>{"".join(pills)}'
    else:
        radius = 0.42 * grid.h
        lines = "".join(joint(a, b, radius) for a, b in pairwise(middles))
        rings = "".join(ring(middle, radius) for middle in middles)
        marks += f'<path d="{lines}{rings}"/></g>'
    return _blanks(columns, heights, (), grid) + marks + signs


def _loose_rows(rows: Rows, paper: Paper) -> str:
    """A run and an arrow, since it may go on; two of them where two count."""
    two = rows.runs == "two longest"
    any_handle = rows.of == "handle" and rows.only is None
    lengths = (RUN, RUN - 1) if two else (RUN,)
    pill = any_handle and paper is LARGE
    h = (0.16 if paper is LARGE else 0.23 if two else 0.3) * paper.h
    if pill or not (two or paper is SMALL):
        h = 0.19 * paper.h
    w = (1.2 if any_handle and paper is SMALL and not two else 1.42) * h
    arrow, band = 0.14 * paper.w, 1.4 * paper.line
    beside = 0.18 * paper.w if any_handle and not pill else 0
    left = (paper.w - RUN * w - arrow - beside) / 2 + 0.02 * paper.w
    step = h + 2.2 * band + 0.06 * paper.h
    top = (paper.h - (len(lengths) - 1) * step - h - 1.2 * band) / 2
    found: list[str] = []
    for i, length in enumerate(lengths):
        grid = _Grid(left + (RUN - length) * w / 2, top + i * step, w, h)
        found += [_material(rows, grid.front((column, 0))) for column in range(length)]
        end = grid.x + length * w
        found.append(_band(grid.x, end, grid.y + h + 0.75 * band, 0.9 * band))
        found.append(_arrow(end + 0.35 * arrow, grid.y + h / 2, 0.55 * arrow, paper))
    if beside:
        found.append(_signs_below(left + RUN * w + arrow + 0.45 * beside, paper))
    return "".join(found)


def _given_rows(rows: Rows, paper: Paper) -> str:
    """A cabinet of five rows with a pointer at each row that counts."""
    beside = 0.18 * paper.w if rows.of == "handle" else 0
    h = (paper.h - 3 * paper.line) / HEIGHTS * (1 if paper is SMALL else 0.72)
    w = 1.9 * h
    x, y = (paper.w - beside - RUN * w) / 2 + 0.02 * paper.w, (paper.h - HEIGHTS * h) / 2
    grid = _Grid(x, y, w, h)
    frame = Rect(x, y, RUN * w, HEIGHTS * h).grown(0.6 * paper.line)
    counting = [(column, height) for height in rows.rows for column in range(RUN)]
    found = [
        (
            f'<rect {frame} rx="{path_number(0.7 * paper.line)}" fill="none" stroke="var(--leg)" '
            f'stroke-width="{path_number(0.6 * paper.line)}"/>'
        ),
        _blanks(RUN, HEIGHTS, counting, grid),
        *(_material(rows, _shortened(grid.front(cell), 0.6 * paper.line)) for cell in counting),
    ]
    for height in rows.rows:
        row = grid.place((0, height))
        found.append(_band(x, x + RUN * w, row.bottom - 0.3 * paper.line, 0.8 * paper.line))
        size = 0.24 * h
        tip = point_text((frame.x - 1.2, row.middle[1]))
        found.append(
            f'<path d="M{tip}l{path_number(-1.3 * size)}{path_number(-size)}v'
            f'{path_number(2 * size)}z" fill="var(--ink)"/>'
        )
    if beside:
        found.append(_signs_below(frame.right + 0.6 * beside, paper))
    return "".join(found)


def _shortened(front: Rect, by: float) -> Rect:
    """A front that leaves room for the band below it."""
    return Rect(front.x, front.y, front.w, front.h - by)


def _material(rows: Rows, front: Rect) -> str:
    """A drawer that counts in a row."""
    if rows.of == "color" and rows.only is None:
        return _used("any", front)
    if rows.of == "color":
        edge = f'<rect {front} rx="2.2" fill="none" stroke="var(--blank-line)" stroke-width=".5"/>'
        return _used(f"d-{rows.only}-none", front) + edge  # black paint shows on a dark page too
    blank = _used("blank", front)
    if rows.only is not None:
        shape: Handle = next(handle for handle in HANDLES if handle == rows.only)
        return blank + _sign(shape, *front.middle, min(0.85 * front.h, 0.62 * front.w))
    if front.h >= 0.75 * PILL:
        return _pill(front)
    line = path_number(max(0.9, 0.09 * front.h))
    path = ring(front.middle, 0.36 * front.h)
    return f'{blank}<path d="{path}" fill="none" stroke="var(--ink)" stroke-width="{line}"/>'


def _pill(front: Rect) -> str:
    """A ring that is wide enough for the three shapes, because any of them will do."""
    high = 0.8 * front.h
    frame = Rect(front.x + 0.02 * front.w, front.middle[1] - high / 2, 0.96 * front.w, high)
    x, y = front.middle
    size = 0.24 * front.w
    signs = "".join(
        _sign(shape, x + at * front.w, y, size)
        for shape, at in zip(HANDLES, (-0.31, -0.065, 0.235), strict=True)
    )
    return (
        f'<rect {frame} rx="{path_number(high / 2)}" fill="var(--blank)" stroke="var(--ink)" '
        f'stroke-width="{path_number(0.075 * front.h)}"/>{signs}'
    )


def _blanks(columns: int, heights: int, taken: Sequence[Cell], grid: _Grid) -> str:
    """The bare drawers of a cabinet."""
    cells = [(column, height) for height in range(heights) for column in range(columns)]
    return "".join(_used("blank", grid.front(cell)) for cell in cells if cell not in taken)


def _signs_below(x: float, paper: Paper) -> str:
    """The three shapes one below the other."""
    size, step = 0.27 * paper.h, 0.29 * paper.h
    if paper is LARGE:
        size, step = 0.14 * paper.h, 0.18 * paper.h
    ys = (paper.h / 2 - step, paper.h / 2, paper.h / 2 + 0.85 * step)
    return "".join(_sign(shape, x, y, size) for shape, y in zip(HANDLES, ys, strict=True))


def _sign(shape: Handle, x: float, y: float, size: float) -> str:
    scale = path_number(size / UNIT)
    return f'<use href="#i-{shape}" transform="translate({point_text((x, y))})scale({scale})"/>'


def _used(name: str, place: Rect) -> str:
    return f'<use href="#{name}" {place}/>'


def _band(left: float, right: float, y: float, high: float) -> str:
    """The mark of a row."""
    start, wide = point_text((left + high / 2 + 0.5, y)), path_number(right - left - high - 1)
    return (
        f'<path d="M{start}h{wide}" stroke="var(--ink)" stroke-width="{path_number(high)}" '
        'stroke-linecap="round"/>'
    )


def _arrow(x: float, y: float, wide: float, paper: Paper) -> str:
    """May go on."""
    tip = 0.36 * wide
    line = path_number(0.5 * paper.line + 0.3)
    return (
        f'<path d="M{point_text((x, y))}h{path_number(wide)}m{point_text((-tip, -tip))}'
        f'l{point_text((tip, tip))} {point_text((-tip, tip))}" fill="none" '
        f'stroke="var(--ink-2)" stroke-width="{line}" stroke-linecap="round" '
        'stroke-linejoin="round"/>'
    )
