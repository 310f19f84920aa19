"""Games among bots, and matches: many deals, each played by every bot on every seat.

A match is played deal by deal. Everything follows from its seed: the deal, and each bot's chance
from seed, deal, seating and seat. So results depend neither on the order nor on the place of
play, and a deal is the unit of chance: its games share their cards.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import combinations, permutations, product
from math import factorial
from random import Random
from time import process_time
from typing import NamedTuple

from sideboards.core.edition import Edition, parse_edition
from sideboards.core.game import (
    Move,
    Setup,
    State,
    check_seats,
    choices,
    deal,
    new_setup,
    scores,
    step,
)
from sideboards.core.refusal import Refusal, quoted
from sideboards.core.scoring import Mode
from sideboards.core.view import View, view
from sideboards.data import load_edition
from sideboards.minds.bots import Bot, bot

Seating = tuple[int, ...]
"""Who sits where: for each seat the place of its bot in the match's list."""


def play_game(setup: Setup, bots: Sequence[Bot], rng: Random) -> State:
    """The finished game of these bots, one per seat."""
    state = deal(setup)
    while not state.over:
        seat = state.waiting[0]  # a bot that has swapped is asked again
        state = step(state, seat, bots[seat](view(state, seat), rng))
    return state


@dataclass(frozen=True, slots=True)
class Match:
    """What is to be played: by whom, how, and from which seed. Small, and fit to be sent away."""

    bots: tuple[str, ...]
    """Names as `bots.bot` takes them; a name may stand twice."""
    mode: Mode = "standard"
    seats: int = 2
    one_table: bool = False
    """All bots in every game, one seat each; else every pair of bots shares the seats."""
    deals: int = 1000
    seed: int = 0
    objectives: tuple[int | None, int | None, int | None] = (None, None, None)
    """One number of each kind; None is drawn anew for every deal."""
    edition: bytes | None = None
    """The bytes of an edition file; None for the edition that is shipped."""

    def __post_init__(self) -> None:
        check_seats(self.seats, self.mode)
        if self.deals < 1:
            raise Refusal(f"deals: found {self.deals}; expected at least 1")
        if self.mode == "solo":
            fewest, most = 1, None
        elif self.one_table:
            fewest, most = self.seats, self.seats
        else:
            fewest, most = 2, None
        if len(self.bots) < fewest or (most and len(self.bots) > most):
            expected = f"{fewest}, one per seat" if most else f"{fewest} or more"
            raise Refusal(f"bots: found {len(self.bots)}; expected {expected}")

    @property
    def labels(self) -> tuple[str, ...]:
        """What the bots are called in results: a name that stands twice gets a number.

        >>> Match(("hard", "easy", "hard")).labels
        ('hard', 'easy', 'hard#2')
        """
        return tuple(
            name if name not in self.bots[:i] else f"{name}#{self.bots[: i + 1].count(name)}"
            for i, name in enumerate(self.bots)
        )

    @property
    def games(self) -> int:
        """How many games are played in all."""
        return self.deals * len(seatings(self, 1))


class Game(NamedTuple):
    """The result of a game: who sat where, and everybody's points."""

    seating: Seating
    totals: tuple[int, ...]


class Clock(NamedTuple):
    """CPU time of a bot: how many moves it was asked for, all seconds, those of the longest."""

    moves: int = 0
    seconds: float = 0.0
    longest: float = 0.0

    @property
    def ms_per_move(self) -> float:
        """Milliseconds per move, on average."""
        return 1000 * self.seconds / self.moves

    @property
    def max_ms(self) -> float:
        """Milliseconds of the longest move."""
        return 1000 * self.longest

    def with_move(self, seconds: float) -> "Clock":
        """The clock after one more move."""
        return Clock(self.moves + 1, self.seconds + seconds, max(self.longest, seconds))

    def joined(self, other: "Clock") -> "Clock":
        """Both clocks together."""
        return Clock(
            self.moves + other.moves,
            self.seconds + other.seconds,
            max(self.longest, other.longest),
        )


class Deal(NamedTuple):
    """All that was played with one deal, and the clock of every bot.

    Solo games on one deal stand side by side as one game, so that they can be compared.
    """

    number: int
    games: tuple[Game, ...]
    clocks: tuple[Clock, ...]


