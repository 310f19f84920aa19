"""Environments for learning agents: PettingZoo (parallel and AEC) and Gymnasium (solo).

``parallel_env()`` and ``env()`` seat 2 to 6 agents, `SoloEnv` one. All have the same 62 actions
(`fast.actions`) and the same observation, a dictionary of ``"observation"``, the vector of
`minds.observation.LAYOUT`, and ``"action_mask"``, a 1 for every legal action. The info of an
agent has the mask too, and at the end ``"points"`` by part, ``"total"`` and ``"place"``.

Rewards are 0 until the game is over. Then everybody gets, by the option ``reward``,
``"points"`` the own total, ``"margin"`` the own total less the best other one, or ``"win"``
1 for a sole victory and -1 / (players - 1) for everybody else, who together lose what the
winner wins; a shared victory shares the winner's part.

``reset(seed=s)`` deals what ``new_setup(edition, ..., rng=Random(s))`` deals; without a seed the
same chance goes on. ``reset(options={"setup": setup})`` deals a given set-up. Whoever plays an
illegal action ends the game: -1 for that agent, 0 for the others (`raw_env` refuses it instead).
"""

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any, Literal, SupportsInt, TypedDict, cast

import numpy as np

from sideboards.core.board import picture
from sideboards.core.edition import CARDS, NUMBERS, Edition, Numbers, check_numbers
from sideboards.core.game import MOST_SEATS, Setup, check_seats
from sideboards.core.refusal import IllegalMove, Refusal, quoted
from sideboards.core.scoring import Mode, Score
from sideboards.data import load_edition
from sideboards.fast.actions import ACTIONS, LEGAL, SWAP, WAIT, WAITING
from sideboards.minds.observation import SIZE, Vector, highs
from sideboards.minds.quick_game import QuickGame
from sideboards.minds.rewards import ILLEGAL_REWARD, Reward, check_reward, rewards

try:
    import gymnasium
    from gymnasium import spaces
    from pettingzoo import AECEnv, ParallelEnv
except ImportError as error:
    raise ImportError(
        f"sideboards.minds.envs: {error.name} is missing; "
        "expected the extra that brings it: sideboards[envs]"
    ) from None

RenderMode = Literal["ansi"]
Info = dict[str, Any]


class Observation(TypedDict):
    """What an agent sees: the vector of `LAYOUT`, and a 1 for every action it may choose."""

    observation: Vector
    action_mask: Vector


_INT8 = np.dtype(np.int8)
_MASKS = tuple(np.frombuffer(legal, np.int8) for legal in LEGAL)
"""By situation; they cannot be written to."""


def _observation_space() -> spaces.Space[Observation]:
    space = spaces.Dict(
        {
            "observation": spaces.Box(np.zeros(SIZE, np.int8), highs(), dtype=np.int8),
            "action_mask": spaces.Box(0, 1, (ACTIONS,), np.int8),
        }
    )
    return cast("spaces.Space[Observation]", space)


def _action_space() -> spaces.Space[int]:
    return cast("spaces.Space[int]", spaces.Discrete(ACTIONS))


def render(game: QuickGame) -> str:
    """The table as text, as a spectator sees it: open boards, no hands."""
    numbers = ",".join(map(str, game.numbers))
    head = f"round {game.round}, objectives {numbers}, pile {len(game.pile)}, "
    lines = [head + f"discards {len(game.discards)}"]
    for seat, (board, swap) in enumerate(zip(game.boards, game.swaps, strict=True)):
        lines += [
            f"seat {seat}{', swap card unused' if swap else ''}",
            picture(board, game.edition),
        ]
    return "\n".join(lines)


class Dealer:
    """Deals one game after the other, each as the core would from the same `Random`."""

    def __init__(
        self,
        edition: Edition,
        mode: Mode,
        seats: int,
        *,
        objectives: Numbers | None,
        tallies: bool,
    ) -> None:
        check_seats(seats, mode)
        if objectives is not None:
            check_numbers(objectives)
        self.game = QuickGame(edition, mode, seats, tallies=tallies)
        self._objectives = objectives
        self._rng = Random()
        # Only six seats with swap cards can ever use up the pile (R15).
        self._refills = seats == MOST_SEATS and mode == "standard"

    def deal(self, seed: int | None, options: Mapping[str, Any] | None) -> None:
        """Deal the game of a seed, of the set-up in the options, or the next one."""
        if seed is not None:
            self._rng.seed(seed)
        if options and "setup" in options:
            self._deal_given(options["setup"])
            return
        rng, numbers = self._rng, self._objectives
        if numbers is None:
            color, handle, row = (rng.choice(range_) for range_ in NUMBERS.values())
            numbers = color, handle, row
        deck = shuffled(rng)
        self.game.deal(numbers, deck, shuffled(rng) if self._refills else [])

    def _deal_given(self, setup: object) -> None:
        game = self.game
        if not isinstance(setup, Setup):
            raise Refusal(f"options: found {quoted(setup)} as the setup; expected a Setup")
        found = setup.edition, setup.mode, setup.seats
        if found != (game.edition, game.mode, game.seats):
            raise Refusal(
                f"options: found a setup for {setup.seats} seats, {setup.mode}, "
                f"edition {setup.edition.name}; expected {game.seats} seats, {game.mode}, "
                f"edition {game.edition.name}"
            )
        game.deal(setup.objectives, list(setup.deck), list(setup.refill))


