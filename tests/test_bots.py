"""Bots: never at a loss, always the same, and blind to what they may not know."""

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sideboards import (
    Edition,
    Mode,
    Move,
    Place,
    Refusal,
    State,
    Swap,
    View,
    deal,
    imagine,
    legal,
    new_setup,
    scores,
    step,
    view,
)
from sideboards.minds.arena import play_game
from sideboards.minds.bots import BOTS, Bot, bot, checked
from sideboards.minds.master import trials
from tests.games import TABLES, random_game

pytestmark = pytest.mark.long

QUICK = [name for name in BOTS if name != "master"]


def light_master(seen: View, rng: Random) -> Move:
    """The master with few samples: the same code, for many positions."""
    found = trials(seen, rng, samples=4)
    return max(found, key=lambda trial: (trial.samples, trial.utility)).move


PLAYERS: dict[str, Bot] = {**{name: BOTS[name] for name in QUICK}, "master": light_master}


def some_state(edition: Edition, mode: Mode, seats: int, rng: Random) -> State:
    states, _ = random_game(edition, mode, seats, rng, swaps=rng.choice([0.05, 0.6]))
    return rng.choice([state for state in states if not state.over])


@pytest.mark.parametrize("name", PLAYERS)
@pytest.mark.parametrize(("mode", "seats"), TABLES)
@settings(max_examples=5)
@given(seed=st.integers(0, 2**32))
def test_bots_never_raise_and_choose_legal_moves(
    edition: Edition, mode: Mode, seats: int, name: str, seed: int
) -> None:
    rng = Random(seed)
    state = some_state(edition, mode, seats, rng)
    seat = rng.choice(state.waiting)
    assert PLAYERS[name](view(state, seat), rng) in legal(state, seat)


@pytest.mark.parametrize("name", PLAYERS)
@given(seed=st.integers(0, 2**32))
@settings(max_examples=10)
def test_the_same_view_and_chance_give_the_same_move(
    edition: Edition, name: str, seed: int
) -> None:
    mode, seats = Random(seed).choice(TABLES)
    state = some_state(edition, mode, seats, Random(seed))
    seen = view(state, state.waiting[0])
    one, again = (PLAYERS[name](seen, Random(seed)) for _ in range(2))
    assert one == again


@pytest.mark.long
@pytest.mark.parametrize(("mode", "seats"), [("solo", 1), ("standard", 3), ("variant", 4)])
def test_the_real_master_plays_whole_games(edition: Edition, mode: Mode, seats: int) -> None:
    setup = new_setup(edition, mode=mode, seats=seats, rng=Random(3))
    others = [BOTS["hard"]] * (seats - 1)
    state = play_game(setup, [BOTS["master"], *others], Random(1))
    assert state.over
    assert scores(state)[0].points.total > 15


def moves_in_twin_worlds(
    edition: Edition, name: str, look: Callable[[State, int], View]
) -> list[tuple[Move, Move]]:
    """What a bot chooses in pairs of deals that differ only in what its seat may not know."""
    pairs = []
    for number in range(40):
        rng = Random(number)
        mode, seats = rng.choice([table for table in TABLES if table[1] > 1])
        state = some_state(edition, mode, seats, rng)
        seat = rng.choice(state.waiting)
        twin = imagine(view(state, seat), rng)
        assert (twin.setup.deck, twin.seats) != (state.setup.deck, state.seats), "they differ"
        assert view(twin, seat) == view(state, seat)
        one, other = (PLAYERS[name](look(world, seat), Random(number)) for world in (state, twin))
        pairs.append((one, other))
    return pairs


@pytest.mark.parametrize("name", PLAYERS)
def test_hidden_cards_change_no_move(edition: Edition, name: str) -> None:
    assert all(one == other for one, other in moves_in_twin_worlds(edition, name, view))


@pytest.mark.parametrize("name", ["medium", "hard", "master"])
def test_a_planted_leak_is_caught(edition: Edition, name: str) -> None:
    """Were a bot shown the neighbour's hand as its own, its moves would differ."""

    def leaking(state: State, seat: int) -> View:
        return view(state, (seat + 1) % len(state.seats))

    def of_the_neighbour(state: State, seat: int) -> View:
        seen = leaking(state, seat)
        return seen if seen.choice is None else view(state, seat)

    pairs = moves_in_twin_worlds(edition, name, of_the_neighbour)
    assert any(one != other for one, other in pairs)


def test_easy_makes_mistakes_but_not_every_time(edition: Edition) -> None:
    """Its move is the one with most points now in a good part of all cases, and not in another."""
    best, turned, total = 0, 0, 0
    for number in range(300):
        rng = Random(number)
        state = some_state(edition, "standard", 2, rng)
        seen = view(state, state.waiting[0])
        if seen.round == 0:
            continue
        move = BOTS["easy"](seen, rng)
        points = {option.move: option.points.total for option in seen.options}
        best += points[move] == max(points.values())
        turned += isinstance(move, Place) and move.laid.turned
        total += 1
    assert 0.35 < best / total < 0.8
    assert 0.2 < turned / total < 0.45, "cards are turned, but less than half of the time"


def test_strong_bots_swap_now_and_then(edition: Edition) -> None:
    for name in ("medium", "hard"):
        swaps = 0
        for number in range(60):
            setup = new_setup(edition, seats=1, rng=Random(number))
            state = play_game(setup, [BOTS[name]], Random(1))
            swaps += any(isinstance(move, Swap) for _, move in state.played)
        assert 20 < swaps < 58, name


def test_a_bot_is_named_or_refused() -> None:
    assert bot("hard") is BOTS["hard"]
    assert bot("sideboards.minds.bots:greedy") is BOTS["greedy"]
    with pytest.raises(Refusal, match="expected random, easy, greedy, medium, hard, master or"):
        bot("clever")
    with pytest.raises(Refusal, match="expected a module to import"):
        bot("no_such_module:choose")
    with pytest.raises(Refusal, match="expected a function of that name in random"):
        bot("random:nobody")


@pytest.mark.parametrize("text", ["def choose(:", "nonsense", "raise RuntimeError('no')"])
def test_a_file_that_cannot_be_imported_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    (tmp_path / "broken_bot.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(Refusal, match="expected a module to import"):
        bot("broken_bot:choose")


def test_what_is_no_legal_move_is_told_of_the_bot_that_found_it(edition: Edition) -> None:
    now = view(deal(new_setup(edition, seats=2, rng=Random(1))), 1)
    legal = now.legal[3]
    answers: dict[object, str] = {None: '"None"', "L99": '"L99"', "swap": '"swap"'}
    for answer, said in answers.items():
        with pytest.raises(Refusal, match=f"mine:odd: found {said} in round 0, seat 1; expected"):
            checked("mine:odd", always(answer))(now, Random())
    assert checked("mine:choose", always(legal))(now, Random()) == legal
    assert checked("mine:choose", always(str(legal)))(now, Random()) == legal, "also as a text"


def always(answer: object) -> Any:  # noqa: ANN401 (a bot as somebody else may write it)
    return lambda *_: answer


def test_the_start_is_never_a_swap(edition: Edition) -> None:
    for number in range(20):
        state = deal(new_setup(edition, seats=2, rng=Random(number)))
        for player in PLAYERS.values():
            after = step(state, 0, player(view(state, 0), Random(1)))
            assert after.sealed[0] is not None
