"""Bots, weakest first. A bot is a function of a View and a Random, so it cannot see too much."""

from collections.abc import Callable
from importlib import import_module
from random import Random

from sideboards.core.game import Move, Swap
from sideboards.core.refusal import Refusal, quoted
from sideboards.core.view import View

Bot = Callable[[View, Random], Move]


def random(view: View, rng: Random) -> Move:
    """Lay any card anywhere; never swap."""
    return rng.choice([each.move for each in view.options if not isinstance(each.move, Swap)])


def greedy(view: View, rng: Random) -> Move:
    """Take the most points now; among equals, any."""
    options = view.options
    best = max(option.points.total for option in options)
    return rng.choice([option.move for option in options if option.points.total == best])


BOTS: dict[str, Bot] = {"random": random, "greedy": greedy}


def bot(name: str) -> Bot:
    """The bot with this name: one of `BOTS`, or ``module:function`` for one of your own."""
    if name in BOTS:
        return BOTS[name]
    module, colon, function = name.partition(":")
    if not colon:
        expected = ", ".join(BOTS)
        raise Refusal(f"found {quoted(name)}; expected {expected} or module:function")
    try:
        found = getattr(import_module(module), function, None)
    except (ImportError, ValueError) as error:
        raise Refusal(f"found {quoted(name)}: {error}; expected a module to import") from None
    if not callable(found):
        raise Refusal(f"found {quoted(name)}; expected a function of that name in {module}")
    named: Bot = found
    return named
