"""No hidden information: what a seat gets is equal, byte for byte, in worlds it cannot tell apart.

Two deals are played side by side. The second is imagined from what one seat may know at some
moment of the first; everybody's open moves are the same, the hidden cards and the choices that
are still sealed are not. All that the environment tells the seat until then must be equal.
"""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
import pytest

from sideboards import (
    Edition,
    Mode,
    Move,
    Setup,
    Swap,
    deal,
    imagine,
    legal,
    new_setup,
    step,
    view,
)
from sideboards.core.edition import CARDS
from sideboards.fast.actions import ACTIONS, WAIT, action_of
from sideboards.minds.batch import BatchedEnv
from sideboards.minds.envs import (
    CheckedAEC,
    Info,
    Observation,
    SideboardsAEC,
    SideboardsParallel,
    SoloEnv,
)
from sideboards.minds.observation import Vector
from tests.games import TABLES

pytestmark = pytest.mark.long

Told = list[bytes]


@dataclass(frozen=True, slots=True)
class World:
    """A deal and what was played so far, in seat order as an AEC environment asks."""

    setup: Setup
    moves: list[tuple[int, Move]]


AECMaker = Callable[..., SideboardsAEC]


def as_bytes(seen: Observation, info: Info, *more: object) -> bytes:
    """All that an agent is told at one moment."""
    mask: Any = info.get("action_mask")
    rest = {name: value for name, value in info.items() if name != "action_mask"}
    return b"|".join(
        [
            seen["observation"].tobytes(),
            seen["action_mask"].tobytes(),
            mask.tobytes(),
            repr((rest, *more)).encode(),
        ]
    )


def told_by_aec(make: AECMaker, world: World, seat: int) -> Told:
    """Everything that an AEC environment tells a seat, up to now."""
    setup = world.setup
    table = make(players=setup.seats, variant=setup.mode == "variant", edition=setup.edition)
    table.reset(options={"setup": setup})
    agent = f"seat_{seat}"
    told = [as_bytes(table.observe(agent), table.infos[agent], table.agent_selection)]
    for who, move in world.moves:
        assert table.agent_selection == f"seat_{who}"
        table.step(action_of(move, table._game.hands[who]))
        more = table.agent_selection, table.rewards[agent], table.terminations[agent]
        told.append(as_bytes(table.observe(agent), table.infos[agent], *more, table.render()))
    return told


def steps_of_all(world: World) -> list[list[list[Move]]]:
    """The moves of the rounds that are closed: by round and seat, swaps before the choice."""
    rounds: list[list[list[Move]]] = []
    waiting: list[list[Move]] = [[] for _ in range(world.setup.seats)]
    for who, move in world.moves:
        waiting[who].append(move)
        if all(moves and not isinstance(moves[-1], Swap) for moves in waiting):
            rounds.append(waiting)
            waiting = [[] for _ in waiting]
    return rounds


def told_by_parallel(make: Callable[..., SideboardsParallel], world: World, seat: int) -> Told:
    """Everything that a parallel environment tells a seat in the rounds that are closed."""
    setup = world.setup
    table = make(players=setup.seats, variant=setup.mode == "variant", edition=setup.edition)
    seen, infos = table.reset(options={"setup": setup})
    agent = f"seat_{seat}"
    told = [as_bytes(seen[agent], infos[agent])]
    for waiting in steps_of_all(world):
        while any(waiting):
            hands = table._game.hands
            actions = {
                f"seat_{i}": action_of(moves.pop(0), hands[i]) if moves else WAIT
                for i, moves in enumerate(waiting)
            }
            seen, paid, ended, _, infos = table.step(actions)
            told.append(as_bytes(seen[agent], infos[agent], paid[agent], ended[agent]))
    return told


