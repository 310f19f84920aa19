"""G6: whatever happens to the network, every action that somebody wanted is applied once.

Games of the product's own client, every seat behind a proxy of its own. Messages are cut before,
inside and after their frame in both directions, connections are refused, held, made dumb, slow
and split into bytes, and the server is stopped or killed in between.
"""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, TypeVar

import msgspec

from proof.history import Answer, Heard, History, Operation, judge
from proof.logs import logs_of, replay_faults, stored
from proof.outcome import Outcome
from proof.prepared import NOTHING
from proof.proxy import Proxy, Verdict, Way, open_way
from sideboards.client import Client, Seat, ServerRefusal, Unreachable, hash_of
from sideboards.client.line import PING_EVERY
from sideboards.data import load_edition
from sideboards.service.protocol import Settings
from tests.service.live import Server, serving
from tests.service.live import run as bounded

T = TypeVar("T")
AT_ONCE = 12
"""Games that are played at the same time."""
PATIENCE = 300.0
"""Seconds after which a game will not end any more."""
CUTS_PER_RESTART = 50
UP = ("act", "hello")
DOWN = ("ack", "view", "public", "table", "welcome")
CUTTING: tuple[Verdict, ...] = ("swallow", "half", "deliver")
STOPPED_WITHIN = 60.0
"""Seconds that a stop may take; a bound, not a goal."""
STALL = 0.8
"""Seconds that bytes are held."""
LENGTHS = (1.0, 10.0, 60.0)
"""Seconds for which nobody gets through in the long cuts of a soak."""
LONG = 0.04
"""How often a fault is a long cut there."""
SECONDS_PER_CUT = 6.0
"""Within which a run must come to its end on average; a bound, not a goal."""
DUMB_IN = 40
"""One fault in so many leaves a dumb connection, which takes nine seconds to notice."""


@dataclass(slots=True)
class Tally:
    """What has happened in a run."""

    wanted_cuts: int
    long: bool = False
    """Whether some of them last up to a minute."""
    faults: list[str] = field(default_factory=list)
    history: History = field(default_factory=History)
    kinds: Counter[str] = field(default_factory=Counter)
    games: int = 0
    actions: int = 0
    restarts: int = 0

    @property
    def cuts(self) -> int:
        """How often a connection was broken, or made dumb."""
        return sum(self.kinds.values()) - self.kinds["slow"] - self.kinds["hold"]


