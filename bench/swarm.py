"""Thousands of sockets in one process, which ask at a given rate or as fast as they can."""

import asyncio
import gc
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import Random

from picows import WSFrame, WSListener, WSMsgType, WSTransport, ws_connect

PING_EVERY = 2.5
PING_TICK = 0.005
TICK = 0.001
CONNECTING = 64
"""How many connections are made at the same time."""
PATIENCE = 60.0
"""Seconds after which a measurement is given up."""
MOST_KEPT = 100
"""Messages after which they are read although somebody waits for an answer."""
PING = b'{"type":"ping","active":false}'
_TEXT = WSMsgType.TEXT


class Stuck(Exception):
    """What should have been measured did not happen."""


@dataclass(frozen=True, slots=True)
class Slice:
    """What happened while some sockets were busy."""

    answered: int
    seconds: float
    waits: list[float]
    """Seconds from each request to its answer."""
    rounds: list[float]
    """Seconds from the last choice of a round until all at the table see the next round."""
    busy: float
    """Share of a core that this process used for it."""

    @property
    def rate(self) -> float:
        """Answers per second."""
        return self.answered / self.seconds


class Socket(WSListener):
    """One connection."""

    def __init__(self, crowd: "Crowd") -> None:
        self.crowd = crowd
        self.transport: WSTransport | None = None
        self.sent = 0.0
        self.asking = False

    def on_ws_connected(self, transport: WSTransport) -> None:
        """The handshake is done."""
        self.transport = transport

    def on_ws_disconnected(self, transport: WSTransport) -> None:  # noqa: ARG002
        """The socket is closed."""
        if self.transport is not None:
            self.crowd.fail("a socket was closed by the server")
        self.transport = None

    def on_ws_frame(self, transport: WSTransport, frame: WSFrame) -> None:  # noqa: ARG002
        """A frame arrived."""
        if frame.msg_type == _TEXT:
            self.crowd.bytes += frame.payload_size
            self.hear(frame)
        elif frame.msg_type == WSMsgType.CLOSE:
            self.crowd.fail(f"closed: {frame.get_close_code()} {frame.get_close_message()!r}")

    def hear(self, frame: WSFrame) -> None:
        """Take a message."""
        raise NotImplementedError

    def read(self, at: float, data: bytes) -> None:
        """Read a message that was kept when it came, at that time."""
        raise NotImplementedError

    def request(self) -> bytes:
        """What it asks for next."""
        raise NotImplementedError

    def ask(self) -> None:
        """Send the next request."""
        message = self.request()
        self.asking = True
        self.sent = time.perf_counter()
        self.send(message)

    def send(self, message: bytes) -> None:
        """Send a message, if there is a connection."""
        if self.transport is not None:
            self.transport.send(_TEXT, message)

    def close(self) -> None:
        """End the connection."""
        transport, self.transport = self.transport, None
        if transport is not None:
            transport.disconnect(False)  # noqa: FBT003 (picows takes it by position)


