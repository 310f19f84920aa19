"""Whether a deal was fair, as one seat judges it."""

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from sideboards import Edition, deal, legal, step, view
from sideboards.client.fairness import Promise, Sitting, draw_entropy, is_fair
from sideboards.core.fair import (
    Proof,
    deal_key,
    fair_setup,
    rules_string,
    seat_commitment,
    server_commitment,
)
from sideboards.core.view import View

TABLE = "k3v9"
SERVER = "5a" * 32


def proof_of(seeds: tuple[str, ...], commits: tuple[str, ...], edition: Edition) -> Proof:
    rules = rules_string(edition, "standard", 2, None)
    setup = fair_setup(deal_key(TABLE, rules, SERVER, seeds), edition, rules)
    return Proof(
        TABLE,
        rules,
        SERVER,
        server_commitment(TABLE, rules, SERVER),
        seeds,
        commits,
        tuple(card - 1 for card in setup.deck),
        setup.objectives,
        tuple(card - 1 for card in setup.refill),
    )


@pytest.fixture
def case(edition: Edition) -> tuple[Proof, Sitting, View]:
    """A fair game of seat 1, whose seed was opened, against a bot."""
    entropy = draw_entropy(TABLE, 1)
    proof = proof_of(("", entropy.seed), ("", entropy.commit), edition)
    promise = Promise(proof.rules, proof.server_commit, proof.seat_commits)
    sitting = Sitting(TABLE, 1, "token", entropy.seed, promise, opened=True)
    rules = proof.rules
    state = deal(fair_setup(deal_key(TABLE, rules, SERVER, proof.seat_seeds), edition, rules))
    rng = Random(3)
    while not state.over:
        seat = state.waiting[0]
        state = step(state, seat, rng.choice(legal(state, seat)))
    return proof, sitting, view(state, 1)


def test_entropy_is_fresh_and_committed() -> None:
    first, second = draw_entropy(TABLE, 0), draw_entropy(TABLE, 0)
    assert first.seed != second.seed
    assert len(bytes.fromhex(first.seed)) == 32
    assert first.commit == seat_commitment(TABLE, 0, first.seed) != second.commit


def test_a_fair_game_is_fair(case: tuple[Proof, Sitting, View], edition: Edition) -> None:
    proof, sitting, last = case
    assert is_fair(proof, edition, sitting, last) is True
    assert is_fair(proof, edition, sitting, None) is True


@pytest.mark.parametrize("field", ["server_seed", "server_commit", "deck", "refill", "objectives"])
def test_a_tampered_proof_is_not(
    field: str, case: tuple[Proof, Sitting, View], edition: Edition
) -> None:
    proof, sitting, last = case
    value = getattr(proof, field)
    changed: Any = value[::-1] if isinstance(value, str) else (value[1], value[0], *value[2:])
    assert changed != value
    assert is_fair(replace(proof, **{field: changed}), edition, sitting, last) is False


def test_a_proof_of_another_deal_is_not(
    case: tuple[Proof, Sitting, View], edition: Edition
) -> None:
    """A server that says afterwards that our seed was never opened has a proof that fits itself."""
    proof, sitting, last = case
    without = proof_of(("", ""), proof.seat_commits, edition)
    assert is_fair(without, edition, sitting, None) is False
    assert is_fair(without, edition, sitting, last) is False


def test_a_broken_promise_is_not(case: tuple[Proof, Sitting, View], edition: Edition) -> None:
    proof, sitting, last = case
    sitting.promise = Promise(proof.rules, "00" * 32, proof.seat_commits)
    assert is_fair(proof, edition, sitting, last) is False


def test_cards_that_were_not_those_of_the_proof(
    case: tuple[Proof, Sitting, View], edition: Edition
) -> None:
    proof, sitting, last = case
    other = replace(last, hands=(last.hands[1], last.hands[0]))
    assert is_fair(proof, edition, sitting, other) is False


def test_what_cannot_be_known(case: tuple[Proof, Sitting, View], edition: Edition) -> None:
    proof, sitting, last = case
    sitting.promise = None
    assert is_fair(proof, edition, sitting, last) is None
    late = proof_of(("", ""), proof.seat_commits, edition)
    sitting.promise = Promise(late.rules, late.server_commit, late.seat_commits)
    sitting.opened = False
    assert is_fair(late, edition, sitting, None) is None
