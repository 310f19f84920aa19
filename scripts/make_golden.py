"""Write tests/golden/games.txt: random games of all tables with their results, one per line.

The results come from the plain second reading of the rules in tests/reference.py, not from the
engine that the games test. Run it only when the format of the file changes: the games are the
memory of how Sideboards has always been played here.
"""

from pathlib import Path
from random import Random

from sideboards import Mode, load_edition
from tests import reference
from tests.games import TABLES, random_game

FILE = Path(__file__).parents[1] / "tests" / "golden" / "games.txt"
SEED = 1924
PER_TABLE = 18
WITH_REFILL = 42

HEADER = """\
# mode | objectives | deck | refill | moves | pile left | totals
"""


def game(mode: Mode, seats: int, rng: Random, swaps: float) -> str:
    """One random game as a line, scored by the reference."""
    states, _ = random_game(load_edition(), mode, seats, rng, swaps=swaps, undos=0.05)
    setup, moves = states[0].setup, states[-1].played
    table = reference.Table(mode, seats, list(setup.deck), list(setup.refill))
    table.play([(seat, str(move)) for seat, move in moves])
    boards = [" ".join(board) for board in table.boards]
    fields = [
        mode,
        ",".join(map(str, setup.objectives)),
        " ".join(map(str, setup.deck)),
        " ".join(map(str, setup.refill)),
        " ".join(f"{seat}:{move}" for seat, move in moves),
        str(len(table.pile)),
        " ".join(map(str, reference.totals(boards, list(setup.objectives), mode, table.swap))),
    ]
    return "|".join(fields)


def main() -> None:
    """Write the file."""
    rng = Random(SEED)
    lines = [
        game(mode, seats, rng, swaps=rng.choice([0.0, 0.1, 0.5]))
        for mode, seats in TABLES
        for _ in range(PER_TABLE)
    ]
    lines += [game("standard", 6, rng, swaps=0.9) for _ in range(WITH_REFILL)]
    FILE.write_text(HEADER + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
