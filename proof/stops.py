"""G10: a planned stop answers all that is under way; an upgrade and the way back harm no game."""

import asyncio
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from random import Random

from bench.filling import fill
from proof.ahead import write_steps
from proof.held import held
from proof.history import Answer, History, Operation, judge
from proof.logs import logs_of, replay_faults, stored
from proof.outcome import Outcome
from proof.prepared import NOTHING
from sideboards.core.game import LAST_ROUND
from sideboards.core.refusal import Refusal
from sideboards.data import load_edition
from sideboards.service.sqlite_file import open_locked
from tests.service.live import (
    Player,
    Server,
    all_reach,
    play_round,
    playing,
    serving,
)
from tests.service.live import run as bounded

UNDER_WAY = 1.5
"""Seconds that are played before the stop."""
PAUSES = (0.05, 0.25)
"""Seconds between an answer and the next action of a seat."""
STOPPED_WITHIN = 5.0
PATIENCE = 30.0
LIMIT = 300.0
RESTART = 1012


class Hurry:
    """People who act again and again, and what became of it."""

    def __init__(self, players: list[Player], seed: int) -> None:
        self._players = players
        self._seed = seed
        self.asked: list[tuple[Player, Operation]] = []
        self.faults: list[str] = []
        self.figures: dict[str, float] = {}

    async def until_stopped(self, server: Server) -> None:
        """Act until the server, which is told to stop, has gone."""
        for some in range(0, len(self._players), 20):
            await asyncio.gather(*(p.connect() for p in self._players[some : some + 20]))
        tasks = [asyncio.ensure_future(self._act(player)) for player in self._players]
        await asyncio.sleep(UNDER_WAY)
        while not (waiting := self._waiting()):  # an answer takes less than a millisecond
            await asyncio.sleep(0)
        code, seconds, waited = await _stopped(server)
        if seconds > STOPPED_WITHIN + waited:
            self.faults.append(f"slow: the server took {seconds:.1f} s to stop")
        if code != 0:
            self.faults.append(f"code: the server ended with {code}")
        await asyncio.wait_for(asyncio.gather(*tasks), PATIENCE)
        goodbyes = {player.close_code for player in self._players}
        if goodbyes != {RESTART}:
            self.faults.append(f"goodbye: sockets were closed with {goodbyes}")
        for player, operation in self.asked:
            answer = player.answers.get(operation.key)
            if answer is not None:
                operation.answers.append(heard(answer))
            elif operation.key in waiting:
                self.faults.append(f"unanswered: {operation}, sent before the stop")
        self.figures = {
            "s to stop": seconds,
            "in flight": len(waiting),
            "asked": len(self.asked),
            "acked": sum(operation.acknowledged for _, operation in self.asked),
        }

    def _waiting(self) -> set[str]:
        """The keys of what was asked for and is not yet answered."""
        return {op.key for player, op in self.asked if op.key not in player.answers}

    async def _act(self, player: Player) -> None:
        rng = Random(f"{self._seed} {player.table_id} {player.seat}")
        while player.close_code is None:
            action = rng.choice(player.moves) if player.moves else "undo"
            key = player.ask(action)
            seat = player.seat if player.seat is not None else -1
            operation = Operation(player.table_id, seat, key, action, [time.monotonic()])
            self.asked.append((player, operation))
            with suppress(AssertionError):  # closed before the answer
                await player.until(
                    lambda k=key: k in player.answers or player.close_code is not None,  # type: ignore[misc]
                    PATIENCE,
                )
            await asyncio.sleep(rng.uniform(*PAUSES))


async def _stopped(server: Server) -> tuple[int | None, float, float]:
    """The code with which a server stops, in how many seconds; for how many it was held up."""
    begun, before, waited = time.monotonic(), held(server.pid), 0.0
    server.terminate()
    ending = asyncio.ensure_future(server.ended(PATIENCE))
    while not (await asyncio.wait({ending}, timeout=0.05))[0]:
        waited = max(waited, held(server.pid) - before)
    code: int | None = None
    with suppress(subprocess.TimeoutExpired):
        code = await ending
    return code, time.monotonic() - begun, waited


def heard(answer: dict[str, object]) -> Answer:
    """An answer as histories keep it."""
    kind, seq = answer["type"], answer.get("seq")
    return Answer(
        time.monotonic(),
        "ack" if kind == "ack" else "refused",
        seq if isinstance(seq, int) else None,
        str(answer.get("code", "")),
    )


def run(folder: Path, count: int, seed: int, mutant: str = "") -> Outcome:
    """A stop with `count` games of four under way, and what is there after a start."""
    file = folder / "stops.db"
    dealt = asyncio.run(fill(file, count))
    with serving(file, mutant=mutant, program=NOTHING, may_fail=bool(mutant)) as server:
        hurry = Hurry(people(server, [(d.table, d.tokens) for d in dealt]), seed)
        bounded(hurry.until_stopped(server), LIMIT)
        logs = stored(file)
        keys = {event.key for log in logs.values() for event in log}
        for _, operation in hurry.asked:
            if not operation.answers and f"{operation.seat}.{operation.key}" in keys:
                hurry.faults.append(f"unanswered: {operation}, which is stored")
        server.kill()
        server.start()
        bounded(afterwards(server, hurry), LIMIT)
    history = History([operation for _, operation in hurry.asked], [], stored(file))
    faults = judge(history, f"stops-{seed}", keep=not mutant, others=hurry.faults)
    return Outcome(count, faults, hurry.figures)


