"""`python -m proof.overheard FILE NAME serve …`: a server whose questions to bots are kept.

Every byte that it sends to its thinking processes for a choice goes into FILE as well. NAME is a
planted bug, or `none`.
"""

import sys
from pathlib import Path

from proof.mutants import MUTANTS
from sideboards.cli import main
from sideboards.service import worker
from sideboards.service.thoughts import Reply, Request, Think, frame


def overhear(file: Path) -> None:
    """Keep what goes to thinking processes."""

    def kept(message: Request | Reply) -> bytes:
        data = frame(message)
        if isinstance(message, Think):
            with file.open("ab") as out:
                out.write(data)
        return data

    worker.__dict__["frame"] = kept


if __name__ == "__main__":
    overhear(Path(sys.argv.pop(1)))
    name = sys.argv.pop(1)
    if name != "none":
        MUTANTS[name]()
    main()
