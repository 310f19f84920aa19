"""What both sides of a comparison share: how games are played at random, and how that is timed.

Imported by `bench.beside` and, in an environment without Sideboards, by `bench.peers`.
"""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import Random
from typing import Any, Protocol, TypeVar

import numpy as np

SEED = 2024

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Measured:
    """How many decisions were made in how many CPU seconds."""

    decisions: int
    seconds: float

    @property
    def rate(self) -> float:
        """Decisions per CPU second."""
        return self.decisions / self.seconds


Measure = Callable[[float], Measured]
"""Plays for about so many CPU seconds."""


class AecEnv(Protocol):
    """The part of PettingZoo's interface for turns that a game needs."""

    def reset(self, seed: int | None = None) -> None:
        """Begin a new game."""

    def agent_iter(self) -> Iterable[str]:
        """The agents in the order of their turns."""

    def last(self) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """What the agent whose turn it is may know."""

    def step(self, _action: int | None, /) -> None:
        """Make that agent's move; None for an agent whose game is over."""


def timed(prepare: Callable[[], T], play: Callable[[T], int], seconds: float) -> Measured:
    """What `play` did in about so many CPU seconds; the time of `prepare` does not count."""
    decisions, spent = 0, 0.0
    while spent < seconds:
        prepared = prepare()
        begin = time.process_time()
        decisions += play(prepared)
        spent += time.process_time() - begin
    return Measured(decisions, spent)


def nothing() -> None:
    """Prepare nothing: what leads up to the first decision is part of the measured time."""


def aec_games(env: AecEnv) -> Measure:
    """A measure of random games in `env`, whose mask of legal actions is in the observation."""
    rng = Random(SEED)
    env.reset(seed=SEED)
    return lambda seconds: timed(nothing, lambda _: aec_game(env, rng), seconds)


def aec_game(env: AecEnv, rng: Random) -> int:
    """Play one game by random legal actions; the number of decisions.

    The last step of an agent whose game is over is no decision, though its time counts.
    """
    decisions = 0
    env.reset()
    for _ in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            env.step(None)
            continue
        allowed = np.flatnonzero(observation["action_mask"])
        env.step(int(allowed[rng.randrange(len(allowed))]))
        decisions += 1
    return decisions
