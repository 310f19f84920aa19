"""The text client: boards, results and a whole game on a terminal, in five languages."""

import os
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Literal
from unicodedata import combining, east_asian_width

import click

from sideboards.core.board import Board, Laid, grid
from sideboards.core.card import COLOR_LETTERS, HANDLE_LETTERS
from sideboards.core.edition import Edition
from sideboards.core.game import LAST_ROUND, Move, Setup, Start, State, Swap, deal, step
from sideboards.core.notation import format_board, parse_move
from sideboards.core.objective import Pattern, Rows
from sideboards.core.reader import Cell, Drawers
from sideboards.core.refusal import IllegalMove, Refusal
from sideboards.core.scoring import Explanation, Mode, Points, Score, tier
from sideboards.core.sheet import Sheet, sheet_of
from sideboards.core.view import Option, View, view
from sideboards.minds.bots import Bot
from sideboards.words import Words, describe

Colors = Literal["none", "256", "all"]
"""How many colors a terminal shows."""
Ink = int | tuple[int, int, int]
PAINTS: dict[str, dict[Colors, tuple[Ink, Ink]]] = {
    "R": {"256": (231, 124), "all": ((255, 255, 255), (163, 32, 15))},
    "T": {"256": (231, 30), "all": ((255, 255, 255), (35, 133, 143))},
    "P": {"256": (233, 224), "all": ((20, 22, 31), (247, 205, 221))},
    "O": {"256": (233, 208), "all": ((20, 22, 31), (238, 146, 22))},
    "B": {"256": (231, 233), "all": ((255, 255, 255), (20, 22, 31))},
}
"""Letters and paint of a drawer of each color."""
COLOR_SIGNS = "123456789ABCDEFGHIJK"
HANDLE_SIGNS = "abcdefghijkl"
ROW_SIGN = "="
USUAL_WIDTH = 80
"""Of a terminal that does not know its own."""


class Quit(Exception):
    """The person at the terminal has had enough."""


def marks(why: Explanation) -> dict[Cell, str]:
    """A sign behind every drawer that scores: 1 2 3 for colors, a b c for handles, = for rows."""
    signs: dict[Cell, list[str]] = {}
    for place, found, alphabet in (
        (0, why.color, COLOR_SIGNS),
        (1, why.handle, HANDLE_SIGNS),
        (2, why.row, ROW_SIGN * 2),
    ):
        for drawers, sign in zip(found, alphabet, strict=False):
            for cell in drawers:
                signs.setdefault(cell, [" ", " ", " "])[place] = sign
    return {cell: "".join(three) for cell, three in signs.items()}


