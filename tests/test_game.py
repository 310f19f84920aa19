from dataclasses import FrozenInstanceError, replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sideboards import (
    Edition,
    IllegalMove,
    Laid,
    Mode,
    Move,
    Place,
    Refusal,
    Setup,
    Start,
    State,
    Swap,
    Undo,
    deal,
    format_board,
    legal,
    load_edition,
    new_setup,
    parse_move,
    replay,
    scores,
    step,
    view,
)
from sideboards.core.game import Played
from tests import reference
from tests.games import TABLES, random_game

EDITION = load_edition()
ORDER = tuple(range(1, 61))
BACKWARDS = ORDER[::-1]

tables = st.sampled_from(TABLES)
seeds = st.integers(0, 2**32 - 1)
chances = st.sampled_from([0.0, 0.2, 0.9])


def ordered(mode: Mode, seats: int, refill: tuple[int, ...] = ORDER) -> Setup:
    """A set-up whose pile holds the cards 1, 2, 3, … from the top."""
    return Setup(EDITION, mode, seats, (3, 8, 19), ORDER, refill)


def play(state: State, text: str) -> State:
    """The state after moves written as ``0:1,2 1:4,5~``."""
    for word in text.split():
        seat, move = word.split(":")
        state = step(state, int(seat), parse_move(move))
    return state


def forbidden(state: State, text: str) -> str:
    """The code with which a move is refused."""
    with pytest.raises(IllegalMove) as refusal:
        play(state, text)
    assert "\n" not in str(refusal.value)
    return refusal.value.code


def hands(state: State) -> list[tuple[int, ...]]:
    return [seat.hand for seat in state.seats]


def all_cards(state: State) -> list[int]:
    laid = [each.card for seat in state.seats for each in seat.board]
    held = [card for seat in state.seats for card in seat.hand]
    return sorted([*state.pile, *state.discards, *held, *(c for c in laid if isinstance(c, int))])


@pytest.mark.parametrize(("mode", "seats"), TABLES)
def test_r5_one_to_six_players_and_the_last_ones_left_is_seat_0(mode: Mode, seats: int) -> None:
    state = deal(ordered(mode, seats))
    assert state.waiting == tuple(range(seats))
    if mode != "solo":
        size = len(state.seats[0].hand)
        moves = [f"{seat}:{seat * size + 1},{seat * size + 2}" for seat in range(seats)]
        after = play(state, " ".join(moves))
        last_rest = tuple(range((seats - 1) * size + 3, seats * size + 1))
        assert after.seats[0].hand[: len(last_rest)] == last_rest


@pytest.mark.parametrize(
    ("mode", "seats"), [("solo", 2), ("standard", 1), ("standard", 7), ("variant", 1), ("solo", 0)]
)
def test_r5_other_numbers_of_players_are_refused(mode: Mode, seats: int) -> None:
    with pytest.raises(Refusal, match="seats: found"):
        ordered(mode, seats)


def test_r6_objectives_by_number_by_suggestion_or_at_random(edition: Edition) -> None:
    by_number = new_setup(edition, seats=2, objectives=(3, 8, 19), rng=Random(1))
    assert by_number.objectives == (3, 8, 19)
    suggested = new_setup(edition, seats=2, objectives=edition.suggestions[3], rng=Random(1))
    assert suggested.objectives == (4, 11, 27)
    mixed = {
        new_setup(edition, seats=2, objectives=(None, 9, None), rng=Random(i)).objectives
        for i in range(300)
    }
    assert {color for color, _, _ in mixed} == set(range(1, 8))
    assert {handle for _, handle, _ in mixed} == {9}
    assert {row for _, _, row in mixed} == set(range(15, 31))
    with pytest.raises(Refusal, match="as the color objective"):
        new_setup(edition, seats=2, objectives=(8, 3, 19), rng=Random(1))


def test_r7_three_cards_each_from_the_top_in_seat_order_and_a_swap_card() -> None:
    state = deal(ordered("standard", 3))
    assert hands(state) == [(1, 2, 3), (4, 5, 6), (7, 8, 9)]
    assert state.pile == ORDER[9:]
    assert all(seat.swap for seat in state.seats)


