"""Drawers: a symbol for each paint and handle, for fronts of any size.

The fronts stretch with the width and height of whoever uses them. Textures and handles do not:
a handle's size comes from the CSS variable `--handle` (its side / 24), which the class
`drawer-handle` reads.
"""

from sideboards.core.card import COLORS, HANDLES, Color, Handle
from sideboards.paper.paint import PAINTS, TEXTURES

ALL = 'width="100%" height="100%"'


def drawer_id(color: Color, handle: Handle | None) -> str:
    """The name of a drawer's symbol."""
    return f"d-{color}-{handle or 'none'}"


def drawer_symbols() -> str:
    """The symbols of all drawers: `d-COLOR-HANDLE`, and `d-COLOR-none` of bare fronts."""
    fronts = [f'<symbol id="d-{color}-none">{_front(color)}</symbol>' for color in COLORS]
    drawers = [
        f'<symbol id="{drawer_id(color, handle)}"><use href="#d-{color}-none" {ALL}/>'
        f'<svg x="50%" y="50%" overflow="visible"><use class="drawer-handle" '
        f'href="#h-{handle}-{PAINTS[color].metal}" y="-.3"/></svg></symbol>'
        for color in COLORS
        for handle in HANDLES
    ]
    return "".join([*fronts, *drawers])


def material_symbols() -> str:
    """What objectives are made of: `any` paint as five stripes, and `blank`, a bare drawer."""
    return (
        f'<symbol id="any" overflow="visible"><rect {ALL} rx="2" fill="url(#stripes)" '
        'stroke="var(--blank-line)" stroke-width=".5"/></symbol>'
        f'<symbol id="blank" overflow="visible"><rect {ALL} rx="1.6" fill="var(--blank)" '
        'stroke="var(--blank-line)" stroke-width=".8"/></symbol>'
    )


def _front(color: Color) -> str:
    texture = f'<rect {ALL} rx="2.2" fill="url(#texture-{color})"/>' if color in TEXTURES else ""
    return (
        f'<rect class="drawer-front" {ALL} rx="2.2" fill="url(#paint-{color})"/>{texture}'
        f'<line x1="2%" x2="98%" y1=".9" y2=".9" stroke="#fff" '
        f'stroke-opacity="{PAINTS[color].shine:g}" stroke-width="1.1"/>'
        '<line x1="2%" x2="98%" y1="100%" y2="100%" transform="translate(0-.7)" '
        'stroke-opacity=".26" stroke="#000" stroke-width="1.1"/>'
    )
