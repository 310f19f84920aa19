"""Objectives: color and handle patterns, rows, and how each counts a board (R19–R26)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import groupby
from typing import Literal

from sideboards.core.card import COLORS, COLUMNS, HANDLES, HEIGHTS, Color, Handle, Tracks
from sideboards.core.reader import (
    PAIR_BASE,
    UNREAD,
    Cell,
    CombinationsReading,
    Drawers,
    GivenRowsReading,
    Reader,
    Reading,
    RunsReading,
    Track,
)

Kind = Literal["color", "handle", "row"]
Feature = Literal["color", "handle"]
Count = Callable[[Tracks], int]
"""What an objective finds on a board, by its tracks."""
Turns = Literal["half", "quarter"]
Runs = Literal["two longest", "longest", "longest in each row"]


@dataclass(frozen=True, slots=True)
class Pattern:
    """An objective that pays `points` for every combination of alike drawers (R19–R21)."""

    kind: Feature
    cells: tuple[Cell, ...]
    points: int
    turns: Turns = "quarter"
    number: int | None = None
    name: str = ""
    reader: Reader = field(init=False, repr=False, compare=False)
    _counters: "list[Count | None]" = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "reader", _pattern_reader(self.kind, self.cells, self.turns))
        object.__setattr__(self, "_counters", [None] * (COLUMNS + 1))

    def __reduce__(self) -> tuple[object, ...]:
        """So that an objective may travel; what was read stays behind."""
        return Pattern, (self.kind, self.cells, self.points, self.turns, self.number, self.name)

    def count(self, tracks: Tracks, columns: int) -> int:
        """The most disjoint combinations on a board with these tracks."""
        return (self._counters[columns] or self.counter(columns))(tracks)

    def counter(self, columns: int) -> "Count":
        """The same as a function of the tracks alone, for many boards of one length."""
        known = self._counters[columns]
        if known is not None:
            return known
        read, table = self.reader.read, self.reader.table(columns)

        # Spelled out, because every score passes here twice and a loop takes twice as long.
        def count_colors(tracks: Tracks) -> int:
            red, turquoise, pink, orange, black, _, _, _ = tracks
            found = table[red] + table[turquoise] + table[pink] + table[orange] + table[black]
            return found if found < UNREAD else sum(read(tracks, columns))

        def count_handles(tracks: Tracks) -> int:
            found = table[tracks[5]] + table[tracks[6]] + table[tracks[7]]
            return found if found < UNREAD else sum(read(tracks, columns))

        counter = count_colors if self.kind == "color" else count_handles
        self._counters[columns] = counter
        return counter

    def combinations(self, tracks: Sequence[Track]) -> tuple[Drawers, ...]:
        """A largest choice of disjoint combinations: take each that leaves the best possible."""
        chosen: list[Drawers] = []
        for track in tracks[self.reader.tracks]:
            left = track
            for drawers in self._places(track):
                free = all(left[column] is not None for column, _ in drawers)
                if free and self._pays(drawers, left):
                    chosen.append(drawers)
                    left = _without(drawers, left)
        return tuple(sorted(chosen))

    def places(self, tracks: Sequence[Track]) -> tuple[Drawers, ...]:
        """Every place on a board where the pattern fits, overlapping or not."""
        found = (self._places(track) for track in tracks[self.reader.tracks])
        return tuple(sorted(drawers for each in found for drawers in each))

    def another(self, tracks: Sequence[Track], chosen: Sequence[Drawers]) -> bool:
        """Whether other combinations than the `chosen` ones count as much."""
        # No largest choice is part of another, so any other holds a place that is left out here.
        return any(
            self._pays(drawers, track)
            for track in tracks[self.reader.tracks]
            for drawers in self._places(track)
            if drawers not in chosen
        )

    def _pays(self, drawers: Drawers, track: Track) -> bool:
        """Whether a combination is part of a largest choice."""
        return self.reader.walk(_without(drawers, track)) + 1 == self.reader.walk(track)

    def _places(self, track: Track) -> list[Drawers]:
        """Every place in a track where the pattern fits, from left to right, overlapping or not."""
        return [
            tuple((start + column, base + height) for column, height in form)
            for start, first in enumerate(track)
            if first is not None
            for form in forms(self.cells, self.turns)
            if start + form[-1][0] < len(track)
            for base in [first - form[0][1]]
            if all(track[start + column] == base + height for column, height in form)
        ]


@dataclass(frozen=True, slots=True)
class Rows:
    """An objective that pays 2 points for every drawer of its scoring runs (R22–R26)."""

    of: Feature
    runs: Runs
    only: Color | Handle | None = None
    rows: tuple[int, ...] = ()
    number: int | None = None
    reader: Reader = field(init=False, repr=False, compare=False)
    _counters: "list[Count | None]" = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "reader", _row_reader(self.of, self.only, self.rows))
        object.__setattr__(self, "_counters", [None] * (COLUMNS + 1))

    def __reduce__(self) -> tuple[object, ...]:
        """So that an objective may travel; what was read stays behind."""
        return Rows, (self.of, self.runs, self.only, self.rows, self.number)

    def count(self, tracks: Tracks, columns: int) -> int:
        """How many drawers score on a board with these tracks (R23–R26)."""
        return (self._counters[columns] or self.counter(columns))(tracks)

    def counter(self, columns: int) -> "Count":
        """The same as a function of the tracks alone, for many boards of one length."""
        known = self._counters[columns]
        if known is not None:
            return known
        read, length = self.reader.read, self.length
        table, some = self.reader.table(columns), self.reader.tracks

        def count_longest(tracks: Tracks) -> int:
            found = max([table[track] for track in tracks[some]])
            return found // PAIR_BASE if found < UNREAD else length(read(tracks, columns))

        def count_any(tracks: Tracks) -> int:
            return length(read(tracks, columns))

        counter = count_longest if self.runs == "longest" else count_any
        self._counters[columns] = counter
        return counter

    def length(self, found: Sequence[int]) -> int:
        """How many drawers score, by what the reader found in each of the tracks that matter."""
        match self.runs:
            case "longest":
                return max(found) // PAIR_BASE
            case "two longest":
                ranked = sorted(found)
                longest, second = divmod(ranked[-1], PAIR_BASE)
                return longest + max(second, ranked[-2] // PAIR_BASE)
            case _:
                return max(found) // PAIR_BASE + max([byte % PAIR_BASE for byte in found])

    def scoring_runs(self, tracks: Sequence[Track]) -> tuple[Drawers, ...]:
        """The runs that score; among equals the leftmost, then the highest."""
        runs = [run for track in tracks[self.reader.tracks] for run in _runs(track)]
        runs.sort(key=lambda run: (-len(run), run))
        match self.runs:
            case "longest":
                return tuple(runs[:1])
            case "two longest":
                return tuple(runs[:2])
            case _:
                in_rows = ([run for run in runs if run[0][1] == row] for row in self.rows)
                return tuple(run for found in in_rows for run in found[:1])


Objective = Pattern | Rows
Objectives = tuple[Pattern, Pattern, Rows]
"""The three open objectives of a game: color, handle, row."""


@cache
def forms(cells: tuple[Cell, ...], turns: Turns) -> tuple[Drawers, ...]:
    """The positions of a pattern that a board can show: mirrored and turned (R20).

    A form with two drawers in one column never fits, because a card shows every color and every
    handle once; nor does one that is wider or higher than a board.

    >>> forms(((0, 0), (1, 1)), "quarter")
    (((0, 0), (1, 1)), ((0, 1), (1, 0)))
    """
    flipped = [
        [(column * x, height * y) for column, height in cells] for x in (1, -1) for y in (1, -1)
    ]
    turned = [[(height, column) for column, height in shape] for shape in flipped]
    found: set[Drawers] = set()
    for shape in flipped if turns == "half" else flipped + turned:
        left, top = (min(place) for place in zip(*shape, strict=True))
        form = tuple(sorted((column - left, height - top) for column, height in shape))
        columns, heights = ({*place} for place in zip(*form, strict=True))
        if len(columns) == len(form) and max(columns) < COLUMNS and max(heights) < HEIGHTS:
            found.add(form)
    return tuple(sorted(found))


# Readers are shared by equal objectives; bounded, because people may send patterns of their own.
@lru_cache(maxsize=100)
def _pattern_reader(kind: Feature, cells: tuple[Cell, ...], turns: Turns) -> Reader:
    return Reader(CombinationsReading(forms(cells, turns)), _tracks_of(kind))


@lru_cache(maxsize=100)
def _row_reader(of: Feature, only: Color | Handle | None, rows: tuple[int, ...]) -> Reader:
    reading: Reading = GivenRowsReading(rows) if rows else RunsReading()
    return Reader(reading, _tracks_of(of, only))


def _tracks_of(feature: Feature, only: Color | Handle | None = None) -> slice:
    """Which of the 8 tracks count: those of the colors, of the handles, or a single one."""
    names: tuple[Color | Handle, ...] = COLORS + HANDLES
    if only is not None:
        return slice(names.index(only), names.index(only) + 1)
    return slice(0, len(COLORS)) if feature == "color" else slice(len(COLORS), len(names))


def _without(drawers: Drawers, track: Track) -> Track:
    """A track without the drawers of a combination."""
    used = [column for column, _ in drawers]
    return tuple(None if column in used else height for column, height in enumerate(track))


def _runs(track: Track) -> list[Drawers]:
    """The unbroken horizontal runs of a track; a single drawer is a run of 1 (R22)."""
    cells = ((column, height) for column, height in enumerate(track) if height is not None)
    return [tuple(run) for _, run in groupby(cells, key=lambda cell: cell[1])]
