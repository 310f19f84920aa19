"""The doorway of all requests over REST: limits, origins, headers, one second for every answer.

What comes through has a body of bounded size and an origin that may act; what goes out carries
the headers that keep browsers safe.
"""

import asyncio
import time
from collections.abc import Iterable, MutableMapping
from typing import Any

from litestar.types import ASGIApp, HTTPReceiveMessage, Message, Receive, Send

from sideboards.service import logs
from sideboards.service.backstage import Backstage
from sideboards.service.calls import COOKIE, RETRY_AFTER, bearer, learn_language
from sideboards.service.desk import caller, own_origin
from sideboards.service.headers import HEADERS, wanted_language
from sideboards.service.limits import HANDSHAKE, Limit, Rate, household
from sideboards.service.metrics import UNKNOWN
from sideboards.service.protocol import MAX_MESSAGE, Refused
from sideboards.service.refusals import ServiceRefusal, status
from sideboards.service.wire import encode

ANSWER_WITHIN = 0.85
"""Seconds after which somebody is told that it takes longer."""
DRAINED = 256 * 1024
"""So many bytes too many are read, so that their sender comes to read the answer."""
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
BUSY = frozenset({"too_many_requests", "too_slow", "stopping"})
"""Refusals for which the database is not asked in which language they are to be told."""
ALWAYS_OPEN = frozenset({"/health"})
_HEADERS = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
_NO_STORE = (b"cache-control", b"no-store")