class Player:
    """Somebody at a seat with a bad line."""

    def __init__(self, seat: Seat, proxy: Proxy, tally: Tally, rng: Random) -> None:
        self.seat = seat
        self.proxy = proxy
        self._tally = tally
        self._rng = rng
        self._armed = False

    async def play(self) -> None:
        """Choose until the game is over; sometimes swap, sometimes take a choice back."""
        seat, rng = self.seat, self._rng
        while (view := await seat.turn()) is not None:
            self._note()
            moves = [str(move) for move in view.legal]
            if "swap" in moves:
                moves.remove("swap")
                if rng.random() < 0.3:
                    await self._want("swap")
                    continue
            await self._want(rng.choice(moves))
            if rng.random() < 0.4 and not seat.may_choose:
                await self._want("undo")
        self.proxy.rule, self.proxy.delay, self.proxy.piece = open_way, None, 0
        await seat.ended()
        self._note()

    async def _want(self, action: str) -> None:
        self._trouble()
        seat, sitting = self.seat, self.seat.sitting
        operation = Operation(sitting.table, sitting.seat, "", action, [time.monotonic()])
        playing = asyncio.ensure_future(seat.play(action))
        await asyncio.sleep(0)  # now it is on its way, and so in doubt even if a fault ends all
        operation.key = next(reversed(seat._asked), "")
        self._tally.history.operations.append(operation)
        try:
            ack = await playing
        except ServerRefusal as refusal:
            operation.answers.append(Answer(time.monotonic(), "refused", None, refusal.code))
            if (action, refusal.code) != ("undo", "round_closed"):
                self._tally.faults.append(
                    f"refused: {action} of seat {sitting.seat} got {refusal.code}"
                )
        else:
            operation.key = ack.key
            operation.answers.append(Answer(time.monotonic(), "ack", ack.seq))
        self._note()
        self._tally.actions += 1

    def _note(self) -> None:
        """Keep what this seat now knows."""
        info, sitting = self.seat.info, self.seat.sitting
        if info is not None:
            public = info.public
            heard = Heard(
                at=time.monotonic(),
                table=sitting.table,
                seat=sitting.seat,
                seq=self.seat.seq,
                round=public.round,
                hash=hash_of(msgspec.json.encode(info)),
                public=hash_of(msgspec.json.encode(public)),
                sealed=public.sealed,
                boards=info.boards,
                choice=info.choice,
            )
            self._tally.history.heard.append(heard)

    # ---- what goes wrong ---------------------------------------------------------------------

    def _trouble(self) -> None:
        """Arrange the next fault, unless one is yet to come."""
        rng, proxy = self._rng, self.proxy
        if self._armed or self._tally.cuts >= self._tally.wanted_cuts:
            return
        proxy.piece = rng.choice((0, 0, 0, 0, 0, 0, 1, 7, 7, 50))
        proxy.delay = (lambda: rng.uniform(0, 0.02)) if rng.random() < 0.3 else None
        if proxy.piece or proxy.delay:
            self._count("slow")
        if self._tally.long and rng.random() < LONG:
            seconds = rng.choice(LENGTHS)
            self._keep_out(seconds, f"{seconds:.0f} s")
            return
        chance = rng.random()
        if chance < 1 / DUMB_IN:
            self._at_message(("act",), ("ack",), "lose")
        elif chance < 0.75:
            self._at_message(UP, DOWN, rng.choice(CUTTING))
        elif chance < 0.85:
            self._later(proxy.cut, rng.uniform(0, 0.05))
        elif chance < 0.93:
            self._refuse()
        else:
            self._hold()

    def _at_message(self, up: tuple[str, ...], down: tuple[str, ...], verdict: Verdict) -> None:
        """Cut at the next message of a kind, and perhaps once more when it comes back."""
        rng, proxy = self._rng, self.proxy
        kind = rng.choice((rng.choice(up), rng.choice(down)))
        way: Way = "up" if kind in UP else "down"
        if kind in ("hello", "welcome"):  # these come with a new connection only
            proxy.cut()
            self._count("cut")

        def rule(now: Way, message: dict[str, Any]) -> Verdict:
            if (now, message["type"]) != (way, kind):
                return "pass"
            proxy.rule, self._armed = open_way, False
            self._count(f"{verdict} {way}")
            return verdict

        proxy.rule, self._armed = rule, True

    def _later(self, what: Callable[[], None], seconds: float, kind: str = "cut") -> None:
        def now() -> None:
            self._armed = False
            what()
            self._count(kind)

        self._armed = True
        asyncio.get_running_loop().call_later(seconds, now)

    def _refuse(self) -> None:
        self._keep_out(self._rng.uniform(0.1, 0.6), "refuse")

    def _keep_out(self, seconds: float, kind: str) -> None:
        """Break the connection, and let nobody through for a while."""
        self.proxy.refuse()
        self.proxy.cut()
        self._later(self.proxy.mend, seconds, kind)

    def _hold(self) -> None:
        ways: tuple[Way, ...] = self._rng.choice((("up",), ("down",), ("up", "down")))
        self.proxy.stall(*ways, keep=True)
        self._later(self.proxy.heal, self._rng.uniform(0.1, STALL), "hold")

    def _count(self, kind: str) -> None:
        self._tally.kinds[kind] += 1


# ---- games -----------------------------------------------------------------------------------


