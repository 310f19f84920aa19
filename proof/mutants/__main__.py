"""`python -m proof.mutants NAME serve …`: the `sideboards` command with a planted bug.

It has no kernels, as where the extra `fast` is not installed, and counts no points ahead of time:
together that takes a new server six seconds of a core, and no planted bug needs either of them.
"""

import sys

from proof.mutants import MUTANTS
from proof.prepared import prepare_nothing
from sideboards.cli import main

if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in MUTANTS:
        sys.exit(f"found {sys.argv[1:2]}; expected one of {', '.join(MUTANTS)}, then a command")
    prepare_nothing()
    MUTANTS[sys.argv.pop(1)]()
    main()
