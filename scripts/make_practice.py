"""Writes data/practice.txt: the deal of everybody's first table, on which the first steps work.

Any two cards of the first hand, taken as they are, make exactly one handle combination; the first
two, in the order of the hand, two flowers on a diagonal and a red row. The card drawn next, laid
to the right, makes the first color combination and the red row longer.

Example: python -m scripts.make_practice
"""

from collections.abc import Iterator
from itertools import permutations
from pathlib import Path
from random import Random

from sideboards import Laid, Record, Setup, Tally, format_record, load_edition, tally
from sideboards.core.edition import CARDS
from sideboards.core.marks import marks

FILE = Path(__file__).parents[1] / "src" / "sideboards" / "data" / "practice.txt"
SEED = 30
SEATS = 2
DEALT = 3
EDITION = load_edition()
NUMBERS = EDITION.suggestions[0]
OBJECTIVES = EDITION.objectives(NUMBERS)


def practice() -> str:
    """The record of the deal, without a move."""
    rng = Random(SEED)
    cards = rng.sample(range(1, CARDS + 1), CARDS)
    hand, drawn = next(_openings(cards))
    rest = [card for card in cards if card not in (*hand, drawn)]
    other = rest[:DEALT]
    deck = (*hand, *other, drawn, *rest[DEALT:])
    refill = tuple(rng.sample(range(1, CARDS + 1), CARDS))
    return format_record(Record(Setup(EDITION, "standard", SEATS, NUMBERS, deck, refill), ()))


def _openings(cards: list[int]) -> Iterator[tuple[tuple[int, ...], int]]:
    """Hands whose first steps work, with the card that is drawn next."""
    for hand in permutations(cards, DEALT):
        left, right, _ = hand
        if not _starts_well(left, right):
            continue
        pairs = [(hand[a], hand[b]) for a in range(DEALT) for b in range(DEALT) if a != b]
        if not all(_counted(*pair).handle == 1 for pair in pairs):
            continue
        for drawn in cards:
            if drawn not in hand and _goes_on_well(left, right, drawn):
                yield hand, drawn


def _starts_well(left: int, right: int) -> bool:
    found = marks((Laid(left), Laid(right)), OBJECTIVES, EDITION).handle.combinations
    flowers = [
        all(
            EDITION.card((left, right)[column]).drawers[height].handle == "flower"
            for column, height in drawers
        )
        for drawers in found
    ]
    return flowers == [True] and _counted(left, right).row == 2


def _goes_on_well(left: int, right: int, drawn: int) -> bool:
    before, after = _counted(left, right), _counted(left, right, drawn)
    return after.color == before.color + 1 and after.row == before.row + 1


def _counted(*cards: int) -> Tally:
    return tally(tuple(map(Laid, cards)), OBJECTIVES, EDITION)


def main() -> None:
    """Write the file."""
    FILE.write_text(practice())


if __name__ == "__main__":
    main()