class Games:
    """The games of a run, and the server that they are played on."""

    def __init__(self, server: Server, tally: Tally, seed: int) -> None:
        self._server = server
        self._tally = tally
        self._seed = seed
        self._proxies: set[Proxy] = set()
        self.played: dict[str, list[Player]] = {}
        """Who played at which table."""

    async def run(self) -> None:
        """Play until there were cuts enough, many games at a time; the first fault ends it."""
        loop = asyncio.get_running_loop()
        restarting = loop.create_task(self._restart())
        playing = {loop.create_task(self._one_after_the_other()) for _ in range(AT_ONCE)}
        tasks = {restarting, *playing}
        try:
            while not self._tally.faults and not all(task.done() for task in playing):
                done, _ = await asyncio.wait(tasks, timeout=0.2, return_when="FIRST_EXCEPTION")
                for task in done:
                    task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _one_after_the_other(self) -> None:
        tally = self._tally
        while tally.cuts < tally.wanted_cuts:
            number, tally.games = tally.games, tally.games + 1
            rng = Random(f"{self._seed} {number}")
            await self._game(rng, rng.choice((2, 2, 2, 3)))

    async def _game(self, rng: Random, seats: int) -> None:
        async with AsyncExitStack() as stack:
            proxies = [await stack.enter_async_context(self._proxy()) for _ in range(seats)]
            clients = [await stack.enter_async_context(Client(p.url)) for p in proxies]
            table = await self._seated(clients)
            players = [
                Player(
                    await stack.enter_async_context(client.seat(table)),
                    proxy,
                    self._tally,
                    Random(rng.random()),
                )
                for client, proxy in zip(clients, proxies, strict=True)
            ]
            self.played[table] = players
            try:
                async with asyncio.timeout(PATIENCE):
                    await players[0].seat.play("start")
                    await asyncio.gather(*(player.play() for player in players))
                    await self._compare(table, clients, players)
            except TimeoutError:
                waits = [
                    f"seat {p.seat.sitting.seat} in round {p.seat.view and p.seat.view.round}"
                    for p in players
                    if not p.seat.over
                ]
                self._tally.faults.append(
                    f"unfinished: table {table} after {PATIENCE:.0f} s: {', '.join(waits)}"
                )

    async def _seated(self, clients: list[Client]) -> str:
        """A table at which everybody sits; requests that a restart breaks are made again."""
        for number, client in enumerate(clients):
            await again(lambda c=client, n=number: c.sign_in(f"P{n}"))  # type: ignore[misc] # defaults
        settings = Settings(seats=len(clients))
        table = (await again(lambda: clients[0].create(settings))).table
        for client in clients:
            await again(lambda c=client: c.sit(table))  # type: ignore[misc]
        return table

    async def _compare(self, table: str, clients: list[Client], players: list[Player]) -> None:
        """At the end everybody has the server's own view, and all the same boards."""
        boards = set()
        for client, player in zip(clients, players, strict=True):
            seat = player.seat
            boards.add(None if seat.info is None else (seat.info.boards, seat.info.played))
            shown = await again(lambda c=client: c._fetch("GET", f"/tables/{table}/view"))  # type: ignore[misc]
            told = msgspec.json.decode(shown.content)
            name = f"seat {seat.sitting.seat} at table {table}"
            if told["view"] != msgspec.json.decode(msgspec.json.encode(seat.info)):
                self._tally.faults.append(f"differs: {name} has another view than the server")
            if seat.mismatches:
                self._tally.faults.append(
                    f"differs: {name} had wrong views {seat.mismatches} times"
                )
            if seat.fair is not True:
                self._tally.faults.append(f"unfair: {name} finds that the deal was {seat.fair}")
        if len(boards) != 1:
            self._tally.faults.append(f"differs: the seats at table {table} see other boards")

    @asynccontextmanager
    async def _proxy(self) -> AsyncIterator[Proxy]:
        async with Proxy(self._server.port) as proxy:
            self._proxies.add(proxy)
            try:
                yield proxy
            finally:
                self._proxies.discard(proxy)

    async def _restart(self) -> None:
        """Stop or kill the server now and then, and start it again."""
        server, tally, at = self._server, self._tally, CUTS_PER_RESTART // 2
        while True:
            while tally.cuts < at:
                await asyncio.sleep(0.05)
            at += CUTS_PER_RESTART
            if tally.restarts % 2 == 0:
                server.terminate()
                await server.ended(STOPPED_WITHIN)
            await asyncio.to_thread(server.kill)
            await asyncio.to_thread(server.start)
            for proxy in self._proxies:
                proxy.target = server.port
            tally.restarts += 1


