"""A table in short: its index row, for lists and timers, and what everybody at it may know."""

from collections.abc import Mapping

import msgspec

from sideboards.service.log import Listed, Phase, Row
from sideboards.service.presence import Presence
from sideboards.service.protocol import SeatInfo, TableInfo
from sideboards.service.room import OPENING, Room

CODE_LIFE = 30 * 60_000
"""Milliseconds that the short code of a waiting table lives."""


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """What a list tells of a table besides its people."""

    seats: int
    variant: bool
    objectives: tuple[int, int, int] | None
    round_seconds: int | None
    assist: int
    spectators: bool
    practice: bool
    bots: tuple[str | None, ...]
    """By seat, the bot that has it."""


def summary_of(table: Listed) -> Summary:
    """What is told of a table in a list."""
    return msgspec.json.decode(table.summary, type=Summary)


def row_of(room: Room) -> Row:
    """The index row of a table as it is now."""
    settings = room.settings
    summary = Summary(
        seats=settings.seats,
        variant=settings.variant,
        objectives=settings.objectives,
        round_seconds=settings.round_seconds,
        assist=settings.assist,
        spectators=settings.spectators,
        practice=settings.practice is not None,
        bots=tuple(chair.bot if chair.kind == "bot" else None for chair in room.chairs),
    )
    waits = room.phase == "waiting" and not room.started
    return Row(
        phase=room.phase,
        public=settings.public,
        code=room.code if waits else "",
        due_after=due_after(room),
        guests=tuple((chair.guest, i) for i, chair in enumerate(room.chairs) if chair.guest),
        summary=msgspec.json.encode(summary).decode(),
        made_by=room.host,
    )


def due_after(room: Room) -> int | None:
    """Milliseconds from the event that was just taken to the deadline that it opens."""
    if room.phase == "waiting":
        return OPENING if room.started else None
    if room.phase == "playing" and room.settings.round_seconds is not None:
        return room.settings.round_seconds * 1000
    return None


def changes_row(action: str, phase: Phase, *, closes: bool) -> bool:
    """Whether an action changes the row of a table that was in `phase`."""
    if phase == "playing":
        return closes or action in ("abandon", "close")
    return not action.startswith("open ") and action not in ("leave", "return")


def info_of(room: Room, names: Mapping[str, str], presence: Presence, now: int) -> TableInfo:
    """A table as everybody at it may know it."""
    waits = room.phase == "waiting" and not room.started
    seats = range(len(room.chairs))
    return TableInfo(
        table=room.table,
        phase=room.phase,
        settings=room.settings,
        rules=room.rules,
        commit=room.commit,
        host=room.seat_of(room.host),
        seats=tuple([_seat_info(room, seat, names, presence, now) for seat in seats]),
        started=room.started,
        code=room.code if waits and now < room.created + CODE_LIFE else None,
        next=room.next or None,
    )


def _seat_info(
    room: Room, seat: int, names: Mapping[str, str], presence: Presence, now: int
) -> SeatInfo:
    chair = room.chairs[seat]
    person = chair.kind == "person"
    return SeatInfo(
        kind=chair.kind,
        name=names.get(chair.guest) if person else None,
        bot=chair.bot or None,
        present=person and presence.is_present(seat, now),
        away=chair.acts and presence.is_away(seat, now),
        commit=chair.commit,
        opened=bool(chair.seed),
        votes=tuple(voter for voter in sorted(chair.votes) if room.chairs[voter].acts),
    )
