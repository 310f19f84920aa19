"""Tries: a running server, and what strangers found there."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from random import Random

import httpx
import psutil

from tests.service.live import Server, Wire, ask


@dataclass
class Tries:
    """A running server, and what strangers found there."""

    server: Server
    rng: Random
    count: int
    faults: list[str] = field(default_factory=list)
    figures: dict[str, float] = field(default_factory=dict)
    tried: int = 0
    hasty: bool = False
    """Whether the first fault is enough."""

    def fault(self, sentence: str) -> None:
        """Note what should not have happened."""
        if len(self.faults) < 30:
            self.faults.append(sentence)

    def expect(self, holds: object, sentence: str) -> None:
        """Count a try; note it if it went wrong."""
        self.tried += 1
        if not holds:
            self.fault(sentence)

    @property
    def memory(self) -> int:
        """Bytes that the server holds."""
        return int(psutil.Process(self.server.pid).memory_info().rss)


Check = Callable[[Tries], Awaitable[None]]


async def refused_status(tries: Tries, headers: str) -> str:
    """The status line of a socket that is asked for with headers; empty if it is opened."""
    try:
        wire = await Wire.connect(tries.server.port, headers)
    except ConnectionRefusedError as error:
        return str(error)
    wire.abort()
    return ""


async def page_of(server: Server, path: str, **headers: str) -> httpx.Response:
    """A page as a browser asks for it."""
    wanted = {"Accept": "text/html,*/*;q=0.8"} | headers
    return await ask(server, "GET", path, None, wanted)
