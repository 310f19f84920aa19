"""A wire between browser and server that can be cut, at will or at a chosen message."""

import asyncio
import json
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Literal

Verdict = Literal["pass", "swallow", "deliver"]
"""Let it pass; cut before it arrives; cut right after it."""
Rule = Callable[[bool, dict[str, Any]], Verdict]
"""Told who sends, True for the browser, and the message."""
WAIT = 10.0
TEXT = 1


def open_way(_from_browser: bool, _message: dict[str, Any]) -> Verdict:
    """Everything passes."""
    return "pass"


class Cutter:
    """Forwards every byte from a free port to a server until it is cut."""

    def __init__(self) -> None:
        self.target = 0
        """The port of the server."""
        self._writers: set[asyncio.StreamWriter] = set()
        self._down = False
        self.rule: Rule = open_way
        self.cuts = 0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._server = self._run(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.port: int = self._server.sockets[0].getsockname()[1]

    @property
    def base(self) -> str:
        """The address for the browser."""
        return f"http://127.0.0.1:{self.port}"

    def cut(self) -> None:
        """Break all connections and let none through until `mend`."""
        self._run(self._cut(stay=True))

    def mend(self) -> None:
        """Let connections through again."""
        self._down = False

    def close(self) -> None:
        """End."""
        self._server.close()
        self._run(self._cut(stay=True))
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(WAIT)
        self._loop.close()

    def _run(self, work: Any) -> Any:  # noqa: ANN401 (whatever it results in)
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(WAIT)

    async def _cut(self, *, stay: bool) -> None:
        self._down = stay
        self.cuts += 1
        for writer in list(self._writers):
            writer.transport.abort()
        await asyncio.sleep(0.05)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._down:
            writer.transport.abort()
            return
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.target)
        self._writers |= {writer, far_writer}
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            await asyncio.gather(
                self._pump(reader, far_writer, from_browser=True),
                self._pump(far_reader, writer, from_browser=False),
            )
        self._writers -= {writer, far_writer}
        for each in (writer, far_writer):
            each.transport.abort()

    async def _pump(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, from_browser: bool
    ) -> None:
        head = b""
        while b"\r\n\r\n" not in head:  # of the first request or answer
            data = await reader.read(2**16)
            if not data:
                writer.close()
                return
            writer.write(data)
            head += data
        top, _, rest = head.partition(b"\r\n\r\n")
        if b"upgrade: websocket" not in top.lower():
            while data := await reader.read(2**16):
                writer.write(data)
            writer.close()
            return
        assert not rest, "no frame comes together with the head"
        while True:
            await self._frame(reader, writer, from_browser=from_browser)

    async def _frame(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, from_browser: bool
    ) -> None:
        head = await reader.readexactly(2)
        size = head[1] & 127
        more = await reader.readexactly({126: 2, 127: 8}.get(size, 0))
        size = int.from_bytes(more, "big") if more else size
        mask = await reader.readexactly(4 if head[1] & 128 else 0)
        body = await reader.readexactly(size)
        verdict: Verdict = "pass"
        if head[0] & 15 == TEXT:
            plain = bytes(byte ^ mask[i % 4] for i, byte in enumerate(body)) if mask else body
            verdict = self.rule(from_browser, json.loads(plain))
        if verdict != "swallow":
            writer.write(head + more + mask + body)
            await writer.drain()
        if verdict == "deliver":
            await asyncio.sleep(0.05)
        if verdict != "pass":
            await self._cut(stay=False)
