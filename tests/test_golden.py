"""Recorded games: how Sideboards has always been played here."""

from pathlib import Path

import pytest

from sideboards import (
    Mode,
    Record,
    Setup,
    format_record,
    load_edition,
    parse_move,
    parse_record,
    replay,
    scores,
)
from sideboards.core.notation import parse_objectives
from sideboards.core.scoring import MODES

EDITION = load_edition()
FILE = Path(__file__).parent / "golden" / "games.txt"
GAMES = [line for line in FILE.read_text().splitlines() if not line.startswith("#")]


def numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split()))


def read(line: str) -> tuple[Record, int, list[int]]:
    mode_name, objectives, deck, refill, moves, pile, totals = line.split("|")
    played = [word.split(":") for word in moves.split()]
    mode: Mode = next(mode for mode in MODES if mode == mode_name)
    seats = 1 + max(int(seat) for seat, _ in played)
    setup = Setup(
        EDITION, mode, seats, parse_objectives(objectives), numbers(deck), numbers(refill)
    )
    state = replay(setup, [(int(seat), parse_move(move)) for seat, move in played])
    return Record(setup, state.played), int(pile), list(numbers(totals))


def test_there_are_enough_games_of_every_kind() -> None:
    tables = [(line.split("|")[0], len(line.split("|")[-1].split())) for line in GAMES]
    assert len(GAMES) >= 200
    assert len(set(tables)) == 11
    swaps = [line.split("|")[4].count("swap") for line in GAMES if line.startswith("standard")]
    six = [len(line.split("|")[-1].split()) == 6 for line in GAMES if line.startswith("standard")]
    assert sum(count >= 4 and full for count, full in zip(swaps, six, strict=True)) >= 30


@pytest.mark.parametrize("first", range(0, len(GAMES), 20))
def test_recorded_games_end_as_they_always_did(first: int) -> None:
    for line in GAMES[first : first + 20]:
        record, pile, totals = read(line)
        state = replay(record.setup, record.played)
        assert state.over
        assert len(state.pile) == pile
        assert [score.points.total for score in scores(state)] == totals
        assert parse_record(format_record(record).encode(), EDITION) == record
