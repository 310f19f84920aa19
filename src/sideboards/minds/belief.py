"""Beliefs: where the cards are, as far as a seat can know it from what it has seen."""

from dataclasses import dataclass

from sideboards.core.edition import CARDS
from sideboards.core.game import Swap, cards
from sideboards.core.view import View


@dataclass(frozen=True, slots=True)
class Belief:
    """What the seat of a view can tell for certain about cards that do not lie on the table."""

    hands: tuple[tuple[int, ...], ...]
    """By seat: the cards that are certainly in its hand; the own hand is complete."""
    gone: tuple[int, ...]
    """Cards that are certainly among the discards."""
    unseen: tuple[int, ...]
    """Cards of which nothing is known: in a hand, in the pile or among the discards."""


def belief(view: View) -> Belief:
    """What the seat of `view` knows: cards that it passed on stay known until they are laid.

    A card that was passed to the left is laid in the open, thrown with a swap that all see, or
    passed on once more; so its place is always certain.
    """
    seats, me = len(view.boards), view.seat
    if me is None:
        raise ValueError("a spectator holds no cards")
    own_hands = iter(view.hands[me] or ())
    known: list[set[int]] = [set() for _ in range(seats)]
    known[me] = set(next(own_hands))
    gone: set[int] = set()
    laid = 0
    for seat, move in view.played:
        if isinstance(move, Swap):
            gone |= known[seat]
            known[seat] = set(next(own_hands)) if seat == me else set()
            continue
        known[seat] -= set(cards(move))
        laid += 1
        if laid % seats == 0:
            if view.mode == "solo":
                gone |= known[me]
            else:
                known = [known[each - 1] for each in range(seats)]
            known[me] = set(next(own_hands))
    gone -= set().union(*known)  # a refill may have brought some of them back
    on_table = {each.card for board in view.boards for each in board}
    gone = {card for card in gone if card not in on_table}
    seen = on_table | gone.union(*known)
    return Belief(
        hands=tuple(
            view.hand if seat == me else tuple(sorted(known[seat])) for seat in range(seats)
        ),
        gone=tuple(sorted(gone)),
        unseen=tuple(card for card in range(1, CARDS + 1) if card not in seen),
    )
