"""The measures of a sideboard that go with the pitch of its drawers."""

from typing import NamedTuple

from sideboards.core.card import HEIGHTS


class Pitch(NamedTuple):
    """How far the drawers of neighbouring cards are apart: across, and down."""

    w: float
    h: float

    @property
    def k(self) -> float:
        """How large all is, measured by a desk's."""
        return self.h / 44

    @property
    def stile(self) -> float:
        """The wood at the sides of a card."""
        return max(1.7, 4.4 * self.k)

    @property
    def rail(self) -> float:
        """The wood above and below the drawers of a card."""
        return max(2.4, 5.2 * self.k)

    @property
    def gap(self) -> float:
        """What is dark between two fronts."""
        return max(1.2, 2 * self.k)

    @property
    def card_height(self) -> float:
        """A card with its carcass."""
        return HEIGHTS * self.h + 2 * self.rail

    @property
    def plank(self) -> float:
        """The height of the top board."""
        return max(4, 7 * self.k)

    @property
    def plinth(self) -> float:
        """The height of the board that the legs carry."""
        return max(3, 5 * self.k)

    @property
    def legs(self) -> float:
        """The height of the legs."""
        return 26 * self.k

    @property
    def handle(self) -> float:
        """The side of a handle's square."""
        return min(max(13.5, 22 * self.k), 0.36 * self.w, 0.8 * self.h)


DESK = Pitch(64, 44)
