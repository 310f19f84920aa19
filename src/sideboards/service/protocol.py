"""The messages, as types: one source for the server, the documents and the browser.

Field names stand in alphabetical order wherever a hash covers the encoded form, so that what is
sent is canonical JSON: keys sorted, no blanks, UTF-8.
"""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from sideboards.core.scoring import Mode
from sideboards.service.log import Phase

PROTOCOL = 1
MAX_MESSAGE = 8 * 1024
MAX_VIEW = 16 * 1024
MAX_QUEUE = 64 * 1024
PHRASES = ("hello", "good_luck", "nice", "oops", "thinking", "thanks", "well_played", "goodbye")
"""What people can say to each other; the words are `phrase.…` of the catalogues."""

Key = Annotated[str, Meta(pattern=r"^[0-9]{1,2}\.[0-9]{1,4}\.[A-Za-z0-9_-]{4,24}(?!\n)$")]
"""`round.attempt.nonce`."""
Action = Annotated[str, Meta(min_length=1, max_length=200)]
Hex = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
Language = Literal["de", "en", "fr", "it", "pt"]
Assist = Annotated[int, Meta(ge=0, le=3)]
"""0 no points, 1 and 2 points of every option, 3 also the coach's values."""


# ---- settings and tables ---------------------------------------------------------------------


