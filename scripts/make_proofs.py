"""Writes tests/golden/proofs.json: proofs, honest and not, with what the core says of them.

Example: python -m scripts.make_proofs; with --check it only says whether the file is fresh.
"""

import json
import sys
from dataclasses import asdict, replace
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

from sideboards import load_edition
from sideboards.core.edition import Edition, Numbers
from sideboards.core.fair import (
    Proof,
    check_proof,
    deal_key,
    fair_setup,
    rules_string,
    seat_commitment,
    server_commitment,
)
from sideboards.core.game import Setup, State, Swap, deal, legal, step
from sideboards.core.notation import format_board
from sideboards.core.refusal import Refusal
from sideboards.core.scoring import Mode

FILE = Path(__file__).parents[1] / "tests" / "golden" / "proofs.json"
TABLE = "T1"
GAMES: tuple[tuple[Mode, int, Numbers | None], ...] = (
    ("solo", 1, None),
    ("standard", 2, (3, 8, 19)),
    ("standard", 4, None),
    ("variant", 3, None),
    ("standard", 6, (7, 14, 30)),
)


def vectors() -> str:
    """The file as it should be."""
    edition = load_edition()
    games = [_game(edition, *game) for game in GAMES]
    honest = _proof(edition, "standard", 4, None)
    content = {
        "edition": edition.sha256,
        "games": games,
        "tampered": [_refused(proof, edition) for proof in _tampered(honest, edition)],
    }
    return json.dumps(content, separators=(",", ":")) + "\n"


def _seed(name: str) -> str:
    return sha256(name.encode()).hexdigest()


def _proof(edition: Edition, mode: Mode, seats: int, objectives: Numbers | None) -> Proof:
    """An honest proof in which the last of several seats has no seed of its own."""
    rules = rules_string(edition, mode, seats, objectives)
    server = _seed(f"server {rules}")
    seeds = [_seed(f"seat {seat} {rules}") for seat in range(seats)]
    if seats > 1:
        seeds[-1] = ""
    setup = fair_setup(deal_key(TABLE, rules, server, seeds), edition, rules)
    return Proof(
        table=TABLE,
        rules=rules,
        server_seed=server,
        server_commit=server_commitment(TABLE, rules, server),
        seat_seeds=tuple(seeds),
        seat_commits=tuple(
            seat_commitment(TABLE, seat, seed) if seed else "" for seat, seed in enumerate(seeds)
        ),
        deck=tuple(card - 1 for card in setup.deck),
        objectives=setup.objectives,
        refill=tuple(card - 1 for card in setup.refill),
    )


def _game(edition: Edition, mode: Mode, seats: int, objectives: Numbers | None) -> dict[str, Any]:
    proof = _proof(edition, mode, seats, objectives)
    over = _played(check_proof(proof, edition), Random(f"{mode} {seats}"))
    return {
        "proof": asdict(proof),
        "moves": [f"{seat} {move}" for seat, move in over.played],
        "hands": [seat.hands for seat in over.seats],
        "boards": [format_board(seat.board) for seat in over.seats],
    }


def _played(setup: Setup, rng: Random) -> State:
    """A whole game; everybody swaps as soon as possible, so that a pile may run out."""
    state = deal(setup)
    while not state.over:
        seat = state.waiting[0]
        moves = legal(state, seat)
        state = step(state, seat, Swap() if Swap() in moves else rng.choice(moves))
    return state


def _tampered(honest: Proof, edition: Edition) -> list[Proof]:
    """Proofs in which one thing was changed, and some in which the rest was made to fit it."""
    other = _seed("other")
    deck, refill, seeds = honest.deck, honest.refill, honest.seat_seeds
    changed = honest.rules.replace("n=4", "n=5")
    chosen = honest.rules.replace("random", "1,8,15")
    foreign = honest.rules.replace(edition.sha256, other)
    return [
        replace(honest, table="T2"),
        replace(honest, server_seed=other),
        replace(honest, server_commit=other),
        replace(honest, seat_seeds=(other, *seeds[1:])),
        replace(honest, seat_seeds=("", *seeds[1:])),
        replace(honest, seat_seeds=(seeds[1], seeds[0], *seeds[2:])),
        replace(honest, seat_seeds=seeds[:3]),
        replace(honest, seat_seeds=seeds[:3], seat_commits=honest.seat_commits[:3]),
        replace(honest, seat_commits=(other, *honest.seat_commits[1:])),
        replace(honest, deck=(deck[1], deck[0], *deck[2:])),
        replace(honest, refill=(*refill[:-2], refill[-1], refill[-2])),
        replace(honest, objectives=(honest.objectives[0] % 7 + 1, *honest.objectives[1:])),
        *(
            replace(
                honest,
                rules=rules,
                server_commit=server_commitment(TABLE, rules, honest.server_seed),
            )
            for rules in (changed, chosen, foreign, "standard;n=4", honest.rules + " ")
        ),
    ]


def _refused(proof: Proof, edition: Edition) -> dict[str, Any]:
    try:
        check_proof(proof, edition)
    except Refusal as refusal:
        return {"proof": asdict(proof), "part": str(refusal).partition(":")[0].partition("[")[0]}
    raise AssertionError("a changed proof passes")


def main() -> int:
    """Write the file; with --check only compare."""
    text = vectors()
    if sys.argv[1:] == ["--check"]:
        return 0 if FILE.read_text() == text else 1
    FILE.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
