"""A line to the server: one WebSocket at a time, which comes back by itself.

No task waits on a line: frames arrive by call, time is looked after by the loop's one ticker, and
only while a connection is being made is there a task for it.
"""

import asyncio
import random
from typing import Protocol

import msgspec
from picows import (
    WSError,
    WSFrame,
    WSHandshakeError,
    WSListener,
    WSMsgType,
    WSTransport,
    ws_connect,
)

from sideboards.client.refusal import ServerRefusal
from sideboards.client.ticker import ticker
from sideboards.client.views import encode
from sideboards.service.protocol import MAX_QUEUE, Ping

PING_EVERY = 2.5
DEAD_AFTER = 9.0
RETRY = 0.5
LONGEST_RETRY = 5.0
EXPECTED = 8
"""Tries after a planned restart in which the server is expected back any moment."""
CONNECT_WITHIN = 10.0
"""Seconds, all of them."""
LOST = 1006
RESTART = 1012
NEWER_TAB = 4001
NOT_YOUR_SEAT = 4003
FINAL = frozenset(
    {"wrong_protocol", "unknown_table", "no_spectators", "not_your_seat", "newer_tab"}
)
"""Refusals after which coming back would change nothing."""
_READ_BUFFER = 4096
_TEXT = WSMsgType.TEXT
_PING = encode(Ping())
_ACTIVE_PING = encode(Ping(active=True))


def retry_after(failures: int) -> float:
    """Seconds to wait before the next try: doubled each time up to 5, with full jitter.

    While a planned restart is expected to end, `failures` is negative: about half a second.
    """
    if failures < 0:
        return RETRY if failures == -EXPECTED else RETRY * random.uniform(0.5, 1.5)
    return random.uniform(0, min(LONGEST_RETRY, RETRY * 2**failures))


class Caller(Protocol):
    """Whoever uses a line."""

    def greeting(self) -> bytes:
        """The first message on every new connection."""

    def take(self, data: bytes) -> None:
        """A message arrived."""

    def lost(self, code: int) -> None:
        """The connection ended and will be made again."""

    def stop(self, refusal: ServerRefusal) -> None:
        """The connection ended and will not come back."""

    def beat(self, now: float) -> None:
        """A quarter of a second passed on a living line."""


class _Listener(WSListener):
    """Hands what arrives to its line, as long as that is its line."""

    def __init__(self, line: "Line") -> None:
        self.line: Line | None = line

    def on_ws_connected(self, transport: WSTransport) -> None:
        """The handshake is done."""
        if self.line is None:
            transport.disconnect(False)  # noqa: FBT003 (picows takes it by position)
        else:
            self.line.up(self, transport)

    def on_ws_frame(self, transport: WSTransport, frame: WSFrame) -> None:
        """A frame arrived."""
        line = self.line
        if line is None:
            return
        kind = frame.msg_type
        if kind == _TEXT and frame.fin:
            line.hear(frame.get_payload_as_bytes())
        elif kind in (_TEXT, WSMsgType.CONTINUATION):
            line.hear_part(frame.get_payload_as_bytes(), last=frame.fin)
        elif kind == WSMsgType.CLOSE:
            payload = frame.get_payload_as_bytes()
            transport.send_close(frame.get_close_code())
            transport.disconnect()
            line.down(int.from_bytes(payload[:2], "big") or LOST)

    def on_ws_disconnected(self, transport: WSTransport) -> None:  # noqa: ARG002
        """The socket is closed, for whatever reason."""
        if self.line is not None:
            self.line.down(LOST)


