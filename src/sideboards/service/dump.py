"""Backup and restore of a whole database, in one form for SQLite and PostgreSQL.

A dump is a gzip file of JSON lines. The first line is a `header` with the format's version, the
time and what follows; then come one `guest` line for each guest and one `table` line for each
table with its whole log; the last line is an `end` with counts, so that a torn file is noticed.
Bytes (hashes and the secret) are written in base64, times in milliseconds of database time.

A dump holds the signing secret, so that people keep their seats after a restore, and the hashes
of their devices. Whoever has it can take every seat: keep it as you keep the database.
"""

import errno
import gzip
import os
import zlib
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import Any, Protocol

from msgspec import DecodeError, Struct
from msgspec.json import Decoder, Encoder

from sideboards.core.refusal import Refusal
from sideboards.service.log import Phase

FORMAT = "sideboards-dump"
VERSION = 1
PAGE = 500
"""Lines that are copied at once."""
LEVEL = 3
"""More compression takes longer than everything else."""


class Header(Struct, frozen=True, tag="header", tag_field="line", kw_only=True):
    """The first line; `beat` is when a server was last alive."""

    format: str
    version: int
    beat: int | None
    secret: bytes | None
    guests: int
    tables: int


class GuestLine(Struct, frozen=True, tag="guest", tag_field="line", kw_only=True):
    """A guest, with the hashes of devices, feed address and (hash, until) of a transfer code."""

    id: str
    name: str
    language: str
    devices: list[bytes]
    feed: bytes | None
    transfer: tuple[bytes, int] | None


class TableLine(Struct, frozen=True, tag="table", tag_field="line", kw_only=True):
    """A table with its members (guest, seat) and its log: (seat, action, key, at) in order."""

    id: str
    phase: Phase
    public: bool
    code: str
    created: int
    due: int | None
    made_by: str
    summary: str
    members: list[tuple[str, int]]
    log: list[tuple[int, str, str, int]]


class End(Struct, frozen=True, tag="end", tag_field="line", kw_only=True):
    """The last line: how many there were."""

    guests: int
    tables: int
    events: int


Line = Header | GuestLine | TableLine | End
Progress = Callable[[int, int], None]
"""Called with how many guests and tables are copied, and how many there are."""


class Copy(Protocol):
    """One transaction in which a database is read or filled; statements count values `$1, $2`."""

    async def fetch(self, sql: str, *values: object) -> Sequence[Any]:
        """The rows of a statement."""

    async def insert(self, table: str, columns: str, rows: list[tuple[Any, ...]]) -> None:
        """Add many rows; the columns are separated by blanks."""


class Copied(Protocol):
    """A database of either kind."""

    def reading(self) -> AbstractAsyncContextManager[Copy]:
        """A consistent snapshot; servers may go on writing."""

    def filling(self) -> AbstractAsyncContextManager[Copy]:
        """A transaction that is committed at the end, or never was."""


# ---- backup -----------------------------------------------------------------------------------


