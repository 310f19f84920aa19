"""The table of strength: every line beside its floor, whatever the ladder holds."""

from random import Random

import pytest

from sideboards import Move, Refusal, View
from sideboards.minds.arena import Deal, Match, play_deals
from sideboards.minds.bots import BOTS, Bot, greedy, random
from sideboards.minds.standings import Figure
from sideboards.minds.strength import Floor, Line, Strength, strength

pytestmark = pytest.mark.long


def play(match: Match) -> list[Deal]:
    return play_deals(match, range(1, match.deals + 1))


def either(view: View, rng: Random) -> Move:
    """Stronger than random, weaker than greedy."""
    return rng.choice([greedy, random])(view, rng)


@pytest.fixture
def ladder(monkeypatch: pytest.MonkeyPatch) -> dict[str, Bot]:
    """A ladder to be filled by the test."""
    for name in list(BOTS):
        monkeypatch.delitem(BOTS, name)
    for name, one in {
        "random": random, "easy": either, "greedy": greedy, "medium": greedy, "hard": either,
        "master": greedy,
    }.items():  # fmt: skip
        monkeypatch.setitem(BOTS, name, one)
    return BOTS


def lines(found: Strength) -> list[tuple[str, str]]:
    return [(line.section, line.what) for line in found.lines]


@pytest.mark.usefixtures("ladder")
def test_a_full_ladder_gets_every_line() -> None:
    asked: list[Match] = []

    def counted(match: Match) -> list[Deal]:
        asked.append(match)
        return play(match)

    found = strength(counted, deals=32, seed=1)
    assert lines(found) == [
        *[("Solo", name) for name in BOTS],
        ("Solo", "the best possible with the deck known"),
        ("2 players", "easy against greedy: games lost"),
        ("2 players", "easy against random: games won, ties split"),
        ("2 players", "greedy against easy: games won, ties split"),
        ("2 players", "medium against greedy: games won, ties split"),
        ("2 players", "hard against medium: games won, ties split"),
        ("2 players", "master against hard: games won, ties split"),
        ("2 players", "master against hard: decided games won"),
        ("4 players", "master against hard: games won, ties split"),
        ("4 players", "master against hard: decided games won"),
        ("2 players, variant", "master against hard: games won, ties split"),
        ("2 players, variant", "master against hard: decided games won"),
        ("CPU per move", "master on average"),
        ("CPU per move", "master at most"),
    ]
    assert len(asked) == len(set(asked)), "no match is played twice"
    assert {match.deals for match in asked} == {32, 4}
    assert {match.seed for match in asked} == {1}
    assert found.notes == ()


@pytest.mark.usefixtures("ladder")
def test_floors_stand_beside_the_figures_and_have_a_verdict() -> None:
    found = {line.what: line for line in strength(play, deals=5, seed=1).lines}
    master = found["master"]
    assert master.floor is not None
    assert master.floor.text == "above 48.5"
    assert master.holds is False, "greedy is no master"
    assert found["random"].floor is None
    assert found["random"].holds is None
    lost = found["easy against greedy: games lost"]
    assert (lost.unit, lost.floor and lost.floor.text) == ("%", "60 to 80 %")
    time = found["master on average"]
    assert time.holds is True
    assert 0 < time.figure.value < found["master at most"].figure.value
    oracle = "the best possible with the deck known"
    assert found[oracle].figure.value > found["greedy"].figure.value
    rest = [line for line in found.values() if line.section != "CPU per move"]
    assert all(line.clock for line in rest if line.what != oracle)


def test_missing_bots_are_named_and_their_lines_left_out(
    ladder: dict[str, Bot], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("greedy", "hard", "master"):
        monkeypatch.delitem(ladder, name)
    found = strength(play, deals=2, seed=0)
    assert lines(found) == [
        *[("Solo", name) for name in ("random", "easy", "medium")],
        ("2 players", "easy against greedy: games lost"),
        ("2 players", "easy against random: games won, ties split"),
        ("2 players", "medium against easy: games won, ties split"),
    ]
    assert found.notes == (
        "hard is not on the ladder; lines that need it are left out.",
        "master is not on the ladder; lines that need it are left out.",
    )


def test_a_bot_that_cannot_play_here_is_told_with_the_reason(
    ladder: dict[str, Bot], monkeypatch: pytest.MonkeyPatch
) -> None:
    def without_master(name: str) -> Bot:
        if name == "master":
            raise Refusal("master: numba is not installed; expected the extra fast")
        return ladder[name]

    monkeypatch.setattr("sideboards.minds.strength.bot", without_master)
    found = strength(play, deals=2, seed=0)
    assert not [what for _, what in lines(found) if "master" in what]
    assert found.notes[0] == (
        "master cannot play here (master: numba is not installed; expected the extra fast); "
        "its lines are left out."
    )


@pytest.mark.parametrize(
    ("floor", "figure", "holds"),
    [
        (Floor("", lowest=45.1, doubt=2), Figure(44.91, 0.1), True),
        (Floor("", lowest=45.1, doubt=2), Figure(44.89, 0.1), False),
        (Floor("", lowest=45.1, doubt=2), Figure(45.0, None), False),
        (Floor("", lowest=60, highest=80), Figure(60.0, 5.0), True),
        (Floor("", lowest=60, highest=80), Figure(80.1, 0.1), False),
        (Floor("", highest=150), Figure(151.0, None), False),
        (Floor("", highest=150), Figure(149.0, None), True),
    ],
)
def test_a_floor_holds_or_not(floor: Floor, figure: Figure, holds: bool) -> None:
    assert floor.holds(figure) is holds
    assert Line("Solo", "x", figure, "points", floor).holds is holds
