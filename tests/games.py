"""Random games for the tests: every arrival order, swaps and take-backs."""

from random import Random

from sideboards import Edition, Mode, Move, State, Swap, Undo, deal, legal, new_setup, step

TABLES: list[tuple[Mode, int]] = [
    ("solo", 1),
    *[("standard", seats) for seats in range(2, 7)],
    *[("variant", seats) for seats in range(2, 7)],
]


def random_game(
    edition: Edition, mode: Mode, seats: int, rng: Random, *, swaps: float, undos: float = 0.0
) -> tuple[list[State], list[tuple[int, Move]]]:
    """All states of a random game, and all moves between them, take-backs included."""
    state = deal(new_setup(edition, mode=mode, seats=seats, rng=rng))
    states, moves = [state], []
    while not state.over:
        seat = rng.choice(state.waiting)
        options = legal(state, seat)
        placements = [move for move in options if not isinstance(move, Swap)]
        swapping = len(placements) < len(options) and rng.random() < swaps
        move: Move = Swap() if swapping else rng.choice(placements)
        sealed = [i for i in range(seats) if i not in state.waiting]
        if sealed and rng.random() < undos:
            seat, move = rng.choice(sealed), Undo()
        state = step(state, seat, move)
        states.append(state)
        moves.append((seat, move))
    return states, moves
