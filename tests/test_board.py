from hypothesis import given
from hypothesis import strategies as st

from sideboards import Board, Laid, load_edition, parse_board, picture
from sideboards.core.board import tracks
from sideboards.core.card import COLORS, HANDLES
from sideboards.core.reader import heights
from tests import reference
from tests.test_card import cards

EDITION = load_edition()

laid = st.builds(Laid, st.integers(1, 60) | cards(), st.booleans())
boards: st.SearchStrategy[Board] = st.lists(laid, max_size=8).map(tuple)


@given(boards)
def test_a_track_holds_the_height_of_one_color_or_handle_in_every_column(board: Board) -> None:
    columns = reference.board(" ".join(map(str, board)))
    found = [heights(track, len(board)) for track in tracks(board, EDITION)]
    for which, names in enumerate((COLORS, HANDLES)):
        for i, name in enumerate(names):
            expected = [
                next(y for y, drawer in enumerate(drawers) if drawer[which] == name)
                for drawers in columns
            ]
            assert list(found[which * len(COLORS) + i]) == expected


def test_the_picture_of_a_board() -> None:
    board = parse_board("17 42~ RfTPsOBb~")
    assert picture(board, EDITION) == (
        "R   Tb  Bb\nO   Bf  O\nBb  O   Ps\nTs  Rs  T\nPf  P   Rf\n17  42~ *~"
    )


def test_marks_stand_behind_their_drawers() -> None:
    board = parse_board("17 42~")
    assert picture(board, EDITION, {(0, 2): "1a", (1, 0): "="}) == (
        "R    Tb=\nO    Bf\nBb1a O\nTs   Rs\nPf   P\n17   42~"
    )


def test_the_picture_of_no_card_is_blank() -> None:
    assert picture((), EDITION).strip() == ""
