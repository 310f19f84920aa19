"""Routes about what everybody may know: cards, bots, words, limits, scores of any table."""

from typing import Annotated, Any

from litestar import Response, Router, get, post
from litestar.params import JSONBody, PathParameter
from msgspec import Struct

from sideboards.core.scoring import Mode
from sideboards.core.sheet import parse_sheet, results
from sideboards.data import shipped
from sideboards.service import limits
from sideboards.service.api_games import TITLES, Spoken
from sideboards.service.calls import (
    IN_A_BODY,
    JSON,
    Call,
    Strict,
    language_of,
    reception_of,
    refuses,
    unless_known,
)
from sideboards.service.pages import server_for_others
from sideboards.service.protocol import (
    MAX_MESSAGE,
    MAX_QUEUE,
    MAX_VIEW,
    PHRASES,
    PROTOCOL,
    Language,
)
from sideboards.service.thinking import LADDER
from sideboards.service.wire import hash_of
from sideboards.words import words


class BotInfo(Struct, frozen=True):
    """A bot, weakest first."""

    name: str
    offered: bool
    """Whether it can play on this server."""
    title: str
    character: str
    """How it plays, in a sentence."""


class LimitsInfo(Struct, frozen=True):
    """What this server allows, and where others find it."""

    address: str
    """Of this server for others in the same network; its own one if whoever asks came by it."""
    protocol: int
    message_bytes: int
    view_bytes: int
    unread_bytes: int
    handshake_seconds: int
    messages_per_20_seconds: int
    drafts_per_second: int
    sockets_per_address: int
    tables_per_guest: int
    practice_tables_per_guest: int
    """A further one ends the one that nobody has touched for longest."""
    guests_per_hour: int
    calls_per_minute: int
    """Of one address."""
    calls_per_minute_and_guest: int
    wrong_codes_per_10_minutes: int
    phrases: tuple[str, ...]


class PlayerLine(Struct, frozen=True, forbid_unknown_fields=True):
    """A player of a score request."""

    name: str
    board: str
    """0 to 8 cards, left to right: ``17 42~ 8``, or spelled out."""
    swap_used: bool = False


class ScoreRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """Boards of any table, also the printed game's, finished or not."""

    objectives: tuple[Any, Any, Any]
    """Color, handle, row: numbers, or patterns spelled out."""
    mode: Mode
    players: list[PlayerLine]


@get("/edition", responses=refuses())
async def edition(request: Call) -> Response[dict[str, Any]]:
    """The cards

    The edition file, byte for byte: its SHA-256 stands in every rules string.
    """
    backstage = reception_of(request).backstage
    file = backstage.edition_file or shipped("edition.json")
    return unless_known(request, file, backstage.house.edition.sha256, JSON)


@get("/bots", responses=refuses())
async def bots(request: Call, language: Spoken = None) -> list[BotInfo]:
    """The bots

    All of them, weakest first; some need what not every server has.
    """
    offered = reception_of(request).backstage.house.thinkers.offered()
    spoken = words(language or language_of(request))
    return [
        BotInfo(name, name in offered, spoken(f"bot.{name}"), spoken(f"bot.{name}.character"))
        for name in LADDER
    ]


@get("/words/{language:str}", responses=refuses())
async def all_words(
    request: Call, language: Annotated[Language, PathParameter(description="Which catalogue.")]
) -> Response[dict[str, Any]]:
    """The texts of a language

    By key; a text with plural forms is an object, by the forms of `Intl.PluralRules`.
    """
    file = shipped(f"lang/{language}.json")
    return unless_known(request, file, hash_of(file), JSON)


@get("/limits", responses=refuses())
async def all_limits(request: Call) -> LimitsInfo:
    """What this server allows

    Sizes in bytes, how often something may be asked for, and the address to pass on to others.
    """
    backstage = reception_of(request).backstage
    return LimitsInfo(
        address=server_for_others(request),
        protocol=PROTOCOL,
        message_bytes=MAX_MESSAGE,
        view_bytes=MAX_VIEW,
        unread_bytes=MAX_QUEUE,
        handshake_seconds=int(limits.HANDSHAKE),
        messages_per_20_seconds=limits.MESSAGES.count,
        drafts_per_second=limits.DRAFTS.count,
        sockets_per_address=backstage.desk.per_address,
        tables_per_guest=limits.TABLES_PER_GUEST,
        practice_tables_per_guest=limits.PRACTICE_PER_GUEST,
        guests_per_hour=backstage.guests_per_hour,
        calls_per_minute=backstage.calls_per_minute,
        calls_per_minute_and_guest=limits.CALLS_PER_GUEST.count,
        wrong_codes_per_10_minutes=limits.WRONG_PER_ADDRESS.count,
        phrases=PHRASES,
    )


@post(
    "/score",
    status_code=200,
    dto=Strict[ScoreRequest],
    return_dto=None,
    responses=refuses(*IN_A_BODY),
)
async def score(
    request: Call,
    data: JSONBody[ScoreRequest],  # noqa: ARG001 (its shape; the document itself is read once more)
    language: Spoken = None,
) -> dict[str, Any]:
    """Score any table

    The same document and the same answer as `sideboards score --json`; it names no edition, that
    of the server counts.
    """
    sheet = parse_sheet(await request.body(), reception_of(request).backstage.house.edition)
    spoken = words(language or language_of(request))
    return results(sheet, [spoken(f"title.{tier}") for tier in TITLES])


ROUTES = Router(
    "/api", route_handlers=[edition, bots, all_words, all_limits, score], tags=["material"]
)