def told_by_batch(make: Callable[..., BatchedEnv], worlds: list[World], seat: int) -> list[Told]:
    """Everything that a batched environment tells a seat in closed rounds of equal lengths."""
    setup = worlds[0].setup
    table = make(len(worlds), players=setup.seats, variant=setup.mode == "variant", tallies=True)
    seen, infos = table.reset(setups=[world.setup for world in worlds])
    told = [
        [row[seat].tobytes(), mask[seat].tobytes()]
        for row, mask in zip(seen, infos["action_mask"], strict=True)
    ]
    for rounds in zip(*map(steps_of_all, worlds), strict=True):
        while any(any(waiting) for waiting in rounds):
            hands = [[tuple(filter(None, h)) for h in game] for game in table._table.hands.tolist()]
            seen, paid, ended, infos = table.step(
                [
                    [
                        action_of(moves.pop(0), hands[g][i]) if moves else WAIT
                        for i, moves in enumerate(waiting)
                    ]
                    for g, waiting in enumerate(rounds)
                ]
            )
            for game, so_far in enumerate(told):
                told_now = seen[game, seat], infos["action_mask"][game, seat], infos["total"][game]
                so_far += [each.tobytes() for each in (*told_now, paid[game], ended[game])]
    return told


def told_by_solo(make: Callable[..., SoloEnv], world: World) -> Told:
    """Everything that the solo environment tells, up to now."""
    table = make(edition=world.setup.edition)
    seen, info = table.reset(options={"setup": world.setup})
    told = [as_bytes(seen, info)]
    for _, move in world.moves:
        seen, paid, ended, _, info = table.step(action_of(move, table._game.hands[0]))
        told.append(as_bytes(seen, info, paid, ended))
    return told


def worlds(edition: Edition, mode: Mode, seats: int, seed: int) -> tuple[World, World, int]:
    """A game up to a random moment, one that a seat cannot tell from it, and that seat."""
    rng = Random(f"{mode} {seats} {seed}")
    state = deal(new_setup(edition, mode=mode, seats=seats, rng=rng))
    moves: list[tuple[int, Move]] = []
    length = rng.randrange(seats, 7 * seats)
    while len(moves) < length or state.waiting == tuple(range(seats)):  # within a round
        seat = state.waiting[0]
        options = legal(state, seat)
        swapping = isinstance(options[-1], Swap) and rng.random() < 0.2
        move = Swap() if swapping else rng.choice([o for o in options if not isinstance(o, Swap)])
        moves.append((seat, move))
        state = step(state, seat, move)
        if seats == 1 and len(moves) >= length:
            break
    seat = rng.randrange(seats)
    twin = imagine(view(state, seat), rng)
    sealed = sum(choice is not None for choice in state.sealed)
    hidden: list[tuple[int, Move]] = [
        (who, choice) for who, choice in enumerate(twin.sealed) if choice is not None
    ]
    other = World(twin.setup, swapped_in(moves, hidden, sealed))
    assert twin.setup.objectives == state.setup.objectives
    assert twin.setup.deck != state.setup.deck, "the two worlds really differ"
    assert [*twin.pile, *(each.hand for each in twin.seats)] != [
        *state.pile,
        *(each.hand for each in state.seats),
    ], "and not only in what lies open"
    return World(state.setup, moves), other, seat


def swapped_in(
    moves: list[tuple[int, Move]], hidden: list[tuple[int, Move]], sealed: int
) -> list[tuple[int, Move]]:
    """The moves with those that are still sealed, the last choices made, replaced."""
    found = moves[:]
    places = [i for i, (_, move) in enumerate(moves) if not isinstance(move, Swap)]
    for place, choice in zip(places[len(places) - sealed :], hidden, strict=True):
        found[place] = choice
    return found


MULTI = [table for table in TABLES if table[1] > 1]


@pytest.mark.parametrize("make", [SideboardsAEC, CheckedAEC])
@pytest.mark.parametrize(("mode", "seats"), MULTI)
def test_r16_aec_tells_nothing_hidden(
    edition: Edition, mode: Mode, seats: int, make: AECMaker
) -> None:
    for seed in range(12):
        one, other, seat = worlds(edition, mode, seats, seed)
        told = told_by_aec(make, one, seat)
        assert told == told_by_aec(make, other, seat)
        assert len(told) == len(one.moves) + 1


@pytest.mark.parametrize(("mode", "seats"), MULTI)
def test_r16_parallel_tells_nothing_hidden(edition: Edition, mode: Mode, seats: int) -> None:
    for seed in range(12):
        one, other, seat = worlds(edition, mode, seats, seed)
        told = told_by_parallel(SideboardsParallel, one, seat)
        assert told == told_by_parallel(SideboardsParallel, other, seat)
        assert len(told) > 1


