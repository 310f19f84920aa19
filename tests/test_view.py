from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sideboards import (
    Mode,
    Move,
    Place,
    Start,
    State,
    Swap,
    Undo,
    View,
    deal,
    final_scores,
    imagine,
    legal,
    load_edition,
    new_setup,
    replay,
    step,
    view,
)
from sideboards.core.board import packed
from sideboards.core.game import Hand
from sideboards.core.view import foresee
from tests.games import TABLES, random_game
from tests.test_game import BACKWARDS, ORDER, ordered, play, six_players_with_swaps

EDITION = load_edition()
seeds = st.integers(0, 2**32 - 1)
tables = st.sampled_from(TABLES)
chances = st.sampled_from([0.0, 0.3, 0.9])


def some_state(table: tuple[Mode, int], seed: int, swaps: float) -> tuple[State, Random]:
    rng = Random(seed)
    states, _ = random_game(EDITION, *table, rng, swaps=swaps, undos=0.1)
    return rng.choice(states), rng


def test_r8_a_sealed_choice_is_seen_by_its_seat_alone() -> None:
    state = play(deal(ordered("standard", 3)), "0:1,2~")
    assert str(view(state, 0).choice) == "1,2~"
    for other in (1, 2, None):
        seen = view(state, other)
        assert seen.sealed == (True, False, False)
        assert seen.choice is None
        assert seen == view(play(deal(ordered("standard", 3)), "0:3,2"), other)


@given(tables, seeds, chances)
def test_r16_a_view_holds_nothing_hidden(table: tuple[Mode, int], seed: int, swaps: float) -> None:
    """No card stands in a view that is neither laid, nor in one of the seat's own hands."""
    state, rng = some_state(table, seed, swaps)
    seat = rng.choice([None, *range(table[1])])
    seen = view(state, seat)
    assert (seen.pile, seen.discards) == (len(state.pile), len(state.discards))
    if state.over:
        assert seen.open_discards == state.discards
        assert seen.hands == tuple(each.hands for each in state.seats)
        return
    assert seen.open_discards is None
    own: tuple[Hand, ...] = () if seat is None else state.seats[seat].hands
    assert seen.hands == tuple(own if i == seat else None for i in range(table[1]))
    allowed = {card for hand in own for card in hand}
    allowed |= {
        each.card for board in state.seats for each in board.board if isinstance(each.card, int)
    }
    told = {each.card for board in seen.boards for each in board}
    for _, move in seen.played:
        match move:
            case Start(left, right):
                told |= {left.card, right.card}
            case Place(laid):
                told |= {laid.card}
            case Swap():
                pass
    assert told <= allowed


@given(tables, seeds, chances)
def test_r16_two_unknown_cards_exchanged_change_nothing_in_the_view(
    table: tuple[Mode, int], seed: int, swaps: float
) -> None:
    """The same play, with two cards exchanged that a seat has not seen, looks the same to it."""
    state, rng = some_state(table, seed, swaps)
    if state.over:
        return
    seat = rng.choice([None, *range(table[1])])
    seen = view(state, seat)
    known: set[object] = {each.card for board in seen.boards for each in board}
    known |= {card for hands in seen.hands if hands for hand in hands for card in hand}
    hidden = [card for card in ORDER if card not in known | sealed_cards(state)]
    one, other = rng.sample(hidden, 2)
    trade = {one: other, other: one}
    setup = state.setup
    twin = replace(
        setup,
        deck=tuple(trade.get(card, card) for card in setup.deck),
        refill=tuple(trade.get(card, card) for card in setup.refill),
    )
    moves: list[tuple[int, Move]] = [*state.played]
    moves += [(i, choice) for i, choice in enumerate(state.sealed) if choice is not None]
    other_state = replay(twin, moves)
    assert other_state != state, "the two worlds really differ"
    assert view(other_state, seat) == seen


def sealed_cards(state: State) -> set[object]:
    cards: set[object] = set()
    for choice in state.sealed:
        match choice:
            case Start(left, right):
                cards |= {left.card, right.card}
            case Place(laid):
                cards.add(laid.card)
            case None:
                pass
    return cards