async def backup(source: Copied, file: Path, progress: Progress) -> End:
    """Write a snapshot of a database into a file, whole or not at all; what it holds."""
    unfinished = file.with_name(f".{file.name}.unfinished")
    encode = Encoder().encode
    guests = tables = events = 0
    try:
        descriptor = os.open(unfinished, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as raw:
            with gzip.GzipFile("", "wb", LEVEL, raw, mtime=0) as packed:
                async with source.reading() as snapshot:
                    header = await _header(snapshot)
                    packed.write(encode(header) + b"\n")
                    async for page in _pages(snapshot):
                        packed.write(b"".join(encode(line) + b"\n" for line in page))
                        guests += sum(isinstance(line, GuestLine) for line in page)
                        tables += sum(isinstance(line, TableLine) for line in page)
                        events += sum(len(x.log) for x in page if isinstance(x, TableLine))
                        progress(guests + tables, header.guests + header.tables)
                end = End(guests=guests, tables=tables, events=events)
                packed.write(encode(end) + b"\n")
            raw.flush()
            os.fsync(raw.fileno())
        unfinished.replace(file)
        _sync_folder(file.parent)
    except OSError as error:
        raise Refusal(f"{file}: {error.strerror}; expected a place to write") from None
    finally:
        unfinished.unlink(missing_ok=True)
    return end


def _sync_folder(folder: Path) -> None:
    """Have the names in a folder on the disk: without it a loss of power may take a new one."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:  # some network file systems know no such thing
            raise
    finally:
        os.close(descriptor)


async def _header(db: Copy) -> Header:
    secret = await db.fetch("SELECT value FROM settings WHERE name = 'secret'")
    beats = await db.fetch("SELECT max(beat) FROM servers")
    return Header(
        format=FORMAT,
        version=VERSION,
        beat=beats[0][0],
        secret=secret[0][0] if secret else None,
        guests=(await db.fetch("SELECT count(*) FROM guests"))[0][0],
        tables=(await db.fetch("SELECT count(*) FROM tables"))[0][0],
    )


async def _pages(db: Copy) -> AsyncIterator[list[GuestLine | TableLine]]:
    last = ""
    while page := await db.fetch(
        "SELECT id, name, language, feed FROM guests WHERE id > $1 ORDER BY id LIMIT $2", last, PAGE
    ):
        ends, last = (last, page[-1][0]), page[-1][0]
        devices = _grouped(
            await db.fetch(
                "SELECT guest, hash FROM devices WHERE guest > $1 AND guest <= $2 ORDER BY guest",
                *ends,
            )
        )
        transfers = _grouped(
            await db.fetch(
                "SELECT guest, hash, until FROM transfers WHERE guest > $1 AND guest <= $2", *ends
            )
        )
        yield [
            GuestLine(
                id=row[0],
                name=row[1],
                language=row[2],
                devices=[device for _, device in devices.get(row[0], [])],
                feed=row[3],
                transfer=tuple(transfers[row[0]][0])[1:] if row[0] in transfers else None,
            )
            for row in page
        ]
    last = ""
    while page := await db.fetch(
        """SELECT id, phase, public, code, created, due, made_by, summary FROM tables
           WHERE id > $1 ORDER BY id LIMIT $2""",
        last,
        PAGE,
    ):
        ends, last = (last, page[-1][0]), page[-1][0]
        members = _grouped(
            await db.fetch(
                """SELECT table_id, guest, seat FROM members
                   WHERE table_id > $1 AND table_id <= $2 ORDER BY table_id, seat""",
                *ends,
            )
        )
        events = _grouped(
            await db.fetch(
                """SELECT table_id, seat, action, key, at FROM events
                   WHERE table_id > $1 AND table_id <= $2 ORDER BY table_id, position""",
                *ends,
            )
        )
        yield [
            TableLine(
                id=row[0],
                phase=row[1],
                public=bool(row[2]),
                code=row[3],
                created=row[4],
                due=row[5],
                made_by=row[6],
                summary=row[7],
                members=[tuple(member)[1:] for member in members.get(row[0], [])],
                log=[tuple(event)[1:] for event in events[row[0]]],
            )
            for row in page
        ]


def _grouped(rows: Sequence[Any]) -> dict[str, list[Any]]:
    """Rows by their first column, by which they are sorted."""
    return {first: list(group) for first, group in groupby(rows, key=itemgetter(0))}


# ---- restore ----------------------------------------------------------------------------------


async def restore(target: Copied, file: Path, progress: Progress) -> End:
    """Fill an empty database from a dump, whole or not at all; what it holds."""
    try:
        with gzip.open(file, "rb") as packed:
            lines = _lines(packed)
            header = _checked(next(lines, None))
            async with target.filling() as database:
                return await _fill(database, header, lines, progress)
    except _Bad as bad:
        raise Refusal(f"{file}: {bad}; expected a whole dump of Sideboards") from None
    except OSError as error:  # a file that is not packed at all is one too
        reason = error.strerror or "is not a gzip file"
        raise Refusal(f"{file}: {reason}; expected a whole dump of Sideboards") from None


class _Bad(Exception):
    """A dump that cannot be taken."""


def _checked(header: Line | None) -> Header:
    if not isinstance(header, Header) or header.format != FORMAT:
        raise _Bad("begins without a header")
    if header.version > VERSION:
        raise _Bad(f"has version {header.version}, made by a newer Sideboards")
    return header


async def _fill(db: Copy, header: Header, lines: Iterator[Line], progress: Progress) -> End:
    for table in ("tables", "guests"):
        if (await db.fetch(f"SELECT count(*) FROM {table}"))[0][0]:  # noqa: S608 (names of ours)
            raise Refusal("the database is not empty; expected an empty one to restore into")
    await _fill_head(db, header)
    done = End(guests=0, tables=0, events=0)
    while page := list(islice(lines, PAGE)):
        guests = [line for line in page if isinstance(line, GuestLine)]
        tables = [line for line in page if isinstance(line, TableLine)]
        await _fill_page(db, guests, tables)
        done = End(
            guests=done.guests + len(guests),
            tables=done.tables + len(tables),
            events=done.events + sum(len(table.log) for table in tables),
        )
        progress(done.guests + done.tables, header.guests + header.tables)
        if len(guests) + len(tables) < len(page):
            if page[-1] != done or len(guests) + len(tables) < len(page) - 1 or next(lines, None):
                raise _Bad("counts other lines than there are")
            return done
    raise _Bad("has no end")


def _lines(packed: gzip.GzipFile) -> Iterator[Line]:
    decoder: Decoder[Line] = Decoder(Line)
    number = 1
    try:
        for text in packed:
            yield decoder.decode(text)
            number += 1
    except (EOFError, zlib.error):
        raise _Bad(f"torn at line {number}") from None
    except DecodeError as error:
        raise _Bad(f"line {number}: {error}") from None


async def _fill_head(db: Copy, header: Header) -> None:
    await db.fetch("DELETE FROM settings WHERE name = 'secret'")
    await db.fetch("DELETE FROM servers")
    if header.secret is not None:
        await db.insert("settings", "name value", [("secret", header.secret)])
    if header.beat is not None:  # so that deadlines move by the time since the backup
        await db.insert("servers", "id beat running", [("backup", header.beat, False)])


async def _fill_page(db: Copy, guests: list[GuestLine], tables: list[TableLine]) -> None:
    await db.insert(
        "guests", "id name language feed", [(g.id, g.name, g.language, g.feed) for g in guests]
    )
    await db.insert(
        "devices", "hash guest", [(device, g.id) for g in guests for device in g.devices]
    )
    await db.insert(
        "transfers", "hash until guest", [(*g.transfer, g.id) for g in guests if g.transfer]
    )
    await db.insert(
        "tables",
        "id phase public code created due made_by summary",
        [(t.id, t.phase, t.public, t.code, t.created, t.due, t.made_by, t.summary) for t in tables],
    )
    await db.insert(
        "members", "table_id guest seat", [(t.id, *member) for t in tables for member in t.members]
    )
    await db.insert(
        "events",
        "table_id position seat action key at",
        [(t.id, number, *event) for t in tables for number, event in enumerate(t.log)],
    )
