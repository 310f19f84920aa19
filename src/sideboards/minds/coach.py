"""The coach: what every decision of a recorded game cost, why, and how lucky the hands were.

A decision is judged by what its player could know: every option is played to the end in many
worlds that may have been the real one, everybody going on by the learned values. What an option
brings on average there are its expected points. Needs numba.
"""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import comb
from random import Random

import numpy as np
from numpy.typing import NDArray

from sideboards.core.board import Board, Laid
from sideboards.core.edition import CARDS, Edition, Numbers
from sideboards.core.game import Choice, Move, Start, Swap, deal, scores, step
from sideboards.core.notation import Record
from sideboards.core.scoring import Points
from sideboards.core.view import View, view
from sideboards.fast.worth import SCALE, board_values, extended_values
from sideboards.minds.belief import belief
from sideboards.minds.judgement import after
from sideboards.minds.master import trials
from sideboards.minds.par import Par, par
from sideboards.minds.reasons import After, Clause, clauses, reason
from sideboards.minds.values import learned_worth
from sideboards.words import Words

SAMPLES = 4_000
"""Worlds of one decision, shared by the seats: 4,000 in solo, 1,000 at a table of four.

The expected points of two options then differ by their true difference, give or take 0.1 points
(solo) or 0.2 (one standard error; less in later rounds, and in the last round of solo nothing).
"""
MOMENTS = 3


@dataclass(frozen=True, slots=True)
class Weighed:
    """An option and what it brings."""

    move: Move
    now: Points
    """The points if the game ended after it."""
    expected: float
    """The mean of the final points."""
    winning: float
    """The mean share of the victory; alone at the table always 1."""


@dataclass(frozen=True, slots=True)
class Advice:
    """One decision of one seat, judged."""

    seat: int
    round: int
    move: Move
    """As it was played; a start may be the mirror image of `chosen`, which is worth the same."""
    options: tuple[Weighed, ...]
    """Best first; of two starts that are each other's mirror image there is one."""
    chosen: Weighed
    best: Weighed
    """The chosen option itself when none is better."""
    clauses: tuple[Clause, ...]
    luck: float
    """See `hand_luck`."""

    @property
    def loss(self) -> float:
        """How many expected points the chosen option is behind the best one."""
        return self.best.expected - self.chosen.expected

    @property
    def stake(self) -> float:
        """How many expected points lie between the best and the worst option."""
        return self.options[0].expected - self.options[-1].expected

    @property
    def winning_loss(self) -> float:
        """How much share of the victory the chosen option is behind the one that wins most."""
        return max(option.winning for option in self.options) - self.chosen.winning

    def sentence(self, words: Words) -> str:
        """The reason of the loss, or a short praise, in the language of `words`."""
        second = self.options[1].expected if len(self.options) > 1 else self.best.expected
        return reason(self.clauses, self.loss, self.best.expected - second, words)


@dataclass(frozen=True, slots=True)
class Lesson:
    """All decisions of one seat, and what they come to."""

    seat: int
    points: int
    """The final points, or those at the end of an unfinished record."""
    advices: tuple[Advice, ...]

    @property
    def loss(self) -> float:
        """The expected points that all decisions together gave away."""
        return sum(advice.loss for advice in self.advices)

    @property
    def accuracy(self) -> float:
        """100 when always the best option was chosen, 0 when always the worst.

        In between: the share that was taken of all expected points that lay between the best
        and the worst options.
        """
        stake = sum(advice.stake for advice in self.advices)
        return 100 * (1 - self.loss / stake) if stake else 100.0

    @property
    def costliest(self) -> tuple[Advice, ...]:
        """The three decisions that cost most, the costliest first."""
        costly = sorted(
            (each for each in self.advices if each.loss > 0), key=lambda each: -each.loss
        )
        return tuple(costly[:MOMENTS])

    @property
    def luck(self) -> float:
        """How much better than average the hands were, in points; see `hand_luck`."""
        return sum(advice.luck for advice in self.advices)


@dataclass(frozen=True, slots=True)
class Review:
    """A whole record, judged."""

    finished: bool
    lessons: tuple[Lesson, ...]
    """Of the seats that were asked for."""
    par: Par | None
    """In a finished solo game."""


def review(
    record: Record,
    *,
    seats: Sequence[int] | None = None,
    seed: int = 0,
    samples: int = SAMPLES,
    tell: Callable[[], object] = lambda: None,
) -> Review:
    """Every decision of the given seats (of all, if none are given), judged.

    The same record and seed give the same review. `tell` is called after each decision.
    """
    steps = review_steps(record, seats=seats, seed=seed, samples=samples)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            whole: Review = end.value
            return whole
        tell()


