"""Views as they go over the wire: from the core's values to canonical JSON, and its hash.

A view is joined from parts, because most of them are the same for all viewers or for a whole
round: they are made once. What comes out is what `encode` would make of a `ViewInfo`.
"""

import hashlib
from collections.abc import Iterable
from functools import cache, lru_cache

import msgspec

from sideboards.core.game import Move, Played, State, choices
from sideboards.core.notation import format_board
from sideboards.core.scoring import Points, Score, tier
from sideboards.core.view import Counted, View, foresee, view
from sideboards.service.protocol import PointsInfo, ResultInfo, ViewInfo

encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(ViewInfo).decode
HASH_DIGITS = 32
_BOOL = (b"false", b"true")


class Shown(msgspec.Struct, frozen=True, gc=False):
    """A view as it is sent: its canonical JSON and the hash of that."""

    text: bytes
    hash: str


class Showing:
    """What may be shown of one state; what all viewers share is made once."""

    __slots__ = (
        "_ahead",
        "_boards",
        "_foreseen",
        "_latest",
        "_moves",
        "_played",
        "_points",
        "_public",
        "_scores",
        "_state",
    )

    def __init__(self, state: State, opening: State, before: "Showing | None" = None) -> None:
        """`before` is what was shown earlier of the same game: what is still true is kept."""
        self._state = state
        self._latest: tuple[int | None, bool, Shown] | None = None
        self._ahead: dict[tuple[int | None, bool], Shown] = {}
        """What was made before it is asked for."""
        self._foreseen: Counted = {}
        """What boards will show when the round has closed, or did before it closed."""
        self._public: dict[bool, bytes] = {}
        self._moves = len(opening.played)
        """How many moves all have seen; behind them come the swaps of this round."""
        self._boards: bytes
        self._played: bytes
        self._scores: tuple[Score, ...] | None = None
        self._points: bytes | None = None
        if before is not None and before._state.round == state.round:
            self._boards, self._played = before._boards, before._played
            if len(before._state.played) == len(state.played):
                self._scores, self._points = before._scores, before._points
            return
        self._foreseen = {} if before is None else before._foreseen
        self._boards = encode([format_board(seat.board) for seat in state.seats])
        known, moves = (b"", 0) if before is None else (before._played, before._moves)
        more = played_text(opening.played[moves:])
        self._played = b"%b,%b" % (known, more) if known and more else known or more

    def is_of(self, state: State | None) -> bool:
        """Whether this is what may be shown of that very state."""
        return self._state is state

    def public(self, *, points: bool) -> bytes:
        """The part that everybody shares, with everybody's points or without; made once."""
        if points in self._public:
            return self._public[points]
        state = self._state
        scores = self._all_points() if points or state.over else b"null"
        swapped = [seat for seat, _ in state.played[self._moves :]]
        self._public[points] = public = (
            b'{"discards":%d,"pile":%d,"round":%d,"scores":%b,"sealed":[%b],"swapped":%b,'
            b'"swaps":[%b]}'
        ) % (
            len(state.discards),
            len(state.pile),
            state.round,
            scores,
            b",".join([_BOOL[choice is not None] for choice in state.sealed]),
            encode(swapped),
            b",".join([_BOOL[seat.swap] for seat in state.seats]),
        )
        return public

    def view(self, seat: int | None, *, points: bool) -> ViewInfo:
        """All that one seat, or with None a spectator, may know."""
        return _decode(self.shown(seat, points=points).text)

    def shown(self, seat: int | None, *, points: bool) -> Shown:
        """The same, encoded and hashed; the latest one is kept, because its hash is asked for."""
        if self._latest is not None and self._latest[:2] == (seat, points):
            return self._latest[2]
        shown = self._ahead.pop((seat, points), None) or self._made(seat, points=points)
        self._latest = (seat, points, shown)
        return shown

    def make_ahead(self, seat: int | None, *, points: bool) -> None:
        """Make what will be asked for once, while there is time."""
        if (seat, points) not in self._ahead:
            self._ahead[seat, points] = self._made(seat, points=points)

    def foresee(self) -> None:
        """Prepare what all will see when the last one has chosen, while there is time."""
        self._foreseen = foresee(self._state)

    def forget(self) -> None:
        """Forget what was foreseen, when all have what they need of it."""
        self._foreseen = {}

    def _made(self, seat: int | None, *, points: bool) -> Shown:
        seen = view(self._state, seat)
        text = (
            b'{"boards":%b,"choice":%b,"hands":%b,"mode":"%b","objectives":%b,"open_discards":%b,'
            b'"options":[%b],"played":[%b],"public":%b,"result":%b,"seat":%b}'
        ) % (
            self._boards,
            b"null" if seen.choice is None else b'"%b"' % move_text(seen.choice),
            encode(seen.hands),
            seen.mode.encode(),
            encode(seen.objective_numbers),
            encode(seen.open_discards),
            self._options(seen, points=points),
            self._played,
            self.public(points=points),
            self._result() if seen.over else b"null",
            b"null" if seat is None else b"%d" % seat,
        )
        return Shown(text, hash_of(text))

    def _options(self, seen: View, *, points: bool) -> bytes:
        """The legal moves, with the points of each or without."""
        legal = seen.legal
        if not legal:
            return b""
        moves = move_texts(seen, legal)
        if not points:
            return b",".join([b'{"move":"%b"}' % move for move in moves])
        worth = map(points_text, seen.points_beside(self._all_scores(), self._foreseen))
        options = zip(moves, worth, strict=True)
        return b",".join([b'{"move":"%b","points":%b}' % option for option in options])

    def _all_scores(self) -> tuple[Score, ...]:
        if self._scores is None:
            self._scores = view(self._state, None).scores_knowing(self._foreseen)
        return self._scores

    def _all_points(self) -> bytes:
        if self._points is None:
            points = [points_text(score.points) for score in self._all_scores()]
            self._points = b"[%b]" % b",".join(points)
        return self._points

    def _result(self) -> bytes:
        scores = self._all_scores()
        alone = self._state.setup.mode == "solo"
        return encode(
            ResultInfo(
                places=tuple([score.place for score in scores]),
                tier=tier(scores[0].points.total) if alone else None,
                winners=tuple([seat for seat, score in enumerate(scores) if score.place == 1]),
            )
        )


def played_text(played: Iterable[Played]) -> bytes:
    """Moves with their seats, as elements of a list."""
    return b",".join([b'"%d %b"' % (seat, move_text(move)) for seat, move in played])


def move_text(move: Move) -> bytes:
    """A move in its text form."""
    return str(move).encode()


def move_texts(seen: View, legal: tuple[Move, ...]) -> list[bytes]:
    """The text forms of all legal moves, in their order."""
    if seen.round == 0:
        return [move_text(move) for move in legal]
    texts = [text for card in seen.hand for text in placement_texts(card)]
    return [*texts, b"swap"] if len(legal) > len(texts) else texts


@cache
def placement_texts(card: int) -> tuple[bytes, ...]:
    """The text forms of all placements of a card."""
    return tuple(map(move_text, choices((card,), start=False, swap=False)))


# Points repeat: a warm server finds nearly all of them here.
@lru_cache(maxsize=10_000)
def points_text(points: Points) -> bytes:
    """Points with their names, encoded."""
    return encode(points_info(points))


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


def public_message(public: bytes, seq: int, left: int | None) -> bytes:
    """A `public` message around a public part that is already encoded."""
    return b'{"type":"public","clock":%b,"public":%b,"seq":%d}' % (_clock(left), public, seq)


def _clock(left: int | None) -> bytes:
    return b"null" if left is None else b'{"left":%d}' % left
