"""What a server costs: CPU per move, latency, memory and start, each beside bare sockets.

Real processes on loopback: `sideboards serve` on a SQLite file, and bare servers of the same
library with as many sockets, measured in turn by one client process. CPU is that of the server
process with all its threads, pings and housekeeping, without its thinking processes, for games
of four from the deal to the end; a move is counted when it is acknowledged, thus stored. The
floor is the socket work of a move alone: an answer of 1,600 bytes and three notes of 200.
Latency is also told beside an echo that first writes a page and syncs it: no server that stores
a move before it acknowledges it can be faster than that disk.
"""

import argparse
import asyncio
import math
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import uvloop

from bench.echo import ANSWER
from bench.filling import SEATS, Dealt, fill
from bench.hosts import Bare, Host, Server
from bench.line import Line, show
from bench.players import Caller, Party, Player
from bench.swarm import Crowd, Slice, Socket, Stuck

BATCH = 50
"""So many tables are visited by their players at the same time when tables are loaded."""
LONGEST_SLICE = 6.0
"""Seconds of a slice of moves; between two of them the players must not be silent for too long."""
MOVE_BY_ECHO = "latency: p99 of a move in terms of the echo's"
STORED_BY_ECHO = "latency: p99 of an echo that stores in terms of the echo's"
MOVE_BY_STORED = "latency: p99 of a move in terms of that of an echo that stores"
ROUND_BY_ECHO = "latency: p99 till all see the new round in terms of the echo's"
ROUND_BY_STORED = "latency: p99 till all see the new round in terms of an echo that stores"
BESIDE = 0.4
"""How long slices of echoes are in terms of slices of moves."""
MOVES = 28
"""The fewest moves of a game of four."""
LEAST_RATE = 0.9
"""Share of the wanted rate below which a line says what was reached."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is measured."""

    tables: int = 1000
    """Tables at the same time, for latency and memory."""
    rate: float = 500.0
    """Moves per second, where they are paced."""
    seconds: float = 4.0
    """Length of a measured slice of moves of the latency."""
    repeats: int = 5
    """How often both sides of the latency are measured, in turn."""
    seed: int = 2024
    """Who moves next, and how."""
    idle: int = 2000
    """Idle sockets, for memory."""
    settle: float = 2.0
    """Seconds that a server has before its memory is read."""
    fast_tables: int = 40
    fast_rounds: int = 15
    paced_tables: int = 60
    paced_rounds: int = 3
    """Whole games, for CPU: so many tables, so often."""
    finished: int = 100_000
    starts: int = 3
    p99_goal: float = 4.0
    idle_goal: float = 32.0
    table_goal: float = 48.0

    @property
    def slice_rate(self) -> float:
        """The rate of the latency; lower where so many moves would not last."""
        return min(self.rate, 0.8 * self.tables * MOVES / (self.seconds * (self.repeats + 1)))


QUICK = Plan(
    tables=200,
    rate=100.0,
    seconds=6.0,
    idle=400,
    settle=0.5,
    fast_tables=8,
    fast_rounds=3,
    paced_tables=8,
    paced_rounds=1,
    finished=2_000,
    starts=1,
    p99_goal=6.0,
    idle_goal=48.0,
    table_goal=64.0,
)


@dataclass(slots=True)
class Bench:
    """The servers, the tables that are left to play at, and what was found."""

    plan: Plan
    server: Server
    echo: Bare
    fan: Bare
    stored: Bare
    tables: list[Dealt]
    lines: list[Line] = field(default_factory=list)

    def add(
        self, name: str, figures: list[float], goal: float | None = None, **more: object
    ) -> None:
        """Note a line."""
        self.lines.append(Line(name, tuple(figures), goal, **more))  # type: ignore[arg-type]

    def take(self, count: int) -> list[Dealt]:
        """Tables at which nobody has played yet."""
        taken, self.tables = self.tables[:count], self.tables[count:]
        return taken


# ---- who connects -----------------------------------------------------------------------------


async def players(server: Server, tables: list[Dealt], seed: int = 2024) -> Crowd:
    """All players of some tables, connected."""
    crowd = Crowd(server.socket, seed)
    seats: list[Socket] = []
    for dealt in tables:
        party = Party(len(dealt.tokens))
        seats += [Player(crowd, {"token": token}, party) for token in dealt.tokens]
    await crowd.connect(seats)
    return crowd


