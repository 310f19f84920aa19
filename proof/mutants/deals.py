"""Planted bugs in how cards are dealt."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from hashlib import sha256

from sideboards.core import fair
from sideboards.core.edition import Edition
from sideboards.core.fair import fair_setup
from sideboards.core.game import Setup
from sideboards.service import room
from sideboards.service.log import Event
from sideboards.service.room import Room


def choose_seed_late() -> None:
    """The server takes another seed once it knows those of the seats, and a commitment to it."""
    dealt = Room._deal

    def deal(self: Room, fixed: str) -> None:
        self.seed = sha256(self.seed.encode()).hexdigest()
        dealt(self, fixed)

    Room._deal = deal  # type: ignore[method-assign] # that is the bug


def deal_other_cards() -> None:
    """The two topmost cards change places after the seeds have decided."""

    def setup(key: bytes, edition: Edition, rules: str) -> Setup:
        decided = fair_setup(key, edition, rules)
        first, second, *rest = decided.deck
        return replace(decided, deck=(second, first, *rest))

    room.fair_setup = setup  # type: ignore[attr-defined] # that is the bug


def forget_a_seed() -> None:
    """What the first seat opens is not heard."""
    arrange = Room._arrange

    def deaf(self: Room, word: str, event: Event, said: str) -> None:
        if word != "open" or event.seat != 0:
            arrange(self, word, event, said)

    Room._arrange = deaf  # type: ignore[method-assign] # that is the bug


def prefer_some_places() -> None:
    """A place is drawn with the smallest numbers that hold it, and so some come more often."""

    def place(words: Iterator[int], places: int) -> int:
        return next(words) % 64 % places

    fair.place = place  # that is the bug


MUTANTS: dict[str, Callable[[], None]] = {
    "seed chosen late": choose_seed_late,
    "other cards dealt": deal_other_cards,
    "honest seat called silent": forget_a_seed,
    "biased shuffle": prefer_some_places,
}
