"""What makes the browser client an app: manifest, icons, service worker, the offline page."""

import hashlib
import json
from collections.abc import Callable
from functools import lru_cache
from html import escape
from typing import Any

from litestar import Response, Router, get

from sideboards.core.edition import Edition
from sideboards.paper.draw import objectives, sprite
from sideboards.service.api_games import Spoken
from sideboards.service.calls import Call, language_of, reception_of
from sideboards.service.drawn import drawn
from sideboards.service.pages import HTML
from sideboards.service.pictures import favicon, icon_png, rounded_icon
from sideboards.service.plain import plain_page
from sideboards.service.refusals import ServiceRefusal
from sideboards.service.shell import STATIC
from sideboards.words import LANGUAGES, words

PNG = "image/png"
SCRIPT = "text/javascript"
DAY = {"cache-control": "public, max-age=86400"}
NO_CACHE = {"cache-control": "no-cache"}
PAPER = "#f5efe4"
ICONS: dict[str, Callable[[], bytes]] = {
    "/icon-180.png": lambda: icon_png(180, maskable=True),  # which rounds its corners itself
    "/icon-192.png": lambda: icon_png(192),
    "/icon-512.png": lambda: icon_png(512),
    "/icon-maskable.png": lambda: icon_png(512, maskable=True),
}
_HEAD = """<link rel="icon" href="/icon.svg" type="image/svg+xml">
<script type="module" src="/offline.js"></script>
"""
_PART = """<main lang="{language}"{hidden}>
<img class="sign" src="/icon.svg" width="96" height="96" alt="">
<h1>{title}</h1>
<p>{what}</p>
<p><a class="button" href="">{again}</a></p>
<p><a href="/rules">{rules}</a></p>
</main>
"""


@get("/manifest.webmanifest", include_in_schema=False)
async def manifest(request: Call, language: Spoken = None) -> Response[dict[str, Any]]:
    """How the client is installed."""
    spoken = words(language or language_of(request))
    name = spoken("term.game")
    sizes = ("192", "512")
    icons: list[dict[str, str]] = [
        {"src": "/icon.svg", "sizes": "any", "type": "image/svg+xml"},
        *({"src": f"/icon-{n}.png", "sizes": f"{n}x{n}", "type": PNG} for n in sizes),
        {"src": "/icon-maskable.png", "sizes": "512x512", "type": PNG, "purpose": "maskable"},
    ]
    content = {
        "id": "/",
        "name": name,
        "short_name": name,
        "description": spoken("page.about"),
        "lang": spoken.language,
        "start_url": "/",
        "scope": "/",
        "display": "standalone",
        "background_color": PAPER,
        "theme_color": PAPER,
        "categories": ["games"],
        "icons": icons,
    }
    headers = NO_CACHE | {"vary": "accept-language"}
    return Response(content, media_type="application/manifest+json", headers=headers)


@get("/icon.svg", include_in_schema=False)
async def icon() -> Response[str]:
    """The icon at any size."""
    return Response(rounded_icon(), media_type="image/svg+xml", headers=DAY)


@get(list(ICONS), include_in_schema=False)
async def picture(request: Call) -> Response[bytes]:
    """The icon as a picture of points."""
    found = await drawn(request.url.path, ICONS[request.url.path])
    return _picture(found, PNG)


@get("/favicon.ico", include_in_schema=False)
async def small_icon() -> Response[bytes]:
    """The icon for browsers that ask for it unasked."""
    return _picture(await drawn("/favicon.ico", favicon), "image/vnd.microsoft.icon")


@get("/offline", include_in_schema=False)
async def offline(request: Call, language: Spoken = None) -> Response[str]:
    """What is shown without a connection: in all languages, because nobody can be asked then."""
    spoken = words(language or language_of(request))
    parts = "".join(_part(each, spoken.language) for each in LANGUAGES)
    text = plain_page(spoken.language, spoken("page.offline"), _HEAD, parts)
    headers = NO_CACHE | {"vary": "accept-language", "content-language": spoken.language}
    return Response(text, media_type=HTML, headers=headers)


@get("/offline.js", include_in_schema=False)
async def offline_script() -> Response[bytes]:
    """What that page does."""
    return Response(_built("offline.js"), media_type=SCRIPT, headers=NO_CACHE)


@get("/sw.js", include_in_schema=False)
async def service_worker(request: Call) -> Response[bytes]:
    """The part of the client that stays with the browser, for this version of it."""
    edition = reception_of(request).backstage.house.edition
    filled = _filled(_built("sw.js").decode(), _built("index.html").decode(), edition)
    return Response(filled, media_type=SCRIPT, headers=NO_CACHE)


def _picture(found: bytes | None, kind: str) -> Response[bytes]:
    if found is None:  # a busy machine: the one that need not be drawn
        return Response(b"", status_code=302, headers=NO_CACHE | {"location": "/icon.svg"})
    return Response(found, media_type=kind, headers=DAY)


def _part(language: str, present: str) -> str:
    spoken = words(language)
    return _PART.format(
        language=language,
        hidden="" if language == present else " hidden",
        title=escape(spoken("page.offline")),
        what=escape(spoken("page.offline.what")),
        again=escape(spoken("page.offline.again")),
        rules=escape(spoken("page.offline.rules")),
    )


def _built(name: str) -> bytes:
    try:
        return (STATIC / name).read_bytes()
    except OSError:
        raise ServiceRefusal("not_found") from None


@lru_cache(maxsize=2)
def _filled(source: str, index: str, edition: Edition) -> bytes:
    """The service worker with what it keeps; its version changes with all that it keeps."""
    files = sorted((STATIC / "assets").iterdir())
    assets = [f"/assets/{file.name}" for file in files if file.suffix in (".js", ".css")]
    catalogues = [words(language).texts for language in LANGUAGES]
    mark = json.dumps(
        [source, index, assets, catalogues, edition.sha256, sprite(), objectives(edition)]
    )
    version = hashlib.sha256(mark.encode()).hexdigest()[:16]
    filled = source.replace("{{version}}", version).replace('["{{assets}}"]', json.dumps(assets))
    return filled.encode()


ROUTES = Router(
    "/",
    route_handlers=[
        manifest,
        icon,
        picture,
        small_icon,
        offline,
        offline_script,
        service_worker,
    ],
)
