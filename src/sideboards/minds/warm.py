"""Warming up: compiled kernels are made once and kept on disk; before that, somebody waits."""

from collections.abc import Callable
from random import Random
from threading import Thread

from sideboards.core.edition import Edition
from sideboards.core.game import deal, new_setup
from sideboards.core.view import view
from sideboards.data import load_edition


def is_cold() -> bool:
    """Whether the kernels of the master have yet to be compiled on this machine."""
    from sideboards.fast.kernel import FOLDER  # noqa: PLC0415 (numba)

    return not any(FOLDER.glob("*/search.try_options*.nbc"))


def warm_up(notice: Callable[[], None], *, background: bool = False) -> None:
    """Compile what the master needs, after a notice; at once when it was done before.

    In the background nobody waits; who asks the master too early waits for the compiler.
    """
    if not is_cold():
        return
    notice()
    if background:
        Thread(target=_load_search, args=(load_edition(),), daemon=True).start()
    else:
        _load_search(load_edition())


def load_kernels(edition: Edition) -> None:
    """Have all that the master, the coach and par need in this process, compiled if need be."""
    from sideboards.minds.par import par  # noqa: PLC0415 (numba)

    _load_search(edition)
    par(new_setup(edition, seats=1, rng=Random(0)))


def _load_search(edition: Edition) -> None:
    from sideboards.minds.master import trials  # noqa: PLC0415 (numba)

    state = deal(new_setup(edition, seats=1, rng=Random(0)))
    trials(view(state, 0), Random(0), samples=1, stages=1)
