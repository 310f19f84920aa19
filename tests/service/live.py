"""Real servers and a plain client for tests of live play; no code of the product's own client."""

import asyncio
import hashlib
import json
import os
import secrets
import signal
import socket
import struct
import subprocess
import sys
import tempfile
from base64 import b64encode
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from itertools import count
from pathlib import Path
from random import Random
from typing import Any, TypeVar

import httpx
import psutil

from bench.pipes import object_of
from sideboards.core.fair import seat_commitment
from tests.service import nursery, uncompiled

T = TypeVar("T")
LIMIT = 60.0
READY_WITHIN = 120.0
SOON = 10.0
TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
MANY = ("--guests-per-hour", "100000", "--requests-per-minute", "1000000")
Message = dict[str, Any]
WIRES: "list[Wire]" = []
"""All sockets of the present test, which ends them."""
CLIENTS: list[httpx.AsyncClient] = []
"""The one client of the present test for all routes."""


def run(work: Coroutine[Any, Any, T], limit: float = LIMIT) -> T:
    """The result of a coroutine, which must not take for ever."""

    async def whole() -> T:
        try:
            return await asyncio.wait_for(work, limit)
        finally:
            others = asyncio.all_tasks() - {asyncio.current_task()}
            for task in others:  # else one of them might still open what nobody would close
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)
            while WIRES:
                WIRES.pop().abort()
            while CLIENTS:
                await CLIENTS.pop().aclose()
            await asyncio.sleep(0)

    return asyncio.run(whole())


async def ask(
    server: "Server", method: str, path: str, body: object, headers: dict[str, str] | None = None
) -> httpx.Response:
    """The answer of a route."""
    if not CLIENTS:
        CLIENTS.append(httpx.AsyncClient(timeout=SOON, verify=False))  # noqa: S501 (no TLS here)
    return await CLIENTS[0].request(method, f"{server.here}{path}", json=body, headers=headers)


# ---- servers -----------------------------------------------------------------------------------


class Server:
    """A server process on a free port."""

    def __init__(
        self,
        database: str | Path,
        *options: str,
        beat: int = 0,
        mutant: str = "",
        under: Sequence[str] = (),
        program: Sequence[str] = ("sideboards",),
        compiled: bool = True,
    ) -> None:
        """`mutant` names a planted bug, see `proof/mutants`; `under`: a command that runs it.

        One that is not compiled starts sooner, and knows neither the master nor the coach.
        """
        program = ("proof.mutants", mutant) if mutant else program
        started = (sys.executable, "-m", *program) if compiled else uncompiled.PROGRAM
        self._command = [*under, *started, "serve", "--json", "--port", "0"]
        self._command += ["--host", "127.0.0.1", "--test-mode", "--bot-beat", str(beat)]
        self._command += ["--processes", "1", "--sockets-per-address", "10000", *MANY]
        self._command += ["--database", str(database), *options]
        self._forked = bool(mutant) and nursery.HERE and not under
        self._process: subprocess.Popen[bytes] | nursery.Forked | None = None
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 (closed by `failures`)
        self.port = 0

    def start(self) -> None:
        """Start, and return when it is ready; with a planted bug, from the nursery."""
        if self._forked:
            after = self._command.index("-m") + 1
            self._process = nursery.Forked(self._command[after:], self._log.fileno())
        else:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=self._log,
                start_new_session=True,
            )
        assert self._process.stdout is not None
        self.port = int(object_of(self._process.stdout, READY_WITHIN)["port"])

    @property
    def pid(self) -> int:
        """The process itself."""
        assert self._process is not None
        return self._process.pid

    @property
    def here(self) -> str:
        """The address of its routes."""
        return f"http://127.0.0.1:{self.port}"

    def kill(self) -> None:
        """End it at once, with the thinking processes that it started."""
        if self._process is not None:
            thinkers = []
            with suppress(psutil.NoSuchProcess):
                thinkers = psutil.Process(self._process.pid).children(recursive=True)
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait(LIMIT)
            for thinker in thinkers:  # one that a test has stopped does not see that it is alone
                with suppress(psutil.NoSuchProcess):
                    thinker.kill()
            assert self._process.stdout is not None
            self._process.stdout.close()
            self._process = None

    def log(self) -> bytes:
        """All that it has written so far."""
        # Not read: the process writes at the place where this file is.
        return os.pread(self._log.fileno(), os.fstat(self._log.fileno()).st_size, 0)

    def failures(self) -> list[str]:
        """What it wrote of things that should not have happened; nothing is written after that."""
        log = self.log()
        self._log.close()
        return failures_in(log)

    def terminate(self) -> None:
        """Ask it to stop; `ended` waits for that."""
        assert self._process is not None
        self._process.terminate()

    async def ended(self, within: float) -> int:
        """Its exit code."""
        assert self._process is not None
        return await asyncio.to_thread(self._process.wait, within)


