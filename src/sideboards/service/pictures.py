"""Pictures of the service: the icon in its sizes, and what a link to a table shows.

`python -m sideboards.service.pictures` makes a PNG of the preview on its input.
"""

import os
import re
import struct
import sys
from functools import cache

import resvg_py

from sideboards.core.board import Board
from sideboards.core.edition import Edition, Numbers
from sideboards.core.objective import Objective
from sideboards.paper.board_picture import board_svg, icon_svg
from sideboards.paper.drawer import drawer_symbols, material_symbols
from sideboards.paper.furniture import logo
from sideboards.paper.handle import handle_definitions
from sideboards.paper.objective_picture import LARGE, objective_picture
from sideboards.paper.paint import definitions, still

FAVICON = 32
WIDTH, HEIGHT = 1200, 630
STRIP = 190
"""The height of the part with the sign and the objectives, above the boards."""
GAP = 18
ROWS = {1: (1,), 2: (2,), 3: (3,), 4: (2, 2), 5: (3, 2), 6: (3, 3)}
"""How many boards stand side by side, by their number."""
_TEXTURED = re.compile(r"<rect[^>]*url\(#(?:texture-\w+|grain)\)[^>]*/>")
"""What would take seconds to draw, and is too fine to be seen in a small picture."""
_OPEN = '<svg xmlns="http://www.w3.org/2000/svg"'


@cache
def rounded_icon() -> str:
    """The icon with round corners, at any size."""
    return (
        f'{_OPEN} viewBox="0 0 64 64"><defs><clipPath id="edge"><rect width="64" height="64" '
        f'rx="14"/></clipPath></defs><g clip-path="url(#edge)">{icon_svg(64)}</g></svg>'
    )


@cache
def icon_png(size: int, *, maskable: bool = False) -> bytes:
    """The icon as PNG; the device itself cuts a maskable one."""
    return _rendered(icon_svg(size) if maskable else rounded_icon(), size, size)


@cache
def favicon() -> bytes:
    """The icon as browsers look for it when nothing tells them of another."""
    picture = icon_png(FAVICON)
    head = struct.pack("<HHH", 0, 1, 1)
    entry = struct.pack("<BBBBHHII", FAVICON, FAVICON, 0, 0, 1, 32, len(picture), 22)
    return head + entry + picture


@cache
def house_png(edition: Edition) -> bytes:
    """What a link shows that is of no table: the sign of the game."""
    return _rendered(preview_svg(None, (), edition), WIDTH, HEIGHT)


def preview_svg(numbers: Numbers | None, boards: tuple[Board, ...], edition: Edition) -> str:
    """The sign of the game, the objectives if they are known, and the boards if they are open."""
    drawn = _open_table(numbers, boards, edition) if boards else _empty_room(numbers, edition)
    symbols = definitions() + handle_definitions() + material_symbols() + drawer_symbols()
    whole = (
        f'{_OPEN} viewBox="0 0 {WIDTH} {HEIGHT}">'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="var(--wall)"/>{drawn}'
        f"<defs>{symbols}</defs></svg>"
    )
    return still(_TEXTURED.sub("", whole))


def _empty_room(numbers: Numbers | None, edition: Edition) -> str:
    """The sign of the game as a piece of furniture, the objectives as pictures above it."""
    floor = 0.84 * HEIGHT
    wide = 300 if numbers else 480
    sign = (WIDTH - wide) / 2, floor + 40 - 0.8 * wide, wide
    return (
        f'<rect y="{floor:g}" width="{WIDTH}" height="{HEIGHT - floor:g}" fill="var(--floor)"/>'
        f"{_sign(*sign)}{_objectives(numbers, edition, (WIDTH / 2, 50), 210)}"
    )


def _open_table(numbers: Numbers | None, boards: tuple[Board, ...], edition: Edition) -> str:
    """The boards of everybody, below the sign and the objectives."""
    rows = ROWS[len(boards)]
    high = (HEIGHT - STRIP) / len(rows)
    places = [
        (place * WIDTH / count, STRIP + row * high, WIDTH / count)
        for row, count in enumerate(rows)
        for place in range(count)
    ]
    drawn = []
    for board, (x, y, wide) in zip(boards, places, strict=True):
        picture = board_svg(board, edition, proportion=wide / high)
        # The picture's own measures give way to the place that it has here.
        box = picture[picture.index("viewBox") :]
        drawn.append(f'<svg x="{x:g}" y="{y:g}" width="{wide:g}" height="{high:g}" {box}')
    sign = STRIP - 2 * GAP
    left = 0.5 * (WIDTH - 1.25 * sign - 3 * (LARGE.w / LARGE.h * sign + GAP))
    middle = WIDTH / 2 + (1.25 * sign + GAP) / 2
    return "".join(
        [*drawn, _sign(left, GAP, 1.25 * sign), _objectives(numbers, edition, (middle, GAP), sign)]
    )


def _sign(x: float, y: float, wide: float) -> str:
    return (
        f'<svg x="{x:g}" y="{y:g}" width="{wide:g}" height="{0.8 * wide:g}" '
        f'viewBox="0 0 40 32">{logo()}</svg>'
    )


def _objectives(
    numbers: Numbers | None, edition: Edition, at: tuple[float, float], high: float
) -> str:
    """The objectives side by side, each on a card, from a middle and a top."""
    middle, top = at
    objectives: tuple[Objective, ...] = edition.objectives(numbers) if numbers else ()
    wide = high * LARGE.w / LARGE.h
    left = middle - (3 * wide + 2 * GAP) / 2
    return "".join(
        f'<svg x="{left + place * (wide + GAP):g}" y="{top:g}" width="{wide:g}" height="{high:g}" '
        f'viewBox="0 0 {LARGE.w:g} {LARGE.h:g}"><rect width="100%" height="100%" rx="9" '
        f'fill="var(--surface)"/>{objective_picture(objective, LARGE)}</svg>'
        for place, objective in enumerate(objectives)
    )


def _rendered(svg: str, width: int, height: int) -> bytes:
    return bytes(resvg_py.svg_to_bytes(svg, width=width, height=height, skip_system_fonts=True))


def main() -> None:
    """Draw politely: whoever plays comes first."""
    os.nice(10)
    sys.stdout.buffer.write(_rendered(sys.stdin.read(), WIDTH, HEIGHT))


if __name__ == "__main__":
    main()
