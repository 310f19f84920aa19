"""Hostile input: what strangers, spectators and players may send harms nobody and is answered.

Messages go out in batches with a ping behind them; what must come back is known beforehand, because
a second reader has judged each of them. Honest games go on beside it, on the same server.
"""

import asyncio
import re
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from random import Random

import httpx
import psutil

from proof.nonsense import CANARY, UPGRADE, Judged, Kind, judge, message, stream
from proof.outcome import Outcome
from sideboards.words import words
from tests.service.live import (
    CLOSE,
    TEXT,
    WIRES,
    Player,
    Server,
    Wire,
    failures_in,
    finish,
    playing,
    serving,
)
from tests.service.live import run as run_all

KINDS: tuple[Kind, ...] = ("random", "grammar", "grammar", "altered")
ROLES = ("stranger", "spectator", "seat", "seat")
PER_SOCKET = 170
"""Messages of one socket: fewer than the limit, which is 200 in 20 seconds."""
BATCH = 34
FLOODERS = 25
"""Every so many sockets one sends more than the limit in one go."""
FLOOD = 230
ATTACKERS = 6
GAMES = 5
PAUSE = 0.25
"""Seconds between two moves of an honest player."""
PATIENCE = 20
WARM = 24.0
"""Seconds in which a new server still fills the tables of its objectives, and so grows."""
WITHIN = 1.0
"""Seconds until an answer."""
LOST = 8.0
"""Seconds after which an answer is not waited for any more."""
LOG_PER_CONNECTION = 200
GROWTH = 1.02
SLACK = 2 * 2**20
"""Bytes by which a short run may grow besides: a few finished games stay in memory for a minute."""
SHORT = 200_000
"""Messages below which a run is short."""
CLOSINGS = frozenset({1000, 1002, 1003, 1005, 1007, 1008, 1009, 1012, 1013, 4001, 4003})
REFUSED = re.compile(
    rb'\{"type":"refused","code":"(\w+)","key":(null|"[^"]*"),"sentence":"([^"]+)"'
)
KEYED = re.compile(rb'\{"type":"(?:ack|pending)","key":("[^"]*")')
CODE = re.compile(rb'"code":"(\w+)"')
FINE = re.compile(rb'"event":"request".*"status":[123]')
PHRASES = ("hello", "good_luck", "nice", "oops", "thinking", "thanks", "well_played", "goodbye")
WAITING = 40
"""Honest messages that are kept to be altered."""


@dataclass
class Report:
    """What was sent, what came back, and what should not have."""

    sent: Counter[str] = field(default_factory=Counter)
    answers: Counter[str] = field(default_factory=Counter)
    closings: Counter[int] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    recorded: list[bytes] = field(default_factory=list)
    tokens: set[str] = field(default_factory=set)
    sockets: int = 0
    streams: int = 0
    games: int = 0
    slowest: float = 0.0
    lag: float = 0.0
    """The longest time that this process itself was kept waiting."""
    waits: int = 0
    """How often somebody had to ask for a new table again, because storing took long."""
    hasty: bool = False
    """Whether the first fault is enough."""
    over: bool = False

    @property
    def enough(self) -> bool:
        """Whether all is known that is to be known."""
        return self.hasty and bool(self.faults)

    def fault(self, sentence: str) -> None:
        """Note what should not have happened; after a few the rest is the same."""
        if len(self.faults) < 20:
            self.faults.append(sentence)


def run(folder: Path, count: int, seed: int, mutant: str = "") -> Outcome:
    """Send `count` messages, and a stream of bytes for every twenty of them; no harm may come."""
    report = Report(hasty=bool(mutant))
    with serving(folder / "fuzz.db", mutant=mutant, may_fail=True) as server:
        begun = time.monotonic()
        memory = run_all(_attack(server, count, Random(seed), report), 60 + count / 100)
        seconds = time.monotonic() - begun
        log = server.log()
        hostile = _check_log(log, report)
    for line in failures_in(log)[:3]:
        report.fault(f"the server's log tells of a failure: {line[:300]}")
    done = sum(report.sent.values())
    figures: dict[str, float] = {
        "s": round(seconds, 1),
        "messages per s": round(done / seconds),
        "streams": report.streams,
        "sockets": report.sockets,
        "honest games": report.games,
        "s until the slowest answer": round(report.slowest, 3),
        "tables asked for again": report.waits,
        "s of own lag": round(report.lag, 3),
        "MB at half": round(memory[0] / 2**20, 1),
        "MB at the end": round(memory[1] / 2**20, 1),
        "B of log per connection": round(hostile / (report.sockets + report.streams), 1),
    }
    figures |= {f"sent: {kind}": number for kind, number in sorted(report.sent.items())}
    figures |= {f"answer: {code}": number for code, number in report.answers.most_common()}
    figures |= {f"closed: {code}": number for code, number in sorted(report.closings.items())}
    return Outcome(done, tuple(report.faults), figures)


