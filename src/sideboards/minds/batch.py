"""Thousands of games at once: a batched environment on arrays, stepped by compiled kernels.

`BatchedEnv` has the actions of `fast.actions` and the observations of `minds.observation`. A step
takes one action of every seat of every game, as the parallel environment does: swaps happen at
once in seat order, whoever has sealed a choice waits, and the round closes when all have sealed.

It needs the extra ``fast``; the first step of a new installation waits until its kernels are
compiled.
"""

from collections.abc import Sequence
from functools import lru_cache
from random import Random
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sideboards.core.edition import CARDS, NUMBERS, Edition, Numbers, check_numbers
from sideboards.core.game import Setup, check_seats
from sideboards.core.refusal import IllegalMove, Refusal, quoted
from sideboards.core.scoring import MODES, Mode
from sideboards.data import load_edition
from sideboards.fast.actions import OVER
from sideboards.minds.observation import LAYOUT, SIZE, Vector, drawers
from sideboards.minds.rewards import Reward, check_reward, rewards_of_many

try:
    from sideboards.fast import engine, seen
    from sideboards.fast import games as side_by_side
except ImportError as error:
    raise ImportError(
        f"sideboards.minds.batch: {error.name} is missing; "
        "expected the extra that brings it: sideboards[fast]"
    ) from None

Info = dict[str, NDArray[Any]]
_PLACES = seen.Places(**{name: LAYOUT[name].start for name in seen.Places._fields})
_MOST_SEED = 2**63 - 1


@lru_cache(maxsize=8)
def _faces(edition: Edition) -> NDArray[np.int64]:
    """The drawers of every card as `fast.seen` wants them."""
    faces = np.zeros((2 * CARDS + 2, seen.CARD_SIZE), np.int8)
    for number, card in enumerate(edition.cards, 1):
        faces[2 * number] = drawers(card).ravel()
        faces[2 * number + 1] = drawers(card.turn()).ravel()
    return faces.view(np.int64)


