"""A store on a disk that is full, and then has space again; `python -m tests.service.full_disk`.

It runs in a process for which alone that disk is mounted, so nothing of it is left behind.
"""

import sys
from pathlib import Path

import pytest

from sideboards.service.log import CannotSave, Write
from sideboards.service.store import SqliteStore
from tests.service.stores import made, opened, run


async def fill_until_refused(store: SqliteStore, table: str, start: int) -> int:
    """Append until it cannot be saved; the position that was refused."""
    for position in range(start, start + 10_000):
        try:
            await store.append(Write(table, position, 0, "x" * 20_000))
        except CannotSave:
            return position
    raise AssertionError("the disk never was full")


async def goes_on(store: SqliteStore, table: str, stored: int) -> None:
    """The store saves again, and has all that it had acknowledged."""
    await store.append(Write(table, stored, 0, "swap"))
    await store.ping()
    assert [event.position for event in await store.read(table)] == list(range(stored + 1))


async def on_a_small_disk(disk: Path) -> None:
    """Fill a small disk, be refused, and go on when there is space again."""
    ballast = disk / "ballast"
    ballast.write_bytes(bytes(2_000_000))
    store = SqliteStore(disk / "games.db")
    await store.open()
    await made(store, "T1")
    stored = await fill_until_refused(store, "T1", 1)
    with pytest.raises(CannotSave):
        await store.append(Write("T1", stored, 0, "x" * 20_000))
    ballast.unlink()
    await goes_on(store, "T1", stored)
    await store.close()
    async with opened(lambda: SqliteStore(disk / "games.db")) as again:
        assert len(await again.read("T1")) == stored + 1


if __name__ == "__main__":
    run(on_a_small_disk(Path(sys.argv[1])))
    print("full, and on again")
