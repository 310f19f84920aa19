"""Pictures of the service: the icon in its sizes, as SVG and PNG."""

import struct
from functools import cache

import resvg_py

from sideboards.paper.furniture import logo
from sideboards.paper.paint import LIGHT, definitions, still

FAVICON = 32
_ROUND = 22
"""The radius of the icon's corners; a maskable icon has none, because the device cuts it."""


@cache
def icon_svg(*, maskable: bool = False) -> str:
    """The icon: the sign of the game before a wall and on a floor, 100 x 100."""
    wide = 56 if maskable else 70
    left, top = (100 - wide) / 2, 80 - wide * 0.8
    corner = "" if maskable else f' rx="{_ROUND}"'
    wall, floor = LIGHT["wall"], LIGHT["floor"]
    drawing = (
        f'<defs>{definitions()}<clipPath id="edge"><rect width="100" height="100"{corner}/>'
        f'</clipPath></defs><g clip-path="url(#edge)"><path d="M0 0h100v76H0z" fill="{wall}"/>'
        f'<path d="M0 76h100v24H0z" fill="{floor}"/></g>'
        f'<svg x="{left:g}" y="{top:g}" width="{wide}" height="{wide * 0.8:g}" '
        f'viewBox="0 0 40 32">{logo()}</svg>'
    )
    head = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">'
    return f"{head}{still(drawing)}</svg>"


@cache
def icon_png(size: int, *, maskable: bool = False) -> bytes:
    """The icon as PNG; takes some milliseconds at its first use."""
    return rendered(icon_svg(maskable=maskable), size, size)


@cache
def favicon() -> bytes:
    """The icon as browsers look for it when nothing tells them of another."""
    picture = icon_png(FAVICON)
    head = struct.pack("<HHH", 0, 1, 1)
    entry = struct.pack("<BBBBHHII", FAVICON, FAVICON, 0, 0, 1, 32, len(picture), 22)
    return head + entry + picture


def rendered(svg: str, width: int, height: int) -> bytes:
    """A drawing as PNG."""
    return bytes(resvg_py.svg_to_bytes(svg, width=width, height=height, skip_system_fonts=True))