_DECK = range(1, CARDS + 1)
_DRAWS = tuple((left, left.bit_length()) for left in range(CARDS, 0, -1))


def shuffled(rng: Random) -> list[int]:
    """All cards as ``rng.sample`` orders them, drawn in the same way but without its checks."""
    bits, rest, deck = rng.getrandbits, [*_DECK], []
    for left, size in _DRAWS:
        place = bits(size)
        while place >= left:
            place = bits(size)
        deck.append(rest[place])
        rest[place] = rest[left - 1]
    return deck


def _final_info(score: Score) -> Info:
    color, handle, row, bonus, swap = points = score.points
    return {
        "action_mask": _MASKS[-1].copy(),
        "points": {"color": color, "handle": handle, "row": row, "bonus": bonus, "swap": swap},
        "total": sum(points),
        "place": score.place,
    }


def _checked_options(reward: Reward, render_mode: RenderMode | None) -> None:
    check_reward(reward)
    if render_mode not in (None, "ansi"):
        raise Refusal(f"render_mode: found {quoted(render_mode)}; expected ansi or none")


class _Table:
    """What both PettingZoo environments have in common: agents, spaces, the dealer, the text."""

    metadata: dict[str, Any] = {  # noqa: RUF012 (PettingZoo declares it without ClassVar)
        "name": "sideboards_v0",
        "render_modes": ["ansi"],
        "render_fps": 1,
        "is_parallelizable": False,  # whoever swaps acts again, which that wrapper cannot do
    }

    def __init__(
        self,
        *,
        players: int = 2,
        variant: bool = False,
        objectives: Numbers | None = None,
        edition: Edition | None = None,
        reward: Reward = "points",
        tallies: bool = False,
        render_mode: RenderMode | None = None,
    ) -> None:
        _checked_options(reward, render_mode)
        mode: Mode = "variant" if variant else "standard"
        self._dealer = Dealer(
            edition or load_edition(), mode, players, objectives=objectives, tallies=tallies
        )
        self._game = self._dealer.game
        self._reward: Reward = reward
        self.render_mode = render_mode
        self.possible_agents = [f"seat_{seat}" for seat in range(players)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._observation_spaces = {agent: _observation_space() for agent in self.possible_agents}
        self._action_spaces = {agent: _action_space() for agent in self.possible_agents}

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 (whatever is missing has no type)
        """Whatever an environment gets by its first `reset` is missing before."""
        raise AttributeError(f"{name}: not there; expected a name of this class, after reset()")

    def observation_space(self, agent: str) -> spaces.Space[Observation]:
        """The space of all observations of an agent."""
        return self._observation_spaces[self._known(agent)]

    def action_space(self, agent: str) -> spaces.Space[int]:
        """The space of the 62 actions; every agent has its own to draw from."""
        return self._action_spaces[self._known(agent)]

    def render(self) -> str | None:
        """The table as text, when the render mode is ``"ansi"``."""
        return render(self._game) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Nothing has to be released."""

    def observe(self, agent: str) -> Observation:
        """What an agent sees now, and what it may do."""
        seat = self._seats[agent]
        game = self._game
        return {
            "observation": np.ndarray(SIZE, _INT8, game.observe(seat)),
            "action_mask": _MASKS[game.situations[seat]].copy(),
        }

    def _known(self, agent: str) -> str:
        if agent not in self._seats:
            raise Refusal(f"agent: found {quoted(agent)}; expected {', '.join(self._seats)}")
        return agent


class SideboardsAEC(_Table, AECEnv[str, Observation, int]):
    """The game one agent at a time: in seat order, whoever swaps acts again at once.

    The choices of a round stay sealed until the last agent has chosen, so the agents decide as
    simultaneously as at the table. See the module for the options; `raw_env` makes one.
    """

    agents: list[str]
    agent_selection: str

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Deal a new game."""
        self._dealer.deal(seed, options)
        agents = self.possible_agents
        self.agents = agents[:]
        self.rewards = dict.fromkeys(agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(agents, 0.0)
        self.terminations = dict.fromkeys(agents, False)
        self.truncations = dict.fromkeys(agents, False)
        mask = _MASKS[self._game.situations[0]]
        self.infos: dict[str, Info] = {agent: {"action_mask": mask} for agent in agents}
        self.agent_selection = agents[0]
        self._seat = 0
        self._stepped = True

    def step(self, action: SupportsInt | None) -> None:
        """Make the selected agent's action and select the next one; None after the end."""
        self._stepped = True
        agent = self.agent_selection
        if self.terminations.get(agent, True):
            self._leave(action)
            return
        seat, game = self._seat, self._game
        number = -1 if action is None else int(action)
        if not (0 <= number < ACTIONS and LEGAL[game.situations[seat]][number]):
            self._refuse(number)
            return
        game.act(seat, number)
        infos = self.infos
        if number == SWAP:
            infos[agent] = {"action_mask": _MASKS[game.situations[seat]]}
            return
        seat += 1
        if seat < game.seats:
            infos[agent] = {"action_mask": _MASKS[WAITING]}
        else:
            seat = 0
            if game.over:
                self._end()
            else:
                for each, situation in zip(self.possible_agents, game.situations, strict=True):
                    infos[each] = {"action_mask": _MASKS[situation]}
        self._seat = seat
        self.agent_selection = self.possible_agents[seat]

    def agent_iter(  # type: ignore[override]  # a loop needs no more than an iterator
        self, max_iter: int = 2**63
    ) -> Iterator[str]:
        """The selected agent, again and again until all have left; step in between."""
        while self.agents and max_iter > 0:
            max_iter -= 1
            yield self.agent_selection

    def _leave(self, action: SupportsInt | None) -> None:
        """The selected agent leaves after the end; the next one is selected."""
        agent = self.agent_selection
        if not self.agents:
            raise Refusal("step: found no agent, the game is over; expected reset() first")
        if action is not None:
            raise Refusal(f"action: found {action} of {agent} after the end; expected None")
        for each in (
            self.terminations,
            self.truncations,
            self.rewards,
            self._cumulative_rewards,
            self.infos,
        ):
            del each[agent]
        self.agents.remove(agent)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        if self.agents:
            self.agent_selection = self.agents[0]

    def _refuse(self, action: int) -> None:
        raise IllegalMove(
            "not_legal",
            f"action: found {action} of {self.agent_selection}; "
            "expected one whose place in the action mask is 1",
        )

    def _end(self) -> None:
        scores = self._game.scores()
        for agent, score, reward in zip(
            self.agents, scores, rewards(scores, self._reward), strict=True
        ):
            self.rewards[agent] = self._cumulative_rewards[agent] = reward
            self.terminations[agent] = True
            self.infos[agent] = _final_info(score)


class CheckedAEC(SideboardsAEC):
    """The same with the checks of PettingZoo's usual wrappers built in, which takes no time.

    An illegal action ends the game as `TerminateIllegalWrapper` does; an action that is no action
    at all is refused as `AssertOutOfBoundsWrapper` does; what is called out of order is refused
    as `OrderEnforcingWrapper` does.
    """

    def agent_iter(  # type: ignore[override]  # a loop needs no more than an iterator
        self, max_iter: int = 2**63
    ) -> Iterator[str]:
        """The selected agent, again and again until all have left; step in between."""
        while self.agents and max_iter > 0:
            max_iter -= 1
            if not self._stepped:
                raise Refusal("agent_iter: found no step in its loop; expected step() or reset()")
            self._stepped = False
            yield self.agent_selection

    def _refuse(self, action: int) -> None:
        if not 0 <= action < ACTIONS:
            raise Refusal(f"action: found {action}; expected 0 to {ACTIONS - 1}")
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self.rewards[self.agent_selection] = ILLEGAL_REWARD
        self._cumulative_rewards = self.rewards.copy()
        self.terminations = dict.fromkeys(self.agents, True)
        self.truncations = dict.fromkeys(self.agents, True)
        self.agent_selection = self.agents[0]


class SideboardsParallel(_Table, ParallelEnv[str, Observation, int]):
    """The game all at once: every step takes one action of every agent.

    Whoever swaps has the new hand in the next step. Then those who have sealed a choice have
    one legal action, to wait; when nobody swaps, a step is a round. `parallel_env` makes one.
    """

    agents: list[str]

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, Info]]:
        """Deal a new game; what everybody sees, and infos."""
        self._dealer.deal(seed, options)
        self.agents = self.possible_agents[:]
        return self._seen()

    def step(
        self, actions: Mapping[str, SupportsInt]
    ) -> tuple[
        dict[str, Observation],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, Info],
    ]:
        """Make everybody's action: swaps at once in seat order, choices when all have sealed."""
        if {*actions} != {*self.agents}:
            found = ", ".join(map(str, actions)) or "nobody"
            raise Refusal(f"actions: found {found}; expected {', '.join(self.agents) or 'reset()'}")
        agents, game = self.possible_agents, self._game
        numbers = [int(actions[agent]) for agent in self.agents]
        illegal = [
            not 0 <= number < ACTIONS or not LEGAL[situation][number]
            for number, situation in zip(numbers, game.situations, strict=True)
        ]
        paid = [0.0] * len(agents)
        if any(illegal):
            paid = [ILLEGAL_REWARD if wrong else 0.0 for wrong in illegal]
        else:
            for seat, number in enumerate(numbers):
                if number != WAIT:
                    game.act(seat, number)
        observations, infos = self._seen()
        if game.over:
            scores = game.scores()
            paid = rewards(scores, self._reward)
            infos = {agent: _final_info(score) for agent, score in zip(agents, scores, strict=True)}
        ended = game.over or any(illegal)
        if ended:
            self.agents = []
        return (
            observations,
            dict(zip(agents, paid, strict=True)),
            dict.fromkeys(agents, ended),
            dict.fromkeys(agents, False),
            infos,
        )

    def _seen(self) -> tuple[dict[str, Observation], dict[str, Info]]:
        observations = {agent: self.observe(agent) for agent in self.possible_agents}
        return observations, {
            agent: {"action_mask": seen["action_mask"]} for agent, seen in observations.items()
        }


