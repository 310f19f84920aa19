"""The browser client as the server gives it out: built files, and the page with all it needs."""

import json
from functools import cache
from importlib.resources import files
from typing import Any

from litestar import Response, Router, get
from litestar.params import FromPath

from sideboards.core.edition import Edition
from sideboards.core.objective import Objective, Pattern, forms
from sideboards.core.scoring import ROW_POINTS
from sideboards.service.api_games import Spoken
from sideboards.service.calls import Call, language_of, reception_of
from sideboards.service.pages import HTML, landing_page
from sideboards.service.refusals import ServiceRefusal
from sideboards.service.thinking import LADDER
from sideboards.words import words

STATIC = files("sideboards.service") / "static"
FOREVER = {"cache-control": "public, max-age=31536000, immutable"}
KINDS = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
PAGES = [
    "/",
    "/lobby",
    "/rules",
    "/t/{table:str}",
    "/t/{table:str}/replay",
    "/t/{table:str}/replay/{number:str}",
]
ENCODINGS = (("br", ".br"), ("gzip", ".gz"))


@get(PAGES, include_in_schema=False)
async def page(request: Call, language: Spoken = None) -> Response[str]:
    """The page of the browser client, whichever part of it is asked for."""
    built = STATIC / "index.html"
    spoken = language or language_of(request)
    if not built.is_file():
        return await landing_page(request, spoken)
    text = built.read_text().replace('<html lang="en">', f'<html lang="{spoken}">')
    text = text.replace("<!--data-->", _data(request, spoken))
    headers = {"vary": "accept-language", "content-language": spoken, "cache-control": "no-cache"}
    return Response(text, media_type=HTML, headers=headers)


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
        if encoding in request.headers.get("accept-encoding", "") and packed.is_file():
            headers |= {"content-encoding": encoding}
            path = packed
            break
    return Response(path.read_bytes(), media_type=kind, headers=headers)


def _data(call: Call, language: str) -> str:
    """What the program needs before its first picture, as a block that is not executed."""
    house = reception_of(call).backstage.house
    offered = house.thinkers.offered()
    data = _material(house.edition) | {
        "language": language,
        "words": words(language).texts,
        "bots": [{"name": name, "offered": name in offered} for name in LADDER],
        "practice": "",
    }
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return f'<script type="application/json" id="boot">{text}</script>'


@cache
def _material(edition: Edition) -> dict[str, Any]:
    return {
        "edition": edition.sha256,
        "cards": [str(edition.card(number)) for number in range(1, 61)],
        "objectives": [*map(_objective, edition.patterns), *map(_objective, edition.rows)],
        "suggestions": edition.suggestions,
    }


def _objective(objective: Objective) -> dict[str, Any]:
    if isinstance(objective, Pattern):
        return {
            "number": objective.number,
            "kind": objective.kind,
            "of": objective.kind,
            "points": objective.points,
            "name": objective.name or None,
            "forms": forms(objective.cells, objective.turns),
            "runs": None,
            "only": None,
            "rows": [],
        }
    return {
        "number": objective.number,
        "kind": "row",
        "of": objective.of,
        "points": ROW_POINTS,
        "name": None,
        "forms": [],
        "runs": objective.runs,
        "only": objective.only,
        "rows": objective.rows,
    }


ROUTES = Router("/", route_handlers=[page, asset])