@pytest.mark.parametrize(("mode", "seats"), TABLES)
def test_r16_batch_tells_nothing_hidden(edition: Edition, mode: Mode, seats: int) -> None:
    for seed in range(12):
        *both, seat = worlds(edition, mode, seats, seed)
        one, other = told_by_batch(BatchedEnv, both, seat)
        assert one == other
        assert len(one) > 2


def test_r16_solo_tells_nothing_hidden(edition: Edition) -> None:
    for seed in range(30):
        one, other, _ = worlds(edition, "solo", 1, seed)
        assert told_by_solo(SoloEnv, one) == told_by_solo(SoloEnv, other)


# The same comparison finds leaks that are planted on purpose.


class NeighbourSeen(SideboardsAEC):
    """Marks a card of the left neighbour's hand as seen."""

    def observe(self, agent: str) -> Observation:
        seen = super().observe(agent)
        left = self._game.hands[(self._seats[agent] + 1) % self._game.seats]
        seen["observation"][-1] = left[-1] if left else 0
        return seen


class PileSeen(SideboardsAEC):
    """Tells the top of the pile in the info."""

    def step(self, action: Any) -> None:  # noqa: ANN401
        super().step(action)
        for info in self.infos.values():
            info["hint"] = self._game.pile[:1]


class SealSeen(SideboardsAEC):
    """Takes from the mask what a neighbour has sealed."""

    def observe(self, agent: str) -> Observation:
        seen = super().observe(agent)
        for other, sealed in enumerate(self._game.sealed):
            if other != self._seats[agent]:
                seen["action_mask"][sealed % ACTIONS] ^= 1
        return seen


class BottomRendered(SideboardsAEC):
    """Shows the bottom of the pile in the picture of the table."""

    def render(self) -> str:
        return f"{self._game.pile[-1:]}"


@pytest.mark.parametrize("make", [NeighbourSeen, PileSeen, SealSeen, BottomRendered])
def test_a_planted_leak_is_caught(edition: Edition, make: AECMaker) -> None:
    found = 0
    for seed in range(12):
        one, other, seat = worlds(edition, "standard", 3, seed)
        found += told_by_aec(make, one, seat) != told_by_aec(make, other, seat)
    assert found >= 6


class ParallelPassing(SideboardsParallel):
    """Tells whoever passes a card what the neighbour already had."""

    def observe(self, agent: str) -> Observation:
        seen = super().observe(agent)
        left = self._game.hands[(self._seats[agent] + 1) % self._game.seats]
        seen["observation"][-2] = sum(left) % 100
        return seen


class SoloPeeking(SoloEnv):
    """Marks the next card of the pile as seen."""

    def _observe(self) -> Observation:
        seen = super()._observe()
        seen["observation"][-1] = (self._game.pile or [0])[0]
        return seen


def test_a_leak_planted_in_the_parallel_or_solo_environment_is_caught(edition: Edition) -> None:
    parallel = solo = 0
    for seed in range(12):
        one, other, seat = worlds(edition, "standard", 3, seed)
        parallel += told_by_parallel(ParallelPassing, one, seat) != told_by_parallel(
            ParallelPassing, other, seat
        )
        one, other, _ = worlds(edition, "solo", 1, seed)
        solo += told_by_solo(SoloPeeking, one) != told_by_solo(SoloPeeking, other)
    assert min(parallel, solo) >= 10


class BatchPeeking(BatchedEnv):
    """Marks a card of the left neighbour as seen."""

    def _seen(self) -> Vector:
        vectors = super()._seen()
        vectors[:, :, -1] = np.roll(self._table.hands[:, :, 1], -1, axis=1)
        return vectors


class BatchHinting(BatchedEnv):
    """Writes the next card of the pile into the mask."""

    def masks(self) -> Vector:
        masks = super().masks()
        deck, top = self._table.deck, self._table.at[:, 0]
        masks[:, :, 0] = deck[range(self.games), top % CARDS, np.newaxis]
        return masks


@pytest.mark.parametrize("make", [BatchPeeking, BatchHinting])
def test_a_leak_planted_in_the_batched_environment_is_caught(
    edition: Edition, make: Callable[..., BatchedEnv]
) -> None:
    found = 0
    for seed in range(12):
        *both, seat = worlds(edition, "standard", 3, seed)
        one, other = told_by_batch(make, both, seat)
        found += one != other
    assert found >= 10
