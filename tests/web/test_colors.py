"""Five paints that everybody can tell apart, as the browser really draws them."""

import json
from itertools import combinations
from typing import Any

import pytest
from PIL import Image

from sideboards.core.card import COLORS
from tests.web.deals import begun
from tests.web.screen import Screen
from tests.web.vision import DEFICIENCIES, RGB, difference, mean, picture, see_as, unrest
from tests.web.visitors import DESKTOP, House, Visitor

LEAST = 10
PLAIN = "black"
DRAWERS = """() => [...document.querySelectorAll("use[href*='-none']")]
  .map((each) => [each.getAttribute("href"), each.getBoundingClientRect()])
  .filter(([href, box]) => /^#d-/.test(href) && box.width > 20 && box.height > 12
    && box.top >= 0 && box.bottom <= innerHeight)
  .map(([href, {left, top, width, height}]) => [href.split("-")[1], left, top, width, height])"""


def shown(site: House, theme: str, textures: str = "subtle") -> Visitor:
    visitor = site.visit(size=DESKTOP, theme=theme, textures=textures)
    visitor.dealt("easy", practice=begun(2, 6, 2))
    Screen(visitor.page).ready(6)
    return visitor


def areas(visitor: Visitor, image: Image.Image) -> dict[str, Image.Image]:
    """A part of a bare drawer of each color, without its edges."""
    found: dict[str, Image.Image] = {}
    drawers: list[Any] = visitor.page.evaluate(DRAWERS)
    for color, left, top, width, height in drawers:
        box = (left + width * 0.15, top + height * 0.25, left + width * 0.85, top + height * 0.75)
        if color not in found and width > 40:
            found[color] = image.crop(box)
    assert set(found) == set(COLORS), json.dumps(drawers[:3])
    return found


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_check_3_five_paints_for_every_eye(site: House, theme: str) -> None:
    visitor = shown(site, theme)
    session = visitor.context.new_cdp_session(visitor.page)
    for deficiency in DEFICIENCIES:
        see_as(session, deficiency)
        paints: dict[str, RGB] = {
            color: mean(area) for color, area in areas(visitor, picture(visitor.page)).items()
        }
        for one, other in combinations(COLORS, 2):
            apart = difference(paints[one], paints[other])
            assert apart >= LEAST, (deficiency, one, other, apart)


def test_check_3_every_paint_but_black_has_its_texture(site: House) -> None:
    visitor = shown(site, "light")
    subtle = {color: unrest(area) for color, area in areas(visitor, picture(visitor.page)).items()}
    for color, value in subtle.items():
        assert (value < 3) == (color == PLAIN), subtle
    strong_visitor = shown(site, "light", "strong")
    strong = areas(strong_visitor, picture(strong_visitor.page))
    assert all(unrest(strong[color]) > value for color, value in subtle.items() if color != PLAIN)
    off_visitor = shown(site, "light", "off")
    off = areas(off_visitor, picture(off_visitor.page))
    assert all(unrest(area) < 3 for area in off.values())
