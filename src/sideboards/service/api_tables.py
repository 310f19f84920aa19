"""Routes about tables: make one, sit down, act, look."""

from typing import Annotated, Any

import msgspec
from litestar import Response, Router, get, patch, post
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import JSONBody, PathParameter, QueryParameter
from msgspec import Meta, Struct

from sideboards.core.refusal import Refusal
from sideboards.service.calls import (
    IN_A_BODY,
    KNOWN,
    Call,
    Strict,
    address_of,
    answer_refused,
    asker,
    asker_if_any,
    language_of,
    reception_of,
    refused,
    refuses,
)
from sideboards.service.entries import Entry
from sideboards.service.identity import SIGNS
from sideboards.service.listings import Listing, listings
from sideboards.service.log import TABLE, Guest
from sideboards.service.protocol import (
    PHRASES,
    Ack,
    Action,
    ClockInfo,
    Key,
    Pending,
    Refused,
    Settings,
    TableInfo,
    ViewMessage,
)
from sideboards.service.refusals import ServiceRefusal
from sideboards.service.room import Actor
from sideboards.service.table import Table

CODE_SIGNS = 6
TRIES_TO_SIT = 6
TableId = Annotated[str, PathParameter(description="The table's id, which is its link.")]
LessHelp = Annotated[
    int, QueryParameter(ge=0, le=3, description="Less help than the table allows.")
]
UNDEALT = ("not_started", "not_playing")
"""Why there are no cards to be seen."""
MOVES = (
    "not_an_action",
    "not_in_hand",
    "one_card",
    "two_cards",
    "same_card",
    "too_early",
    "swap_used",
    "no_swap",
    "sealed",
    "round_closed",
    "over",
    "no_seat",
)
"""Why the rules forbid a move."""


class NewTable(Struct, frozen=True):
    """A table that was made, and the token with which its host may watch it over the socket."""

    table: TableInfo
    token: str


class SitDown(Struct, frozen=True, forbid_unknown_fields=True):
    """Which seat somebody wants."""

    seat: Annotated[
        Annotated[int, Meta(ge=0, le=5)] | None,
        Meta(description="null: the first empty one; with a commitment it must be named."),
    ] = None
    commit: Annotated[
        str,
        Meta(
            pattern=r"^([0-9a-f]{64})?(?!\n)$",
            description="The commitment to the seat's seed: the SHA-256 of "
            "`SB1|seat|TABLE|SEAT|SEED`, with the table's id, the seat's number and the seed of "
            "64 hexadecimal digits. Empty: this seat adds no seed.",
        ),
    ] = ""


class Seated(Struct, frozen=True):
    """A seat, and the token with which its owner plays over the socket."""

    seat: int
    token: str
    table: TableInfo


class Code(Struct, frozen=True, forbid_unknown_fields=True):
    """The short code of a table that waits."""

    code: str


class Found(Struct, frozen=True):
    """The table of a code."""

    table: str


class Deed(Struct, frozen=True, forbid_unknown_fields=True):
    """An action under its key."""

    key: Key
    action: Action


class DraftMove(Struct, frozen=True, forbid_unknown_fields=True):
    """The unlocked choice of a round."""

    round: Annotated[int, Meta(ge=0, le=6)]
    move: Annotated[str, Meta(max_length=12)] | None


class Phrase(Struct, frozen=True, forbid_unknown_fields=True):
    """One of the fixed phrases."""

    phrase: str


class Rematch(Struct, frozen=True):
    """The table at which it goes on."""

    table: TableInfo


@get("/tables", responses=refuses())
async def lobby(request: Call) -> list[Listing]:
    """Public tables

    Tables that wait for players or are played, the newest first. Private ones are in no list.
    """
    backstage = reception_of(request).backstage
    return await listings(backstage, await backstage.house.store.lobby())


