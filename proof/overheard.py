"""`python -m proof.overheard FILE NAME COACH serve …`: a server whose questions to bots are kept.

Every byte that it sends to its thinking processes for a choice goes into FILE as well. NAME is a
planted bug, or `none`; COACH is `coach` for a server with one. The server has more patience than
usual: how busy a machine is must not decide whether somebody hears `pending` in one world and not
in the other. Without a coach it has no compiled kernels, which take long to load and are used by
none of the bots that play here. It counts no points ahead of time. On PostgreSQL, whose time cannot
be stopped over a route, its clock stands still from the beginning.
"""

import sys
from pathlib import Path

from proof.lines import STOPPED
from proof.mutants import MUTANTS
from proof.prepared import prepare_nothing
from sideboards.cli import main
from sideboards.service import doorway, easel, socket, worker
from sideboards.service.clock import Clock
from sideboards.service.postgres_time import SharedTime
from sideboards.service.thoughts import Reply, Request, Think, frame

PATIENCE = 60.0


def be_patient() -> None:
    """Wait for slow commits, slow routes, slow drawings and slow clients."""
    for module, name in (
        (socket, "PENDING_AFTER"),
        (socket, "DEAD_AFTER"),
        (doorway, "ANSWER_WITHIN"),
        (easel, "PATIENCE"),
    ):
        setattr(module, name, PATIENCE)


def overhear(file: Path) -> None:
    """Keep what goes to thinking processes."""

    def kept(message: Request | Reply) -> bytes:
        data = frame(message)
        if isinstance(message, Think):
            with file.open("ab") as out:
                out.write(data)
        return data

    setattr(worker, "frame", kept)  # noqa: B010 (it is theirs, and not exported)


if __name__ == "__main__":
    be_patient()
    overhear(Path(sys.argv.pop(1)))
    name = sys.argv.pop(1)
    prepare_nothing(kernels=sys.argv.pop(1) == "coach")
    if any(each.startswith("postgresql:") for each in sys.argv):
        setattr(Clock, "now", lambda _: STOPPED)  # noqa: B010 (theirs)
        setattr(SharedTime, "expected", lambda _: None)  # noqa: B010 (as above)
    if name != "none":
        MUTANTS[name]()
    main()
