"""A real server process for the tests, and a proxy that cuts connections."""

import asyncio
import json
import os
import signal
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Self

from sideboards.client import Client, Sitting
from sideboards.service.protocol import Settings
from tests.test_cli import COMMAND

PATIENCE = 30.0
"""Seconds after which a test gives up."""


class Server:
    """A server process on one database; it can be killed and started again."""

    def __init__(self, folder: Path, bot_beat: int = 20) -> None:
        self._folder = folder
        self._beat = bot_beat
        self._process: subprocess.Popen[str] | None = None
        self.url = ""

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2] or 0)

    def start(self) -> Self:
        command: list[str] = [
            str(COMMAND), "serve", "--host", "127.0.0.1", "--port", str(self.port), "--json",
            "--database", str(self._folder / "games.db"), "--test-mode", "--processes", "1",
            "--bot-beat", str(self._beat), "--sockets-per-address", "100000",
            "--guests-per-hour", "100000", "--requests-per-minute", "1000000",
        ]  # fmt: skip
        with (self._folder / "server.log").open("a") as log:
            self._process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=log, text=True, start_new_session=True
            )
        said = self._process.stdout
        assert said is not None
        ready = ""
        while not ready.rstrip().endswith("}"):
            line = said.readline()
            assert line, self.log
            ready += line
        self.url = json.loads(ready)["here"]
        return self

    def kill(self) -> None:
        """As if the machine were switched off: no goodbye, and its workers too."""
        assert self._process is not None
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait(PATIENCE)
        self._close()

    def stop(self) -> None:
        assert self._process is not None
        self._process.terminate()
        self._process.wait(PATIENCE)
        self._close()

    def _close(self) -> None:
        assert self._process is not None
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._process = None

    @property
    def runs(self) -> bool:
        return self._process is not None

    @property
    def log(self) -> str:
        return (self._folder / "server.log").read_text()


@contextmanager
def serving(folder: Path, bot_beat: int = 20) -> Iterator[Server]:
    """A server for as long as a test needs it."""
    server = Server(folder, bot_beat).start()
    try:
        yield server
    finally:
        if server.runs:
            server.kill()


async def table_of(
    clients: list[Client], bots: tuple[str, ...] = (), settings: Settings | None = None
) -> str:
    """A table at which some guests and bots sit; the first guest is the host."""
    for number, client in enumerate(clients):
        if client.token is None:
            await client.sign_in(f"Guest {number}")
    host = clients[0]
    seats = len(clients) + len(bots)
    table = (await host.create(settings or Settings(seats=seats))).table
    for client in clients:
        assert isinstance(await client.sit(table), Sitting)
    for seat, bot in enumerate(bots, len(clients)):
        await host.act(table, f"bot {seat} {bot}")
    return table


class Proxy:
    """Hands bytes on between a client and a server, until it is told to cut."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._pairs: set[tuple[asyncio.StreamWriter, asyncio.StreamWriter]] = set()
        self._left = 0
        self.cuts = 0
        self.swallows = False
        """Whether what clients send is lost, although connections stay open."""
        self.url = ""

    def cut_within(self, size: int) -> None:
        """Cut after so many further bytes of a client: before, inside or after a frame."""
        self._left = size

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            to_reader, to_writer = await asyncio.open_connection("127.0.0.1", self._port)
        except OSError:
            writer.close()
            return
        pair = (writer, to_writer)
        self._pairs.add(pair)
        try:
            await asyncio.gather(
                self._pump(reader, to_writer, up=True), self._pump(to_reader, writer, up=False)
            )
        except OSError:
            pass
        finally:
            self._pairs.discard(pair)
            for each in pair:
                each.transport.abort()

    async def _pump(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, up: bool
    ) -> None:
        while data := await reader.read(65536):
            if self.swallows:
                continue
            if up and self._left:
                writer.write(data[: self._left])
                self._left -= min(len(data), self._left)
                if not self._left:
                    self.cut()
                    return
                continue
            writer.write(data)
        while self.swallows:  # then the end of the other side stays unheard as well
            await asyncio.sleep(0.05)
        raise ConnectionResetError

    def cut(self) -> None:
        """Cut all connections now."""
        self.cuts += 1
        for pair in self._pairs:
            for each in pair:
                each.transport.abort()


@asynccontextmanager
async def proxied(server: Server) -> AsyncIterator[Proxy]:
    """A proxy in front of a server."""
    proxy = Proxy(server.port)
    listening = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
    proxy.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    try:
        yield proxy
    finally:
        listening.close()
        proxy.cut()
        await asyncio.sleep(0.05)
