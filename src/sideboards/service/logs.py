"""Logs: JSON lines on stderr; never a body, a token, an address, a table or a name.

Whoever sends nonsense cannot fill the disk with it: refused requests get a few lines per minute
and address, and the next line says how many were left out.
"""

import logging
import sys
import time
from pathlib import PurePath
from types import TracebackType
from typing import TextIO

import structlog
from structlog.typing import EventDict, WrappedLogger

from sideboards.service.limits import Clock, Limit, Rate

REFUSED_LINES = Rate(3, 60)
"""Lines about refused requests of one address."""
LIBRARY_LINES = Rate(10, 60)
"""Warnings that one library may write."""


def configure(stream: TextIO = sys.stderr) -> None:
    """Send the log lines of this process, also those of libraries, to a stream."""
    shared = (
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _trace,
    )
    structlog.configure(
        processors=[*shared, structlog.processors.JSONRenderer()],
        logger_factory=structlog.WriteLoggerFactory(stream),
    )
    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.JSONRenderer(),
            ],
        )
    )
    handler.addFilter(_Thrift(time.monotonic).allows)
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.WARNING)


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
        structlog.get_logger().info(
            "request",
            method=method,
            route=route,
            status=status,
            ms=round(seconds * 1000, 1),
            **more,
        )


class _Thrift:
    """Lets a few records of each library through; all others are too many."""

    def __init__(self, clock: Clock) -> None:
        self._lines = Limit(LIBRARY_LINES, clock)

    def allows(self, record: logging.LogRecord) -> bool:
        """Whether a record is written."""
        return self._lines.allow(record.name)


def failure_log(error: BaseException) -> None:
    """Write that something went wrong that should not: its kind and place, not its text."""
    structlog.get_logger().error("failed", exc_info=error)


def _trace(logger: WrappedLogger, name: str, event: EventDict) -> EventDict:  # noqa: ARG001
    """Replace an exception by its kind and places: its text may quote what somebody sent."""
    error = event.pop("exc_info", None)
    if error is True:
        error = sys.exc_info()[1]
    elif isinstance(error, tuple):
        error = error[1]
    if isinstance(error, BaseException):
        event["error"] = type(error).__name__
        event["at"] = _places(error.__traceback__)
    return event


def _places(trace: TracebackType | None) -> list[str]:
    places = []
    while trace is not None:
        code = trace.tb_frame.f_code
        places.append(f"{PurePath(code.co_filename).name}:{trace.tb_lineno} {code.co_name}")
        trace = trace.tb_next
    return places[-8:]
