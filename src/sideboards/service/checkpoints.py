"""Checkpoints: what was committed to SQLite's log goes to its place in the file, between commits.

Made by SQLite itself, inside a commit, the moves of that commit would wait for it. A connection
of its own beside the writer is no way: SQLite before 3.51.3 may then lose what was committed.
"""

import sqlite3
from contextlib import suppress

EVENTS = 2_000
"""Stored events after which a checkpoint is made; each is about a page of the log."""
RETRIES = 40
"""A log that holds something deleted, and could not be emptied, is tried again so much sooner."""
BEGIN_ANEW = "INSERT OR REPLACE INTO settings (name, value) VALUES ('ping', randomblob(8))"
"""Writes something that nobody reads."""


class Checkpoints:
    """Checkpoints of one file, by the connection that writes it."""

    def __init__(self, writing: sqlite3.Connection) -> None:
        writing.execute("PRAGMA wal_autocheckpoint = 0")
        self._writing = writing
        self._events = 0
        self._holds_deleted = False
        """Whether the log holds something that was deleted."""

    def count(self, events: int) -> None:
        """Count stored events."""
        self._events += events

    @property
    def is_due(self) -> bool:
        """Whether it is time for a checkpoint."""
        return self._events >= (EVENTS // RETRIES if self._holds_deleted else EVENTS)

    def forget(self) -> None:
        """Empty the log soon, and if somebody reads what is in it, as soon as that is over."""
        self._holds_deleted = True
        self._events = EVENTS

    def make(self) -> bool:
        """Make one, and begin the log anew; called between two commits. Whether that was done."""
        self._events = 0
        if self._holds_deleted and move_all(self._writing):
            self._holds_deleted = False
        else:
            checkpoint(self._writing)
        return begin_anew(self._writing)


def checkpoint(connection: sqlite3.Connection) -> None:
    """Copy what can be copied without making any reader wait."""
    with suppress(sqlite3.Error):  # such as a full disk: commits tell of it, the next one tries
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)")


def move_all(connection: sqlite3.Connection) -> bool:
    """Copy everything and begin the log anew; whether that was possible."""
    with suppress(sqlite3.Error):
        busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return not busy
    return False


def begin_anew(connection: sqlite3.Connection) -> bool:
    """Begin the log anew if all of it was copied; whether something could be written.

    The first commit of a new log waits for a sync of its head. This one is nobody's.
    """
    with suppress(sqlite3.Error):
        connection.execute(BEGIN_ANEW)
        return True
    return False
