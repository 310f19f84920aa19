"""Fair deals: whoever kept what the server promised finds it kept, and the cards are those.

Real games, of which each player remembers the commitments shown at the start. After the end the
published proof must fit them, decide the deck of the record, and name nobody as silent who was not.
"""

import asyncio
from pathlib import Path
from random import Random

from proof.outcome import Outcome
from proof.prepared import NOTHING
from sideboards.core.fair import Proof, check_proof, parse_proof
from sideboards.core.game import replay
from sideboards.core.notation import parse_record
from sideboards.core.refusal import Refusal
from sideboards.data import load_edition
from tests.service.live import (
    Message,
    Player,
    Server,
    finish,
    seated,
    serving,
    start,
)
from tests.service.live import (
    run as run_to_end,
)

AT_ONCE = 5
"""Games at the same time."""


def run(folder: Path, count: int, seed: int, mutant: str = "") -> Outcome:
    """Play so many games of two, and check what was promised and published of each."""
    with serving(
        folder / "deals.db", mutant=mutant, program=NOTHING, may_fail=bool(mutant)
    ) as server:
        found = run_to_end(_games(server, count, seed), limit=60 + count)
    return Outcome(count, tuple(found))


async def _games(server: Server, count: int, seed: int) -> list[str]:
    faults: list[str] = []
    for first in range(0, count, AT_ONCE):
        numbers = range(first, min(first + AT_ONCE, count))
        games = [_game(server, Random(f"{seed} {number}")) for number in numbers]
        faults += [fault for found in await asyncio.gather(*games) for fault in found]
    return faults


async def _game(server: Server, rng: Random) -> list[str]:
    """Play one game; what of it was not as promised."""
    async with seated(server, 2) as players:
        promised = dict(players[0].table)
        await start(players)
        await finish(players, rng)
        table = players[0].table_id
        proof = await players[0].rest("GET", f"/api/tables/{table}/proof")
        record = await players[0].rest("GET", f"/api/tables/{table}/record")
    return faults_of(parse_proof(proof.content), record.content, promised, players)


def faults_of(proof: Proof, record: bytes, promised: Message, players: list[Player]) -> list[str]:
    """What does not fit: the promises, the proof, the record, and what the players held."""
    edition, faults = load_edition(), list[str]()
    if proof.server_commit != promised["commit"]:
        faults.append(f"{proof.table}: the server has changed its commitment after the seats sat")
    for player, opened in zip(players, proof.seat_seeds, strict=True):
        if opened != player.seed:
            faults.append(f"{proof.table}: seat {player.seat} opened a seed that the proof lacks")
    try:
        setup = check_proof(proof, edition)
    except Refusal as refusal:
        return [*faults, f"{proof.table}: {refusal}"]
    recorded = parse_record(record, edition)
    if recorded.setup != setup:
        faults.append(f"{proof.table}: the record has another deal than the proof")
    over = replay(recorded.setup, recorded.played)
    for player in players:
        held = [list(hand) for hand in over.seats[player.seat or 0].hands]
        if player.view["hands"][player.seat] != held:
            faults.append(f"{proof.table}: seat {player.seat} held other cards than recorded")
    return faults