@post(
    "/tables",
    dto=Strict[Settings],
    return_dto=None,
    responses=refuses("bad_settings", "too_many_tables", "busy", *KNOWN, *IN_A_BODY),
)
async def new_table(request: Call, data: JSONBody[Settings]) -> NewTable:
    """Make a table

    Nobody sits there yet; the guest who made it is its host.
    """
    guest = await asker(request)
    backstage = reception_of(request).backstage
    table = await backstage.tables.create(guest, data)
    token = backstage.identity.seat_token(table.room.table, TABLE, guest.id, 0)
    return NewTable(table.info(), token)


@get("/tables/{table:str}", responses=refuses("unknown_table", "no_spectators"))
async def one_table(request: Call, table: TableId) -> TableInfo:
    """A table

    Its settings and people, as everybody who has the link may know them.
    """
    found = await find(request, table)
    check_may_look(found, await asker_if_any(request))
    return found.info()


@patch(
    "/tables/{table:str}",
    dto=Strict[Settings],
    return_dto=None,
    responses=refuses(
        "unknown_table",
        "bad_settings",
        "not_host",
        "not_waiting",
        "seat_taken",
        "abandoned",
        "busy",
        *KNOWN,
        *IN_A_BODY,
    ),
)
async def change_table(request: Call, table: TableId, data: JSONBody[Settings]) -> TableInfo:
    """Change the settings

    Only the host may, and only before the start. What is not named stays as it is. The server
    draws a new seed by that.
    """
    guest = await asker(request)
    found = await find(request, table)
    room, house = found.room, reception_of(request).backstage.house
    actor = Actor(guest.id, room.seat_of(guest.id))
    named = {name: getattr(data, name) for name in msgspec.json.decode(await request.body())}

    def ask() -> Entry:
        wanted = msgspec.structs.replace(room.settings, **named)
        return room.ask_settings(actor, wanted, house.new_seed())

    await found.take(ask)
    return found.info()


@post(
    "/tables/{table:str}/seats",
    dto=Strict[SitDown],
    return_dto=None,
    responses={200: ResponseSpec(Seated, description="Seated before.", generate_examples=False)}
    | refuses(
        "unknown_table",
        "table_full",
        "seat_taken",
        "already_seated",
        "sent_away",
        "no_seat",
        "not_waiting",
        "abandoned",
        "busy",
        *KNOWN,
        *IN_A_BODY,
    ),
)
async def sit_down(request: Call, table: TableId, data: JSONBody[SitDown]) -> Response[Seated]:
    """Sit down

    Whoever sits there already gets the token again, with status 200: after a reload, or on a
    second device.
    """
    guest = await asker(request)
    found = await find(request, table)
    seat, status = found.room.seat_of(guest.id), 200
    if seat is None:
        seat, status = await _sit(found, guest, data), 201
    token = seat_token(request, found, seat, guest)
    return Response(Seated(seat, token, found.info()), status_code=status)


@get("/tables/{table:str}/seat", responses=refuses("unknown_table", *KNOWN))
async def own_seat(request: Call, table: TableId) -> Seated | None:
    """One's own seat

    The seat that belongs to this guest already, with its token; null for whoever has none here.
    """
    guest = await asker(request)
    found = await find(request, table)
    seat = found.room.seat_of(guest.id)
    if seat is None:
        return None
    return Seated(seat, seat_token(request, found, seat, guest), found.info())


@post(
    "/codes",
    status_code=200,
    dto=Strict[Code],
    return_dto=None,
    responses=refuses("wrong_code", *IN_A_BODY),
)
async def find_by_code(request: Call, data: JSONBody[Code]) -> Found:
    """Find a table by its code

    Small letters, blanks and dashes do not matter. Wrong codes are limited.
    """
    reception, address = reception_of(request), address_of(request)
    if not reception.codes.begin(address):
        raise ServiceRefusal("too_many_requests")
    plain = "".join(sign for sign in data.code[:40].upper() if sign in SIGNS)
    if len(plain) != CODE_SIGNS:
        raise ServiceRefusal("wrong_code")
    wrong = False
    try:
        found = await reception.backstage.tables.with_code(plain)
    except ServiceRefusal as refusal:
        wrong = refusal.code == "wrong_code"
        raise
    finally:
        if not wrong:  # it is right, or nobody could look
            reception.codes.right(address)
    return Found(found.room.table)


