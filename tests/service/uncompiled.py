"""Servers as they are where the extra `fast` is not installed: they load no kernels.

To load them takes a new server three seconds of a core, which most tests have no use for. As a
program, with the arguments of `sideboards`: `python tests/service/uncompiled.py serve`.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

PROGRAM = (sys.executable, "-P", __file__)


@contextmanager
def without_numba() -> Iterator[None]:
    """Whoever looks for numba in this process does not find it."""
    before = sys.modules.get("numba")
    sys.modules["numba"] = None  # type: ignore[assignment]  # so it is for the import system
    try:
        yield
    finally:
        if before is None:
            del sys.modules["numba"]
        else:
            sys.modules["numba"] = before


if __name__ == "__main__":
    from sideboards.cli import main

    with without_numba():
        main()
