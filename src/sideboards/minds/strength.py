"""How strong the shipped bots are: one table of figures, each beside the floor it must keep."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from math import inf
from typing import Literal

from sideboards.core.refusal import Refusal
from sideboards.core.scoring import Mode
from sideboards.minds.arena import Clock, Deal, Match, dealt
from sideboards.minds.bots import BOTS, bot
from sideboards.minds.standings import Duel, Figure, Standing, duels, mean, standings

Unit = Literal["points", "%", "ms"]
Play = Callable[[Match], list[Deal]]

DEALS = 2000
QUICK_DEALS = 100
DEALS_PER_MASTER_DEAL = 8
"""At tables the master plays this part of the deals: it thinks a thousand times as long."""
MOST_POINTS_NOW = ("greedy", "sideboards.minds.bots:greedy")
"""The bot that the easy one is measured by: on the ladder, else beside it."""


@dataclass(frozen=True, slots=True)
class Floor:
    """What a figure must keep."""

    text: str
    lowest: float = -inf
    highest: float = inf
    doubt: int = 0
    """How many standard errors are taken off the lowest value."""

    def holds(self, figure: Figure) -> bool:
        """Whether the figure keeps the floor; a figure of unknown error gets no allowance."""
        doubt = self.doubt * (figure.stderr or 0.0)
        return figure.value + doubt >= self.lowest and figure.value <= self.highest


SOLO_FLOORS = {
    "easy": Floor("28 to 36", lowest=28, highest=36),
    **{
        name: Floor(f"{least} less 2 standard errors", lowest=least, doubt=2)
        for name, least in (("medium", 45.1), ("hard", 47.6))
    },
    "master": Floor("above 48.5", lowest=48.5),
}
EASY_LOSES = Floor("60 to 80 %", lowest=60, highest=80)
MASTER_WINS = Floor("at least 60 %", lowest=60)
MEAN_TIME = Floor("at most 150 ms", highest=150)
LONGEST_TIME = Floor("at most 1000 ms", highest=1000)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the table."""

    section: str
    what: str
    figure: Figure
    unit: Unit
    floor: Floor | None = None
    clock: Clock | None = None
    """CPU time of the bot that the line is about."""

    @property
    def holds(self) -> bool | None:
        """Whether the floor is kept; None where there is none."""
        return self.floor.holds(self.figure) if self.floor else None


@dataclass(frozen=True, slots=True)
class Strength:
    """The table, and sentences about what it leaves out."""

    lines: tuple[Line, ...]
    notes: tuple[str, ...]


def strength(play: Play, *, deals: int, seed: int) -> Strength:
    """The table of all bots that are there; `play` plays a match."""
    ladder, notes = _ladder()
    table = _Table(play, deals, seed)
    table.solo(ladder)
    if "master" in ladder:
        table.oracle()
    if "easy" in ladder:
        table.easy()
    for weaker, stronger in pairwise(name for name in ladder if name != "master"):
        table.neighbours(stronger, weaker)
    if {"hard", "master"} <= set(ladder):
        table.master()
    for name in SOLO_FLOORS:
        if name not in BOTS:
            notes.append(f"{name} is not on the ladder; lines that need it are left out.")
    return Strength(tuple(table.lines), tuple(notes))


def _ladder() -> tuple[list[str], list[str]]:
    """The bots that can play here, weakest first, and why others cannot."""
    ladder, notes = [], []
    for name in BOTS:
        try:
            bot(name)
        except Refusal as refusal:
            notes.append(f"{name} cannot play here ({refusal}); its lines are left out.")
        else:
            ladder.append(name)
    return ladder, notes


class _Table:
    """Plays what a line needs, each match once, and keeps the lines."""

    def __init__(self, play: Play, deals: int, seed: int) -> None:
        self.lines: list[Line] = []
        self._play = play
        self._deals = deals
        self._seed = seed
        self._known: dict[Match, list[Deal]] = {}

    def solo(self, ladder: Sequence[str]) -> None:
        """Everybody alone, on the same deals."""
        for each in standings(*self._played(ladder, "solo", 1)):
            floor = SOLO_FLOORS.get(each.name)
            self.lines.append(Line("Solo", each.name, each.mean, "points", floor, each.clock))

    def oracle(self) -> None:
        """The best possible on the same deals for somebody who knows the deck."""
        from sideboards.minds.par import par  # noqa: PLC0415 (numba)

        deals = max(1, self._deals // DEALS_PER_MASTER_DEAL)
        match = Match(("oracle",), "solo", 1, deals=deals, seed=self._seed)
        best = mean([par(dealt(match, number)).total for number in range(1, deals + 1)])
        self.lines.append(Line("Solo", "the best possible with the deck known", best, "points"))

    def easy(self) -> None:
        """How often the easy bot loses against most points now."""
        on_ladder, beside_it = MOST_POINTS_NOW
        duel, easy = self._duel("easy", on_ladder if on_ladder in BOTS else beside_it)
        what = f"easy against {on_ladder}: games lost"
        self.lines.append(Line("2 players", what, duel.lost.percent, "%", EASY_LOSES, easy.clock))

    def neighbours(self, stronger: str, weaker: str) -> None:
        """Two neighbours of the ladder."""
        duel, first = self._duel(stronger, weaker)
        what = f"{stronger} against {weaker}: games won, ties split"
        self.lines.append(Line("2 players", what, duel.share.percent, "%", None, first.clock))

    def master(self) -> None:
        """The strongest bot against the next, at several tables, and its time."""
        clocks = []
        tables: tuple[tuple[str, Mode, int, Floor | None], ...] = (
            ("2 players", "standard", 2, MASTER_WINS),
            ("4 players", "standard", 4, None),
            ("2 players, variant", "variant", 2, None),
        )
        for section, mode, seats, floor in tables:
            deals = max(1, self._deals // DEALS_PER_MASTER_DEAL)
            duel, master = self._duel("master", "hard", mode, seats, deals)
            clocks.append(master.clock)
            shared = "master against hard: games won, ties split"
            self.lines.append(Line(section, shared, duel.share.percent, "%", None, master.clock))
            if duel.decided is not None:
                what = "master against hard: decided games won"
                self.lines.append(
                    Line(section, what, duel.decided.percent, "%", floor, master.clock)
                )
        clock = reduce(Clock.joined, clocks)
        usual = Figure(clock.ms_per_move, None)
        self.lines.append(Line("CPU per move", "master on average", usual, "ms", MEAN_TIME))
        longest = Figure(clock.max_ms, None)
        self.lines.append(Line("CPU per move", "master at most", longest, "ms", LONGEST_TIME))

    def _duel(
        self,
        one: str,
        other: str,
        mode: Mode = "standard",
        seats: int = 2,
        deals: int | None = None,
    ) -> tuple[Duel, Standing]:
        """How one bot did against another, and how it did at all."""
        match, played = self._played([one, other], mode, seats, deals)
        return duels(match, played)[0], standings(match, played)[0]

    def _played(
        self, bots: Sequence[str], mode: Mode, seats: int, deals: int | None = None
    ) -> tuple[Match, list[Deal]]:
        number = self._deals if deals is None else deals
        match = Match(tuple(bots), mode, seats, deals=number, seed=self._seed)
        if match not in self._known:
            self._known[match] = self._play(match)
        return match, self._known[match]
