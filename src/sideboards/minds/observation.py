"""Observations: a view as one vector of small whole numbers, field by field.

`LAYOUT` is the only description of the vector: the names of its fields in their order, with
shape, highest value and meaning. All environments use it, for every number of players and every
mode; what a table does not have (a fourth card, a sixth board) is 0. Boards and flags begin with
the own seat and go on to the left, so a vector never tells the number of the own seat.

`encode` fills the vector from a `View` and nothing else, so it cannot tell more than a view.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import prod

import numpy as np
import numpy.typing as npt

from sideboards.core.board import Laid
from sideboards.core.card import COLORS, COLUMNS, HANDLES, HEIGHTS, Card
from sideboards.core.edition import CARDS, NUMBERS, Edition
from sideboards.core.game import LAST_ROUND, MOST_SEATS
from sideboards.core.scoring import MODES, tally
from sideboards.core.view import View
from sideboards.fast.actions import ACTIONS, SLOTS, SWAP, action_of, legal_actions

Vector = npt.NDArray[np.int8]
KINDS = len(COLORS) + len(HANDLES)
"""Numbers per drawer: one for each color, then one for each handle."""
OBJECTIVES = NUMBERS["row"][-1]


@dataclass(frozen=True, slots=True)
class Field:
    """A part of the vector: `shape` numbers from 0 to `high`, beginning at `start`."""

    start: int
    shape: tuple[int, ...]
    high: int
    meaning: str

    @property
    def stop(self) -> int:
        """The place behind the last number."""
        return self.start + prod(self.shape)

    @property
    def slice(self) -> slice:
        """Where the field stands in the vector."""
        return slice(self.start, self.stop)


def _layout(*fields: tuple[str, tuple[int, ...], int, str]) -> dict[str, Field]:
    layout: dict[str, Field] = {}
    start = 0
    for name, shape, high, meaning in fields:
        layout[name] = Field(start, shape, high, meaning)
        start = layout[name].stop
    return layout


_DRAWERS = (HEIGHTS, KINDS)

LAYOUT = _layout(
    ("mode", (len(MODES),), 1, "one of: standard, variant, solo"),
    ("players", (MOST_SEATS,), 1, "one of: 1 to 6 players"),
    ("objectives", (OBJECTIVES,), 1, "three of: the numbers 1 to 30 of the open objectives"),
    ("round", (LAST_ROUND + 2,), 1, "one of: the start, rounds 1 to 6, the end"),
    ("pile", (1,), CARDS, "cards in the draw pile"),
    ("discards", (1,), CARDS, "cards in the discard pile"),
    ("choice", (1,), SWAP, "the own sealed choice as its action + 1; 0 while choosing"),
    ("sealed", (MOST_SEATS,), 1, "who has sealed a choice in this round"),
    ("swaps", (MOST_SEATS,), 1, "who has an unused swap card"),
    ("hand_drawers", (SLOTS, *_DRAWERS), 1, "the hand, slot by slot: the drawers upright"),
    ("hand_cards", (SLOTS,), CARDS, "the hand, slot by slot: the cards' numbers"),
    ("passed", (SLOTS - 2,), CARDS, "what was passed on (solo: discarded) last, by number"),
    ("seen", (CARDS,), 1, "which cards were in an own hand or lie on a board"),
    ("board_drawers", (MOST_SEATS, COLUMNS, *_DRAWERS), 1, "the boards: the drawers as they lie"),
    ("board_cards", (MOST_SEATS, COLUMNS), CARDS, "the boards: the cards' numbers"),
    ("tallies", (MOST_SEATS, 3), 20, "color and handle combinations, drawers in scoring runs"),
)
"""The fields in their order. Slots are filled from the first, boards from the left column."""

SIZE = LAYOUT["tallies"].stop


def fields(observations: Vector) -> dict[str, Vector]:
    """The fields of a vector by name, each in its shape; also of an array of many vectors."""
    lead = observations.shape[:-1]
    return {
        name: observations[..., field.slice].reshape(*lead, *field.shape)
        for name, field in LAYOUT.items()
    }


def highs() -> Vector:
    """The highest value of every number of the vector."""
    high = np.empty(SIZE, np.int8)
    for field in LAYOUT.values():
        high[field.slice] = field.high
    return high


def drawers(card: Card) -> Vector:
    """A card as it lies, from the top: for each drawer its color and its handle as ones."""
    ones = np.zeros(_DRAWERS, np.int8)
    for height, (color, handle) in enumerate(card.drawers):
        ones[height, COLORS.index(color)] = 1
        if handle is not None:
            ones[height, len(COLORS) + HANDLES.index(handle)] = 1
    return ones


def encode(view: View, *, tallies: bool = True) -> Vector:
    """The vector of a view; without `tallies` that field, which takes a while to count, is 0."""
    seat = view.seat
    if seat is None:
        raise ValueError("view: found a spectator's; expected the view of a seat")
    vector = np.zeros(SIZE, np.int8)
    into = fields(vector)
    into["mode"][MODES.index(view.mode)] = 1
    into["players"][len(view.boards) - 1] = 1
    into["objectives"][[number - 1 for number in view.objective_numbers]] = 1
    into["round"][view.round] = 1
    into["pile"][0], into["discards"][0] = view.pile, view.discards
    own_hands = view.hands[seat] or ()
    if view.choice is not None:
        into["choice"][0] = action_of(view.choice, view.hand) + 1
    for slot, number in enumerate(view.hand):
        into["hand_drawers"][slot] = drawers(view.edition.card(number))
        into["hand_cards"][slot] = number
    for slot, number in enumerate(view.left_over[-1] if view.left_over else ()):
        into["passed"][slot] = number
    _see(into["seen"], (number for hand in own_hands for number in hand))
    for place in range(len(view.boards)):
        who = (seat + place) % len(view.boards)
        board = view.boards[who]
        into["sealed"][place] = view.sealed[who]
        into["swaps"][place] = view.swaps[who]
        for column, laid in enumerate(board):
            into["board_drawers"][place, column] = drawers(_as_laid(laid, view.edition))
        numbers = [laid.card for laid in board if isinstance(laid.card, int)]
        into["board_cards"][place, : len(numbers)] = numbers
        _see(into["seen"], numbers)
        if tallies:
            into["tallies"][place] = tally(board, view.objectives, view.edition)
    return vector


def mask(view: View) -> Vector:
    """A 1 for every action that the seat of a view may choose from."""
    legal = np.zeros(ACTIONS, np.int8)
    legal[list(legal_actions(view))] = 1
    return legal


def _see(seen: Vector, numbers: Iterable[int]) -> None:
    for number in numbers:
        seen[number - 1] = 1


def _as_laid(laid: Laid, edition: Edition) -> Card:
    card = laid.card if isinstance(laid.card, Card) else edition.card(laid.card)
    return card.turn() if laid.turned else card