class SoloEnv(gymnasium.Env[Observation, int]):
    """The solo game for Gymnasium, registered as ``Sideboards-v0``; the reward is the total."""

    metadata: dict[str, Any] = {  # noqa: RUF012 (Gymnasium declares it without ClassVar)
        "render_modes": ["ansi"],
        "render_fps": 1,
    }

    def __init__(
        self,
        *,
        objectives: Numbers | None = None,
        edition: Edition | None = None,
        tallies: bool = False,
        render_mode: RenderMode | None = None,
    ) -> None:
        _checked_options("points", render_mode)
        self._dealer = Dealer(
            edition or load_edition(), "solo", 1, objectives=objectives, tallies=tallies
        )
        self._game = self._dealer.game
        self._ended = True
        self.render_mode = render_mode
        self.observation_space = _observation_space()
        self.action_space = _action_space()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, Info]:
        """Deal a new game; what is seen, and the info."""
        super().reset(seed=seed)
        self._dealer.deal(seed, options)
        self._ended = False
        seen = self._observe()
        return seen, {"action_mask": seen["action_mask"]}

    def step(self, action: SupportsInt) -> tuple[Observation, float, bool, bool, Info]:
        """Make an action; an illegal one ends the game."""
        if self._ended:
            raise Refusal("step: found no game in play; expected reset() first")
        number, game = int(action), self._game
        if not (0 <= number < ACTIONS and LEGAL[game.situations[0]][number]):
            self._ended = True
            seen = self._observe()
            return seen, ILLEGAL_REWARD, True, False, {"action_mask": seen["action_mask"]}
        game.act(0, number)
        seen = self._observe()
        if game.over:
            self._ended = True
            (score,) = game.scores()
            return seen, float(score.points.total), True, False, _final_info(score)
        return seen, 0.0, False, False, {"action_mask": seen["action_mask"]}

    def render(self) -> str | None:
        """The table as text, when the render mode is ``"ansi"``."""
        return render(self._game) if self.render_mode == "ansi" else None

    def action_masks(self) -> Vector:
        """A 1 for every legal action, under the name that maskable learners ask for."""
        return _MASKS[self._game.situations[0]].copy()

    def _observe(self) -> Observation:
        game = self._game
        return {
            "observation": np.ndarray(SIZE, _INT8, game.observe(0)),
            "action_mask": _MASKS[game.situations[0]].copy(),
        }


def raw_env(**options: Any) -> SideboardsAEC:  # noqa: ANN401 (the class has the types)
    """An AEC environment that refuses illegal actions; options as in `SideboardsAEC`."""
    return SideboardsAEC(**options)


def env(**options: Any) -> CheckedAEC:  # noqa: ANN401 (the class has the types)
    """An AEC environment with the usual checks; options as in `SideboardsAEC`."""
    return CheckedAEC(**options)


def parallel_env(**options: Any) -> SideboardsParallel:  # noqa: ANN401 (the class has the types)
    """A parallel environment; options as in `SideboardsAEC`."""
    return SideboardsParallel(**options)


gymnasium.register(id="Sideboards-v0", entry_point="sideboards.minds.envs:SoloEnv")