def people(server: Server, tables: Iterable[tuple[str, tuple[str, ...]]]) -> list[Player]:
    """Those who sit at tables, by their tokens."""
    found = []
    for table, tokens in tables:
        for seat, token in enumerate(tokens):
            player = Player(server, f"P{seat}", "")
            player.table_id, player.seat, player.token = table, seat, token
            found.append(player)
    return found


async def afterwards(server: Server, hurry: Hurry) -> None:
    """Everybody comes back to what was acknowledged, asks again for the rest, and plays on."""
    returning = list(by_player(hurry.asked).items())
    for some in range(0, len(returning), 20):
        back = (_back(server, hurry, *each) for each in returning[some : some + 20])
        await asyncio.gather(*back)


async def _back(server: Server, hurry: Hurry, player: Player, operations: list[Operation]) -> None:
    (again,) = people(server, [(player.table_id, (player.token,))])
    again.seat = player.seat
    await again.connect()
    latest = max((a.seq or 0 for o in operations for a in o.answers if a.type == "ack"), default=1)
    if again.seq < latest:
        hurry.faults.append(f"lost: seat {player.seat} saw {latest} events, now {again.seq}")
    for operation in [o for o in operations if not o.answers] + operations[-1:]:
        operation.sent.append(time.monotonic())
        operation.answers.append(heard(await again.act(operation.action, operation.key)))
    again.close()


def by_player(asked: list[tuple[Player, Operation]]) -> dict[Player, list[Operation]]:
    """What everybody has asked for, in order."""
    found: dict[Player, list[Operation]] = {}
    for player, operation in asked:
        found.setdefault(player, []).append(operation)
    return found


# ---- upgrade ---------------------------------------------------------------------------------


def upgrade(folder: Path, count: int, seed: int, mutant: str = "") -> Outcome:
    """`count` games, in all rounds in turn, go on after an upgrade and after the way back."""
    fresh = Path(tempfile.mkdtemp(dir=folder))
    file, steps = fresh / "upgrade.db", fresh / "steps"
    ahead, faults, rng = write_steps(steps), list[str](), Random(seed)
    games: list[list[Player]] = []

    def with_server(program: tuple[str, ...], body: Callable[[Server], object]) -> None:
        """A server for as long as something takes, which then is told to stop."""
        bug = "" if program else mutant
        program = program or NOTHING
        with serving(file, may_fail=bool(mutant), mutant=bug, program=program) as server:
            body(server)
            server.terminate()
            bounded(server.ended(PATIENCE))

    def begin(server: Server) -> None:
        bounded(begun(server, count, rng, games), LIMIT)

    def go_on(server: Server) -> None:
        bounded(gone_on(server, games, rng, faults, rounds=1), LIMIT)

    def to_the_end(server: Server) -> None:
        bounded(gone_on(server, games, rng, faults, rounds=LAST_ROUND + 1), LIMIT)

    with_server((), begin)
    open_locked(file, None, steps).close()
    try:
        open_locked(file).close()
        faults.append("version: a file of a newer version was opened")
    except Refusal:
        pass
    with_server(("proof.ahead", str(steps)), go_on)
    open_locked(file, ahead - 1, steps).close()
    with_server((), to_the_end)
    logs, edition = logs_of(file), load_edition()
    for players in games:
        table = players[0].table_id
        faults += replay_faults(table, logs[table], edition)
    return Outcome(len(games), tuple(faults), {})


async def begun(server: Server, count: int, rng: Random, games: list[list[Player]]) -> None:
    """Games in every round, with none, one or two of three choices made."""
    for number in range(count):
        async with playing(server, 3, round_seconds=300) as players:
            for _ in range(number % (LAST_ROUND + 1)):
                await play_round(players, rng, swaps=0.2)
            await some_choose(players, number, rng)
            games.append(players)


async def some_choose(players: list[Player], number: int, rng: Random) -> None:
    """None, one or two of three seal a choice, unless the game is over."""
    if players[0].round <= LAST_ROUND:
        for player in rng.sample(players, number % 3):
            await player.play(player.some_move(rng))
    await settled(players)


async def settled(players: list[Player]) -> None:
    """Return when everybody at a table has heard everything."""
    latest = max(player.seq for player in players)
    for player in players:
        await player.until(lambda p=player: p.seq >= latest)  # type: ignore[misc] # a default


async def gone_on(
    server: Server, games: list[list[Player]], rng: Random, faults: list[str], *, rounds: int
) -> None:
    """Everybody sees what was there, has no less time than before, and plays on."""
    for number, players in enumerate(games):
        returned = people(server, [(players[0].table_id, tuple(p.token for p in players))])
        for before, player in zip(players, returned, strict=True):
            await player.connect()
            name = f"seat {player.seat} at table {player.table_id}"
            if (player.view, player.seq) != (before.view, before.seq):
                faults.append(f"changed: {name} sees something else than before")
            if before.left is not None and (player.left or 0) < before.left:
                faults.append(f"time: {name} has {player.left} ms left of {before.left}")
        for _ in range(min(rounds, LAST_ROUND + 1 - returned[0].round)):
            now = returned[0].round
            for player in [each for each in returned if each.moves]:
                await player.play(player.some_move(rng))
            await all_reach(returned, now + 1)
        await some_choose(returned, number, rng)
        for player in returned:
            player.close()
        games[number] = returned
