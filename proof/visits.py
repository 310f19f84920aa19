"""A visit: one socket of somebody hostile, what is sent over it, and what must come back.

What that is is known beforehand, because a second reader has judged each message. If it is
something else, all that was sent over the socket is kept as a case.
"""

import asyncio
import re
import time
from collections import Counter, deque
from dataclasses import dataclass, field
from pathlib import Path

from proof.cases import Batch, Case, Role, again
from proof.held import held
from proof.nonsense import Judged, judge
from sideboards.core.game import MOST_SEATS
from sideboards.service.limits import MESSAGES
from sideboards.words import words
from tests.service.live import CLOSE, TEXT, Server, Wire, playing

WITHIN = 1.0
"""Seconds until an answer."""
LOST = 8.0
"""Seconds after which an answer is not waited for any more."""
CLOSINGS = frozenset({1000, 1002, 1003, 1005, 1007, 1008, 1009, 1012, 1013, 4001, 4003})
REFUSED = re.compile(
    rb'\{"type":"refused","code":"(\w+)","key":(null|"[^"]*"),"sentence":"([^"]+)"'
)
KEYED = re.compile(rb'\{"type":"(?:ack|pending)","key":("[^"]*")')
PHRASES = ("hello", "good_luck", "nice", "oops", "thinking", "thanks", "well_played", "goodbye")


@dataclass
class Report:
    """What was sent, what came back, and what should not have."""

    seed: int
    folder: Path
    """Where cases are kept."""
    sent: Counter[str] = field(default_factory=Counter)
    answers: Counter[str] = field(default_factory=Counter)
    closings: Counter[int] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    recorded: list[bytes] = field(default_factory=list)
    tokens: set[str] = field(default_factory=set)
    sockets: int = 0
    streams: int = 0
    games: int = 0
    cases: int = 0
    """Kept cases that were sent again."""
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

    def fault(self, sentence: str, case: Case | None = None) -> None:
        """Note what should not have happened, and what led to it; after a few it is the same."""
        if len(self.faults) >= 20:
            return
        if case is not None and not case.fault:
            case.fault = sentence
            sentence += f"; to send it again: {again(case.save(self.folder))}"
        self.faults.append(sentence)


@dataclass(frozen=True, slots=True)
class Target:
    """A seat that an attacker really has, at a table where nobody else is harmed."""

    table: str
    seat: int
    token: str
    process: int
    """The server's."""


class Seats:
    """Seats for attackers, one at a time each: a newer tab of the same seat would close the older.

    Messages are counted for a seat over all its sockets, so it rests before it is used again.
    """

    def __init__(self, server: Server, report: Report) -> None:
        self._server = server
        self._report = report
        self._rested: deque[tuple[float, Target]] = deque()
        """When each may be used, and which; the first of them first."""

    async def take(self) -> Target:
        """A seat whose messages are not counted any more, else a new one."""
        if not self._rested or self._rested[0][0] > time.monotonic():
            self._rested.extendleft([(0.0, target) for target in await self._more()])
        return self._rested.popleft()[1]

    def give_back(self, target: Target) -> None:
        """Let a seat rest."""
        self._rested.append((time.monotonic() + MESSAGES.seconds, target))

    async def _more(self) -> list[Target]:
        async with playing(self._server, MOST_SEATS) as players:
            self._report.sockets += len(players)
            table, tokens = players[0].table_id, [player.token for player in players]
        self._report.tokens |= {*tokens}
        of_table, seat, rest = tokens[0].split(".", 2)
        for token in (f"{of_table}.{1 - int(seat)}.{rest}", tokens[0][:-1], tokens[0].swapcase()):
            line = f'{{"type":"hello","protocol":1,"token":"{token}"}}'
            self._report.recorded.append(line.encode())
        return [Target(table, seat, token, self._server.pid) for seat, token in enumerate(tokens)]


class Visit:
    """One socket of an attacker, and what must come back over it."""

    def __init__(self, wire: Wire, role: Role, target: Target, report: Report) -> None:
        self._wire = wire
        self._role = role
        self._target = target
        self._report = report
        self._case = Case(report.seed, role)
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

    def _fault(self, sentence: str) -> None:
        self._report.fault(sentence, self._case)

    async def send_again(self, case: Case) -> None:
        """Send what was sent in a case."""
        await self.greet()
        for batch in case.batches:
            if self.closed:
                return
            self._report.sent[f"{batch.kind} by a {self._role}"] += len(batch.texts)
            if self._role == "flooder":
                await self.flood(batch.messages)
            else:
                await self.batch(batch.messages, batch.kind)

    async def flood(self, messages: list[bytes]) -> None:
        """Send too much, and be closed for it."""
        self._case.add(Batch.of("too many", messages))
        count = len(messages)
        for data in messages:
            self._wire.frame(TEXT, data)
        while not self.closed and self._got["refused"] < count:
            await self._take(b"a flood")
        if not self.closed:
            self._fault(f"{count} messages at once did not close the socket")

    async def batch(self, messages: list[bytes], kind: str) -> None:
        """Send messages and a ping; what comes back must be what they ask for."""
        if self._role == "stranger":  # whose greeting ends the visit, before or after what follows
            messages = sorted(messages, key=lambda data: judge(data).what == "hello")
        self._case.add(Batch.of(kind, messages))
        judged = [judge(data) for data in messages]
        begun, process = time.monotonic(), self._target.process
        waited = held(process)
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
        waited = held(process) - waited
        if took > WITHIN + self._report.lag + waited:
            late = f"lag {self._report.lag:.1f} s, kept from a core for {waited:.1f} s"
            self._fault(f"answered after {took:.1f} s, {late}")
        if self.closed:
            if not self._may_close(judged):
                self._fault(f"a {self._role} was closed for nothing: {messages[:2]!r}")
            return
        got = self._got - before
        for what in ("pong", "refused", "said"):
            if got[what] != wanted[what]:
                self._fault(
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
            self._fault(f"never answered: something like {example[:120]!r}")
            self.closed = True
            return
        if kind == CLOSE:
            code = int.from_bytes(data[:2], "big")
            self._report.closings[code] += 1
            self.closed = True
            if code not in CLOSINGS:
                self._fault(f"a {self._role} was closed with {code}")
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
                self._fault(f"an action of a {self._role} was taken: {data[:80]!r}")
        elif data.startswith(b'{"type":"said"'):
            self._got["said"] += data.endswith(b'"seat":%d}' % self._target.seat)
        elif data.startswith(b'{"type":"view"'):
            self._got["view"] += 1

    def _refused(self, data: bytes) -> None:
        found = REFUSED.match(data)
        if found is None or f"refusal.{found[1].decode()}" not in words("en").texts:
            self._fault(f"a refusal without code or sentence: {data[:120]!r}")
            return
        self._report.answers[found[1].decode()] += 1
        if found[1] == b"internal":
            self._fault("something failed in the server")
        if found[2] == b"null":
            self._got["refused"] += 1
        else:
            self._keys.add(found[2])


def _suspects(messages: list[bytes], judged: list[Judged]) -> str:
    """The shortest messages that were judged to be nothing, or to be something."""
    found = [m for m, each in zip(messages, judged, strict=True) if each.what == "nothing"]
    return " ".join(repr(m[:80]) for m in sorted(found, key=len)[-6:])