class Settings(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What is agreed before a game."""

    seats: Annotated[int, Meta(ge=1, le=6)] = 2
    variant: bool = False
    objectives: (
        tuple[
            Annotated[int, Meta(ge=1, le=7)],
            Annotated[int, Meta(ge=8, le=14)],
            Annotated[int, Meta(ge=15, le=30)],
        ]
        | None
    ) = None
    """Three numbers; None: drawn at the deal."""
    round_seconds: Annotated[int, Meta(ge=10, le=259_200)] | None = None
    """The clock of a round: 10 to 300 seconds, or 1 to 3 whole days; None: no clock."""
    assist: Assist = 1
    public: bool = False
    spectators: bool = True
    phrases: bool = True
    practice: Annotated[str, Meta(max_length=6000)] | None = None
    """A game record with which the table goes on: a known deal, without a proof, in no list.
    Whether it is practice is decided when the table is made."""


class SeatInfo(Struct, frozen=True, kw_only=True):
    """Who sits at a seat, as everybody may know."""

    kind: Literal["empty", "person", "bot"]
    name: str | None
    """The person's name; None for a bot, an empty seat and somebody who was deleted."""
    bot: str | None
    """The bot that plays: that of the seat, or the one that plays for an absent person."""
    present: bool
    """Whether a person is connected."""
    away: bool
    """Whether others may let a bot choose for this round."""
    commit: str
    opened: bool
    votes: tuple[int, ...]
    """The seats that would hand this seat to a bot."""


class TableInfo(Struct, frozen=True, kw_only=True):
    """A table as everybody at it may know it."""

    table: str
    phase: Phase
    settings: Settings
    rules: str
    """The rules string of the fair deal."""
    commit: str
    """The server's commitment to its seed."""
    host: int | None
    """The host's seat."""
    seats: tuple[SeatInfo, ...]
    started: bool
    """Whether seats and settings are fixed and the seeds are being opened."""
    code: str | None
    next: str | None
    """The table of the rematch."""


# ---- views -------------------------------------------------------------------------------------


class PointsInfo(Struct, frozen=True):
    """Points, split by where they come from. In alphabetical order."""

    bonus: int
    color: int
    handle: int
    row: int
    swap: int
    total: int


class OptionInfo(Struct, frozen=True, omit_defaults=True):
    """A legal move; with the points if the game ended after it, where the table shows them."""

    move: str
    points: PointsInfo | UnsetType = UNSET


class PublicInfo(Struct, frozen=True, kw_only=True):
    """The part of a view that everybody shares. In alphabetical order."""

    discards: int
    pile: int
    round: int
    scores: tuple[PointsInfo, ...] | None
    """Everybody's points if the game ended now; None at assist level 0 before the end."""
    sealed: tuple[bool, ...]
    swapped: tuple[int, ...]
    """Who swapped in this round, in the order of arrival."""
    swaps: tuple[bool, ...]


class ResultInfo(Struct, frozen=True, kw_only=True):
    """How a game ended. In alphabetical order."""

    places: tuple[int, ...]
    tier: int | None
    """The solo ranking, 1 to 5."""
    winners: tuple[int, ...]


class ViewInfo(Struct, frozen=True, kw_only=True):
    """All that one seat, or a spectator, may know of a game. In alphabetical order."""

    boards: tuple[str, ...]
    choice: str | None
    """What this seat itself has sealed."""
    hands: tuple[tuple[tuple[int, ...], ...] | None, ...]
    """By seat, the hands so far: the own ones; at the end everybody's."""
    mode: Mode
    objectives: tuple[int, int, int]
    open_discards: tuple[int, ...] | None
    options: tuple[OptionInfo, ...]
    played: tuple[str, ...]
    """`SEAT MOVE`, closed rounds only; the swaps of this round are in `public.swapped`."""
    public: PublicInfo
    result: ResultInfo | None
    seat: int | None


class ClockInfo(Struct, frozen=True):
    """The clock of the round, as of the sending of the message."""

    left: int
    """Milliseconds until the deadline."""


# ---- from the client --------------------------------------------------------------------------


class _In(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", kw_only=True):
    pass


class Hello(_In, frozen=True, tag="hello"):
    """The first message: with a seat token one's own seat, with a table's id as a spectator."""

    protocol: int
    token: Annotated[str, Meta(max_length=300)] | None = None
    table: Annotated[str, Meta(max_length=40)] | None = None
    language: Language = "en"
    assist: Assist | None = None
    """Less help than the table allows; never more."""


class Act(_In, frozen=True, tag="act"):
    """A request: a move, or another action of the table (see `docs/protocol.md`)."""

    key: Key
    action: Action


class Draft(_In, frozen=True, tag="draft"):
    """The unlocked choice; the newest counts when the clock runs out. Not answered."""

    round: Annotated[int, Meta(ge=0, le=6)]
    move: Annotated[str, Meta(max_length=12)] | None


class Say(_In, frozen=True, tag="say"):
    """A fixed phrase for everybody at the table."""

    phrase: str


class Ping(_In, frozen=True, tag="ping"):
    """A sign of life; `active` tells that the person did something since the last one."""

    active: bool = False


class Resync(_In, frozen=True, tag="resync"):
    """Asks for the table and the whole view again."""


ClientMessage = Hello | Act | Draft | Say | Ping | Resync


# ---- from the server --------------------------------------------------------------------------


class _Out(Struct, frozen=True, tag_field="type", kw_only=True):
    pass


class Welcome(_Out, frozen=True, tag="welcome"):
    """The answer to `hello`; `table` and, once dealt, `view` follow."""

    protocol: int
    seat: int | None
    table: str


class TableMessage(_Out, frozen=True, tag="table"):
    """The table as it is now."""

    table: TableInfo


class ViewMessage(_Out, frozen=True, tag="view"):
    """The whole view; `hash` is the SHA-256 of its canonical JSON, 32 hexadecimal digits."""

    clock: ClockInfo | None
    hash: str
    seq: int
    view: ViewInfo


class PublicMessage(_Out, frozen=True, tag="public"):
    """Replaces `public` in the view at hand."""

    clock: ClockInfo | None
    public: PublicInfo
    seq: int


class Ack(_Out, frozen=True, tag="ack"):
    """The action is stored. Over a socket the whole view comes along, so no other one follows."""

    key: str
    seq: int
    clock: ClockInfo | None = None
    view: ViewInfo | None = None
    """None before the deal, and over REST."""
    view_hash: str | None = None
    """None before the deal."""


class Refused(_Out, frozen=True, tag="refused"):
    """The action, or message, was not accepted; the view is the truth."""

    code: str
    key: str | None
    sentence: str
    seq: int | None = None
    view: ViewInfo | None = None
    view_hash: str | None = None


class Pending(_Out, frozen=True, tag="pending"):
    """The commit takes longer than a second, or without a key the greeting; the answer follows."""

    key: str | None


class Pong(_Out, frozen=True, tag="pong"):
    """The answer to `ping`."""


class Said(_Out, frozen=True, tag="said"):
    """Somebody said a fixed phrase."""

    phrase: str
    seat: int


class Notice(_Out, frozen=True, tag="notice"):
    """Something that happened at the table: `bot_replaced`, `reshuffled` or `timeout`."""

    code: str
    seat: int | None
    sentence: str


class AdviceInfo(Struct, frozen=True):
    """What the coach expects of an option: final points and share of the victory."""

    expected: float
    move: str
    winning: float


class Advice(_Out, frozen=True, tag="advice"):
    """Assist level 3: the coach's values of the options of this view."""

    options: tuple[AdviceInfo, ...]
    seq: int


ServerMessage = (
    Welcome
    | TableMessage
    | ViewMessage
    | PublicMessage
    | Ack
    | Refused
    | Pending
    | Pong
    | Said
    | Notice
    | Advice
)
