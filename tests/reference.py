"""A second, plain reading of the rules, written from RULES.md without using the engine.

It is slow and simple on purpose: boards are lists of columns of (color, handle) pairs,
combinations are sets of cells, and the best choice of them is searched by trying all.
"""

import json
from pathlib import Path
from typing import Any

COLOR = {"R": "red", "T": "turquoise", "P": "pink", "O": "orange", "B": "black"}
HANDLE = {"f": "flower", "s": "square", "b": "bar"}
FILE = Path(__file__).parents[1] / "src" / "sideboards" / "data" / "edition.json"
MATERIAL = json.loads(FILE.read_text())

Column = list[tuple[str, str | None]]
Cell = tuple[int, int]
Data = dict[str, Any]


def column(text: str) -> Column:
    """The drawers of ``17~`` or ``RfTPsOBb~``, top first, as they lie."""
    turned = text.endswith("~")
    name = text.rstrip("~")
    letters = MATERIAL["cards"].get(name, name)
    drawers: Column = []
    for letter in letters:
        if letter in COLOR:
            drawers.append((COLOR[letter], None))
        else:
            drawers[-1] = (drawers[-1][0], HANDLE[letter])
    return drawers[::-1] if turned else drawers


def board(text: str) -> list[Column]:
    return [column(word) for word in text.split()]


def positions(cells: list[Cell], *, half: bool) -> list[list[Cell]]:
    """All turned and mirrored positions of a pattern, each moved to the corner."""
    found: list[list[Cell]] = []
    for mirrored in (False, True):
        shape = [(-x, y) if mirrored else (x, y) for x, y in cells]
        for quarter in range(4):
            if not (half and quarter % 2):
                left = min(x for x, _ in shape)
                top = min(y for _, y in shape)
                moved = sorted((x - left, y - top) for x, y in shape)
                if moved not in found:
                    found.append(moved)
            shape = [(-y, x) for x, y in shape]
    return found


def places(columns: list[Column], pattern: Data, value: str) -> list[set[Cell]]:
    """Every place where the pattern fits with this color or handle, overlapping or not."""
    which = 0 if pattern["kind"] == "color" else 1
    alike = {
        (x, y)
        for x, drawers in enumerate(columns)
        for y, drawer in enumerate(drawers)
        if drawer[which] == value
    }
    found: list[set[Cell]] = []
    cells = [(x, y) for x, y in pattern["cells"]]
    for shape in positions(cells, half=pattern.get("turns") == "half"):
        for x in range(len(columns)):
            for y in range(5):
                place = {(x + a, y + b) for a, b in shape}
                if place <= alike and place not in found:
                    found.append(place)
    return found


def most_disjoint(found: list[set[Cell]]) -> int:
    """The size of the largest choice of places that share no drawer: tries all."""
    if not found:
        return 0
    first, rest = found[0], found[1:]
    taken = 1 + most_disjoint([place for place in rest if not place & first])
    if all(not place & first for place in rest):
        return taken
    return max(taken, most_disjoint(rest))


def combinations(columns: list[Column], pattern: Data) -> int:
    values = COLOR.values() if pattern["kind"] == "color" else HANDLE.values()
    return sum(most_disjoint(places(columns, pattern, value)) for value in values)


def runs(columns: list[Column], of: str) -> list[tuple[int, str, int]]:
    """All unbroken horizontal runs: (height, value, length)."""
    which = 0 if of == "color" else 1
    found = []
    for y in range(5):
        line = [drawers[y][which] for drawers in columns]
        x = 0
        while x < len(line):
            length = 1
            while x + length < len(line) and line[x + length] == line[x]:
                length += 1
            value = line[x]
            if value is not None:
                found.append((y, value, length))
            x += length
    return found


def row_length(columns: list[Column], row: Data) -> int:
    found = runs(columns, row["of"])
    if "rows" in row:
        return sum(max((n for y, _, n in found if y == row_), default=0) for row_ in row["rows"])
    if "only" in row:
        return max((n for _, value, n in found if value == row["only"]), default=0)
    lengths = sorted((n for _, _, n in found), reverse=True)
    return sum(lengths[: 2 if row["runs"] == "two longest" else 1])


def objective(number: int) -> Data:
    found: Data = MATERIAL["objectives"][number - 1]
    return found


def totals(boards: list[str], numbers: list[int], mode: str, unused: list[bool]) -> list[int]:
    """Everybody's points at the end."""
    color, handle, row = (objective(number) for number in numbers)
    tables = [board(text) for text in boards]
    lengths = [row_length(columns, row) for columns in tables]
    found = []
    for columns, length, kept in zip(tables, lengths, unused, strict=True):
        points: int = combinations(columns, color) * color["points"]
        points += combinations(columns, handle) * handle["points"]
        points += 2 * length + bonus(length, lengths, numbers[2], mode)
        found.append(points + (1 if kept and mode != "variant" else 0))
    return found


def bonus(length: int, lengths: list[int], number: int, mode: str) -> int:
    if mode == "solo":
        steps = [(4, 2), (6, 4), (8, 8)] if 17 <= number <= 26 else [(7, 2), (9, 4), (11, 8)]
        return max((points for least, points in steps if length >= least), default=0)
    if length == 0:
        return 0
    ladder = {2: [4], 3: [8, 4]}.get(len(lengths), [8, 4, 2])
    different = sorted(set(lengths), reverse=True)
    place = different.index(length)
    return ladder[place] if place < len(ladder) else 0


class Table:
    """A game on a real table: hands, boards and piles as lists, moved as the rules say."""

    def __init__(self, mode: str, seats: int, deck: list[int], refill: list[int]) -> None:
        self.mode = mode
        self.pile, self.refill = list(deck), refill
        self.discards: list[int] = []
        size = 4 if mode == "variant" else 3
        self.hands = [[self.pile.pop(0) for _ in range(size)] for _ in range(seats)]
        self.boards: list[list[str]] = [[] for _ in range(seats)]
        self.swap = [mode != "variant"] * seats

    def card(self, *, bottom: bool) -> int:
        if not self.pile:
            self.pile = [card for card in self.refill if card in self.discards]
            self.discards = []
        return self.pile.pop(-1 if bottom else 0)

    def play(self, moves: list[tuple[int, str]]) -> None:
        """All moves of a finished game, swaps and placements as recorded."""
        chosen: dict[int, str] = {}
        for seat, move in moves:
            if move == "swap":
                assert self.swap[seat]
                assert self.boards[seat]
                new = [self.card(bottom=True), self.card(bottom=True)]
                self.discards += self.hands[seat]
                self.hands[seat], self.swap[seat] = new, False
            else:
                chosen[seat] = move
            if len(chosen) == len(self.hands):
                self.close(chosen)
                chosen = {}
        assert not chosen

    def close(self, chosen: dict[int, str]) -> None:
        for seat, move in chosen.items():
            words = move.split(",") if "," in move else [move[1:]]
            for word in words:
                self.hands[seat].remove(int(word.rstrip("~")))
            if "," in move:
                assert not self.boards[seat]
                self.boards[seat] = words
            elif move[0] == "L":
                self.boards[seat].insert(0, words[0])
            else:
                self.boards[seat].append(words[0])
        seats = len(self.hands)
        if len(self.boards[0]) == 8 or seats == 1:
            for hand in self.hands:
                self.discards += hand
                hand.clear()
        if len(self.boards[0]) == 8:
            return
        self.hands = [self.hands[seat - 1] for seat in range(seats)]
        for hand in self.hands:
            hand += [self.card(bottom=False) for _ in range(2 if self.mode == "solo" else 1)]