@post(
    "/tables/{table:str}/actions",
    status_code=200,
    dto=Strict[Deed],
    return_dto=None,
    responses={202: ResponseSpec(Pending, description="Not yet stored.", generate_examples=False)}
    | refuses(
        "unknown_table",
        "not_your_seat",
        "not_host",
        "bad_seed",
        "unknown_bot",
        "bot_not_here",
        "bot_plays",
        "seat_taken",
        "seats_empty",
        "nobody_left",
        "not_waiting",
        "not_started",
        "not_playing",
        "round_over",
        "not_away",
        "not_a_person",
        "abandoned",
        "key_reused",
        "busy",
        *MOVES,
        *KNOWN,
        *IN_A_BODY,
    ),
)
async def act(
    request: Call, table: TableId, data: JSONBody[Deed], assist: LessHelp = 3
) -> Response[Ack]:
    """Act at a table

    A move, or another action of the table. The answer comes after it is stored; if that takes
    longer, the status is 202 and the outcome comes when the same key is sent again. A refusal
    carries the true view.
    """
    guest = await asker(request)
    found = await find(request, table, current=False)  # which is found out when it is stored
    if found.room.seat_of(guest.id) is None:  # unless somebody has just sat down elsewhere
        found = await find(request, table)
    seat = found.room.seat_of(guest.id)
    if seat is not None:
        found.attendance.heard(seat)
    try:
        errands = reception_of(request).errands
        ack = await errands.run(found, Actor(guest.id, seat), data.key, data.action, assist)
    except Refusal as refusal:
        body = refused(refusal, language_of(request), data.key)
        answer: Response[Any] = answer_refused(request, _with_view(body, found, guest, assist))
        return answer
    if ack is None:
        pending: Response[Any] = Response(Pending(key=data.key), status_code=202)
        return pending
    return Response(ack)


@get("/tables/{table:str}/view", responses=refuses("unknown_table", "no_spectators", *UNDEALT))
async def look(
    request: Call,
    table: TableId,
    assist: LessHelp = 3,
) -> ViewMessage:
    """The view

    All that the guest's seat may know; for anybody else, what spectators may.
    """
    guest = await asker_if_any(request)
    found = await find(request, table)
    check_may_look(found, guest)
    seat = found.room.seat_of(guest.id) if guest else None
    if seat is not None:
        found.attendance.looked(seat)
    return view_of(request, found, seat, assist)


@post(
    "/tables/{table:str}/draft",
    status_code=204,
    dto=Strict[DraftMove],
    return_dto=None,
    responses=refuses("unknown_table", "not_your_seat", "not_playing", *KNOWN, *IN_A_BODY),
)
async def draft(request: Call, table: TableId, data: JSONBody[DraftMove]) -> None:
    """Keep an unlocked choice

    It counts when the clock runs out; nobody sees it, and it is not stored.
    """
    found, seat = await own(request, table)
    if found.room.phase != "playing":
        raise ServiceRefusal("not_playing")
    found.draft(seat, data.round, data.move)


@post(
    "/tables/{table:str}/phrases",
    status_code=204,
    dto=Strict[Phrase],
    return_dto=None,
    responses=refuses(
        "unknown_table", "not_your_seat", "no_phrases", "unknown_phrase", *KNOWN, *IN_A_BODY
    ),
)
async def say(request: Call, table: TableId, data: JSONBody[Phrase]) -> None:
    """Say a fixed phrase

    Everybody who is connected to the table hears it.
    """
    found, seat = await own(request, table)
    if not found.room.settings.phrases:
        raise ServiceRefusal("no_phrases")
    if data.phrase not in PHRASES:
        raise ServiceRefusal("unknown_phrase")
    found.say(seat, data.phrase)
    house = reception_of(request).backstage.house
    house.announce(f"said {found.room.table} {seat} {data.phrase}")


