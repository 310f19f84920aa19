"""HTTP connections that may not dawdle: uvicorn's, with a limit on time and size of a request."""

import asyncio
import re
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from sideboards.service.headers import HEADERS, wanted_language
from sideboards.service.limits import HANDSHAKE
from sideboards.service.protocol import Refused
from sideboards.service.refusals import ServiceRefusal
from sideboards.service.wire import encode

MOST_HEADER_BYTES = 16 * 1024
MOST_BYTES = 2 * 1024 * 1024
UNREAD_FOR = 20.0
"""Seconds that somebody may read nothing of an answer, or of its end."""
KEY = re.compile(rb"[A-Za-z0-9+/]{22}==")
"""16 bytes in base64."""


class PatientHttp(HttpToolsProtocol):
    """A connection that is closed when a request takes longer than 10 seconds to arrive."""

    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401 (uvicorn's own)
        super().__init__(*arguments, **options)
        self._alarm: asyncio.TimerHandle | None = None
        self._end: asyncio.TimerHandle | None = None
        self._size = 0
        self._in_header = True

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start to wait for the first request."""
        super().connection_made(transport)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._rest()
        self._read()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take a piece of a request."""
        if self._alarm is None:
            self._wait()
        self._size += len(data)
        super().data_received(data)  # which finds out where the head ends
        if self._size > (MOST_HEADER_BYTES if self._in_header else MOST_BYTES):
            self.transport.close()

    def on_headers_complete(self) -> None:
        """The head of a request is complete."""
        self._in_header = False
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """A request is complete."""
        self._rest()
        self._size, self._in_header = 0, True
        super().on_message_complete()

    def pause_writing(self) -> None:
        """The other side does not read; if that goes on, what it has not read is thrown away."""
        super().pause_writing()  # type: ignore[no-untyped-call,unused-ignore] # uvicorn's own
        self._end_soon()

    def resume_writing(self) -> None:
        """It reads again."""
        super().resume_writing()  # type: ignore[no-untyped-call,unused-ignore] # uvicorn's own
        self._read()

    def timeout_keep_alive_handler(self) -> None:
        """Nothing more was asked for: closed, also when the other side reads nothing."""
        super().timeout_keep_alive_handler()
        self._end_soon()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 (which is uvicorn's)
        """Refuse what is not HTTP like everything else."""
        self._refuse("en")

    def handle_websocket_upgrade(self) -> None:
        """The connection becomes a socket, which has limits of its own."""
        self._rest()
        if is_upgrade(self.scope["method"], dict(self.scope["headers"])):
            super().handle_websocket_upgrade()
            # Nobody tells this object of the connection's end, and its parser refers back to it.
            self.parser = None  # type: ignore[assignment] # as uvicorn does at that end
        else:  # picows fails on some of it, and its refusals lack our headers
            header = dict(self.scope["headers"]).get(b"accept-language", b"")
            self._refuse(wanted_language(header.decode("latin-1")) or "en")

    def _refuse(self, language: str) -> None:
        self.transport.write(refusal(language))
        self.transport.close()

    def _wait(self) -> None:
        self._rest()
        self._alarm = asyncio.get_running_loop().call_later(HANDSHAKE, self._too_slow)

    def _rest(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def _too_slow(self) -> None:
        if not self.transport.is_closing():
            self.transport.close()
            self._end_soon()

    def _end_soon(self) -> None:
        self._read()
        self._end = asyncio.get_running_loop().call_later(UNREAD_FOR, self.transport.abort)

    def _read(self) -> None:
        if self._end is not None:
            self._end.cancel()
            self._end = None


def refusal(language: str) -> bytes:
    """The answer to what is not HTTP, or asks for a socket as nobody may."""
    sentence = ServiceRefusal("bad_message").sentence(language)
    body = encode(Refused(code="bad_message", key=None, sentence=sentence))
    return b"\r\n".join(
        [
            b"HTTP/1.1 400 Bad Request",
            b"content-type: application/json",
            b"content-length: %d" % len(body),
            b"cache-control: no-store",
            b"connection: close",
            *(f"{name}: {value}".encode() for name, value in HEADERS.items()),
            b"",
            body,
        ]
    )


def is_upgrade(method: str, headers: dict[bytes, bytes]) -> bool:
    """Whether a request asks for a socket as RFC 6455 has it.

    >>> key = b"dGhlIHNhbXBsZSBub25jZQ=="
    >>> is_upgrade("GET", {b"sec-websocket-version": b"13", b"sec-websocket-key": key})
    True
    """
    version = headers.get(b"sec-websocket-version")
    key = headers.get(b"sec-websocket-key", b"")
    return method == "GET" and version == b"13" and KEY.fullmatch(key) is not None
