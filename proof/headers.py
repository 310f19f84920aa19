"""The headers of responses: every route, every page, every refusal keeps browsers safe (row 36)."""

import asyncio
import json
import re
from pathlib import Path

import httpx

from proof.tries import Tries, page_of
from tests.service.live import SOON, Server, ask, finish, playing

DESCRIPTION = Path(__file__).parent.parent / "docs" / "openapi.json"


async def headers(tries: Tries) -> None:
    """Every response of every route carries the headers that keep browsers safe."""
    server = tries.server
    async with playing(server, 1) as (ana,):
        table = ana.table_id
        await finish([ana], tries.rng)
        routes = json.loads(DESCRIPTION.read_text())["paths"]
        filled = {"{table}": table, "{language}": "de"}
        paths = [(method.upper(), path) for path, methods in routes.items() for method in methods]
        pages = ["/", "/lobby", "/rules", f"/t/{table}", f"/t/{table}/replay", "/offline",
                 f"/t/{table}/replay/3", "/sw.js", "/offline.js", "/manifest.webmanifest",
                 "/robots.txt", "/favicon.ico", "/icon-512.png", "/preview.png", "/page.css",
                 f"/t/{table}/preview.png", f"/t/{table}/qr.svg", "/openapi.json",
                 "/nothing", "/api/nothing", "/t/nothing", "/assets/nothing.js",
                 "/feeds/nothing.atom"]  # fmt: skip
        paths += [("GET", page) for page in pages]
        found = await page_of(server, "/")
        assets = re.findall(r'"(/assets/[^"]+)"', found.text)
        paths += [("GET", asset) for asset in assets]
        paths += [("PUT", "/api/me"), ("OPTIONS", "/api/me"), ("POST", "/"), ("HEAD", "/")]
        for method, path in paths:
            for name, value in filled.items():
                path = path.replace(name, value)  # noqa: PLW2901 (filled in)
            if (method, path) == ("DELETE", "/api/me"):
                continue  # at the end
            body: dict[str, object] | None = {} if method in ("POST", "PATCH", "PUT") else None
            wanted = {"Accept": "text/html,*/*;q=0.8", **ana.headers}
            answer = await ask(server, method, path, body, wanted)
            _check_headers(tries, f"{method} {path}", answer.status_code, answer.headers)
            private = path.startswith(("/api/tables", "/api/me", "/api/guest"))
            kept = answer.headers.get("cache-control", "")
            tries.expect(not private or kept == "no-store", f"{method} {path} may be kept: {kept}")
        seated = await ask(server, "GET", f"/t/{table}", None, wanted)
        kept = seated.headers["cache-control"]
        tries.expect("no-store" in kept, f"a page with a seat may be kept: {kept}")
        for raw in (b"NONSENSE\r\n\r\n", UPGRADES.replace(b"13", b"12"), UPGRADES):
            said = httpx.Headers(await _raw_headers(server, raw))
            _check_headers(tries, repr(raw[:20]), 400, said)
        answer = await ana.rest("DELETE", "/api/me")
        _check_headers(tries, "DELETE /api/me", answer.status_code, answer.headers)


UPGRADES = (
    b"GET /ws HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n"
    b"Origin: http://elsewhere.example\r\n\r\n"
)


async def _raw_headers(server: Server, data: bytes) -> list[tuple[bytes, bytes]]:
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(data)
    head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), SOON)
    writer.transport.abort()
    lines = [line.partition(b":") for line in head.split(b"\r\n")[1:] if line]
    return [(name, value.strip()) for name, _, value in lines]


def _check_headers(tries: Tries, where: str, status: int, found: httpx.Headers) -> None:
    policy = found.get("content-security-policy", "")
    parts = {part.split()[0]: part.split()[1:] for part in policy.split(";") if part.strip()}
    strict = parts.get("default-src") == ["'none'"] and "unsafe-" not in policy
    framed = parts.get("frame-ancestors") == ["'none'"] and found.get("x-frame-options") == "DENY"
    own = all(
        source in ("'none'", "'self'", "data:") for sources in parts.values() for source in sources
    )
    tries.expect(strict and framed and own, f"{where} ({status}): the policy is {policy!r}")
    sniffed = found.get("x-content-type-options") == "nosniff"
    tries.expect(sniffed, f"{where} ({status}): browsers may guess what it is")
    tries.expect(found.get("referrer-policy") == "no-referrer", f"{where}: tells where one was")
    tries.expect(found.get("cache-control"), f"{where} ({status}): does not say who may keep it")
    tries.expect("server" not in found, f"{where}: tells which server it is")
