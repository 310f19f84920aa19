"""Draw docs/board.svg, the sideboard in the README, from its notation."""

from pathlib import Path

from sideboards import explain, load_edition, parse_board
from sideboards.paper.draw import board_svg

FILE = Path(__file__).parents[1] / "docs" / "board.svg"
BOARD = "60~ 17 19 9 13~ 11~ 24 2~"
OBJECTIVES = (3, 8, 19)


def picture() -> str:
    """A finished sideboard with all that scores."""
    edition, board = load_edition(), parse_board(BOARD)
    marks = explain(board, edition.objectives(OBJECTIVES), edition)
    return board_svg(board, edition, marks=marks, title=f"A finished sideboard: {BOARD}") + "\n"


if __name__ == "__main__":
    FILE.write_text(picture())