def failures_in(log: bytes) -> list[str]:
    """The lines of a log about things that should not have happened."""
    fine = ('"level":"info"', '"level":"warning"', "WS parser error")
    lines = log.decode().splitlines()
    return [line for line in lines if not any(each in line for each in fine)]


@contextmanager
def serving(
    database: str | Path,
    *options: str,
    beat: int = 0,
    may_fail: bool = False,
    mutant: str = "",
    under: Sequence[str] = (),
    program: Sequence[str] = ("sideboards",),
    compiled: bool = True,
) -> Iterator[Server]:
    """A running server, killed at the end of the block; nothing may have failed in it."""
    server = Server(
        database,
        *options,
        beat=beat,
        mutant=mutant,
        under=under,
        program=program,
        compiled=compiled,
    )
    try:
        server.start()
        yield server
    finally:
        server.kill()
        failures = server.failures()
    assert may_fail or not failures, failures[:5]


# ---- frames ------------------------------------------------------------------------------------


class Wire:
    """A WebSocket as bytes: sends whatever a test wants to."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        WIRES.append(self)

    @classmethod
    async def connect(cls, port: int, headers: str = "", *, lazy: bool = False) -> "Wire":
        """An open socket, or an error with the server's status; a lazy one has little room."""
        stream = socket.create_connection(("127.0.0.1", port), SOON)
        if lazy:
            stream.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        stream.setblocking(False)
        reader, writer = await asyncio.open_connection(sock=stream, limit=2**10 if lazy else 2**16)
        nonce = b64encode(secrets.token_bytes(16)).decode()
        writer.write(
            f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {nonce}\r\n"
            f"Sec-WebSocket-Version: 13\r\n{headers}\r\n".encode()
        )
        wire = cls(reader, writer)
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), SOON)
        if not head.startswith(b"HTTP/1.1 101"):
            raise ConnectionRefusedError(head.split(b"\r\n")[0].decode())
        return wire

    def frame(self, kind: int, payload: bytes, *, fin: bool = True, mask: bool = True) -> None:
        """Send one frame."""
        size = len(payload)
        flag = 128 if mask else 0
        head = bytes([(128 if fin else 0) | kind])
        if size < 126:
            head += bytes([flag | size])
        elif size < 2**16:
            head += bytes([flag | 126]) + struct.pack("!H", size)
        else:
            head += bytes([flag | 127]) + struct.pack("!Q", size)
        self.writer.write(head + (b"\0\0\0\0" if mask else b"") + payload)

    def send(self, **message: object) -> None:
        """Send one message."""
        self.frame(TEXT, json.dumps(message).encode())

    async def read(self) -> tuple[int, bytes]:
        """The next frame; after the end of the connection, an empty close frame."""
        try:
            kind, size = await self.reader.readexactly(2)
            assert kind & 128, "the server sends whole messages"
            assert size < 128, "the server masks nothing"
            if size >= 126:
                digits = await self.reader.readexactly(2 if size == 126 else 8)
                size = int.from_bytes(digits, "big")
            return kind & 15, await self.reader.readexactly(size)
        except (asyncio.IncompleteReadError, ConnectionError):
            return CLOSE, b""

    async def message(self) -> Message:
        """The next message; fails if the socket closes."""
        kind, data = await asyncio.wait_for(self.read(), SOON)
        assert kind == TEXT, (kind, data)
        found: Message = json.loads(data)
        return found

    async def closed(self, within: float = SOON) -> int:
        """The code with which the server closes; 0 if it says none."""
        async with asyncio.timeout(within):
            while True:
                kind, data = await self.read()
                if kind == CLOSE:
                    self.frame(CLOSE, data[:2])
                    self.writer.close()
                    return int.from_bytes(data[:2], "big")

    def abort(self) -> None:
        """Cut the connection."""
        self.writer.transport.abort()


# ---- players -----------------------------------------------------------------------------------

ATTEMPTS = count(1)


