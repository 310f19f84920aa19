"""G6 and G10: everybody comes back after a restart, in time, and with all that was acknowledged.

A thousand games of four, every seat over the line of the product's own client, which comes back by
itself. The server is killed, or told to stop, and started again on its port. Or there are two
behind one address, with one PostgreSQL, and while one is stopped and started the other goes on.
Whoever is back asks for something at once: the pause of a person ends when that is acknowledged.
"""

import asyncio
import socket
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count as numbers
from pathlib import Path
from random import Random

import msgspec
import uvloop
from picows import WSHandshakeError

from bench.filling import Dealt, fill, writing
from bench.players import Heard, Seen
from bench.service import more_files, quantile
from proof.balancer import Balancer
from proof.held import held
from proof.history import LATER, Answer, History, Operation, Stored, judge
from proof.logs import stored, stored_in
from proof.outcome import Outcome
from proof.prepared import NOTHING
from sideboards.client.line import Line
from sideboards.client.refusal import ServerRefusal
from sideboards.service.store_postgres import PostgresStore
from tests.service.live import Server
from tests.service.postgres import PostgresServer

GAMES = 1000
BACK_WITHIN = 10.0
"""Seconds within which everybody must be back: after a start, or after a stop beside another."""
PAUSE = 3.0
"""Seconds that 99 of 100 people are without an acknowledgement if another server goes on."""
STOPPED_WITHIN = 10.0
PATIENCE = 60.0
BETWEEN = 1.0
"""Seconds in which people play before the next restart."""
RATE = 100.0
"""Moves per second meanwhile."""
LOT = 100
"""People who come at the same time when nothing is restarted."""


class Said(Heard):
    """What is read of a message."""

    key: str | None = None


_read = msgspec.json.Decoder(Said).decode


def after_kills(
    folder: Path, count: int, seed: int, mutant: str = "", games: int = GAMES
) -> Outcome:
    """Kill a server `count` times: everybody is back within 10 s, and nobody is refused."""
    return _run(folder, count, seed, mutant, games, planned=False)


def after_stops(
    folder: Path, count: int, seed: int, mutant: str = "", games: int = GAMES
) -> Outcome:
    """Stop a server in good order `count` times: everybody is back within 10 s after the start."""
    return _run(folder, count, seed, mutant, games, planned=True)


def rolling(
    folder: Path,  # noqa: ARG001 (the database has a folder of its own)
    count: int,
    seed: int,
    mutant: str = "",
    games: int = GAMES,
) -> Outcome:
    """Stop one of two servers in good order, in turn, `count` times: few wait longer than 3 s."""
    postgres = PostgresServer()
    try:
        postgres.start()
        url = postgres.url
        with more_files(), _server(url, mutant) as one, _server(url, mutant) as other:
            crowd, logs = uvloop.run(_roll(url, [one, other], count, Random(seed), games))
    finally:
        postgres.remove()
    return _outcome(crowd, logs, count, f"rolling-{seed}", keep=not mutant)


async def _roll(
    url: str, servers: Sequence[Server], count: int, rng: Random, games: int
) -> tuple["Returning", dict[str, list[Stored]]]:
    """What became of everybody, and what is stored in the end."""
    async with writing(PostgresStore(url)) as writer:
        dealt = await writer.deal_many(games)
    for server in servers:
        await asyncio.to_thread(server.start)
    async with Balancer([server.port for server in servers]) as door:
        crowd = Returning(servers, dealt, rng, planned=True, door=door)
        await crowd.run(count)
    return crowd, await stored_in(url)


def _run(folder: Path, count: int, seed: int, mutant: str, games: int, *, planned: bool) -> Outcome:
    file = folder / "returns.db"
    with more_files(), _server(file, mutant) as server:
        dealt = uvloop.run(fill(file, games))
        server.start()
        crowd = Returning([server], dealt, Random(seed), planned=planned)
        uvloop.run(crowd.run(count))
    return _outcome(crowd, stored(file), count, f"returns-{seed}", keep=not mutant)


def _outcome(
    crowd: "Returning", logs: dict[str, list[Stored]], count: int, name: str, *, keep: bool
) -> Outcome:
    history = History(crowd.operations, [], logs)
    faults = [*judge(history, name, keep=keep), *crowd.faults]
    return Outcome(count, tuple(faults), crowd.figures)


