"""Games that are already under way, as records that a practice table goes on from."""

from functools import cache
from random import Random

from sideboards import (
    Mode,
    Record,
    State,
    Swap,
    deal,
    format_record,
    legal,
    load_edition,
    new_setup,
    step,
)


@cache
def begun(
    seats: int,
    rounds: int,
    seed: int = 1,
    *,
    variant: bool = False,
    swaps: float = 0.0,
    sealed: tuple[int, ...] = (),
    objectives: tuple[int | None, int | None, int | None] = (None, None, None),
) -> str:
    """A record with so many closed rounds, and the choices of some seats in the open one."""
    rng = Random(seed)
    mode: Mode = "solo" if seats == 1 else "variant" if variant else "standard"
    setup = new_setup(load_edition(), mode=mode, seats=seats, rng=rng, objectives=objectives)
    state = deal(setup)
    while state.round < rounds:
        state = _move(state, rng.choice(state.waiting), rng, swaps)
    for seat in sealed:
        state = _move(state, seat, rng, 0)
    open_round = [(seat, move) for seat, move in enumerate(state.sealed) if move is not None]
    return format_record(Record(setup, (*state.played, *open_round)))


def _move(state: State, seat: int, rng: Random, swaps: float) -> State:
    options = legal(state, seat)
    plain = [move for move in options if not isinstance(move, Swap)]
    if len(plain) < len(options) and rng.random() < swaps:
        state = step(state, seat, Swap())
        plain = [move for move in legal(state, seat) if not isinstance(move, Swap)]
    return step(state, seat, rng.choice(plain))