def review_steps(
    record: Record, *, seats: Sequence[int] | None = None, seed: int = 0, samples: int = SAMPLES
) -> Generator[float, None, Review]:
    """The review, decision by decision: yields how much of it is done, returns it at the end."""
    state = deal(record.setup)
    chosen = range(record.setup.seats) if seats is None else seats
    found: dict[int, list[Advice]] = {seat: [] for seat in chosen}
    count = sum(seat in found for seat, _ in record.played)
    for seat, move in record.played:
        if seat in found:
            # The seed knows nothing of the cards, so hidden ones cannot matter.
            rng = Random(f"coach/{seed}/{seat}/{len(found[seat])}")
            found[seat].append(advise(view(state, seat), move, rng, samples=samples))
            yield sum(map(len, found.values())) / count
        state = step(state, seat, move)
    totals = [score.points.total for score in scores(state)]
    solo = state.over and record.setup.mode == "solo"
    return Review(
        finished=state.over,
        lessons=tuple(Lesson(seat, totals[seat], tuple(found[seat])) for seat in found),
        par=par(record.setup) if solo else None,
    )


def advise(now: View, move: Choice | Swap, rng: Random, *, samples: int = SAMPLES) -> Advice:
    """The judgement of `move` by what the seat of the view `now` can know."""
    options = weigh(now, rng, samples=samples)
    alike = (move, Start(move.right, move.left)) if isinstance(move, Start) else (move,)
    chosen = next(option for option in options if option.move in alike)
    best = chosen if chosen.expected == options[0].expected else options[0]
    values = learned_worth(now.edition, now.objective_numbers)
    before = now.boards[now.seat or 0]
    why: tuple[Clause, ...] = ()
    if best != chosen:
        one, other = _after(before, chosen), _after(before, best)
        why = clauses(before, one, other, mode=now.mode, edition=now.edition, values=values)
    return Advice(
        seat=now.seat or 0,
        round=now.round,
        move=move,
        options=tuple(options),
        chosen=chosen,
        best=best,
        clauses=why,
        luck=hand_luck(now),
    )


def weigh(now: View, rng: Random, *, samples: int = SAMPLES) -> list[Weighed]:
    """All options of the seat of the view `now`, best first; of mirrored starts one."""
    points = {option.move: option.points for option in now.options}
    options = [
        Weighed(
            move=trial.move,
            now=points[trial.move],
            expected=float(trial.points),
            winning=1.0 if now.mode == "solo" else float(trial.utility),
        )
        for trial in trials(now, rng, samples=samples // len(now.boards), stages=1, margin=0.0)
    ]
    return sorted(options, key=lambda option: -option.expected)


def _after(before: Board, option: Weighed) -> After:
    move = option.move
    board = after(before, move) if isinstance(move, Choice) else before
    return After(move, board, option.now)


def hand_luck(now: View) -> float:
    """How many points better than average the hand of a view is, by the learned values.

    The best board that the hand allows is compared with the mean of the best boards over all
    hands of this size, made of the cards that the player could not place before this hand came.
    A hand that is better swapped counts as the swap, here and in the mean: who throws a bad hand
    has not suffered from it. The pair that comes after a swap is a hand of its own.

    So over all possible hands the luck is zero. In solo that is the luck of the draw. At a table
    the passed card counts too, and cards that others did not want are mostly worse than average.
    """
    values = learned_worth(now.edition, now.objective_numbers)
    board, hand = now.boards[now.seat or 0], now.hand
    if now.round == 0:
        pairs = _pair_values(now.edition, now.objective_numbers)
        slots = [card - 1 for card in hand]
        best = max(int(pairs[one, other]) for one, other in combinations(slots, 2))
        return (best - _mean_start(now.edition, now.objective_numbers, len(hand))) / SCALE
    pool = (*hand, *belief(now).unseen)
    worths = extended_values(board, pool, now.edition, values).astype(np.float64)
    if now.swaps[now.seat or 0]:
        worths = np.maximum(worths, _mean_best(worths, 2) - values.keep[len(board) + 1])
    return float(worths[: len(hand)].max() - _mean_best(worths, len(hand))) / SCALE


def _mean_best(worths: NDArray[np.float64], size: int) -> float:
    """The mean of the best of `size` cards, over all hands of that size."""
    hands = [comb(below, size - 1) for below in range(len(worths))]
    return float(np.sort(worths) @ np.array(hands, np.float64)) / comb(len(worths), size)


@lru_cache(maxsize=16)
def _pair_values(edition: Edition, numbers: Numbers) -> NDArray[np.int64]:
    """By two cards: what they are worth, laid side by side in the best way."""
    values = learned_worth(edition, numbers)
    cards = range(1, CARDS + 1)
    both = [
        (Laid(one, turns >= 2), Laid(other, turns % 2 == 1))
        for one, other in combinations(cards, 2)
        for turns in range(4)
    ]
    best = board_values(both, edition, values).reshape(-1, 4).max(axis=1)
    table = np.zeros((CARDS, CARDS), np.int64)
    table[np.triu_indices(CARDS, 1)] = best
    return table + table.T


@lru_cache(maxsize=16)
def _mean_start(edition: Edition, numbers: Numbers, size: int) -> float:
    """The mean worth of the best start, over all first hands."""
    pairs = _pair_values(edition, numbers)
    hands = np.array(list(combinations(range(CARDS), size)))
    best = np.max(
        [pairs[hands[:, a], hands[:, b]] for a, b in combinations(range(size), 2)], axis=0
    )
    return float(best.mean())
