"""The main phases look as they did: within what other fonts change."""

import pytest
from PIL import Image, ImageDraw

from tests.web.gallery import (
    FOLDER,
    MOST_BLOCKS,
    MOST_MEAN,
    THEMES,
    WANTED,
    differs,
    name_of,
    taken,
)
from tests.web.visitors import House


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize(("phase", "size"), WANTED)
def test_it_looks_as_it_did(site: House, phase: str, size: str, theme: str) -> None:
    kept = Image.open(FOLDER / name_of(phase, size, theme))
    blocks, mean = differs(taken(site, phase, size, theme), kept)
    if blocks > MOST_BLOCKS:  # perhaps an outline was still drawing itself
        blocks, mean = differs(taken(site, phase, size, theme), kept)
    assert blocks <= MOST_BLOCKS, f"{blocks:.1%} differ; python -m tests.web.gallery renews them"
    assert mean <= MOST_MEAN, mean


def test_all_pictures_together_are_small() -> None:
    files = list(FOLDER.glob("*.png"))
    assert len(files) == len(WANTED) * len(THEMES)
    assert sum(file.stat().st_size for file in files) < 400_000


def test_what_is_missing_is_seen() -> None:
    """A picture without its hand of cards differs by more than fonts do."""
    kept = Image.open(FOLDER / name_of("choosing", "phone", "light")).convert("RGB")
    width, height = kept.size
    faulty = kept.copy()
    draw = ImageDraw.Draw(faulty)
    draw.rectangle((0, int(height * 0.62), width, int(height * 0.84)), fill=kept.getpixel((2, 2)))
    blocks, mean = differs(faulty, kept)
    assert blocks > MOST_BLOCKS or mean > MOST_MEAN
