"""Text forms: boards ``17 42~ 8``, moves ``12,40~`` ``L17~`` ``swap``, and whole game records.

Each is read back to what was written, and a text that cannot be read says where and why.
Single cards are written out in `sideboards.core.card`.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache

from sideboards.core.board import Board, Laid
from sideboards.core.card import parse_card
from sideboards.core.edition import CARDS, Edition, Numbers, check_numbers
from sideboards.core.game import (
    MOST_SEATS,
    Move,
    Place,
    Played,
    Setup,
    Start,
    Swap,
    Undo,
    check_order,
    check_seats,
    deal,
    step,
)
from sideboards.core.refusal import Refusal, quoted
from sideboards.core.scoring import MODES, Mode
from sideboards.core.strict import is_line, read_text

RECORD_FORMAT = "sideboards-record-1"
NAME_LENGTH = 60
"""The most characters of a player's name in a record or a request."""

_NUMBER = r"([1-9]|[1-5][0-9]|60)(~?)"
_PLACE = re.compile(f"([LR]){_NUMBER}")
_START = re.compile(f"{_NUMBER},{_NUMBER}")
_LAID = re.compile(_NUMBER)
_WHOLE = re.compile("[1-9][0-9]?")


def format_board(board: Board) -> str:
    """A board as text: its cards from left to right, ``~`` behind a turned one."""
    return " ".join(map(str, board))


def parse_board(text: str) -> Board:
    """The board in `text`: numbered or spelled-out cards, separated by blanks.

    >>> parse_board("17 42~")
    (Laid(card=17, turned=False), Laid(card=42, turned=True))
    """
    board = []
    for position, word in enumerate(text.split(), 1):
        try:
            board.append(_parse_laid(word))
        except Refusal as refusal:
            raise Refusal(f"card {position}: {refusal}") from None
    return tuple(board)


def _parse_laid(word: str) -> Laid:
    if word[0].isdigit():
        match = _LAID.fullmatch(word)
        if not match:
            raise Refusal(
                f"found {quoted(word)}; expected a number from 1 to {CARDS}, ~ behind it if turned"
            )
        return _laid(match[1], match[2])
    return Laid(parse_card(word.removesuffix("~")), turned=word.endswith("~"))


@lru_cache(maxsize=5_000)
def parse_move(text: str) -> Move:
    """The move in `text`.

    >>> parse_move("L17~")
    Place(laid=Laid(card=17, turned=True), end='left')
    """
    if text == "swap":
        return Swap()
    if text == "undo":
        return Undo()
    if match := _PLACE.fullmatch(text):
        return Place(_laid(match[2], match[3]), "left" if match[1] == "L" else "right")
    if match := _START.fullmatch(text):
        return Start(_laid(match[1], match[2]), _laid(match[3], match[4]))
    raise Refusal(
        f"found {quoted(text)}; expected a move such as 12,40~ (start), L17~, R17, swap or undo"
    )


def _laid(number: str, turned: str) -> Laid:
    return Laid(int(number), turned == "~")


@dataclass(frozen=True, slots=True)
class Record:
    """A game: its set-up and final moves; the names of the players if they are known."""

    setup: Setup
    played: tuple[Played, ...]
    names: tuple[str, ...] = ()


def format_record(record: Record) -> str:
    """A record as text: header lines, then one ``SEAT MOVE`` line per move."""
    setup = record.setup
    lines = [
        RECORD_FORMAT,
        f"edition: {setup.edition.name} {setup.edition.sha256}",
        f"mode: {setup.mode}",
        f"seats: {setup.seats}",
        f"objectives: {','.join(map(str, setup.objectives))}",
        f"deck: {' '.join(map(str, setup.deck))}",
        f"refill: {' '.join(map(str, setup.refill))}",
        *(f"player {seat}: {name}" for seat, name in enumerate(record.names)),
        *(f"{seat} {move}" for seat, move in record.played),
    ]
    return "\n".join(lines) + "\n"


