"""Checkpoints: what was committed to SQLite's log goes to its place in the file, beside the writer.

Done by the thread that commits, as SQLite does by itself, every few seconds some moves would
wait for it: a thousand pages and two syncs.
"""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from sideboards.service.sqlite_file import connect

EVENTS = 2_000
"""Stored events after which a checkpoint begins; each is about a page of the log."""


class Checkpoints:
    """Checkpoints of one file, instead of those that `writing` would make by itself."""

    def __init__(self, path: Path, writing: sqlite3.Connection) -> None:
        writing.execute("PRAGMA wal_autocheckpoint = 0")
        self._writing = writing
        self._connection = connect(path, "rw")
        self._connection.execute("PRAGMA synchronous = FULL")
        self._thread = ThreadPoolExecutor(1, "store-checkpoint")
        self._events = 0
        self._under_way = False
        self._nearly_done = False

    def close(self) -> None:
        """Let a checkpoint end; the last connection that closes does the rest."""
        self._thread.shutdown()
        self._connection.close()

    def stored(self, events: int) -> None:
        """Count stored events; called by the writer's thread between two commits."""
        self._events += events
        if self._nearly_done:
            # Little is left, and nobody writes now: after this the log begins anew.
            self._nearly_done = self._under_way = False
            checkpoint(self._writing)
        elif self._events >= EVENTS and not self._under_way:
            self._events, self._under_way = 0, True
            self._thread.submit(self._do_most)

    def _do_most(self) -> None:
        checkpoint(self._connection)
        checkpoint(self._connection)  # what came meanwhile
        self._nearly_done = True


def checkpoint(connection: sqlite3.Connection) -> None:
    """Copy what can be copied without making anybody wait."""
    with suppress(sqlite3.Error):  # such as a full disk: commits tell of it, the next one tries
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
