"""What everything is painted with: five paints, their textures, two metals, wood, and the theme.

Colors of the theme stand in the drawings as CSS variables, so that one drawing serves the light
and the dark page. `still` fills in the light ones for pictures that stand alone.
"""

import re
from typing import Literal, NamedTuple

from sideboards.core.card import Color

Metal = Literal["light", "dark"]


class Paint(NamedTuple):
    """A paint from the upper edge of a drawer to the lower, what lies on it, and how it shines."""

    top: str
    face: str
    bottom: str
    metal: Metal
    shine: float


PAINTS: dict[Color, Paint] = {
    "red": Paint("#ad2a18", "#a3200f", "#971b0b", "light", 0.26),
    "turquoise": Paint("#2b8e98", "#23858f", "#1f7b85", "light", 0.26),
    "pink": Paint("#fad8e4", "#f7cddd", "#f3c0d3", "dark", 0.38),
    "orange": Paint("#f29d29", "#ee9216", "#e68809", "dark", 0.38),
    "black": Paint("#232633", "#14161f", "#0d0f16", "light", 0.26),
}
STRIPES: tuple[Color, ...] = ("red", "orange", "pink", "turquoise", "black")
"""The paints side by side, where any of them will do."""

METALS: dict[Metal, tuple[tuple[float, str], ...]] = {
    "light": ((0, "#fff"), (0.66, "#fff"), (1, "#f9ebc8")),
    "dark": ((0, "#4a3d33"), (0.45, "#221a15"), (1, "#120d0a")),
}

LIGHT = {
    "wall": "#efe6d6",
    "floor": "#e2d3bb",
    "surface": "#fffdf8",
    "ink": "#2a211b",
    "ink-2": "#6a5b4e",
    "wood-0": "#b57c49",
    "wood-1": "#94602f",
    "plank-0": "#d59d63",
    "plank-1": "#b57c49",
    "plank-2": "#8f5b30",
    "recess": "#22140c",
    "leg": "#8d5a30",
    "ferrule": "#d8b25a",
    "cream": "#fffaf0",
    "casing": "#1c1410",
    "blank": "#efe4d0",
    "blank-line": "#d8c6a6",
}
"""The light theme, by the names of its variables."""

TEXTURES: dict[str, tuple[str, str]] = {
    "red": (
        'width="6" height="6" patternTransform="rotate(45)"',
        '<path d="M.75 0v6" stroke="#ffc9b8" stroke-width="1.5" {}/>',
    ),
    "turquoise": (
        'width="7" height="7"',
        (
            '<path d="M1.75 1.75h0m3.5 3.5h0" stroke="#d9ffff" stroke-width="2.1" '
            'stroke-linecap="round" {}/>'
        ),
    ),
    "orange": (
        'width="46" height="13"',
        (
            '<path d="M0 2.2c8-1.8 15 1.9 23 .6s15-1.6 23-.6M0 6.6c6 1.5 12-1.6 21-.9s17 2.4 25 .9'
            'M0 11c9-2 13 1.4 24 .7s15-2.1 22-.7" fill="none" '
            'stroke="#7c3d00" stroke-width=".9" {}/>'
        ),
    ),
    "pink": (
        'width="12" height="6.5"',
        '<path d="M-3 3.25q3-3.6 6 0t6 0 6 0" fill="none" stroke="#c0557f" stroke-width=".95" {}/>',
    ),
}
DEPTHS = {"red": 0.2, "turquoise": 0.34, "orange": 0.36, "pink": 0.42}
"""How clearly a texture is seen; the page multiplies it by --texture."""

_DEPTH = re.compile(r"calc\(([\d.]+)\*var\(--texture,1\)\)")
_VARIABLE = re.compile(r"var\(--([a-z0-9-]+)\)")


def gradient(name: str, stops: tuple[tuple[float, str], ...]) -> str:
    """A gradient from above to below."""
    parts = "".join(f'<stop offset="{at:g}" stop-color="{color}"/>' for at, color in stops)
    return f'<linearGradient id="{name}" x2="0" y2="1">{parts}</linearGradient>'


def definitions() -> str:
    """Gradients and patterns of paints, textures, metals and wood.

    `paint-COLOR`, `texture-COLOR`, `metal-METAL`, `stripes`, `wood`, `plank`, `grain`. Patterns lie
    in user space: they are never stretched with a card.
    """
    paints = [
        gradient(f"paint-{color}", ((0, paint.top), (0.45, paint.face), (1, paint.bottom)))
        for color, paint in PAINTS.items()
    ]
    textures = [
        f'<pattern id="texture-{color}" {size} patternUnits="userSpaceOnUse">'
        f"{lines.format(_opacity(DEPTHS[color]))}</pattern>"
        for color, (size, lines) in TEXTURES.items()
    ]
    stripes = "".join(
        f'<stop offset="{at / 5:g}" stop-color="{PAINTS[color].face}"/>'
        for i, color in enumerate(STRIPES)
        for at in (i, i + 1)
    )
    metals = [gradient(f"metal-{metal}", stops) for metal, stops in METALS.items()]
    wood = [
        f'<linearGradient id="stripes">{stripes}</linearGradient>',
        gradient("wood", ((0, "var(--wood-0)"), (1, "var(--wood-1)"))),
        gradient("plank", ((0, "var(--plank-0)"), (0.35, "var(--plank-1)"), (1, "var(--plank-2)"))),
        (
            '<pattern id="grain" width="90" height="9" patternUnits="userSpaceOnUse">'
            '<path d="M0 2.4c14-1.6 30 1.4 46 .2s30-1.2 44-.2'
            'M0 6.9c18 1.5 28-1.5 45-.8s31 1.9 45 .8" fill="none" stroke="#2b1406" '
            'stroke-width=".6" opacity=".3"/></pattern>'
        ),
    ]
    return "".join([*paints, *textures, *metals, *wood])


def still(drawing: str) -> str:
    """A drawing with the light theme filled in, for where there is no page around it."""
    drawing = _DEPTH.sub(r"\1", drawing)
    return _VARIABLE.sub(lambda found: LIGHT[found[1]], drawing)


def _opacity(depth: float) -> str:
    return f'opacity="calc({depth:g}*var(--texture,1))"'
