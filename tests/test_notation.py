from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sideboards import (
    Board,
    Edition,
    Laid,
    Mode,
    Move,
    Place,
    Record,
    Refusal,
    Start,
    Swap,
    Undo,
    format_board,
    format_record,
    load_edition,
    parse_board,
    parse_move,
    parse_record,
    replay,
    scores,
)
from sideboards.core.notation import parse_objectives
from tests.games import TABLES, random_game
from tests.test_board import boards

EDITION = load_edition()

numbered = st.builds(Laid, st.integers(1, 60), st.booleans())
moves: st.SearchStrategy[Move] = st.one_of(
    st.builds(Start, numbered, numbered),
    st.builds(Place, numbered, st.sampled_from(["left", "right"])),
    st.just(Swap()),
    st.just(Undo()),
)
printable = st.characters(exclude_categories=["C", "Z"], include_characters=" ")
names = st.text(printable, min_size=1, max_size=60).filter(str.strip)

EXAMPLE_DECK = (
    "2 9 13 31 36 56 17 29 27 11 34 28 19 46 12 24 35 33 39 40 51 60 50 55 37 15 47 58 45 18 "
    "7 54 52 14 44 23 21 53 43 16 25 1 38 57 10 42 41 22 4 48 8 26 3 32 20 59 30 49 6 5"
)
SWAP_DECK = (
    "9 13 34 31 56 36 29 11 27 46 24 19 35 39 12 37 60 33 17 15 28 5 50 55 2 51 7 8 49 21 "
    "10 58 54 18 48 26 23 57 45 20 30 1 42 59 16 44 43 25 4 52 14 32 3 41 22 6 38 53 47 40"
)
SEATS = (
    "9,13~ R11~ L19 R24 L17 L60~ R2~",
    "31,36 L34~ L46 R35~ R40 R39~ R51~",
    "27,29~ R56 L12 R33 R28 R55~ R50~",
)


def example(deck: str, *, swap_in_round: int | None = None) -> list[str]:
    """The lines of the books' example as a game record."""
    lines = [
        "sideboards-record-1",
        f"edition: {EDITION.name} {EDITION.sha256}",
        "mode: standard",
        "seats: 3",
        "objectives: 3,8,19",
        f"deck: {deck}",
        f"refill: {' '.join(map(str, range(1, 61)))}",
    ]
    for round_ in range(7):
        lines += ["1 swap"] if round_ == swap_in_round else []
        lines += [f"{seat} {moves_.split()[round_]}" for seat, moves_ in enumerate(SEATS)]
    return lines


def parse(lines: list[str]) -> Record:
    return parse_record("\n".join(lines).encode(), EDITION)


def test_the_books_example_as_a_game() -> None:
    record = parse(example(EXAMPLE_DECK))
    state = replay(record.setup, record.played)
    assert len(state.pile) == 33
    assert state.discards == (37, 15, 47)
    assert [score.points.total for score in scores(state)] == [38, 38, 43]
    assert [score.place for score in scores(state)] == [2, 2, 1]


def test_the_books_example_with_a_swap() -> None:
    record = parse(example(SWAP_DECK, swap_in_round=4))
    state = replay(record.setup, record.played)
    assert {37, 15} <= set(state.discards)
    assert (40, 47) in state.seats[1].hands
    assert [score.points.total for score in scores(state)] == [38, 37, 43]
    assert [score.place for score in scores(state)] == [2, 3, 1]
    assert (len(state.pile), len(state.discards)) == (31, 5)


@given(boards)
def test_a_board_is_read_back_as_it_was_written(board: Board) -> None:
    assert parse_board(format_board(board)) == board


@given(moves)
def test_a_move_is_read_back_as_it_was_written(move: Move) -> None:
    assert parse_move(str(move)) == move


@given(st.sampled_from(TABLES), st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.4]), st.data())
def test_a_record_is_read_back_as_it_was_written(
    table: tuple[Mode, int], seed: int, swaps: float, data: st.DataObject
) -> None:
    states, _ = random_game(EDITION, *table, Random(seed), swaps=swaps, undos=0.1)
    people = data.draw(st.none() | st.tuples(*[names] * table[1]))
    record = Record(states[0].setup, states[-1].played, people or ())
    text = format_record(record)
    assert parse_record(text.encode(), EDITION) == record
    assert format_record(parse_record(text.encode(), EDITION)) == text
    assert replay(record.setup, record.played) == states[-1]


def test_other_orders_within_a_round_are_read_but_never_written() -> None:
    lines = example(SWAP_DECK, swap_in_round=4)
    swap = lines.index("1 swap")
    lines[swap : swap + 4] = [lines[swap + 3], lines[swap], lines[swap + 1], lines[swap + 2]]
    assert parse(lines) == parse(example(SWAP_DECK, swap_in_round=4))


def test_lines_may_end_as_windows_ends_them() -> None:
    text = "\r\n".join(example(EXAMPLE_DECK)) + "\r\n"
    assert parse_record(text.encode(), EDITION) == parse(example(EXAMPLE_DECK))


