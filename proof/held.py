"""How long processes were kept from a core: by that much they may be late on a busy machine."""

import os
from contextlib import suppress
from pathlib import Path


def held(*processes: int) -> float:
    """Seconds for which this process and others were ready to run, and others ran instead.

    Since their begin, and of their main threads; 0 where the system does not tell.
    """
    found = 0
    for process in (os.getpid(), *processes):
        with suppress(OSError):  # it has ended, or this is no Linux
            found += int(Path(f"/proc/{process}/schedstat").read_text().split()[1])
    return found / 1e9
