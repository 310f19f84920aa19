"""`python -m proof.environment SEED COUNT NAME`: twin worlds in environments for agents.

What PettingZoo's environment tells a seat of 2 to 6, and Gymnasium's the one of solo, is the same
in both worlds up to their time: observations, masks, infos, rewards and the picture as text. After
it somebody is told something else. In a process of its own, because NAME may be a planted bug; it
is `none` otherwise. It writes what it found as JSON.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from proof.agents import Told
from proof.mutants import MUTANTS
from proof.twins import Deed, Pair, World, twins
from sideboards.core.game import State, step
from sideboards.core.notation import parse_move
from sideboards.data import load_edition
from sideboards.fast.actions import action_of
from sideboards.minds.envs import Observation, SideboardsAEC, SoloEnv

MOST_FAULTS = 20


def find(seed: int, count: int) -> Told:
    """Play so many pairs."""
    found, edition = Told(), load_edition()
    for number in range(count):
        pair = twins(edition, seed, number, orderly=True)
        one, other = ([*_played(world)] for world in pair.worlds)
        time = len(pair.worlds[0].deeds) + 1
        found.pairs += 1
        found.changed += one[time:] != other[time:]
        for viewer in [each for each in pair.blind if each is not None]:
            mine, yours = (b"|".join(each[viewer] for each in told[:time]) for told in (one, other))
            found.compared += len(mine)
            if mine != yours and len(found.faults) < MOST_FAULTS:
                found.faults.append(f"{_name(pair, seed)}: the environment tells seat {viewer}")
    return found


def _name(pair: Pair, seed: int) -> str:
    return f"orderly pair {pair.number} of seed {seed} ({pair.kind})"


def _played(world: World) -> Iterator[list[bytes]]:
    """What every seat is told, from the deal to the end of the round after the time."""
    states = [*world.states()]
    for last in world.last:
        states.append(step(states[-1], last.seat, parse_move(last.action)))
    table = _Alone(world) if world.setup.mode == "solo" else _Together(world)
    deeds: list[Deed | None] = [*world.deeds, *world.last, None]
    for state, deed in zip(states, deeds, strict=True):
        yield [table.told(seat) for seat in range(world.setup.seats)]
        if deed is not None:
            table.act(_action(state, deed.seat, deed.action))


def _action(state: State, seat: int, move: str) -> int:
    return action_of(parse_move(move), state.seats[seat].hand)


def _bytes(seen: Observation, info: Mapping[str, Any], *more: object) -> bytes:
    info = dict(info)
    mask = info.pop("action_mask", None)
    told = [seen["observation"].tobytes(), seen["action_mask"].tobytes()]
    told += [b"" if mask is None else mask.tobytes(), repr((info, more)).encode()]
    return b"|".join(told)


class _Together:
    """A table of 2 to 6 agents."""

    def __init__(self, world: World) -> None:
        setup = world.setup
        variant = setup.mode == "variant"
        self._table = SideboardsAEC(
            players=setup.seats, variant=variant, edition=setup.edition, render_mode="ansi"
        )
        self._table.reset(options={"setup": setup})

    def told(self, seat: int) -> bytes:
        table, agent = self._table, f"seat_{seat}"
        more = (table.agent_selection, table.rewards[agent], table.terminations[agent])
        return _bytes(table.observe(agent), table.infos[agent], more, table.render())

    def act(self, action: int) -> None:
        self._table.step(action)


class _Alone:
    """A game of one agent."""

    def __init__(self, world: World) -> None:
        self._table = SoloEnv(edition=world.setup.edition, render_mode="ansi")
        seen, info = self._table.reset(options={"setup": world.setup})
        self._told = _bytes(seen, info, self._table.render())

    def told(self, _seat: int) -> bytes:
        return self._told

    def act(self, action: int) -> None:
        seen, *more, info = self._table.step(action)
        self._told = _bytes(seen, info, more, self._table.render())


if __name__ == "__main__":
    if sys.argv[3] != "none":
        MUTANTS[sys.argv[3]]()
    print(json.dumps(msgspec.to_builtins(find(int(sys.argv[1]), int(sys.argv[2])))))
