"""A wire between clients and a server that fails as networks do: cut, dumb, slow, in pieces.

It forwards bytes in user space, so no right of the system is needed. Without a fault nothing is
altered. Faults concern all connections of a proxy; a rule concerns the connection that carries
the message.
"""

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal, Self

Way = Literal["up", "down"]
"""Up is from a client to the server."""
WAYS: tuple[Way, ...] = ("up", "down")
Verdict = Literal["pass", "swallow", "half", "deliver", "lose"]
"""Let it pass; cut before it, inside it or right after it; lose it and all that follows, while
both sides believe that they are connected."""
Rule = Callable[[Way, dict[str, Any]], Verdict]
"""Told who sends, and the message."""
CHUNK = 2**16
LONGEST_HEAD = 2**14
HANDLED_WITHIN = 0.05
"""Seconds after which a delivered message counts as handled."""
TEXT = 1
MASKED = 128
UPGRADE = b"upgrade: websocket"
END_OF_HEAD = b"\r\n\r\n"


def open_way(_way: Way, _message: dict[str, Any]) -> Verdict:
    """Everything passes."""
    return "pass"


@dataclass(frozen=True, slots=True)
class Part:
    """Bytes that belong together: a whole frame, or whatever has come."""

    data: bytes
    text: bytes | None = None
    """What a frame says, if it is a whole message."""


class Frames:
    """Cuts what one side sends into frames, once it has changed to WebSocket."""

    def __init__(self) -> None:
        self._head: bytes | None = b""
        self._rest: bytes | None = None
        """What has come of the present frame; None if these are no frames."""

    def feed(self, data: bytes) -> list[Part]:
        """The parts that are complete now; what is no frame passes as it comes."""
        if self._head is not None:
            return self._read_head(self._head + data, len(data))
        if self._rest is None:
            return [Part(data)]
        parts, rest = list[Part](), self._rest + data
        while (size := _frame_size(rest)) is not None and size <= len(rest):
            parts.append(Part(rest[:size], _text(rest[:size])))
            rest = rest[size:]
        self._rest = rest
        return parts

    def end(self) -> bytes:
        """What is left of a frame that never became whole."""
        rest, self._rest = self._rest or b"", None
        return rest

    def _read_head(self, head: bytes, new: int) -> list[Part]:
        top, found, rest = head.partition(END_OF_HEAD)
        if not found and len(head) < LONGEST_HEAD:
            self._head = head
            return [Part(head[-new:])]
        self._head = None
        if UPGRADE not in top.lower():
            return [Part(head[-new:])]
        self._rest = b""
        first = Part(head[len(head) - new : len(head) - len(rest)])
        return [first, *(self.feed(rest) if rest else [])]


def _frame_size(data: bytes) -> int | None:
    """How many bytes the frame at the beginning has; None if that cannot yet be known."""
    if len(data) < 2:
        return None
    size, more = data[1] & 127, 0
    if size >= 126:
        more = 2 if size == 126 else 8
        if len(data) < 2 + more:
            return None
        size = int.from_bytes(data[2 : 2 + more], "big")
    return 2 + more + (4 if data[1] & MASKED else 0) + size


