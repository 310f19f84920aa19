"""The master: thousands of games from every option to the end, in worlds that may be the real one.

Hidden hands hold the cards that are known to be there and others by chance; everybody plays by
the learned values; the option that wins most often is taken, in solo the one with most points.
"""

from dataclasses import dataclass
from random import Random

import numpy as np
from numpy.typing import NDArray

from sideboards.core.board import Board, tracks
from sideboards.core.card import COLUMNS
from sideboards.core.edition import Edition
from sideboards.core.game import MOST_SEATS, Move, Start, choices
from sideboards.core.view import View
from sideboards.fast.actions import action_of
from sideboards.fast.engine import material, rules, words
from sideboards.fast.search import Found, Game, Position, try_options
from sideboards.minds.belief import belief
from sideboards.minds.values import learned_worth

EFFORT = 60_000
"""How many cards are looked at in the first stage, in all samples of all options together."""
STAGES = 3
"""After every stage the better half of the options stays and gets twice as many samples."""
MARGIN = 0.01
"""What a point of distance is worth beside a victory."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What was found about an option."""

    move: Move
    points: float
    """The mean of the own final points."""
    utility: float
    """In solo the same; else the share of victories, and a little for the margin."""
    samples: int


def master_move(view: View, rng: Random) -> Move:
    """The option that does best in the end."""
    return max(trials(view, rng), key=lambda trial: (trial.samples, trial.utility)).move


def trials(
    view: View,
    rng: Random,
    *,
    samples: int | None = None,
    stages: int = STAGES,
    margin: float = MARGIN,
) -> list[Trial]:
    """What each option brings; the better ones are tried more often.

    `samples` is the number for every option in the first stage; by default as many as a fixed
    effort allows, whatever the table and the round.
    """
    moves = _moves(view)
    if samples is None:
        cards_ahead = len(view.boards) * len(view.hand) * (COLUMNS - len(view.boards[0]))
        samples = max(1, EFFORT // (len(moves) * cards_ahead))
    actions = np.array([action_of(move, view.hand) for move in moves])
    seats = len(view.boards)
    game = Game(
        material(view.edition, view.objective_numbers),
        rules(view.mode, seats),
        learned_worth(view.edition, view.objective_numbers),
    )
    here = position(view)
    alive = np.arange(len(moves))
    points, utility = np.zeros(len(moves)), np.zeros(len(moves))
    tried = np.zeros(len(moves), np.int64)
    for stage in range(stages):
        count = samples * 2**stage
        sums = Found(np.zeros(len(alive)), np.zeros(len(alive)))
        try_options(here, actions[alive], game, count, rng.getrandbits(62), margin, sums)
        points[alive] += sums.points
        utility[alive] += sums.utility
        tried[alive] += count
        if len(alive) <= 2:
            break
        order = np.argsort(-utility[alive], kind="stable")
        alive = np.sort(alive[order[: (len(alive) + 1) // 2]])
    return [
        Trial(move, points[i] / tried[i], utility[i] / tried[i], int(tried[i]))
        for i, move in enumerate(moves)
    ]


def _moves(view: View) -> list[Move]:
    """All options; of two starts that are each other's mirror image one is enough."""
    swap = view.swaps[view.seat or 0]
    return [
        move
        for move in choices(view.hand, start=view.round == 0, swap=swap)
        if not isinstance(move, Start)
        or view.hand.index(_number(move.left.card)) < view.hand.index(_number(move.right.card))
    ]


def _number(card: object) -> int:
    if not isinstance(card, int):
        raise TypeError("a game is played with numbered cards")
    return card


def position(view: View) -> Position:
    """What the seat of a view knows, as arrays; its own seat is number 0."""
    seats, me = len(view.boards), view.seat or 0
    order = [(me + i) % seats for i in range(seats)]
    known = belief(view)
    hands = np.zeros((seats, 4), np.int64)
    for i, seat in enumerate(order):
        hands[i, : len(known.hands[seat])] = known.hands[seat]
    return Position(
        words=np.array([board_words(view.boards[seat], view.edition) for seat in order]),
        hands=hands,
        swaps=np.array([view.swaps[seat] for seat in order]),
        # Only in a large game with many swaps can cards that are gone come back.
        pool=np.array(known.unseen + known.gone if seats == MOST_SEATS else known.unseen),
        columns=len(view.boards[me]),
        held=len(view.hand),
    )


def board_words(board: Board, edition: Edition) -> NDArray[np.int64]:
    """The tracks of a board, three to a word."""
    return np.array(words(tracks(board, edition)), np.int64)
