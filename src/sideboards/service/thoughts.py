"""What the server and its thinking processes say to each other: plain data, in small frames.

A thinking process gets what a seat may know, and nothing else. The edition travels once, as the
bytes of its file.
"""

from typing import Literal

from msgspec import Struct
from msgspec.msgpack import Decoder, Encoder

from sideboards.core.edition import Edition
from sideboards.core.game import Choice, Move, Swap, Undo
from sideboards.core.notation import format_board, parse_board, parse_move
from sideboards.core.refusal import Refusal
from sideboards.core.scoring import Mode
from sideboards.core.view import View

Kind = Literal["coach", "par"]
LENGTH = 4
"""The bytes before every message that tell its length, big end first."""
MOST_BYTES = 4 * 1024 * 1024
"""More than any message has: the review of six seats is a tenth of it."""


class Seen(Struct, frozen=True, array_like=True):
    """A View without its edition, in text forms."""

    seat: int
    mode: Mode
    objectives: tuple[int, int, int]
    round: int
    boards: tuple[str, ...]
    swaps: tuple[bool, ...]
    sealed: tuple[bool, ...]
    hands: tuple[tuple[int, ...], ...]
    """The own ones."""
    pile: int
    discards: int
    played: tuple[tuple[int, str], ...]


# ---- from the server ---------------------------------------------------------------------------


class Hello(Struct, frozen=True, tag=True):
    """The first message: the edition file; None for the edition that is shipped."""

    edition: bytes | None


class AskCold(Struct, frozen=True, tag=True):
    """Must kernels be compiled? Answered by `Cold`."""


class Warm(Struct, frozen=True, tag=True):
    """Compile the kernels or take them from the disk. Answered by `Done`."""


class Think(Struct, frozen=True, tag=True):
    """What does this bot play? Answered by `Thought`."""

    bot: str
    seen: Seen
    seed: bytes


class Weigh(Struct, frozen=True, tag=True):
    """What does every option bring? Answered by `Weights`."""

    seen: Seen
    seed: bytes


class Work(Struct, frozen=True, tag=True):
    """The next small piece of a job. Answered by `Progress`, at the end by `Result`."""

    kind: Kind
    record: bytes
    language: str


Request = Hello | AskCold | Warm | Think | Weigh | Work


# ---- from a thinking process -------------------------------------------------------------------


class Ready(Struct, frozen=True, tag=True):
    """The answer to `Hello`: by name, why a bot cannot play with this edition."""

    refused: dict[str, str]


class Cold(Struct, frozen=True, tag=True):
    """Whether kernels must be compiled."""

    cold: bool


class Done(Struct, frozen=True, tag=True):
    """What was asked for is done."""


class Thought(Struct, frozen=True, tag=True):
    """A move."""

    move: str


class Weights(Struct, frozen=True, tag=True):
    """Move, expected points and share of the victory of every option, best first."""

    options: tuple[tuple[str, float, float], ...]


class Progress(Struct, frozen=True, tag=True):
    """How much of a job is done, 0 to 1."""

    share: float


class Result(Struct, frozen=True, tag=True):
    """What a job found, as plain data."""

    data: dict[str, object]


class Failed(Struct, frozen=True, tag=True):
    """Why there is no answer."""

    sentence: str


Reply = Ready | Cold | Done | Thought | Weights | Progress | Result | Failed

_encoder = Encoder()
request_decoder: Decoder[Request] = Decoder(Request)
reply_decoder: Decoder[Reply] = Decoder(Reply)


def frame(message: Request | Reply) -> bytes:
    """A message as it is sent: its length, then itself."""
    data = _encoder.encode(message)
    return len(data).to_bytes(LENGTH) + data


def seen(view: View) -> Seen:
    """What goes to a thinking process instead of the view of a seat that has to choose."""
    if view.seat is None or view.over or view.choice is not None:
        raise Refusal("found a view without options; expected one of a seat that has to choose")
    return Seen(
        seat=view.seat,
        mode=view.mode,
        objectives=view.objective_numbers,
        round=view.round,
        boards=tuple(format_board(board) for board in view.boards),
        swaps=view.swaps,
        sealed=view.sealed,
        hands=view.hands[view.seat] or (),
        pile=view.pile,
        discards=view.discards,
        played=tuple((seat, str(move)) for seat, move in view.played),
    )


def view_of(seen: Seen, edition: Edition) -> View:
    """The view again."""
    seats = range(len(seen.boards))
    return View(
        seat=seen.seat,
        edition=edition,
        mode=seen.mode,
        objective_numbers=seen.objectives,
        round=seen.round,
        boards=tuple(parse_board(board) for board in seen.boards),
        swaps=seen.swaps,
        sealed=seen.sealed,
        choice=None,
        hands=tuple(seen.hands if seat == seen.seat else None for seat in seats),
        pile=seen.pile,
        discards=seen.discards,
        open_discards=None,
        played=tuple((seat, _final(parse_move(text))) for seat, text in seen.played),
    )


def _final(move: Move) -> Choice | Swap:
    if isinstance(move, Undo):
        raise Refusal("found undo; expected final moves only")
    return move
