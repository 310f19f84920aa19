"""What the deals of a match say about its bots: means, shares, ratings, and how sure they are.

The games of one deal share their cards, so they are no independent witnesses. Every figure is
first averaged over a deal; its standard error comes from the spread among the deals.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import chain, combinations
from math import fsum, sqrt
from typing import NamedTuple

from sideboards.minds.arena import Clock, Deal, Game, Match
from sideboards.minds.workers import extra

WIDTH_95 = 1.96
"""Half a confidence interval of 95 %, in standard errors."""


class Figure(NamedTuple):
    """A number and its standard error, which a single deal cannot tell."""

    value: float
    stderr: float | None

    @property
    def interval(self) -> float | None:
        """How far the confidence interval of 95 % reaches to either side."""
        return None if self.stderr is None else WIDTH_95 * self.stderr

    @property
    def percent(self) -> "Figure":
        """The same as a percentage."""
        return Figure(100 * self.value, None if self.stderr is None else 100 * self.stderr)


@dataclass(frozen=True, slots=True)
class Standing:
    """How one bot did."""

    name: str
    mean: Figure
    """Points per game."""
    wins: Figure
    """Share of games won; a victory that several bots share is split equally."""
    clock: Clock


@dataclass(frozen=True, slots=True)
class Duel:
    """How one bot did against another, in the games where both sat at the table.

    A bot that holds several seats counts with its best one.
    """

    bots: tuple[str, str]
    ahead: int
    behind: int
    ties: int
    share: Figure
    """Share of the first bot in all games; a tie is half a game for each."""
    lost: Figure
    """Share of games in which the first bot is behind."""
    decided: Figure | None
    """Share of the first bot in games without a tie; None when there is no such game."""


def standings(match: Match, deals: Sequence[Deal]) -> tuple[Standing, ...]:
    """How every bot did, in the order of the match."""
    tables = _tables(deals)
    return tuple(
        Standing(
            name=label,
            mean=mean([_points(deal, i) for deal in deals]),
            wins=mean([_wins(each, i) for each in tables]),
            clock=reduce(Clock.joined, (deal.clocks[i] for deal in deals)),
        )
        for i, label in enumerate(match.labels)
    )


def duels(match: Match, deals: Sequence[Deal]) -> tuple[Duel, ...]:
    """How every bot did against every other, in the order of the match."""
    labels, tables = match.labels, _tables(deals)
    return tuple(
        _duel((labels[one], labels[other]), [_outcomes(each, one, other) for each in tables])
        for one, other in combinations(range(len(labels)), 2)
    )


def check_ratings() -> None:
    """Refuse early when ratings cannot be computed here."""
    extra("openskill", "arena")


def ratings(match: Match, deals: Sequence[Deal]) -> tuple[float, ...]:
    """Everybody's openskill rating (25 at first), game by game in the order of the deals.

    The Plackett-Luce model; bots do not change, so nothing is added to its doubt over time.
    """
    model = extra("openskill.models", "arena").PlackettLuce(tau=0.0)
    rated = [model.rating(name=label) for label in match.labels]
    for best in chain.from_iterable(_tables(deals)):
        if len(best) > 1:
            teams = [[rated[i]] for i in best]
            ranks = [float(-points) for points in best.values()]
            for i, [after] in zip(best, model.rate(teams, ranks=ranks), strict=True):
                rated[i] = after
    return tuple(float(each.mu) for each in rated)


def mean(values: Sequence[float]) -> Figure:
    """The mean of independent values, with its standard error.

    >>> mean([1.0, 2.0, 3.0, 6.0])
    Figure(value=3.0, stderr=1.0801234497346435)
    """
    average = fsum(values) / len(values)
    return Figure(average, _spread([value - average for value in values], len(values)))


def ratio(parts: Sequence[float], wholes: Sequence[float]) -> Figure:
    """The share of all parts in all wholes, with its standard error (by linearisation).

    >>> ratio([1, 1], [1, 2]).value
    0.6666666666666666
    """
    whole = fsum(wholes)
    share = fsum(parts) / whole
    rests = [part - share * each for part, each in zip(parts, wholes, strict=True)]
    return Figure(share, _spread(rests, whole))


def _spread(rests: Sequence[float], whole: float) -> float | None:
    """The standard error of a sum of independent deviations, divided by `whole`."""
    count = len(rests)
    if count < 2:
        return None
    return sqrt(fsum(rest * rest for rest in rests) * count / (count - 1)) / whole


def _tables(deals: Sequence[Deal]) -> list[list[dict[int, int]]]:
    """For every game of every deal the bots at the table, each with the points of its best seat."""
    return [[_best(game) for game in deal.games] for deal in deals]


def _best(game: Game) -> dict[int, int]:
    best: dict[int, int] = {}
    for i, points in zip(game.seating, game.totals, strict=True):
        best[i] = max(points, best.get(i, points))
    return best


def _points(deal: Deal, bot: int) -> float:
    """A bot's points in a deal, averaged over the seats it had."""
    found = [
        points
        for game in deal.games
        for i, points in zip(game.seating, game.totals, strict=True)
        if i == bot
    ]
    return fsum(found) / len(found)


def _wins(tables: Sequence[dict[int, int]], bot: int) -> float:
    """A bot's share of the victories in the games of a deal where it sat at the table."""
    own = [best for best in tables if bot in best]
    winners = [[i for i, points in best.items() if points == max(best.values())] for best in own]
    return fsum(1 / len(won) for won in winners if bot in won) / len(own)


def _outcomes(tables: Sequence[dict[int, int]], one: int, other: int) -> tuple[int, int, int]:
    """In how many games of a deal one bot was ahead of, level with, and behind another."""
    margins = [best[one] - best[other] for best in tables if one in best and other in best]
    ahead, behind = sum(margin > 0 for margin in margins), sum(margin < 0 for margin in margins)
    return ahead, len(margins) - ahead - behind, behind


def _duel(bots: tuple[str, str], outcomes: Sequence[tuple[int, int, int]]) -> Duel:
    ahead, ties, behind = (sum(column) for column in zip(*outcomes, strict=True))
    games = [sum(each) for each in outcomes]
    decided = [won + lost for won, _, lost in outcomes]
    return Duel(
        bots=bots,
        ahead=ahead,
        behind=behind,
        ties=ties,
        share=ratio([won + level / 2 for won, level, _ in outcomes], games),
        lost=ratio([lost for _, _, lost in outcomes], games),
        decided=ratio([won for won, _, _ in outcomes], decided) if ahead + behind else None,
    )
