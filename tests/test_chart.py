"""The picture of a match: valid files, everything labelled, the same bytes every time."""

import re
from io import BytesIO
from xml.etree import ElementTree as ET

import pytest

from sideboards.minds.arena import Clock
from sideboards.minds.chart import STYLE, Picture, chart
from sideboards.minds.standings import Figure, Standing
from sideboards.minds.workers import extra

pytestmark = pytest.mark.long  # matplotlib takes seconds to begin

CLOCK = Clock(7, 0.07, 0.02)
STANDINGS = [
    Standing("random", Figure(17.6, 0.1), Figure(0.12, 0.004), CLOCK),
    Standing("greedy", Figure(36.9, 0.3), Figure(0.88, 0.012), CLOCK),
]


def drawn(form: Picture, standings: list[Standing] | None = None) -> bytes:
    return chart(
        standings or STANDINGS,
        title="random – greedy",
        subtitle="100 deals",
        won="Games won",
        even=0.5,
        form=form,
    )


def texts(monkeypatch: pytest.MonkeyPatch, standings: list[Standing]) -> set[str]:
    """The words of a picture, drawn as text instead of outlines."""
    monkeypatch.setitem(STYLE, "svg.fonttype", "none")
    root = ET.fromstring(drawn("svg", standings))  # noqa: S314 (our own file)
    return {"".join(each.itertext()) for each in root.iter("{http://www.w3.org/2000/svg}text")}


def test_an_svg_is_one_and_says_everything_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    found = texts(monkeypatch, STANDINGS)
    wanted = {"random – greedy", "100 deals", "Points per game", "Games won", "even",
              "random", "greedy", "17.6", "36.9", "12.0 %", "88.0 %"}  # fmt: skip
    assert wanted <= found


def test_a_single_bot_has_nobody_to_be_even_with(monkeypatch: pytest.MonkeyPatch) -> None:
    found = texts(monkeypatch, [Standing("alone", Figure(40.0, None), Figure(1.0, None), CLOCK)])
    assert {"alone", "40.0", "100.0 %"} <= found
    assert "even" not in found


def test_a_png_is_one() -> None:
    data = drawn("png")
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    image = extra("matplotlib.image", "arena").imread(BytesIO(data), format="png")
    height, width, _ = image.shape
    assert width == 1440
    assert height < width
    assert len({tuple(pixel) for row in image[::5] for pixel in row[::5]}) > 5


@pytest.mark.parametrize("form", ["svg", "png"])
def test_the_same_standings_give_the_same_bytes(form: Picture) -> None:
    assert drawn(form) == drawn(form)
    assert drawn(form) != drawn(form, STANDINGS[::-1][:1])


def test_no_date_and_no_place_of_birth() -> None:
    text = drawn("svg").decode()
    assert "<dc:date>" not in text
    assert not re.search(r"/(home|tmp|root|work)/", text)


def test_the_interval_is_drawn_to_scale() -> None:
    """Four times the standard error makes a bar that is wider in the picture."""
    narrow = drawn("svg", [Standing("a", Figure(40, 1.0), Figure(0.5, 0.01), CLOCK), STANDINGS[0]])
    wide = drawn("svg", [Standing("a", Figure(40, 1.0), Figure(0.5, 0.04), CLOCK), STANDINGS[0]])
    assert widest_win_bar(wide) == pytest.approx(4 * widest_win_bar(narrow), rel=0.01)


def widest_win_bar(svg: bytes) -> float:
    """The longest horizontal stroke of 2 points on the right half: the interval of a share."""
    found = re.findall(
        r'd="M ([\d.]+) ([\d.]+) \nL ([\d.]+) ([\d.]+) \n"[^>]*stroke-width: 2[^.]', svg.decode()
    )
    return max(
        abs(float(x2) - float(x1)) for x1, y1, x2, y2 in found if y1 == y2 and float(x1) > 350
    )
