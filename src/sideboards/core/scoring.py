"""Scores: what boards are worth, bonuses, places, and the drawers behind every number."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from sideboards.core.board import Board, tracks
from sideboards.core.edition import Edition
from sideboards.core.objective import Objectives, Rows
from sideboards.core.reader import Drawers, heights

Mode = Literal["standard", "variant", "solo"]
MODES: tuple[Mode, ...] = ("standard", "variant", "solo")

ROW_POINTS = 2
PLACE_BONUSES = {2: (4,), 3: (8, 4), 4: (8, 4, 2), 5: (8, 4, 2), 6: (8, 4, 2)}
ONE_RUN_BONUSES = (0, 0, 0, 0, 2, 2, 4, 4, 8)
"""Solo bonus by the length of one run: from 4, 6 and 8 drawers (R30)."""
TWO_RUN_BONUSES = (0, 0, 0, 0, 0, 0, 0, 2, 2, 4, 4, 8, 8, 8, 8, 8, 8)
"""Solo bonus by the length of both runs together: from 7, 9 and 11 drawers (R30)."""
TIERS = (55, 45, 35, 25)

_NOTHING = frozenset({0})
"""The length of row that gets no bonus."""


class Tally(NamedTuple):
    """What a board shows: color and handle combinations, and drawers in scoring runs."""

    color: int
    handle: int
    row: int


class Points(NamedTuple):
    """A score, split by its parts."""

    color: int
    handle: int
    row: int
    bonus: int
    swap: int

    @property
    def total(self) -> int:
        """All points together."""
        return sum(self)


class Score(NamedTuple):
    """One player's result: what was counted, what it paid, and the place among all (R29)."""

    tally: Tally
    points: Points
    place: int


@dataclass(frozen=True, slots=True)
class Explanation:
    """The drawers behind a tally: disjoint combinations of each kind, and the scoring runs."""

    color: tuple[Drawers, ...]
    handle: tuple[Drawers, ...]
    row: tuple[Drawers, ...]


def tally(board: Board, objectives: Objectives, edition: Edition) -> Tally:
    """What `board` shows of the three objectives, each counted to its exact maximum."""
    color, handle, row = objectives
    found, columns = tracks(board, edition), len(board)
    return Tally(
        color.count(found, columns), handle.count(found, columns), row.count(found, columns)
    )


def points(
    counted: Tally, objectives: Objectives, lengths: Sequence[int], mode: Mode, *, swap: bool
) -> Points:
    """The points of a board: its tally, the bonus beside all `lengths`, an unused swap card.

    `lengths` are the row lengths of the whole table, this board's included.
    """
    bonuses = row_bonuses(lengths, objectives[2], mode)
    return paid(counted, objectives, bonuses, 1 if swap and mode != "variant" else 0)


def row_bonuses(lengths: Sequence[int], row: Rows, mode: Mode) -> Mapping[int, int]:
    """What each length of row gets: by place among all (R27), in solo by steps (R30).

    >>> row_bonuses([7, 7, 5], Rows("color", "longest"), "standard")
    {7: 8, 5: 4}
    """
    if mode == "solo":
        steps = ONE_RUN_BONUSES if row.runs == "longest" else TWO_RUN_BONUSES
        return {length: steps[length] for length in lengths}
    return _place_bonuses(tuple(sorted(lengths)))


@lru_cache(maxsize=10_000)
def _place_bonuses(lengths: tuple[int, ...]) -> Mapping[int, int]:
    """What each of these lengths gets by its place; kept, because every option asks for it."""
    ranked = sorted({*lengths} - _NOTHING, reverse=True)
    return dict(zip(ranked, PLACE_BONUSES[len(lengths)], strict=False))


def final_scores(
    boards: Sequence[Board],
    objectives: Objectives,
    edition: Edition,
    mode: Mode,
    swaps: Sequence[bool],
) -> tuple[Score, ...]:
    """Everybody's score if the game ended now; `swaps` says who has an unused swap card."""
    counted = [tally(board, objectives, edition) for board in boards]
    return scores_of(counted, objectives, mode, swaps)


def scores_of(
    counted: Sequence[Tally], objectives: Objectives, mode: Mode, swaps: Sequence[bool]
) -> tuple[Score, ...]:
    """Everybody's score by what the boards of the whole table show."""
    bonuses = row_bonuses([each.row for each in counted], objectives[2], mode)
    points = [
        paid(each, objectives, bonuses, 1 if swap and mode != "variant" else 0)
        for each, swap in zip(counted, swaps, strict=True)
    ]
    totals = list(map(sum, points))
    ranked = sorted(totals, reverse=True)
    places = [ranked.index(total) + 1 for total in totals]
    return tuple(map(Score, counted, points, places))


def paid(
    counted: tuple[int, int, int], objectives: Objectives, bonuses: Mapping[int, int], swap: int
) -> Points:
    """The points of a board by its tally, with the bonus of each length of row."""
    color, handle, _ = objectives
    colors, handles, row = counted
    return Points(
        colors * color.points,
        handles * handle.points,
        row * ROW_POINTS,
        bonuses.get(row, 0),
        swap,
    )


def tier(total: int) -> int:
    """The rank of a solo total: 1 for 55 and more, down to 5 (R31)."""
    return 1 + sum(total < least for least in TIERS)


def explain(board: Board, objectives: Objectives, edition: Edition) -> Explanation:
    """One way to reach the tally of `board`: which drawers make which combination or run."""
    color, handle, row = objectives
    found = [heights(track, len(board)) for track in tracks(board, edition)]
    return Explanation(
        color=color.combinations(found),
        handle=handle.combinations(found),
        row=row.scoring_runs(found),
    )