@post(
    "/tables/{table:str}/rematch",
    responses=refuses(
        "unknown_table",
        "not_over",
        "no_practice_rematch",
        "not_your_seat",
        "too_many_tables",
        "busy",
        *KNOWN,
        "foreign_origin",
    ),
)
async def rematch(request: Call, table: TableId) -> Rematch:
    """Play again

    A new table with the same settings and bots, made once: whoever asks later gets the same.
    """
    guest = await asker(request)
    found = await find(request, table)
    again = await reception_of(request).backstage.tables.rematch(found, guest)
    return Rematch(again.info())


# ---- what these routes share -----------------------------------------------------------------


async def find(call: Call, table: str, *, current: bool = True) -> Table:
    """A table by its id, with all that other servers have stored; raises unknown_table."""
    backstage = reception_of(call).backstage
    tables = backstage.tables
    found = await (tables.current(table) if current else tables.get(table))
    if found.idle_since is not None:
        found.idle_since = backstage.house.clock.now()
    return found


def check_may_look(table: Table, guest: Guest | None) -> None:
    """Refuse spectators where they are not wanted."""
    room = table.room
    if room.settings.spectators or room.phase != "playing":
        return
    if guest is None or (room.seat_of(guest.id) is None and guest.id != room.host):
        raise ServiceRefusal("no_spectators")


async def own(call: Call, table: str) -> tuple[Table, int]:
    """A table and the seat that whoever asks has there."""
    guest = await asker(call)
    found = await find(call, table)
    seat = found.room.seat_of(guest.id)
    if seat is None:
        raise ServiceRefusal("not_your_seat")
    found.attendance.heard(seat)
    return found, seat


async def _sit(table: Table, guest: Guest, wish: SitDown) -> int:
    """The seat that somebody got."""
    if wish.seat is not None:
        await table.sit(guest.id, guest.name, wish.seat, wish.commit)
        return wish.seat
    if wish.commit:
        raise ServiceRefusal("bad_value", where="seat")
    for _ in range(TRIES_TO_SIT):
        chairs = table.room.chairs
        empty = [i for i, chair in enumerate(chairs) if chair.kind == "empty"]
        free = [i for i in empty if chairs[i].reserved in ("", guest.id)]
        seat = next(iter(sorted(free, key=lambda i: not chairs[i].reserved)), None)
        if seat is None:
            waits = table.room.phase == "waiting" and not table.room.started
            raise ServiceRefusal("table_full" if waits else "not_waiting")
        try:
            await table.sit(guest.id, guest.name, seat, "")
        except ServiceRefusal as refusal:
            if refusal.code != "seat_taken":  # somebody was faster
                raise
        else:
            return seat
    raise ServiceRefusal("busy")


def _with_view(body: Refused, table: Table, guest: Guest, assist: int) -> Refused:
    """A refusal with the true view, as far as whoever asks may see one."""
    room = table.room
    seat = room.seat_of(guest.id)
    if room.game is None or (seat is None and not room.settings.spectators):
        return body
    return Refused(
        code=body.code,
        key=body.key,
        sentence=body.sentence,
        seq=room.seq,
        view=table.view(seat, assist),
        view_hash=table.shown(seat, assist).hash,
    )


def seat_token(call: Call, table: Table, seat: int, guest: Guest) -> str:
    """The token with which a guest plays at a seat."""
    identity = reception_of(call).backstage.identity
    return identity.seat_token(table.room.table, seat, guest.id, table.room.chairs[seat].sitting)


def view_of(call: Call, table: Table, seat: int | None, assist: int) -> ViewMessage:
    """What a seat or spectator sees; raises not_started or not_playing."""
    return ViewMessage(
        clock=_clock(call, table),
        hash=table.shown(seat, assist).hash,
        seq=table.room.seq,
        view=table.view(seat, assist),
    )


def _clock(call: Call, table: Table) -> ClockInfo | None:
    if table.due is None or table.room.phase != "playing":
        return None
    now = reception_of(call).backstage.house.clock.now()
    return ClockInfo(left=max(0, table.due - now))


ROUTES = Router(
    "/api",
    route_handlers=[
        lobby,
        new_table,
        one_table,
        change_table,
        sit_down,
        own_seat,
        find_by_code,
        act,
        look,
        draft,
        say,
        rematch,
    ],
    tags=["tables"],
)
