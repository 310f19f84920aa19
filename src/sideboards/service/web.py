"""The browser client as the server gives it out: built files, and the page with all it needs."""

from functools import partial

from litestar import Response, Router, get
from litestar.params import FromPath

from sideboards.core.refusal import Refusal
from sideboards.service.api_games import Spoken
from sideboards.service.api_tables import find
from sideboards.service.calls import Call, language_of, reception_of
from sideboards.service.drawn import drawn
from sideboards.service.here import Here, here
from sideboards.service.pages import HTML, landing_page, server_of
from sideboards.service.pictures import house_png
from sideboards.service.placard import (
    Placard,
    head_lines,
    house_placard,
    motif_of,
    table_placard,
)
from sideboards.service.refusals import ServiceRefusal
from sideboards.service.shell import STATIC, Shell, shell
from sideboards.words import words

FOREVER = {"cache-control": "public, max-age=31536000, immutable"}
KINDS = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
PAGES = ["/", "/lobby", "/rules"]
TABLE_PAGES = ["/t/{table:str}", "/t/{table:str}/replay", "/t/{table:str}/replay/{number:str}"]
PNG = "image/png"
DAY = {"cache-control": "public, max-age=86400"}
SHARED = {"cross-origin-resource-policy": "cross-origin"}
"""Previews are made to be shown elsewhere."""
ENCODINGS = (("br", ".br"), ("gzip", ".gz"))


@get(PAGES, include_in_schema=False)
async def page(request: Call, language: Spoken = None) -> Response[bytes]:
    """The page of the browser client, whichever part of it is asked for."""
    known = await here(request)
    spoken = language or language_of(request)
    return await _page(request, spoken, house_placard(words(spoken)), known)


@get(TABLE_PAGES, include_in_schema=False)
async def table_page(
    request: Call, table: FromPath[str], language: Spoken = None
) -> Response[bytes]:
    """The page of a table; also when there is none, because the program says so best."""
    found, status = None, 200
    try:
        found = await find(request, table)
    except Refusal as refusal:
        if isinstance(refusal, ServiceRefusal) and refusal.code == "unknown_table":
            status = 404
    known = await here(request, found)
    spoken = words(language or language_of(request))
    edition = reception_of(request).backstage.house.edition
    placard = table_placard(found, spoken, edition) if found else house_placard(spoken)
    return await _page(request, spoken.language, placard, known, status)


def missing_page(call: Call) -> Response[bytes] | None:
    """The page for a path that there is not, where a person asks for it with a browser."""
    path = call.url.path
    if path.startswith(("/api/", "/assets/")) or HTML not in call.headers.get("accept", ""):
        return None
    language = language_of(call)
    found = _shell(call, language)
    if found is None:
        return None
    return _answer(call, found, house_placard(words(language)), None, 404)


@get("/assets/{file:str}", include_in_schema=False)
async def asset(request: Call, file: FromPath[str]) -> Response[bytes]:
    """A built file; its name changes with its content, so it is kept for ever."""
    kind = KINDS.get("." + file.rpartition(".")[2])
    path = STATIC / "assets" / file
    if kind is None or "/" in file or not path.is_file():
        raise ServiceRefusal("not_found")
    headers = FOREVER | {"vary": "accept-encoding"}
    for encoding, ending in ENCODINGS:
        packed = STATIC / "assets" / f"{file}{ending}"
        if _takes(request, encoding) and packed.is_file():
            headers |= {"content-encoding": encoding}
            path = packed
            break
    return Response(path.read_bytes(), media_type=kind, headers=headers)


@get("/preview.png", include_in_schema=False)
async def house_preview(request: Call) -> Response[bytes]:
    """The picture of a link that is of no table."""
    edition = reception_of(request).backstage.house.edition
    found = await drawn(edition, partial(house_png, edition))
    if found is None:
        return _elsewhere("/icon-512.png")
    return Response(found, media_type=PNG, headers=SHARED | DAY)


@get("/t/{table:str}/preview.png", include_in_schema=False)
async def table_preview(request: Call, table: FromPath[str]) -> Response[bytes]:
    """The picture of a table: its objectives, and the boards as spectators see them."""
    reception = reception_of(request)
    edition = reception.backstage.house.edition
    found = await find(request, table)
    picture = await reception.easel.preview(motif_of(found), edition)
    if picture is None:
        return _elsewhere("/preview.png")
    return Response(picture, media_type=PNG, headers=SHARED | {"cache-control": "no-cache"})


def _elsewhere(path: str) -> Response[bytes]:
    """The way to a picture that stands for one which is not ready yet."""
    headers = SHARED | {"cache-control": "no-store", "location": path}
    return Response(b"", status_code=302, headers=headers)


async def _page(
    call: Call, language: str, placard: Placard, known: Here | None, status: int = 200
) -> Response[bytes]:
    found = _shell(call, language)
    if found is None:
        return await landing_page(call, language, status)
    return _answer(call, found, placard, known, status)


def _shell(call: Call, language: str) -> Shell | None:
    backstage = reception_of(call).backstage
    house = backstage.house
    return shell(language, house.edition, house.thinkers.offered(), backstage.room)


def _answer(
    call: Call, found: Shell, placard: Placard, known: Here | None, status: int
) -> Response[bytes]:
    head = head_lines(placard, server_of(call), call.url.path)
    headers = {
        "vary": "accept, accept-language, accept-encoding, cookie",
        "content-language": found.language,
        "cache-control": "no-cache",
    }
    if known is not None:
        head += known.block()
        headers["cache-control"] = "private, no-cache"
    if known is not None and known.secret:
        headers["cache-control"] = "private, no-store"
    else:
        headers["etag"] = tag = found.etag(head)
        if status == 200 and tag in call.headers.get("if-none-match", ""):
            return Response(b"", status_code=304, media_type=HTML, headers=headers)
    if _takes(call, "gzip"):
        headers["content-encoding"] = "gzip"
        body = found.gzipped(head)
    else:
        body = found.plain(head)
    return Response(body, status_code=status, media_type=HTML, headers=headers)


def _takes(call: Call, encoding: str) -> bool:
    """Whether whoever asks can read an encoding."""
    wanted = call.headers.get("accept-encoding", "").lower().replace(" ", "").split(",")
    parts = (part.partition(";q=") for part in wanted)
    return any(
        name == encoding and (not mark or weight.strip("0.")) for name, mark, weight in parts
    )


ROUTES = Router("/", route_handlers=[page, table_page, asset, house_preview, table_preview])
