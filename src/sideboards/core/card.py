"""Cards: five drawers one above the other, written ``RfTPsOBb`` from top to bottom."""

from dataclasses import dataclass, field
from struct import Struct
from typing import Literal, NamedTuple

from sideboards.core.refusal import Refusal, quoted

Color = Literal["red", "turquoise", "pink", "orange", "black"]
Handle = Literal["flower", "square", "bar"]

COLORS: tuple[Color, ...] = ("red", "turquoise", "pink", "orange", "black")
HANDLES: tuple[Handle, ...] = ("flower", "square", "bar")
HEIGHTS = 5
"""Drawers of a card. Heights run from 0 at the top to 4."""
COLUMNS = 8
"""Cards of a finished board. Columns run from 0 at the left."""

COLOR_LETTERS: dict[str, Color] = {color[0].upper(): color for color in COLORS}
HANDLE_LETTERS: dict[str, Handle] = {handle[0]: handle for handle in HANDLES}

TRACK_BITS = 32
"""Room for a track in a number that holds all 8 tracks: as much as is read at once."""
Tracks = tuple[int, ...]
"""Tracks as numbers to the base 5, the leftmost card first: the 5 colors, then the 3 handles."""

_TRACKS = Struct("<8I")


class Drawer(NamedTuple):
    """One drawer of a card: its color, and its handle if it has one."""

    color: Color
    handle: Handle | None

    def __str__(self) -> str:
        return self.color[0].upper() + (self.handle[0] if self.handle else "")


@dataclass(frozen=True, slots=True)
class Card:
    """Five drawers, one of each color, three of them with a handle, one of each shape (R1).

    `upright` and `turned` hold the heights of the 5 colors and 3 handles, `TRACK_BITS` each.
    """

    drawers: tuple[Drawer, ...]
    upright: int = field(init=False, repr=False, compare=False)
    turned: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        colors = [drawer.color for drawer in self.drawers]
        handles = [drawer.handle for drawer in self.drawers]
        if sorted(colors) != sorted(COLORS):
            raise Refusal(
                f"card {quoted(str(self))} shows {', '.join(colors) or 'nothing'}; "
                f"expected each of {', '.join(COLORS)} once"
            )
        for handle in HANDLES:
            if handles.count(handle) != 1:
                raise Refusal(
                    f"card {quoted(str(self))} has {handles.count(handle)} {handle} handles; "
                    f"expected each of {', '.join(HANDLES)} once"
                )
        heights = (*map(colors.index, COLORS), *map(handles.index, HANDLES))
        upright = sum(height << TRACK_BITS * i for i, height in enumerate(heights))
        bottom = sum(HEIGHTS - 1 << TRACK_BITS * i for i in range(len(heights)))
        object.__setattr__(self, "upright", upright)
        object.__setattr__(self, "turned", bottom - upright)

    def __str__(self) -> str:
        return "".join(map(str, self.drawers))

    def turn(self) -> "Card":
        """The same card, turned by 180°."""
        return Card(self.drawers[::-1])


def parse_card(text: str) -> Card:
    """The card spelled out in `text`: a capital for each color, its handle behind it.

    >>> parse_card("RfTPsOBb").drawers[0]
    Drawer(color='red', handle='flower')
    """
    drawers: list[Drawer] = []
    for position, letter in enumerate(text, 1):
        if letter in COLOR_LETTERS:
            drawers.append(Drawer(COLOR_LETTERS[letter], None))
        elif letter in HANDLE_LETTERS and drawers and drawers[-1].handle is None:
            drawers[-1] = Drawer(drawers[-1].color, HANDLE_LETTERS[letter])
        else:
            raise Refusal(
                f"card {quoted(text)}: found {quoted(letter)} as sign {position}; expected colors "
                f"{' '.join(COLOR_LETTERS)}, each followed by its handle f, s or b if it has one"
            )
    if len(drawers) != HEIGHTS:
        raise Refusal(
            f"card {quoted(text)} has {len(drawers)} drawers; expected {HEIGHTS}, "
            "spelled out as in RfTPsOBb"
        )
    return Card(tuple(drawers))


def unpacked(packed: int) -> Tracks:
    """The 8 tracks of a board, or heights of a card, in a packed number."""
    return _TRACKS.unpack(packed.to_bytes(_TRACKS.size, "little"))