def test_r16_hands_and_discards_are_open_at_the_end() -> None:
    states, _ = random_game(EDITION, "standard", 2, Random(1), swaps=0.5)
    end = view(states[-1], None)
    assert end.open_discards == states[-1].discards
    assert all(hands is not None for hands in end.hands)
    assert all(hands is None for hands in view(states[-2], None).hands)


def test_r16_a_seat_may_know_what_it_has_passed_on() -> None:
    state = play(deal(ordered("standard", 2)), "0:1,2 1:4,5 0:swap 0:R60 1:R3")
    assert view(state, 0).left_over == ((3,), (59,))
    assert view(state, None).left_over == ()


def test_r18_the_hand_of_an_opening_is_known_after_a_swap() -> None:
    opened = play(deal(ordered("standard", 2)), "0:1,2 1:4,5")
    hand = view(opened, 0).hand
    for later in (opened, swapped := play(opened, "0:swap"), play(swapped, "0:R60")):
        assert view(later, 0).opening_hand == hand
    closed = view(play(swapped, "0:R60 1:R3"), 0)
    assert closed.opening_hand == closed.hand


@given(tables, seeds, chances)
def test_options_are_the_legal_moves_with_the_score_if_the_game_ended(
    table: tuple[Mode, int], seed: int, swaps: float
) -> None:
    state, rng = some_state(table, seed, swaps)
    seat = rng.randrange(table[1])
    seen = view(state, seat)
    assert tuple(option.move for option in seen.options) == legal(state, seat)
    for option in seen.options:
        boards, unused = list(seen.boards), list(seen.swaps)
        match option.move:
            case Start(left, right):
                boards[seat] = (left, right)
            case Place(laid, "left"):
                boards[seat] = (laid, *boards[seat])
            case Place(laid):
                boards[seat] = (*boards[seat], laid)
            case _:
                unused[seat] = False
        scores = final_scores(boards, seen.objectives, EDITION, seen.mode, unused)
        assert option.points == scores[seat].points


def test_the_option_to_swap_is_the_present_score_less_one() -> None:
    state = play(deal(ordered("standard", 2)), "0:1,2 1:4,5")
    seen = view(state, 0)
    swap = next(option for option in seen.options if isinstance(option.move, Swap))
    assert swap.points.total == seen.scores[0].points.total - 1


def test_a_sealed_seat_and_a_spectator_have_no_options() -> None:
    state = play(deal(ordered("standard", 2)), "0:1,2")
    assert view(state, 0).options == ()
    assert view(state, None).options == ()
    assert len(view(state, 1).options) == 24
    assert len(view(step(state, 0, Undo()), 0).options) == 24


def round_views(state: State, seat: int | None) -> list[View]:
    """The views of a seat after every final move of the game so far."""
    states = [deal(state.setup)]
    for who, move in state.played:
        states.append(step(states[-1], who, move))
    return [view(each, seat) for each in states]


@given(tables, seeds, chances)
def test_an_imagined_state_gives_the_same_view_now_and_in_all_earlier_rounds(
    table: tuple[Mode, int], seed: int, swaps: float
) -> None:
    state, rng = some_state(table, seed, swaps)
    seat = rng.choice([None, *range(table[1])])
    seen = view(state, seat)
    imagined = imagine(seen, rng)
    assert view(imagined, seat) == seen
    assert round_views(imagined, seat) == round_views(state, seat)
    moves: list[tuple[int, Move]] = [*imagined.played]
    moves += [(i, choice) for i, choice in enumerate(imagined.sealed) if choice is not None]
    assert replay(imagined.setup, moves) == imagined, "reachable by legal play"


@pytest.mark.parametrize("swappers", [4, 5, 6])
@pytest.mark.parametrize("seat", [None, 0, 3, 5])
def test_an_imagined_state_after_a_refill(swappers: int, seat: int | None) -> None:
    state = six_players_with_swaps(swappers, BACKWARDS)
    for seed in range(30):
        assert view(imagine(view(state, seat), Random(seed)), seat) == view(state, seat)


@pytest.mark.parametrize(("mode", "seats"), TABLES)
def test_imagined_states_really_differ(mode: Mode, seats: int) -> None:
    states, _ = random_game(EDITION, mode, seats, Random(5), swaps=0.3)
    state = next(state for state in states if state.round == 3)
    seen = view(state, 0)
    imagined = [imagine(seen, Random(seed)) for seed in range(40)]
    assert len({each.setup.deck for each in imagined}) == 40
    assert len({each.pile for each in imagined}) == 40
    if seats > 1:
        assert len({tuple(seat.hand for seat in each.seats[1:]) for each in imagined}) > 20


