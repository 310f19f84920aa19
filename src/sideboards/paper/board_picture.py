"""Cards and boards as pictures that stand alone: for previews, documents and icons."""

from html import escape

from sideboards.core.board import Board, Laid
from sideboards.core.card import Card, Drawer
from sideboards.core.edition import Edition
from sideboards.core.reader import Cell
from sideboards.core.scoring import Explanation
from sideboards.paper.drawer import drawer_id, drawer_symbols
from sideboards.paper.furniture import logo
from sideboards.paper.handle import UNIT, handle_definitions
from sideboards.paper.mark import mark_drawing
from sideboards.paper.measure import DESK, Pitch
from sideboards.paper.paint import definitions, still
from sideboards.paper.shape import Point, Rect, path_number, point_text

START = 2
"""Cards of a board at the beginning: so wide is one that is still empty."""
AIR, FLOOR = 30, 0.14
"""The wall round a sideboard, and the part of the picture that is floor."""


def card_svg(laid: Laid, edition: Edition, *, title: str = "", pitch: Pitch = DESK) -> str:
    """The picture of one card as it lies."""
    size = Rect(0, 0, pitch.w, pitch.card_height)
    return _picture(size, _card(laid, edition, (0, 0), pitch, pitch.radius), title, pitch)


def board_svg(
    board: Board,
    edition: Edition,
    *,
    marks: Explanation | None = None,
    title: str = "",
    pitch: Pitch = DESK,
    proportion: float | None = None,
) -> str:
    """The picture of a sideboard before a wall, with marks round what scores.

    `proportion` is the width of the picture by its height, where that is given.
    """
    columns = len(board) or START
    wide = columns * pitch.w
    high = pitch.plank + pitch.card_height + pitch.plinth + pitch.legs
    width, height = wide + 2 * AIR, high + 2 * AIR
    if proportion is not None:
        width, height = max(width, height * proportion), max(height, width / proportion)
    x, y = (width - wide) / 2, (height - high) / 2

    def place(cell: Cell) -> Rect:
        column, drawer = cell
        top = y + pitch.plank + pitch.rail
        return Rect(x + column * pitch.w, top + drawer * pitch.h, pitch.w, pitch.h)

    drawn = [
        f'<rect width="{width:g}" height="{height:g}" fill="var(--wall)"/>',
        f'<rect {Rect(0, height * (1 - FLOOR), width, height * FLOOR)} fill="var(--floor)"/>',
        _furniture(Rect(x, y, wide, high), pitch),
        *(
            _card(laid, edition, (x + column * pitch.w, y + pitch.plank), pitch, 0.5)
            for column, laid in enumerate(board)
        ),
        "" if marks is None else mark_drawing(marks, place, pitch),
    ]
    return _picture(Rect(0, 0, width, height), "".join(drawn), title, pitch)


def icon_svg(size: int = 512) -> str:
    """The sign of the game on a wall, square, with room round it for any shape of mask."""
    drawn = (
        '<rect width="64" height="64" fill="var(--wall)"/>'
        '<rect y="49" width="64" height="15" fill="var(--floor)"/>'
        f'<g transform="translate(10 15.5)scale(1.1)">{logo()}</g>'
    )
    return still(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{size}" height="{size}" '
        f'viewBox="0 0 64 64"><defs>{definitions()}</defs>{drawn}</svg>'
    )


def _picture(size: Rect, drawn: str, title: str, pitch: Pitch) -> str:
    """A whole file, in the colors of the light theme."""
    scale = f'transform="scale({path_number(pitch.handle / UNIT)})"'
    symbols = handle_definitions() + drawer_symbols().replace('class="drawer-handle"', scale)
    name = f"<title>{escape(title)}</title>" if title else ""
    w, h = path_number(size.w), path_number(size.h)
    return still(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{w}" height="{h}" '
        f'viewBox="0 0 {w} {h}" role="img">{name}<defs>{definitions()}{symbols}</defs>{drawn}</svg>'
    )


def _drawers(laid: Laid, edition: Edition) -> tuple[Drawer, ...]:
    """From above to below; a turned card is drawn anew, since light comes from above always."""
    card = laid.card if isinstance(laid.card, Card) else edition.card(laid.card)
    return card.drawers[::-1] if laid.turned else card.drawers


def _card(laid: Laid, edition: Edition, at: Point, pitch: Pitch, radius: float) -> str:
    drawers = _drawers(laid, edition)
    edge = radius if radius > 1 else 0  # side by side, the edges of cards are one line
    body = f'width="{path_number(pitch.w)}" height="{path_number(pitch.card_height)}"'
    inside = Rect(
        pitch.stile, pitch.rail, pitch.w - 2 * pitch.stile, pitch.card_height - 2 * pitch.rail
    )
    fronts = "".join(
        f'<use href="#{drawer_id(drawer.color, drawer.handle)}" {front.grown(-pitch.gap / 2)}/>'
        for height, drawer in enumerate(drawers)
        for front in [Rect(inside.x, inside.y + height * pitch.h, inside.w, pitch.h)]
    )
    return (
        f'<g transform="translate({point_text(at)})">'
        f'<rect {body} rx="{radius:g}" fill="url(#wood)"/>'
        f'<rect {body} rx="{radius:g}" fill="url(#grain)"/>'
        f'<path d="M{edge:g} .5H{path_number(pitch.w - edge)}" stroke="#fff" opacity=".35"/>'
        f'<rect {inside} rx="1.6" fill="var(--recess)"/>{fronts}</g>'
    )


def _furniture(all_of_it: Rect, pitch: Pitch) -> str:
    """Shadow, legs, plinth, the inside of an empty sideboard, and the top board."""
    x, y, wide, _ = all_of_it
    floor, body = all_of_it.bottom, y + pitch.plank
    under = floor - pitch.legs
    count = 2 if wide < 150 else 3 if wide < 240 else 4
    legs = "".join(
        _leg(x + pitch.inset + (wide - 2 * pitch.inset) * i / (count - 1), under, pitch.legs, lean)
        for i in range(count)
        for lean in ((i == count - 1) - (i == 0),)
    )
    plank = f'{Rect(x - pitch.overhang, y, wide + 2 * pitch.overhang, pitch.plank)} rx="1.2"'
    return (
        f'<ellipse cx="{path_number(x + wide / 2)}" cy="{path_number(floor)}" '
        f'rx="{path_number(wide / 2 + 6)}" ry="4.5" fill="#32200f" opacity=".2"/>{legs}'
        f'<rect {Rect(x, body, wide, under - body)} fill="var(--plank-2)"/>'
        f'<rect {Rect(x, body, wide, pitch.card_height).grown(-pitch.rail)} fill="var(--recess)"/>'
        f'<rect {plank} fill="url(#plank)"/><rect {plank} fill="url(#grain)"/>'
    )


def _leg(x: float, y: float, high: float, lean: int) -> str:
    """Tapered, with a foot of brass; outer ones lean outwards."""
    top, foot, out = 0.24 * high + 1.3, 0.1 * high + 0.7, lean * 0.2 * high

    def part(start: float, end: float) -> str:
        ends = [(y + high * at, x + out * at, top + (foot - top) * at) for at in (start, end)]
        (y0, x0, half0), (y1, x1, half1) = ends
        corners = [(x0 - half0, y0), (x0 + half0, y0), (x1 + half1, y1), (x1 - half1, y1)]
        return "M" + "L".join(map(point_text, corners)) + "z"

    return (
        f'<path d="{part(0, 1)}" fill="var(--leg)"/>'
        f'<path d="{part(0.8, 1)}" fill="var(--ferrule)"/>'
    )
