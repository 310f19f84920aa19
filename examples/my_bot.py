"""A bot of your own: one function that gets a View and a Random and returns a Move.

In this folder, let it play on the command line against a built-in bot:

    sideboards simulate --players 2 --games 100 --out games --bots my_bot:choose,greedy

The idea: greedy play has the most points now, but ends with boards on which nothing more fits.
This bot also looks one card ahead. It asks of every board it could have after this move what the
best next card would add, on average over a few cards that it has not seen yet.
"""

# %% What a bot sees is a View: open boards, the own hands so far, no hidden card.
from random import Random

from sideboards import Laid, Move, Place, Start, Swap, Undo, View, tally
from sideboards.core.board import Board
from sideboards.core.edition import CARDS

LOOKED_AT = 6
"""How many unseen cards the bot thinks of for every move. More is slower, and a little better."""
WEIGHT = 0.8
"""A card that may come counts less than one that lies."""


# %% The value of a board: what its combinations and rows pay. The bonus is left out, because it
# depends on what the others will do.
def worth(view: View, board: Board) -> int:
    """The points of a board without bonus and swap card."""
    color, handle, _ = view.objectives
    counted = tally(board, view.objectives, view.edition)
    return counted.color * color.points + counted.handle * handle.points + counted.row * 2


def after(board: Board, move: Move) -> Board:
    """The own board after a move."""
    match move:
        case Start(left, right):
            return (left, right)
        case Place(laid, "left"):
            return (laid, *board)
        case Place(laid):
            return (*board, laid)
        case Swap() | Undo():
            return board


# %% One card ahead: the best of the four ways to lay it, averaged over the cards looked at.
def hope(view: View, board: Board, cards: list[int]) -> float:
    """What one more card would make of this board, on average."""
    if len(board) == 8:
        return float(worth(view, board))
    best = [
        max(
            worth(view, grown)
            for turned in (False, True)
            for laid in [Laid(card, turned)]
            for grown in ((laid, *board), (*board, laid))
        )
        for card in cards
    ]
    return sum(best) / len(best)


def unseen(view: View) -> list[int]:
    """The cards that neither lie on a board nor were ever in the own hand."""
    own = view.hands[view.seat] if view.seat is not None else None
    known = {card for hand in own or () for card in hand}
    known |= {laid.card for board in view.boards for laid in board if isinstance(laid.card, int)}
    return [card for card in range(1, CARDS + 1) if card not in known]


# %% The bot. Among the moves with the most points now, plus what may come, take the best one.
def choose(view: View, rng: Random) -> Move:
    """Look at the points now and at what one more card could add; never swap."""
    board = view.boards[view.seat or 0]
    cards = rng.sample(unseen(view), LOOKED_AT)
    values: list[tuple[float, Move]] = []
    for option in view.options:
        if isinstance(option.move, Swap):
            continue
        then = after(board, option.move)
        now = worth(view, then)
        values.append((now + WEIGHT * (hope(view, then, cards) - now), option.move))
    best = max(value for value, _ in values)
    return rng.choice([move for value, move in values if value == best])
