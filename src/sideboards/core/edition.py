"""Editions: the material of the game as data (cards, objectives, suggestions), checked (R1–R4)."""

import hashlib
from dataclasses import dataclass, field

from sideboards.core.card import COLORS, COLUMNS, HANDLES, HEIGHTS, Card, Color, Handle, parse_card
from sideboards.core.objective import Kind, Objective, Objectives, Pattern, Rows
from sideboards.core.reader import Cell
from sideboards.core.refusal import Refusal, quoted
from sideboards.core.strict import Node, read_json

FORMAT = "sideboards-edition-1"
CARDS = 60
Numbers = tuple[int, int, int]
"""The numbers of three objectives: color, handle, row."""

NUMBERS: dict[Kind, range] = {"color": range(1, 8), "handle": range(8, 15), "row": range(15, 31)}
FIRST_ROW = NUMBERS["row"][0]


ROW_SORTS: dict[int, Rows] = {
    15: Rows("color", "two longest"),
    16: Rows("handle", "two longest"),
    17: Rows("color", "longest"),
    18: Rows("handle", "longest"),
    **{19 + i: Rows("color", "longest", only=color) for i, color in enumerate(COLORS)},
    **{24 + i: Rows("handle", "longest", only=handle) for i, handle in enumerate(HANDLES)},
    27: Rows("color", "longest in each row", rows=(0, 3)),
    28: Rows("handle", "longest in each row", rows=(0, 3)),
    29: Rows("color", "longest in each row", rows=(1, 2)),
    30: Rows("handle", "longest in each row", rows=(1, 2)),
}
"""What each row number counts; an edition may choose another color, handle or other rows (R4)."""