def parse_record(data: bytes, edition: Edition, *, unfinished: bool = False) -> Record:
    """The record in `data`, played through: refuses what the rules or the format do not allow.

    With `unfinished` the game may end anywhere; what was chosen in its open round comes last.
    """
    lines = _Lines(read_text(data))
    with lines.take() as line:
        if line != RECORD_FORMAT:
            raise Refusal(f"found {quoted(line)}; expected a game record ({RECORD_FORMAT})")
    setup = _parse_setup(lines, edition)
    names = _parse_names(lines, setup.seats)
    state = deal(setup)
    while lines.left:
        with lines.take() as line:
            state = step(state, *_parse_turn(line))
    if not state.over and not unfinished:
        seat = state.waiting[0]
        raise Refusal(
            f"line {lines.number + 1}: the record ends in round {state.round} before "
            f"seat {seat} has chosen; expected a finished game"
        )
    open_round = [(seat, choice) for seat, choice in enumerate(state.sealed) if choice is not None]
    return Record(setup, (*state.played, *open_round), names)


class _Lines:
    """The lines of a record, taken one by one; a refusal is told with the line's number."""

    def __init__(self, text: str) -> None:
        self.left = [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]
        self.number = 0

    @contextmanager
    def take(self) -> Iterator[str]:
        """The next line."""
        self.number += 1
        try:
            yield self.left.pop(0) if self.left else ""
        except Refusal as refusal:
            raise Refusal(f"line {self.number}: {refusal}") from None

    @contextmanager
    def field(self, name: str) -> Iterator[str]:
        """The value of the next line, which must be ``name: value``."""
        with self.take() as line:
            if not line.startswith(f"{name}: "):
                raise Refusal(f"found {quoted(line)}; expected {name}: …")
            yield line.removeprefix(f"{name}: ")


def _parse_setup(lines: _Lines, edition: Edition) -> Setup:
    with lines.field("edition") as value:
        name, _, sha256 = value.rpartition(" ")
        if (name, sha256) != (edition.name, edition.sha256):
            raise Refusal(
                f"the record is of edition {quoted(name)} ({quoted(sha256[:12])}…), but at hand is "
                f"{quoted(edition.name)} ({edition.sha256[:12]}…); expected the edition's own file"
            )
    with lines.field("mode") as value:
        mode = _parse_mode(value)
    with lines.field("seats") as value:
        seats = int(value) if value in map(str, range(1, MOST_SEATS + 1)) else 0
        if not seats:
            raise Refusal(f"found {quoted(value)}; expected a number from 1 to {MOST_SEATS}")
        check_seats(seats, mode)
    with lines.field("objectives") as value:
        objectives = parse_objectives(value)
    orders = []
    for name in ("deck", "refill"):
        with lines.field(name) as value:
            orders.append(tuple(_parse_number(word) for word in value.split(" ")))
            check_order(name, orders[-1])
    deck, refill = orders
    return Setup(edition, mode, seats, objectives, deck, refill)


def _parse_mode(value: str) -> Mode:
    for mode in MODES:
        if value == mode:
            return mode
    raise Refusal(f"found {quoted(value)}; expected {' or '.join(MODES)}")


def parse_objectives(text: str) -> Numbers:
    """Three numbers of objectives, ``3,8,19``: color, handle, row."""
    numbers = tuple(_parse_number(word) for word in text.split(","))
    check_numbers(numbers)
    color, handle, row = numbers
    return color, handle, row


def _parse_number(word: str) -> int:
    if not _WHOLE.fullmatch(word):
        raise Refusal(f"found {quoted(word)}; expected a number without leading zeros")
    return int(word)


def _parse_names(lines: _Lines, seats: int) -> tuple[str, ...]:
    names: list[str] = []
    while lines.left and lines.left[0].startswith("player "):
        with lines.field(f"player {len(names)}") as name:
            if len(names) == seats:
                raise Refusal(f"a name for seat {seats}; expected {seats} names")
            if not is_line(name, NAME_LENGTH):
                expected = f"1 to {NAME_LENGTH} printable characters"
                raise Refusal(f"found the name {quoted(name)}; expected {expected}")
            names.append(name)
    if names and len(names) < seats:
        raise Refusal(f"line {lines.number}: found {len(names)} names; expected none or {seats}")
    return tuple(names)


def _parse_turn(line: str) -> tuple[int, Move]:
    seat, _, text = line.partition(" ")
    if seat not in map(str, range(MOST_SEATS)):
        raise Refusal(f"found {quoted(line)}; expected SEAT MOVE, such as 0 R17~")
    move = parse_move(text)
    if isinstance(move, Undo):
        raise Refusal("found undo; expected final moves only")
    return int(seat), move
