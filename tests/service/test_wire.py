"""What is joined from kept parts is what an encoder would make of the whole."""

from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sideboards import Mode, State, load_edition, view
from sideboards.core.notation import format_board
from sideboards.core.scoring import Points, tier
from sideboards.service.protocol import (
    ClockInfo,
    OptionInfo,
    PointsInfo,
    PublicInfo,
    PublicMessage,
    ResultInfo,
    ViewInfo,
)
from sideboards.service.wire import Showing, encode, public_message
from tests.games import TABLES, random_game

EDITION = load_edition()


def info(state: State, opening: State, seat: int | None, *, points: bool) -> ViewInfo:
    """The view as a message holds it, made in one piece from what the core shows."""
    seen = view(state, seat)
    scores = seen.scores
    return ViewInfo(
        boards=tuple(map(format_board, seen.boards)),
        choice=None if seen.choice is None else str(seen.choice),
        hands=seen.hands,
        mode=seen.mode,
        objectives=seen.objective_numbers,
        open_discards=seen.open_discards,
        options=tuple(
            OptionInfo(str(option.move), named(option.points))
            if points
            else OptionInfo(str(option.move))
            for option in seen.options
        ),
        played=tuple(f"{who} {move}" for who, move in opening.played),
        public=PublicInfo(
            discards=seen.discards,
            pile=seen.pile,
            round=seen.round,
            scores=tuple(named(each.points) for each in scores) if points or seen.over else None,
            sealed=seen.sealed,
            swapped=tuple(who for who, _ in seen.played[len(opening.played) :]),
            swaps=seen.swaps,
        ),
        result=ResultInfo(
            places=tuple(score.place for score in scores),
            tier=tier(scores[0].points.total) if seen.mode == "solo" else None,
            winners=tuple(who for who, score in enumerate(scores) if score.place == 1),
        )
        if seen.over
        else None,
        seat=seat,
    )


def named(points: Points) -> PointsInfo:
    """Points with their names."""
    return PointsInfo(
        bonus=points.bonus,
        color=points.color,
        handle=points.handle,
        row=points.row,
        swap=points.swap,
        total=points.total,
    )


@settings(max_examples=25)  # each is a whole game, seen by everybody
@given(st.sampled_from(TABLES), st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.3, 0.9]))
def test_every_view_of_a_game_is_the_encoded_form_of_what_the_core_shows(
    table: tuple[Mode, int], seed: int, swaps: float
) -> None:
    """For every state, seat and level, whether what was shown before is known or not.

    What comes next is foreseen or not, too.
    """
    states, _ = random_game(EDITION, *table, Random(seed), swaps=swaps, undos=0.1)
    opening, showing = states[0], None
    for state in states:
        if state.round != opening.round:
            opening = state
        ahead, showing = Showing(state, opening, showing), Showing(state, opening, showing)
        assert ahead.is_of(state)
        assert not ahead.is_of(None)
        for seat in (None, *range(table[1])):
            for points in (False, True):
                ahead.make_ahead(seat, points=points)
        for seat in (None, *range(table[1])):
            for points in (False, True):
                expected = info(state, opening, seat, points=points)
                assert showing.shown(seat, points=points).text == encode(expected)
                assert ahead.shown(seat, points=points) == showing.shown(seat, points=points)
                assert showing.view(seat, points=points) == expected
                assert showing.public(points=points) == encode(expected.public)
        afresh = Showing(state, opening).shown(0, points=True)
        assert afresh == showing.shown(0, points=True)
        if seed % 3:
            showing.foresee()
            if seed % 3 == 1:
                showing.forget()


@pytest.mark.parametrize("left", [None, 0, 1234])
def test_a_public_message_is_the_encoded_form_of_its_type(left: int | None) -> None:
    states, _ = random_game(EDITION, "standard", 3, Random(1), swaps=0.3)
    public = Showing(states[1], states[0]).public(points=True)
    message = PublicMessage(
        clock=None if left is None else ClockInfo(left),
        public=msgspec.json.decode(public, type=PublicInfo),
        seq=7,
    )
    assert public_message(public, 7, left) == encode(message)
