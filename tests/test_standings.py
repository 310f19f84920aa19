"""Statistics, against small cases that were computed by hand."""

from math import sqrt

import pytest

from sideboards.minds.arena import Clock, Deal, Game, Match
from sideboards.minds.standings import Figure, duels, mean, ratings, ratio, standings

PAIR = Match(("a", "b"))
CLOCK = Clock(2, 0.01, 0.008)


def deal(*games: tuple[tuple[int, ...], tuple[int, ...]], bots: int = 2) -> Deal:
    return Deal(1, tuple(Game(*game) for game in games), (CLOCK,) * bots)


MIRRORED = [
    deal(((0, 1), (40, 30)), ((1, 0), (20, 30))),  # a wins twice
    deal(((0, 1), (40, 40)), ((1, 0), (20, 30))),  # a tie, and a wins
    deal(((0, 1), (10, 30)), ((1, 0), (20, 20))),  # b wins, and a tie
    deal(((0, 1), (10, 30)), ((1, 0), (20, 30))),  # one each
]


def test_the_mean_of_points_counts_deals_not_games() -> None:
    a, b = standings(PAIR, MIRRORED)
    # By deals a has 35, 35, 15, 20 and b has 25, 30, 25, 25.
    assert a.mean.value == pytest.approx(26.25)
    assert a.mean.stderr == pytest.approx(sqrt((8.75**2 * 2 + 11.25**2 + 6.25**2) / 3 / 4))
    assert b.mean.value == pytest.approx(26.25)
    assert b.mean.stderr == pytest.approx(sqrt((1.25**2 * 3 + 3.75**2) / 3 / 4))


def test_win_shares_split_ties_and_count_deals() -> None:
    a, b = standings(PAIR, MIRRORED)
    # By deals a has 1, 3/4, 1/4, 1/2.
    assert a.wins.value == pytest.approx(0.625)
    assert b.wins.value == pytest.approx(0.375)
    stderr = sqrt((0.375**2 * 2 + 0.125**2 * 2) / 3 / 4)
    assert a.wins.stderr == pytest.approx(stderr)
    assert b.wins.stderr == pytest.approx(stderr)


def test_decided_games_leave_ties_out() -> None:
    (duel,) = duels(PAIR, MIRRORED)
    assert duel.bots == ("a", "b")
    assert (duel.ahead, duel.ties, duel.behind) == (4, 2, 2)
    assert duel.share.value == pytest.approx(5 / 8)
    assert duel.share.stderr == pytest.approx(standings(PAIR, MIRRORED)[0].wins.stderr)
    assert duel.lost.value == pytest.approx(1 / 4)
    assert duel.decided is not None
    assert duel.decided.value == pytest.approx(4 / 6)
    # Deals have 2 of 2, 1 of 1, 0 of 1 and 1 of 2: they stray by 2/3, 1/3, -2/3 and -1/3.
    stray = (2 / 3) ** 2 * 2 + (1 / 3) ** 2 * 2
    assert duel.decided.stderr == pytest.approx(sqrt(stray * 4 / 3) / 6)


def test_mirrored_games_are_not_counted_as_independent() -> None:
    """If the cards decide everything, each deal is one win each: nothing varies among deals."""
    dull = [deal(((0, 1), (40, 30)), ((1, 0), (40, 30))) for _ in range(5)]
    assert standings(PAIR, dull)[0].wins == Figure(0.5, 0.0)


def test_only_ties_decide_nothing() -> None:
    (duel,) = duels(PAIR, [deal(((0, 1), (30, 30)), ((1, 0), (30, 30)))] * 2)
    assert duel.decided is None
    assert duel.share == Figure(0.5, 0.0)


