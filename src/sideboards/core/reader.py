"""Reading tracks: what an objective finds in the heights of one color or handle.

A small machine reads a track column by column: its state knows all it must about the columns so
far, so what it finds is the exact maximum (R21) without any search. What it has found is kept in
a table of one byte per track, so that a score is a few look-ups once warm.
"""

from collections.abc import Iterator
from functools import cache
from operator import attrgetter, itemgetter
from typing import NamedTuple

from sideboards.core.card import COLUMNS, HEIGHTS

Cell = tuple[int, int]
"""A drawer's place: its column from the left and its height from the top, both from 0."""
Drawers = tuple[Cell, ...]
"""The drawers of one combination or one run, from left to right."""
Track = tuple[int | None, ...]
"""The heights of one color or handle, column by column; None where a drawer is not to be used."""

PAIR_BASE = COLUMNS + 1
"""Two run lengths a and b, none above 8, fit in a byte as 9a + b."""
UNREAD = 255
"""More than any number of combinations or pair of runs, also when those of a board are added."""
_MOST_STATES = 10_000
"""More states than this are forgotten and made anew: only very wide patterns have so many."""


def heights(track: int, columns: int) -> tuple[int, ...]:
    """The heights of a track that is a number of so many digits to the base 5.

    >>> heights(5 * 3 + 2, columns=3)
    (0, 3, 2)
    """
    return tuple(track // HEIGHTS**place % HEIGHTS for place in reversed(range(columns)))


class CombinationsReading(NamedTuple):
    """What must be known of a track's columns so far to go on counting combinations.

    `best` holds, for every set of recent columns that may be in use (bit 0: the newest), the
    most combinations that leave the other recent columns free.
    """

    forms: tuple[Drawers, ...]
    recent: Track = ()
    best: tuple[tuple[int, int], ...] = ((0, 0),)

    @property
    def reach(self) -> int:
        """How many columns back a combination that ends in the next column may begin."""
        return max(form[-1][0] for form in self.forms)

    @property
    def byte(self) -> int:
        """The most combinations so far."""
        return max(count for _, count in self.best)

    def advance(self, height: int | None) -> "CombinationsReading":
        """The reading after one more column."""
        ends = _ends(self.forms)
        newest_first = (height, *reversed(self.recent))
        fits = [end.columns for end in ends if end.fits(newest_first)]
        reach = self.reach
        best: dict[int, int] = {}
        for used, count in self.best:
            for fit in (0, *fits):
                if not used << 1 & fit:
                    after = (used << 1 | fit) & (1 << reach) - 1
                    best[after] = max(best.get(after, 0), count + (fit > 0))
        worth = tuple(
            (used, count)
            for used, count in sorted(best.items())
            if not any(
                less & used == less and more >= count and less != used
                for less, more in best.items()
            )
        )
        return self._replace(recent=newest_first[:reach][::-1], best=worth)


class _End(NamedTuple):
    """A form as seen from its last column: how much higher each earlier column is, newest first.

    Columns that the form skips hold None.
    """

    steps: tuple[int | None, ...]
    columns: int

    def fits(self, newest_first: Track) -> bool:
        """Whether the form ends here."""
        here = newest_first[0]
        return (
            here is not None
            and len(newest_first) >= len(self.steps)
            and all(
                step is None or height == here + step
                for step, height in zip(self.steps, newest_first, strict=False)
            )
        )


@cache
def _ends(forms: tuple[Drawers, ...]) -> tuple[_End, ...]:
    ends = []
    for form in forms:
        (last, base), cells = form[-1], dict(form)
        steps = tuple(
            cells[column] - base if column in cells else None for column in range(last, -1, -1)
        )
        ends.append(_End(steps, sum(1 << last - column for column in cells)))
    return tuple(ends)


class RunsReading(NamedTuple):
    """The two longest runs so far that are over, and the run that may still grow (R22)."""

    over: tuple[int, int] = (0, 0)
    height: int | None = None
    run: int = 0

    @property
    def byte(self) -> int:
        """The two longest runs, the longer one first."""
        _, second, longest = sorted((*self.over, self.run))
        return longest * PAIR_BASE + second

    def advance(self, height: int | None) -> "RunsReading":
        """The reading after one more column."""
        if height == self.height:
            return self._replace(run=self.run + 1)
        longest, second = divmod(self.byte, PAIR_BASE)
        return RunsReading((longest, second), height, 1)


class GivenRowsReading(NamedTuple):
    """The longest run so far in each of two given rows, and the run that may still grow (R26)."""

    rows: tuple[int, ...]
    longest: tuple[int, ...] = (0, 0)
    height: int | None = None
    run: int = 0

    @property
    def byte(self) -> int:
        """The longest run in the upper row and the one in the lower row."""
        upper, lower = self.longest
        return upper * PAIR_BASE + lower

    def advance(self, height: int | None) -> "GivenRowsReading":
        """The reading after one more column."""
        run = self.run + 1 if height == self.height else 1
        longest = tuple(
            max(length, run) if height == row else length
            for row, length in zip(self.rows, self.longest, strict=True)
        )
        return GivenRowsReading(self.rows, longest, height, run)


Reading = CombinationsReading | RunsReading | GivenRowsReading


class _State(dict[int | None, "_State"]):
    """A reading with the next state for each height, made when first needed and then kept."""

    __slots__ = ("byte", "known", "reading")

    def __init__(self, reading: Reading, known: "dict[Reading, _State]") -> None:
        super().__init__()
        self.byte = reading.byte
        self.reading = reading
        self.known = known
        known[reading] = self

    def __missing__(self, height: int | None) -> "_State":
        after = self.reading.advance(height)
        known = self.known.get(after)
        self[height] = state = _State(after, self.known) if known is None else known
        return state


class Reader:
    """A machine with its tables: for every length of board a byte for every track."""

    __slots__ = ("_start", "_tables", "_tail", "tracks")

    def __init__(self, start: Reading, tracks: slice) -> None:
        self._start = _State(start, {})
        # A wide pattern has so many states that it is read track by track, not by neighbourhoods.
        wide = isinstance(start, CombinationsReading) and start.reach > 4
        self._tail = 0 if wide else 3
        self._tables: list[bytearray | None] = [None] * (COLUMNS + 1)
        self.tracks = tracks
        """Which of the 8 tracks of a board matter."""

    @property
    def states(self) -> int:
        """How many states of the machine are kept at present."""
        return len(self._start.known)

    def walk(self, track: Track) -> int:
        """The byte of a track, read column by column."""
        state = self._start
        for height in track:
            state = state[height]
        return state.byte

    def table(self, columns: int) -> bytearray:
        """The bytes of all tracks of a length; those that were never read are `UNREAD`."""
        table = self._tables[columns]
        if table is None:
            table = self._tables[columns] = bytearray([UNREAD]) * HEIGHTS**columns
        return table

    def complete(self, columns: int) -> bytearray:
        """The bytes of all tracks of a length, none of them unread."""
        for _ in self.filling(columns):
            pass
        return self.table(columns)

    def filling(self, columns: int) -> Iterator[None]:
        """Fill the table of a length in steps of about a millisecond."""
        table = self.table(columns)
        while (track := table.find(UNREAD)) >= 0:
            self._fill(table, track, columns, min(2 * self._tail, columns))
            yield

    def read(self, tracks: tuple[int, ...], columns: int) -> tuple[int, ...]:
        """The bytes of all tracks that matter, each a number of so many digits to the base 5."""
        table = self.table(columns)
        some = tracks[self.tracks]
        while True:
            # Every score passes here; a list made in a loop takes half as long again.
            found = itemgetter(*some)(table) if len(some) > 1 else (table[some[0]],)
            if UNREAD not in found:
                return found
            self._fill(table, some[found.index(UNREAD)], columns, min(self._tail, columns))

    def _fill(self, table: bytearray, track: int, columns: int, tail: int) -> None:
        """Read a track and all its neighbours, which differ in the last columns only.

        One walk serves them all, so a table is warm after a few thousand boards.
        """
        if self.states > _MOST_STATES:
            self._start = _State(self._start.reading, {})
        block = track // HEIGHTS**tail
        state = self._start
        for height in heights(block, columns - tail):
            state = state[height]
        states = [state]
        for _ in range(tail):
            states = [state[height] for state in states for height in range(HEIGHTS)]
        start = block * len(states)
        table[start : start + len(states)] = bytes(map(attrgetter("byte"), states))