@pytest.mark.parametrize(
    "text",
    ["", "17", "L", "l17", "L017", "L0", "L100", "17,", "17 ,18", "1,2,3", "Swap", "R17~~", "R¹"],
)
def test_what_is_no_move_is_refused(text: str) -> None:
    with pytest.raises(Refusal, match="; expected a move such as 12,40~"):
        parse_move(text)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("17 61", 'card 2: found "61"; expected a number from 1 to 60'),
        ("0", 'card 1: found "0"; expected a number'),
        ("017", 'card 1: found "017"'),
        ("17~~", 'card 1: found "17~~"'),
        ("99999999999999999999", "card 1: found"),
        ("17, 18", 'card 1: found "17,"'),
        ("17 RfTPsOBbR", 'card 2: card "RfTPsOBbR" has 6 drawers; expected 5'),
        ("RfRPsOBb", 'card 1: card "RfRPsOBb" shows red, red'),
        ("~17", 'card 1: card "~17": found "~" as sign 1'),
        ("²", "card 1: found"),
    ],
)
def test_what_is_no_board_is_refused_with_its_place(text: str, sentence: str) -> None:
    with pytest.raises(Refusal) as refusal:
        parse_board(text)
    assert sentence in str(refusal.value)
    assert "; expected " in str(refusal.value)


def changed(number: int, line: str | None) -> list[str]:
    """The example with line `number` (from 1) replaced, or left out."""
    lines = example(EXAMPLE_DECK)
    lines[number - 1 : number] = [] if line is None else [line]
    return lines


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        ([], 'line 1: found ""; expected a game record'),
        (changed(1, "sideboards-record-2"), "line 1: found"),
        (
            changed(2, f"edition: Other {EDITION.sha256}"),
            'line 2: the record is of edition "Other"',
        ),
        (changed(2, f"edition: {EDITION.name} {'0' * 64}"), "line 2: the record is of edition"),
        (changed(3, None), 'line 3: found "seats: 3"; expected mode: …'),
        (changed(3, "mode: big"), 'line 3: found "big"; expected standard or variant or solo'),
        (changed(3, "mode: solo"), "line 4: seats: found 3 in mode solo; expected 1 player"),
        (changed(3, "mode: variant"), "line 9: seat 1 does not hold card 31"),
        (changed(4, "seats: 7"), 'line 4: found "7"; expected a number from 1 to 6'),
        (changed(4, "seats: 03"), 'line 4: found "03"'),
        (changed(4, "seats: 2"), "line 10: there is no seat 2; expected 0 to 1"),
        (changed(5, "objectives: 8,3,19"), "line 5: found 8 as the color objective"),
        (changed(5, "objectives: 3,8"), "line 5: found 2 objectives"),
        (changed(5, "objectives: 3,8,x"), 'line 5: found "x"'),
        (changed(6, f"deck: {EXAMPLE_DECK} 61"), "line 6: deck: unknown card 61"),
        (changed(6, f"deck: {EXAMPLE_DECK[:-2]}"), "line 6: deck: found 59 cards"),
        (changed(6, f"deck: {EXAMPLE_DECK[:-1]}6"), "line 6: deck: card 6 stands twice"),
        (changed(6, f"deck: {EXAMPLE_DECK}  "), 'line 6: found ""'),
        (changed(7, "refill: 1 2 3"), "line 7: refill: found 3 cards"),
        (changed(8, "player 0: Ana"), "line 8: found 1 names; expected none or 3"),
        (changed(8, "player 1: Ana"), 'line 8: found "player 1: Ana"; expected player 0: …'),
        (changed(8, "player 0: \x1b[31m"), "line 8: found the name"),
        (changed(8, "0 R9"), "line 8: seat 0 lays one card at the start; expected two"),
        (changed(8, "0 9,9~"), "line 8: 9,9~ lays one card twice"),
        (changed(8, "3 9,13~"), "line 8: there is no seat 3; expected 0 to 2"),
        (changed(8, "9,13~"), 'line 8: found "9,13~"; expected SEAT MOVE'),
        (changed(8, "0 swap"), "line 8: no swap before the first cards lie"),
        (changed(8, "0  9,13~"), "line 8: found"),
        (changed(9, "1 undo"), "line 9: found undo; expected final moves only"),
        (changed(9, "0 9,13~"), "line 9: seat 0 has sealed 9,13~; expected undo"),
        (changed(11, "0 R12~"), "line 11: seat 0 does not hold card 12"),
        (changed(28, None), "line 28: the record ends in round 6 before seat 2 has chosen"),
        ([*example(EXAMPLE_DECK), "0 R1"], "line 29: the game is over"),
        ([*example(EXAMPLE_DECK), ""], None),
        ([*example(EXAMPLE_DECK), "", ""], 'line 29: found ""; expected SEAT MOVE'),
    ],
)
def test_a_tampered_or_impossible_record_is_refused_with_line_and_reason(
    lines: list[str], sentence: str | None
) -> None:
    if sentence is None:
        parse(lines)
        return
    with pytest.raises(Refusal) as refusal:
        parse(lines)
    assert str(refusal.value).startswith(sentence)
    assert "; expected " in str(refusal.value) or "; expected" in str(refusal.value)


@pytest.mark.parametrize("number", range(28))
def test_a_record_with_one_line_lost_is_always_refused(number: int) -> None:
    lines = example(EXAMPLE_DECK)
    del lines[number]
    with pytest.raises(Refusal):
        parse(lines)


@given(st.binary(max_size=300))
def test_rubbish_is_refused_as_a_record(data: bytes) -> None:
    with pytest.raises(Refusal):
        parse_record(data, EDITION)


def test_objectives_are_written_with_commas(edition: Edition) -> None:
    assert parse_objectives("3,8,19") == edition.suggestions[0]
