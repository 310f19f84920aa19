"""The observation, field by field."""

import re
from pathlib import Path
from random import Random

import numpy as np
import pytest

from sideboards import Edition, Mode, deal, view
from sideboards.core.scoring import TWO_RUN_BONUSES
from sideboards.fast.actions import ACTIONS
from sideboards.minds.observation import LAYOUT, SIZE, encode, fields, highs, mask
from tests.games import TABLES, random_game
from tests.test_game import ordered, play

PAGE = Path(__file__).parents[1] / "docs" / "environments.md"


def test_the_fields_follow_each_other_without_a_gap() -> None:
    stop = 0
    for field in LAYOUT.values():
        assert field.start == stop
        stop = field.stop
    assert stop == SIZE == 2274


def test_the_page_has_every_field_with_its_place_shape_and_meaning() -> None:
    rows = re.findall(
        r"^\| `(\w+)` \| (\S+) \| (.+?) \| (\S+) \| (.+?) \|$", PAGE.read_text(), re.MULTILINE
    )
    assert rows == [
        (
            name,
            f"{field.start}–{field.stop - 1}" if field.stop > field.start + 1 else f"{field.start}",
            " × ".join(map(str, field.shape)),
            f"0–{field.high}",
            field.meaning,
        )
        for name, field in LAYOUT.items()
    ]
    assert f"{SIZE} numbers" in PAGE.read_text()
    assert f"{ACTIONS} actions" in PAGE.read_text()


def test_a_view_field_by_field() -> None:
    """Seat 1 of three, after the start: seat 2 has swapped, seat 0 has sealed."""
    state = play(deal(ordered("standard", 3)), "0:1,2~ 1:4,5 2:7,8 2:swap 0:L9")
    assert state.seats[1].hand == (3, 11)
    found = fields(encode(view(state, 1)))
    assert found["mode"].tolist() == [1, 0, 0]
    assert found["players"].tolist() == [0, 0, 1, 0, 0, 0]
    assert np.flatnonzero(found["objectives"]).tolist() == [2, 7, 18]
    assert np.flatnonzero(found["round"]).tolist() == [1]
    assert found["pile"][0] == 60 - 9 - 3 - 2
    assert found["discards"][0] == 2
    assert found["choice"][0] == 0
    assert found["sealed"].tolist() == [0, 0, 1, 0, 0, 0], "the own seat first, then the left one"
    assert found["swaps"].tolist() == [1, 0, 1, 0, 0, 0]
    assert found["hand_cards"].tolist() == [3, 11, 0, 0]
    assert found["passed"].tolist() == [6, 0]
    assert (np.flatnonzero(found["seen"]) + 1).tolist() == [1, 2, 3, 4, 5, 6, 7, 8, 11]
    assert found["board_cards"][:3, :3].tolist() == [[4, 5, 0], [7, 8, 0], [1, 2, 0]]
    assert not found["board_cards"][3:].any()
    # Card 2 is Rb Tf P B Os, so turned it has orange with a square on top.
    turned = found["board_drawers"][2, 1]
    assert turned.argmax(axis=1).tolist() == [3, 4, 2, 1, 0]
    assert turned[:, 5:].tolist() == [[0, 1, 0], [0, 0, 0], [0, 0, 0], [1, 0, 0], [0, 0, 1]]
    own = found["hand_drawers"]
    assert own[:2].sum(axis=(1, 2)).tolist() == [8, 8], "five colors and three handles each"
    assert not own[2:].any()
    assert not fields(encode(view(state, 1), tallies=False))["tallies"].any()


def test_the_own_choice_is_seen_and_that_of_others_is_not() -> None:
    state = play(deal(ordered("standard", 2)), "0:1,2~")
    assert fields(encode(view(state, 0)))["choice"][0] == 1 + 1
    other = play(deal(ordered("standard", 2)), "0:3,2")
    assert np.array_equal(encode(view(state, 1)), encode(view(other, 1)))


@pytest.mark.parametrize(("mode", "seats"), TABLES)
def test_all_numbers_are_within_their_limits(edition: Edition, mode: Mode, seats: int) -> None:
    limits = highs()
    for seed in range(3):
        states, _ = random_game(edition, mode, seats, Random(seed), swaps=0.5)
        for state in states:
            vector = encode(view(state, seed % seats))
            assert (vector >= 0).all()
            assert (vector <= limits).all()


def test_the_limit_of_the_tallies_holds_for_every_edition() -> None:
    """A pattern has at least 2 drawers, so a track of 8 holds 4 at most; there are 5 tracks."""
    assert LAYOUT["tallies"].high == max(5 * (8 // 2), len(TWO_RUN_BONUSES) - 1)


def test_fields_of_many_vectors_at_once() -> None:
    state = deal(ordered("standard", 2))
    both = np.stack([encode(view(state, seat)) for seat in (0, 1)])
    assert fields(both)["hand_cards"].tolist() == [[1, 2, 3, 0], [4, 5, 6, 0]]
    assert fields(both)["board_drawers"].shape == (2, 6, 8, 5, 8)


def test_a_spectator_has_no_observation() -> None:
    with pytest.raises(ValueError, match="expected the view of a seat"):
        encode(view(deal(ordered("standard", 2)), None))


def test_a_mask_has_a_one_for_every_legal_move() -> None:
    state = deal(ordered("variant", 2))
    assert mask(view(state, 0)).sum() == 48
    assert mask(view(play(state, "0:1,2"), 0)).tolist() == [0] * 61 + [1]
