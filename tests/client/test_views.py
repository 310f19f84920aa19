"""Views survive the way over the wire, and their hash is that of the server."""

from random import Random

import msgspec
import pytest

from sideboards import Edition, Mode, Refusal, view
from sideboards.client import hash_of, to_view
from sideboards.client.views import encode
from sideboards.core.game import State
from sideboards.service.protocol import PublicInfo, ViewInfo
from sideboards.service.wire import Showing
from tests.games import TABLES, random_game

read_public = msgspec.json.Decoder(PublicInfo).decode


def shown(state: State, opening: State, seat: int | None) -> tuple[bytes, str]:
    sent = Showing(state, opening).shown(seat, points=True)
    return sent.text, sent.hash


def with_openings(states: list[State]) -> list[tuple[State, State]]:
    """Every state with that at which its round opened."""
    opening, pairs = states[0], []
    for state in states:
        if state.round != opening.round:
            opening = state
        pairs.append((state, opening))
    return pairs


@pytest.mark.parametrize(("mode", "seats"), TABLES)
def test_every_view_survives_the_wire(mode: Mode, seats: int, edition: Edition) -> None:
    rng = Random(f"{mode}{seats}")
    states, _ = random_game(edition, mode, seats, rng, swaps=0.3, undos=0.1)
    for state, opening in with_openings(states):
        for seat in (rng.randrange(seats), None):
            text, server_hash = shown(state, opening, seat)
            info = msgspec.json.decode(text, type=ViewInfo)
            assert to_view(info, edition) == view(state, seat)
            assert hash_of(encode(info)) == server_hash


def test_a_public_part_makes_an_older_view_the_present_one(edition: Edition) -> None:
    """What a seat may know after others have acted is its old view with the new public part."""
    compared = 0
    states, moves = random_game(edition, "standard", 4, Random(5), swaps=0.4, undos=0.1)
    pairs = with_openings(states)
    for (before, opened), (after, opening), (seat, _) in zip(pairs, pairs[1:], moves, strict=False):
        if before.round == after.round:
            other = (seat + 1) % 4
            old = Showing(before, opened).view(other, points=True)
            public = Showing(after, opening).public(points=True)
            merged = msgspec.structs.replace(old, public=read_public(public))
            assert encode(merged) == shown(after, opening, other)[0]
            compared += 1
    assert compared > 15


def test_what_is_no_choice_is_refused(edition: Edition) -> None:
    states, _ = random_game(edition, "solo", 1, Random(1), swaps=0)
    info = Showing(states[0], states[0]).view(0, points=False)
    with pytest.raises(Refusal, match='choice: found "swap"; expected a start or a placement'):
        to_view(msgspec.structs.replace(info, choice="swap"), edition)
    with pytest.raises(Refusal, match='played: found "0 undo"; expected a move that counts'):
        to_view(msgspec.structs.replace(info, played=("0 undo",)), edition)
