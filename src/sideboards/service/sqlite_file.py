"""A SQLite file: how it is opened, locked for one server, and migrated."""

import fcntl
import os
import sqlite3
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack, asynccontextmanager, closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sideboards.core.refusal import Refusal
from sideboards.service.migrations import SHIPPED, newest, steps

SETTINGS = (
    "journal_mode = WAL",
    "synchronous = FULL",
    "wal_autocheckpoint = 8000",  # rarer, because the pages of live tables change again and again
    "foreign_keys = ON",
    "secure_delete = ON",  # a deleted name leaves no bytes in the file
)
BUSY_SECONDS = 10
"""Seconds that a connection waits for another program that has locked the file."""


def first(db: sqlite3.Connection, sql: str, *values: object) -> Any:  # noqa: ANN401 (a row)
    """The first row that a statement gives, or None."""
    return db.execute(sql, values).fetchone()


def reason(error: Exception) -> str:
    """What an error says, with its kind.

    >>> reason(sqlite3.OperationalError("database or disk is full"))
    'OperationalError: database or disk is full'
    """
    return f"{getattr(error, 'sqlite_errorname', type(error).__name__)}: {error}"


@dataclass(frozen=True, slots=True)
class Locked:
    """A file that nobody else may write, and the only connection that does."""

    lock: int
    connection: sqlite3.Connection
    before: int
    """The version that the database had before it was migrated."""
    path: Path
    new: bool
    """Whether the file was made just now."""

    def close(self) -> None:
        """Close the connection, then let go of the lock."""
        self.connection.close()
        os.close(self.lock)

    def undo(self) -> None:
        """The same, and leave nothing that was not there before."""
        self.connection.close()
        if self.new:
            self.path.unlink(missing_ok=True)
        lock_of(self.path).unlink(missing_ok=True)
        os.close(self.lock)


def real(path: Path) -> Path:
    """The file itself, to which a path may lead over links: the lock and the log lie beside it."""
    return Path(os.path.realpath(path))


def connect(path: Path, mode: str) -> sqlite3.Connection:
    """A connection in SQLite's mode `rw` or `ro`; the program says itself where a commit is."""
    return sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}",
        uri=True,
        isolation_level=None,
        check_same_thread=False,
        timeout=BUSY_SECONDS,
    )


def open_locked(path: Path, to: int | None = None, folder: Path = SHIPPED) -> Locked:
    """A file, locked and migrated to version `to` (None: the newest)."""
    path = real(path)
    lock = take_lock(path)
    with ExitStack() as stack:
        stack.callback(os.close, lock)
        stack.callback(lock_of(path).unlink, missing_ok=True)  # `take_lock` knows of it
        if new := not path.exists():
            stack.callback(path.unlink, missing_ok=True)
        try:
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))  # it holds the signing secret
            connection = stack.enter_context(closing(connect(path, "rw")))
            version_of(connection)  # which may refuse it, as long as nothing was changed
            for setting in SETTINGS:
                connection.execute(f"PRAGMA {setting}")
            before = bring_to(connection, to, folder)
        except Refusal as refusal:
            raise Refusal(f"{path}: {refusal}") from None
        except (OSError, sqlite3.Error) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise Refusal(f"{path}: {reason}; expected a database that can be written") from None
        stack.pop_all()
    return Locked(lock, connection, before, path, new)


def lock_of(path: Path) -> Path:
    """The file beside a database that is locked by whoever works with it."""
    return Path(f"{path}.lock")


def take_lock(path: Path) -> int:
    """The descriptor of the lock file beside a database; refused while another holds it."""
    while True:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            lock = os.open(lock_of(path), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise Refusal(f"{path}: {error.strerror}; expected a place for a database") from None
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(lock)
            raise Refusal(
                f"{path}: in use by another server; expected a database for one"
            ) from None
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(lock), lock_of(path).stat()):
                return lock
        os.close(lock)  # whoever held it before was refused, and has removed it


def version_of(connection: sqlite3.Connection) -> int:
    """The version of a database; 0 if it is empty, refused if it is another program's."""
    have = int(first(connection, "PRAGMA user_version")[0])
    if have == 0 and first(connection, "SELECT count(*) FROM sqlite_master")[0]:
        raise Refusal("holds tables of another program; expected a Sideboards database")
    return have


def bring_to(connection: sqlite3.Connection, to: int | None, folder: Path) -> int:
    """Migrate to version `to`, each step in a transaction; the version before."""
    have = version_of(connection)
    for step in steps("sqlite", have, to, folder):
        try:
            connection.executescript(
                f"BEGIN IMMEDIATE;\n{step.sql}\nPRAGMA user_version = {step.version};\nCOMMIT;"
            )
        except sqlite3.Error:
            connection.rollback()
            raise
    return have


def sync_log(path: Path) -> None:
    """Have all on the disk that can be read: a server syncs what it has written a moment later."""
    with suppress(FileNotFoundError):
        log = os.open(f"{path}-wal", os.O_RDONLY | os.O_CLOEXEC)
        try:
            sync(log)
        finally:
            os.close(log)


def sync(file: int) -> None:
    """Have on the disk what was written to a file; raises OSError if it may not be there."""
    getattr(os, "fdatasync", os.fsync)(file)  # macOS has no fdatasync


class SqliteCopy:
    """One transaction in which a file is read or filled."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    async def fetch(self, sql: str, *values: object) -> Sequence[Any]:
        """The rows of a statement with `$1, $2` for its values."""
        named = {str(number): value for number, value in enumerate(values, 1)}
        return self._db.execute(sql, named).fetchall()

    async def insert(self, table: str, columns: str, rows: list[tuple[Any, ...]]) -> None:
        """Add many rows; the columns are separated by blanks."""
        names = columns.split()
        marks = ", ".join("?" * len(names))
        self._db.executemany(
            f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks})",  # noqa: S608 (ours)
            rows,
        )


@dataclass(frozen=True, slots=True)
class SqliteFile:
    """A file to be copied from or to."""

    path: Path

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[SqliteCopy]:
        """A consistent snapshot; a server may go on writing."""
        try:
            with closing(connect(self.path, "ro")) as db:
                have, wanted = version_of(db), newest("sqlite")
                if have != wanted:
                    raise Refusal(f"the database has version {have}; expected {wanted}")
                db.execute("BEGIN")
                version_of(db)  # from here on it is read as it is at this moment
                sync_log(real(self.path))
                yield SqliteCopy(db)
        except Refusal as refusal:
            raise Refusal(f"{self.path}: {refusal}") from None
        except (OSError, sqlite3.Error) as error:
            raise Refusal(f"{self.path}: {error}; expected a Sideboards database") from None

    @asynccontextmanager
    async def filling(self) -> AsyncIterator[SqliteCopy]:
        """A transaction that is committed at the end, or never was."""
        file = open_locked(self.path)
        end = file.undo
        try:
            file.connection.execute("BEGIN IMMEDIATE")
            yield SqliteCopy(file.connection)
            file.connection.execute("COMMIT")
            end = file.close
        except Refusal as refusal:
            raise Refusal(f"{self.path}: {refusal}") from None
        except sqlite3.Error as error:
            raise Refusal(f"{self.path}: {error}; expected a database to restore into") from None
        finally:
            file.connection.rollback()
            end()
