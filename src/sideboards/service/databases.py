"""Which database is meant: a file of SQLite, or the address of a PostgreSQL database."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from sideboards.core.refusal import Refusal, quoted
from sideboards.minds.workers import extra

if TYPE_CHECKING:
    from sideboards.service.dump import Copied
    from sideboards.service.store import SqliteStore
    from sideboards.service.store_postgres import PostgresStore


def default_database() -> str:
    """The file in the user's data directory."""
    if sys.platform == "darwin":
        folder = Path.home() / "Library" / "Application Support"
    else:
        folder = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return str(folder / "sideboards" / "sideboards.db")


def open_store(database: str | None = None) -> "SqliteStore | PostgresStore":
    """The store of a database, not yet open; by default of the user's own file."""
    database = database or default_database()
    if _is_postgres(database):
        from sideboards.service.store_postgres import PostgresStore  # noqa: PLC0415 (asyncpg)

        return PostgresStore(database)
    from sideboards.service.store import SqliteStore  # noqa: PLC0415 (only where it is used)

    return SqliteStore(Path(database))


def copied(database: str | None = None) -> "Copied":
    """A database as backup and restore see it; by default the user's own file."""
    database = database or default_database()
    if _is_postgres(database):
        from sideboards.service.postgres_database import PostgresDatabase  # noqa: PLC0415 (asyncpg)

        return PostgresDatabase(database)
    from sideboards.service.sqlite_file import SqliteFile  # noqa: PLC0415 (only where it is used)

    return SqliteFile(Path(database))


def _is_postgres(database: str) -> bool:
    kind, separator, _ = database.partition("://")
    if not separator:
        return False
    if kind not in ("postgresql", "postgres"):  # without the rest, which may hold a password
        raise Refusal(f"--database: found {quoted(kind)}://…; expected a file or postgresql://…")
    try:
        _ = urlsplit(database).port
    except ValueError as error:
        raise Refusal(f"--database: {error}; expected postgresql://user@host/name") from None
    extra("asyncpg", "postgres")
    return True