def test_r8_choices_stay_sealed_until_all_have_chosen() -> None:
    state = play(deal(ordered("standard", 2)), "0:1,2")
    assert state.seats[0].board == ()
    assert state.waiting == (1,)
    closed = play(state, "1:4,5")
    assert [format_board(seat.board) for seat in closed.seats] == ["1 2", "4 5"]
    assert closed.waiting == (0, 1)


def test_r8_a_choice_may_be_taken_back_until_the_last_has_chosen() -> None:
    state = deal(ordered("standard", 2))
    again = play(state, "0:1,2 0:undo 0:2~,3 1:4,5")
    assert format_board(again.seats[0].board) == "2~ 3"
    assert forbidden(state, "0:undo") == "round_closed"
    assert forbidden(again, "0:undo") == "round_closed"
    assert forbidden(state, "0:1,2 0:1,3") == "sealed"


@given(tables, seeds, chances)
def test_r8_the_order_of_arrival_changes_nothing(
    table: tuple[Mode, int], seed: int, swaps: float
) -> None:
    """The choices of a round in any order, the swaps in their own order, give the same game."""
    rng = Random(seed)
    mode, seats = table
    states, _ = random_game(EDITION, mode, seats, rng, swaps=swaps, undos=0.2)
    state = states[0]
    for round_ in range(7):
        state = replay_from(state, shuffled(round_moves(states, round_), rng))
    assert state == states[-1]


def round_moves(states: list[State], round_: int) -> tuple[Played, ...]:
    """The final moves of one round: what `played` gained in it."""
    before = next(state for state in states if state.round == round_)
    after = next(state for state in states if state.round == round_ + 1)
    return after.played[len(before.played) :]


def shuffled(moves: tuple[Played, ...], rng: Random) -> list[Played]:
    """Another order of arrival: swaps keep their order, a seat's choice comes after its swap."""
    arrived = [played for played in moves if isinstance(played[1], Swap)]
    for seat, choice in rng.sample(moves, len(moves)):
        if not isinstance(choice, Swap):
            swaps = [i for i, (other, _) in enumerate(arrived) if other == seat]
            arrived.insert(rng.randint(swaps[0] + 1 if swaps else 0, len(arrived)), (seat, choice))
    return arrived


def replay_from(state: State, moves: list[Played]) -> State:
    for seat, move in moves:
        state = step(state, seat, move)
    return state


def test_r9_the_start_has_24_ways() -> None:
    state = deal(ordered("standard", 2))
    starts = legal(state, 0)
    assert len(starts) == len(set(starts)) == 24
    assert all(isinstance(move, Start) for move in starts)
    assert set(starts) == {
        Start(Laid(left, a), Laid(right, b))
        for left in (1, 2, 3)
        for right in (1, 2, 3)
        if left != right
        for a in (False, True)
        for b in (False, True)
    }
    assert forbidden(state, "0:1,1~") == "same_card"
    assert forbidden(state, "0:1,4") == "not_in_hand"
    assert forbidden(state, "0:L1") == "two_cards"


def test_r10_the_leftover_goes_left_then_one_is_drawn() -> None:
    state = play(deal(ordered("standard", 3)), "0:1,2 1:4,5 2:7,8")
    assert hands(state) == [(9, 10), (3, 11), (6, 12)]


def test_r11_eight_placements_and_laid_cards_stay() -> None:
    state = play(deal(ordered("standard", 2)), "0:1,2 1:4,5")
    placements = [move for move in legal(state, 0) if isinstance(move, Place)]
    assert [str(move) for move in placements] == [
        "L6",
        "L6~",
        "R6",
        "R6~",
        "L7",
        "L7~",
        "R7",
        "R7~",
    ]
    after = play(state, "0:L6~ 1:R3")
    assert [format_board(seat.board) for seat in after.seats] == ["6~ 1 2", "4 5 3"]
    assert forbidden(after, "0:1,2") == "one_card"
    assert forbidden(after, "0:L60") == "not_in_hand"
    with pytest.raises(IllegalMove, match='"middle" is no end of a board'):
        # A caller without a type checker:
        step(after, 0, Place(Laid(after.seats[0].hand[0]), "middle"))  # type: ignore[arg-type]


