"""The two servers of twin worlds: same ids, same secret, and a file of what bots are asked."""

import asyncio
import json
import shutil
import sys
from pathlib import Path

from proof.lines import HOST, Talk, content
from sideboards.service.store import SqliteStore
from tests.service.live import Server

STOPPED = 1_800_000_000_000
"""When the clock stands still: milliseconds since 1970."""


class Overheard(Server):
    """A server process that keeps what it asks its bots in a file."""

    def __init__(
        self, database: Path, overheard: Path, mutant: str, *options: str, coach: bool
    ) -> None:
        super().__init__(database, *options)
        serve = self._command.index("serve")
        program = [sys.executable, "-m", "proof.overheard", str(overheard), mutant or "none"]
        self._command = [*program, "coach" if coach else "none", *self._command[serve:]]


class Side:
    """One of the two worlds' servers, and the people in it."""

    def __init__(self, database: Path, seed: int, mutant: str, *, coach: bool) -> None:
        self.database = database
        self.overheard = database.with_suffix(".asked")
        self.overheard.touch()
        options = ("--seed", str(seed), "--origin", f"http://{HOST}")
        self._server = Overheard(database, self.overheard, mutant, *options, coach=coach)
        self.talk = Talk(0)
        self.guests: list[str] = []
        self.failures: list[str] = []

    async def start(self) -> None:
        """Start, and return when it is ready."""
        await asyncio.to_thread(self._server.start)
        self.port = self._server.port
        self.talk = Talk(self.port)

    def end(self) -> None:
        """End the process; what went wrong in it is kept."""
        self.talk.cut()
        self._server.kill()
        self.failures = self._server.failures()

    async def stop_clock(self) -> None:
        """Let no time pass any more."""
        await self.ok("POST", "/api/test/clock", "", {"stop": STOPPED})

    async def ok(self, method: str, path: str, token: str, body: object = None) -> bytes:
        """The answer to a request that must be granted."""
        answer = await self.talk.ask(method, path, token, body)
        if not answer.startswith(b"HTTP/1.1 2"):
            raise ScriptError(f"{method} {path}: {answer!r}")
        return answer

    async def invite(self, count: int) -> None:
        """Let so many new guests come; those before are gone."""
        self.guests = []
        for number in range(count):
            wish = {"name": f"P{number}", "language": "en", "token": True}
            answer = await self.ok("POST", "/api/guests", "", wish)
            self.guests.append(json.loads(content(answer))["token"])

    async def metrics(self) -> bytes:
        """The page of metrics."""
        return await self.talk.ask("GET", "/metrics")


class ScriptError(Exception):
    """The script could not be played as it was written."""


async def twin_databases(folder: Path) -> tuple[Path, Path]:
    """Two empty databases with one secret that signs tokens."""
    one, other = folder / "one.db", folder / "other.db"
    store = SqliteStore(one)
    await store.open()
    await store.secret()
    await store.close()
    shutil.copy(one, other)
    return one, other


async def start_sides(folder: Path, seed: int, mutant: str, *, coach: bool) -> list[Side]:
    """Two servers that will draw the same ids, and sign tokens with the same secret."""
    sides = [Side(each, seed, mutant, coach=coach) for each in await twin_databases(folder)]
    started = await asyncio.gather(*(side.start() for side in sides), return_exceptions=True)
    if failed := [error for error in started if isinstance(error, BaseException)]:
        for side in sides:
            side.end()
        raise failed[0]
    return sides
