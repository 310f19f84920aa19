"""Logs: JSON lines on stderr; never a body, a token, an address, a table or a name.

Whoever sends nonsense cannot fill the disk with it: refused requests get a few lines per minute
and address, and the next line says how many were left out.
"""

import logging
import sys
import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import PurePath
from types import TracebackType

import msgspec

from sideboards.service.limits import Clock, Limit, Rate

REFUSED_LINES = Rate(3, 60)
"""Lines about refused requests of one address."""
FAILURES = Rate(30, 60)
"""Lines about one kind of what should not have happened."""
LIBRARY_LINES = Rate(10, 60)
"""Lines that one library may write."""
OUTAGES = Rate(3, 60)
"""Outages of the database that are told of."""
LONGEST_TEXT = 200

_failures = Limit(FAILURES)


def write(level: str, event: str, **more: object) -> None:
    """Write one line; one that cannot be written, as on a full disk, is lost and stops nobody.

    On somebody's screen stands only what is wrong, so that the address stays in sight.
    """
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    with suppress(OSError, ValueError):
        if level == "info" and sys.stderr.isatty():
            return
        line = msgspec.json.encode({"time": now, "level": level, "event": event, **more})
        sys.stderr.write(line.decode() + "\n")
        sys.stderr.flush()


def failure_log(error: BaseException) -> None:
    """Write that something went wrong that should not: its kind and place, not its text."""
    if _failures.allow(type(error).__name__):
        write("error", "failed", **_trace(error))


class RequestLog:
    """One line per request over REST."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._refused = Limit(REFUSED_LINES, clock)
        self._left_out = 0

    def write(self, address: str, method: str, route: str, status: int, seconds: float) -> None:
        """Write the line of a request; `address` is only counted by."""
        if status >= 400 and not self._refused.allow(address):
            self._left_out += 1
            return
        more = {"left_out": self._left_out} if self._left_out else {}
        self._left_out = 0
        ms = round(seconds * 1000, 1)
        write("info", "request", method=method, route=route, status=status, ms=ms, **more)


class Outages:
    """One line when the database no longer saves, with what it said, and one when it does again."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._limit = Limit(OUTAGES, clock)
        self._since: float | None = None
        self._told = False

    def begin(self, error: Exception) -> None:
        """Note that something could not be saved; told once for each outage."""
        if self._since is None:
            self._since, self._told = self._clock(), self._limit.allow("")
            if self._told:
                write("warning", "database_away", reason=str(error)[:LONGEST_TEXT])

    def end(self) -> None:
        """Note that the database saves."""
        if self._since is not None and self._told:
            write("warning", "database_back", seconds=round(self._clock() - self._since, 1))
        self._since = None


class _Libraries(logging.Handler):
    """Writes what libraries log, a few lines of each, without what they fill in."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._lines = Limit(LIBRARY_LINES)

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record."""
        # Without a number: whoever opens many sockets gets no more lines by that.
        if self._lines.allow(record.name.rstrip(".0123456789")):
            error = record.exc_info[1] if record.exc_info else None
            trace = _trace(error) if error else {}
            level = record.levelname.lower()
            write(level, str(record.msg)[:LONGEST_TEXT], logger=record.name, **trace)


def configure() -> None:
    """Write what libraries of this process log in the same form."""
    logging.basicConfig(handlers=[_Libraries()], force=True)


def _trace(error: BaseException) -> dict[str, object]:
    """An exception by its kind and places: its text may quote what somebody sent."""
    return {"error": type(error).__name__, "at": _places(error.__traceback__)}


def _places(trace: TracebackType | None) -> list[str]:
    places = []
    while trace is not None:
        code = trace.tb_frame.f_code
        places.append(f"{PurePath(code.co_filename).name}:{trace.tb_lineno} {code.co_name}")
        trace = trace.tb_next
    return places[-8:]
