"""Par: the best that a solo deal allows to somebody who knows the whole deck."""

from dataclasses import dataclass

import numpy as np

from sideboards.core.board import Laid
from sideboards.core.game import LAST_ROUND, End, Move, Place, Setup, Start, Swap
from sideboards.core.refusal import Refusal
from sideboards.fast.engine import material
from sideboards.fast.par import best_line, ceilings

_DEALT, _DRAWN = 3, 2


@dataclass(frozen=True, slots=True)
class Par:
    """The highest total of a solo deal, and one line that reaches it."""

    total: int
    moves: tuple[Move, ...]


def par(setup: Setup) -> Par:
    """The exact par of a solo deal: all placements and all moments for the swap are tried."""
    if setup.mode != "solo":
        raise Refusal(f"par: found a {setup.mode} game; expected a solo game")
    deck = setup.deck
    hands = np.zeros((LAST_ROUND + 1, _DEALT), np.int64)
    hands[0] = deck[:_DEALT]
    for round_ in range(1, LAST_ROUND + 1):
        top = _DEALT + (round_ - 1) * _DRAWN
        hands[round_, :_DRAWN] = deck[top : top + _DRAWN]
    pair = np.array(deck[: -_DRAWN - 1 : -1])
    line = np.zeros(LAST_ROUND + 1, np.int64)
    cards = material(setup.edition, setup.objectives).cards
    most = ceilings(setup.edition, setup.objectives)
    total = best_line(hands, pair, cards, most, line)
    return Par(total, _moves(setup, [int(choice) for choice in line]))


def _moves(setup: Setup, line: list[int]) -> tuple[Move, ...]:
    deck, (start, *choices) = setup.deck, line
    out, turns = divmod(start, 4)
    left, right = deck[(out + 1) % _DEALT], deck[(out + 2) % _DEALT]
    moves: list[Move] = [Start(Laid(left, turns >= 2), Laid(right, turns % 2 == 1))]
    for i, choice in enumerate(choices):
        slot, way = divmod(choice, 4)
        if slot >= _DRAWN:
            moves.append(Swap())
            card = deck[-1 - (slot - _DRAWN)]
        else:
            card = deck[_DEALT + i * _DRAWN + slot]
        end: End = "right" if way >= 2 else "left"
        moves.append(Place(Laid(card, way % 2 == 1), end))
    return tuple(moves)