class Screen:
    """Draws on standard output, in color or without."""

    def __init__(self, words: Words, *, colors: Colors) -> None:
        self.words = words
        self.colors = colors

    def say(self, text: str = "") -> None:
        """Print a line."""
        click.echo(text, color=self.colors != "none")

    def say_heading(self, text: str) -> None:
        """Print a line that stands out."""
        text = self.wrapped(text)
        self.say(text if self.colors == "none" else click.style(text, bold=True))

    def paint(self, cell: str, letter: str) -> str:
        """A drawer in the color of its letter."""
        if self.colors == "none":
            return cell
        ink, paint = PAINTS[letter][self.colors]
        return click.style(cell, fg=ink, bg=paint)

    def table(self, rows: Sequence[Sequence[str]], *, left: int = 1) -> None:
        """Print rows in columns: the first `left` ones flush left, the others flush right."""
        widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
        for row in rows:
            line = []
            for i, (cell, widest) in enumerate(zip(row, widths, strict=True)):
                gap = " " * (widest - width(cell))
                line.append(cell + gap if i < left else gap + cell)
            self.say("  ".join(line).rstrip())

    def say_text(self, text: str) -> None:
        """Print a text for people; on a terminal no line ends in the middle of a word."""
        self.say(self.wrapped(text))

    def wrapped(self, text: str) -> str:
        """A text in lines that fit the terminal, as wide as it is now; elsewhere one line."""
        if sys.stdout is None or not sys.stdout.isatty():
            return text
        # What is too long for a line, such as a link, stays whole.
        return textwrap.fill(
            text,
            width=os.get_terminal_size(sys.stdout.fileno()).columns or USUAL_WIDTH,
            break_long_words=False,
            break_on_hyphens=False,
        )

    def say_words(self, key: str, **values: object) -> None:
        """Print the text `key` of the language."""
        self.say_text(self.words(key, **values))

    def board(
        self, board: Board, edition: Edition, signs: Mapping[Cell, str] | None = None
    ) -> None:
        """Draw a board: five rows of painted drawers, the cards' numbers below."""
        if not board:
            self.say(f"  {self.words('board.empty')}")
            return
        *drawers, names = grid(board, edition, signs)
        for row in drawers:
            self.say("  " + " ".join(self.paint(cell, cell[0]) for cell in row).rstrip())
        self.say("  " + " ".join(names).rstrip())

    def legend(self) -> None:
        """Say what the letters of a drawer mean."""
        words = self.words
        colors = [
            f"{self.paint(f' {letter} ', letter)} {words(f'color.{color}')}"
            for letter, color in COLOR_LETTERS.items()
        ]
        self.say("  " + "  ".join(colors))
        self.say(
            "   "
            + "   ".join(
                f"{sign} {words(f'handle.{name}')}" for sign, name in HANDLE_LETTERS.items()
            )
        )

    def labelled(self, name: str, text: str) -> None:
        """Print a text behind its name, with the colon as the language sets it."""
        self.say_words("labelled", name=name, text=text)

    def objective(self, objective: Pattern | Rows) -> None:
        """Draw an objective with its sentence."""
        self.labelled(self.numbered(objective), describe(objective, self.words))
        if isinstance(objective, Pattern):
            for line in pattern_picture(objective):
                self.say(f"    {line}")

    def numbered(self, objective: Pattern | Rows) -> str:
        """The name of an objective's kind, with its number if it has one."""
        kind = objective.kind if isinstance(objective, Pattern) else "row"
        name = self.words(f"score.{kind}")
        if objective.number is None:
            return name
        return f"{name} ({self.words('objective.number', number=objective.number)})"

    def result(self, sheet: Sheet, you: int | None = None) -> None:
        """Show the whole result: boards with their marks, every point's reason, the table.

        `you` is the seat of whoever is looking, if that is one of the players.
        """
        scores = sheet.scores
        for line, score, why in zip(sheet.lines, scores, sheet.explanations, strict=True):
            self.say()
            self.say_heading(line.name)
            self.board(line.board, sheet.edition, marks(why))
            self._reasons(sheet, line.board, score, why)
        self.say()
        self._score_table(sheet, scores)
        self.say()
        self.say_heading(self._verdict(sheet, scores, you))

    def _reasons(self, sheet: Sheet, board: Board, score: Score, why: Explanation) -> None:
        words, paid = self.words, score.points
        color, handle, row = sheet.objectives
        for kind, each, found, signs in (
            ("color", color.points, why.color, COLOR_SIGNS),
            ("handle", handle.points, why.handle, HANDLE_SIGNS),
        ):
            total = each * len(found)
            self.say("  " + words(f"reason.{kind}", count=len(found), each=each, points=total))
            for drawers, sign in zip(found, signs, strict=False):
                self.say(f"    {sign}  {self._drawers(sheet, board, drawers, kind)}")
        self.say("  " + words("reason.row", count=score.tally.row, points=paid.row))
        for drawers in why.row:
            where = words("reason.height", row=drawers[0][1] + 1)
            self.say(f"    {ROW_SIGN}  {self._drawers(sheet, board, drawers, row.of)}, {where}")
        self.say("  " + words(self._bonus_reason(sheet, score), points=paid.bonus))
        if sheet.mode != "variant":
            used = "reason.swap.unused" if paid.swap else "reason.swap.used"
            self.say("  " + words(used, points=paid.swap))

    def _drawers(self, sheet: Sheet, board: Board, drawers: Drawers, kind: str) -> str:
        column, height = drawers[0]
        first = grid(board, sheet.edition)[height][column]
        name = COLOR_LETTERS[first[0]] if kind == "color" else HANDLE_LETTERS[first[1]]
        what = self.words(f"drawers.{name}", count=len(drawers))
        cards = format_board(tuple(board[column] for column, _ in drawers))
        return f"{what} ({cards})"

    def _bonus_reason(self, sheet: Sheet, score: Score) -> str:
        if sheet.mode == "solo":
            return "reason.bonus.solo" if score.points.bonus else "reason.bonus.none"
        if not score.points.bonus:
            return "reason.bonus.none"
        lengths = {other.tally.row for other in sheet.scores}
        return f"reason.bonus.{sorted(lengths, reverse=True).index(score.tally.row) + 1}"

    def _score_table(self, sheet: Sheet, scores: Sequence[Score]) -> None:
        heads = ["player", *parts_of(sheet.mode), "total", "place"]
        rows = [[self.words(f"score.{head}") for head in heads]]
        for line, score in zip(sheet.lines, scores, strict=True):
            paid = [getattr(score.points, part) for part in parts_of(sheet.mode)]
            rows.append([line.name, *map(str, (*paid, score.points.total, score.place))])
        self.table(rows)

    def _verdict(self, sheet: Sheet, scores: Sequence[Score], you: int | None) -> str:
        best = max(score.points.total for score in scores)
        if sheet.mode == "solo":
            title = self.words(f"title.{tier(best)}")
            return self.words("verdict.solo", count=best, title=title)
        winners = [seat for seat, score in enumerate(scores) if score.place == 1]
        names = [sheet.lines[seat].name for seat in winners if seat != you]
        if winners == [you]:
            return self.words("verdict.you", count=best)
        if you in winners:
            return self.words("verdict.shared.you", names=", ".join(names), count=best)
        *some, last = names
        if not some:
            return self.words("verdict.winner", name=last, count=best)
        return self.words("verdict.shared", names=", ".join(some), last=last, count=best)


