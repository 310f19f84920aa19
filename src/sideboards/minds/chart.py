"""A picture of a match: everybody's points and victories, each with its confidence interval."""

from __future__ import annotations  # the types of matplotlib are named without importing it

from collections.abc import Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Literal

from sideboards.minds.standings import Figure, Standing
from sideboards.minds.workers import extra

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Picture = Literal["svg", "png"]

PAPER, WALL, LINE = "#f5efe4", "#efe6d6", "#dfd2bd"
INK, SECOND_INK, ACCENT = "#2a211b", "#6a5b4e", "#1f5b45"
STYLE = {
    "axes.edgecolor": LINE,
    "axes.facecolor": PAPER,
    "figure.facecolor": PAPER,
    "font.family": "DejaVu Sans",  # comes with matplotlib, so every machine draws the same
    "font.size": 11,
    "text.color": INK,
    "svg.hashsalt": "sideboards",
    "svg.fonttype": "path",
}
HEAD, FOOT, ROW = 1.35, 0.5, 0.52
"""Inches above, below and for each bot."""


def check_chart() -> None:
    """Refuse early when pictures cannot be drawn here."""
    extra("matplotlib", "arena")


def chart(
    standings: Sequence[Standing],
    *,
    title: str,
    subtitle: str,
    won: str,
    even: float,
    form: Picture,
) -> bytes:
    """The picture as a file: points on the left, victories on the right, best bot on top.

    `won` says what a victory is, `even` which share of them equals would have. The same standings
    give the same bytes.
    """
    matplotlib = extra("matplotlib", "arena")
    figures = extra("matplotlib.figure", "arena")
    ranked = sorted(standings, key=lambda each: each.mean.value)
    height = HEAD + ROW * len(ranked) + FOOT
    with matplotlib.rc_context(STYLE):
        figure = figures.Figure(figsize=(9.6, height), dpi=150)
        points, wins = figure.subplots(1, 2, sharey=True)
        figure.subplots_adjust(
            left=_left(ranked), right=0.965, bottom=FOOT / height, top=1 - HEAD / height, wspace=0.1
        )
        figure.text(0.03, 1 - 0.42 / height, title, size=15, weight="bold")
        figure.text(0.03, 1 - 0.72 / height, subtitle, size=10, color=SECOND_INK)
        _panel(points, "Points per game", [each.mean for each in ranked], "{:.1f}")
        _panel(wins, won, [each.wins.percent for each in ranked], "{:.1f} %")
        points.locator_params(axis="x", nbins=6, integer=True)
        wins.set_xlim(-8, 108)
        wins.set_xticks(range(0, 101, 25), [f"{share} %" for share in range(0, 101, 25)])
        points.set_yticks(range(len(ranked)), [each.name for each in ranked], size=12)
        if len(ranked) > 1:
            wins.axvline(100 * even, color=SECOND_INK, linewidth=1, linestyle=(0, (3, 3)), zorder=1)
            wins.text(
                100 * even, len(ranked) - 0.48, "even", ha="center", va="bottom",
                size=9, color=SECOND_INK,
            )  # fmt: skip
        undated = {"Date": None} if form == "svg" else {}
        file = BytesIO()
        figure.savefig(file, format=form, metadata={"Title": title} | undated)
    return file.getvalue()


def _left(ranked: Sequence[Standing]) -> float:
    """Where the panels begin, so that the longest name fits."""
    return min(0.06 + 0.0115 * max(len(each.name) for each in ranked), 0.5)


def _panel(axes: Axes, head: str, figures: Sequence[Figure], form: str) -> None:
    """One column: a dot for every figure, a bar for its interval, the number above it."""
    for place, figure in enumerate(figures):
        ground = PAPER if place % 2 else WALL
        axes.axhspan(place - 0.5, place + 0.5, color=ground, zorder=0)
        axes.errorbar(
            figure.value, place, xerr=figure.interval or 0.0, fmt="o", markersize=7, color=ACCENT,
            capsize=4, elinewidth=2, zorder=3,
        )  # fmt: skip
        axes.annotate(
            form.format(figure.value), (figure.value, place), (0, 7), textcoords="offset points",
            ha="center", size=10, bbox={"facecolor": ground, "edgecolor": "none", "pad": 0.8},
        )  # fmt: skip
    axes.set_title(head, loc="left", size=11, weight="bold", color=INK, pad=16)
    axes.set_ylim(-0.5, len(figures) - 0.5)
    axes.margins(x=0.12)
    axes.tick_params(axis="x", length=0, labelsize=10, labelcolor=SECOND_INK)
    axes.tick_params(axis="y", length=0, labelcolor=INK)
    axes.set_axisbelow(True)
    axes.grid(axis="x", color=LINE, linewidth=0.8)
    axes.spines[:].set_visible(False)