async def spectators(server: Server, table: str, count: int) -> Crowd:
    """So many who watch a table."""
    crowd = Crowd(server.socket)
    await crowd.connect([Player(crowd, {"table": table}) for _ in range(count)])
    return crowd


async def callers(bare: Bare, count: int, *, fan: bool = False) -> Crowd:
    """So many who call a bare server."""
    crowd = Crowd(bare.socket)
    answer = {"answer": len(ANSWER)} if fan else {}
    await crowd.connect([Caller(crowd, **answer) for _ in range(count)])
    return crowd


# ---- memory -----------------------------------------------------------------------------------


async def memory(bench: Bench) -> None:
    """RSS per idle connection and per live table.

    What was freed before would be used again and not be seen, so connections come first and stay
    open, and the sockets through which tables are loaded have been open once before.
    """
    plan, server, echo = bench.plan, bench.server, bench.echo
    tables = bench.tables[: plan.tables]
    name = "memory: KiB per idle connection"
    first = await spectators(server, tables[0].table, 1)
    before = server.memory()
    watching = await spectators(server, tables[0].table, plan.idle)
    grown = await settled(server, plan) - before
    bench.add(name, [grown / plan.idle], plan.idle_goal)
    before = echo.memory()
    calling = await callers(echo, plan.idle)
    grown = await settled(echo, plan) - before
    bench.add(f"{name} of the bare library", [grown / plan.idle])
    await calling.close()
    visit = await spectators(server, tables[0].table, SEATS * BATCH)
    await visit.close()
    before = await settled(server, plan)
    for at in range(0, len(tables), BATCH):
        visit = await players(server, tables[at : at + BATCH])
        await visit.close()
    grown = await settled(server, plan) - before
    bench.add("memory: KiB per live table of four", [grown / len(tables)], plan.table_goal)
    await watching.close()
    await first.close()


async def settled(host: Host, plan: Plan) -> float:
    """Resident KiB after a pause."""
    await asyncio.sleep(plan.settle)
    return host.memory()


# ---- CPU --------------------------------------------------------------------------------------


async def cost(host: Host, crowd: Crowd, rate: float | None, requests: int | None) -> Slice:
    """One run; its waits are replaced by the CPU microseconds of each answer."""
    before = host.cpu()
    done = await crowd.run(rate, requests=requests)
    spent = host.cpu() - before
    await crowd.close()
    return replace(done, waits=[spent / done.answered * 1e6])


async def cpu(bench: Bench, rate: float | None, tables: int, rounds: int) -> None:
    """CPU per move, per echo and of the floor, in turn."""
    pace = "as fast as it can" if rate is None else f"{rate:g} per second"
    found: dict[str, list[Slice]] = {"move": [], "echo": [], "floor": []}
    size = 0.0
    for _ in range(rounds):
        crowd = await players(bench.server, bench.take(tables))
        crowd.bytes = 0
        moved = await cost(bench.server, crowd, rate, None)
        size = crowd.bytes / moved.answered
        found["move"].append(moved)
        for kind, bare in (("echo", bench.echo), ("floor", bench.fan)):
            crowd = await callers(bare, tables * SEATS, fan=bare is bench.fan)
            found[kind].append(await cost(bare, crowd, rate, moved.answered))
    micros = {kind: [each.waits[0] for each in slices] for kind, slices in found.items()}
    reached = statistics.median(each.rate for each in found["move"])
    note = f"{reached:,.0f} moves/s, {size:,.0f} bytes sent per move"
    bench.add(f"CPU: µs per durable move, {pace}", micros["move"], 200, stretch=100, note=note)
    bench.add(f"CPU: µs per echo, {pace}", micros["echo"])
    bench.add(f"CPU: µs of the floor, {pace}", micros["floor"])
    for kind, name in (("echo", "an echo"), ("floor", "the floor")):
        ratios = [move / other for move, other in zip(micros["move"], micros[kind], strict=True)]
        bench.add(f"CPU: a move in terms of {name}, {pace}", ratios)


