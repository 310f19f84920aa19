import asyncio
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import asyncpg

from sideboards.service.store import SqliteStore
from sideboards.service.store_postgres import PostgresStore

DOCUMENT = Path(__file__).parents[2] / "docs" / "privacy.md"

POSTGRESQL_ONLY = {"sideboards_version.version"}
"""SQLite keeps this number in the head of its file."""


def told() -> set[str]:
    """The columns that the document names, each once."""
    rows = re.findall(r"^\| `(\w+\.\w+)` \| .+ \| .+ \|$", DOCUMENT.read_text(), re.MULTILINE)
    assert len(rows) == len(set(rows)) > 20
    return set(rows)


async def made(store: SqliteStore | PostgresStore) -> None:
    """Have a store make its tables."""
    await store.open()
    await store.close()


def test_the_document_names_every_stored_column_and_no_other(tmp_path: Path) -> None:
    file = tmp_path / "test.db"
    asyncio.run(asyncio.wait_for(made(SqliteStore(file)), 10))
    with closing(sqlite3.connect(file)) as db:
        stored = {
            f"{table}.{column}"
            for table, column in db.execute(
                """SELECT t.name, c.name FROM sqlite_schema AS t, pragma_table_info(t.name) AS c
                   WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'"""
            )
        }
    assert told() - POSTGRESQL_ONLY == stored


def test_the_document_names_every_column_of_postgresql_too(postgres_url: str) -> None:
    async def stored() -> set[str]:
        await made(PostgresStore(postgres_url))
        connection = await asyncpg.connect(postgres_url)
        try:
            rows = await connection.fetch(
                """SELECT relname AS table, attname AS column
                   FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
                   WHERE relkind IN ('r', 'p', 'm', 'f') AND attnum > 0 AND NOT attisdropped
                       AND relnamespace NOT IN (
                           'pg_catalog'::regnamespace, 'information_schema'::regnamespace)
                       AND relnamespace::regnamespace::text NOT LIKE 'pg_toast%'"""
            )
        finally:
            await connection.close()
        return {f"{row['table']}.{row['column']}" for row in rows}

    found = asyncio.run(asyncio.wait_for(stored(), 30))
    assert told() == found
