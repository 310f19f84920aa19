"""Matches: mirrored deals, fair seats, results that follow from the seed alone."""

from collections import Counter
from itertools import combinations
from random import Random

import pytest

from sideboards import Edition, Mode, Move, Refusal, View, new_setup, scores
from sideboards.minds.arena import (
    Match,
    dealt,
    play_deal,
    play_deals,
    play_game,
    seatings,
    shared_seats,
)
from sideboards.minds.bots import bot
from tests.test_cli import EDITION_FILE

SEEN: list[tuple[int | None, tuple[int, ...], float]] = []
"""What the curious bot was shown: its seat, its first hand, a number of its chance."""


def curious(view: View, rng: Random) -> Move:
    if view.round == 0:
        SEEN.append((view.seat, view.hand, rng.random()))
    return view.options[0].move


def nobody(_view: View, _rng: Random) -> Move | None:
    return None


def foreign(view: View, _rng: Random) -> Move:
    if view.round == 3:
        raise ValueError("no such\nplan")
    return view.options[0].move


def leaving(_view: View, _rng: Random) -> Move:
    raise SystemExit(0)


# Seats


@pytest.mark.parametrize("bots", [2, 3, 5])
@pytest.mark.parametrize("seats", range(2, 7))
def test_in_pairs_every_bot_sits_on_every_seat_of_every_deal_equally_often(
    bots: int, seats: int
) -> None:
    match = Match(("random",) * bots, seats=seats)
    for number in (1, 2, 3, 17):
        found = seatings(match, number)
        assert len(found) == bots * (bots - 1)
        for pair in combinations(range(bots), 2):
            games = [seating for seating in found if set(seating) == set(pair)]
            assert len(games) == 2
            assert all(set(column) == set(pair) for column in zip(*games, strict=True))


@pytest.mark.parametrize("seats", range(2, 7))
def test_at_one_table_everybody_has_every_seat_of_every_deal_once(seats: int) -> None:
    match = Match(("random",) * seats, seats=seats, one_table=True)
    for number in (1, 2, 3, 17):
        found = seatings(match, number)
        assert len(found) == seats
        for column in zip(*found, strict=True):
            assert sorted(column) == list(range(seats))


@pytest.mark.parametrize(("seats", "circles"), [(3, 2), (4, 6), (5, 24)])
def test_at_one_table_everybody_passes_to_everybody_equally_often(seats: int, circles: int) -> None:
    match = Match(("random",) * seats, seats=seats, one_table=True)
    passed = Counter(
        (seating[i - 1], seating[i])
        for number in range(1, circles + 1)
        for seating in seatings(match, number)
        for i in range(seats)
    )
    assert len(passed) == seats * (seats - 1)
    assert len(set(passed.values())) == 1


def test_with_four_seats_all_six_seatings_of_two_bots_take_turns() -> None:
    match = Match(("random", "greedy"), seats=4)
    found = Counter(seating for number in range(1, 7) for seating in seatings(match, number))
    assert len(found) == 6
    assert set(found.values()) == {2}
    assert all(sum(seating) == 2 for seating in found)
    assert len(shared_seats(6)) == 10
    assert shared_seats(2) == ((0, 1),)


def test_solo_everybody_plays_alone() -> None:
    match = Match(("random", "greedy"), "solo", 1, deals=3)
    assert seatings(match, 1) == ((0,), (1,))
    assert match.games == 6


# Mirrored deals


@pytest.mark.parametrize(("mode", "seats"), [("standard", 2), ("standard", 3), ("variant", 2)])
def test_mirrored_games_have_the_same_cards_on_the_same_seats(mode: Mode, seats: int) -> None:
    SEEN.clear()
    match = Match(("tests.test_arena:curious",) * 2, mode, seats, seed=4)
    play_deal(match, 9)
    hands = {(seat, hand) for seat, hand, _ in SEEN}
    assert len(SEEN) == 2 * seats
    assert len(hands) == seats, "each seat gets the same hand in both games"
    size = 4 if mode == "variant" else 3
    deck = dealt(match, 9).deck
    assert hands == {(seat, deck[seat * size : (seat + 1) * size]) for seat in range(seats)}
    assert len({chance for *_, chance in SEEN}) == 2 * seats, "chance differs by seating and seat"


