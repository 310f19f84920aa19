import asyncio
import re
import sqlite3
from contextlib import closing
from pathlib import Path

from sideboards.service.store import SqliteStore

DOCUMENT = Path(__file__).parents[2] / "docs" / "privacy.md"


def test_the_document_names_every_stored_column_and_no_other(tmp_path: Path) -> None:
    file = tmp_path / "test.db"

    async def make() -> None:
        store = SqliteStore(file)
        await store.open()
        await store.close()

    asyncio.run(asyncio.wait_for(make(), 10))
    with closing(sqlite3.connect(file)) as db:
        stored = {
            f"{table}.{column}"
            for table, column in db.execute(
                """SELECT t.name, c.name FROM sqlite_schema AS t, pragma_table_info(t.name) AS c
                   WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'"""
            )
        }
    told = re.findall(r"^\| `(\w+\.\w+)` \| .+ \| .+ \|$", DOCUMENT.read_text(), re.MULTILINE)
    assert len(stored) > 20
    assert set(told) == stored
    assert len(told) == len(set(told))
