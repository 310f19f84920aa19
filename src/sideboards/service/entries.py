"""Entries of a log: what stands in them, and what may be stored next."""

import msgspec

from sideboards.core.game import State
from sideboards.service.log import TABLE
from sideboards.service.protocol import Settings


class Create(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What stands in the first entry of a log."""

    settings: Settings
    host: str
    code: str
    seed: str
    reserved: tuple[str, ...] = ()
    """By seat, the guest for whom it is kept: the people of the game before."""


class Change(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What stands in an entry with other settings."""

    settings: Settings
    seed: str


class Sit(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What stands in the entry of somebody who sits down."""

    guest: str
    commit: str
    seed: str


class Order(msgspec.Struct, frozen=True):
    """What stands in the entry of a deal whose cards a test has fixed."""

    deck: tuple[int, ...]
    refill: tuple[int, ...]


class Entry(msgspec.Struct, frozen=True):
    """An action that may be stored, with the state it leads to if it is a move."""

    seat: int
    action: str
    after: State | None = None


def create_entry(
    settings: Settings, host: str, code: str, seed: str, reserved: tuple[str, ...] = ()
) -> Entry:
    """The first entry of a table's log."""
    return entry_of(TABLE, "create", Create(settings, host, code, seed, reserved))


def entry_of(seat: int, word: str, payload: Create | Change | Sit) -> Entry:
    """The entry that holds more than words."""
    return Entry(seat, f"{word} {msgspec.json.encode(payload).decode()}")