class Line:
    """The connection of one seat or spectator."""

    __slots__ = (
        "_caller",
        "_connecting",
        "_failures",
        "_listener",
        "_next_ping",
        "_parts",
        "_retry",
        "_said",
        "_transport",
        "_url",
        "active",
        "heard",
    )

    def __init__(self, url: str, caller: Caller) -> None:
        self._url = url
        self._caller = caller
        self._transport: WSTransport | None = None
        self._listener: _Listener | None = None
        self._connecting: asyncio.Task[None] | None = None
        self._retry: asyncio.TimerHandle | None = None
        self._failures = 0
        self._parts: list[bytes] = []
        self._next_ping = 0.0
        self._said: ServerRefusal | None = None
        self.heard = 0.0
        """When the last frame arrived."""
        self.active = False
        """Whether the person did something since the last ping."""

    # ---- what callers do ---------------------------------------------------------------------

    def open(self) -> None:
        """Begin to connect, and to come back when the connection is lost."""
        self._retry = None
        self._connecting = asyncio.get_running_loop().create_task(self._connect())

    def send(self, message: bytes) -> None:
        """Send a message if there is a connection; the caller sends again what matters."""
        if self._transport is not None:
            self._transport.send(_TEXT, message)

    def settle(self) -> None:
        """The server has let us in: the next loss is a first failure again."""
        self._failures = 0

    def expect_end(self, refusal: ServerRefusal) -> None:
        """The server said why it is about to close."""
        self._said = refusal

    def close(self) -> None:
        """End the connection for good."""
        self._stop()
        transport = self._drop()
        if transport is not None:
            transport.send_close()
            transport.disconnect()

    def cut(self) -> None:
        """Give this connection up and make another."""
        transport = self._transport
        self.down(LOST)
        if transport is not None:
            transport.disconnect(False)  # noqa: FBT003 (by position)

    def tick(self, now: float) -> None:
        """Ping, or find out that the connection is dead; called by the ticker."""
        if self._transport is None:
            return
        if now - self.heard > DEAD_AFTER:
            self.cut()
            return
        if now >= self._next_ping:
            self._next_ping = now + PING_EVERY
            self._transport.send(_TEXT, _ACTIVE_PING if self.active else _PING)
            self.active = False
        self._caller.beat(now)

    # ---- what the listener calls -------------------------------------------------------------

    def up(self, listener: _Listener, transport: WSTransport) -> None:
        """There is a connection: say hello."""
        now = asyncio.get_running_loop().time()
        self._listener, self._transport, self._said = listener, transport, None
        self._parts = []
        self.heard = now
        self._next_ping = now + PING_EVERY * random.uniform(0.5, 1)
        ticker().add(self)
        transport.send(_TEXT, self._caller.greeting())

    def hear(self, data: bytes) -> None:
        """A whole message arrived."""
        self.heard = asyncio.get_running_loop().time()
        try:
            self._caller.take(data)
        except msgspec.DecodeError:  # not a message of ours: begin anew
            self.cut()

    def hear_part(self, data: bytes, *, last: bool) -> None:
        """A piece of a message arrived."""
        self._parts.append(data)
        if sum(map(len, self._parts)) > MAX_QUEUE:
            self.cut()
        elif last:
            whole, self._parts = b"".join(self._parts), []
            self.hear(whole)

    def down(self, code: int) -> None:
        """The connection ended: come back, or say why not."""
        if self._drop() is None:
            return
        said = self._said
        if code in (NEWER_TAB, NOT_YOUR_SEAT) or (said is not None and said.code in FINAL):
            self._end(said or ServerRefusal(*_CLOSED.get(code, ("closed", f"closed: {code}"))))
            return
        self._caller.lost(code)
        if code == RESTART:
            self._failures = -EXPECTED
        self._come_back()

    # ---- coming back -------------------------------------------------------------------------

    def _drop(self) -> WSTransport | None:
        transport, self._transport = self._transport, None
        if self._listener is not None:
            self._listener.line = None
            self._listener = None
        ticker().remove(self)
        return transport

    def _stop(self) -> None:
        if self._retry is not None:
            self._retry.cancel()
            self._retry = None
        if self._connecting is not None:
            self._connecting.cancel()
            self._connecting = None

    def _end(self, refusal: ServerRefusal) -> None:
        self._stop()
        self._caller.stop(refusal)

    def _come_back(self) -> None:
        wait = retry_after(self._failures)
        self._failures += 1
        self._retry = asyncio.get_running_loop().call_later(wait, self.open)

    async def _connect(self) -> None:
        listener = _Listener(self)
        try:
            async with asyncio.timeout(CONNECT_WITHIN):
                await ws_connect(
                    lambda: listener,
                    self._url,
                    max_frame_size=MAX_QUEUE,
                    read_buffer_init_size=_READ_BUFFER,
                    max_redirects=0,
                    logger_name="sideboards",
                )
            if self._is_new(listener):  # picows is silent about a loss in mid-handshake
                raise WSError("lost in mid-handshake")
        except (OSError, WSError, TimeoutError) as error:
            if self._is_new(listener):  # else the loss was, or will be, told by the listener
                listener.line = None
                self._failed(error)
        except asyncio.CancelledError:
            listener.line = None
            raise
        finally:
            if self._connecting is asyncio.current_task():
                self._connecting = None

    def _is_new(self, listener: _Listener) -> bool:
        """Whether a listener has never had a connection."""
        return listener.line is self and self._listener is not listener

    def _failed(self, error: Exception) -> None:
        refusal = _refused_upgrade(error) if isinstance(error, WSHandshakeError) else None
        if refusal is None:
            self._come_back()
        else:
            self._end(refusal)


_CLOSED = {
    NEWER_TAB: ("newer_tab", "This seat is now played over another connection."),
    NOT_YOUR_SEAT: ("not_your_seat", "This is not your seat."),
}


def _refused_upgrade(error: WSHandshakeError) -> ServerRefusal | None:
    """Why the server will never let us in; None if it may do so later."""
    status = error.response.status if error.response is not None else None
    if status is None or status in (429, 500, 502, 503, 504):
        return None
    code, sentence = f"status_{int(status)}", f"the server answered {int(status)}"
    try:
        said = msgspec.json.decode(error.raw_body or b"", type=dict[str, str])
    except msgspec.DecodeError:
        said = {}
    return ServerRefusal(said.get("code", code), said.get("sentence", sentence))
