"""Bots, weakest first. A bot is a function of a View and a Random, so it cannot see too much."""

from collections.abc import Callable
from importlib import import_module
from random import Random

from sideboards.core.edition import Edition
from sideboards.core.game import Move, Place, Start, Swap
from sideboards.core.refusal import Refusal, quoted
from sideboards.core.view import Option, View
from sideboards.fast import check_compiler

Bot = Callable[[View, Random], Move]


def random(view: View, rng: Random) -> Move:
    """Lay any card anywhere; never swap."""
    return rng.choice([each.move for each in view.options if not isinstance(each.move, Swap)])


def easy(view: View, rng: Random) -> Move:
    """Chase one objective at one end of the board, and often forget that cards can be turned.

    Mistakes that people make: the favorite objective counts double and the others half, what
    happens at the far end goes unseen, the hand is looked at as it was dealt. But of all that
    is seen, the best is taken; only sometimes the second best.
    """
    favorite = sum(view.objective_numbers) % 3  # the same throughout a game
    forgets_turning = rng.random() < 0.4
    near_end = rng.choice(("left", "right"))
    looks_at_both_ends = rng.random() < 0.5
    seen = [
        option
        for option in view.options
        if not isinstance(option.move, Swap)
        and not (forgets_turning and _is_turned(option.move))
        and (
            looks_at_both_ends or not isinstance(option.move, Place) or option.move.end == near_end
        )
    ]

    def appeal(option: Option) -> float:
        parts = option.points[:3]
        return sum(part * (2 if i == favorite else 0.5) for i, part in enumerate(parts))

    rng.shuffle(seen)
    seen.sort(key=appeal, reverse=True)
    return seen[1 if rng.random() < 0.1 and len(seen) > 1 else 0].move


def _is_turned(move: Move) -> bool:
    match move:
        case Start(left, right):
            return left.turned or right.turned
        case Place(laid):
            return laid.turned
        case _:
            return False


def greedy(view: View, rng: Random) -> Move:
    """Take the most points now; among equals, any."""
    options = view.options
    best = max(option.points.total for option in options)
    return rng.choice([option.move for option in options if option.points.total == best])


def medium(view: View, rng: Random) -> Move:  # noqa: ARG001 (every bot is asked in the same way)
    """Add to the points what the next cards may bring at either end, and swap poor hands."""
    from sideboards.minds.judgement import best_move, guessed_worth  # noqa: PLC0415 (numpy)

    return best_move(view, guessed_worth(view.edition, view.objective_numbers))


def hard(view: View, rng: Random) -> Move:  # noqa: ARG001 (as above)
    """Take the board that was worth most in millions of games."""
    from sideboards.minds.judgement import best_move  # noqa: PLC0415 (numpy)
    from sideboards.minds.values import learned_worth  # noqa: PLC0415

    return best_move(view, learned_worth(view.edition, view.objective_numbers))


def master(view: View, rng: Random) -> Move:
    """Play every option to the end thousands of times, with all that is known of other hands."""
    from sideboards.minds.master import master_move  # noqa: PLC0415 (numba)

    return master_move(view, rng)


BOTS: dict[str, Bot] = {
    "random": random,
    "easy": easy,
    "greedy": greedy,
    "medium": medium,
    "hard": hard,
    "master": master,
}
"""The ladder, weakest first."""


def checked(name: str, mind: Bot) -> Bot:
    """The same bot; what it raises, or a move that is not legal, is refused in one sentence."""

    def choose(view: View, rng: Random) -> Move:
        try:
            text = str(mind(view, rng))
        except (Exception, SystemExit) as error:  # whatever somebody's bot raises
            fault = f"it raised {type(error).__name__} {quoted(str(error), 200)}"
        else:
            for move in view.legal:
                if str(move) == text:
                    return move
            fault = f"found {quoted(text)}"
        where = f"round {view.round}, seat {view.seat}"
        raise Refusal(f"{name}: {fault} in {where}; expected a legal move")

    return choose


def bot(name: str, edition: Edition | None = None) -> Bot:
    """The bot with this name: one of `BOTS`, or ``module:function`` for one of your own.

    Refused when it cannot play here, or not with this edition.
    """
    if name == "master":
        check_compiler(name)
    if name in ("hard", "master") and edition is not None:
        from sideboards.minds.values import load_values  # noqa: PLC0415 (numpy)

        load_values(edition)
    if name in BOTS:
        return BOTS[name]
    module, colon, function = name.partition(":")
    if not colon:
        expected = ", ".join(BOTS)
        raise Refusal(f"found {quoted(name)}; expected {expected} or module:function")
    try:
        found = getattr(import_module(module), function, None)
    except Exception as error:  # whatever somebody's file may raise
        raise Refusal(f"found {quoted(name)}: {error}; expected a module to import") from None
    if not callable(found):
        raise Refusal(f"found {quoted(name)}; expected a function of that name in {module}")
    named: Bot = found
    return named
