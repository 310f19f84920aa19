"""The other projects' rates: answers "goofspiel 0.5" with decisions and CPU seconds, as JSON lines.

Runs inside .venv-peers, without Sideboards. The first line holds the versions; then every line
read is a measure and its CPU seconds, and every line written its answer. Each project is taken in
the fastest form that was found, so that no ratio flatters:

- goofspiel, goofspiel-fixed: OpenSpiel's own C++ random rollouts from the first state. Python
  reaches them through a tree search of one simulation, which is nothing but one evaluation of its
  root. The search needs turns, so the four bid one after the other, which is also faster than C++
  bots that bid at once. The prizes come in random order, as the game is usually played, or in a
  fixed one, which is faster; what is returned makes no clear difference.
- tictactoe, tictactoe-raw: PettingZoo's tictactoe_v3 with and without its wrappers.
- rlcard: whichever of rlcard's games is fastest here and now, through its public environment,
  deals included. rlcard-bare, rlcard-bare-deals: the same on the games inside, which the
  environments wrap, without and with the time of dealing.
"""

import contextlib
import gc
import json
import platform
import sys
from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from random import Random
from typing import Any

from bench.loops import SEED, Measure, aec_games, nothing, timed

GOOFSPIEL = {"players": 4, "num_cards": 8}
GOOFSPIEL_DECISIONS = 28
"""Seven bids of each of four players; the eighth card is forced and played by the game itself."""
ROLLOUTS = 500
SURVEYS = 3
SURVEY_SECONDS = 0.1
MOST_SECONDS = 60

Legal = Callable[[Any, Any], list[Any]]
RLCARD: dict[str, Legal] = {
    "blackjack": lambda _, state: state["actions"],
    "bridge": lambda game, _: game.judger.get_legal_actions(),
    "doudizhu": lambda _, state: state["actions"],
    "gin-rummy": lambda game, _: game.judge.get_legal_actions(),
    "leduc-holdem": lambda _, state: state["legal_actions"],
    "limit-holdem": lambda _, state: state["legal_actions"],
    "mahjong": lambda game, state: game.get_legal_actions(state),
    "no-limit-holdem": lambda _, state: state["legal_actions"],
    "uno": lambda _, state: state["legal_actions"],
}
"""All games of rlcard, with the quickest way to the legal actions of a state."""


def goofspiel_search(order: str, rollouts: int, seed: int) -> Callable[[], Any]:
    """A search that plays so many random games from the first state, all in C++."""
    import pyspiel  # noqa: PLC0415 - each measure loads its own project only

    game = pyspiel.load_game_as_turn_based(
        "goofspiel", GOOFSPIEL | {"points_order": order, "returns_type": "total_points"}
    )
    state = game.new_initial_state()
    if state.is_chance_node():
        state.apply_action(state.legal_actions()[0])  # a search begins with a decision
    search = pyspiel.MCTSBot(
        game,
        pyspiel.RandomRolloutEvaluator(rollouts, seed),
        uct_c=2.0,
        max_simulations=1,
        max_memory_mb=1,
        solve=False,
        seed=seed,
        verbose=False,
    )
    return lambda: search.mcts_search(state)


def goofspiel(order: str) -> Measure:
    """Random rollouts of goofspiel with four players and eight cards."""
    search = goofspiel_search(order, ROLLOUTS, SEED)

    def play(_: None) -> int:
        search()
        return ROLLOUTS * GOOFSPIEL_DECISIONS

    return lambda seconds: timed(nothing, play, seconds)


def tictactoe() -> Measure:
    """Steps of PettingZoo's tictactoe_v3 as everybody gets it."""
    from pettingzoo.classic.tictactoe.tictactoe import env  # noqa: PLC0415 - as above

    return aec_games(env())  # type: ignore[no-untyped-call] # theirs


def tictactoe_raw() -> Measure:
    """Steps of the same without the wrappers that check every call."""
    from pettingzoo.classic.tictactoe.tictactoe import raw_env  # noqa: PLC0415 - as above

    return aec_games(raw_env())


