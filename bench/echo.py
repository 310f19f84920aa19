"""Bare servers to compare with: the sockets of the service without rules, storage or JSON.

`echo` sends every text back. `fan` does the socket work of a move: an answer as long as an
acknowledgement, and a short message to the three others of a group of four. `stored` sends every
text back after it is on the disk: what cannot be waited less for, whatever stores it.
"""

import argparse
import asyncio
import logging
import os
import socket
import tempfile
from collections.abc import Callable
from functools import partial
from queue import SimpleQueue
from threading import Thread
from typing import Any

import uvicorn
import uvloop
from picows import (
    WSAutoPingStrategy,
    WSFrame,
    WSListener,
    WSMsgType,
    WSTransport,
    WSUpgradeRequest,
    WSUpgradeResponse,
    WSUpgradeResponseWithListener,
)
from picows import picows as internals

MAX_MESSAGE = 8 * 1024
READ_BUFFER = 2048
HANDSHAKE = 10.0
"""The service's own limits."""
ANSWER = b"a" * 1600
NOTE = b"n" * 200
GROUP = 4
SHORT = 40
"""Bytes below which a message is a ping, which only its sender hears of and nobody stores."""
PAGE = b"p" * 4120
"""The least that SQLite writes for a move: a page with its head."""
_TEXT = WSMsgType.TEXT


class Echo(WSListener):
    """A socket that gets back what it sends."""

    def on_ws_frame(self, transport: WSTransport, frame: WSFrame) -> None:
        """A frame arrived."""
        if frame.msg_type == WSMsgType.TEXT:
            transport.send(_TEXT, frame.get_payload_as_bytes())
        elif frame.msg_type == WSMsgType.CLOSE:
            transport.disconnect()


class Fan(WSListener):
    """A socket whose messages are answered, and told to the others of its group."""

    def __init__(self, group: set[WSTransport]) -> None:
        self._group = group

    def on_ws_connected(self, transport: WSTransport) -> None:
        """Join the group."""
        self._group.add(transport)

    def on_ws_disconnected(self, transport: WSTransport) -> None:
        """Leave the group."""
        self._group.discard(transport)

    def on_ws_frame(self, transport: WSTransport, frame: WSFrame) -> None:
        """A frame arrived."""
        if frame.msg_type == WSMsgType.TEXT:
            message = frame.get_payload_as_bytes()
            if len(message) < SHORT:
                transport.send(_TEXT, message)
                return
            for other in self._group:
                if other is not transport:
                    other.send(_TEXT, NOTE)
            transport.send(_TEXT, ANSWER)
        elif frame.msg_type == WSMsgType.CLOSE:
            transport.disconnect()


class Disk:
    """A thread that writes and syncs; what comes meanwhile shares the next sync."""

    def __init__(self, folder: str) -> None:
        self._loop = asyncio.get_running_loop()
        self._file = tempfile.TemporaryFile(buffering=0, dir=folder)  # noqa: SIM115 (stays open)
        self._queue: SimpleQueue[Callable[[], None]] = SimpleQueue()
        Thread(target=self._write, daemon=True).start()

    def store(self, then: Callable[[], None]) -> None:
        """Store a page; `then` is called in the loop when it is on the disk."""
        self._queue.put(then)

    def _write(self) -> None:
        while True:
            calls = [self._queue.get()]
            while not self._queue.empty():
                calls.append(self._queue.get())
            self._file.write(PAGE * len(calls))
            os.fdatasync(self._file.fileno())
            self._loop.call_soon_threadsafe(_call_all, calls)


def _call_all(calls: list[Callable[[], None]]) -> None:
    for call in calls:
        call()


class Stored(WSListener):
    """A socket that gets back what it sends, once it is on the disk."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk

    def on_ws_frame(self, transport: WSTransport, frame: WSFrame) -> None:
        """A frame arrived."""
        if frame.msg_type == WSMsgType.TEXT:
            message = frame.get_payload_as_bytes()
            if len(message) < SHORT:
                transport.send(_TEXT, message)
            else:
                self._disk.store(partial(transport.send, _TEXT, message))
        elif frame.msg_type == WSMsgType.CLOSE:
            transport.disconnect()


def fans() -> Callable[[], WSListener]:
    """What makes listeners whose groups are filled in the order of arrival."""
    groups: list[set[WSTransport]] = []
    made = 0

    def make() -> WSListener:
        nonlocal made
        if made % GROUP == 0:
            groups.append(set())
        made += 1
        return Fan(groups[-1])

    return make


def bare_protocol(listener: Callable[[], WSListener]) -> type:
    """The class that uvicorn hands an upgraded connection to, as that of the service."""
    logger = logging.getLogger("bench.socket")

    class BareProtocol(internals.WSProtocol):  # type: ignore[misc,name-defined,unused-ignore] # not in its stubs
        """A picows connection that begins with a request that uvicorn has read."""

        def __init__(self, config: object, server_state: object, app_state: object) -> None:  # noqa: ARG002 (uvicorn's)
            super().__init__(
                None,
                None,
                False,  # noqa: FBT003 (picows takes all of it by position)
                self._receive,
                logger,
                True,  # noqa: FBT003 (as above)
                HANDSHAKE,
                False,  # noqa: FBT003 (as above)
                20,
                20,
                WSAutoPingStrategy.PING_WHEN_IDLE,
                True,  # noqa: FBT003 (as above)
                MAX_MESSAGE,
                None,
                READ_BUFFER,
            )

        def data_received(self, data: bytes) -> None:
            """Take the request, which uvicorn hands over as bytes."""
            self.get_buffer(len(data))[: len(data)] = data
            self.buffer_updated(len(data))

        def _receive(self, _: WSUpgradeRequest) -> WSUpgradeResponseWithListener:
            return WSUpgradeResponseWithListener(
                WSUpgradeResponse.create_101_response(), listener()
            )

    return BareProtocol


async def nowhere(_scope: Any, _receive: Any, send: Any) -> None:  # noqa: ANN401 (ASGI)
    """There are no pages here."""
    await send({"type": "http.response.start", "status": 404, "headers": []})
    await send({"type": "http.response.body", "body": b""})


async def serve(kind: str, folder: str) -> None:
    """Serve on a free port, which is printed, until the process is told to stop."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.bind(("127.0.0.1", 0))
    listening.listen(4096)
    listening.setblocking(False)  # noqa: FBT003 (socket takes it by position)
    listener: Callable[[], WSListener]
    match kind:
        case "stored":
            listener = partial(Stored, Disk(folder))
        case "fan":
            listener = fans()
        case _:
            listener = Echo
    config = uvicorn.Config(
        nowhere,
        http="httptools",
        ws=bare_protocol(listener),
        lifespan="off",
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=1,
    )
    server = uvicorn.Server(config)
    running = asyncio.create_task(server.serve(sockets=[listening]))
    print(listening.getsockname()[1], flush=True)
    await running


def main() -> None:
    """Serve."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=("echo", "fan", "stored"))
    parser.add_argument("folder", help="where the server that stores has its file")
    asked = parser.parse_args()
    uvloop.run(serve(asked.kind, asked.folder))


if __name__ == "__main__":
    main()
