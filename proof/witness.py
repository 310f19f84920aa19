"""Witnesses: people at many tables who play, come back, ask again, and write down all of it."""

import asyncio
import hashlib
import json
import time
from asyncio import IncompleteReadError
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from proof.held import held
from proof.history import LATER, Answer, Heard, History, Operation
from proof.scanner import Scanner
from sideboards.core.game import LAST_ROUND
from tests.service.live import CLOSE, TEXT, Message, Server, Wire, canonical, hash_of, playing

RESEND = 2.5
"""Seconds after which an unanswered request is sent again."""
SIGN_OF_LIFE = 2.0
FORGETS = 0.25
"""How often somebody who comes back does not ask again: that stays in doubt for ever."""
REPEATS = 0.5
"""How often somebody who comes back asks again for what was acknowledged already."""
TOGETHER = 3
"""Tables that are made at the same time."""


class Crowd:
    """Everybody at some tables, on one server or several."""

    def __init__(
        self,
        servers: Sequence[Server],
        rng: Random,
        pause: tuple[float, float] = (0.05, 0.35),
    ) -> None:
        """`pause`: the least and the most seconds that somebody thinks."""
        self.servers = servers
        self.history = History()
        self.people: list[Witness] = []
        self.faults: list[str] = []
        """What no client should ever hear."""
        self.pause = pause
        self.rounds = 0
        """How many rounds may be closed by now; until then people change their minds."""
        self.acked_by = [0 for _ in servers]
        """How many actions each server has acknowledged."""
        self.pending = 0
        """How often somebody heard that it takes longer."""
        self.lost = 0
        """How often a connection ended before the game."""
        self._rng = rng
        self._tasks: list[asyncio.Task[None]] = []

    async def sit_down(self, tables: Sequence[int]) -> None:
        """Make a table for each number of people, and deal."""
        gate = asyncio.Semaphore(TOGETHER)

        async def one(people: int) -> list[tuple[str, int, str]]:
            async with gate:
                while True:
                    try:
                        async with playing(self.servers[0], people) as players:
                            return [(p.table_id, seat, p.token) for seat, p in enumerate(players)]
                    except AssertionError as error:
                        if "too_slow" not in str(error):  # else the machine has too much to do
                            raise

        for seats in await asyncio.gather(*map(one, tables)):
            for table, seat, token in seats:
                rng = Random(self._rng.getrandbits(64))
                self.people.append(Witness(self, table, seat, token=token, rng=rng))

    async def __aenter__(self) -> "Crowd":
        """Everybody begins to play."""
        works = [work() for person in self.people for work in (person.live, person.play)]
        self._tasks = [asyncio.ensure_future(work) for work in works]
        return self

    async def __aexit__(self, *_: object) -> None:
        """Everybody goes.

        Python 3.11 forgets a cancellation that comes just when something is over that was waited
        for with a limit, such as a handshake; so it is repeated until everybody has gone.
        """
        going = set(self._tasks)
        while going:
            for task in going:
                task.cancel()
            going = (await asyncio.wait(going, timeout=0.1))[1]
        for task in self._tasks:
            if not task.cancelled():
                task.result()

    async def until(self, so: Callable[[], bool], within: float) -> bool:
        """Whether something becomes so in time; a failure of a witness is raised."""
        end = time.monotonic() + within
        while not so():
            for task in self._tasks:
                if task.done():
                    task.result()
            if time.monotonic() > end:
                return False
            await asyncio.sleep(0.01)
        return True

    async def acks(self, count: int, within: float) -> bool:
        """Whether so many further actions are acknowledged in time."""
        before = self.acked
        return await self.until(lambda: self.acked >= before + count, within)

    async def all_here(self, within: float) -> bool:
        """Whether everybody has a connection and a view in time."""
        return await self.until(lambda: all(p.view or p.over for p in self.people), within)

    async def flows(
        self, servers: Sequence[Server], after: str, within: float, patience: float
    ) -> float:
        """Seconds until each of some servers acknowledges something new; too many are a fault."""
        processes = [server.pid for server in servers]
        begun, waited = time.monotonic(), held(*processes)
        before = [*self.acked_by]
        numbers = [self.servers.index(server) for server in servers]

        def all_flow() -> bool:
            still = [n for n in numbers if self.acked_by[n] <= before[n]]
            for number in still:
                self._send_somebody(number)
            return not still

        flow = await self.until(all_flow, patience)
        took = time.monotonic() - begun
        if not flow or took > within + held(*processes) - waited:
            self.faults.append(f"after {after} moves flow after {took:.1f} s; expected {within}")
        return took

    def _send_somebody(self, number: int) -> None:
        """See to it that somebody who may act is at a server, or on the way there."""
        able = [person for person in self.people if person.acts]
        here = [person for person in able if person.view]
        if here and not any(person.bound == number for person in able):
            self._rng.choice(here).drop(to=number)

    def scatter(self) -> None:
        """Cut the connections of half of them; each comes back to any server."""
        for person in self._rng.sample(self.people, len(self.people) // 2):
            person.drop()

    async def finish(self, within: float) -> None:
        """Play all games to their end; whoever does not come there is told as a fault."""
        self.rounds = LAST_ROUND + 1
        await self.until(lambda: all(person.over for person in self.people), within)
        for person in self.people:
            if not person.over:
                said = person.view.get("public") and person.view["public"]["round"]
                self.faults.append(f"{person} did not reach the end: in round {said}")

    @property
    def acked(self) -> int:
        """How many actions were acknowledged."""
        return sum(self.acked_by)

    @property
    def under_way(self) -> int:
        """How many people wait for an answer."""
        return sum(person.waits for person in self.people)

    @property
    def in_doubt(self) -> int:
        """How many operations have no answer."""
        return sum(operation.in_doubt for operation in self.history.operations)


class Witness:
    """One person at one seat."""

    def __init__(self, crowd: Crowd, table: str, seat: int, *, token: str, rng: Random) -> None:
        self.crowd = crowd
        self.table = table
        self.seat = seat
        self.number = 0
        """The server to which this person is connected; any of them may be next."""
        self._next: int | None = None
        """Where this person was sent."""
        self.view: Message = {}
        self.seq = 0
        self.over = False
        self._token = token
        self._rng = rng
        self._scanner = Scanner(seat)
        self._wire: Wire | None = None
        self._open: Operation | None = None
        self._again = 0.0
        """When the open request is sent again."""
        self._sent = 0.0
        self._asked: dict[str, Operation] = {}
        self._done: list[Operation] = []
        """What was acknowledged last."""

    def __str__(self) -> str:
        return f"seat {self.seat} at table {self.table}"

    @property
    def waits(self) -> bool:
        """Whether something was asked for and not yet answered."""
        return self._open is not None

    # ---- the connection

    async def live(self) -> None:
        """Be connected until the game is over."""
        while not self.over:
            try:
                self.number = self._rng.randrange(len(self.crowd.servers))
                if self._next is not None:
                    self.number, self._next = self._next, None
                wire = await Wire.connect(self.crowd.servers[self.number].port)
            except (OSError, IncompleteReadError, TimeoutError):
                await asyncio.sleep(self._rng.uniform(0.02, 0.15))
                continue
            wire.send(type="hello", protocol=1, token=self._token)
            await self._listen(wire)
            self.crowd.lost += not self.over
            self.view, self._wire = {}, None
            wire.abort()
            await asyncio.sleep(self._rng.uniform(0.0, 0.1))

    async def _listen(self, wire: Wire) -> None:
        while True:
            kind, data = await wire.read()
            if kind == CLOSE:
                code = int.from_bytes(data[:2], "big")
                if code not in (0, 1012, 1013):
                    self.crowd.faults.append(f"{self} was closed with {code}")
                return
            if kind != TEXT:
                continue
            message = hash_checked(data, self.crowd.faults)
            self.crowd.history.leaks += [f"{self}: {leak}" for leak in self._scanner.hear(data)]
            self._take(message)
            if self._wire is None and self.view:
                self._wire = wire
                self._come_back()
            if self.over:
                return

    @property
    def bound(self) -> int:
        """The server to which this person is connected, or will be."""
        return self.number if self._next is None else self._next

    @property
    def acts(self) -> bool:
        """Whether this person may do something in this round, once connected."""
        return not self.over and (not self.view or not self._holds_back)

    def drop(self, to: int | None = None) -> None:
        """Lose the connection; `to` is the server to come back to."""
        self._next = to
        if self._wire is not None:
            self._wire.abort()

    def _come_back(self) -> None:
        """Ask again for what was not answered, or forget it; perhaps repeat what is done."""
        if self._rng.random() < REPEATS:
            for operation in self._done:
                self._send(operation)
        if self._open is not None:
            if self._rng.random() < FORGETS:
                self._open = None
            else:
                self._send(self._open)

    def _take(self, message: Message) -> None:
        match message["type"]:
            case "view":
                self._see(message["view"], message["seq"])
            case "public" if self.view:
                self._see({**self.view, "public": message["public"]}, message["seq"])
            case "ack" | "refused" if message["key"] is not None:
                if message["view"] is not None:
                    self._see(message["view"], message["seq"])
                self._answered(message)
            case "pending":
                self.crowd.pending += message["key"] is not None

    def _see(self, view: Message, seq: int) -> None:
        self.view, self.seq = view, seq
        public = view["public"]
        heard = Heard(
            at=time.monotonic(),
            table=self.table,
            seat=self.seat,
            seq=seq,
            round=public["round"],
            hash=hash_of(view),
            public=hashlib.sha256(canonical(public)).hexdigest()[:16],
            sealed=tuple(public["sealed"]),
            boards=tuple(view["boards"]),
            choice=view["choice"],
            server=self.number,
        )
        self.crowd.history.heard.append(heard)
        self.over = view["result"] is not None

    def _answered(self, message: Message) -> None:
        operation = self._asked.get(message["key"])
        if operation is None:
            self.crowd.faults.append(f"{self} heard of {message['key']}, which it never sent")
            return
        now, code = time.monotonic(), message.get("code", "")
        operation.answers.append(Answer(now, message["type"], message["seq"], code))
        if message["type"] == "ack":
            if sum(answer.type == "ack" for answer in operation.answers) == 1:
                self.crowd.acked_by[self.number] += 1
                self._done = [*self._done[-2:], operation]
        elif code in LATER and operation is self._open:
            self._again = now + self._rng.uniform(0.2, 0.5)
            return
        if operation is self._open:
            self._open = None

    def _send(self, operation: Operation) -> None:
        if self._wire is not None:
            now = time.monotonic()
            operation.sent.append(now)
            self._sent, self._again = now, now + RESEND
            self._wire.send(type="act", key=operation.key, action=operation.action)

    # ---- playing

    async def play(self) -> None:
        """Choose, change one's mind, choose again, until the game is over."""
        count = 0
        while not self.over:
            await asyncio.sleep(self._rng.uniform(*self.crowd.pause))
            now = time.monotonic()
            if self._wire is None or not self.view:
                continue
            if self._open is not None:
                if now > self._again:
                    self._send(self._open)
            elif (action := self._choice()) is not None:
                count += 1
                nonce = f"{self._rng.getrandbits(48):012x}"
                key = f"{self.view['public']['round']}.{count % 10_000}.{nonce}"
                self._open = Operation(self.table, self.seat, key, action)
                self._asked[key] = self._open
                self.crowd.history.operations.append(self._open)
                self._send(self._open)
            elif now - self._sent > SIGN_OF_LIFE:
                self._sent = now
                self._wire.send(type="ping")

    @property
    def _holds_back(self) -> bool:
        public: dict[str, Any] = self.view["public"]
        now, seats = public["round"], len(public["sealed"])
        return bool(self.seat == now % seats and now >= self.crowd.rounds)

    def _choice(self) -> str | None:
        """What to do next; in each round one seat holds the others back until it may close."""
        if self.view["choice"] is not None:
            return "undo" if self._rng.random() < 0.3 else None
        moves: list[str] = [option["move"] for option in self.view["options"]]
        if "swap" in moves and self._rng.random() < 0.1:
            return "swap"
        if self._holds_back:
            return None
        return self._rng.choice([move for move in moves if move != "swap"])


def hash_checked(data: bytes, faults: list[str]) -> Message:
    """A message; if its view has not the hash that it tells, that is a fault."""
    message: Message = json.loads(data)
    told = message.get("view_hash") or message.get("hash")
    if told and message.get("view") and hash_of(message["view"]) != told:
        faults.append(f"a view has another hash than the {told} that was told with it")
    return message
