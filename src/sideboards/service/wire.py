"""Views as they go over the wire: from the core's values to messages, encoded once and hashed."""

import hashlib
from dataclasses import dataclass

import msgspec

from sideboards.core.game import State
from sideboards.core.notation import format_board
from sideboards.core.scoring import Points, Score, tier
from sideboards.core.view import View, view
from sideboards.service.protocol import (
    OptionInfo,
    PointsInfo,
    PublicInfo,
    ResultInfo,
    ViewInfo,
)

encode = msgspec.json.Encoder().encode
HASH_DIGITS = 32


@dataclass(frozen=True, slots=True)
class Shown:
    """A view as it is sent: its canonical JSON and the hash of that."""

    text: bytes
    hash: str


class Showing:
    """What may be shown of one state; what all viewers share is made once."""

    __slots__ = ("_boards", "_latest", "_played", "_public", "_scores", "_state", "_swapped")

    def __init__(self, state: State, opening: State, before: "Showing | None" = None) -> None:
        self._state = state
        self._latest: tuple[int | None, bool, Shown] | None = None
        self._public: dict[bool, PublicInfo] = {}
        self._swapped = tuple(seat for seat, _ in state.played[len(opening.played) :])
        self._boards: tuple[str, ...]
        self._played: tuple[str, ...]
        self._scores: tuple[Score, ...] | None = None
        if before is not None and before._state.round == state.round:
            self._boards, self._played = before._boards, before._played
            if before._swapped == self._swapped:
                self._scores = before._scores
        else:
            self._boards = tuple(format_board(seat.board) for seat in state.seats)
            self._played = tuple(f"{seat} {move}" for seat, move in opening.played)

    def public(self, *, points: bool) -> PublicInfo:
        """The part that everybody shares, with everybody's points or without; made once."""
        if points in self._public:
            return self._public[points]
        state = self._state
        self._public[points] = public = PublicInfo(
            discards=len(state.discards),
            pile=len(state.pile),
            round=state.round,
            scores=self._points() if points or state.over else None,
            sealed=tuple([choice is not None for choice in state.sealed]),
            swapped=self._swapped,
            swaps=tuple([seat.swap for seat in state.seats]),
        )
        return public

    def view(self, seat: int | None, *, points: bool) -> ViewInfo:
        """All that one seat, or with None a spectator, may know."""
        state = self._state
        seen = view(state, seat)
        return ViewInfo(
            boards=self._boards,
            choice=None if seen.choice is None else str(seen.choice),
            hands=seen.hands,
            mode=seen.mode,
            objectives=seen.objective_numbers,
            open_discards=seen.open_discards,
            options=self._options(seen, points=points),
            played=self._played,
            public=self.public(points=points),
            result=self._result() if state.over else None,
            seat=seat,
        )

    def _options(self, seen: View, *, points: bool) -> tuple[OptionInfo, ...]:
        """The legal moves, with the points of each or without."""
        if not points:
            return tuple([OptionInfo(str(move)) for move in seen.legal])
        if not seen.legal:
            return ()
        lengths = [score.tally.row for score in self._all_scores()]
        options = seen.options_beside(lengths)
        return tuple([OptionInfo(str(move), points_info(each)) for move, each in options])

    def shown(self, seat: int | None, *, points: bool) -> Shown:
        """The same, encoded and hashed; the latest one is kept, because its hash is asked for."""
        if self._latest is not None and self._latest[:2] == (seat, points):
            return self._latest[2]
        text = encode(self.view(seat, points=points))
        shown = Shown(text, hash_of(text))
        self._latest = (seat, points, shown)
        return shown

    def _all_scores(self) -> tuple[Score, ...]:
        if self._scores is None:
            self._scores = view(self._state, None).scores
        return self._scores

    def _points(self) -> tuple[PointsInfo, ...]:
        return tuple([points_info(score.points) for score in self._all_scores()])

    def _result(self) -> ResultInfo:
        scores = self._all_scores()
        alone = self._state.setup.mode == "solo"
        return ResultInfo(
            places=tuple([score.place for score in scores]),
            tier=tier(scores[0].points.total) if alone else None,
            winners=tuple([seat for seat, score in enumerate(scores) if score.place == 1]),
        )


def points_info(points: Points) -> PointsInfo:
    """Points with their names."""
    color, handle, row, bonus, swap = points
    return PointsInfo(bonus, color, handle, row, swap, color + handle + row + bonus + swap)


def hash_of(text: bytes) -> str:
    """The hash of a view's canonical JSON."""
    return hashlib.sha256(text).hexdigest()[:HASH_DIGITS]


def ack_message(key: str, shown: Shown, seq: int, left: int | None) -> bytes:
    """An `ack` message around a view that is already encoded."""
    return b'{"type":"ack","key":%b,"seq":%d,"clock":%b,"view":%b,"view_hash":"%b"}' % (
        encode(key),
        seq,
        _clock(left),
        shown.text,
        shown.hash.encode(),
    )


def view_message(shown: Shown, seq: int, left: int | None) -> bytes:
    """A `view` message around a view that is already encoded."""
    return b'{"type":"view","clock":%b,"hash":"%b","seq":%d,"view":%b}' % (
        _clock(left),
        shown.hash.encode(),
        seq,
        shown.text,
    )


def _clock(left: int | None) -> bytes:
    return b"null" if left is None else b'{"left":%d}' % left
