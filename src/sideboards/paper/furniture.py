"""What stands round the cards: the sign of the game, vase, lamp, and the back of a card."""

from sideboards.core.card import Color
from sideboards.paper.paint import PAINTS

LOGO: tuple[tuple[Color, ...], ...] = (("red", "turquoise", "orange"), ("pink", "black", "pink"))
BACK_WIDTH, BACK_HEIGHT, RHOMBS = 64, 230, 5


def furniture_symbols() -> str:
    """The symbols `logo` 40 x 32, `vase` 28 x 40, `lamp` 64 x 168, `padlock` 12 x 12, `back`."""
    found = {
        "logo": ("0 0 40 32", logo()),
        "vase": ("0 0 28 40", _vase()),
        "lamp": ("0 0 64 168", _lamp()),
        "padlock": ("0 0 12 12", _padlock()),
        "back": (f'0 0 {BACK_WIDTH} {BACK_HEIGHT}" preserveAspectRatio="none', _back()),
    }
    return "".join(
        f'<symbol id="{name}" viewBox="{box}">{drawn}</symbol>'
        for name, (box, drawn) in found.items()
    )


def logo() -> str:
    """A small sideboard of six drawers, in a box of 40 x 32."""
    drawers = "".join(
        f'<rect x="{5.2 + 10 * column:g}" y="{6.6 + 7.6 * row:g}" width="9.6" height="7" '
        f'rx=".7" fill="{PAINTS[color].face}"/>'
        for row, colors in enumerate(LOGO)
        for column, color in enumerate(colors)
    )
    return (
        '<path d="M8.6 22h4.2l-3.6 9.6h-2.2zM31.4 22h-4.2l3.6 9.6h2.2z" fill="var(--leg)"/>'
        '<rect x="3.6" y="4" width="32.6" height="19" rx="1" fill="var(--recess)"/>'
        f'{drawers}<rect x="1.6" y="1.4" width="36.8" height="3.8" rx="1.2" fill="url(#plank)"/>'
    )


def _vase() -> str:
    face = {color: PAINTS[color].face for color in PAINTS}
    return (
        '<g fill="none" stroke="#2f5d4c" stroke-width="1.4">'
        '<path d="M13.2 25C12 18 10 14 4.6 8.6M14 25c0-8 .6-13 1-20.5M14.8 25c1-6 4-9 9-12.6"/></g>'
        f'<circle cx="4.4" cy="8" r="3.5" fill="{face["orange"]}"/>'
        f'<circle cx="15" cy="4.2" r="3.9" fill="{face["red"]}"/>'
        '<circle cx="24.4" cy="12" r="3.3" fill="#e08fb2"/>'
        '<path d="M10.4 23.6h7.2c.6 0 .6 1 .2 1.4-1 2 4.4 4.6 4.4 9.4 0 2.8-1 4.6-2 5.6H7.8c-1-1'
        '-2-2.8-2-5.6 0-4.8 5.4-7.4 4.4-9.4-.4-.4-.4-1.4.2-1.4z" '
        f'fill="url(#paint-turquoise)"/>'
        '<path d="M7 33.6q7 1.6 14 0" fill="none" stroke="#fff" stroke-opacity=".45"/>'
    )


def _lamp() -> str:
    return (
        '<ellipse cx="32" cy="162" rx="31" ry="3.6" fill="#32200f" opacity=".18"/>'
        '<g fill="none" stroke="var(--leg)" stroke-width="3.6" stroke-linecap="round">'
        '<path d="M32 52v108M32 106 9 160M32 106l23 54"/></g>'
        '<circle cx="32" cy="105" r="3.6" fill="var(--ferrule)"/>'
        '<path d="M14 2h36l13 48H1z" fill="#fff3d6" stroke="#d9c49b" stroke-width="1"/>'
        '<path d="M.6 48.6h62.8l.6 3H0z" fill="var(--ferrule)"/>'
    )


def _padlock() -> str:
    return (
        '<rect x="1.6" y="5.2" width="8.8" height="6.4" rx="1.3" fill="currentColor"/>'
        '<path d="M3.6 5.4V3.6a2.4 2.4 0 0 1 4.8 0v1.8" fill="none" stroke="currentColor" '
        'stroke-width="1.4"/>'
    )


def _back() -> str:
    high = (BACK_HEIGHT - 16) / RHOMBS
    rhombs = "".join(
        f"M32 {8 + i * high:g}l{wide} {high / 2:g}-{wide} {high / 2:g}-{wide}-{high / 2:g}z"
        for i in range(RHOMBS)
        for wide in (12, 20)
    )
    size = f'width="{BACK_WIDTH}" height="{BACK_HEIGHT}" rx="3"'
    return (
        f'<rect {size} fill="url(#wood)"/><rect {size} fill="url(#grain)"/>'
        '<path d="M3 .5h58" stroke="#fff" stroke-opacity=".35"/>'
        '<g fill="none" stroke="#e0ad75" vector-effect="non-scaling-stroke">'
        f'<rect x="5" y="5" width="54" height="{BACK_HEIGHT - 10}" rx="1.5"/>'
        f'<path d="{rhombs}"/></g>'
    )