class Player:
    """A guest at one seat: keeps the view as the messages tell it."""

    def __init__(self, server: Server, name: str, device: str) -> None:
        self.server = server
        self.name = name
        self.headers = {"Authorization": f"Bearer {device}"}
        self.table_id = ""
        self.seat: int | None = None
        self.token = ""
        self.seed = secrets.token_hex(32)
        self.wire: Wire | None = None
        self.table: Message = {}
        self.view: Message = {}
        self.hash = ""
        self.seq = 0
        self.left: int | None = None
        self.frames: list[bytes] = []
        self.messages: list[Message] = []
        self.answers: dict[str, Message] = {}
        self.close_code: int | None = None
        self._reader: asyncio.Task[None] | None = None
        self._life: asyncio.Task[None] | None = None
        self._news = asyncio.Event()

    # ---- over REST

    async def rest(self, method: str, path: str, body: object = None) -> httpx.Response:
        """The answer of a route."""
        return await ask(self.server, method, path, body, self.headers)

    async def sit(self, table: str, seat: int, *, with_seed: bool = True) -> None:
        """Take a seat."""
        self.table_id = table
        commit = seat_commitment(table, seat, self.seed) if with_seed else ""
        answer = await self.rest(
            "POST", f"/api/tables/{table}/seats", {"seat": seat, "commit": commit}
        )
        assert answer.status_code == 201, answer.text
        self.seat, self.token = seat, answer.json()["token"]

    # ---- over the socket

    async def connect(self, server: Server | None = None, **hello: object) -> "Player":
        """Open a socket and wait for the table, and the view if cards were dealt."""
        self.server = server or self.server
        wire = await Wire.connect(self.server.port)
        self.listen(wire)
        wire.send(**{"type": "hello", "protocol": 1, "token": self.token} | hello)
        self.table = {}
        await self.until(lambda: bool(self.table) or self.close_code is not None)
        if self.table and self.table["phase"] in ("playing", "finished"):
            await self.until(lambda: bool(self.view))
        return self

    def listen(self, wire: Wire) -> None:
        """Take all that comes from a socket."""
        self.wire, self.close_code, self.view = wire, None, {}
        self._reader = asyncio.ensure_future(self._read(wire))
        self._life = asyncio.ensure_future(self._live(wire))

    async def _live(self, wire: Wire) -> None:
        while self.wire is wire and self.close_code is None:
            await asyncio.sleep(2.5)
            wire.send(type="ping")

    async def _read(self, wire: Wire) -> None:
        while True:
            kind, data = await wire.read()
            if self.wire is not wire:
                return
            if kind == CLOSE:
                self.close_code = int.from_bytes(data[:2], "big")
                wire.frame(CLOSE, data[:2])
                wire.writer.close()
            elif kind == TEXT:
                self.frames.append(data)
                self._take(json.loads(data))
            self._news.set()
            if kind == CLOSE:
                return

    def _take(self, message: Message) -> None:
        self.messages.append(message)
        clock = message.get("clock")
        match message["type"]:
            case "table":
                self.table = message["table"]
            case "view":
                self.view, self.hash, self.seq = message["view"], message["hash"], message["seq"]
                self.left = clock and clock["left"]
                assert hash_of(self.view) == self.hash
            case "public":
                assert message["seq"] > self.seq
                self.view = {**self.view, "public": message["public"]}
                self.seq, self.left = message["seq"], clock and clock["left"]
            case "ack":
                if message["view"] is not None:
                    if message["seq"] == self.seq:  # nothing new: it is what was put together here
                        assert message["view"] == self.view
                    self.view, self.hash = message["view"], message["view_hash"]
                    assert message["seq"] >= self.seq
                    self.seq, self.left = message["seq"], clock and clock["left"]
                    assert hash_of(self.view) == self.hash
                self.answers[message["key"]] = message
            case "refused" if message["key"] is not None:
                if message["view"] is not None and self.view:
                    assert message["view"] == self.view
                    assert message["view_hash"] == hash_of(self.view)
                    assert message["seq"] == self.seq
                self.answers[message["key"]] = message

    async def until(self, so: Callable[[], object], within: float = SOON) -> None:
        """Return as soon as something is so."""
        async with asyncio.timeout(within):
            while not so():
                if self._reader is not None and self._reader.done():
                    self._reader.result()
                    assert so(), ("closed", self.close_code, self.messages[-3:])
                    return
                self._news.clear()
                await self._news.wait()

    def send(self, **message: object) -> None:
        """Send a message."""
        assert self.wire is not None
        self.wire.send(**message)

    def new_key(self) -> str:
        """A key that was never used."""
        return f"{self.round % 100}.{next(ATTEMPTS) % 10_000}.{secrets.token_urlsafe(6)}"

    def ask(self, action: str, key: str = "") -> str:
        """Send an action; its key."""
        key = key or self.new_key()
        self.answers.pop(key, None)
        self.send(type="act", key=key, action=action)
        return key

    async def answer(self, key: str, within: float = SOON) -> Message:
        """What became of an action."""
        await self.until(lambda: key in self.answers, within)
        return self.answers[key]

    async def act(self, action: str, key: str = "") -> Message:
        """Send an action and wait for the answer."""
        return await self.answer(self.ask(action, key))

    async def play(self, action: str) -> Message:
        """Act, and fail if it is refused."""
        answer = await self.act(action)
        assert answer["type"] == "ack", answer
        return answer

    async def refused(self, action: str) -> str:
        """Act, and fail if it is not refused; the code."""
        answer = await self.act(action)
        assert answer["type"] == "refused", answer
        return str(answer["code"])

    def close(self) -> None:
        """Cut the connection."""
        if self.wire is not None:
            self.wire.abort()
            self.wire = None
        for task in (self._reader, self._life):
            if task is not None:
                task.cancel()

    async def gone(self) -> None:
        """Cut the connection, and wait a moment."""
        self.close()
        await asyncio.sleep(0.05)

    # ---- what the view says

    @property
    def round(self) -> int:
        """The round, as the view tells it."""
        return int(self.view["public"]["round"]) if self.view else 0

    @property
    def phase(self) -> str:
        """The phase of the table."""
        return str(self.table["phase"])

    @property
    def moves(self) -> list[str]:
        """The moves that are offered."""
        return [option["move"] for option in self.view["options"]]

    @property
    def hand(self) -> list[int]:
        """The cards in hand."""
        hand: list[int] = self.view["hands"][self.seat][-1]
        return hand

    def some_move(self, rng: Random, *, swaps: bool = False) -> str:
        """A random legal move."""
        return rng.choice([move for move in self.moves if swaps or move != "swap"])


