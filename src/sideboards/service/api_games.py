"""Routes about games that are over: record, proof, score, replay, coach and par."""

from typing import Annotated, Any, Literal

import msgspec
from litestar import Response, Router, get
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import QueryParameter
from msgspec import Struct

from sideboards.core.game import LAST_ROUND, State, deal, scores, step
from sideboards.core.notation import Record, format_board, format_record
from sideboards.core.refusal import Refusal
from sideboards.core.scoring import Mode
from sideboards.core.sheet import results, sheet_of
from sideboards.service.api_tables import TableId, find
from sideboards.service.calls import Call, language_of, reception_of, refuses
from sideboards.service.protocol import Hex, Language, PointsInfo
from sideboards.service.refusals import ServiceRefusal
from sideboards.service.table import Table
from sideboards.service.thinking import Busy
from sideboards.service.wire import points_info
from sideboards.words import words

TITLES = range(1, 6)
ROUNDS = LAST_ROUND + 1
"""The rounds of a whole game, the start included."""
OVER = ("unknown_table", "not_over", "never_dealt")
Spoken = Annotated[
    Language | None,
    QueryParameter(description="Of the sentences; without it, that of the request."),
]


class ProofInfo(Struct, frozen=True):
    """What a proof file holds; `sideboards verify` checks it."""

    table: str
    rules: str
    server_seed: Hex
    server_commit: Hex
    seat_seeds: tuple[str, ...]
    seat_commits: tuple[str, ...]
    deck: tuple[int, ...]
    objectives: tuple[int, int, int]
    refill: tuple[int, ...]


class Progress(Struct, frozen=True):
    """How much of a long calculation is done, 0 to 1; ask again in a second or two."""

    progress: float


class RoundInfo(Struct, frozen=True):
    """One round, all hands open."""

    round: int
    hands: tuple[tuple[tuple[int, ...], ...], ...]
    """By seat, the hand; after a swap the new one behind it."""
    moves: tuple[str, ...]
    """`SEAT MOVE`, as in the record."""
    boards: tuple[str, ...]
    """After the round."""
    scores: tuple[PointsInfo, ...]
    """If the game had ended then."""


class Replay(Struct, frozen=True):
    """A whole game, round by round."""

    mode: Mode
    objectives: tuple[int, int, int]
    names: tuple[str | None, ...]
    rounds: tuple[RoundInfo, ...]


_LATER = {
    202: ResponseSpec(Progress, description="It is being worked out.", generate_examples=False)
}


@get(
    "/tables/{table:str}/record",
    media_type="text/plain",
    responses=refuses(*OVER),
)
async def record(
    request: Call,
    table: TableId,
    rounds: Annotated[
        int,
        QueryParameter(
            ge=0,
            le=ROUNDS,
            description="How many rounds, the start included; with fewer than all 7 it is the "
            "record of an unfinished game, with which a table for practice goes on.",
        ),
    ] = ROUNDS,
) -> Response[str]:
    """The game record

    As a file that `sideboards replay` and `sideboards coach` read.
    """
    found = await find(request, table)
    whole = found.room.record(_names(found))
    text = format_record(up_to(whole, rounds))
    return _file(found, text, "txt", "text/plain")


def up_to(whole: Record, rounds: int) -> Record:
    """The same game after its first rounds."""
    state = deal(whole.setup)
    for count, (seat, move) in enumerate(whole.played):
        if state.round >= rounds:
            return Record(whole.setup, whole.played[:count], whole.names)
        state = step(state, seat, move)
    return whole


@get("/tables/{table:str}/proof", responses=refuses("no_practice_proof", *OVER))
async def proof(request: Call, table: TableId) -> Response[ProofInfo]:
    """The proof of the deal

    All seeds and commitments, as a file that `sideboards verify` checks without a server.
    """
    found = await find(request, table)
    shown = msgspec.convert(msgspec.to_builtins(found.room.proof), ProofInfo)
    return _file(found, shown, "proof.json", "application/json")


@get("/tables/{table:str}/score", responses=refuses(*OVER))
async def explained(request: Call, table: TableId, language: Spoken = None) -> dict[str, Any]:
    """The result, explained

    Everybody's points with the drawers behind each of them, as `sideboards score --json` has it.
    """
    found = await find(request, table)
    played = found.room.record()
    state = deal(played.setup)
    for seat, move in played.played:
        state = step(state, seat, move)
    spoken = words(language or language_of(request))
    return results(sheet_of(state, _names(found)), [spoken(f"title.{tier}") for tier in TITLES])