def seatings(match: Match, number: int) -> tuple[Seating, ...]:
    """The seatings with which this deal is played; every bot sits on every seat equally often.

    - Solo: everybody alone.
    - One table: the bots in a circle, turned until everybody has had every seat. Cards are passed
      to the left, so neighbours matter: the circle changes with the deal's number.
    - Else every pair of bots shares the seats and then exchanges them: two games. With more than
      two seats, all ways of sharing them as equally as possible take turns, deal by deal.

    >>> seatings(Match(("easy", "hard"), seats=4), number=1)
    ((0, 0, 1, 1), (1, 1, 0, 0))
    >>> seatings(Match(("easy", "hard"), seats=4), number=2)
    ((0, 1, 0, 1), (1, 0, 1, 0))
    """
    everybody = range(len(match.bots))
    if match.mode == "solo":
        return tuple((i,) for i in everybody)
    if match.one_table:
        circles = factorial(match.seats - 1)
        first, *others = everybody
        order = list(permutations(others))[(number - 1) % circles]
        circle = (first, *order)
        return tuple(circle[i:] + circle[:i] for i in everybody)
    ways = shared_seats(match.seats)
    way = ways[(number - 1) % len(ways)]
    return tuple(
        tuple(pair[side] for side in way)
        for one, other in combinations(everybody, 2)
        for pair in ((one, other), (other, one))
    )


@cache
def shared_seats(seats: int) -> tuple[Seating, ...]:
    """All ways in which two share seats as equally as possible, up to exchanging the two.

    >>> shared_seats(3)
    ((0, 0, 1), (0, 1, 0), (0, 1, 1))
    """
    halves = {seats // 2, (seats + 1) // 2}
    sides = product((0, 1), repeat=seats - 1)
    return tuple((0, *rest) for rest in sides if sum(rest) in halves)


def play_deals(match: Match, numbers: Iterable[int]) -> list[Deal]:
    """The results of these deals; the work of one worker, so the bots are warmed up first."""
    for name in match.bots:
        _warm_up(name, match.mode, match.seats)
    return [play_deal(match, number) for number in numbers]


def play_deal(match: Match, number: int) -> Deal:
    """The results of one deal, in all its seatings; a bot that fails is refused by name."""
    setup = dealt(match, number)
    labels = match.labels
    clocks = [Clock() for _ in labels]
    games = []
    for seating in seatings(match, number):
        names = " ".join(labels[i] for i in seating)
        players = [
            _Player(
                labels[i],
                bot(match.bots[i]),
                Random(f"{match.seed}/{number}/{names}/{seat}"),
                seat=seat,
                where=f"deal {number} of seed {match.seed}",
            )
            for seat, i in enumerate(seating)
        ]
        state = play_game(setup, players, Random(0))
        for i, player in zip(seating, players, strict=True):
            clocks[i] = clocks[i].joined(player.clock)
        games.append(Game(seating, tuple(score.points.total for score in scores(state))))
    if match.mode == "solo":
        games = [Game(tuple(range(len(games))), tuple(game.totals[0] for game in games))]
    return Deal(number, tuple(games), tuple(clocks))


def dealt(match: Match, number: int) -> Setup:
    """The deal with this number: the same cards in the same order for every seating."""
    return new_setup(
        _edition(match.edition),
        seats=match.seats,
        mode=match.mode,
        objectives=match.objectives,
        rng=Random(f"{match.seed}/{number}"),
    )


@cache
def _edition(data: bytes | None) -> Edition:
    """The edition, read once per process: it remembers what it has counted."""
    return load_edition() if data is None else parse_edition(data)


@cache
def _warm_up(name: str, mode: Mode, seats: int) -> None:
    """One game that is not measured, so that loading and compiling count as no one's move."""
    rng = Random(0)
    setup = new_setup(load_edition(), seats=seats, mode=mode, rng=rng)
    with suppress(
        Exception, SystemExit
    ):  # whoever fails here fails in the match, and is told there
        play_game(setup, [bot(name)] * seats, rng)


class _Player:
    """A bot at the table: with its own chance, its clock, and a name for what goes wrong."""

    def __init__(self, label: str, mind: Bot, rng: Random, *, seat: int, where: str) -> None:
        self.label = label
        self.mind = mind
        self.rng = rng
        self.seat = seat
        self.where = where
        self.clock = Clock()

    def __call__(self, view: View, _rng: Random) -> Move:
        """The bot's move, measured and checked."""
        legal = choices(view.hand, start=view.round == 0, swap=view.swaps[self.seat])
        started = process_time()
        try:
            move = self.mind(view, self.rng)
            self.clock = self.clock.with_move(process_time() - started)
            if move in legal:
                return move
            fault = f"found {quoted(str(move))}"
        except (Exception, SystemExit) as error:  # whatever somebody's bot raises
            fault = f"it raised {type(error).__name__} {quoted(str(error), 200)}"
        where = f"{self.where}, round {view.round}, seat {self.seat}"
        raise Refusal(f"{self.label}: {fault} in {where}; expected a legal move")
