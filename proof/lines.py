"""Connections as bytes: whatever a server sends is kept as it came, for comparing."""

import asyncio
import json
import struct
import time

SOON = 30.0
IDLE = 2.0
"""Seconds after which a connection is not used again: the server closes it after five."""
HOST = "sideboards.test"
"""The name by which both worlds are called; it is a further origin of theirs."""
STOPPED = 1_800_000_000_000
"""When the clock of both worlds stands still: milliseconds since 1970."""
_TEXT, _CLOSE = 1, 8
_KEY = "dHdpbiB3b3JsZHMgbGluZQ=="


class Disturbed(Exception):
    """An answer that tells how busy the machine is, and nothing else."""


class Line(asyncio.Protocol):
    """A WebSocket that keeps every byte it gets."""

    def __init__(self) -> None:
        self.raw = bytearray()
        """All that came, the handshake included."""
        self.frames: list[bytes] = []
        """The texts in it."""
        self.closed = False
        self._read = 0
        self._transport: asyncio.Transport | None = None
        self._news = asyncio.Event()

    @classmethod
    async def connect(cls, port: int, **hello: object) -> "Line":
        """An open line that has said hello; `table` was heard."""
        loop = asyncio.get_running_loop()
        _, line = await loop.create_connection(cls, "127.0.0.1", port)
        line._send(
            f"GET /ws HTTP/1.1\r\nHost: {HOST}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {_KEY}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        async with asyncio.timeout(SOON):
            while not line._read and not line.closed:
                line._news.clear()
                await line._news.wait()
        line.say(type="hello", protocol=1, **hello)
        await line.until(b'{"type":"table"')
        return line

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The connection is there."""
        if isinstance(transport, asyncio.Transport):
            self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Bytes have come."""
        self.raw += data
        if self._read == 0:
            self._read = self.raw.find(b"\r\n\r\n") + 4
            if self._read < 4:
                self._read = 0
                return
        while self._frame():
            pass
        self._news.set()

    def connection_lost(self, _error: Exception | None) -> None:
        """The connection has ended."""
        self.closed = True
        self._news.set()

    def _frame(self) -> bool:
        """Take the next frame, if it is there as a whole."""
        raw, start = self.raw, self._read
        if len(raw) < start + 4:
            return False
        size, start = raw[start + 1], start + 2
        if size >= 126:
            digits = 2 if size == 126 else 8
            size, start = int.from_bytes(raw[start : start + digits]), start + digits
        if len(raw) < start + size:
            return False
        text = bytes(raw[start : start + size])
        if raw[self._read] & 15 == _TEXT:
            self.frames.append(text)
        elif raw[self._read] & 15 == _CLOSE:
            self.closed = True
        self._read = start + size
        return True

    def say(self, **message: object) -> None:
        """Send a message."""
        text = json.dumps(message).encode()
        head = bytes([128 | _TEXT])
        if len(text) < 126:
            head += bytes([128 | len(text)])
        else:
            head += bytes([128 | 126]) + struct.pack("!H", len(text))
        self._send(head + b"\0\0\0\0" + text)

    def _send(self, data: bytes) -> None:
        if self._transport is not None:
            self._transport.write(data)

    async def until(self, begin: bytes, since: int = 0) -> bytes:
        """The first message from `since` on that begins with or, for a key, holds some bytes."""
        async with asyncio.timeout(SOON):
            while True:
                for frame in self.frames[since:]:
                    if frame.startswith(b'{"type":"pending"'):
                        raise Disturbed
                    if begin in frame[:600]:
                        return frame
                since = len(self.frames)
                if self.closed:
                    raise ConnectionResetError(f"closed before {begin!r} came")
                self._news.clear()
                await self._news.wait()

    async def act(self, action: str, key: str) -> bytes:
        """The answer to an action."""
        since = len(self.frames)
        self.say(type="act", key=key, action=action)
        return await self.until(f'"key":"{key}"'.encode(), since)

    async def settled(self) -> bytes:
        """All bytes so far, when everything has come that was sent before now."""
        since = len(self.frames)
        self.say(type="ping")
        await self.until(b'{"type":"pong"', since)
        return bytes(self.raw)

    def cut(self) -> None:
        """End the connection."""
        self.closed = True
        if self._transport is not None:
            self._transport.abort()


class Talk:
    """An HTTP connection whose answers are bytes, heads included, but for the `Date` header."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._used = 0.0
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(
        self, method: str, path: str, token: str = "", body: object = None, *more: str
    ) -> bytes:
        """The whole answer to a request."""
        idle, self._used = time.monotonic() - self._used, time.monotonic()
        if self._streams is None or idle > IDLE:
            self.cut()
            self._streams = await asyncio.open_connection("127.0.0.1", self._port, limit=2**20)
        reader, writer = self._streams
        lines = [f"{method} {path} HTTP/1.1", f"Host: {HOST}", *more]
        if token:
            lines.append(f"Authorization: Bearer {token}")
        data = b""
        if body is not None or method == "POST":
            data = b"" if body is None else json.dumps(body).encode()
            lines += ["Content-Type: application/json", f"Content-Length: {len(data)}"]
        writer.write("\r\n".join([*lines, "", ""]).encode() + data)
        async with asyncio.timeout(SOON):
            head = await reader.readuntil(b"\r\n\r\n")
            names = head.lower().split(b"\r\n")
            size = next((int(n[15:]) for n in names if n.startswith(b"content-length:")), 0)
            content = await reader.readexactly(size)
        if b'"code":"too_slow"' in content[:80] or head.startswith(b"HTTP/1.1 202"):
            raise Disturbed
        kept = [n for n in head.split(b"\r\n") if not n.lower().startswith(b"date:")]
        return b"\r\n".join(kept) + content

    def cut(self) -> None:
        """End the connection."""
        if self._streams is not None:
            self._streams[1].transport.abort()


def content(answer: bytes) -> bytes:
    """The body of an answer."""
    return answer.partition(b"\r\n\r\n")[2]


def first_difference(one: bytes, other: bytes) -> int:
    """The place at which two are no longer equal."""
    for place, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return place
    return min(len(one), len(other))
