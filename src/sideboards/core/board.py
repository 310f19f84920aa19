"""Boards: cards laid side by side, the tracks of their colors and handles, and their picture.

Every card shows each color and each handle exactly once. So on a board of n cards each of the
5 colors and 3 handles is a *track*: n heights, one per column, kept as a number of n digits to
the base 5. All scoring reads tracks.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from sideboards.core.card import HEIGHTS, Card, Tracks, unpacked
from sideboards.core.edition import Edition
from sideboards.core.reader import Cell


@dataclass(frozen=True, slots=True)
class Laid:
    """A card as it lies: its number (or the card itself, spelled out), and ``~`` when turned."""

    card: int | Card
    turned: bool = False

    def __str__(self) -> str:
        return f"{self.card}~" if self.turned else str(self.card)


Board = tuple[Laid, ...]


def tracks(board: Board, edition: Edition) -> Tracks:
    """The tracks of all colors and handles of a board."""
    return unpacked(packed(board, edition))


def packed(board: Board, edition: Edition) -> int:
    """All tracks of a board in one number.

    A card with the packed number c makes it ``packed * HEIGHTS + c`` when it is laid on the right,
    and ``c * HEIGHTS**columns + packed`` on the left.
    """
    upright, turned = edition.upright, edition.turned
    packed = 0
    for laid in board:
        card = laid.card
        if isinstance(card, int):
            column = turned[card] if laid.turned else upright[card]
        else:
            column = card.turned if laid.turned else card.upright
        packed = packed * HEIGHTS + column
    return packed


def grid(
    board: Board, edition: Edition, marks: Mapping[Cell, str] | None = None
) -> list[list[str]]:
    """The board as five rows of drawers and a sixth row of card numbers, all of one width.

    A drawer is the capital of its color and the letter of its handle, followed by its mark.
    """
    marks = marks or {}
    cards = [_as_laid(laid, edition) for laid in board]
    drawers = [
        [
            f"{card.drawers[height]!s:2}{marks.get((column, height), '')}"
            for column, card in enumerate(cards)
        ]
        for height in range(HEIGHTS)
    ]
    names = [str(laid) if isinstance(laid.card, int) else "*~"[: 1 + laid.turned] for laid in board]
    width = max(3, *(len(cell) for row in (*drawers, names) for cell in row), 0)
    return [[cell.ljust(width) for cell in row] for row in (*drawers, names)]


def picture(board: Board, edition: Edition, marks: Mapping[Cell, str] | None = None) -> str:
    """The board as text: five rows, a column per card, the cards' numbers below."""
    return "\n".join(" ".join(row).rstrip() for row in grid(board, edition, marks))


def _as_laid(laid: Laid, edition: Edition) -> Card:
    card = laid.card if isinstance(laid.card, Card) else edition.card(laid.card)
    return card.turn() if laid.turned else card
