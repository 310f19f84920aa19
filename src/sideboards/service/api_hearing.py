"""Routes for those who ask instead of listening: what was said, and what the coach advises."""

from typing import Annotated

from litestar import Response, Router, get
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import QueryParameter
from msgspec import Struct

from sideboards.service.api_games import Spoken
from sideboards.service.api_tables import TableId, check_may_look, find, own
from sideboards.service.calls import KNOWN, Call, asker_if_any, language_of, refuses
from sideboards.service.protocol import Advice, Notice, Said
from sideboards.service.refusals import ServiceRefusal

_LATER = {202: ResponseSpec(Advice, description="The coach thinks.", generate_examples=False)}


class News(Struct, frozen=True):
    """Something that was said or noticed at a table."""

    at: int
    """Milliseconds since 1970; give it as `after` to hear what comes later."""
    message: Said | Notice


@get("/tables/{table:str}/news", responses=refuses("unknown_table", "no_spectators"))
async def news(
    request: Call,
    table: TableId,
    after: Annotated[int, QueryParameter(description="Only what came after this time.")] = 0,
    language: Spoken = None,
) -> list[News]:
    """What was said and noticed

    The latest phrases and notices, as a socket hears them; they are not stored.
    """
    found = await find(request, table)
    check_may_look(found, await asker_if_any(request))
    spoken = language or language_of(request)
    return [News(at, told(spoken)) for at, told in found.news if at > after]


@get(
    "/tables/{table:str}/advice",
    responses=_LATER
    | refuses("unknown_table", "not_your_seat", "not_playing", "no_assist", "not_offered", *KNOWN),
)
async def advice(request: Call, table: TableId) -> Response[Advice]:
    """What the coach advises

    At assist level 3 the coach's values of one's options; none when one has chosen. Until they
    are found the answer is 202.
    """
    found, seat = await own(request, table)
    room = found.room
    if room.settings.assist < 3 or not room.against_bots:
        raise ServiceRefusal("no_assist")
    if room.phase != "playing":
        raise ServiceRefusal("not_playing")
    options = found.croupier.advice(seat) if seat in room.waiting else ()
    if options is None:
        raise ServiceRefusal("not_offered")
    thinks = seat in room.waiting and not options
    return Response(Advice(options=options, seq=room.seq), status_code=202 if thinks else 200)


ROUTES = Router("/api", route_handlers=[news, advice], tags=["tables"])
