"""Objectives: color and handle patterns, rows, and how each counts a board (R19–R26)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import groupby
from typing import Literal

from sideboards.core.card import (
    COLORS,
    COLUMNS,
    HANDLES,
    HEIGHTS,
    Color,
    Handle,
    Tracks,
    unpacked,
)
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
        if self.runs != "longest":
            counter = _runs_together(self, columns)
        elif self.only is not None:
            counter = _longest_of_one(self.reader, columns)
        elif self.of == "color":
            counter = _longest_of_colors(self.reader, columns)
        else:
            counter = _longest_of_handles(self.reader, columns)
        self._counters[columns] = counter
        return counter

    def length(self, found: Sequence[int]) -> int:
        """How many drawers score, by what the reader found in each of the tracks that matter."""
        if self.runs == "longest":
            return max(found) // PAIR_BASE
        if self.runs == "two longest":
            *_, next_best, best = sorted(found)
            second, other = best % PAIR_BASE, next_best // PAIR_BASE
            return best // PAIR_BASE + max(second, other)
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


# ---- counters of rows -------------------------------------------------------------------------


def _runs_together(rows: Rows, columns: int) -> Count:
    """Counts two runs: the two longest, or the longest in each of two rows."""
    read, length = rows.reader.read, rows.length

    def count(tracks: Tracks) -> int:
        return length(read(tracks, columns))

    return count


def _longest_of_one(reader: Reader, columns: int) -> Count:
    """Counts the longest run of one color or handle."""
    read, table, first = reader.read, reader.table(columns), reader.tracks.start

    def count(tracks: Tracks) -> int:
        longest = table[tracks[first]]
        return (longest if longest < UNREAD else max(read(tracks, columns))) // PAIR_BASE

    return count


# Spelled out: every option passes here, `max` takes twice as long as to compare, a loop five times.
def _longest_of_colors(reader: Reader, columns: int) -> Count:
    """Counts the longest run among all colors."""
    read, table = reader.read, reader.table(columns)

    def count(tracks: Tracks) -> int:
        red, turquoise, pink, orange, black, _, _, _ = tracks
        longest = table[red]
        if (found := table[turquoise]) > longest:
            longest = found
        if (found := table[pink]) > longest:
            longest = found
        if (found := table[orange]) > longest:
            longest = found
        if (found := table[black]) > longest:
            longest = found
        return (longest if longest < UNREAD else max(read(tracks, columns))) // PAIR_BASE

    return count


def _longest_of_handles(reader: Reader, columns: int) -> Count:
    """Counts the longest run among all handles."""
    read, table = reader.read, reader.table(columns)

    def count(tracks: Tracks) -> int:
        longest = table[tracks[5]]
        if (found := table[tracks[6]]) > longest:
            longest = found
        if (found := table[tracks[7]]) > longest:
            longest = found
        return (longest if longest < UNREAD else max(read(tracks, columns))) // PAIR_BASE

    return count


Objective = Pattern | Rows
Objectives = tuple[Pattern, Pattern, Rows]
"""The three open objectives of a game: color, handle, row."""
Counts = tuple[int, int, int]
"""What a board shows: color combinations, handle combinations, drawers in scoring runs."""


def counter(objectives: Objectives, columns: int) -> Callable[[int], Counts]:
    """What packed boards of one length show, as a function: for whoever asks again and again."""
    color, handle, row = objectives
    of_colors, of_handles = color.reader.table(columns), handle.reader.table(columns)
    count_row = row.counter(columns)

    # Spelled out as in `Pattern.counter`, and with one call instead of four.
    def counts(packed: int) -> Counts:
        tracks = red, turquoise, pink, orange, black, flower, square, bar = unpacked(packed)
        colors = (
            of_colors[red]
            + of_colors[turquoise]
            + of_colors[pink]
            + of_colors[orange]
            + of_colors[black]
        )
        handles = of_handles[flower] + of_handles[square] + of_handles[bar]
        if colors >= UNREAD or handles >= UNREAD:
            colors, handles = color.count(tracks, columns), handle.count(tracks, columns)
        return colors, handles, count_row(tracks)

    return counts


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