def test_imagined_hands_are_as_likely_as_they_should_be() -> None:
    """Two players, round 1: the neighbour holds the card I passed and one of 54 unseen ones."""
    state = play(deal(ordered("standard", 2)), "0:1,2 1:4,5")
    seen = view(state, 0)
    hands = [imagine(seen, Random(seed)).seats[1].hand for seed in range(3000)]
    assert {hand[0] for hand in hands} == {3}
    drawn = [hand[1] for hand in hands]
    unseen = set(ORDER) - {1, 2, 3, 4, 5, 6, 7}
    assert set(drawn) == unseen
    expected = 3000 / len(unseen)
    chi_square = sum((drawn.count(card) - expected) ** 2 / expected for card in unseen)
    assert chi_square < 95  # 52 degrees of freedom: the 99.97 % limit


def test_imagined_sealed_choices_are_any_legal_ones() -> None:
    state = play(deal(ordered("standard", 2)), "1:4,5")
    choices = {str(imagine(view(state, 0), Random(seed)).sealed[1]) for seed in range(200)}
    assert len(choices) > 150


def test_imagined_histories_differ_in_which_card_was_laid() -> None:
    """In the variant a laid card may have been any of three: passed on, or drawn."""
    states, _ = random_game(EDITION, "variant", 4, Random(2), swaps=0)
    state = next(state for state in states if state.round == 2)
    move = [move for seat, move in state.played if seat == 2][1]
    assert isinstance(move, Place)
    places = {
        imagine(view(state, 0), Random(seed)).seats[2].hands[1].index(move.laid.card)
        for seed in range(200)
        if isinstance(move.laid.card, int)
    }
    assert places == {0, 1, 2}


def test_imagining_is_repeatable() -> None:
    state = deal(new_setup(EDITION, seats=4, rng=Random(9)))
    assert imagine(view(state, 2), Random(1)) == imagine(view(state, 2), Random(1))


def test_a_view_prints_the_boards_as_pictures() -> None:
    state = play(deal(ordered("standard", 2)), "0:1,2~ 1:4,5")
    assert str(view(state, 0)) == (
        "round 1, objectives 3,8,19, pile 52, discards 0\n"
        "seat 0 (you)\n"
        "Rs  Os\n"
        "Tf  B\n"
        "P   P\n"
        "O   Tf\n"
        "Bb  Rb\n"
        "1   2~\n"
        "seat 1\n"
        "P   O\n"
        "Bs  Pf\n"
        "O   Bs\n"
        "Tb  T\n"
        "Rf  Rb\n"
        "4   5\n"
        "hand 6 7"
    )
    assert "you" not in str(view(state, None))


@given(tables, seeds, chances)
def test_what_is_foreseen_is_what_the_boards_will_show(
    table: tuple[Mode, int], seed: int, swaps: float
) -> None:
    """Whatever the last one chooses: all other boards are foreseen, and what they may become."""
    rng = Random(seed)
    states, _ = random_game(EDITION, *table, rng, swaps=swaps, undos=0.1)
    for state in states:
        known = foresee(state)
        if table[1] == 1 or state.sealed.count(None) != 1:
            assert known == {}
            continue
        last = state.sealed.index(None)
        closing = [move for move in legal(state, last) if not isinstance(move, Swap)]
        after = step(state, last, rng.choice(closing))
        for seat in range(table[1]):
            seen = view(after, seat)
            beside = view(after, None)
            assert beside.scores_knowing(known) == beside.scores
            foreseen = seen.points_beside(seen.scores, known)
            assert foreseen == [option.points for option in seen.options]
            if seat != last:
                counted = dict(known)
                seen.count_into(counted)
                assert packed(seen.boards[seat], EDITION) in known
                assert counted == known, "nothing was left to be counted"


def test_boards_of_different_lengths_are_different_numbers() -> None:
    """Else one that was foreseen could be taken for another."""
    assert min(column for columns in EDITION.columns[1:] for column in columns) > 0
