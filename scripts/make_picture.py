"""Draw docs/board.svg, the sideboard in the README, from its notation."""

import math
from pathlib import Path

from sideboards import Board, Card, Edition, explain, load_edition, parse_board

FILE = Path(__file__).parents[1] / "docs" / "board.svg"
BOARD = "60~ 17 19 9 13~ 11~ 24 2~"
OBJECTIVES = (3, 8, 19)

WIDTH, HEIGHT, GAP, EDGE = 64, 44, 3, 10
PAINTS = {
    "red": "#a3200f",
    "turquoise": "#23858f",
    "pink": "#f7cddd",
    "orange": "#ee9216",
    "black": "#14161f",
}
LIGHT, DARK = "#fffaf0", "#221a15"
RING = 15.5


def handle(shape: str, x: float, y: float, metal: str) -> str:
    """A handle around the middle (x, y)."""
    match shape:
        case "flower":
            petals = [(0, -7), (6, -3.5), (6, 3.5), (0, 7), (-6, 3.5), (-6, -3.5)]
            return "".join(
                f'<circle cx="{x + a:g}" cy="{y + b:g}" r="4.4" fill="{metal}"/>'
                for a, b in [*petals, (0, 0)]
            )
        case "square":
            return f'<rect x="{x - 8}" y="{y - 8}" width="16" height="16" rx="2" fill="{metal}"/>'
        case _:
            return f'<rect x="{x - 16}" y="{y - 4}" width="32" height="8" rx="4" fill="{metal}"/>'


def drawers(board: Board, edition: Edition) -> list[str]:
    """All drawers of a board with their handles."""
    shapes = []
    for column, laid in enumerate(board):
        card = laid.card if isinstance(laid.card, Card) else edition.card(laid.card)
        for row, drawer in enumerate((card.turn() if laid.turned else card).drawers):
            x, y = EDGE + column * WIDTH, EDGE + row * HEIGHT
            size = f'width="{WIDTH - GAP}" height="{HEIGHT - GAP}"'
            shapes.append(f'<rect x="{x}" y="{y}" {size} rx="3" fill="{PAINTS[drawer.color]}"/>')
            if drawer.handle:
                metal = DARK if drawer.color in ("pink", "orange") else LIGHT
                shapes.append(
                    handle(drawer.handle, x + WIDTH / 2 - 1.5, y + HEIGHT / 2 - 1.5, metal)
                )
    return shapes


def middle(cell: tuple[int, int]) -> tuple[float, float]:
    """The middle of a drawer."""
    return EDGE + (cell[0] + 0.5) * WIDTH - GAP / 2, EDGE + (cell[1] + 0.5) * HEIGHT - GAP / 2


def line(points: list[tuple[float, float]]) -> str:
    """A light line with a dark edge, readable on every paint."""
    path = " ".join(f"{x:g},{y:g}" for x, y in points)
    return "".join(
        f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="{width}" '
        'stroke-linejoin="round" stroke-linecap="round"/>'
        for color, width in ((DARK, 6), (LIGHT, 3))
    )


def ring(x: float, y: float) -> str:
    """A ring around a handle."""
    return "".join(
        f'<circle cx="{x:g}" cy="{y:g}" r="{RING}" fill="none" stroke="{color}" '
        f'stroke-width="{width}"/>'
        for color, width in ((DARK, 4.4), (LIGHT, 2.1))
    )


def marks(board: Board, edition: Edition) -> list[str]:
    """A line through every color combination, joined rings for handles, a band for the row."""
    why = explain(board, edition.objectives(OBJECTIVES), edition)
    shapes = [line([(x, y + 17) for x, y in map(middle, run)]) for run in why.row]
    for cells in why.handle:
        (ax, ay), (bx, by) = map(middle, cells)
        length = math.hypot(bx - ax, by - ay)
        dx, dy = (bx - ax) * RING / length, (by - ay) * RING / length
        shapes.append(line([(ax + dx, ay + dy), (bx - dx, by - dy)]))
        shapes += [ring(ax, ay), ring(bx, by)]
    return shapes + [line([*map(middle, cells)]) for cells in why.color]


def picture() -> str:
    """The whole picture."""
    edition, board = load_edition(), parse_board(BOARD)
    width, height = 2 * EDGE + len(board) * WIDTH - GAP, 2 * EDGE + 5 * HEIGHT - GAP
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
            f"<title>A finished sideboard: {BOARD}</title>",
            f'<rect width="{width}" height="{height}" rx="6" fill="#94602f"/>',
            *drawers(board, edition),
            *marks(board, edition),
            "</svg>\n",
        ]
    )


if __name__ == "__main__":
    FILE.write_text(picture())
