"""Pictures of the main phases, kept small; `python -m tests.web.gallery` renews them."""

import tempfile
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image, ImageFilter

from scripts.chromium import build, launched
from tests.service.live import serving
from tests.web.phases import PHASES
from tests.web.visitors import House

FOLDER = Path(__file__).parent / "pictures"
SIZES = {"phone": (360, 640), "desktop": (1280, 800)}
WANTED = [
    *((phase, "phone") for phase in PHASES),
    ("choosing", "desktop"),
    ("scoring", "desktop"),
]
THEMES = ("light", "dark")
SMALLER = {"phone": 2, "desktop": 3}
COLORS = 48
BLOCK = 10
FAR = 26
"""Difference of a block, of 255, that an eye would see."""
MOST_BLOCKS, MOST_MEAN = 0.06, 6.0
"""Other fonts change the edges of words, and no more."""


def name_of(phase: str, size: str, theme: str) -> str:
    """The name of a kept picture."""
    return f"{phase}-{size}-{theme}.png"


def taken(house: House, phase: str, size: str, theme: str) -> Image.Image:
    """A phase as it is drawn now, made smaller."""
    visitor = house.visit(
        size=SIZES[size], theme=theme, touch=size == "phone", knowsRules=phase != "landing"
    )
    PHASES[phase](visitor)
    image = Image.open(BytesIO(visitor.page.screenshot(animations="disabled", caret="hide")))
    width, height = SIZES[size]
    by = SMALLER[size]
    smaller = image.convert("RGB").resize((width // by, height // by), Image.Resampling.LANCZOS)
    visitor.context.close()
    house.visitors.remove(visitor)
    return smaller


def differs(one: Image.Image, other: Image.Image) -> tuple[float, float]:
    """The share of blocks that an eye tells apart, and the mean difference of all."""
    pair = [
        np.asarray(image.convert("RGB").filter(ImageFilter.BoxBlur(2)), dtype=float)
        for image in (one, other)
    ]
    apart = np.abs(pair[0] - pair[1]).mean(axis=2)
    high, wide = (side // BLOCK * BLOCK for side in apart.shape)
    blocks = apart[:high, :wide].reshape(high // BLOCK, BLOCK, wide // BLOCK, BLOCK)
    return float((blocks.mean(axis=(1, 3)) > FAR).mean()), float(apart.mean())


def renew() -> None:
    """Take all pictures anew."""
    build()
    FOLDER.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        launched() as browser,
        serving(Path(folder) / "games.db") as server,
    ):
        for phase, size in WANTED:
            for theme in THEMES:
                image = taken(House(browser, server.here), phase, size, theme)
                small = image.quantize(COLORS, dither=Image.Dither.NONE)
                small.save(FOLDER / name_of(phase, size, theme), optimize=True)


if __name__ == "__main__":
    renew()