class BatchedEnv:
    """Games side by side, all with the same number of players and mode.

    One player means the solo game. Objectives that are None are drawn for every game anew. With
    `autoreset` a game that is over begins anew in the same step; without it waits until `reset`.
    Without `observations` none are written, which is many times faster.
    """

    def __init__(
        self,
        games: int,
        *,
        players: int = 2,
        variant: bool = False,
        objectives: Numbers | None = None,
        edition: Edition | None = None,
        reward: Reward = "points",
        tallies: bool = False,
        observations: bool = True,
        autoreset: bool = True,
    ) -> None:
        if type(games) is not int or games < 1:
            raise Refusal(f"games: found {quoted(games)}; expected a whole number from 1")
        self.mode: Mode = "variant" if variant else ("solo" if players == 1 else "standard")
        check_seats(players, self.mode)
        check_reward(reward)
        if self.mode == "solo" and reward != "points":
            raise Refusal(f"reward: found {quoted(reward)} in mode solo; expected points")
        if objectives is not None:
            check_numbers(objectives)
        self.games, self.players = games, players
        self.edition = edition or load_edition()
        self.autoreset = autoreset
        self._reward: Reward = reward
        self._tallies, self._size = tallies, SIZE if observations else 0
        self._rules = engine.rules(self.mode, players)
        self._library = side_by_side.library(self.edition, objectives)
        self._table = side_by_side.new_games(games, players)
        self._open = side_by_side.Open(
            np.tile(np.array(objectives or (0, 0, 0)), (games, 1)), np.zeros((games, 5), np.int64)
        )
        ranges = [] if objectives else [(each[0], each[-1]) for each in NUMBERS.values()]
        self._drawn = np.array(ranges, np.int64).reshape(-1, 2)
        self._chances = np.zeros(games, np.uint64)
        side_by_side.first_chances(Random().getrandbits(63), self._chances)

    def reset(
        self, seed: int | None = None, *, setups: Sequence[Setup] | None = None
    ) -> tuple[Vector, Info]:
        """Deal all games anew; what everybody sees, and infos.

        The same seed deals the same games; without one the chance of every game goes on. With
        `setups`, one for every game, those are dealt.
        """
        if seed is not None:
            if not 0 <= seed <= _MOST_SEED:
                raise Refusal(f"seed: found {seed}; expected 0 to 2**63 - 1")
            side_by_side.first_chances(seed, self._chances)
        which = np.ones(self.games, np.bool_)
        if setups is None:
            self._shuffle(which)
        else:
            self._take(setups)
        self._begin(which)
        return self._seen(), self._info(np.zeros((self.games, self.players), np.int64))

    def step(
        self, actions: ArrayLike
    ) -> tuple[Vector, NDArray[np.float32], NDArray[np.bool_], Info]:
        """Make one action of every seat of every game: observations, rewards, dones and infos.

        What is given out is never changed later. Nothing happens if any action is illegal. In
        games that are over, which is possible without `autoreset`, actions are not looked at.
        """
        checked = self._checked(actions)
        totals = np.zeros((self.games, self.players), np.int64)
        dones = np.zeros(self.games, np.bool_)
        side_by_side.act(
            self._table,
            self._library,
            self._open,
            self._rules,
            checked,
            totals,
            dones,
        )
        rewards = np.zeros(totals.shape, np.float32)
        if dones.any():
            rewards[dones] = rewards_of_many(totals[dones], self._reward)
            if self.autoreset:
                self._shuffle(dones)
                self._begin(dones)
        return self._seen(), rewards, dones, self._info(totals)

    def masks(self) -> Vector:
        """A 1 for every legal action, by game and seat; none where a game is over."""
        return side_by_side.LEGAL_ACTIONS[self._table.situations]

    def setup_of(self, game: int) -> Setup:
        """The set-up that was dealt to a game, to play it again in the core."""
        color, handle, row = self._open.numbers[game].tolist()
        return Setup(
            edition=self.edition,
            mode=self.mode,
            seats=self.players,
            objectives=(color, handle, row),
            deck=tuple(self._table.order[game].tolist()),
            refill=tuple(self._table.refill[game].tolist()),
        )

    def _checked(self, actions: ArrayLike) -> NDArray[np.int64]:
        found = np.asarray(actions)
        expected = self.games, self.players
        if found.shape != expected or found.dtype.kind not in "iu":
            raise Refusal(
                f"actions: found an array of {found.dtype} with shape {found.shape}; "
                f"expected whole numbers with shape {expected}"
            )
        if (self._table.situations == OVER).all():
            raise Refusal("step: found no game in play; expected reset() first")
        numbers = np.ascontiguousarray(found, np.int64)
        wrong = side_by_side.first_illegal(numbers, self._table.situations)
        if wrong >= 0:
            game, seat = divmod(wrong, self.players)
            raise IllegalMove(
                "not_legal",
                f"actions: found {numbers[game, seat]} of seat {seat} in game {game}; "
                "expected one whose place in the action mask is 1",
            )
        return numbers

    def _shuffle(self, which: NDArray[np.bool_]) -> None:
        side_by_side.shuffle(
            self._table, self._open, self._rules, which, self._chances, self._drawn
        )

    def _begin(self, which: NDArray[np.bool_]) -> None:
        side_by_side.deal(self._table, self._library, self._open, self._rules, which)

    def _take(self, setups: Sequence[Setup]) -> None:
        if len(setups) != self.games:
            raise Refusal(
                f"setups: found {len(setups)}; expected one for each of {self.games} games"
            )
        fixed = None if len(self._drawn) else tuple(self._open.numbers[0].tolist())
        for game, setup in enumerate(setups):
            found = setup.edition, setup.mode, setup.seats
            if found != (self.edition, self.mode, self.players):
                raise Refusal(
                    f"setups: found {setup.seats} seats, {setup.mode}, edition "
                    f"{setup.edition.name} for game {game}; expected {self.players} seats, "
                    f"{self.mode}, edition {self.edition.name}"
                )
            if fixed not in (None, setup.objectives):
                raise Refusal(
                    f"setups: found objectives {setup.objectives} for game {game}; expected {fixed}"
                )
        for game, setup in enumerate(setups):
            self._table.order[game], self._table.refill[game] = setup.deck, setup.refill
            self._open.numbers[game] = setup.objectives

    def _seen(self) -> Vector:
        vectors = np.zeros((self.games, self.players, self._size), np.int8)
        if self._size:
            seen.observe(
                self._table,
                self._library,
                self._open,
                self._rules,
                MODES.index(self.mode),
                _faces(self.edition),
                _PLACES,
                self._tallies,
                vectors,
            )
        return vectors

    def _info(self, totals: NDArray[np.int64]) -> Info:
        return {"action_mask": self.masks(), "total": totals}