async def again(ask: Callable[[], Awaitable[T]]) -> T:
    """The answer to a request, which is made again while a server stops or there is none."""
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                return await ask()
            except (ServerRefusal, Unreachable) as refusal:
                if not refusal.passes:
                    raise
            await asyncio.sleep(0.2)


def soak(folder: Path, count: int, seed: int) -> Outcome:
    """The same with some cuts of 1, 10 and 60 seconds among the short ones."""
    return run(folder, count, seed, long=True)


def run(folder: Path, count: int, seed: int, mutant: str = "", *, long: bool = False) -> Outcome:
    """Play until there were `count` cuts; what was lost, doubled, or seen in two ways."""
    tally = Tally(count, long)
    database = folder / "cuts.db"
    with serving(database, mutant=mutant, program=NOTHING, may_fail=bool(mutant)) as server:
        games = Games(server, tally, seed)
        begun = time.monotonic()
        bounded(games.run(), 2 * PATIENCE + SECONDS_PER_CUT * count)
        seconds = time.monotonic() - begun
    history, edition = tally.history, load_edition()
    for table, log in logs_of(database).items():
        players = games.played.get(table)
        if players and all(player.seat.over for player in players):
            tally.faults += replay_faults(table, log, edition)
    history.logs = stored(database)
    return Outcome(
        tally.cuts,
        judge(history, f"cuts-{seed}", keep=not mutant, others=tally.faults),
        {
            "games": tally.games,
            "actions": tally.actions,
            "restarts": tally.restarts,
            "s": seconds,
            **tally.kinds,
        },
    )


# ---- half-open connections -------------------------------------------------------------------

NOTICED_WITHIN = 12.0
BACK_WITHIN = 6.0
SILENCES: tuple[tuple[Way, ...], ...] = (("up",), ("down",), ("up", "down"))


def half_open(folder: Path, count: int, seed: int, mutant: str = "") -> Outcome:
    """Row 16: connections that seem to live while all bytes are lost, on one way or on both.

    The client notices it in time, and is back soon after the network is.
    """
    noticed: list[float] = []
    back: list[float] = []
    faults: list[str] = []

    async def silence(server: Server, number: int) -> None:
        ways = SILENCES[number % len(SILENCES)]
        name = f"with bytes lost {' and '.join(ways)}"
        loop, rng = asyncio.get_running_loop(), Random(f"{seed} {number}")
        async with Proxy(server.port) as proxy, Client(proxy.url) as client:
            await client.sign_in("Ana")
            table = (await client.create(Settings(seats=1))).table
            await client.sit(table)
            async with client.seat(table) as seat:
                await seat.play("start")
                view = await seat.dealt()
                await asyncio.sleep(rng.uniform(0, PING_EVERY))
                proxy.stall(*ways)
                begun = loop.time()
                playing = asyncio.ensure_future(seat.play(rng.choice(view.legal)))
                try:
                    async with asyncio.timeout(NOTICED_WITHIN):
                        await seat.until(lambda: seat.losses > 0)
                    noticed.append(loop.time() - begun)
                except TimeoutError:
                    faults.append(f"unnoticed: after {NOTICED_WITHIN:.0f} s {name}")
                    playing.cancel()
                    return
                if number % 2:  # who comes back is sent away, and so waits longer each time
                    proxy.refuse()
                await asyncio.sleep(rng.uniform(0, PING_EVERY))
                proxy.mend()
                proxy.heal()
                begun = loop.time()
                try:
                    async with asyncio.timeout(BACK_WITHIN):
                        await playing
                    back.append(loop.time() - begun)
                except TimeoutError:
                    faults.append(f"away: {BACK_WITHIN:.0f} s after the network is back, {name}")
                if seat.seq > 2:
                    faults.append(f"duplicated: {seat.seq - 1} events instead of one {name}")

    async def all_of_them(server: Server) -> None:
        async with asyncio.TaskGroup() as group:
            for number in range(count):
                group.create_task(silence(server, number))

    file = folder / "silence.db"
    with serving(file, mutant=mutant, program=NOTHING, may_fail=bool(mutant)) as server:
        bounded(all_of_them(server), PATIENCE)
    longest = {"s until noticed": max(noticed, default=0), "s until back": max(back, default=0)}
    return Outcome(len(back), tuple(faults), longest)
