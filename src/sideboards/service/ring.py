"""A ring to the system, through which it syncs a file while this process goes on (io_uring).

No thread of this process has a part in it, so neither the sync nor its end waits for the
interpreter. Where there is no such ring (other systems, containers that forbid it) a thread syncs.
"""

import asyncio
import errno
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from caio.linux_uring import Context

Synced = Callable[[int], None]
"""Called in the loop when a sync is over, with the number of its error; 0: all is on the disk."""
ANSWERS_WITHIN = 5
"""Seconds that a first sync may take."""


class Ring:
    """One file and the syncs of it, one at a time."""

    def __init__(self, path: Path) -> None:
        """Raises OSError or ImportError where the system offers no ring, or cannot sync by it."""
        from caio import linux_uring  # noqa: PLC0415 (for Linux only)

        self._operation = linux_uring.Operation
        self._context: Context = linux_uring.Context(max_requests=1)
        self._loop = asyncio.get_running_loop()
        self._done: Synced | None = None
        self._result: int | None = None
        self.file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        try:
            self._try()
        except BaseException:
            os.close(self.file)
            raise
        self._loop.add_reader(self._context.fileno, self._hear)

    def sync(self, done: Synced) -> None:
        """Let the system write everything of the file to the disk; `done` is called later."""
        operation = self._operation.fdsync(self.file)
        operation.set_callback(self._take)
        self._done = done
        try:
            self._context.submit(operation)
            self._context.flush()
        except (OSError, SystemError):  # caio raises both
            self._done = None
            self._loop.call_soon(done, errno.EIO)

    def close(self) -> None:
        """Let go of the file; nothing is under way any more."""
        self._loop.remove_reader(self._context.fileno)
        os.close(self.file)

    def _try(self) -> None:
        """Sync once and wait for it."""
        operation = self._operation.fdsync(self.file)
        self._context.submit(operation)
        self._context.flush()
        self._context.process_events(1, 1, ANSWERS_WITHIN)
        operation.get_value()  # raises what went wrong
        with suppress(BlockingIOError):
            self._context.poll()

    def _take(self, result: int) -> None:
        """Keep what the system says; a quick end may be found before its bell has rung."""
        self._result = result

    def _hear(self) -> None:
        """The bell rings, once for every sync: tell of its end."""
        with suppress(BlockingIOError):  # no matter why it rang: what is in the ring counts
            self._context.poll()
        self._context.process_events()
        if self._done is not None and self._result is not None:
            done, result = self._done, self._result
            self._done = self._result = None
            done(max(0, -result))


def open_ring(path: Path) -> Ring | None:
    """A ring for a file, or None where the system offers none."""
    try:
        return Ring(path)
    except (ImportError, OSError, SystemError):  # caio raises SystemError for what the system says
        return None
