"""Routes about the server itself: does it live, is it ready, how does it do."""

from typing import Annotated

from litestar import Response, Router, get, post
from litestar.params import JSONBody
from msgspec import Meta, Struct

from sideboards.core.game import check_order
from sideboards.service.calls import IN_A_BODY, JSON, Call, Strict, reception_of, refuses
from sideboards.service.description import describe
from sideboards.service.entries import Order
from sideboards.service.metrics import MEDIA_TYPE
from sideboards.service.refusals import ServiceRefusal
from sideboards.service.wire import encode

LONGEST_LEAP = 400 * 86_400_000


class Alive(Struct, frozen=True):
    """That somebody is there."""

    alive: bool = True


class Leap(Struct, frozen=True, forbid_unknown_fields=True):
    """How time moves."""

    advance: Annotated[int, Meta(ge=0, le=LONGEST_LEAP)] = 0
    """Milliseconds forward."""
    stop: Annotated[int, Meta(ge=0, le=2**53)] | None = None
    """Milliseconds since 1970 at which time stands still from now on, before it moves forward."""


class FixedDeck(Struct, frozen=True, forbid_unknown_fields=True):
    """What is dealt at a table, whatever the seeds decide; its proof will not hold."""

    table: str
    deck: tuple[int, ...]
    """All cards, the top of the draw pile first."""
    refill: tuple[int, ...]
    """All cards in the order that discards take when they become the draw pile."""


class Moment(Struct, frozen=True):
    """The time of the server."""

    now: int


@get("/health", responses=refuses())
async def health() -> Alive:
    """Whether the process lives

    Says nothing about the database; `/ready` does.
    """
    return Alive()


@get("/ready", responses=refuses())
async def ready(request: Call) -> Alive:
    """Whether games can be saved

    Asks the database; refuses while the server stops.
    """
    backstage = reception_of(request).backstage
    if backstage.desk.stopping:
        raise ServiceRefusal("stopping")
    await backstage.house.store.ping()
    return Alive()


@get("/metrics", media_type=MEDIA_TYPE, responses=refuses())
async def metrics(request: Call) -> Response[bytes]:
    """Figures for Prometheus

    Counts and times of the whole server; no ids, no names, nothing of any game.
    """
    return Response(reception_of(request).backstage.metrics.text(), media_type=MEDIA_TYPE)


@get("/openapi.json", include_in_schema=False)
async def description(request: Call) -> Response[bytes]:
    """The description of all routes."""
    state = request.app.state
    if "description" not in state:  # it takes a while, and few ask for it
        state.description = encode(describe(request.app))
    return Response(state.description, media_type=JSON)


@post(
    "/api/test/clock",
    status_code=200,
    dto=Strict[Leap],
    return_dto=None,
    responses=refuses(*IN_A_BODY),
    include_in_schema=False,
)
async def move_clock(request: Call, data: JSONBody[Leap]) -> Moment:
    """Stop time, or move it forward

    Only in test mode.
    """
    backstage = reception_of(request).backstage
    if data.stop is not None:
        backstage.stop(data.stop)
    backstage.advance(data.advance)
    return Moment(backstage.house.clock.now())


@post(
    "/api/test/deck",
    status_code=204,
    dto=Strict[FixedDeck],
    return_dto=None,
    responses=refuses(*IN_A_BODY),
    include_in_schema=False,
)
async def fix_deck(request: Call, data: JSONBody[FixedDeck]) -> None:
    """Fix the cards that a table will be dealt

    Only in test mode.
    """
    check_order("deck", data.deck)
    check_order("refill", data.refill)
    order = encode(Order(data.deck, data.refill)).decode()
    reception_of(request).backstage.house.decks[data.table] = order


FOR_TESTS = (move_clock, fix_deck)
"""What is offered in test mode only."""

ROUTES = Router("/", route_handlers=[health, ready, metrics, description], tags=["server"])