# ---- latency ----------------------------------------------------------------------------------


def quantile(values: list[float], share: float) -> float:
    """The value below which such a share of all lies, in milliseconds."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, math.ceil(share * len(ordered)) - 1)] * 1000


async def pinging(bench: Bench, game: Crowd, bare: Crowd) -> None:
    """The share of a core that connections cost while nobody moves."""
    name = f"CPU: % of a core, {len(game.sockets)} players who only ping"
    for crowd, other, host in ((game, bare, bench.server), (bare, game, bench.echo)):
        crowd.silent, other.silent = False, True
        begin, before = time.perf_counter(), host.cpu()
        await asyncio.sleep(bench.plan.seconds)
        share = (host.cpu() - before) / (time.perf_counter() - begin) * 100
        bench.add(name if host is bench.server else f"{name}, bare library", [share])


async def latency(bench: Bench) -> None:
    """From send to acknowledgement with everybody connected, in turn with echoes."""
    plan, rate = bench.plan, bench.plan.slice_rate
    game = await players(bench.server, bench.take(plan.tables), plan.seed)
    bare = await callers(bench.echo, plan.tables * SEATS)
    stored = await callers(bench.stored, plan.tables * SEATS)
    await pinging(bench, game, bare)
    found: dict[str, list[Slice]] = {"move": [], "echo": [], "stored": []}
    shares = list[float]()
    for round_ in range(1 + plan.repeats):
        seconds = plan.seconds if round_ else plan.seconds / 2  # at first to warm up
        before = bench.server.cpu()
        for kind, crowd in (("move", game), ("echo", bare), ("stored", stored)):
            game.silent, bare.silent, stored.silent = (
                each is not crowd for each in (game, bare, stored)
            )
            length = seconds if crowd is game else BESIDE * seconds
            found[kind].append(await crowd.run(rate, seconds=length))
            if crowd is game:
                spent = bench.server.cpu() - before
                shares.append(spent / found[kind][-1].seconds * 100)
    name = f"CPU: % of a core, {len(game.sockets)} players, {rate:.0f} moves per second"
    bench.add(name, shares[1:])
    for crowd in (game, bare, stored):
        await crowd.close()
    _told(bench, {kind: slices[1:] for kind, slices in found.items()}, len(game.sockets))


def _told(bench: Bench, found: dict[str, list[Slice]], sockets: int) -> None:
    """The lines of the latency."""
    plan, rate, moves = bench.plan, bench.plan.slice_rate, found["move"]
    bench.add("latency: moves per second", [each.rate for each in moves])
    reached = statistics.median(each.rate for each in moves)
    low = reached < LEAST_RATE * rate
    note = f"only {reached:.0f} of {rate:.0f} moves/s" if low else f"{reached:.0f} moves/s"
    note += f", client {statistics.median(each.busy for each in moves):.0%} busy"
    names = {
        "move": "from move to acknowledgement",
        "echo": "of an echo",
        "stored": "of one stored",
    }
    for share in (0.5, 0.99):
        for kind, what in names.items():
            waits = [quantile(each.waits, share) for each in found[kind]]
            name = f"latency: ms {what}, p{share * 100:.0f}, {sockets} sockets"
            bench.add(name, waits, note=note if kind == "move" else "")
    worst = {kind: [quantile(e.waits, 0.99) for e in slices] for kind, slices in found.items()}

    def ratios(above: str, below: str) -> list[float]:
        return [a / b for a, b in zip(worst[above], worst[below], strict=True)]

    bench.add(MOVE_BY_ECHO, ratios("move", "echo"), plan.p99_goal)
    bench.add(STORED_BY_ECHO, ratios("stored", "echo"))
    bench.add(MOVE_BY_STORED, ratios("move", "stored"))
    closed = [at for at, each in enumerate(moves) if each.rounds]
    if closed:
        shown = [quantile(moves[at].rounds, 0.99) for at in closed]
        bench.add("latency: ms from last choice till all see the new round, p99", shown)
        for name, below, goal in ((ROUND_BY_ECHO, "echo", 6.0), (ROUND_BY_STORED, "stored", None)):
            beside = [worst[below][at] for at in closed]
            bench.add(name, [a / b for a, b in zip(shown, beside, strict=True)], goal)


# ---- start ------------------------------------------------------------------------------------


def starts(plan: Plan, folder: Path) -> list[Line]:
    """Seconds from the start of the process until it is ready."""
    full = folder / "full.db"
    uvloop.run(fill(full, plan.tables, plan.finished))
    found: tuple[list[float], list[float]] = ([], [])
    for number in range(plan.starts):
        for file, seconds in zip((folder / f"empty{number}.db", full), found, strict=True):
            with Server(file) as server:
                seconds.append(server.started)
    full.unlink()
    name = f"start: s until ready, {plan.tables:,} live, {plan.finished:,} finished tables"
    return [
        Line("start: s until ready, empty file", tuple(found[0]), 1.5),
        Line(name, tuple(found[1]), 2.0),
    ]


# ---- everything -------------------------------------------------------------------------------


@contextmanager
def more_files() -> Iterator[None]:
    """Let this process and its children open as many sockets as the system allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def tell(what: str, begin: float) -> None:
    """Say on a terminal what is going on."""
    if sys.stderr.isatty():
        print(f"\r\033[K{time.monotonic() - begin:4.0f} s  {what} ...", end="", file=sys.stderr)


