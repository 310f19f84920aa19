"""The route about what can be marked on boards; a browser knows no rules, so it asks."""

import asyncio
from functools import lru_cache
from typing import Annotated

from litestar import Response, Router, get
from litestar.params import QueryParameter

from sideboards.core.card import COLUMNS
from sideboards.core.edition import Edition, Numbers
from sideboards.core.marks import Marks, marks
from sideboards.core.notation import parse_board, parse_objectives
from sideboards.core.refusal import Refusal
from sideboards.service.calls import Call, reception_of, refuses
from sideboards.service.refusals import ServiceRefusal

MOST_BOARDS = 48
FOREVER = "public, max-age=31536000, immutable"


@get("/marks", responses=refuses())
async def marked(
    request: Call,
    objectives: Annotated[
        str, QueryParameter(max_length=20, description="Color, handle, row: `3,8,19`.")
    ],
    board: Annotated[
        list[str],
        QueryParameter(
            min_items=1,
            max_items=MOST_BOARDS,
            description="Up to 8 cards each, left to right: `17 42~ 8`; once for every board.",
        ),
    ],
    edition: Annotated[
        str | None,
        QueryParameter(
            max_length=64, description="The SHA-256 of the cards; with it, kept for ever."
        ),
    ] = None,
) -> Response[list[Marks]]:
    """What is marked on boards

    For each board the combinations, every place where the patterns fit, the scoring runs, and
    which drawer laid at which end would make one combination more.
    """
    cards = reception_of(request).backstage.house.edition
    if edition not in (None, cards.sha256):
        raise ServiceRefusal("bad_value", where="edition")
    try:
        numbers = parse_objectives(objectives)
        cards.objectives(numbers)
    except Refusal:
        raise ServiceRefusal("bad_value", where="objectives") from None
    headers = {"cache-control": FOREVER if edition else "no-cache"}
    # In a thread, because dozens of new boards take longer than others may wait for their answer.
    found = await asyncio.to_thread(lambda: [_marks(each, numbers, cards) for each in board])
    return Response(found, headers=headers)


@lru_cache(maxsize=2000)  # whoever looks at a table asks for the same boards
def _marks(text: str, numbers: Numbers, edition: Edition) -> Marks:
    try:
        board = parse_board(text)
    except Refusal:
        raise ServiceRefusal("bad_value", where="board") from None
    if len(board) > COLUMNS:
        raise ServiceRefusal("bad_value", where="board")
    return marks(board, edition.objectives(numbers), edition)


ROUTES = Router("/api", route_handlers=[marked], tags=["material"])