def test_a_bot_with_several_seats_counts_with_its_best_and_its_mean() -> None:
    match = Match(("a", "b"), seats=4)
    found = [
        deal(((0, 0, 1, 1), (10, 50, 40, 20)), ((1, 1, 0, 0), (50, 30, 50, 50))),
        deal(((0, 1, 0, 1), (10, 50, 40, 20)), ((1, 0, 1, 0), (60, 30, 50, 50))),
    ]
    a, b = standings(match, found)
    assert a.mean.value == pytest.approx((40 + 32.5) / 2)
    assert b.mean.value == pytest.approx((35 + 45) / 2)
    assert a.wins.value == pytest.approx((1 + 0.5 + 0 + 0) / 4), "a shared victory is split by bots"
    (duel,) = duels(match, found)
    assert (duel.ahead, duel.ties, duel.behind) == (1, 1, 2)


def test_at_one_table_a_victory_of_three_is_split_and_pairs_are_compared() -> None:
    match = Match(("a", "b", "c"), seats=3, one_table=True)
    found = [
        deal(((0, 1, 2), (30, 30, 30)), ((1, 2, 0), (10, 20, 20)), ((2, 0, 1), (9, 8, 7)), bots=3)
    ]
    wins = [each.wins for each in standings(match, found)]
    assert [figure.value for figure in wins] == pytest.approx(
        [(1 / 3 + 1 / 2) / 3, 1 / 9, (1 / 3 + 1 / 2 + 1) / 3]
    )
    assert [figure.stderr for figure in wins] == [None] * 3, "one deal tells no error"
    assert [figure.interval for figure in wins] == [None] * 3
    assert [(d.bots, d.ahead, d.ties, d.behind) for d in duels(match, found)] == [
        (("a", "b"), 2, 1, 0),
        (("a", "c"), 0, 2, 1),
        (("b", "c"), 0, 1, 2),
    ]


def test_in_a_round_robin_only_a_bots_own_games_count() -> None:
    match = Match(("a", "b", "c"))
    found = [
        deal(
            ((0, 1), (30, 10)), ((1, 0), (10, 30)), ((0, 2), (10, 40)), ((2, 0), (40, 10)),
            ((1, 2), (10, 20)), ((2, 1), (20, 10)), bots=3,
        )
    ]  # fmt: skip
    found_standings = standings(match, found)
    assert [each.wins.value for each in found_standings] == [0.5, 0.0, 1.0]
    assert [each.mean.value for each in found_standings] == [20.0, 10.0, 30.0]


def test_figures() -> None:
    assert mean([2.0]) == Figure(2.0, None)
    figure = mean([1.0, 3.0])
    assert figure == Figure(2.0, 1.0)
    assert figure.interval == pytest.approx(1.96)
    assert figure.percent == Figure(200.0, 100.0)
    assert ratio([1, 0, 2], [2, 2, 2]).value == mean([0.5, 0.0, 1.0]).value
    assert ratio([1, 0, 2], [2, 2, 2]).stderr == pytest.approx(mean([0.5, 0.0, 1.0]).stderr)


def test_clocks_are_joined() -> None:
    a, _ = standings(PAIR, [MIRRORED[0], Deal(2, MIRRORED[1].games, (Clock(8, 0.04, 0.02),) * 2)])
    assert (a.clock.moves, a.clock.longest) == (10, 0.02)
    assert a.clock.ms_per_move == pytest.approx(5)
    assert a.clock.max_ms == pytest.approx(20)


def test_ratings_follow_the_results() -> None:
    winning = [deal(((0, 1), (40, 30)), ((1, 0), (20, 30)))] * 20
    strong, weak = ratings(PAIR, winning)
    assert strong > 30
    assert weak < 20
    assert strong + weak == pytest.approx(50)
    level = ratings(PAIR, [deal(((0, 1), (30, 30)))] * 5)
    assert level == pytest.approx((25, 25))


def test_a_seat_alone_gets_no_rating() -> None:
    assert ratings(Match(("a",), "solo", 1), [deal(((0,), (40,)), bots=1)]) == (25.0,)
