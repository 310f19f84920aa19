"""Drawings are whole, say what lies there, and their colors are told apart by everybody."""

import gzip
import math
import re
from functools import cache
from io import BytesIO
from itertools import combinations
from xml.etree import ElementTree as ET

import pytest
from PIL import Image
from resvg_py import svg_to_bytes

from sideboards import Edition, Laid, explain, load_edition, parse_board
from sideboards.core.card import COLORS, HANDLES, Color
from sideboards.core.objective import Objective, Pattern
from sideboards.paper.draw import board_svg, card_svg, icon_svg, objectives, sprite
from sideboards.paper.objective_picture import LARGE, SMALL, Paper, objective_picture
from sideboards.paper.paint import LIGHT, METALS, PAINTS, still

EDITION: Edition = load_edition()
BOARD = parse_board("60~ 17 19 9 13~ 11~ 24 2~")
OBJECTIVES: tuple[Objective, ...] = (*EDITION.patterns, *EDITION.rows)
SVG = "{http://www.w3.org/2000/svg}"
LEAST_DIFFERENCE, LEAST_CONTRAST = 10, 4.3
LEAST_LINE_CONTRAST = 3  # what WCAG 1.4.11 asks of graphical objects
SPRITE_BYTES = 12_000
ZOOM, BESIDE = 2, 20

SKIPPING = Pattern("color", ((0, 0), (2, 0), (3, 2), (7, 4)), 12)
"""A pattern as an owner may write one: with columns that are left out."""
RINGS = Pattern("handle", ((0, 4), (1, 0), (4, 0), (5, 3), (7, 3)), 12)


def root(drawing: str) -> ET.Element:
    return ET.fromstring(drawing)  # noqa: S314 (our own drawing)


@cache
def ids(drawing: str) -> list[str]:
    return [node.attrib["id"] for node in root(drawing).iter() if "id" in node.attrib]


def asked_for(drawing: str) -> set[str]:
    """Everything that a drawing refers to."""
    return {*re.findall(r'href="#([^"]+)"', drawing), *re.findall(r"url\(#([^)]+)\)", drawing)}


def standing_alone() -> dict[str, str]:
    marks = explain(BOARD, EDITION.objectives((3, 8, 19)), EDITION)
    return {
        "card": card_svg(Laid(17), EDITION, title="17 & <18>"),
        "board": board_svg(BOARD, EDITION, marks=marks, title="Eight cards"),
        "empty board": board_svg((), EDITION, proportion=1200 / 630),
        "icon": icon_svg(),
    }


def test_the_sprite_has_whatever_a_page_can_ask_for() -> None:
    found = ids(sprite()) + ids(objectives(EDITION))
    drawers = {f"d-{color}-{handle}" for color in COLORS for handle in (*HANDLES, "none")}
    handles = {f"h-{shape}-{metal}" for shape in HANDLES for metal in METALS}
    pictures = {f"objective-{n}{end}" for n in range(1, 31) for end in ("", "-large")}
    things = {"logo", "vase", "lamp", "back", "padlock", "wood", "grain", "plank"}
    paints = {f"paint-{color}" for color in COLORS}
    assert {*found} >= drawers | handles | pictures | things | paints
    assert len(found) == len({*found})


def test_the_sprite_asks_for_nothing_that_it_has_not() -> None:
    assert asked_for(sprite()) | asked_for(objectives(EDITION)) <= {*ids(sprite())}


def test_the_sprite_has_no_styles_that_a_strict_page_refuses() -> None:
    for drawn in (sprite(), objectives(EDITION)):
        assert not [node for node in root(drawn).iter() if "style" in node.attrib]
        assert "<style" not in drawn


def test_the_sprite_is_small() -> None:
    both = sprite() + objectives(EDITION)
    assert len(gzip.compress(both.encode(), 6)) < SPRITE_BYTES


def test_a_page_has_few_things_to_style_before_its_first_paint() -> None:
    """Each counts at every change of the whole page; the sixty objectives were a thousand."""
    assert len(list(root(sprite()).iter())) < 300