@contextmanager
def _server(database: str | Path, mutant: str) -> Iterator[Server]:
    """A server that always has the same port, killed at the end."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
    server = Server(database, "--port", str(port), mutant=mutant, program=NOTHING)
    try:
        yield server
    finally:
        server.kill()
        server.failures()


class Returning:
    """Everybody at some tables, and what became of them."""

    def __init__(
        self,
        servers: Sequence[Server],
        tables: list[Dealt],
        rng: Random,
        *,
        planned: bool,
        door: Balancer | None = None,
    ) -> None:
        """`door` is the one address of several servers."""
        self._servers = servers
        self._planned = planned
        self._door = door
        self.rng = rng
        self.up = False
        """Whether a server is there, so that nobody may be refused."""
        self.operations: list[Operation] = []
        self.refused: Counter[str] = Counter()
        self.faults: list[str] = []
        self._lost = 0
        """How many connections were lost in all restarts."""
        self._pauses: list[float] = []
        self.greetings: list[float] = []
        """Seconds from each greeting until the server has said anything to it."""
        self._away: list[float] = []
        """Seconds from the kill or the stop until the next server is there."""
        self._back: list[float] = []
        url = f"ws://127.0.0.1:{servers[0].port if door is None else door.port}/ws"
        self._people = [
            Person(self, url, dealt.table, seat, token)
            for dealt in tables
            for seat, token in enumerate(dealt.tokens)
        ]

    async def run(self, count: int) -> None:
        """Everybody comes; then a server is restarted so often, each in its turn.

        After a restart nobody is on that server; so when all had their turn, everybody comes anew.
        """
        try:
            async with asyncio.timeout(PATIENCE * (count + 2)):
                for number in range(count):
                    server = number % len(self._servers)
                    if number == 0 or (server == 0 and self._door is not None):
                        await self._come()
                    await self._play(BETWEEN)
                    await self._restart(self._servers[server], number + 1)
        finally:
            for person in self._people:
                person.line.close()
            await asyncio.sleep(0.1)
        if self.refused:
            self.faults.append(f"refused: {dict(self.refused)}; expected nobody to be")

    async def _come(self) -> None:
        """Everybody comes, or comes anew, so that the seats of every table are on all servers."""
        for some in range(0, len(self._people), LOT):
            lot = self._people[some : some + LOT]
            for person in lot:
                person.come()
            await self._all_answered(lot, "came")
        self.up = True

    async def _play(self, seconds: float) -> None:
        """Some ask for something now and then."""
        for _ in range(round(seconds * RATE)):
            self.rng.choice(self._people).ask()
            await asyncio.sleep(1 / RATE)

    async def _restart(self, server: Server, number: int) -> None:
        """Restart a server: who was there is back soon, and then nobody is without an answer."""
        for person in self._people:
            person.lost_at = person.answered_at = None
        others = [each.pid for each in self._servers if each is not server]
        self.up, before, down = bool(others), held(*others), time.monotonic()
        await self._replace(server)
        up, at_start, self.up = time.monotonic(), held(server.pid), True
        begun, at_begin = (down, before) if others else (up, at_start)
        lost = [person for person in self._people if person.lost_at is not None]
        await self._all_answered(lost, f"came back after restart {number}")
        now = held(*(others or [server.pid]))
        for person in self._people:
            if person.answered_at is None:
                person.ask()
        await self._all_answered(self._people, f"heard anything after restart {number}")
        took = max(person.answered_at or up for person in lost) - begun
        pause = quantile([person.pause or 0.0 for person in lost], 0.99) / 1000
        self._lost += len(lost)
        self._away.append(up - down)
        self._back.append(took)
        self._pauses.append(pause)
        if took > BACK_WITHIN + now - at_begin:
            self.faults.append(f"late: all were back after {took:.1f} s; expected {BACK_WITHIN:g}")
        if others and pause > PAUSE + now - before:
            self.faults.append(
                f"pause: one in a hundred waited {pause:.1f} s; expected at most {PAUSE:g}"
            )

    async def _replace(self, server: Server) -> None:
        """Stop or kill a server, and start it again."""
        if self._door is not None:
            self._door.leave_out(server.port)
        if self._planned:
            server.terminate()
            await server.ended(STOPPED_WITHIN)
        await asyncio.to_thread(server.kill)
        await asyncio.to_thread(server.start)
        if self._door is not None:
            self._door.take_in(server.port)

    async def _all_answered(self, people: Sequence["Person"], what: str) -> None:
        """Wait until all of some people have heard an answer."""
        end = time.monotonic() + PATIENCE
        while missing := sum(person.answered_at is None for person in people):
            if time.monotonic() > end:
                raise TimeoutError(f"{missing} people never {what}")
            await asyncio.sleep(0.02)

    @property
    def figures(self) -> dict[str, float]:
        """What was measured."""
        return {
            "people": len(self._people),
            "lost connections": self._lost,
            "s until the server is there again, most": max(self._away, default=0.0),
            "s until all are back, most": max(self._back, default=0.0),
            "s of pause, p99, most": max(self._pauses, default=0.0),
            "s until a greeting is answered, p99": quantile(self.greetings or [0.0], 0.99) / 1000,
            "s until a greeting is answered, most": max(self.greetings, default=0.0),
            "acknowledged": sum(each.acknowledged for each in self.operations),
        }


class Watched(Line):
    """A line that also tells when a server does not let it in."""

    def __init__(self, url: str, person: "Person", crowd: Returning) -> None:
        super().__init__(url, person)
        self._crowd = crowd

    def _failed(self, error: Exception) -> None:
        if isinstance(error, WSHandshakeError) and self._crowd.up:
            self._crowd.refused[f"handshake: {error}"[:100]] += 1
        super()._failed(error)


class Person:
    """Somebody at a seat."""

    def __init__(self, crowd: Returning, url: str, table: str, seat: int, token: str) -> None:
        self.line = Watched(url, self, crowd)
        self.lost_at: float | None = None
        self.answered_at: float | None = None
        """When something was acknowledged first, since the last restart began."""
        self._crowd = crowd
        self._table = table
        self._seat = seat
        self._token = token
        self._view: Seen | None = None
        self._open: Operation | None = None
        self._greeted: float | None = None
        self._keys = numbers(1)

    @property
    def pause(self) -> float | None:
        """Seconds from the loss of the connection until something was acknowledged again."""
        if self.lost_at is None or self.answered_at is None:
            return None
        return self.answered_at - self.lost_at

    def come(self) -> None:
        """Connect, or connect anew."""
        self._view = self.answered_at = None
        self.line.close()
        self.line.open()

    def ask(self) -> None:
        """Ask for a move, or take one back; one thing at a time."""
        if self._view is None or self._open is not None:
            return
        options = self._view.options
        action = self._crowd.rng.choice(options).move if options else "undo"
        key = f"{self._view.public.round}.{next(self._keys)}.return"
        self._open = Operation(self._table, self._seat, key, action)
        self._crowd.operations.append(self._open)
        self._send(self._open)

    def _send(self, operation: Operation) -> None:
        operation.sent.append(time.monotonic())
        act = {"type": "act", "key": operation.key, "action": operation.action}
        self.line.send(msgspec.json.encode(act))

    # ---- what the line calls -----------------------------------------------------------------

    def greeting(self) -> bytes:
        """Say who is there."""
        self._greeted = time.monotonic()
        return msgspec.json.encode({"type": "hello", "protocol": 1, "token": self._token})

    def take(self, data: bytes) -> None:
        """A message: whoever sees the table asks at once for something."""
        said = _read(data)
        if self._greeted is not None:
            self._crowd.greetings.append(time.monotonic() - self._greeted)
            self._greeted = None
        first = self._view is None and said.view is not None
        self._view = said.view or self._view
        if self._open is not None and said.key == self._open.key:
            self._answered(self._open, said)
        if first:
            self.line.settle()
            if self._open is None:
                self.ask()
            else:
                self._send(self._open)

    def _answered(self, operation: Operation, said: Said) -> None:
        if said.type not in ("ack", "refused"):
            return  # it takes longer
        now, code = time.monotonic(), said.code or ""
        operation.answers.append(
            Answer(now, "ack" if said.type == "ack" else "refused", None, code)
        )
        if code not in LATER:
            self._open = None
            self.answered_at = self.answered_at or now

    def lost(self, code: int) -> None:
        """The connection is gone and will be made again."""
        self._view = None
        self.lost_at = self.lost_at or time.monotonic()
        self.answered_at = None
        if code not in (1006, 1012):
            self._crowd.refused[f"closed with {code}"] += 1

    def stop(self, refusal: ServerRefusal) -> None:
        """It will not be made again."""
        self._crowd.refused[refusal.code] += 1

    def beat(self, now: float) -> None:
        """Time passes."""
