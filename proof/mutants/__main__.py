"""`python -m proof.mutants NAME serve …`: the `sideboards` command with a planted bug."""

import sys

from proof.mutants import MUTANTS
from sideboards.cli import main

if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in MUTANTS:
        sys.exit(f"found {sys.argv[1:2]}; expected one of {', '.join(MUTANTS)}, then a command")
    MUTANTS[sys.argv.pop(1)]()
    main()