@pytest.mark.parametrize("name", standing_alone())
def test_pictures_that_stand_alone_need_no_page(name: str) -> None:
    drawing = standing_alone()[name]
    assert root(drawing).tag == f"{SVG}svg"
    assert asked_for(drawing) <= {*ids(drawing)}
    assert "var(" not in drawing
    assert "drawer-handle" not in drawing  # whose size a page decides


def test_a_picture_has_its_title() -> None:
    title = root(standing_alone()["card"]).find(f"{SVG}title")
    assert title is not None
    assert title.text == "17 & <18>"


def shown(drawing: str) -> list[str]:
    """The drawers of a picture in the order in which they are drawn."""
    body = drawing.partition("</defs>")[2]
    return re.findall(r'<use href="#(d-[^"]+)"', body)


@pytest.mark.parametrize("number", [1, 17, 42, 60])
def test_a_turned_card_is_drawn_anew_in_reverse_order(number: int) -> None:
    upright, turned = (shown(card_svg(Laid(number, way), EDITION)) for way in (False, True))
    drawers = EDITION.card(number).drawers
    assert upright == [f"d-{color}-{handle or 'none'}" for color, handle in drawers]
    assert turned == upright[::-1]
    assert "rotate(180" not in card_svg(Laid(number, turned=True), EDITION)


def test_a_board_shows_every_drawer_of_its_cards() -> None:
    cards = [shown(card_svg(laid, EDITION)) for laid in BOARD]
    assert shown(board_svg(BOARD, EDITION)) == [drawer for card in cards for drawer in card]


def test_a_board_takes_the_proportion_of_its_preview() -> None:
    for board in ((), BOARD[:2], BOARD):
        box = root(board_svg(board, EDITION, proportion=1200 / 630)).attrib["viewBox"].split()
        assert float(box[2]) / float(box[3]) == pytest.approx(1200 / 630, rel=1e-3)


def test_marks_are_numbered_outlines_rings_and_a_band() -> None:
    marks = explain(BOARD, EDITION.objectives((3, 8, 19)), EDITION)
    plain, marked = board_svg(BOARD, EDITION), board_svg(BOARD, EDITION, marks=marks)
    texts = [node.text for node in root(marked).iter(f"{SVG}text")]
    assert texts == [str(n) for n in range(1, len(marks.color) + 1)]
    cased = marked.count(f'stroke="{LIGHT["casing"]}"') - plain.count(LIGHT["casing"])
    badges = len(marks.color)
    assert cased == len(marks.color) + badges + len(marks.handle) + len(marks.row)


def inked(drawing: str, paper: Paper) -> tuple[float, float, float, float]:
    """The edges of what is really painted: left, top, right, bottom."""
    wide, high = paper.w + 2 * BESIDE, paper.h + 2 * BESIDE
    size = f'width="{wide:g}" height="{high:g}" viewBox="{-BESIDE} {-BESIDE} {wide:g} {high:g}"'
    symbols = sprite().partition("<defs>")[2].partition("</defs></svg>")[0]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size}>'
    file = f"{head}<defs>{symbols}</defs>{drawing}</svg>"
    painted = svg_to_bytes(svg_string=still(file), zoom=ZOOM, skip_system_fonts=True)
    pixels = Image.open(BytesIO(painted))
    edges = pixels.getchannel("A").getbbox()
    assert edges is not None
    left, top, right, bottom = (edge / ZOOM for edge in edges)
    return left - BESIDE, top - BESIDE, right - BESIDE, bottom - BESIDE


@pytest.mark.parametrize("paper", [SMALL, LARGE], ids=["small", "large"])
@pytest.mark.parametrize("objective", [*OBJECTIVES, SKIPPING, RINGS], ids=str)
def test_every_objective_fills_its_paper_and_stays_on_it(
    objective: Objective, paper: Paper
) -> None:
    drawing = objective_picture(objective, paper)
    assert asked_for(drawing) <= {*ids(sprite())}
    left, top, right, bottom = inked(drawing, paper)
    assert left >= 0
    assert top >= 0
    assert right <= paper.w
    assert bottom <= paper.h
    assert right - left > 0.45 * paper.w
    assert abs((left + right) / 2 - paper.w / 2) < 0.07 * paper.w
    assert abs((top + bottom) / 2 - paper.h / 2) < 0.07 * paper.h


