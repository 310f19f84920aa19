"""The measures of a sideboard that go with the pitch of its drawers, here and in the browser."""

from typing import NamedTuple

from sideboards.core.card import HEIGHTS


class Measure(NamedTuple):
    """So much on a desk, in proportion on other screens, but never less than can be seen."""

    desk: float
    least: float


MEASURES = {
    "stile": Measure(4.4, 1.7),
    "rail": Measure(5.2, 2.4),
    "gap": Measure(2, 1.2),
    "plank": Measure(7, 4),
    "overhang": Measure(4, 0),
    "plinth": Measure(5, 3),
    "legs": Measure(26, 0),
    "inset": Measure(20, 10),
    "radius": Measure(4, 2),
    "handle": Measure(22, 13.5),
}
HANDLE_SHARES = (0.36, 0.8)
"""How much of a drawer's width and height a handle takes at most."""
DESK_SIZE = (64, 44)


class Pitch(NamedTuple):
    """How far the drawers of neighbouring cards are apart: across, and down."""

    w: float
    h: float

    @property
    def k(self) -> float:
        """How large all is, measured by a desk's."""
        return self.h / DESK_SIZE[1]

    def _of(self, name: str) -> float:
        desk, least = MEASURES[name]
        return max(least, desk * self.k)

    @property
    def stile(self) -> float:
        """The wood at the sides of a card."""
        return self._of("stile")

    @property
    def rail(self) -> float:
        """The wood above and below the drawers of a card."""
        return self._of("rail")

    @property
    def gap(self) -> float:
        """What is dark between two fronts."""
        return self._of("gap")

    @property
    def card_height(self) -> float:
        """A card with its carcass."""
        return HEIGHTS * self.h + 2 * self.rail

    @property
    def plank(self) -> float:
        """The height of the top board."""
        return self._of("plank")

    @property
    def overhang(self) -> float:
        """How far the top board reaches over the sides."""
        return self._of("overhang")

    @property
    def plinth(self) -> float:
        """The height of the board that the legs carry."""
        return self._of("plinth")

    @property
    def legs(self) -> float:
        """The height of the legs."""
        return self._of("legs")

    @property
    def inset(self) -> float:
        """How far the outer legs stand inside."""
        return self._of("inset")

    @property
    def radius(self) -> float:
        """Of the corners of a card that lies alone."""
        return self._of("radius")

    @property
    def handle(self) -> float:
        """The side of a handle's square."""
        return min(self._of("handle"), HANDLE_SHARES[0] * self.w, HANDLE_SHARES[1] * self.h)


DESK = Pitch(*DESK_SIZE)
