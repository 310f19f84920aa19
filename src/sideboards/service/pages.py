"""Pages for people and readers of feeds: where one is and how to join; what waits for oneself."""

from datetime import UTC, datetime
from html import escape
from io import BytesIO
from urllib.parse import urlsplit

import segno
from litestar import Response, Router, get
from litestar.params import FromPath

from sideboards.data import shipped
from sideboards.service.calls import Call, reception_of, unless_known
from sideboards.service.identity import is_table_id
from sideboards.service.listings import Listing, listings
from sideboards.service.plain import plain_page
from sideboards.service.refusals import ServiceRefusal
from sideboards.service.wire import hash_of
from sideboards.words import LANGUAGES, Words, words

HTML = "text/html"
SVG = "image/svg+xml"
ATOM = "application/atom+xml; charset=utf-8"
ENDING = ".atom"
LOOPBACK = ("127.0.0.1", "::1", "localhost")
NAMES = {"de": "Deutsch", "en": "English", "fr": "Français", "it": "Italiano", "pt": "Português"}
ROBOTS = b"User-agent: *\nDisallow: /api/\nDisallow: /feeds/\nDisallow: /metrics\n"
_ICON = '<link rel="icon" href="data:,">\n'
_LANDING = """<nav>{languages}</nav>
<main>
<h1>{title}</h1>
<p>{what}</p>
<p>{tables}</p>
<p>{join}</p>
<pre><code>sideboards play --server {server}</code></pre>
<p>{programs} <a href="/openapi.json">/openapi.json</a></p>
<p>{private}</p>
</main>
"""
_FEED = """<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="{language}">
<id>urn:sideboards:feed:{guest}</id>
<title>{title}</title>
<updated>{updated}</updated>
<author><name>Sideboards</name></author>
{entries}</feed>
"""
_ENTRY = """<entry>
<id>urn:sideboards:table:{table}:{round}</id>
<title>{title}</title>
<updated>{updated}</updated>
<link rel="alternate" href="{server}/t/{table}"/>
</entry>
"""


async def landing_page(request: Call, language: str, status: int = 200) -> Response[bytes]:
    """What people see where the browser client was not built: where they are, and how to join."""
    backstage = reception_of(request).backstage
    spoken = words(language)
    count = len(await backstage.house.store.lobby())
    title = spoken("page.title")
    body = _LANDING.format(
        title=escape(title),
        languages=" ".join(_switch(each, spoken.language) for each in LANGUAGES),
        what=escape(spoken("page.what")),
        tables=escape(spoken("page.tables", count=count)),
        join=escape(spoken("page.join")),
        server=escape(server_of(request)),
        programs=escape(spoken("page.programs")),
        private=escape(spoken("page.private")),
    )
    page = plain_page(spoken.language, title, _ICON, body)
    headers = {"vary": "accept-language", "content-language": spoken.language}
    return Response(page.encode(), status_code=status, media_type=HTML, headers=headers)


@get("/page.css", include_in_schema=False)
async def style() -> Response[bytes]:
    """How the page looks."""
    headers = {"cache-control": "public, max-age=3600"}
    return Response(shipped("page.css"), media_type="text/css", headers=headers)


@get("/robots.txt", include_in_schema=False)
async def robots() -> Response[bytes]:
    """What search engines should leave alone."""
    return Response(ROBOTS, media_type="text/plain")


@get("/feeds/{file:str}", include_in_schema=False)
async def feed(request: Call, file: FromPath[str]) -> Response[bytes]:
    """The tables that wait for the guest of a secret address, as an Atom feed."""
    backstage = reception_of(request).backstage
    if not file.endswith(ENDING):
        raise ServiceRefusal("not_found")
    guest = await backstage.identity.guest_of_feed(file.removesuffix(ENDING))
    listed = await backstage.house.store.tables_of(guest.id)
    found = await listings(backstage, listed, guest)
    waiting = [each for each in found if each.waits_for_you]
    spoken, server = words(guest.language), server_of(request)
    text = _FEED.format(
        language=spoken.language,
        guest=guest.id,
        title=escape(spoken("feed.title")),
        updated=_time(max((each.updated for each in found), default=0)),
        entries="".join(_entry(each, spoken, server) for each in waiting),
    )
    data = text.encode()
    return unless_known(request, data, hash_of(data), ATOM, "private, no-cache")


@get("/t/{table:str}/qr.svg", include_in_schema=False)
async def qr_code(request: Call, table: FromPath[str]) -> Response[bytes]:
    """The link of a table for the camera of a phone."""
    if not is_table_id(table):
        raise ServiceRefusal("not_found")
    drawn = BytesIO()
    code = segno.make_qr(f"{server_for_others(request)}/t/{table}", error="m")
    code.save(drawn, kind="svg", border=2, dark="#1c1410", light="#fff", omitsize=True)
    headers = {"cache-control": "private, max-age=3600"}
    return Response(drawn.getvalue(), media_type=SVG, headers=headers)


def _switch(language: str, present: str) -> str:
    """The link to the page in a language."""
    here = ' aria-current="true"' if language == present else ""
    return f'<a href="/?language={language}" lang="{language}"{here}>{NAMES[language]}</a>'


def server_of(call: Call) -> str:
    """The address of this server as whoever asks knows it, if it is one of its own."""
    origins = reception_of(call).backstage.origins
    host = call.headers.get("host", "").lower()
    for scheme in ("https", "http"):
        if f"{scheme}://{host}" in origins:
            return f"{scheme}://{host}"
    return min(origins, default="")


def server_for_others(call: Call) -> str:
    """The same for others in the room, to whom an address of this machine alone is no use."""
    here, room = server_of(call), reception_of(call).backstage.room
    return room if room is not None and urlsplit(here).hostname in LOOPBACK else here


def _entry(table: Listing, spoken: Words, server: str) -> str:
    others = [name for seat, name in enumerate(table.names) if name and seat != table.your_seat]
    bots = [spoken(f"bot.{bot}") for bot in table.settings.bots if bot]
    names = ", ".join([*others, *bots]) or spoken("term.solo")
    key = "feed.round" if table.round else "feed.start"
    return _ENTRY.format(
        table=table.table,
        round=table.round,
        title=escape(spoken(key, names=names, round=table.round)),
        updated=_time(table.updated),
        server=escape(server),
    )


def _time(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds // 1000, UTC).isoformat().replace("+00:00", "Z")


ROUTES = Router("/", route_handlers=[style, robots, feed, qr_code])
