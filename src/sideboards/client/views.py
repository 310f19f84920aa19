"""Views as they arrive: from messages back to the core's values, and their hash."""

import hashlib

import msgspec

from sideboards.core.edition import Edition, Numbers
from sideboards.core.game import Choice, Place, Played, Start, Swap
from sideboards.core.notation import parse_board, parse_move
from sideboards.core.refusal import Refusal, quoted
from sideboards.core.view import View
from sideboards.service.protocol import ViewInfo

HASH_DIGITS = 32
encode = msgspec.json.Encoder().encode


def to_view(info: ViewInfo, edition: Edition) -> View:
    """The core's view that a message holds; bots and screens work with it."""
    public = info.public
    color, handle, row = info.objectives
    numbers: Numbers = (color, handle, row)
    swaps: tuple[Played, ...] = tuple((seat, Swap()) for seat in public.swapped)
    return View(
        seat=info.seat,
        edition=edition,
        mode=info.mode,
        objective_numbers=numbers,
        round=public.round,
        boards=tuple(parse_board(board) for board in info.boards),
        swaps=public.swaps,
        sealed=public.sealed,
        choice=None if info.choice is None else _choice(info.choice),
        hands=info.hands,
        pile=public.pile,
        discards=public.discards,
        open_discards=info.open_discards,
        played=(*map(_played, info.played), *swaps),
    )


def hash_of(text: bytes) -> str:
    """The hash of a view's canonical JSON, as every acknowledgement names it."""
    return hashlib.sha256(text).hexdigest()[:HASH_DIGITS]


def _choice(text: str) -> Choice:
    move = parse_move(text)
    if not isinstance(move, Start | Place):
        raise Refusal(f"choice: found {quoted(text)}; expected a start or a placement")
    return move


def _played(line: str) -> Played:
    seat, _, text = line.partition(" ")
    move = parse_move(text)
    if not isinstance(move, Start | Place | Swap):
        raise Refusal(f"played: found {quoted(line)}; expected a move that counts")
    return int(seat), move
