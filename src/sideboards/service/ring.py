"""A ring to the system, through which it syncs a file while this process goes on (io_uring).

No thread of this process has a part in it, so neither the sync nor its end waits for the
interpreter. Where there is no such ring (other systems, containers that forbid it) a thread syncs.
"""

import asyncio
import errno
import os
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from select import POLLIN, poll
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from caio.linux_uring import Context

Synced = Callable[[int], None]
"""Called in the loop when a sync is over, with the number of its error; 0: all is on the disk."""
ANSWERS_WITHIN = 5
"""Seconds that a first sync may take."""
AT_ONCE = 2
"""The most syncs at the same time: the second need not wait for a first that takes longer."""
LONG = 0.02
"""Seconds after which a sync takes so long that nothing more should be written."""


class Ring:
    """One file and the syncs of it.

    Each of those that are under way at the same time has a descriptor of its own: what the
    system cannot write it tells every descriptor once, so one sync never hides it from another.
    """

    def __init__(self, path: Path) -> None:
        """Raises OSError or ImportError where the system offers no ring, or cannot sync by it."""
        self._loop = asyncio.get_running_loop()
        self.files: list[int] = []
        """The descriptors."""
        self._lanes: list[Lane] = []
        try:
            for _ in range(AT_ONCE):
                self.files.append(os.open(path, os.O_RDWR | os.O_CLOEXEC))
                self._lanes.append(Lane(self.files[-1]))
        except BaseException:
            self._let_go()
            raise

    @property
    def works(self) -> bool:
        """Whether syncs can be asked for: never again after the system has refused one."""
        return all(lane.works for lane in self._lanes)

    @property
    def is_free(self) -> bool:
        """Whether one more sync may begin: not while one takes so long that the disk may hang."""
        begun = [lane.begun for lane in self._lanes if lane.begun is not None]
        return len(begun) < AT_ONCE and all(self._loop.time() - at < LONG for at in begun)

    def sync(self, done: Synced) -> None:
        """Let the system write everything of the file to the disk; `done` is called later."""
        next(lane for lane in self._lanes if lane.begun is None).sync(done)

    async def close(self) -> None:
        """Wait for what is under way, then let go of the file."""
        while any(lane.begun is not None for lane in self._lanes):
            await asyncio.sleep(0.001)
        self._let_go()

    def _let_go(self) -> None:
        for lane in self._lanes:
            lane.close()
        for file in self.files:
            os.close(file)


class Lane:
    """One sync at a time."""

    def __init__(self, file: int) -> None:
        """Raises OSError, SystemError or ImportError where that is not possible."""
        # For Linux only. Not `from caio import`, which finds None where rings are forbidden.
        import caio.linux_uring as rings  # noqa: PLC0415 (as said)

        self._operation = rings.Operation
        self._context: Context = rings.Context(max_requests=1)
        self._loop = asyncio.get_running_loop()
        self.begun: float | None = None
        """When the present sync began; None if there is none."""
        self.works = True
        self._done: Synced | None = None
        self._number = 0
        self._result: int | None = None
        self._file = file
        self._try()
        self._loop.add_reader(self._context.fileno, self._hear)

    def sync(self, done: Synced) -> None:
        """Begin a sync; `done` is called later."""
        self._number += 1
        self._done, self.begun = done, self._loop.time()
        try:
            operation = self._operation.fdsync(self._file)
            operation.set_callback(partial(self._take, self._number))
            self._context.submit(operation)
            self._context.flush()
        except Exception:  # caio raises many kinds; the event is written, so somebody must be told
            self._give_up()

    def close(self) -> None:
        """Listen no more; nothing is under way."""
        self._loop.remove_reader(self._context.fileno)

    def _try(self) -> None:
        """Sync once and wait for it."""
        operation = self._operation.fdsync(self._file)
        self._context.submit(operation)
        self._context.flush()
        # By the bell: to wait in the ring itself takes all the time if the end comes just before.
        bell = poll()
        bell.register(self._context.fileno, POLLIN)
        bell.poll(1000 * ANSWERS_WITHIN)
        with suppress(BlockingIOError):
            self._context.poll()
        self._context.process_events()
        operation.get_value()  # raises what went wrong

    def _give_up(self) -> None:
        """Ask for nothing any more: a sync that is still in the ring would end as a later one."""
        self.works = False
        self.close()
        self._loop.call_soon(self._end, errno.EIO)

    def _take(self, number: int, result: int) -> None:
        """Keep what the system says; a quick end may be found before its bell has rung."""
        if number == self._number:
            self._result = result

    def _hear(self) -> None:
        """The bell rings, once for every sync: tell of its end."""
        try:
            with suppress(BlockingIOError):  # no matter why it rang: what is in the ring counts
                self._context.poll()
            self._context.process_events()
        except Exception:  # as above
            self._give_up()
            return
        if self._done is not None and self._result is not None:
            self._end(max(0, -self._result))

    def _end(self, error: int) -> None:
        done, self._done, self._result, self.begun = self._done, None, None, None
        if done is not None:
            done(error)


def open_ring(path: Path) -> Ring | None:
    """A ring for a file, or None where the system offers none."""
    try:
        return Ring(path)
    except (ImportError, OSError, RuntimeError, SystemError):  # caio raises the last two, too
        return None
