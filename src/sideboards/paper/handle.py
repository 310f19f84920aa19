"""Handles: flower, square and bar, in metal on drawers and as plain signs on objectives.

Handles are drawn round the point (0, 0) for a square of 24.
"""

import math

from sideboards.core.card import HANDLES, Handle
from sideboards.paper.paint import METALS, Metal
from sideboards.paper.shape import path_number

UNIT = 24

PETAL, PETALS_OUT, DISC = 4.3, 6.3, 5


def _circle(x: float, y: float, radius: float) -> str:
    n = path_number
    return (
        f"M{n(x - radius)} {n(y)}a{radius:g} {radius:g} 0 1 1 {2 * radius:g} 0"
        f" {radius:g} {radius:g} 0 1 1 {-2 * radius:g} 0z"
    )


def _flower() -> str:
    """Six petals, the first at the top, so that it looks the same turned."""
    petals = [
        _circle(PETALS_OUT * math.sin(turn), -PETALS_OUT * math.cos(turn), PETAL)
        for turn in (math.tau * petal / 6 for petal in range(6))
    ]
    return "".join([*petals, _circle(0, 0, DISC)])


def _block(width: float, height: float, radius: float) -> str:
    across, down = width - 2 * radius, height - 2 * radius
    corner = f"{radius:g} {radius:g} 0 0 1 "
    return (
        f"M{-across / 2:g}{-height / 2:g}h{across:g}a{corner}{radius:g} {radius:g}v{down:g}"
        f"a{corner}{-radius:g} {radius:g}h{-across:g}a{corner}{-radius:g}{-radius:g}v{-down:g}"
        f"a{corner}{radius:g}{-radius:g}z"
    )


OUTLINES: dict[Handle, str] = {
    "flower": _flower(),
    "square": _block(16.8, 16.8, 1.4),
    "bar": _block(34, 8.2, 4.1),
}
EYES: dict[Handle, str] = {
    "flower": _circle(0, 0, 2.9),
    "square": _block(7.8, 7.8, 0.8),
    "bar": _circle(-11.6, 0, 1.7) + _circle(11.6, 0, 1.7),
}
RIMS: dict[Metal, str] = {
    "light": 'stroke="#8a6420" stroke-opacity=".85"',
    "dark": 'stroke="#000" stroke-opacity=".5"',
}
EYE_FILLS: dict[Metal, str] = {"light": 'fill="#7d5a1c"', "dark": 'fill="#f6e3b4" opacity=".55"'}


def handle_definitions() -> str:
    """All handles: `h-SHAPE-light` and `h-SHAPE-dark` of metal, `i-SHAPE` as signs in ink."""
    found: list[str] = []
    for shape in HANDLES:
        outline, eye = f'<path id="o-{shape}" d="{OUTLINES[shape]}"/>', f'<path d="{EYES[shape]}"'
        use = f'<use href="#o-{shape}"'
        found.append(outline)
        found += [
            f'<g id="h-{shape}-{metal}">{use} y="2.6" opacity=".2"/>{use} y="1.3" opacity=".34"/>'
            f'<g fill="url(#metal-{metal})" {RIMS[metal]} stroke-width="1.7" paint-order="stroke">'
            f"{use}/></g>{eye} {EYE_FILLS[metal]}/></g>"
            for metal in METALS
        ]
        hole = "" if shape == "bar" else f'{eye} fill="var(--surface)"/>'
        found.append(f'<g id="i-{shape}"><g fill="var(--ink)">{use}/></g>{hole}</g>')
    return "".join(found)