@pytest.mark.parametrize("paper", [SMALL, LARGE], ids=["small", "large"])
@pytest.mark.parametrize("pattern", [*EDITION.patterns, SKIPPING, RINGS], ids=str)
def test_a_pattern_shows_its_cells(pattern: Pattern, paper: Paper) -> None:
    drawing = objective_picture(pattern, paper)
    columns, heights = (max(place) + 1 for place in zip(*pattern.cells, strict=True))
    if pattern.kind == "color":
        assert drawing.count("#any") == len(pattern.cells)
        assert drawing.count("#blank") == columns * heights - len(pattern.cells)
    else:
        assert drawing.count("#blank") == columns * heights
        rings_alone = paper is SMALL or pattern is RINGS
        rings, pills = drawing.count("0 1 0") / 2, drawing.count("<rect")
        assert (rings, pills) == (
            (len(pattern.cells), 0) if rings_alone else (0, len(pattern.cells))
        )
        assert drawing.count("#i-flower") == (1 if rings_alone else len(pattern.cells))


def test_no_two_objectives_look_alike() -> None:
    for paper in (SMALL, LARGE):
        drawings = [objective_picture(objective, paper) for objective in OBJECTIVES]
        assert len({*drawings}) == len(drawings)


def test_a_pattern_is_drawn_by_its_cells_not_by_its_number() -> None:
    third = EDITION.patterns[2]
    same = Pattern(third.kind, third.cells, 99, number=12)
    assert objective_picture(same, SMALL) == objective_picture(third, SMALL)


# What everybody sees: CIEDE2000 between all pairs, also as dichromats see them.

Vector = tuple[float, float, float]
FULL_DICHROMACY: dict[str, tuple[Vector, Vector, Vector]] = {  # Machado, Oliveira, Fernandes 2009
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protan": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deutan": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritan": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
    "grey": ((0.2126, 0.7152, 0.0722),) * 3,
}


