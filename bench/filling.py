"""Databases full of tables, written through the store: dealt ones to play at, and finished ones."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from random import Random

from sideboards.core.edition import Edition
from sideboards.core.game import legal
from sideboards.data import load_edition
from sideboards.service.entries import Entry, create_entry
from sideboards.service.identity import Identity
from sideboards.service.log import TABLE, Event, Store, Write
from sideboards.service.protocol import Settings
from sideboards.service.room import Actor, Room
from sideboards.service.store import SqliteStore
from sideboards.service.summary import row_of

SEATS = 4
TABLES_PER_GUEST = 20
SEED = 2024

COPIES = """
    CREATE TEMP TABLE copies AS
        WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {0})
        SELECT printf('finished%08d', n) AS id FROM numbers;
    INSERT INTO events
        SELECT c.id, e.position, e.seat, e.action, e.key, e.at
        FROM copies AS c CROSS JOIN (SELECT * FROM events WHERE table_id = '{1}') AS e;
    INSERT INTO tables (id, phase, public, code, created, due, made_by, summary)
        SELECT c.id, t.phase, t.public, '', t.created, t.due, t.made_by, t.summary
        FROM copies AS c CROSS JOIN (SELECT * FROM tables WHERE id = '{1}') AS t;
    INSERT INTO members (table_id, seat, guest)
        SELECT c.id, m.seat, m.guest
        FROM copies AS c CROSS JOIN (SELECT * FROM members WHERE table_id = '{1}') AS m;
"""


@dataclass(frozen=True, slots=True)
class Dealt:
    """A table whose cards are dealt, and the tokens of its seats."""

    table: str
    tokens: tuple[str, ...]


class Writer:
    """Writes the log of a table, as a server would."""

    def __init__(self, store: Store, identity: Identity, edition: Edition) -> None:
        self._store = store
        self._identity = identity
        self._edition = edition
        self._rng = Random(SEED)

    async def guests(self) -> tuple[str, ...]:
        """Four new guests."""
        made = [await self._identity.new_guest(f"Guest {seat}", "en") for seat in range(SEATS)]
        return tuple(guest.id for guest, _ in made)

    async def deal(self, guests: tuple[str, ...], round_seconds: int | None = None) -> Room:
        """A new table at which four people sit, with the cards dealt."""
        settings = Settings(seats=SEATS, round_seconds=round_seconds)
        room = Room(self._identity.new_table_id(), self._edition)
        await self._take(room, create_entry(settings, guests[0], "", self._seed()))
        for seat, guest in enumerate(guests):
            await self._take(room, room.ask_sit(seat, guest, "", self._seed()))
        await self._take(room, room.ask(Actor(guests[0], 0), "start", self._seed))
        await self._take(room, Entry(TABLE, "deal"))
        return room

    async def deal_many(self, tables: int, round_seconds: int | None = None) -> list[Dealt]:
        """So many new tables with the cards dealt, many of them at the same time."""

        async def some(count: int) -> list[Dealt]:
            guests = await self.guests()
            return [self.dealt(await self.deal(guests, round_seconds)) for _ in range(count)]

        counts = [min(TABLES_PER_GUEST, tables - at) for at in range(0, tables, TABLES_PER_GUEST)]
        return [each for part in await asyncio.gather(*map(some, counts)) for each in part]

    async def finish(self, room: Room) -> None:
        """Play a table to its end at random."""
        while room.game is not None and room.waiting:
            seat = room.waiting[0]
            move = self._rng.choice(legal(room.game, seat))
            await self._take(room, room.ask_move(seat, str(move)), f"{seat}.{room.position}.bench")

    def dealt(self, room: Room) -> Dealt:
        """A table with tokens for its seats."""
        tokens = tuple(
            self._identity.seat_token(room.table, seat, chair.guest, chair.sitting)
            for seat, chair in enumerate(room.chairs)
        )
        return Dealt(room.table, tokens)

    async def _take(self, room: Room, entry: Entry, key: str = "") -> None:
        position = room.position + 1
        room.apply(Event(position, entry.seat, entry.action, key, 0), entry.after)
        row = None if room.phase == "playing" and entry.after else row_of(room)
        await self._store.append(Write(room.table, position, entry.seat, entry.action, key, row))

    def _seed(self) -> str:
        return self._rng.randbytes(32).hex()


@asynccontextmanager
async def writing(store: Store) -> AsyncIterator[Writer]:
    """Somebody who writes into a store, which is open meanwhile."""
    await store.open()
    try:
        yield Writer(store, Identity(store, await store.secret()), load_edition())
    finally:
        await store.close()


async def fill(
    file: Path, tables: int, finished: int = 0, round_seconds: int | None = None
) -> list[Dealt]:
    """Write a file with dealt tables of four people, and copies of a finished one."""
    async with writing(SqliteStore(file)) as writer:
        dealt = await writer.deal_many(tables, round_seconds)
        model = await writer.deal(await writer.guests()) if finished else None
        if model is not None:
            await writer.finish(model)
    if model is not None:
        with closing(sqlite3.connect(file)) as db:
            for quick in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -200000"):
                db.execute(f"PRAGMA {quick}")  # the server sets its own again
            db.executescript(f"BEGIN; {COPIES.format(finished, model.table)} COMMIT;")
    return dealt