def test_r12_after_every_round_but_the_last_the_leftover_goes_left() -> None:
    state = play(deal(ordered("standard", 2)), "0:1,2 1:4,5")
    for round_ in range(1, 6):
        rest = [seat.hand[1] for seat in state.seats]
        state = play(state, f"0:R{state.seats[0].hand[0]} 1:R{state.seats[1].hand[0]}")
        assert state.round == round_ + 1
        assert [seat.hand[0] for seat in state.seats] == rest[::-1]
        assert [seat.hand[1] for seat in state.seats] == [7 + 2 * round_, 8 + 2 * round_]


def test_r13_at_eight_cards_the_game_ends_and_leftovers_are_discarded() -> None:
    state = finished(ordered("standard", 2))
    assert state.over
    assert [len(seat.board) for seat in state.seats] == [8, 8]
    assert hands(state) == [(), ()]
    assert len(state.discards) == 2
    assert len(state.pile) == 60 - 16 - 2
    assert legal(state, 0) == ()
    assert forbidden(state, "0:R1") == "over"
    assert forbidden(state, "0:undo") == "round_closed"


def finished(setup: Setup) -> State:
    state = deal(setup)
    while not state.over:
        for seat in state.waiting:
            state = step(state, seat, legal(state, seat)[0])
    return state


def test_r14_a_swap_throws_both_and_takes_two_from_the_bottom_at_once() -> None:
    state = play(deal(ordered("standard", 2)), "0:1,2 1:4,5")
    after = play(state, "1:R3 0:swap")
    assert after.seats[0].hand == (60, 59)
    assert after.discards == (6, 7)
    assert not after.seats[0].swap
    assert after.seats[1] == state.seats[1]
    assert after.waiting == (0,)
    again = play(after, "0:R60~")
    assert again.round == 2
    assert again.seats[1].hand == (59, 10)


def test_r14_when_a_swap_is_refused() -> None:
    start = deal(ordered("standard", 2))
    assert forbidden(start, "0:swap") == "too_early"
    state = play(start, "0:1,2 1:4,5")
    assert forbidden(state, "0:swap 0:swap") == "swap_used"
    assert forbidden(state, "0:R6 0:swap") == "sealed"
    assert play(state, "0:R6 0:undo 0:swap").seats[0].hand == (60, 59)
    assert forbidden(state, "0:swap 0:undo") == "round_closed"
    variant = play(deal(ordered("variant", 2)), "0:1,2 1:5,6")
    assert forbidden(variant, "0:swap") == "no_swap"


def test_r14_only_the_pairs_of_two_swappers_trade_places() -> None:
    state = play(deal(ordered("standard", 3)), "0:1,2 1:4,5 2:7,8")
    one = play(state, "0:swap 2:swap 0:R60 1:R3 2:R58")
    other = play(state, "2:swap 0:swap 0:R58 1:R3 2:R60")
    assert one.seats[0].hands[2] == other.seats[2].hands[2] == (60, 59)
    assert one.seats[2].hands[2] == other.seats[0].hands[2] == (58, 57)
    assert one.pile == other.pile
    assert [seat.hand[1] for seat in one.seats] == [seat.hand[1] for seat in other.seats]


def six_players_with_swaps(swaps: int, refill: tuple[int, ...]) -> State:
    """Six players lay their first card each round; `swaps` of them swap in the last round."""
    state = deal(ordered("standard", 6, refill))
    while state.round < 6:
        for seat in state.waiting:
            state = step(state, seat, legal(state, seat)[0])
    for seat in range(swaps):
        state = step(state, seat, Swap())
    return state


def test_r15_the_discards_become_the_pile_only_when_a_card_is_needed() -> None:
    three = six_players_with_swaps(3, BACKWARDS)
    assert three.pile == ()
    assert len(three.discards) == 6
    thrown = three.discards
    four = step(three, 3, Swap())
    order = tuple(card for card in BACKWARDS if card in thrown)
    assert four.seats[3].hand == (order[-1], order[-2]), "a swap takes from the bottom"
    assert four.pile == order[:-2]
    assert four.discards == three.seats[3].hand, "nobody gets back what they have just thrown"


@given(seeds, st.integers(0, 6))
def test_r15_a_refill_happens_once_with_four_swaps_or_more_and_never_otherwise(
    seed: int, swappers: int
) -> None:
    rng = Random(seed)
    state = deal(new_setup(EDITION, seats=6, rng=rng))
    when = {seat: rng.randint(1, 6) for seat in rng.sample(range(6), swappers)}
    refills = 0
    while not state.over:
        seat = rng.choice(state.waiting)
        swap = when.get(seat) == state.round and state.seats[seat].swap
        before = len(state.discards)
        move = Swap() if swap else rng.choice([m for m in legal(state, seat) if m != Swap()])
        state = step(state, seat, move)
        refills += len(state.discards) < before
        assert all_cards(state) == list(ORDER)
    assert refills == (swappers >= 4)


