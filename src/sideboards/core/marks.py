"""Marks: which drawers of a board make what, could make it, and what one more would make."""

from collections.abc import Sequence
from dataclasses import dataclass

from sideboards.core.board import Board, tracks
from sideboards.core.card import COLORS, COLUMNS, HANDLES, HEIGHTS, Color, Handle
from sideboards.core.edition import Edition
from sideboards.core.game import ENDS, End
from sideboards.core.objective import Feature, Objectives, Pattern
from sideboards.core.reader import Drawers, Track, heights
from sideboards.core.scoring import ROW_POINTS

NAMES: tuple[Color | Handle, ...] = COLORS + HANDLES
"""What each of the 8 tracks of a board is made of."""


@dataclass(frozen=True, slots=True)
class Combinations:
    """The combinations of a pattern on a board."""

    count: int
    points: int
    combinations: tuple[Drawers, ...]
    """One largest choice of them, without a drawer in common."""
    fits: tuple[Drawers, ...]
    """Every place where the pattern fits, also those that share drawers."""
    another: bool
    """Whether another choice counts as much."""


@dataclass(frozen=True, slots=True)
class ScoringRuns:
    """The runs that score."""

    length: int
    points: int
    runs: tuple[Drawers, ...]


@dataclass(frozen=True, slots=True)
class Short:
    """A drawer that is missing: laid at this end and height it makes one combination more."""

    kind: Feature
    end: End
    height: int
    what: Color | Handle


@dataclass(frozen=True, slots=True)
class Marks:
    """All that can be marked on a board."""

    color: Combinations
    handle: Combinations
    row: ScoringRuns
    short: tuple[Short, ...]


def marks(board: Board, objectives: Objectives, edition: Edition) -> Marks:
    """What there is to mark on a board of 0 to 8 cards."""
    color, handle, row = objectives
    found = [heights(track, len(board)) for track in tracks(board, edition)]
    runs = row.scoring_runs(found)
    length = sum(map(len, runs))
    return Marks(
        color=_combinations(color, found),
        handle=_combinations(handle, found),
        row=ScoringRuns(length, length * ROW_POINTS, runs),
        short=(*_short(color, found), *_short(handle, found)),
    )


def _combinations(pattern: Pattern, found: Sequence[Track]) -> Combinations:
    chosen = pattern.combinations(found)
    return Combinations(
        count=len(chosen),
        points=len(chosen) * pattern.points,
        combinations=chosen,
        fits=pattern.places(found),
        another=pattern.another(found, chosen),
    )


def _short(pattern: Pattern, found: Sequence[Track]) -> list[Short]:
    walk = pattern.reader.walk
    return [
        Short(pattern.kind, end, height, name)
        for end in ENDS
        for track, name in list(zip(found, NAMES, strict=True))[pattern.reader.tracks]
        if 0 < len(track) < COLUMNS
        for height in range(HEIGHTS)
        for longer in [(height, *track) if end == "left" else (*track, height)]
        if walk(longer) > walk(track)
    ]