@dataclass(frozen=True, slots=True)
class Edition:
    """The material of one box. Two editions are equal when their files are."""

    name: str
    sha256: str
    about: str = field(compare=False, repr=False)
    cards: tuple[Card, ...] = field(compare=False, repr=False)
    patterns: tuple[Pattern, ...] = field(compare=False, repr=False)
    rows: tuple[Rows, ...] = field(compare=False, repr=False)
    suggestions: tuple[Numbers, ...] = field(compare=False, repr=False)
    upright: tuple[int, ...] = field(init=False, compare=False, repr=False)
    turned: tuple[int, ...] = field(init=False, compare=False, repr=False)
    """The heights of every card as `Card` packs them; by number, so 0 stands for none."""
    columns: tuple[tuple[int, int], ...] = field(init=False, compare=False, repr=False)
    """The same in pairs: as it is, and turned."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "upright", (0, *(card.upright for card in self.cards)))
        object.__setattr__(self, "turned", (0, *(card.turned for card in self.cards)))
        object.__setattr__(self, "columns", tuple(zip(self.upright, self.turned, strict=True)))

    def card(self, number: int) -> Card:
        """The card with this number, 1 to 60."""
        return self.cards[number - 1]

    def objectives(self, numbers: Numbers) -> Objectives:
        """The objectives with these numbers: a color pattern, a handle pattern, a row (R6)."""
        check_numbers(numbers)
        color, handle, row = numbers
        return self.patterns[color - 1], self.patterns[handle - 1], self.rows[row - FIRST_ROW]


def check_numbers(numbers: tuple[int, ...]) -> None:
    """Refuse numbers that are not one objective of each kind, in the order color, handle, row."""
    if len(numbers) != len(NUMBERS):
        raise Refusal(f"found {len(numbers)} objectives; expected 3: color, handle, row")
    for number, (kind, range_) in zip(numbers, NUMBERS.items(), strict=True):
        if type(number) is not int or number not in range_:
            raise Refusal(
                f"found {quoted(number)} as the {kind} objective; "
                f"expected a number from {range_[0]} to {range_[-1]}"
            )


def parse_edition(data: bytes) -> Edition:
    """The edition in the bytes of an edition file; refuses what R4 does not allow."""
    fields = read_json(data).fields(
        {"format", "name", "cards", "objectives", "suggestions"}, {"about"}
    )
    fields["format"].choice(FORMAT)
    objectives = _parse_objectives(fields["objectives"])
    return Edition(
        name=fields["name"].line(60),
        sha256=hashlib.sha256(data).hexdigest(),
        about=fields["about"].line(2000) if "about" in fields else "",
        cards=_parse_cards(fields["cards"]),
        patterns=tuple(o for o in objectives if isinstance(o, Pattern)),
        rows=tuple(o for o in objectives if isinstance(o, Rows)),
        suggestions=tuple(
            _parse_suggestion(node) for node in fields["suggestions"].items(0, 100, "suggestions")
        ),
    )


def parse_pattern(node: Node) -> Pattern:
    """An objective written out: its kind, cells, points and, if not "quarter", its turns."""
    return _pattern(node.fields({"kind", "cells", "points"}, {"turns"}), number=None)


def _parse_cards(node: Node) -> tuple[Card, ...]:
    fields = node.fields({str(number) for number in range(1, CARDS + 1)})
    cards: list[Card] = []
    for number in range(1, CARDS + 1):
        where = fields[str(number)]
        try:
            card = parse_card(where.text())
        except Refusal as refusal:
            raise Refusal(f"{where.place}: {refusal}") from None
        for same in (card, card.turn()):
            if same in cards:
                where.refuse(f"the same card as {cards.index(same) + 1}", "60 different cards")
        cards.append(card)
    return tuple(cards)


def _parse_objectives(node: Node) -> list[Objective]:
    last = NUMBERS["row"][-1]
    found: dict[int, Objective] = {}
    for item in node.items(last, last, "objectives"):
        required = {"number", "kind"}
        optional = {"name", "cells", "points", "turns", "of", "runs", "only", "rows"}
        number = item.fields(required, optional)["number"]
        value = number.whole(1, last)
        if value in found:
            number.refuse(f"objective {value} stands twice", f"each of 1 to {last} once")
        if value < FIRST_ROW:
            fields = item.fields({*required, "cells", "points"}, {"name", "turns"})
            found[value] = _pattern(fields, number=value)
        else:
            found[value] = _rows(item, number=value)
    return [found[number] for number in sorted(found)]


def _pattern(fields: dict[str, Node], number: int | None) -> Pattern:
    match number:
        case None:
            kinds: tuple[str, ...] = ("color", "handle")
        case _:
            kinds = tuple(kind for kind, numbers in NUMBERS.items() if number in numbers)
    cells: list[Cell] = []
    for cell in fields["cells"].items(2, HEIGHTS, "cells"):
        column, height = cell.items(2, 2, "numbers (column, height)")
        cells.append((column.whole(0, COLUMNS - 1), height.whole(0, HEIGHTS - 1)))
        if len({column for column, _ in cells}) < len(cells):
            cell.refuse(f"a second cell in column {cells[-1][0]}", "one cell per column")
    leftmost, highest = (min(place) for place in zip(*cells, strict=True))
    turns = fields["turns"].choice("half", "quarter") if "turns" in fields else "quarter"
    return Pattern(
        kind="color" if fields["kind"].choice(*kinds) == "color" else "handle",
        cells=tuple(sorted((column - leftmost, height - highest) for column, height in cells)),
        points=fields["points"].whole(1, 1000),
        turns="half" if turns == "half" else "quarter",
        number=number,
        name=fields["name"].line(40) if "name" in fields else "",
    )


def _rows(node: Node, number: int) -> Rows:
    """A row objective: of its number's own sort, with a color, handle or rows of its own."""
    sort = ROW_SORTS[number]
    more = {"only"} if sort.only else {"rows"} if sort.rows else set()
    fields = node.fields({"number", "kind", "of", "runs", *more}, {"name"})
    fields["kind"].choice("row")
    fields["of"].choice(sort.of)
    fields["runs"].choice(sort.runs)
    only: Color | Handle | None = None
    if sort.only:
        names: tuple[Color | Handle, ...] = COLORS if sort.of == "color" else HANDLES
        only = names[names.index(fields["only"].choice(*names))]
    rows: list[int] = []
    for row in fields["rows"].items(2, 2, "rows") if sort.rows else ():
        rows.append(row.whole(0, HEIGHTS - 1))
        if len(set(rows)) < len(rows):
            row.refuse(f"row {rows[-1]} stands twice", "two different rows")
    return Rows(sort.of, sort.runs, only, tuple(sorted(rows)), number)


def _parse_suggestion(node: Node) -> Numbers:
    numbers = [number.whole(1, 30) for number in node.items(3, 3, "objectives")]
    color, handle, row = numbers
    try:
        check_numbers((color, handle, row))
    except Refusal as refusal:
        raise Refusal(f"{node.place}: {refusal}") from None
    return color, handle, row