@pytest.mark.parametrize(("mode", "seats"), [t for t in TABLES if t != ("standard", 6)])
def test_r15_no_other_table_ever_needs_a_refill(mode: Mode, seats: int) -> None:
    for seed in range(20):
        states, _ = random_game(EDITION, mode, seats, Random(seed), swaps=0.9)
        sizes = [len(state.pile) for state in states]
        assert sizes == sorted(sizes, reverse=True)


def test_r17_the_variant_deals_four_and_passes_two() -> None:
    state = deal(ordered("variant", 2))
    assert hands(state) == [(1, 2, 3, 4), (5, 6, 7, 8)]
    assert not any(seat.swap for seat in state.seats)
    assert len(set(legal(state, 0))) == 48
    after = play(state, "0:1,2 1:8,5")
    assert hands(after) == [(6, 7, 9), (3, 4, 10)]
    assert len(set(legal(after, 0))) == 12
    later = play(after, "0:L6 1:R10~")
    assert hands(later) == [(3, 4, 11), (7, 9, 12)]


def test_r17_six_players_use_exactly_all_cards_and_discard_two_each() -> None:
    state = finished(ordered("variant", 6))
    assert state.pile == ()
    assert len(state.discards) == 12


def test_r17_the_order_of_passed_cards_tells_nothing() -> None:
    """Whether the drawn or an older card was kept, the next seat gets the two sorted."""
    setup = Setup(EDITION, "variant", 2, (3, 8, 19), BACKWARDS, ORDER)
    state = play(deal(setup), "0:60,59 1:56,55")
    assert hands(state) == [(53, 54, 52), (57, 58, 51)]
    drawn_passed_on = play(state, "0:R53 1:R57")
    assert hands(drawn_passed_on) == [(51, 58, 50), (52, 54, 49)]


def test_r18_solo_draws_two_and_discards_the_other() -> None:
    state = deal(ordered("solo", 1))
    assert hands(state) == [(1, 2, 3)]
    after = play(state, "0:1,3~")
    assert hands(after) == [(4, 5)]
    assert after.discards == (2,)
    later = play(after, "0:swap 0:L60")
    assert later.discards == (2, 4, 5, 59)
    assert hands(later) == [(6, 7)]
    end = finished(ordered("solo", 1))
    assert len(end.seats[0].board) == 8
    assert len(end.discards) == 7


@given(tables, seeds, chances)
def test_r13_every_random_game_ends_with_eight_cards_and_sixty_are_conserved(
    table: tuple[Mode, int], seed: int, swaps: float
) -> None:
    mode, seats = table
    states, _ = random_game(EDITION, mode, seats, Random(seed), swaps=swaps, undos=0.1)
    for state in states:
        assert all_cards(state) == list(ORDER)
        lengths = {len(seat.board) for seat in state.seats}
        assert lengths == {state.round + 1 if state.round else 0}
    assert states[-1].over
    assert {len(seat.board) for seat in states[-1].seats} == {8}
    assert len(states[-1].played) <= 48


@given(tables, seeds, chances)
def test_a_step_takes_exactly_the_legal_moves(
    table: tuple[Mode, int], seed: int, swaps: float
) -> None:
    mode, seats = table
    rng = Random(seed)
    states, _ = random_game(EDITION, mode, seats, rng, swaps=swaps)
    state = rng.choice(states)
    seat = rng.randrange(seats)
    tried: list[Move] = [Swap(), Undo()]
    cards_ = rng.sample(ORDER, 8) + list(state.seats[seat].hand)
    for card in cards_:
        tried += [Place(Laid(card), "left"), Place(Laid(card, turned=True), "right")]
    tried += [Start(Laid(left), Laid(right)) for left in cards_ for right in cards_]
    for move in tried:
        allowed = move in legal(state, seat) or (
            isinstance(move, Undo) and state.sealed[seat] is not None
        )
        try:
            step(state, seat, move)
        except IllegalMove:
            assert not allowed, move
        else:
            assert allowed, move


