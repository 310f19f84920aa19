"""Reasons: what a chosen option gave up and gained beside the best one, told in clauses.

Points on the table are compared part by part, and so are the chances: what the learned values
expect of a board beyond the points it has. Numpy alone is enough here.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from sideboards.core.board import Board, tracks
from sideboards.core.card import COLORS, COLUMNS
from sideboards.core.edition import Edition
from sideboards.core.game import Move, Swap
from sideboards.core.scoring import Mode, Points
from sideboards.fast.tables import FIRST
from sideboards.fast.worth import SCALE, Worth, track_values
from sideboards.words import Words

Part = Literal["color", "handle", "row", "bonus"]

LOST: dict[Part, str] = {
    "color": "coach.lost.color",
    "handle": "coach.lost.handle",
    "row": "coach.lost.row",
    "bonus": "coach.lost.bonus",
}
"""Points that the best option would have had at once."""
WON: dict[Part, str] = {
    "color": "coach.won.color",
    "handle": "coach.won.handle",
    "row": "coach.won.row",
    "bonus": "coach.won.bonus",
}
FEWER: dict[str, str] = {
    "color": "coach.fewer.color",
    "handle": "coach.fewer.handle",
    "row": "coach.fewer.row",
}
"""Chances that the best option would have kept."""
MORE: dict[str, str] = {
    "color": "coach.more.color",
    "handle": "coach.more.handle",
    "row": "coach.more.row",
}
LEAST = 0.3
"""A difference of fewer points is not worth a clause."""
CLOSE = 0.5
"""A loss of fewer points is a close call."""


@dataclass(frozen=True, slots=True)
class Clause:
    """One part of a reason: the key of its text, and the number in it (0 when it has none)."""

    key: str
    count: int = 0


class After(NamedTuple):
    """What an option leads to: its move, the board after it, and the points there."""

    move: Move
    board: Board
    now: Points


@dataclass(frozen=True, slots=True)
class Chances:
    """What a board may still bring by the learned values, and its longest run at an end."""

    color: float
    handle: float
    row: float
    alive: int
    """The longest run that the next card can make longer; 0 on a full board."""


NONE = Chances(0, 0, 0, 0)
"""Of a full board, and of one that is not begun."""


def chances(board: Board, now: Points, mode: Mode, edition: Edition, values: Worth) -> Chances:
    """What `board`, which has the points `now`, may still bring.

    The values know the row bonus of solo only, so at a table the row's chances hold a bonus
    by length.
    """
    if len(board) in (0, COLUMNS):
        return NONE
    found = np.array([tracks(board, edition)])
    at = found[0] + FIRST[len(board)]
    color = int(values.color[at[: len(COLORS)]].sum(dtype=np.int64))
    handle = int(values.handle[at[len(COLORS) :]].sum(dtype=np.int64))
    row = int(track_values(found, len(board), values)[0]) - color - handle
    _, first, last = values.sort
    ends = values.runs[at[first:last]].astype(np.int64)
    paid = now.row + (now.bonus if mode == "solo" else 0)
    return Chances(
        color / SCALE - now.color,
        handle / SCALE - now.handle,
        row / SCALE - paid,
        int(max((ends >> 4 & 15).max(), (ends & 15).max())),
    )


def clauses(
    before: Board, chosen: After, best: After, *, mode: Mode, edition: Edition, values: Worth
) -> tuple[Clause, ...]:
    """Why `chosen` brings less than `best`: at most two clauses against it, one in its favor.

    The weights of all differences together are the difference in what the boards are worth.
    """
    if isinstance(chosen.move, Swap):
        return (Clause("coach.swap.early"),)
    if isinstance(best.move, Swap):
        return (Clause("coach.swap.missed"), Clause("coach.swap.saved"))
    one, other = (chances(each.board, each.now, mode, edition, values) for each in (chosen, best))
    alive = chances(before, best.now, mode, edition, values).alive
    found = [
        *_points_now(chosen, best),
        *_chances_left(chosen.now.bonus - best.now.bonus, mode, one, other, alive),
    ]
    found = sorted((each for each in found if abs(each[0]) >= LEAST), key=lambda each: each[0])
    against = [clause for weight, clause in found if weight < 0][:2]
    if {clause.key for clause in against} == {FEWER["color"], FEWER["handle"]}:
        against = [Clause("coach.fewer.both")]
    in_favor = [clause for weight, clause in found if weight > 0][-1:]
    if in_favor and not against:
        return (*in_favor, Clause("coach.less"))
    return (*against, *in_favor)


def _points_now(chosen: After, best: After) -> list[tuple[float, Clause]]:
    """The differences in points on the table; the bonus is certain only when all cards lie."""
    parts: tuple[Part, ...] = ("color", "handle", "row", "bonus")
    found = []
    for part in parts if len(chosen.board) == COLUMNS else parts[:3]:
        more: int = getattr(chosen.now, part) - getattr(best.now, part)
        found.append((float(more), Clause((LOST if more < 0 else WON)[part], abs(more))))
    return found


def _chances_left(
    bonus: int, mode: Mode, one: Chances, other: Chances, alive: int
) -> list[tuple[float, Clause]]:
    """The differences in chances; in solo a bonus that is reached already counts as a chance.

    `alive` is the longest run that could grow before the move.
    """
    row = one.row - other.row
    if mode == "solo" and not one == other == NONE:
        row += bonus
    grown = Clause((FEWER if row < 0 else MORE)["row"])
    if row < 0 and one.alive < alive <= other.alive and alive >= 2:
        grown = Clause("coach.row.closed", alive)
    elif row > 0 and one.alive > other.alive and one.alive >= 2:
        grown = Clause("coach.row.alive", one.alive)
    found = [(row, grown)]
    for part, more in (("color", one.color - other.color), ("handle", one.handle - other.handle)):
        found.append((more, Clause((FEWER if more < 0 else MORE)[part])))
    return found


def reason(found: tuple[Clause, ...], loss: float, lead: float, words: Words) -> str:
    """The sentence of a decision: its clauses and the loss, or a short praise of the best one.

    `lead` is how much the best option is ahead of the second best.
    """
    if loss == 0:
        return words("coach.best.clear") if lead >= 1 else words("coach.best")
    if not found:
        found = (Clause("coach.close" if loss < CLOSE else "coach.less"),)
    told = ", ".join(words(clause.key, count=clause.count) for clause in found)
    return words("labelled", name=told, text=words.decimal(-loss))