def rlcard_game(name: str, *, deals: bool) -> Measure:
    """Random games of one of rlcard's games; with `deals` the time of dealing counts too."""
    import rlcard  # noqa: PLC0415 - as above

    game, legal, rng = rlcard.make(name, config={"seed": SEED}).game, RLCARD[name], Random(SEED)

    def play(dealt: tuple[Any, int]) -> int:
        state, _ = dealt
        decisions = 0
        while not game.is_over():
            state, _ = game.step(rng.choice(legal(game, state)))
            decisions += 1
        return decisions

    if deals:
        return lambda seconds: timed(nothing, lambda _: play(game.init_game()), seconds)
    return lambda seconds: timed(game.init_game, play, seconds)


def rlcard_env(name: str) -> Measure:
    """Random games of one of rlcard's environments, deals included."""
    import rlcard  # noqa: PLC0415 - as above

    env, rng = rlcard.make(name, config={"seed": SEED}), Random(SEED)

    def play(_: None) -> int:
        state, _player = env.reset()
        decisions = 0
        while not env.is_over():
            state, _player = env.step(rng.choice([*state["legal_actions"]]))
            decisions += 1
        return decisions

    return lambda seconds: timed(nothing, play, seconds)


def fastest_of_rlcard(play: Callable[[str], Measure]) -> tuple[str, Measure]:
    """The fastest game of rlcard, found by short measures of all."""
    games = {name: play(name) for name in RLCARD}
    best = dict.fromkeys(games, 0.0)
    for _ in range(SURVEYS):  # in turn, and the best of each: a busy moment decides nothing
        for name, measure in games.items():
            best[name] = max(best[name], measure(SURVEY_SECONDS).rate)
    name = max(best, key=best.__getitem__)
    return name, games[name]


MEASURES: dict[str, Callable[[], tuple[str, Measure]]] = {
    "goofspiel": lambda: ("goofspiel", goofspiel("random")),
    "goofspiel-fixed": lambda: ("goofspiel, fixed order", goofspiel("descending")),
    "tictactoe": lambda: ("tictactoe_v3", tictactoe()),
    "tictactoe-raw": lambda: ("tictactoe_v3", tictactoe_raw()),
    "rlcard": lambda: fastest_of_rlcard(rlcard_env),
    "rlcard-bare": lambda: fastest_of_rlcard(lambda name: rlcard_game(name, deals=False)),
    "rlcard-bare-deals": lambda: fastest_of_rlcard(lambda name: rlcard_game(name, deals=True)),
}


@cache
def prepared(measure: str) -> tuple[str, Measure]:
    """The game of a measure and the measure itself, warm."""
    game, run = MEASURES[measure]()
    run(SURVEY_SECONDS)
    gc.freeze()  # what was prepared is nothing that the collector should walk through
    return game, run


def answer(request: str) -> dict[str, object]:
    """What was measured, or one sentence why nothing was."""
    measure, _, seconds = request.partition(" ")
    if measure not in MEASURES:
        return {"refused": f"found {measure!r}; expected one of {', '.join(MEASURES)}"}
    try:
        wanted = float(seconds)
    except ValueError:
        wanted = 0.0
    if not 0 < wanted <= MOST_SECONDS:
        return {"refused": f"found {seconds!r}; expected CPU seconds, up to {MOST_SECONDS}"}
    game, run = prepared(measure)
    found = run(wanted)
    return {"game": game, "decisions": found.decisions, "seconds": found.seconds}


def main() -> None:
    """Answer until nothing more is asked."""
    answers = sys.stdout
    with contextlib.redirect_stdout(sys.stderr):  # some of the peers greet when imported
        names = ("open_spiel", "pettingzoo", "rlcard", "numpy")
        print(
            json.dumps({"python": platform.python_version()} | {n: version(n) for n in names}),
            file=answers,
            flush=True,
        )
        for line in sys.stdin:
            print(json.dumps(answer(line.strip())), file=answers, flush=True)


if __name__ == "__main__":
    main()
