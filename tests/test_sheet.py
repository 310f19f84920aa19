import json
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sideboards import Refusal, load_edition
from sideboards.core.sheet import Sheet, parse_sheet, results
from tests import reference

EDITION = load_edition()
TITLES = ("one", "two", "three", "four", "five")
Data = dict[str, Any]

BOOKS: Data = {
    "objectives": [3, 8, 19],
    "mode": "standard",
    "players": [
        {"name": "Lydia", "board": "60~ 17 19 9 13~ 11~ 24 2~"},
        {"name": "Charlie", "board": "46 34~ 31 36 35~ 40 39~ 51~", "swap_used": False},
        {"name": "Peter", "board": "12 27 29~ 56 33 28 55~ 50~"},
    ],
}


def parse(data: Data) -> Sheet:
    return parse_sheet(json.dumps(data).encode(), EDITION)


def score(data: Data) -> Data:
    found: Data = json.loads(json.dumps(results(parse(data), TITLES)))
    return found


def test_the_books_example_as_three_boards() -> None:
    found = score(BOOKS)
    assert [player["total"] for player in found["players"]] == [38, 38, 43]
    assert [player["place"] for player in found["players"]] == [2, 2, 1]
    assert found["winners"] == [2]
    assert found["title"] is None
    lydia = found["players"][0]
    assert (lydia["color"]["count"], lydia["color"]["points"]) == (3, 12)
    assert (lydia["handle"]["count"], lydia["handle"]["points"]) == (5, 15)
    assert lydia["row"] == {
        "length": 5,
        "points": 10,
        "runs": [[[3, 4], [4, 4], [5, 4], [6, 4], [7, 4]]],
    }
    assert (lydia["bonus"], lydia["swap"]) == (0, 1)
    assert list(lydia) == ["name", "color", "handle", "row", "bonus", "swap", "total", "place"]


def test_the_order_of_the_players_changes_no_total() -> None:
    for order in permutations(BOOKS["players"]):
        found = score(BOOKS | {"players": list(order)})
        assert {p["name"]: p["total"] for p in found["players"]} == {
            "Lydia": 38,
            "Charlie": 38,
            "Peter": 43,
        }


def owned() -> Data:
    """The same boards spelled out, and the same patterns written out, in another corner."""
    spelled = []
    for player in BOOKS["players"]:
        words = player["board"].split()
        cards = [
            str(EDITION.card(int(word.rstrip("~")))) + ("~" if "~" in word else "")
            for word in words
        ]
        spelled.append(player | {"board": " ".join(cards)})
    return BOOKS | {
        "objectives": [
            {"kind": "color", "cells": [[4, 3], [3, 4], [2, 3]], "points": 4},
            {"kind": "handle", "cells": [[1, 4], [0, 3]], "points": 3, "turns": "half"},
            19,
        ],
        "players": spelled,
    }


def test_an_owner_scores_with_objectives_and_cards_of_the_printed_box() -> None:
    assert score(owned()) == score(BOOKS)


@given(
    st.integers(0, 8), st.integers(0, 8), st.booleans(), st.sampled_from(["standard", "variant"])
)
def test_r34_unfinished_boards_are_scored_as_if_the_game_ended_now(
    one: int, other: int, used: bool, mode: str
) -> None:
    boards = [
        " ".join(BOOKS["players"][i]["board"].split()[:length])
        for i, length in ((0, one), (1, other))
    ]
    found = score(
        {
            "objectives": [3, 8, 19],
            "mode": mode,
            "players": [
                {"name": "A", "board": boards[0], "swap_used": used},
                {"name": "B", "board": boards[1]},
            ],
        }
    )
    totals = reference.totals(boards, [3, 8, 19], mode, [not used, True])
    assert [player["total"] for player in found["players"]] == totals


@pytest.mark.parametrize(
    ("board", "tier"),
    [("", 5), ("60~ 17 19 9 13~ 11~ 24 2~", 3), ("46 34~ 31 36 35~ 40 39~ 51~", 3)],
)
def test_r31_solo_has_a_title_and_its_player_wins(board: str, tier: int) -> None:
    player = {"name": "Ana", "board": board}
    found = score({"objectives": [3, 8, 19], "mode": "solo", "players": [player]})
    assert found["winners"] == [0]
    assert found["title"] == {"tier": tier, "text": TITLES[tier - 1]}


def test_r29_places_are_shared_and_the_next_is_skipped() -> None:
    players = [{"name": name, "board": "RfTPsOBb"} for name in "ABC"]
    players[2]["board"] = ""
    found = score(BOOKS | {"players": players})
    assert [player["place"] for player in found["players"]] == [1, 1, 3]
    assert found["winners"] == [0, 1]


