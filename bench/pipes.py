"""What a process tells on its standard output; nobody waits for it without end."""

import json
import os
import select
import time
from typing import IO, Any


class NotReady(RuntimeError):
    """A process did not tell in time what it should have told."""


def line_of(pipe: IO[Any], within: float) -> str:
    """The next line of a process, which has so many seconds for it."""
    return _line(pipe, within, time.monotonic() + within)


def object_of(pipe: IO[Any], within: float) -> dict[str, Any]:
    """The JSON object that a process tells on several lines, in so many seconds."""
    told, end = "", time.monotonic() + within
    while not told.rstrip().endswith("}"):
        told += _line(pipe, within, end)
    found: dict[str, Any] = json.loads(told)
    return found


def _line(pipe: IO[Any], within: float, end: float) -> str:
    line, poll = b"", select.poll()  # not `select`, which knows no more than 1,024 files
    poll.register(pipe, select.POLLIN)
    while not line.endswith(b"\n"):
        if not poll.poll(max(0.0, end - time.monotonic()) * 1000):
            raise NotReady(f"the process told {line!r} in {within:g} s; expected a whole line")
        # Byte by byte: what a buffer has taken already, nobody could wait for.
        if not (byte := os.read(pipe.fileno(), 1)):
            raise NotReady("the process ended before it was ready; expected it to go on")
        line += byte
    return line.decode()