@get("/tables/{table:str}/replay", responses=refuses(*OVER))
async def replay(request: Call, table: TableId) -> Replay:
    """The game, round by round

    With all hands open: only of a game that is over.
    """
    found = await find(request, table)
    played = found.room.record()
    shown = found.info()
    return Replay(
        mode=played.setup.mode,
        objectives=played.setup.objectives,
        names=tuple(seat.name for seat in shown.seats),
        rounds=_rounds(played),
    )


@get(
    "/tables/{table:str}/coach",
    responses=_LATER | refuses("not_offered", "server_full", *OVER),
)
async def coach(request: Call, table: TableId, language: Spoken = None) -> Response[dict[str, Any]]:
    """What the coach says

    What every decision cost, and why. It takes some seconds: until then the answer is 202 with
    the progress.
    """
    found = await find(request, table)
    answer = _job(request, "coach", found.room.record(), language)
    return _with_names(answer, _names(found)) if answer.status_code == 200 else answer


@get(
    "/tables/{table:str}/par",
    responses=_LATER | refuses("not_offered", "not_solo", "abandoned", "server_full", *OVER),
)
async def par(request: Call, table: TableId) -> Response[dict[str, Any]]:
    """The best possible result of a solo deal

    With the deck known, and a way to reach it. Until it is found the answer is 202.
    """
    found = await find(request, table)
    played = found.room.record()
    if played.setup.mode != "solo":
        raise ServiceRefusal("not_solo")
    if found.room.phase != "finished":
        raise ServiceRefusal("abandoned")
    return _job(request, "par", played, None)


def _job(
    call: Call, kind: Literal["coach", "par"], played: Record, language: str | None
) -> Response[dict[str, Any]]:
    """The result of a job, or how far it is."""
    thinkers = reception_of(call).backstage.house.thinkers
    if thinkers.refusal(kind) is not None:
        raise ServiceRefusal("not_offered")
    try:
        job = thinkers.job(kind, format_record(played), language or language_of(call))
    except Busy:
        raise ServiceRefusal("server_full") from None
    except Refusal:
        raise ServiceRefusal("not_offered") from None
    if job.failed is not None:
        raise ServiceRefusal("internal")
    if job.result is None:
        later: Response[Any] = Response(Progress(round(job.progress, 3)), status_code=202)
        return later
    return Response(job.result, status_code=200)


def _with_names(answer: Response[dict[str, Any]], names: tuple[str, ...]) -> Response[Any]:
    """A review with the names of now: it is kept without any."""
    players = [player | {"name": names[player["seat"]]} for player in answer.content["players"]]
    return Response(answer.content | {"players": players}, status_code=200)


def _names(table: Table) -> tuple[str, ...]:
    """What everybody is called; who was deleted has a number only."""
    return tuple(
        seat.name or (seat.bot if seat.kind == "bot" else None) or f"#{number}"
        for number, seat in enumerate(table.info().seats, 1)
    )


def _rounds(played: Record) -> tuple[RoundInfo, ...]:
    rounds = []
    state = opening = deal(played.setup)
    moves: list[str] = []
    for seat, move in played.played:
        moves.append(f"{seat} {move}")
        before, state = state, step(state, seat, move)
        if state.round != opening.round:
            rounds.append(_round(opening, before, state, moves))
            opening, moves = state, []
    return tuple(rounds)


def _round(opening: State, last: State, after: State, moves: list[str]) -> RoundInfo:
    return RoundInfo(
        round=opening.round,
        hands=tuple(
            seat.hands[len(opening.seats[i].hands) - 1 :] for i, seat in enumerate(last.seats)
        ),
        moves=tuple(moves),
        boards=tuple(format_board(seat.board) for seat in after.seats),
        scores=tuple(points_info(score.points) for score in scores(after)),
    )


def _file(table: Table, content: Any, ending: str, media_type: str) -> Response[Any]:  # noqa: ANN401
    name = f"sideboards-{table.room.table}.{ending}"
    return Response(
        content,
        media_type=media_type,
        headers={"content-disposition": f'attachment; filename="{name}"'},
    )


ROUTES = Router(
    "/api", route_handlers=[record, proof, explained, replay, coach, par], tags=["games"]
)