def test_r34_spelled_out_cards_may_repeat_numbers_may_not() -> None:
    twice = {"name": "A", "board": "RfTPsOBb RfTPsOBb"}
    assert score(BOOKS | {"players": [twice, twice]})["winners"] == [0, 1]
    for boards in (("17 17~", "1"), ("17", "2 17")):
        players = [{"name": "A", "board": board} for board in boards]
        with pytest.raises(Refusal, match="17 lies with players"):
            parse(BOOKS | {"players": players})


def with_player(**fields: object) -> Data:
    return BOOKS | {"players": [BOOKS["players"][0] | fields, *BOOKS["players"][1:]]}


def with_pattern(**fields: object) -> Data:
    pattern = {"kind": "color", "cells": [[0, 0], [1, 1]], "points": 3} | fields
    return BOOKS | {"objectives": [pattern, 8, 19]}


def without(field: str) -> Data:
    return {name: value for name, value in BOOKS.items() if name != field}


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (without("mode"), 'the document: the field "mode" is missing'),
        (without("players"), 'the field "players" is missing'),
        (BOOKS | {"modus": 1}, 'the document: unknown field "modus"; expected only'),
        (BOOKS | {"edition": "other.json"}, 'unknown field "edition"'),
        (BOOKS | {"mode": "big"}, 'mode: found "big"; expected "standard" or "variant" or "solo"'),
        (BOOKS | {"mode": None}, "mode: found null"),
        (BOOKS | {"mode": "solo"}, "players: found 3 players in mode solo; expected 1"),
        (BOOKS | {"players": []}, "players: found 0 players in mode standard; expected 2 to 6"),
        (BOOKS | {"players": BOOKS["players"] * 3}, "players: found 9 players"),
        (BOOKS | {"players": {}}, "players: found an object of 0; expected a list"),
        (BOOKS | {"objectives": [3, 8]}, "objectives: found 2 objectives"),
        (BOOKS | {"objectives": [8, 3, 19]}, "objectives[0]: found 8; expected a color objective"),
        (BOOKS | {"objectives": [3, 8, 31]}, "objectives[2]: found 31; expected a row objective"),
        (BOOKS | {"objectives": [3, 8, True]}, "objectives[2]: found true"),
        (BOOKS | {"objectives": [3.0, 8, 19]}, "objectives[0]: found 3.0"),
        (BOOKS | {"objectives": ["3", 8, 19]}, 'objectives[0]: found "3"'),
        (BOOKS | {"objectives": [3, 8, 10**40]}, "objectives[2]: found a huge number"),
        (BOOKS | {"objectives": [3, 8, {"kind": "row"}]}, "objectives[2]: found an object of 1"),
        (with_pattern(kind="handle"), "objectives[0]: found a handle pattern; expected a color"),
        (with_pattern(kind="row"), 'objectives[0].kind: found "row"'),
        (with_pattern(cells=[[0, 0]]), "objectives[0].cells: found 1 cells; expected 2 to 5"),
        (with_pattern(cells=[[0, 0], [0, 2]]), "cells[1]: a second cell in column 0"),
        (with_pattern(cells=[[0, 0], [-1, 2]]), "objectives[0].cells[1][0]: found -1"),
        (with_pattern(points=1e999), "objectives[0].points: found Infinity"),
        (with_pattern(points="4"), 'objectives[0].points: found "4"'),
        (with_pattern(turns="none"), 'objectives[0].turns: found "none"'),
        (with_pattern(number=3), 'objectives[0]: unknown field "number"'),
        (with_player(board="1 2 3 4 5 6 7 8 10"), "players[0].board: found 9 cards; expected 0 to"),
        (with_player(board="61"), 'players[0].board, card 1: found "61"'),
        (with_player(board="1 RRPsOBb"), 'players[0].board, card 2: card "RRPsOBb" shows red, red'),
        (with_player(board=["1"]), "players[0].board: found a list of 1; expected a text"),
        (with_player(name=""), 'players[0].name: found ""; expected 1 to 60 printable'),
        (with_player(name="a\u0000b"), 'players[0].name: found "a\\u0000b"'),
        (with_player(name="\ud800"), "players[0].name: found"),
        (with_player(swap_used=0), "players[0].swap_used: found 0; expected true or false"),
        (with_player(points=99), 'players[0]: unknown field "points"'),
    ],
)
def test_a_bad_request_is_refused_with_its_place(data: Data, sentence: str) -> None:
    text = json.dumps(data).replace("Infinity", "1e999")
    with pytest.raises(Refusal) as refusal:
        parse_sheet(text.encode(), EDITION)
    assert sentence in str(refusal.value)
    assert "; expected " in str(refusal.value)
    assert str(refusal.value).isprintable()


FIELDS = st.sampled_from(["objectives", "mode", "players", "name", "board"])
rubbish = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text() | st.integers(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(FIELDS, inner, max_size=4),
    max_leaves=20,
)


@given(rubbish)
def test_rubbish_is_refused_as_a_request(value: object) -> None:
    with pytest.raises(Refusal):
        parse_sheet(json.dumps(value).encode(), EDITION)