class Crowd:
    """Sockets to one server, and who of them may ask next."""

    def __init__(self, url: str, seed: int = 2024) -> None:
        self.url = url
        self.rng = Random(seed)
        self.sockets: list[Socket] = []
        self.ready: list[Socket] = []
        self.joined = 0
        self.over = 0
        self.answered = 0
        self.bytes = 0
        self.waits: list[float] = []
        self.rounds: list[float] = []
        self.silent = False
        """Whether no pings are sent, because another crowd is being measured."""
        self._kept: list[tuple[Socket, float, bytes]] = []
        """Messages that came and are not yet read."""
        self._left: int | None = 0
        """How many requests may still be sent; None: any number."""
        self._fast = False
        self._failure = ""
        self._pings: asyncio.Task[None] | None = None

    async def connect(self, sockets: Iterable[Socket]) -> None:
        """Open all of them, and wait until each has been let in."""
        opening = iter(sockets)

        async def some() -> None:
            for socket in opening:
                self.sockets.append(socket)
                await ws_connect(
                    lambda it=socket: it,
                    self.url,
                    websocket_handshake_timeout=PATIENCE,
                    read_buffer_init_size=4096,
                )

        if self._pings is None:
            self._pings = asyncio.get_running_loop().create_task(self._ping())
        try:
            await asyncio.gather(*(some() for _ in range(CONNECTING)))
            await self._until(lambda: self.joined >= len(self.sockets), "to be let in")
        except BaseException:  # whoever has come so far would stay
            await self.close()
            raise

    async def close(self) -> None:
        """End all connections."""
        if self._pings is not None:
            self._pings.cancel()
        for socket in self.sockets:
            socket.close()
        await asyncio.sleep(0.2)

    def keep(self, socket: Socket, at: float, data: bytes) -> None:
        """Keep a message until nobody waits for an answer; at full speed that is never."""
        self._kept.append((socket, at, data))
        if self._fast:
            self._read()

    def _read(self) -> None:
        kept, self._kept = self._kept, []
        for socket, at, data in kept:
            socket.read(at, data)

    def free(self, socket: Socket) -> None:
        """A socket may ask again."""
        if self._fast and self._may_send():
            socket.ask()
        else:
            self.ready.append(socket)

    def answer(self, wait: float) -> None:
        """A request was answered."""
        self.answered += 1
        self.waits.append(wait)

    def fail(self, why: str) -> None:
        """Something went wrong; the measurement ends with the first of these."""
        self._failure = self._failure or why

    async def run(
        self,
        rate: float | None = None,
        *,
        seconds: float | None = None,
        requests: int | None = None,
    ) -> Slice:
        """Ask at a rate, or as fast as it is answered: for a time, so often, or to the end."""
        self.answered, self.waits, self.rounds = 0, [], []
        self._left, self._fast = requests, rate is None
        gc.collect()
        gc.freeze()
        gc.disable()
        begin, spent = time.perf_counter(), time.process_time()
        try:
            await self._drive(rate, begin, seconds)
            took = time.perf_counter() - begin
            busy = (time.process_time() - spent) / took
        finally:
            self._left, self._fast = 0, False
            gc.enable()
        return Slice(self.answered, took, self.waits, self.rounds, busy)

    async def _drive(self, rate: float | None, begin: float, seconds: float | None) -> None:
        sent, last, moved = 0, 0, begin
        while True:
            if sent == self.answered or len(self._kept) > MOST_KEPT:
                self._read()
            self._check()
            now = time.perf_counter()
            if seconds is not None and now - begin >= seconds:
                self._left, self._fast = 0, False
                break
            if self._left == 0 or self.over == len(self.sockets):
                break
            due = len(self.ready) if rate is None else int((now - begin) * rate) - sent
            sent += self._send(due)
            if self.answered != last:
                last, moved = self.answered, now
            elif now - moved > PATIENCE:
                raise Stuck(f"nothing was answered for {PATIENCE:g} seconds")
            await asyncio.sleep(TICK)
        await self._until(lambda: not any(s.asking for s in self.sockets), "for the last answers")

    def _send(self, due: int) -> int:
        """Let some who are ready ask, chosen at random; how many."""
        ready, sent = self.ready, 0
        while ready and sent < due and self._may_send():
            at = self.rng.randrange(len(ready))
            ready[at], ready[-1] = ready[-1], ready[at]
            ready.pop().ask()
            sent += 1
        return sent

    def _may_send(self) -> bool:
        if self._left is None:
            return True
        self._left -= 1
        if self._left >= 0:
            return True
        self._left = 0
        return False

    async def _until(self, done: Callable[[], bool], what: str) -> None:
        end = time.monotonic() + PATIENCE
        while not done():
            self._read()
            self._check()
            if time.monotonic() > end:
                raise Stuck(f"waited {PATIENCE:g} seconds {what}")
            await asyncio.sleep(TICK)

    def _check(self) -> None:
        if self._failure:
            raise Stuck(self._failure)

    async def _ping(self) -> None:
        """Let every socket give a sign of life every 2.5 seconds, spread evenly."""
        due, at, last = 0.0, 0, time.monotonic()
        while True:
            await asyncio.sleep(PING_TICK)
            now = time.monotonic()
            passed, last = now - last, now
            if self.silent:
                continue
            due += len(self.sockets) * passed / PING_EVERY
            while due >= 1:
                due -= 1
                at = (at + 1) % len(self.sockets)
                self.sockets[at].send(PING)