def canonical(value: object) -> bytes:
    """JSON with sorted keys and without blanks."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def hash_of(view: Message) -> str:
    """What a client makes of its own view."""
    return hashlib.sha256(canonical(view)).hexdigest()[:32]


async def new_player(server: Server, name: str = "Ana") -> Player:
    """A new guest, who sits nowhere."""
    answer = await ask(server, "POST", "/api/guests", {"name": name, "token": True})
    assert answer.status_code == 201, answer.text
    return Player(server, name, answer.json()["token"])


async def new_table(host: Player, **settings: object) -> str:
    """A table that somebody has made."""
    answer = await host.rest("POST", "/api/tables", settings)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["table"]["table"])


@asynccontextmanager
async def seated(
    server: Server, people: int, bots: tuple[str, ...] = (), **settings: object
) -> AsyncIterator[list[Player]]:
    """People who sit at a new table, the host first, with bots behind them; not yet started."""
    players = [await new_player(server, f"P{seat}") for seat in range(people)]
    try:
        table = await new_table(players[0], **{"seats": people + len(bots)} | settings)
        for seat, player in enumerate(players):
            await player.sit(table, seat)
            await player.connect()
        for seat, bot in enumerate(bots, people):
            await players[0].play(f"bot {seat} {bot}")
        yield players
    finally:
        for player in players:
            player.close()


async def start(players: list[Player]) -> None:
    """Start, open the seeds, and wait for the cards."""
    await players[0].play("start")
    for player in players:
        await player.until(lambda p=player: p.table["started"])  # type: ignore[misc]
        player.ask(f"open {player.seed}")
    for player in players:
        await player.until(lambda p=player: p.view)  # type: ignore[misc]


@asynccontextmanager
async def playing(
    server: Server, people: int, bots: tuple[str, ...] = (), **settings: object
) -> AsyncIterator[list[Player]]:
    """People who hold their first cards."""
    async with seated(server, people, bots, **settings) as players:
        await start(players)
        yield players


async def play_round(players: list[Player], rng: Random, *, swaps: float = 0.0) -> None:
    """Everybody chooses; return when all see the next round."""
    now = players[0].round
    for player in rng.sample(players, len(players)):
        if "swap" in player.moves and rng.random() < swaps:
            await player.play("swap")
        await player.play(player.some_move(rng))
    await all_reach(players, now + 1)


async def all_reach(players: list[Player], round_: int, within: float = SOON) -> None:
    """Wait until everybody sees a round."""
    for player in players:
        await player.until(lambda p=player: p.round >= round_, within)  # type: ignore[misc]


async def finish(players: list[Player], rng: Random) -> None:
    """Play to the end."""
    while players[0].round <= 6:
        await play_round(players, rng, swaps=0.2)


async def advance(server: Server, milliseconds: int) -> None:
    """Move the server's clock."""
    answer = await ask(server, "POST", "/api/test/clock", {"advance": milliseconds})
    assert answer.status_code == 200, answer.text


async def greeted(player: Player, **hello: object) -> Wire:
    """A bare socket of somebody's seat, with the first messages read."""
    wire = await Wire.connect(player.server.port)
    wire.send(**{"type": "hello", "protocol": 1, "token": player.token} | hello)
    return wire
