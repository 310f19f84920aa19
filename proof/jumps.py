"""`python -m proof.jumps serve …`: the `sideboards` command on a machine whose calendar jumps.

It jumps when the process gets a signal: an hour or a day forward or back, or to another time zone.
"""

import os
import signal
import time

from proof.prepared import prepare_nothing
from sideboards.cli import main

HOUR, DAY = 3_600, 86_400
JUMPS = (HOUR, -HOUR, DAY, -DAY)
"""Seconds by which the calendar jumps, by the number of the signal."""
ZONE = len(JUMPS)
"""The number of the signal for another time zone."""
FARTHEST = "Pacific/Kiritimati"


def install() -> None:
    """Let signals move the calendar of this process, and nothing else."""
    right, jumped = time.time, [0]

    def move(number: int, _: object) -> None:
        jumped[0] += JUMPS[number - signal.SIGRTMIN]

    def travel(_: int, __: object) -> None:
        os.environ["TZ"] = FARTHEST
        time.tzset()

    for number in range(len(JUMPS)):
        signal.signal(signal.SIGRTMIN + number, move)
    signal.signal(signal.SIGRTMIN + ZONE, travel)
    setattr(time, "time", lambda: right() + jumped[0])  # noqa: B010 (theirs)


def jump(process: int, number: int) -> None:
    """Let the calendar of a process jump."""
    os.kill(process, signal.SIGRTMIN + number)


if __name__ == "__main__":
    prepare_nothing()
    install()
    main()