def _text(frame: bytes) -> bytes | None:
    """The text of a frame that is a whole message."""
    if frame[0] != 128 | TEXT:
        return None
    at = {126: 4, 127: 10}.get(frame[1] & 127, 2)
    if not frame[1] & MASKED:
        return frame[at:]
    body = frame[at + 4 :]
    mask = (frame[at : at + 4] * (len(body) // 4 + 1))[: len(body)]
    number = int.from_bytes(body, "big") ^ int.from_bytes(mask, "big")
    return number.to_bytes(len(body), "big")


@dataclass(eq=False, slots=True)
class Link:
    """One connection of a client, and the one to the server that belongs to it."""

    near: asyncio.StreamWriter
    far: asyncio.StreamWriter | None = None
    lost: set[Way] = field(default_factory=set)
    """The ways on which something was lost, so that nothing may follow."""
    shut: bool = False
    over: asyncio.Event = field(default_factory=asyncio.Event)
    """When neither side says anything more."""
    _ended: int = 0

    def cut(self) -> None:
        """Break both sides at once."""
        self.shut = True
        for writer in (self.near, self.far):
            if writer is not None:
                writer.transport.abort()

    def end(self) -> None:
        """One side says nothing more."""
        self._ended += 1
        if self._ended == len(WAYS):
            self.over.set()


class Proxy:
    """Forwards every byte from a free port to a server, as long as nothing is the matter."""

    def __init__(self, target: int = 0) -> None:
        self.target = target
        """The port of the server."""
        self.port = 0
        self.rule: Rule = open_way
        self.delay: Callable[[], float] | None = None
        """How many seconds each part waits."""
        self.piece = 0
        """The most bytes that are sent at once; 0 for all."""
        self.cuts = 0
        """How often something was cut."""
        self.arrivals = 0
        """How many connections came."""
        self._refuses = False
        self._stalled: dict[Way, Literal["hold", "swallow"]] = {}
        self._healed = asyncio.Event()
        self._links: set[Link] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def url(self) -> str:
        """The address for clients."""
        return f"http://127.0.0.1:{self.port}"

    async def open(self) -> None:
        """Begin to listen on a free port."""
        self._server = await asyncio.start_server(self._arrive, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        """End; no task and no socket is left."""
        self._refuses = True
        if self._server is not None:
            self._server.close()
        for link in self._links:
            link.cut()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._server is not None:
            await self._server.wait_closed()

    # ---- faults ------------------------------------------------------------------------------

    def cut(self) -> None:
        """Break all connections; new ones are let through."""
        self.cuts += 1
        for link in self._links:
            link.cut()

    def refuse(self) -> None:
        """Let no new connection through until `mend`."""
        self._refuses = True

    def mend(self) -> None:
        """Let new connections through again."""
        self._refuses = False

    def stall(self, *ways: Way, keep: bool = False) -> None:
        """Let nothing through until `heal`, on one way or on both; `keep` it for later, or lose it.

        A connection that has lost something stays dumb for ever: something that follows would
        make no sense. One that is begun meanwhile waits, as systems knock again and again.
        """
        self._healed.clear()
        self._stalled = dict.fromkeys(ways or WAYS, "hold" if keep else "swallow")

    def heal(self) -> None:
        """Let everything through again."""
        self._stalled = {}
        self._healed.set()

    # ---- forwarding --------------------------------------------------------------------------

    def _arrive(self, reader: asyncio.StreamReader, near: asyncio.StreamWriter) -> None:
        self.arrivals += 1
        if self._refuses:
            near.transport.abort()
            return
        task = asyncio.get_running_loop().create_task(self._serve(reader, near))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, reader: asyncio.StreamReader, near: asyncio.StreamWriter) -> None:
        link = Link(near)
        self._links.add(link)
        try:
            while self._stalled:
                await self._healed.wait()
            far_reader, link.far = await asyncio.open_connection("127.0.0.1", self.target)
            for writer in (near, link.far):
                writer.transport.set_write_buffer_limits(high=0)  # so that `drain` means: sent
            async with asyncio.TaskGroup() as group:
                group.create_task(self._pump(link, reader, link.far, "up"))
                group.create_task(self._pump(link, far_reader, near, "down"))
        except* OSError:
            pass  # one side is gone: so is the other
        finally:
            link.cut()
            self._links.discard(link)

    async def _pump(
        self, link: Link, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, way: Way
    ) -> None:
        frames = Frames()
        while not link.shut and (data := await reader.read(CHUNK)):
            for part in frames.feed(data):
                await self._forward(link, writer, part, way)
        await self._forward(link, writer, Part(frames.end()), way)
        link.end()
        if way in link.lost:
            await link.over.wait()  # the end stays unheard as well
        with suppress(OSError):
            writer.write_eof()

    async def _forward(
        self, link: Link, writer: asyncio.StreamWriter, part: Part, way: Way
    ) -> None:
        """Hand a part on, unless something is the matter."""
        if self.delay is not None:
            await asyncio.sleep(self.delay())
        if self._stalled.get(way) == "swallow":
            link.lost.add(way)
        while self._stalled.get(way) == "hold":
            await self._healed.wait()
        if link.shut or way in link.lost:
            return
        verdict: Verdict = "pass"
        if part.text is not None and self.rule is not open_way:
            verdict = self.rule(way, json.loads(part.text))
        if verdict == "pass":
            await self._send(writer, part.data)
            return
        link.lost.update(WAYS)  # an answer must not overtake the fault
        if verdict == "lose":
            return
        if verdict != "swallow":
            await self._send(
                writer, part.data[: len(part.data) // 2 if verdict == "half" else None]
            )
            await asyncio.sleep(HANDLED_WITHIN)
        self.cuts += 1
        link.cut()

    async def _send(self, writer: asyncio.StreamWriter, data: bytes) -> None:
        size = self.piece or len(data) or 1
        for at in range(0, len(data), size):
            writer.write(data[at : at + size])
            await writer.drain()
            if self.piece:
                await asyncio.sleep(0)  # the next piece is a segment of its own
