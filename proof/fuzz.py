"""Hostile input: what strangers, spectators and players may send harms nobody and is answered.

Messages go out in batches with a ping behind them; what must come back is known beforehand, because
a second reader has judged each of them. Honest games go on beside it, on the same server.
"""

import asyncio
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random

import httpx
import psutil

from proof.cases import Batch, Case, Role, kept
from proof.history import FAILURES
from proof.nonsense import CANARY, UPGRADE, Kind, message, stream
from proof.outcome import Outcome
from proof.prepared import POINTS
from proof.visits import Report, Seats, Target, Visit
from sideboards.words import words
from tests.service.live import WIRES, Player, Server, Wire, failures_in, finish, playing, serving
from tests.service.live import run as run_all

KINDS: tuple[Kind, ...] = ("random", "grammar", "grammar", "altered")
ROLES: tuple[Role, ...] = ("stranger", "spectator", "seat", "seat")
PER_SOCKET = 170
"""Messages of one socket or seat: fewer than the limit, which is 200 in 20 seconds."""
BATCH = 34
FLOODERS = 25
"""Every so many sockets one sends more than the limit in one go."""
FLOOD = 230
ATTACKERS = 6
GAMES = 5
PAUSE = 0.25
"""Seconds between two moves of an honest player."""
PATIENCE = 20
LOG_PER_CONNECTION = 200
GROWTH = 1.02
SLACK = 2 * 2**20
"""Bytes by which a short run may grow besides: a few finished games stay in memory for a minute."""
SHORT = 200_000
"""Messages below which a run is short."""
PER_STREAM = 10
"""For so many messages a stream of bytes is sent; for twice as many in a short run."""
CODE = re.compile(rb'"code":"(\w+)"')
FINE = re.compile(rb'"event":"request".*"status":[123]')
LISTENED = 0.5
"""Seconds in which bytes of a kept case may be answered."""
WAITING = 40
"""Honest messages that are kept to be altered."""


def run(folder: Path, count: int, seed: int, mutant: str = "") -> Outcome:
    """Send `count` messages, and streams of bytes beside them; no harm may come."""
    report = Report(seed, folder if mutant else FAILURES, hasty=bool(mutant))
    file = folder / "fuzz.db"
    with serving(file, mutant=mutant, program=POINTS, may_fail=True) as server:
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
        "kept cases": report.cases,
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


def replay(folder: Path, cases: Sequence[Case], mutant: str = "") -> Outcome:
    """Send cases to a new server; what goes wrong again are its faults."""
    report = Report(cases[0].seed, folder, hasty=False)

    async def all_of_them(server: Server) -> None:
        watcher = asyncio.ensure_future(_watch_lag(report))
        await _send_again(server, cases, await Seats(server, report).take(), report)
        watcher.cancel()

    with serving(folder / "cases.db", mutant=mutant, may_fail=True) as server:
        run_all(all_of_them(server), 60 + 10 * len(cases))
        log = server.log()
        _check_log(log, report)
    for line in failures_in(log)[:3]:
        report.fault(f"the server's log tells of a failure: {line[:300]}")
    return Outcome(sum(report.sent.values()), tuple(report.faults), {"cases": report.cases})


async def _send_again(
    server: Server, cases: Iterable[Case], target: Target, report: Report
) -> None:
    """Send what was sent in some cases, each over a connection of its own."""
    for case in cases:
        report.cases += 1
        if case.role == "bytes":
            report.streams += 1
            report.sent["bytes"] += len(case.batches)
            for batch in case.batches:
                await _send_bytes(server, batch.messages, LISTENED, report)
            continue
        wire = await Wire.connect(server.port)
        report.sockets += 1
        try:
            await Visit(wire, case.role, target, report).send_again(case)
        finally:
            wire.abort()
            WIRES.remove(wire)