def parts_of(mode: Mode) -> list[str]:
    """The parts of a score in this mode: the variant has no swap cards."""
    return [part for part in Points._fields if part != "swap" or mode != "variant"]


def pattern_picture(pattern: Pattern) -> list[str]:
    """A pattern as text: o for a drawer that counts, · for any other."""
    columns, heights = ({*place} for place in zip(*pattern.cells, strict=True))
    return [
        " ".join("o" if (x, y) in pattern.cells else "·" for x in range(max(columns) + 1))
        for y in range(max(heights) + 1)
    ]


def width(text: str) -> int:
    """How many places a text takes on a terminal: some signs take two, some none."""
    return sum(
        0 if combining(sign) or sign == "\u200d" else 1 + (east_asian_width(sign) in "WF")
        for sign in text
    )


def plain(text: str) -> str:
    """A text of somebody else, fit for one line of a terminal; no-break spaces are kept."""
    return "".join(sign if sign.isprintable() or sign in "\u00a0\u202f" else "?" for sign in text)


def listed(now: View) -> list[Option]:
    """The options as a list to choose from; a start and its mirror image are one (R9)."""
    kept: dict[Move, Option] = {}
    for option in now.options:
        move = option.move
        if not isinstance(move, Start) or Start(move.right, move.left) not in kept:
            kept[move] = option
    return list(kept.values())


