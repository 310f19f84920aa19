"""Actions: every move as one small number, the same numbers in all environments and modes.

An action names hand slots, not cards, so 62 numbers are enough for all 60 cards:

======== =========================================================================================
0 – 47   start: an ordered pair of the hand slots 0–3 (left card, right card), in the order of
         `PAIRS`, times four: none turned, right turned, left turned, both turned
48 – 59  place: ``48 + 4 * slot + 2 * right + turned``, slots 0–2; `right` is the right end
60       swap both hand cards
61       wait: the only action of a seat that has sealed its choice while others still choose
======== =========================================================================================

A sealed choice cannot be taken back here: there is no action for ``undo``.
"""

from itertools import permutations
from typing import Final

from sideboards.core.board import Laid
from sideboards.core.game import Choice, Hand, Move, Place, Start, Swap, choices
from sideboards.core.refusal import Refusal, quoted
from sideboards.core.view import View

SLOTS = 4
"""The most cards in a hand: the start of the variant."""
PAIRS: tuple[tuple[int, int], ...] = tuple(
    (left, right) for left, right in permutations(range(SLOTS), 2)
)
"""The slots of the left and the right card, by start action // 4."""

FIRST_PLACE: Final = 4 * len(PAIRS)
SWAP: Final = FIRST_PLACE + 4 * (SLOTS - 1)
WAIT: Final = SWAP + 1
ACTIONS: Final = WAIT + 1

START_3, START_4, PLACE_2, PLACE_2_OR_SWAP, PLACE_3, WAITING, OVER = range(7)
"""What a seat may do now; all that its mask depends on."""


def _legal(*actions: int) -> bytes:
    return bytes(action in actions for action in range(ACTIONS))


def _starts(cards: int) -> bytes:
    return _legal(*(a for a in range(FIRST_PLACE) if max(PAIRS[a // 4]) < cards))


def _places(cards: int, *more: int) -> bytes:
    return _legal(*range(FIRST_PLACE, FIRST_PLACE + 4 * cards), *more)


LEGAL: Final = (
    _starts(3),
    _starts(4),
    _places(2),
    _places(2, SWAP),
    _places(3),
    _legal(WAIT),
    _legal(),
)
"""For each of the situations above a byte per action: 1 when it is legal."""


def move_of(action: int, hand: Hand) -> Choice | Swap:
    """The move that an action means with this hand.

    >>> print(move_of(51, (17, 42)), move_of(4, (12, 8, 40)), move_of(60, (17, 42)))
    R17~ 12,40 swap
    """
    if action == SWAP:
        return Swap()
    if 0 <= action < FIRST_PLACE:
        pair, turns = divmod(action, 4)
        slots = PAIRS[pair]
        if max(slots) < len(hand):
            left, right = (hand[slot] for slot in slots)
            return Start(Laid(left, turns >= 2), Laid(right, turns % 2 == 1))
    elif FIRST_PLACE <= action < SWAP:
        slot, way = divmod(action - FIRST_PLACE, 4)
        if slot < len(hand):
            return Place(Laid(hand[slot], way % 2 == 1), "right" if way >= 2 else "left")
    raise Refusal(
        f"action: found {quoted(action)} with a hand of {len(hand)}; "
        f"expected a number from 0 to {SWAP} that names hand slots"
    )


def action_of(move: Move, hand: Hand) -> int:
    """The action that means `move` with this hand; it undoes `move_of`.

    >>> action_of(Place(Laid(17, True), "right"), (17, 42))
    51
    """
    match move:
        case Swap():
            return SWAP
        case Place(Laid(int(card), turned), end) if card in hand[: SLOTS - 1]:
            return FIRST_PLACE + 4 * hand.index(card) + 2 * (end == "right") + turned
        case Start(Laid(int(left)), Laid(int(right))) if left in hand and right in hand:
            pair = PAIRS.index((hand.index(left), hand.index(right)))
            return 4 * pair + 2 * move.left.turned + move.right.turned
    raise Refusal(f"move: found {move} with the hand {hand}; expected a choice from it or a swap")


def legal_actions(view: View) -> tuple[int, ...]:
    """The actions that the seat of a view may choose from; none when the game is over."""
    if view.seat is None or view.over:
        return ()
    if view.choice is not None:
        return (WAIT,)
    moves = choices(view.hand, start=view.round == 0, swap=view.swaps[view.seat])
    return tuple(action_of(move, view.hand) for move in moves)
