"""What is stored: the durable log of every table, an index row beside it, and the guests.

A table is its log: a sequence of events, each committed before anybody hears of it. `Store` is
what SQLite and PostgreSQL both offer; one contract test runs against both.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import msgspec

Phase = Literal["waiting", "playing", "finished", "abandoned"]
TABLE = -1
"""The seat of an event that belongs to the table itself."""
RESTART_GRACE = 20_000
"""Milliseconds that every deadline gains when a first server starts again."""
SERVER_ALIVE = 15_000
"""Milliseconds after its last heartbeat during which a server counts as alive."""
LEFT_AFTER = 3_600_000
"""Milliseconds after its last event at which a table is left to those who sit there, if whoever
made it is not among them."""


class Event(msgspec.Struct, frozen=True, gc=False):
    """One entry of a table's log."""

    position: int
    """0, 1, 2, … without gaps; decides among servers, and never leaves them."""
    seat: int
    action: str
    key: str
    """The request's key, unique per seat among keys that are not empty."""
    at: int
    """Database time in milliseconds since 1970."""

    @property
    def by(self) -> int:
        """The seat whose person asked for it; TABLE if nobody did who sits there."""
        if self.action.startswith("sit "):
            return self.seat
        return int(self.key.partition(".")[0]) if self.key else TABLE


@dataclass(frozen=True, slots=True)
class Row:
    """What lists and timers need to know of a table without reading its log."""

    phase: Phase
    public: bool
    """Whether the lobby shows it."""
    code: str
    """The short code while the table waits for players, else empty."""
    due_after: int | None
    """Milliseconds from this event to the deadline that it opens; None: no deadline."""
    guests: tuple[tuple[str, int], ...]
    """Who sits where; whoever is not, or no longer, a stored guest is left out."""
    summary: str
    """JSON for lists; holds no names, no tokens and no cards."""
    made_by: str = ""
    """The guest who makes the table; stored at position 0 only."""


class Write(msgspec.Struct, frozen=True):
    """One event to be appended, with the index row if it changes."""

    table: str
    position: int
    """0 makes the table; then `row` must be given."""
    seat: int
    action: str
    key: str = ""
    row: Row | None = None


@dataclass(frozen=True, slots=True)
class Listed:
    """A table in a list."""

    table: str
    phase: Phase
    created: int
    updated: int
    due: int | None
    made_by: str
    summary: str
    guests: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Guest:
    """A person as far as we know one: a name that she chose, on some devices."""

    id: str
    name: str
    language: str


class Taken(Exception):
    """This cannot follow what is stored: read again and try again.

    Another server has written this position first, the one before is missing, or a table to be
    made has the id or short code of another.
    """


class CannotSave(Exception):
    """Nothing was stored: the disk is full or read-only, or the database refuses."""


class InDoubt(Exception):
    """The database went away in mid-commit: whether it was stored is known when it is back."""


OF_TABLE = ("deal", "leave", "return", "vote", "next", "abandon", "close")
Told = Callable[[int | Exception], None]


def is_of_table(action: str) -> bool:
    """Whether an action is about seats rather than cards."""
    return action.partition(" ")[0] in OF_TABLE


def resolve(future: asyncio.Future[Any], result: object) -> None:
    """Let whoever waits for a store know how it went: a result, or an exception."""
    if future.done():  # nobody waits for a cancelled one
        return
    if isinstance(result, Exception):
        future.set_exception(result)
    else:
        future.set_result(result)


class Store(Protocol):
    """The durable side of the service; every method returns after the commit."""

    shared: bool
    """Whether other servers may write to the same database."""

    @property
    def awake(self) -> bool:
        """Whether the database has answered something just now."""

    async def open(self) -> None:
        """Connect, migrate to the newest version, begin to work."""

    async def close(self) -> None:
        """Finish what was asked for, then disconnect."""

    async def ping(self) -> None:
        """Return if the database answers; raise CannotSave if not."""

    async def now(self) -> int:
        """Database time in milliseconds."""

    def submit(self, write: Write, told: Told) -> None:
        """Store an event; `told` is called with its time, or with what `append` would raise."""

    async def append(self, write: Write) -> int:
        """Store an event; its time. Raises Taken, CannotSave or InDoubt."""

    async def read(self, table: str, after: int = -1) -> list[Event]:
        """The events of a table behind a position, in order; empty for an unknown table."""

    async def due(self, table: str) -> int | None:
        """The present deadline of a table."""

    async def all_due(self, until: int, limit: int = 200) -> list[str]:
        """Tables that wait or play and whose deadline is not after `until`, oldest first."""

    async def forgotten(self, before: int, limit: int = 200) -> list[str]:
        """Tables that wait or play, have no deadline, and have no event since `before`."""

    async def lobby(self, limit: int = 100) -> list[Listed]:
        """Public tables that wait for players or are played, newest first."""

    async def tables_of(self, guest: str, limit: int = 100) -> list[Listed]:
        """The tables at which a guest sits or sat, the latest event first."""

    async def open_tables_of(self, guest: str) -> list[Listed]:
        """The tables that a guest has made, and not left to others, that still wait or play; the
        latest event last."""

    async def table_with_code(self, code: str) -> str | None:
        """The waiting table with a short code."""

    async def drop_codes(self, before: int) -> None:
        """Forget the short codes of tables that were made before a time."""

    async def secret(self) -> bytes:
        """The 32 bytes that sign all tokens of this database, drawn at first use."""

    async def add_guest(self, guest: Guest, device: bytes) -> None:
        """Store a new guest with the hash of its first device token."""

    async def guest_of_device(self, device: bytes) -> Guest | None:
        """The guest that holds a device token, by the token's hash."""

    async def change_guest(self, guest: Guest) -> None:
        """Store a guest's new name and language."""

    async def delete_guest(self, guest: str) -> None:
        """Remove name, devices, feed, transfer codes and seats in lists; the logs stay."""

    async def names(self, guests: Sequence[str]) -> dict[str, str]:
        """The names of those guests that are not deleted."""

    async def add_device(self, guest: str, device: bytes) -> None:
        """Store the hash of a further device token."""

    async def add_transfer(self, code: bytes, guest: str, until: int) -> None:
        """Store the hash of a transfer code; it replaces the guest's older one."""

    async def take_transfer(self, code: bytes) -> Guest | None:
        """The guest of an unexpired transfer code, which is used up by this."""

    async def set_feed(self, guest: str, feed: bytes) -> None:
        """Store the hash of a guest's feed address; it replaces the older one."""

    async def guest_of_feed(self, feed: bytes) -> Guest | None:
        """The guest of a feed address."""

    async def resume(self, server: str) -> int:
        """Called once at start. If no server was alive, all deadlines move by the time since
        the last heartbeat, plus RESTART_GRACE; the milliseconds they moved (0 if none)."""

    async def beat(self, server: str) -> None:
        """Say that a server is alive."""

    async def leave(self, server: str) -> None:
        """Say that a server stops: from now on it is not alive."""

    async def announce(self, text: str) -> None:
        """Tell the other servers something that is not stored (up to 4,000 bytes)."""

    def listen(
        self, wake: Callable[[str], None], heard: Callable[[str], None], lost: Callable[[], None]
    ) -> None:
        """Call `wake(table)` when another server wrote to a table, `heard(text)` for an
        announcement, `lost()` when notices may have been missed."""
