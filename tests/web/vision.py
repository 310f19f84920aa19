"""How far colors are apart for the eye: CIEDE2000 between areas of a picture."""

from io import BytesIO
from math import atan2, cos, degrees, exp, hypot, radians, sin, sqrt

import numpy as np
from PIL import Image
from playwright.sync_api import CDPSession, Page

RGB = tuple[float, float, float]
DEFICIENCIES = ("none", "achromatopsia", "protanopia", "deuteranopia", "tritanopia")


def lab(color: RGB) -> RGB:
    """An sRGB color (0 to 255) in CIELAB, D65."""
    red, green, blue = (
        (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4)
        for c in (part / 255 for part in color)
    )
    x = (0.4124564 * red + 0.3575761 * green + 0.1804375 * blue) / 0.95047
    y = 0.2126729 * red + 0.7151522 * green + 0.0721750 * blue
    z = (0.0193339 * red + 0.1191920 * green + 0.9503041 * blue) / 1.08883
    fx, fy, fz = (
        v ** (1 / 3) if v > 216 / 24389 else (24389 / 27 * v + 16) / 116 for v in (x, y, z)
    )
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def difference(one: RGB, other: RGB) -> float:
    """CIEDE2000 between two sRGB colors."""
    (l1, a1, b1), (l2, a2, b2) = lab(one), lab(other)
    chroma = (hypot(a1, b1) + hypot(a2, b2)) / 2
    g = 0.5 * (1 - sqrt(chroma**7 / (chroma**7 + 25**7)))
    a1, a2 = (1 + g) * a1, (1 + g) * a2
    c1, c2 = hypot(a1, b1), hypot(a2, b2)
    h1, h2 = degrees(atan2(b1, a1)) % 360, degrees(atan2(b2, a2)) % 360
    turn = 0.0 if c1 * c2 == 0 else (h2 - h1 + 180) % 360 - 180
    dl, dc, dh = l2 - l1, c2 - c1, 2 * sqrt(c1 * c2) * sin(radians(turn / 2))
    light, mean = (l1 + l2) / 2, (c1 + c2) / 2
    if c1 * c2 == 0:
        hue = h1 + h2
    elif abs(h1 - h2) <= 180:
        hue = (h1 + h2) / 2
    else:
        hue = (h1 + h2 + 360) / 2 if h1 + h2 < 360 else (h1 + h2 - 360) / 2
    t = (
        1
        - 0.17 * cos(radians(hue - 30))
        + 0.24 * cos(radians(2 * hue))
        + 0.32 * cos(radians(3 * hue + 6))
        - 0.20 * cos(radians(4 * hue - 63))
    )
    sl = 1 + 0.015 * (light - 50) ** 2 / sqrt(20 + (light - 50) ** 2)
    sc, sh = 1 + 0.045 * mean, 1 + 0.015 * mean * t
    swing = 60 * exp(-(((hue - 275) / 25) ** 2))
    rt = -sin(radians(swing)) * 2 * sqrt(mean**7 / (mean**7 + 25**7))
    l, c, h = dl / sl, dc / sc, dh / sh  # noqa: E741 (as in the formula)
    return sqrt(l**2 + c**2 + h**2 + rt * c * h)


def see_as(session: CDPSession, deficiency: str) -> None:
    """Let the browser itself draw as somebody with this deficiency sees."""
    session.send("Emulation.setEmulatedVisionDeficiency", {"type": deficiency})


def picture(page: Page) -> Image.Image:
    """The page as it is drawn now."""
    return Image.open(BytesIO(page.screenshot(animations="disabled"))).convert("RGB")


def mean(area: Image.Image) -> RGB:
    """The color of an area."""
    red, green, blue = np.asarray(area, dtype=float).reshape(-1, 3).mean(axis=0)
    return float(red), float(green), float(blue)


def unrest(area: Image.Image) -> float:
    """How much pixels of a line differ: next to 0 for a plain paint, more with a texture."""
    lines = np.asarray(area.convert("L"), dtype=float)
    return float((lines.max(axis=1) - lines.min(axis=1)).max())