async def _attack(server: Server, count: int, rng: Random, report: Report) -> tuple[int, int]:
    """Everything at once; the server's memory at half of it and at the end."""
    process = psutil.Process(server.pid)
    watcher = asyncio.ensure_future(_watch_lag(report))
    targets = await _targets(server, report)
    before = await _descriptors(process)
    chances = (Random(rng.random()) for _ in range(1000))
    games = 1 if report.hasty else GAMES
    honest = [asyncio.ensure_future(_honest(server, next(chances), report)) for _ in range(games)]
    attackers = [
        Attacker(server, targets[number], number, next(chances), report)
        for number in range(ATTACKERS)
    ]
    if not report.hasty:
        await asyncio.sleep(WARM)
    memory = [0, 0]
    for half in range(2):
        left = iter(range(count // 2 if half == 0 else count - count // 2))
        await asyncio.gather(
            *(attacker.attack(left) for attacker in attackers),
            _streams(server, max(8, count // 40), next(chances), report),
        )
        memory[half] = process.memory_info().rss
    report.over = True
    if report.enough:
        return memory[0], memory[1]
    await asyncio.gather(*honest)
    after = await _descriptors(process, before)
    watcher.cancel()
    allowed = memory[0] * GROWTH + (SLACK if count < SHORT else 0)
    if memory[1] > allowed:
        report.fault(f"the second half cost {(memory[1] - memory[0]) >> 10} KiB of memory")
    if after > before:
        report.fault(f"{after - before} more descriptors are open than before")
    return memory[0], memory[1]


async def _watch_lag(report: Report) -> None:
    """How long this process itself had to wait at worst: by that much answers may be late."""
    while True:
        begun = time.monotonic()
        await asyncio.sleep(0.02)
        report.lag = max(report.lag, time.monotonic() - begun - 0.02)


async def _descriptors(process: psutil.Process, wanted: int = -1) -> int:
    """The open descriptors of the server, as soon as they are as few as wanted, or in the end."""
    number = process.num_fds()
    for _ in range(5 if wanted < 0 else 60):
        if number <= wanted:
            break
        await asyncio.sleep(0.1)
        number = process.num_fds()
    return number


# ---- honest games --------------------------------------------------------------------------------


async def _honest(server: Server, rng: Random, report: Report) -> None:
    """One game after the other until the attack is over; none may see a refusal."""
    while not report.over:
        try:
            async with playing(server, 2) as players:
                await _game(players, rng, report)
        except (AssertionError, TimeoutError, ConnectionError, httpx.TransportError) as error:
            # Nobody sits there yet: it took long to store, or an idle connection had ended.
            again = '"too_slow"' in str(error) or isinstance(error, httpx.TransportError)
            if again and report.waits < PATIENCE:
                report.waits += 1
                continue
            report.fault(f"an honest game did not end: {type(error).__name__} {str(error)[:200]}")
            return


async def _game(players: list[Player], rng: Random, report: Report) -> None:
    report.sockets += 2
    report.tokens |= {player.token for player in players}
    while players[0].round <= 6 and not report.over:
        await _round(players, rng, report)
    await finish(players, rng)
    report.games += 1
    for player in players:
        if any(each["type"] == "refused" for each in player.messages):
            report.fault("an honest player was refused something")


async def _round(players: list[Player], rng: Random, report: Report) -> None:
    now = players[0].round
    for player in players:
        move = player.some_move(rng)
        key = player.new_key()
        kept = b'{"type":"act","key":"%b","action":"%b"}' % (key.encode(), move.encode())
        report.recorded = [*report.recorded[-WAITING:], kept]
        player.send(type="draft", round=now, move=move)
        answer = await player.act(move, key)
        if answer["type"] != "ack":
            raise ConnectionRefusedError(str(answer)[:200])
        await asyncio.sleep(PAUSE)
    for player in players:
        await player.until(lambda p=player: p.round > now)  # type: ignore[misc]


# ---- attackers -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Target:
    """A seat that an attacker really has, at a table where nobody else is harmed."""

    table: str
    seat: int
    token: str


async def _targets(server: Server, report: Report) -> list[Target]:
    """A seat for each attacker: a newer tab of the same seat would close the older."""
    found: list[Target] = []
    while len(found) < ATTACKERS:
        async with playing(server, 2) as players:
            report.sockets += 2
            table, tokens = players[0].table_id, [player.token for player in players]
        found += [Target(table, seat, token) for seat, token in enumerate(tokens)]
        report.tokens |= {*tokens}
        of_table, seat, rest = tokens[0].split(".", 2)
        for token in (f"{of_table}.{1 - int(seat)}.{rest}", tokens[0][:-1], tokens[0].swapcase()):
            line = f'{{"type":"hello","protocol":1,"token":"{token}"}}'
            report.recorded.append(line.encode())
    return found


@dataclass(slots=True)
class Attacker:
    """Somebody who opens one socket after the other."""

    server: Server
    target: Target
    turn: int
    rng: Random
    report: Report

    async def attack(self, left: Iterator[int]) -> None:
        """Send messages as long as there are some left."""
        while not self.report.enough and (some := list(islice(left, PER_SOCKET))):
            self.turn += 1
            role = "flooder" if self.turn % FLOODERS == 0 else ROLES[self.turn % len(ROLES)]
            count = len(some)
            try:
                while count > 0 and not self.report.enough:
                    count -= await self._visit(role, count)
            except (ConnectionError, TimeoutError) as error:
                self.report.fault(f"a {role} could not connect: {type(error).__name__} {error}")
                return

    async def _visit(self, role: str, count: int) -> int:
        """One socket, and messages over it until it is closed; how many were sent."""
        wire = await Wire.connect(self.server.port)
        self.report.sockets += 1
        visit = _Visit(wire, role, self.target, self.report)
        sent = 0
        try:
            await visit.greet()
            if role == "flooder":
                await visit.flood(FLOOD)
                self.report.sent["too many by a flooder"] += FLOOD
                return FLOOD
            while sent < count and not visit.closed and not self.report.enough:
                kind = self.rng.choice(KINDS)
                size = min(BATCH, count - sent)
                batch = [message(kind, self.report.recorded, self.rng) for _ in range(size)]
                self.report.sent[f"{kind} by a {role}"] += size
                sent += size
                await visit.batch(batch, kind)
        finally:
            wire.abort()
            WIRES.remove(wire)
        return sent


class _Visit:
    """One socket of an attacker, and what must come back over it."""

    def __init__(self, wire: Wire, role: str, target: Target, report: Report) -> None:
        self._wire = wire
        self._role = role
        self._target = target
        self._report = report
        self._got: Counter[str] = Counter()
        self._keys: set[bytes] = set()
        self.closed = False

    async def greet(self) -> None:
        """Become what this socket is to be."""
        if self._role == "stranger":
            return
        seated = self._role == "seat"
        who = {"token": self._target.token} if seated else {"table": self._target.table}
        self._wire.send(type="hello", protocol=1, **who)
        while self._got["view"] == 0 and not self.closed:
            await self._take(b"a greeting")

    async def flood(self, count: int) -> None:
        """Send too much, and be closed for it."""
        for _ in range(count):
            self._wire.frame(TEXT, b"{")
        while not self.closed and self._got["refused"] < count:
            await self._take(b"a flood")
        if not self.closed:
            self._report.fault(f"{count} messages at once did not close the socket")

    async def batch(self, messages: list[bytes], kind: str) -> None:
        """Send messages and a ping; what comes back must be what they ask for."""
        judged = [judge(data) for data in messages]
        begun = time.monotonic()
        for data in messages:
            self._wire.frame(TEXT, data)
        self._wire.frame(TEXT, b'{"type":"ping"}')
        wanted = self._wanted(judged)
        keys = {f'"{each.fields["key"]}"'.encode() for each in judged if each.what == "act"}
        # A stranger's greeting is looked up, so the goodbye comes after other answers.
        leaves = self._role == "stranger" and any(each.what == "hello" for each in judged)
        before = Counter(self._got)
        self._keys.clear()
        example = next((m for m, j in zip(messages, judged, strict=True) if j.what == "act"), b"")
        while not self.closed:
            got = self._got - before
            if got["pong"] >= wanted["pong"] and keys <= self._keys and not leaves:
                break
            await self._take(example or repr(Counter(each.what for each in judged)).encode())
        took = time.monotonic() - begun
        self._report.slowest = max(self._report.slowest, took)
        if took > WITHIN + self._report.lag:
            self._report.fault(f"answered after {took:.1f} s, lag {self._report.lag:.1f} s")
        if self.closed:
            if not self._may_close(judged):
                self._report.fault(f"a {self._role} was closed for nothing: {messages[:2]!r}")
            return
        got = self._got - before
        for what in ("pong", "refused", "said"):
            if got[what] != wanted[what]:
                self._report.fault(
                    f"{kind} by a {self._role}: {got[what]} of {what}, expected {wanted[what]}; "
                    f"{_suspects(messages, judged)}"
                )

    def _wanted(self, judged: list[Judged]) -> Counter[str]:
        """How many answers of each kind messages must get, besides those to actions."""
        wanted = Counter(pong=1)
        refused = {"nothing", "say", "hello"}
        if self._role == "stranger":
            refused.add("resync")
        for what, fields in judged:
            if what == "ping":
                wanted["pong"] += 1
            elif what == "say" and self._role == "seat" and fields["phrase"] in PHRASES:
                wanted["said"] += 1
            elif what in refused:
                wanted["refused"] += 1
        return wanted

    def _may_close(self, judged: list[Judged]) -> bool:
        """Whether something among them closes a socket."""
        ends = {"not text", "too large"} | ({"hello"} if self._role == "stranger" else set())
        return any(each.what in ends for each in judged)

    async def _take(self, example: bytes) -> None:
        """Take one frame."""
        try:
            kind, data = await asyncio.wait_for(self._wire.read(), LOST)
        except TimeoutError:
            self._report.fault(f"never answered: something like {example[:120]!r}")
            self.closed = True
            return
        if kind == CLOSE:
            code = int.from_bytes(data[:2], "big")
            self._report.closings[code] += 1
            self.closed = True
            if code not in CLOSINGS:
                self._report.fault(f"a {self._role} was closed with {code}")
        elif kind == TEXT:
            self._read(data)

    def _read(self, data: bytes) -> None:
        if data.startswith(b'{"type":"pong"'):
            self._got["pong"] += 1
        elif data.startswith(b'{"type":"refused"'):
            self._refused(data)
        elif (keyed := KEYED.match(data)) is not None:
            self._keys.add(keyed[1])
            self._report.answers["ack"] += 1
            if self._role != "seat":
                self._report.fault(f"an action of a {self._role} was taken: {data[:80]!r}")
        elif data.startswith(b'{"type":"said"'):
            self._got["said"] += data.endswith(b'"seat":%d}' % self._target.seat)
        elif data.startswith(b'{"type":"view"'):
            self._got["view"] += 1

    def _refused(self, data: bytes) -> None:
        found = REFUSED.match(data)
        if found is None or f"refusal.{found[1].decode()}" not in words("en").texts:
            self._report.fault(f"a refusal without code or sentence: {data[:120]!r}")
            return
        self._report.answers[found[1].decode()] += 1
        if found[1] == b"internal":
            self._report.fault("something failed in the server")
        if found[2] == b"null":
            self._got["refused"] += 1
        else:
            self._keys.add(found[2])


def _suspects(messages: list[bytes], judged: list[Judged]) -> str:
    """The shortest messages that were judged to be nothing, or to be something."""
    found = [m for m, each in zip(messages, judged, strict=True) if each.what == "nothing"]
    return " ".join(repr(m[:80]) for m in sorted(found, key=len)[-6:])


# ---- streams of bytes --------------------------------------------------------------------------


async def _streams(server: Server, count: int, rng: Random, report: Report) -> None:
    """Connections that are no sockets of ours, four at a time."""

    async def some(chance: Random) -> None:
        for _ in range(0 if report.hasty else count // 4):
            greeted, data = stream(chance)
            report.streams += 1
            answer = await _answer_to(server, UPGRADE + data if greeted else data, chance)
            _check_answer(answer, report)

    await asyncio.gather(*(some(Random(rng.random())) for _ in range(4)))


async def _answer_to(server: Server, data: bytes, rng: Random) -> bytes:
    """What comes back for some bytes, which come at once or in two pieces."""
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    except ConnectionError:
        return b""
    answer = b""
    try:
        cut = rng.randrange(len(data) + 1) if rng.random() < 0.3 else len(data)
        writer.write(data[:cut])
        if cut < len(data):
            await asyncio.sleep(0.005)
            writer.write(data[cut:])
        async with asyncio.timeout(rng.choice([0.005, 0.03])):
            while piece := await reader.read(65536):
                answer += piece
    except (ConnectionError, TimeoutError):
        return answer
    finally:
        writer.transport.abort()
    return answer


def _check_answer(answer: bytes, report: Report) -> None:
    for code in CODE.findall(answer):
        report.answers[code.decode()] += 1
        if f"refusal.{code.decode()}" not in words("en").texts or code == b"internal":
            report.fault(f"a stream of bytes was answered with {code.decode()}")
    if b"Traceback" in answer or b"Internal Server" in answer or b"HTTP/1.1 500" in answer:
        report.fault(f"a stream of bytes made something fail: {answer[:200]!r}")


def _check_log(log: bytes, report: Report) -> int:
    """Look for what must not stand in a log; its bytes that hostile connections caused."""
    for secret in (CANARY, "Traceback", *report.tokens):
        if secret.encode() in log:
            report.fault(f"the log holds {secret[:12]!r}")
    hostile = sum(len(line) + 1 for line in log.splitlines() if not FINE.search(line))
    if hostile > LOG_PER_CONNECTION * (report.sockets + report.streams):
        report.fault(f"the log has {hostile} bytes for {report.sockets} sockets")
    return hostile
