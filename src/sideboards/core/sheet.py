"""Score sheets: boards from any table, also the printed game's, with the result of each (R34)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sideboards.core.board import Board
from sideboards.core.card import COLUMNS
from sideboards.core.edition import NUMBERS, Edition, parse_pattern
from sideboards.core.game import MOST_SEATS, State
from sideboards.core.notation import NAME_LENGTH, parse_board
from sideboards.core.objective import Feature, Kind, Objectives, Pattern
from sideboards.core.reader import Drawers
from sideboards.core.refusal import Refusal, quoted
from sideboards.core.scoring import (
    MODES,
    Explanation,
    Mode,
    Score,
    explain,
    final_scores,
    tier,
)
from sideboards.core.strict import Node, read_json


@dataclass(frozen=True, slots=True)
class Line:
    """One player's line: a name, a board of 0 to 8 cards, and whether the swap card was used."""

    name: str
    board: Board
    swap_used: bool = False


@dataclass(frozen=True, slots=True)
class Sheet:
    """The boards of one table, finished or not, and what they are scored by."""

    edition: Edition
    mode: Mode
    objectives: Objectives
    lines: tuple[Line, ...]

    @property
    def scores(self) -> tuple[Score, ...]:
        """Everybody's score if the game ended now."""
        return final_scores(
            [line.board for line in self.lines],
            self.objectives,
            self.edition,
            self.mode,
            [not line.swap_used for line in self.lines],
        )

    @property
    def explanations(self) -> tuple[Explanation, ...]:
        """The drawers behind everybody's score."""
        return tuple(explain(line.board, self.objectives, self.edition) for line in self.lines)


def sheet_of(state: State, names: Sequence[str]) -> Sheet:
    """The sheet of a game as it stands."""
    return Sheet(
        edition=state.setup.edition,
        mode=state.setup.mode,
        objectives=state.objectives,
        lines=tuple(
            Line(name, seat.board, swap_used=not seat.swap)
            for name, seat in zip(names, state.seats, strict=True)
        ),
    )


def parse_sheet(
    data: bytes, edition: Edition, load: Callable[[str], Edition] | None = None
) -> Sheet:
    """The sheet in a JSON request; `load` opens the edition it names, if that is allowed."""
    optional = {"edition"} if load else set[str]()
    fields = read_json(data).fields({"objectives", "mode", "players"}, optional)
    if load and "edition" in fields:
        path = fields["edition"].line(1000)
        try:
            edition = load(path)
        except Refusal as refusal:
            raise Refusal(f"edition: {refusal}") from None
    choice = fields["mode"].choice(*MODES)
    mode = next(mode for mode in MODES if mode == choice)
    fewest, most = (1, 1) if mode == "solo" else (2, MOST_SEATS)
    players = fields["players"].items(fewest, most, f"players in mode {mode}")
    lines = [_parse_line(player) for player in players]
    _check_cards_lie_once(lines)
    return Sheet(edition, mode, _parse_objectives(fields["objectives"], edition), tuple(lines))


def results(sheet: Sheet, titles: Sequence[str]) -> dict[str, object]:
    """The result of a sheet as plain data, for programs; `titles` are those of solo, best first."""
    scores = sheet.scores
    players = [
        {
            "name": line.name,
            "color": _combinations(score.tally.color, score.points.color, why.color),
            "handle": _combinations(score.tally.handle, score.points.handle, why.handle),
            "row": {
                "length": score.tally.row,
                "points": score.points.row,
                "runs": _cells(why.row),
            },
            "bonus": score.points.bonus,
            "swap": score.points.swap,
            "total": score.points.total,
            "place": score.place,
        }
        for line, score, why in zip(sheet.lines, scores, sheet.explanations, strict=True)
    ]
    title = None
    if sheet.mode == "solo":
        reached = tier(scores[0].points.total)
        title = {"tier": reached, "text": titles[reached - 1]}
    winners = [i for i, score in enumerate(scores) if score.place == 1]
    return {"players": players, "winners": winners, "title": title}


def _combinations(count: int, paid: int, found: tuple[Drawers, ...]) -> dict[str, object]:
    return {"count": count, "points": paid, "combinations": _cells(found)}


def _cells(found: tuple[Drawers, ...]) -> list[list[list[int]]]:
    return [[list(cell) for cell in drawers] for drawers in found]


def _parse_line(node: Node) -> Line:
    fields = node.fields({"name", "board"}, {"swap_used"})
    try:
        board = parse_board(fields["board"].text())
    except Refusal as refusal:
        raise Refusal(f"{fields['board'].place}, {refusal}") from None
    if len(board) > COLUMNS:
        fields["board"].refuse(f"found {len(board)} cards", f"0 to {COLUMNS}")
    return Line(
        name=fields["name"].line(NAME_LENGTH),
        board=board,
        swap_used=fields["swap_used"].flag() if "swap_used" in fields else False,
    )


def _check_cards_lie_once(lines: list[Line]) -> None:
    lies_with: dict[int, int] = {}
    for player, line in enumerate(lines):
        for position, laid in enumerate(line.board, 1):
            if isinstance(laid.card, int) and laid.card in lies_with:
                raise Refusal(
                    f"players[{player}].board, card {position}: {laid.card} lies with "
                    f"players[{lies_with[laid.card]}] already; expected each number once"
                )
            if isinstance(laid.card, int):
                lies_with[laid.card] = player


def _parse_objectives(node: Node, edition: Edition) -> Objectives:
    color, handle, row = node.items(3, 3, "objectives (color, handle, row)")
    return (
        _parse_pattern(color, "color", edition),
        _parse_pattern(handle, "handle", edition),
        edition.rows[_parse_number(row, "row") - NUMBERS["row"][0]],
    )


def _parse_pattern(node: Node, kind: Feature, edition: Edition) -> Pattern:
    if not isinstance(node.value, dict):
        return edition.patterns[_parse_number(node, kind) - 1]
    pattern = parse_pattern(node)
    if pattern.kind != kind:
        node.refuse(f"found a {pattern.kind} pattern", f"a {kind} pattern in this place")
    return pattern


def _parse_number(node: Node, kind: Kind) -> int:
    numbers = NUMBERS[kind]
    if type(node.value) is not int or node.value not in numbers:
        node.refuse(
            f"found {quoted(node.value)}", f"a {kind} objective, {numbers[0]} to {numbers[-1]}"
        )
    return node.value