def linear(color: str) -> Vector:
    red, green, blue = (int(color[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return (_linear(red), _linear(green), _linear(blue))


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4


def times(matrix: tuple[Vector, Vector, Vector], vector: Vector) -> Vector:
    a, b, c = (sum(m * v for m, v in zip(row, vector, strict=True)) for row in matrix)
    return a, b, c


def lab(color: Vector) -> Vector:
    """CIELAB under D65 of a linear sRGB color."""
    red, green, blue = (min(max(part, 0), 1) for part in color)
    x = (0.4124564 * red + 0.3575761 * green + 0.1804375 * blue) / 0.95047
    y = 0.2126729 * red + 0.7151522 * green + 0.0721750 * blue
    z = (0.0193339 * red + 0.1191920 * green + 0.9503041 * blue) / 1.08883
    fx, fy, fz = (
        part ** (1 / 3) if part > (6 / 29) ** 3 else part / (3 * (6 / 29) ** 2) + 4 / 29
        for part in (x, y, z)
    )
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def ciede2000(one: Vector, two: Vector) -> float:
    (l1, a1, b1), (l2, a2, b2) = one, two
    middle = (math.hypot(a1, b1) + math.hypot(a2, b2)) / 2
    g = 0.5 * (1 - math.sqrt(middle**7 / (middle**7 + 25**7)))
    c1, c2 = math.hypot(a1 * (1 + g), b1), math.hypot(a2 * (1 + g), b2)
    h1 = math.degrees(math.atan2(b1, a1 * (1 + g))) % 360
    h2 = math.degrees(math.atan2(b2, a2 * (1 + g))) % 360
    turn = 0.0 if c1 * c2 == 0 else (h2 - h1 + 180) % 360 - 180
    dh = 2 * math.sqrt(c1 * c2) * math.sin(math.radians(turn / 2))
    h = h1 + h2 if c1 * c2 == 0 else (h1 + turn / 2) % 360
    lm, cm = (l1 + l2) / 2, (c1 + c2) / 2
    t = (
        1
        - 0.17 * math.cos(math.radians(h - 30))
        + 0.24 * math.cos(math.radians(2 * h))
        + 0.32 * math.cos(math.radians(3 * h + 6))
        - 0.20 * math.cos(math.radians(4 * h - 63))
    )
    sl = 1 + 0.015 * (lm - 50) ** 2 / math.sqrt(20 + (lm - 50) ** 2)
    sc, sh = 1 + 0.045 * cm, 1 + 0.015 * cm * t
    twist = -2 * math.sqrt(cm**7 / (cm**7 + 25**7))
    twist *= math.sin(math.radians(60 * math.exp(-(((h - 275) / 25) ** 2))))
    dl, dc, dh = (l2 - l1) / sl, (c2 - c1) / sc, dh / sh
    return math.sqrt(dl**2 + dc**2 + dh**2 + twist * dc * dh)


@cache
def drawn_paint(color: Color) -> list[str]:
    """The paint as it stands in the sprite, from the upper edge to the lower."""
    found = re.search(rf'id="paint-{color}".*?</linearGradient>', sprite())
    assert found is not None
    return re.findall(r'stop-color="(#[0-9a-f]{6})"', found[0])


def seen(color: str, eye: str) -> Vector:
    return lab(times(FULL_DICHROMACY[eye], linear(color)))


def smallest_difference(eye: str, part: int) -> float:
    paints = [seen(drawn_paint(color)[part], eye) for color in COLORS]
    return min(ciede2000(a, b) for a, b in combinations(paints, 2))


@pytest.mark.parametrize(
    ("one", "two", "difference"),
    [  # of the published test data of Sharma, Wu and Dalal 2005
        ((50.0, 2.6772, -79.7751), (50.0, 0.0, -82.7485), 2.0425),
        ((50.0, 0.0, 0.0), (50.0, -1.0, 2.0), 2.3669),
        ((50.0, 2.49, -0.001), (50.0, -2.49, 0.0009), 7.1792),
        ((50.0, 2.5, 0.0), (73.0, 25.0, -18.0), 27.1492),
        ((2.0776, 0.0795, -1.135), (0.9033, -0.0636, -0.5514), 0.9082),
    ],
)
def test_differences_are_measured_as_published(one: Vector, two: Vector, difference: float) -> None:
    assert ciede2000(one, two) == pytest.approx(difference, abs=1e-4)


@pytest.mark.parametrize(
    ("eye", "expected"),
    [("normal", 36.3), ("protan", 24.9), ("deutan", 30.3), ("tritan", 19.9), ("grey", 12.6)],
)
def test_paints_differ_for_every_eye(eye: str, expected: float) -> None:
    assert smallest_difference(eye, part=1) == pytest.approx(expected, abs=0.15)


@pytest.mark.parametrize("eye", FULL_DICHROMACY)
@pytest.mark.parametrize("part", [0, 1, 2], ids=["upper edge", "face", "lower edge"])
def test_light_from_above_leaves_the_difference(eye: str, part: int) -> None:
    assert smallest_difference(eye, part) >= LEAST_DIFFERENCE


def luminance(color: str) -> float:
    long = color if len(color) == 7 else "#" + "".join(2 * digit for digit in color[1:])
    return sum(a * b for a, b in zip((0.2126, 0.7152, 0.0722), linear(long), strict=True))


def contrast(one: str, two: str) -> float:
    dark, light = sorted((luminance(one), luminance(two)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("color", COLORS)
def test_handles_stand_out(color: Color) -> None:
    _, (_, face), _ = METALS[PAINTS[color].metal]
    assert face in sprite()
    assert contrast(face, drawn_paint(color)[1]) >= LEAST_CONTRAST


@pytest.mark.parametrize("color", COLORS)
def test_a_light_line_in_a_dark_one_is_seen_on_every_paint(color: Color) -> None:
    paint = drawn_paint(color)[1]
    seen_best = max(contrast(LIGHT[line], paint) for line in ("cream", "casing"))
    assert seen_best >= LEAST_LINE_CONTRAST
    assert contrast(LIGHT["cream"], LIGHT["casing"]) >= LEAST_CONTRAST