class Teller:
    """Tells a game line by line to one of its players, and reads what that player types."""

    def __init__(self, screen: Screen, names: Sequence[str], ask: Callable[[str], str]) -> None:
        self.screen = screen
        self.words = screen.words
        self.names = tuple(names)
        self.ask = ask
        self.points = True
        """Whether points are shown before the end."""

    def welcome(self, now: View) -> None:
        """Show the objectives and what the signs mean."""
        self.screen.say_words("play.welcome", count=len(self.names))
        for objective in now.objectives:
            self.screen.objective(objective)
        self.screen.legend()
        self.screen.say_words("play.how")

    def show_round(self, now: View) -> None:
        """Show what the last round brought, and everybody's board."""
        you = now.seat or 0
        if now.round > 0:
            self.tell_round(now)
            self._tell_cards(now)
        title = "play.start" if now.round == 0 else "play.round"
        self.screen.say()
        self.screen.say_heading(self.words(title, round=now.round, rounds=LAST_ROUND))
        self.screen.say_words("play.piles", pile=now.pile, discards=now.discards)
        others = [seat for seat in reversed(range(len(self.names))) if seat != you]
        for seat in (*(others if now.round else ()), you):
            self.screen.say()
            self.screen.labelled(self.names[seat], self._tally(now, seat))
            self.screen.board(now.boards[seat], now.edition)
        self.screen.say()

    def _tally(self, now: View, seat: int) -> str:
        if not self.points:
            return ""
        paid = now.scores[seat].points
        split = " + ".join(
            f"{self.words(f'score.{part}')} {getattr(paid, part)}" for part in parts_of(now.mode)
        )
        return f"{split} = {self.words('points', count=paid.total)}"

    def tell_round(self, now: View) -> None:
        """Say what everybody laid in the round that has just closed."""
        self.screen.say()
        closed = now.round - 1
        for seat, name in enumerate(self.names):
            moves = [move for who, move in now.played if who == seat]
            at = [i for i, move in enumerate(moves) if not isinstance(move, Swap)][closed]
            swapped = at > 0 and isinstance(moves[at - 1], Swap)
            text = self.words("play.swapped", move=moves[at]) if swapped else str(moves[at])
            self.screen.labelled(name, text)

    def _tell_cards(self, now: View) -> None:
        """Say where the own cards came from (R10, R12, R18)."""
        you, seats = now.seat or 0, len(self.names)
        left = " ".join(map(str, now.left_over[now.round - 1]))
        if now.mode == "solo":
            cards = " ".join(map(str, now.opening_hand))
            self.screen.say_words("play.cards.solo", left=left, cards=cards)
            return
        *passed, drawn = now.opening_hand
        self.screen.say_words(
            "play.cards",
            left=left,
            neighbour=self.names[(you + 1) % seats],
            cards=" ".join(map(str, passed)),
            giver=self.names[you - 1],
            drawn=drawn,
        )

    def refused(self, refusal: Refusal, options: Sequence[Option]) -> None:
        """Say why what was typed cannot be played."""
        if isinstance(refusal, IllegalMove):
            self.screen.say_words(f"refusal.{refusal.code}")
        else:
            self.screen.say_words("refusal.not_a_move", count=len(options))

    def command(self, text: str, now: View) -> bool:
        """Whether what was typed was a command, which is done by then; raises `Quit`."""
        match text.lower():
            case "q" | "quit":
                raise Quit
            case "?" | "help" | "h":
                for part in ("number", "start", "place", "swap", "keys"):
                    if part != "swap" or now.mode != "variant":
                        self.screen.say_words(f"play.help.{part}")
                self.screen.legend()
            case "o":
                for objective in now.objectives:
                    self.screen.objective(objective)
            case _:
                return False
        return True

    def parse(self, text: str, options: Sequence[Option]) -> Move:
        """The move that was typed, or that with the number that was typed."""
        numbers = {str(number): option.move for number, option in enumerate(options, 1)}
        if text in numbers:
            return numbers[text]
        typed = "".join(text.split())
        return parse_move(typed.lower() if typed.isalpha() else typed.upper())

    def show_hand(self, now: View, options: Sequence[Option]) -> None:
        """Show the hand and what can be done with it."""
        words = self.words
        self.screen.say(words("play.hand"))
        self.screen.board(tuple(Laid(card) for card in now.hand), now.edition)
        present = now.scores[now.seat or 0].points
        rows = []
        for number, option in enumerate(options, 1):
            row = [f"{number:4}", str(option.move)]
            if self.points:
                row += [
                    f"{option.points.total - present.total:+}",
                    words("play.total", count=option.points.total),
                    self._difference(present, option.points),
                ]
            rows.append(row)
        self.screen.table(rows, left=len(rows[0]))

    def _difference(self, present: Points, after: Points) -> str:
        gains = {part: getattr(after, part) - getattr(present, part) for part in Points._fields}
        return ", ".join(
            f"{self.words(f'score.{part}')} {gain:+}" for part, gain in gains.items() if gain
        )


class Game(Teller):
    """A game of one person in seat 0 against bots, asked and told line by line."""

    def __init__(
        self,
        screen: Screen,
        setup: Setup,
        bots: Sequence[tuple[str, Bot]],
        rng: Random,
        ask: Callable[[str], str],
    ) -> None:
        super().__init__(screen, (screen.words("play.you"), *(name for name, _ in bots)), ask)
        self.state = deal(setup)
        self.bots = [bot for _, bot in bots]
        self.rng = rng

    def play(self) -> State:
        """Play to the end and show the result; raises `Quit` when the person leaves."""
        self.welcome(view(self.state, 0))
        while not self.state.over:
            self.show_round(view(self.state, 0))
            self._own_choice()
            while self.state.waiting and 0 not in self.state.waiting:
                seat = self.state.waiting[0]
                chosen = self.bots[seat - 1](view(self.state, seat), self.rng)
                self.state = step(self.state, seat, chosen)
        self.tell_round(view(self.state, 0))
        self.screen.say()
        self.screen.say_heading(self.words("play.over"))
        self.screen.result(sheet_of(self.state, self.names), you=0)
        return self.state

    def _own_choice(self) -> None:
        """Ask until the person has chosen; after a swap the new hand is shown."""
        this_round, shown = self.state.round, None
        while self.state.round == this_round and 0 in self.state.waiting:
            now = view(self.state, 0)
            options = listed(now)
            if shown != now.hand:
                self.show_hand(now, options)
                shown = now.hand
            text = self.ask(self.words("play.prompt")).strip()
            if self.command(text, now):
                continue
            try:
                self.state = step(self.state, 0, self.parse(text, options))
            except Refusal as refusal:
                self.refused(refusal, options)
