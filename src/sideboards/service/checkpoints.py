"""Checkpoints: what was committed to SQLite's log goes to its place in the file, between commits.

Made by SQLite itself, inside a commit, the moves of that commit would wait for it. A connection
of its own beside the writer is no way: SQLite before 3.51.3 may then lose what was committed.
"""

import sqlite3
from contextlib import suppress

EVENTS = 2_000
"""Stored events after which a checkpoint is made; each is about a page of the log."""


class Checkpoints:
    """Checkpoints of one file, by the connection and the thread that write it."""

    def __init__(self, writing: sqlite3.Connection) -> None:
        writing.execute("PRAGMA wal_autocheckpoint = 0")
        self._writing = writing
        self._events = 0

    def stored(self, events: int) -> None:
        """Count stored events; called between two commits."""
        self._events += events
        if self._events >= EVENTS:
            self._events = 0
            checkpoint(self._writing)


def checkpoint(connection: sqlite3.Connection) -> None:
    """Copy what can be copied without making any reader wait."""
    with suppress(sqlite3.Error):  # such as a full disk: commits tell of it, the next one tries
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
