"""Whether the deal was fair, as far as one seat can know."""

import secrets
from dataclasses import dataclass

import msgspec

from sideboards.core.edition import Edition
from sideboards.core.fair import Proof, check_proof, seat_commitment
from sideboards.core.game import replay
from sideboards.core.refusal import Refusal
from sideboards.core.view import View, view
from sideboards.service.protocol import TableInfo


class Promise(msgspec.Struct, frozen=True):
    """What everybody was shown at the start, before any seed was opened."""

    rules: str
    server_commit: str
    seat_commits: tuple[str, ...]


class Sitting(msgspec.Struct):
    """A seat of ours: how to come back to it, and what we put into the deal."""

    table: str
    seat: int
    token: str
    seed: str = ""
    """Our part of the deal, 64 hexadecimal digits; empty if it is not known here."""
    promise: Promise | None = None
    opened: bool = False
    """Whether the server has acknowledged our seed."""

    @property
    def commit(self) -> str:
        """The commitment to our seed."""
        return seat_commitment(self.table, self.seat, self.seed) if self.seed else ""


@dataclass(frozen=True, slots=True)
class Entropy:
    """A fresh seed for one seat, with its commitment."""

    seed: str
    commit: str


def draw_entropy(table: str, seat: int) -> Entropy:
    """Our part of a deal, from the system's source of randomness."""
    seed = secrets.token_hex(32)
    return Entropy(seed, seat_commitment(table, seat, seed))


def promise_of(table: TableInfo) -> Promise | None:
    """What a table promises between its start and the deal."""
    if not table.started or table.phase != "waiting":
        return None
    return Promise(table.rules, table.commit, tuple(seat.commit for seat in table.seats))


def is_fair(proof: Proof, edition: Edition, sitting: Sitting, last: View | None) -> bool | None:
    """Whether a proof shows that the deal was fair; None if we cannot know.

    It was not when the proof contradicts itself, what was promised at the start, our own seed, or
    the cards that we saw. We cannot know when we did not see the start, or when our seed came
    too late to be part of the deal.
    """
    try:
        setup = check_proof(proof, edition)
        seen = last is None or _follows(view(replay(setup, last.played), last.seat), last)
    except Refusal:
        return False
    if proof.table != sitting.table or not seen or sitting.seat >= len(proof.seat_seeds):
        return False
    ours = proof.seat_seeds[sitting.seat]
    if sitting.opened and ours != sitting.seed:
        return False
    promise = sitting.promise
    if promise is None:
        return None
    if promise != Promise(proof.rules, proof.server_commit, proof.seat_commits):
        return False
    return True if sitting.seed and ours == sitting.seed else None


def _follows(replayed: View, seen: View) -> bool:
    """Whether boards, objectives and the hands that we know are those of the replayed game."""
    same = (replayed.boards, replayed.objective_numbers) == (seen.boards, seen.objective_numbers)
    hands = zip(replayed.hands, seen.hands, strict=True)
    return same and all(known is None or known == dealt for dealt, known in hands)