@given(tables, seeds, chances)
def test_replaying_all_moves_gives_the_same_state(
    table: tuple[Mode, int], seed: int, swaps: float
) -> None:
    mode, seats = table
    states, moves = random_game(EDITION, mode, seats, Random(seed), swaps=swaps, undos=0.2)
    assert replay(states[0].setup, moves) == states[-1]
    assert replay(states[0].setup, states[-1].played) == states[-1]


@given(tables, seeds, chances)
def test_the_engine_agrees_with_a_plain_second_reading_of_the_rules(
    table: tuple[Mode, int], seed: int, swaps: float
) -> None:
    mode, seats = table
    states, _ = random_game(EDITION, mode, seats, Random(seed), swaps=swaps)
    state, setup = states[-1], states[0].setup
    plain = reference.Table(mode, seats, list(setup.deck), list(setup.refill))
    plain.play([(seat, str(move)) for seat, move in state.played])
    assert [format_board(seat.board) for seat in state.seats] == [" ".join(b) for b in plain.boards]
    assert list(state.pile) == plain.pile
    assert sorted(state.discards) == sorted(plain.discards)
    assert [seat.swap for seat in state.seats] == plain.swap
    assert [score.points.total for score in scores(state)] == reference.totals(
        [" ".join(board) for board in plain.boards], list(setup.objectives), mode, plain.swap
    )


def test_values_are_frozen() -> None:
    """The ignored lines are what a type checker forbids; they must fail at run time, too."""
    state = deal(ordered("standard", 2))
    with pytest.raises(FrozenInstanceError):
        state.round = 3  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        state.setup.seats = 3  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        Place(Laid(1), "left").end = "right"  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        view(state, 0).pile = 3  # type: ignore[misc]
    lists = replace(state.setup, deck=list(ORDER))  # type: ignore[arg-type]
    assert lists.deck == ORDER
    assert replace(state, round=0) == state
    assert hash(state) == hash(replace(state))


def test_an_unknown_seat_is_refused() -> None:
    state = deal(ordered("standard", 2))
    assert forbidden(state, "2:1,2") == "no_seat"
    for seat in (-1, 2):
        with pytest.raises(IllegalMove, match="there is no seat"):
            legal(state, seat)
        with pytest.raises(IllegalMove, match="there is no seat"):
            view(state, seat)
        with pytest.raises(IllegalMove, match="there is no seat"):
            step(state, seat, Swap())


@pytest.mark.parametrize(
    ("deck", "fault"),
    [
        (ORDER[:59], "found 59 cards"),
        ((*ORDER[:59], 1), "card 1 stands twice"),
        ((*ORDER[:59], 61), "unknown card 61"),
        ((*ORDER, 1), "card 1 stands twice"),
    ],
)
def test_a_deck_that_is_not_every_card_once_is_refused(deck: tuple[int, ...], fault: str) -> None:
    for name in ("deck", "refill"):
        orders = {"deck": ORDER, "refill": ORDER} | {name: deck}
        with pytest.raises(Refusal, match=f"{name}: {fault}; expected"):
            Setup(EDITION, "standard", 2, (3, 8, 19), orders["deck"], orders["refill"])


def count_sequences(state: State, moves: int) -> int:
    """How many different sequences of moves there are when the first waiting seat moves next."""
    if moves == 0:
        return 1
    seat = state.waiting[0]
    return sum(count_sequences(step(state, seat, move), moves - 1) for move in legal(state, seat))


@pytest.mark.parametrize(
    ("mode", "seats", "counts"),
    [
        ("solo", 1, [24, 216, 1920, 16896]),
        # Both start (24 · 24). Then 8 placements and a swap; after a swap the seat still places.
        ("standard", 2, [24, 24 * 24, 576 * 9, 576 * (8 * 9 + 8)]),
        ("variant", 2, [48, 48 * 48, 2304 * 12]),
        ("variant", 3, [48, 48 * 48, 48 * 48 * 48]),
    ],
)
@pytest.mark.long
def test_counted_trees(mode: Mode, seats: int, counts: list[int]) -> None:
    state = deal(new_setup(EDITION, mode=mode, seats=seats, rng=Random(3)))
    assert [count_sequences(state, depth) for depth in range(1, len(counts) + 1)] == counts