def test_deals_differ_and_so_do_their_objectives() -> None:
    match = Match(("random", "greedy"))
    setups = [dealt(match, number) for number in range(1, 21)]
    assert len({setup.deck for setup in setups}) == 20
    assert len({setup.objectives for setup in setups}) > 15
    assert dealt(Match(("random", "greedy"), seed=1), 1).deck != setups[0].deck
    fixed = Match(("random", "greedy"), objectives=(3, 8, 19))
    assert dealt(fixed, 1).objectives == (3, 8, 19)


def test_a_result_is_that_of_the_game(edition: Edition) -> None:
    match = Match(("greedy", "random"), "solo", 1, seed=3)
    found = play_deal(match, 5)
    setup = new_setup(edition, seats=1, rng=Random("3/5"))
    alone = [
        scores(play_game(setup, [bot(name)], Random(f"3/5/{name}/0")))[0].points.total
        for name in match.bots
    ]
    assert [(game.seating, game.totals) for game in found.games] == [((0, 1), tuple(alone))]


def test_a_bots_games_do_not_depend_on_the_other_pairs() -> None:
    """So every line of a table can be played again on its own."""
    three = play_deal(Match(("greedy", "random", "greedy")), 2)
    two = play_deal(Match(("greedy", "random")), 2)
    assert three.games[:2] == two.games


def test_deals_are_the_same_in_any_order() -> None:
    match = Match(("greedy", "random"), seats=3)
    forth, back = play_deals(match, [1, 2, 3]), play_deals(match, [3, 2, 1])
    assert [deal.games for deal in forth] == [deal.games for deal in reversed(back)]
    assert [deal.number for deal in forth] == [1, 2, 3]


def test_every_move_is_on_its_bots_clock() -> None:
    deal = play_deal(Match(("random", "greedy", "random"), seats=4), 1)
    assert [clock.moves for clock in deal.clocks] == [7 * 4 * 2] * 3
    for clock in deal.clocks:
        assert 0 < clock.longest <= clock.seconds
        assert clock.ms_per_move <= clock.max_ms


def test_another_edition_is_played() -> None:
    data = EDITION_FILE.read_bytes().replace(b'"points": 4', b'"points": 400')
    usual = play_deal(Match(("greedy", "random"), objectives=(3, 8, 19)), 1)
    richer = play_deal(Match(("greedy", "random"), objectives=(3, 8, 19), edition=data), 1)
    assert max(max(game.totals) for game in usual.games) < 200
    assert max(max(game.totals) for game in richer.games) > 400


# Names and refusals


def test_a_name_that_stands_twice_gets_a_number() -> None:
    assert Match(("hard", "hard", "easy", "hard")).labels == ("hard", "hard#2", "easy", "hard#3")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        (
            "nobody",
            'nobody: found "None" in deal 7 of seed 2, round 0, seat 0',
        ),
        (
            "foreign",
            'foreign: it raised ValueError "no such\\nplan" in deal 7 of seed 2, round 3, seat 0',
        ),
        (
            "leaving",
            'leaving: it raised SystemExit "0" in deal 7 of seed 2, round 0, seat 0',
        ),
    ],
)
def test_a_bot_that_fails_is_refused_by_name_deal_and_fault(name: str, sentence: str) -> None:
    match = Match((f"tests.test_arena:{name}", "random"), seed=2)
    with pytest.raises(Refusal) as refusal:
        play_deals(match, [7])
    assert str(refusal.value) == f"tests.test_arena:{sentence}; expected a legal move"


@pytest.mark.parametrize(
    ("bots", "seats", "one_table", "sentence"),
    [
        (1, 2, False, "bots: found 1; expected 2 or more"),
        (3, 2, True, "bots: found 3; expected 2, one per seat"),
        (2, 3, True, "bots: found 2; expected 3, one per seat"),
        (2, 7, False, "seats: found 7 in mode standard; expected 2 to 6 players"),
    ],
)
def test_impossible_matches_are_refused(
    bots: int, seats: int, one_table: bool, sentence: str
) -> None:
    with pytest.raises(Refusal, match=f"^{sentence}$"):
        Match(("random",) * bots, seats=seats, one_table=one_table)


def test_a_match_has_deals() -> None:
    with pytest.raises(Refusal, match=r"^deals: found 0; expected at least 1$"):
        Match(("random", "greedy"), deals=0)
