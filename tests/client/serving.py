"""A real server process for the tests."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

import httpx

from bench.pipes import object_of
from sideboards.client import Client, Sitting
from sideboards.service.protocol import Settings
from tests.service.uncompiled import PROGRAM

PATIENCE = 30.0
"""Seconds after which a test gives up."""
READY_WITHIN = 120.0


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
            *PROGRAM, "serve", "--host", "127.0.0.1", "--port", str(self.port), "--json",
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
        self.url = object_of(said, READY_WITHIN)["here"]
        return self

    def terminate(self) -> None:
        """Ask it to stop; `wait` returns when it has."""
        assert self._process is not None
        self._process.terminate()

    def wait(self) -> None:
        """Wait until it has stopped by itself, as it should."""
        assert self._process is not None
        assert self._process.wait(PATIENCE) == 0
        self._forget()

    def kill(self) -> None:
        """As if the machine were switched off: no goodbye, and its workers too."""
        assert self._process is not None
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait(PATIENCE)
        self._forget()

    def _forget(self) -> None:
        assert self._process is not None
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._process = None

    async def advance(self, seconds: int) -> None:
        """Move its clock forward."""
        async with httpx.AsyncClient(base_url=self.url) as http:
            answer = await http.post("/api/test/clock", json={"advance": seconds * 1000})
            assert answer.is_success

    @property
    def runs(self) -> bool:
        return self._process is not None

    @property
    def log(self) -> str:
        return (self._folder / "server.log").read_text()


@contextmanager
def serving(folder: Path, bot_beat: int = 20) -> Iterator[Server]:
    """A server for as long as a test needs it."""
    server = Server(folder, bot_beat)
    try:
        yield server.start()
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