async def measure_running(bench: Bench, begin: float) -> None:
    """Everything that needs servers that run and are warm."""
    plan = bench.plan
    tell("memory", begin)
    await memory(bench)
    tell("CPU, as fast as it can", begin)
    warming = await players(bench.server, bench.take(plan.fast_tables))
    await warming.run()
    await warming.close()
    await cpu(bench, None, plan.fast_tables, plan.fast_rounds)
    tell(f"CPU, {plan.rate:g} moves per second", begin)
    await cpu(bench, plan.rate, plan.paced_tables, plan.paced_rounds)
    tell("latency", begin)
    await latency(bench)


def measure(plan: Plan, *, side_by_side: bool = False) -> list[Line]:
    """All lines; `side_by_side` saves time: starts are measured while another server warms up."""
    begin = time.monotonic()
    needed = plan.fast_tables * (1 + plan.fast_rounds) + plan.paced_tables * plan.paced_rounds
    lines: list[Line] = []
    with ExitStack() as stack:
        stack.enter_context(more_files())
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="sideboards-bench-")))
        tell("start", begin)
        if not side_by_side:
            lines = starts(plan, folder)
        tell("filling a file", begin)
        tables = uvloop.run(fill(folder / "games.db", needed + plan.tables))
        server = stack.enter_context(Server(folder / "games.db"))
        echo = stack.enter_context(Bare("echo", folder))
        fan = stack.enter_context(Bare("fan", folder))
        if side_by_side:
            lines = starts(plan, folder)
        tell("waiting until the server has read ahead", begin)
        server.warm()
        stored = stack.enter_context(Bare("stored", folder))
        bench = Bench(plan, server, echo, fan, stored, tables)
        uvloop.run(measure_running(bench, begin))
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    return bench.lines + lines


def main(arguments: list[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser("python -m bench.service", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="under a minute, for CI")
    parser.add_argument("--tables", type=int, help="tables at the same time")
    parser.add_argument("--seconds", type=float, help="length of a slice of the latency")
    parser.add_argument("--json", action="store_true", help="print JSON")
    asked = parser.parse_args(arguments)
    plan = QUICK if asked.quick else Plan()
    if asked.tables is not None:
        if asked.tables < 1:
            parser.error(f"--tables: found {asked.tables}; expected 1 or more")
        plan = replace(plan, tables=asked.tables, idle=max(200, 2 * asked.tables))
    if asked.seconds is not None:
        if not 0 < asked.seconds <= LONGEST_SLICE:
            parser.error(f"--seconds: found {asked.seconds:g}; expected up to {LONGEST_SLICE:g}")
        plan = replace(plan, seconds=asked.seconds)
    try:
        lines = measure(plan, side_by_side=asked.quick)
    except Stuck as stuck:
        sys.exit(f"The service could not be measured: {stuck}.")
    show(__doc__, lines, as_json=asked.json)


if __name__ == "__main__":
    main()