async def _attack(server: Server, count: int, rng: Random, report: Report) -> tuple[int, int]:
    """Everything at once; the server's memory at half of it and at the end."""
    process = psutil.Process(server.pid)
    watcher = asyncio.ensure_future(_watch_lag(report))
    seats = Seats(server, report)
    shared = await seats.take()
    before = await _descriptors(process)
    chances = (Random(rng.random()) for _ in range(1000))
    games = 1 if report.hasty else GAMES
    honest = [asyncio.ensure_future(_honest(server, next(chances), report)) for _ in range(games)]
    attackers = [
        Attacker(server, seats, shared, number, next(chances), report)
        for number in range(ATTACKERS)
    ]
    if not report.hasty:
        await _send_again(server, kept(), shared, report)
    memory, short = [0, 0], count < SHORT
    streams = count // PER_STREAM // 2 // (2 if short else 1)
    for half in range(2):
        left = iter(range(count // 2 if half == 0 else count - count // 2))
        await asyncio.gather(
            *(attacker.attack(left) for attacker in attackers),
            _streams(server, max(8, streams), next(chances), report),
        )
        memory[half] = process.memory_info().rss
    report.over = True
    if report.enough:
        return memory[0], memory[1]
    await asyncio.gather(*honest)
    after = await _descriptors(process, before)
    watcher.cancel()
    allowed = memory[0] * GROWTH + (SLACK if short else 0)
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
        sent = b'{"type":"act","key":"%b","action":"%b"}' % (key.encode(), move.encode())
        report.recorded = [*report.recorded[-WAITING:], sent]
        player.send(type="draft", round=now, move=move)
        answer = await player.act(move, key)
        if answer["type"] != "ack":
            raise ConnectionRefusedError(str(answer)[:200])
        await asyncio.sleep(PAUSE)
    for player in players:
        await player.until(lambda p=player: p.round > now)  # type: ignore[misc]


# ---- attackers -----------------------------------------------------------------------------------


@dataclass(slots=True)
class Attacker:
    """Somebody who opens one socket after the other."""

    server: Server
    seats: Seats
    watched: Target
    """A seat whose table is visited by those who have none."""
    turn: int
    rng: Random
    report: Report

    async def attack(self, left: Iterator[int]) -> None:
        """Send messages as long as there are some left."""
        while not self.report.enough and (some := list(islice(left, PER_SOCKET))):
            self.turn += 1
            flooder = self.turn % FLOODERS == 0
            role: Role = "flooder" if flooder else ROLES[self.turn % len(ROLES)]
            try:
                await self._visits(role, len(some))
            except (ConnectionError, TimeoutError) as error:
                self.report.fault(f"a {role} could not connect: {type(error).__name__} {error}")
                return

    async def _visits(self, role: Role, count: int) -> None:
        """Sockets of one role, one after the other, until so many messages were sent."""
        if role != "seat":
            while count > 0 and not self.report.enough:
                count -= await self._visit(role, self.watched, count)
            return
        target = await self.seats.take()
        while count > 0 and not self.report.enough:
            count -= await self._visit(role, target, count)
        self.seats.give_back(target)

    async def _visit(self, role: Role, target: Target, count: int) -> int:
        """One socket, and messages over it until it is closed; how many were sent."""
        wire = await Wire.connect(self.server.port)
        self.report.sockets += 1
        visit = Visit(wire, role, target, self.report)
        sent = 0
        try:
            await visit.greet()
            if role == "flooder":
                await visit.flood([b"{"] * FLOOD)
                self.report.sent["too many by a flooder"] += FLOOD
                return FLOOD
            while sent < count and not visit.closed and not self.report.enough:
                kind = self.rng.choice(KINDS)
                size = min(BATCH, count - sent)
                made = [message(kind, self.report.recorded, self.rng) for _ in range(size)]
                batch = [each for each in made if not has_token(each, self.report.tokens)]
                self.report.sent[f"{kind} by a {role}"] += size
                sent += size
                await visit.batch(batch, kind)
        finally:
            wire.abort()
            WIRES.remove(wire)
        return sent


def has_token(data: bytes, tokens: set[str]) -> bool:
    """Whether a message holds a true token: parts of two forged ones may make one.

    Whoever has it is let in, and is no stranger any more.

    >>> has_token(b'{"type":"hello","token":"t.0.g.1.s"}', {"t.0.g.1.s"})
    True
    """
    return any(found.decode() in tokens for found in re.findall(rb'"token": ?"([\w.-]*)"', data))


# ---- streams of bytes --------------------------------------------------------------------------


async def _streams(server: Server, count: int, rng: Random, report: Report) -> None:
    """Connections that are no sockets of ours, four at a time."""

    async def some(chance: Random) -> None:
        for _ in range(0 if report.hasty else count // 4):
            greeted, data = stream(chance)
            report.streams += 1
            whole = UPGRADE + data if greeted else data
            cut = chance.randrange(len(whole) + 1) if chance.random() < 0.3 else len(whole)
            pieces = [whole[:cut], whole[cut:]] if cut < len(whole) else [whole]
            await _send_bytes(server, pieces, chance.choice([0.005, 0.03]), report)

    await asyncio.gather(*(some(Random(rng.random())) for _ in range(4)))


async def _send_bytes(server: Server, pieces: list[bytes], patience: float, report: Report) -> None:
    """Send bytes in pieces over a connection of their own, and look at what comes back."""
    answer = await _answer_to(server, pieces, patience)
    case = Case(report.seed, "bytes", [Batch.of("pieces", pieces)])
    for code in CODE.findall(answer):
        report.answers[code.decode()] += 1
        if f"refusal.{code.decode()}" not in words("en").texts or code == b"internal":
            report.fault(f"a stream of bytes was answered with {code.decode()}", case)
    if b"Traceback" in answer or b"Internal Server" in answer or b"HTTP/1.1 500" in answer:
        report.fault(f"a stream of bytes made something fail: {answer[:200]!r}", case)


async def _answer_to(server: Server, pieces: list[bytes], patience: float) -> bytes:
    """What comes back for some bytes within some seconds."""
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    except ConnectionError:
        return b""
    answer = b""
    try:
        for number, piece in enumerate(pieces):
            if number:
                await asyncio.sleep(0.005)
            writer.write(piece)
        async with asyncio.timeout(patience):
            while read := await reader.read(65536):
                answer += read
    except (ConnectionError, TimeoutError):
        return answer
    finally:
        writer.transport.abort()
    return answer


def _check_log(log: bytes, report: Report) -> int:
    """Look for what must not stand in a log; its bytes that hostile connections caused."""
    for secret in (CANARY, "Traceback", *report.tokens):
        if secret.encode() in log:
            report.fault(f"the log holds {secret[:12]!r}")
    hostile = sum(len(line) + 1 for line in log.splitlines() if not FINE.search(line))
    if hostile > LOG_PER_CONNECTION * (report.sockets + report.streams):
        report.fault(f"the log has {hostile} bytes for {report.sockets} sockets")
    return hostile
