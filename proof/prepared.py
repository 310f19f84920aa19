"""`python -m proof.prepared WHAT serve …`: the `sideboards` command, and what it gets ready.

A new server loads kernels and counts points ahead of time, for half a minute and six seconds of a
core. `nothing`: it does neither, as long as nobody asks; for what starts many servers, or measures
their memory soon after their start. `points`: they are all counted before it serves at all. In both
cases it has no kernels, as where the extra `fast` is not installed.
"""

import sys

from sideboards.cli import main
from sideboards.core.card import COLUMNS
from sideboards.core.objective import Objective
from sideboards.data import load_edition
from sideboards.service import thinking
from sideboards.service.tables import Tables

NOTHING = ("proof.prepared", "nothing")
POINTS = ("proof.prepared", "points")
"""Programs of a server."""


async def _nothing(_tables: Tables) -> None:
    return


def prepare_nothing(*, kernels: bool = False) -> None:
    """Count no points ahead of time, and load no kernels unless there should be some."""
    setattr(Tables, "_read_ahead", _nothing)  # noqa: B010 (theirs)
    if not kernels:
        missing = "{who}: no kernels; expected none"
        setattr(thinking, "_missing", lambda: missing)  # noqa: B010 (theirs)


def prepare_points() -> None:
    """Count all points that will ever be asked for."""
    edition = load_edition()
    objectives: tuple[Objective, ...] = (*edition.patterns, *edition.rows)
    for reader in [objective.reader for objective in objectives]:
        for columns in range(1, COLUMNS + 1):
            for _ in reader.filling(columns):
                pass


if __name__ == "__main__":
    prepare_nothing()
    if sys.argv.pop(1) == "points":
        prepare_points()
    main()