class Doorway:
    """Lets requests in and answers out."""

    def __init__(self, app: ASGIApp, backstage: Backstage) -> None:
        self._app = app
        self._backstage = backstage
        self._log = logs.RequestLog()
        self._calls = Limit(Rate(backstage.calls_per_minute, 60))
        self._late: set[asyncio.Future[None]] = set()
        self.methods: dict[str, str] = {}
        """By route, the methods that it takes."""

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Handle one request."""
        begun = time.monotonic()
        address = _address(scope, self._backstage.proxies)
        inner = {**scope, "state": {"address": address}}
        answer = _Answer(send, inner, self.methods)
        if scope["method"] == "HEAD":
            inner["method"] = "GET"  # uvicorn knows that no body is to be sent
        try:
            self._check(inner, address)
            _check_size(inner)
            body = await _body(receive)
            if body is None:
                return  # nobody waits for an answer any more
            await self._within_time(inner, _Told(body, receive), answer)
        except ServiceRefusal as refusal:
            self._backstage.metrics.refused(refusal.code)
            if refusal.code not in BUSY:
                await learn_language(inner, self._backstage.identity)
            await answer.refuse(refusal, _language(inner))
        finally:
            route = inner.get("path_template") or UNKNOWN
            self._backstage.metrics.requested(scope["method"], route, answer.status)
            seconds = time.monotonic() - begun
            self._log.write(address, scope["method"], route, answer.status, seconds)

    def _check(self, scope: MutableMapping[str, Any], address: str) -> None:
        """Refuse who asks too often, who may not act from there, and all while stopping."""
        if scope["path"] in ALWAYS_OPEN:
            return
        if not self._calls.allow(address):
            raise ServiceRefusal("too_many_requests")
        if scope["method"] in SAFE:
            return
        if self._backstage.desk.stopping:
            raise ServiceRefusal("stopping")
        headers = dict(scope["headers"])
        if bearer(headers.get(b"authorization", b"").decode("latin-1")) is not None:
            return  # no browser adds that by itself
        origin = headers.get(b"origin")
        if origin is None and f"{COOKIE}=".encode() not in headers.get(b"cookie", b""):
            return
        allowed = (*self._backstage.origins, own_origin(scope.get("server")))
        if origin is None or origin.decode("latin-1") not in allowed:
            raise ServiceRefusal("foreign_origin")

    async def _within_time(
        self, scope: MutableMapping[str, Any], receive: Receive, answer: "_Answer"
    ) -> None:
        """Let the routes answer; whatever takes longer goes on, but nobody waits for it."""
        work = self._app(scope, receive, answer.send)  # type: ignore[arg-type]
        task = asyncio.ensure_future(work)
        done, _ = await asyncio.wait({task}, timeout=ANSWER_WITHIN)
        if not done and answer.status:
            await asyncio.wait({task})  # the answer is on its way
        elif not done:
            self._late.add(task)
            task.add_done_callback(self._ended_late)
            raise ServiceRefusal("too_slow")
        if (error := task.exception()) is not None:
            logs.failure_log(error)
            raise ServiceRefusal("internal")

    def _ended_late(self, task: "asyncio.Future[None]") -> None:
        self._late.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            logs.failure_log(error)


class _Answer:
    """A response on its way out; only the first one counts."""

    def __init__(
        self, send: Send, scope: MutableMapping[str, Any], methods: dict[str, str]
    ) -> None:
        self._send = send
        self._scope = scope
        self._methods = methods
        self._over = False
        self.status = 0

    async def send(self, message: Message) -> None:
        """Send a part of the response that the routes make."""
        if self._over:
            return
        if message["type"] == "http.response.start":
            self.status = message["status"]
            methods = self._methods.get(self._scope.get("path_template", ""))
            message["headers"] = _guarded(message["headers"], methods)
        await self._send(message)

    async def refuse(self, refusal: ServiceRefusal, language: str) -> None:
        """Answer with a refusal, if nothing was answered yet."""
        if self.status:
            return
        self._over = True
        self.status = status(refusal.code)
        body = encode(Refused(code=refusal.code, key=None, sentence=refusal.sentence(language)))
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
        ]
        if refusal.code == "too_many_requests":
            headers.append((b"retry-after", RETRY_AFTER.encode()))
        if refusal.code == "too_large":
            headers.append((b"connection", b"close"))
        guarded = _guarded(headers, None)
        await self._send({"type": "http.response.start", "status": self.status, "headers": guarded})
        await self._send({"type": "http.response.body", "body": body, "more_body": False})


class _Told:
    """Tells the routes a body that was read already."""

    def __init__(self, body: bytes, receive: Receive) -> None:
        self._body: bytes | None = body
        self._receive = receive

    async def __call__(self) -> HTTPReceiveMessage:
        """The body, then what comes after it."""
        if self._body is not None:
            body, self._body = self._body, None
            return {"type": "http.request", "body": body, "more_body": False}
        return await self._receive()  # type: ignore[return-value]


def _check_size(scope: MutableMapping[str, Any]) -> None:
    """Refuse what says that it is far too large before it comes, if it ever does."""
    said = dict(scope["headers"]).get(b"content-length", b"0")
    if len(said) > len(str(MAX_MESSAGE + DRAINED)) or int(said) > MAX_MESSAGE + DRAINED:
        raise ServiceRefusal("too_large")


async def _body(receive: Receive) -> bytes | None:
    """The body of a request, None if its sender is gone; raises too_large or bad_message."""
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(HANDSHAKE):
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    return None
                size += len(message["body"])
                if size <= MAX_MESSAGE:
                    parts.append(message["body"])
                if not message["more_body"] or size > MAX_MESSAGE + DRAINED:
                    break
    except TimeoutError:
        raise ServiceRefusal("bad_message") from None
    if size > MAX_MESSAGE:
        raise ServiceRefusal("too_large")
    return b"".join(parts)


def _guarded(
    headers: Iterable[tuple[bytes, bytes]], methods: str | None
) -> list[tuple[bytes, bytes]]:
    """Headers with those that every response carries, unless a route says otherwise."""
    headers = list(headers)
    names = {name.lower() for name, _ in headers}
    guarded = [
        (name, _allowed(methods or value.decode()) if name.lower() == b"allow" else value)
        for name, value in headers
    ]
    usual = [header for header in (*_HEADERS, _NO_STORE) if header[0] not in names]
    return [*guarded, *usual]


def _allowed(methods: str) -> bytes:
    """The methods of a route; whatever can be got can also be asked for its head."""
    names = set(methods.split(", "))
    return ", ".join(sorted(names | ({"HEAD"} if "GET" in names else set()))).encode()


def _address(scope: MutableMapping[str, Any], proxies: tuple[str, ...]) -> str:
    """The key under which limits count whoever asks."""
    peer = scope["client"][0] if scope.get("client") else ""
    forwarded = dict(scope["headers"]).get(b"x-forwarded-for")
    return household(caller(peer, forwarded and forwarded.decode("latin-1"), proxies))


def _language(scope: MutableMapping[str, Any]) -> str:
    header = dict(scope["headers"]).get(b"accept-language", b"")
    known: str = scope["state"].get("language", "en")
    return wanted_language(header.decode("latin-1")) or known
