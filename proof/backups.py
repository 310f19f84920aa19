"""G11: a backup made while games are played is whole, of one moment, and can be played on."""

import asyncio
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from random import Random

from bench.filling import Dealt, Writer
from bench.filling import fill as copies
from proof.held import held
from proof.logs import Log, log_faults, logs_of, room_of
from proof.outcome import Outcome
from proof.prepared import NOTHING
from proof.stops import people
from sideboards.core.fair import check_proof
from sideboards.core.game import LAST_ROUND
from sideboards.core.refusal import Refusal
from sideboards.data import load_edition
from sideboards.service.identity import Identity
from sideboards.service.store import SqliteStore
from tests.service.live import Player, Server, serving
from tests.service.live import run as bounded

TABLES = 12
"""Tables of four that are played while the backups are made."""
GAMES_PER_BACKUP = 5000
RESTORED = 60.0 / 100_000
"""Seconds that each game may take to be restored: 100,000 of them a minute."""
BEGUN = 2.0
"""Seconds that a command may take besides, to begin and to end."""
BETWEEN = 0.5
"""Seconds that are played before each backup, and after the last."""
PAUSES = (0.05, 0.2)
PATIENCE = 60.0
LIMIT = 600.0
EDITION = load_edition()


@dataclass(slots=True)
class Deed:
    """An action that was acknowledged."""

    table: str
    key: str
    sent: float
    acked: float


@dataclass(frozen=True, slots=True)
class Backup:
    """A file, and when its making began."""

    file: Path
    begun: float


async def fill(file: Path, finished: int) -> list[Dealt]:
    """Write so many finished games, each another, and some whose cards are dealt."""
    store = SqliteStore(file)
    await store.open()
    try:
        writer = Writer(store, Identity(store, await store.secret()), EDITION)
        guests = await writer.guests()

        async def game() -> None:
            await writer.finish(await writer.deal(guests))

        await asyncio.gather(*(game() for _ in range(finished)))
        return [writer.dealt(await writer.deal(guests)) for _ in range(TABLES)]
    finally:
        await store.close()


def command(mutant: str, *words: str) -> list[str]:
    """The `sideboards` command, perhaps with a planted bug."""
    program = ["proof.mutants", mutant] if mutant else ["sideboards"]
    return [sys.executable, "-m", *program, *words]


async def load(
    players: list[Player], file: Path, count: int, mutant: str, seed: int
) -> tuple[list[Deed], list[Backup]]:
    """Play, and make backups meanwhile; what was acknowledged, and the backups."""
    deeds: list[Deed] = []
    backups: list[Backup] = []
    over = asyncio.Event()
    endless = {player.table_id for player in players[: len(players) // 2]}

    async def act(player: Player) -> None:
        rng = Random(f"{seed} {player.table_id} {player.seat}")
        while not over.is_set() and player.round <= LAST_ROUND:
            # Without its first seat no round closes: there are moves till the end.
            away = player.seat == 0 and player.table_id in endless
            if action := "" if away else rng.choice(player.moves or ["undo"]):
                sent = time.monotonic()
                key = player.ask(action)
                answer = await player.answer(key, PATIENCE)
                if answer["type"] == "ack":
                    full = f"{player.seat}.{key}"
                    deeds.append(Deed(player.table_id, full, sent, time.monotonic()))
            await asyncio.sleep(rng.uniform(*PAUSES))

    for player in players:
        await player.connect()
    tasks = [asyncio.ensure_future(act(player)) for player in players]
    for number in range(count):
        await asyncio.sleep(BETWEEN)
        backup = Backup(file.with_name(f"{number}.dump"), time.monotonic())
        words = ("backup", str(backup.file), "--database", str(file))
        process = await asyncio.create_subprocess_exec(
            *command(mutant, *words), stdout=subprocess.DEVNULL
        )
        if await asyncio.wait_for(process.wait(), PATIENCE) == 0:
            backups.append(backup)
    await asyncio.sleep(BETWEEN)
    over.set()
    await asyncio.gather(*tasks)
    for player in players:
        player.close()
    return deeds, backups


def run(folder: Path, count: int, seed: int, mutant: str = "") -> Outcome:
    """Backups beside `count` finished games and some that are played; restored and checked."""
    file, wanted = Path(tempfile.mkdtemp(dir=folder)) / "games.db", 1 + count // GAMES_PER_BACKUP
    dealt = asyncio.run(fill(file, count))
    with serving(file, program=NOTHING) as server:
        players = people(server, [(each.table, each.tokens) for each in dealt])
        deeds, backups = bounded(load(players, file, wanted, mutant, seed), LIMIT)
        truth = logs_of(file)
    faults = [] if len(backups) == wanted else ["backup: a backup failed"]
    verified, seconds = count, 0.0
    for backup in backups:
        copy = backup.file.with_suffix(".db")
        seconds, found = restored(backup.file, copy, count)
        faults += found
        if not copy.exists():
            continue
        logs = logs_of(copy)
        faults += prefix_faults(truth, logs)
        faults += moment_faults(backup, logs, deeds)
        games = list(game_faults(copy, logs))
        faults += games
        verified = min(verified, finished_in(copy) - len(games))
    if not faults:
        copy = backups[-1].file.with_suffix(".db")
        with serving(copy, program=NOTHING) as server:
            faults += bounded(played_on(server, dealt, logs), LIMIT)
    return Outcome(verified, tuple(faults), {"deeds": len(deeds), "s to restore": seconds})


def large(folder: Path, count: int, seed: int, mutant: str = "") -> Outcome:  # noqa: ARG001 (the games are equal)
    """`count` finished games, all alike, are restored in time and in full."""
    file, dump, copy = (folder / name for name in ("large.db", "large.dump", "copy.db"))
    asyncio.run(copies(file, 1, count))
    words = ("backup", str(dump), "--database", str(file))
    subprocess.run(command("", *words), check=True, capture_output=True, timeout=LIMIT)
    seconds, faults = restored(dump, copy, count, mutant)
    there = finished_in(copy) if copy.exists() else 0
    if there < count:
        faults.append(f"missing: {count - there} of {count} games are not in the copy")
    return Outcome(min(there, count), tuple(faults), {"s to restore": seconds})


def restored(dump: Path, copy: Path, games: int, mutant: str = "") -> tuple[float, list[str]]:
    """How many seconds it took to restore so many games, and what was wrong with it."""
    begun, before, late = time.monotonic(), held(), 0.0
    words = command(mutant, "restore", str(dump), "--database", str(copy))
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        while process.poll() is None:
            late = max(late, held(process.pid) - before)
            if time.monotonic() - begun > LIMIT:
                process.kill()
            time.sleep(0.02)
        said = b"" if process.stderr is None else process.stderr.read()
    took, faults = time.monotonic() - begun, list[str]()
    if process.returncode:
        faults.append(f"restore: {said.decode().strip()[-200:]}")
    if took > (allowed := BEGUN + RESTORED * games) + late:
        faults.append(f"slow: {games} games took {took:.1f} s; expected {allowed:.1f}")
    return took, faults


# ---- what can be wrong -----------------------------------------------------------------------


def prefix_faults(truth: dict[str, Log], logs: dict[str, Log]) -> Iterator[str]:
    """Tables that are missing, gaps, and logs that are not the beginning of the true one."""
    if missing := truth.keys() - logs.keys():
        yield f"missing: {len(missing)} tables are not in the backup"
    for table, log in logs.items():
        yield from log_faults(table, log)
        if log != truth[table][: len(log)]:
            yield f"gap: the log of table {table} is not the beginning of the true one"


def moment_faults(backup: Backup, logs: dict[str, Log], deeds: list[Deed]) -> Iterator[str]:
    """What was acknowledged before the backup and is missing; and signs of several moments."""
    keys = {(table, event.key) for table, log in logs.items() for event in log}
    there = [deed for deed in deeds if (deed.table, deed.key) in keys]
    missing = [deed for deed in deeds if (deed.table, deed.key) not in keys]
    late = sum(deed.acked < backup.begun for deed in missing)
    if late:
        yield f"stale: {late} actions are missing that were acknowledged before it began"
    first = min((deed.acked for deed in missing), default=float("inf"))
    torn = sum(deed.sent > first for deed in there)
    if torn:
        yield f"torn: {torn} actions are in it that began after one that is missing had ended"


def game_faults(copy: Path, logs: dict[str, Log]) -> Iterator[str]:
    """What is wrong with a restored file: its pages, its rows, its games and their proofs."""
    with closing(sqlite3.connect(copy)) as db:
        if (said := db.execute("PRAGMA integrity_check").fetchall()) != [("ok",)]:
            yield f"integrity: {said[:3]}"
        if db.execute("PRAGMA foreign_key_check").fetchall():
            yield "integrity: something refers to what is not there"
        phases = dict(db.execute("SELECT id, phase FROM tables").fetchall())
    for table, phase in phases.items():
        try:
            room = room_of(table, logs[table], EDITION)
            if room.phase != phase:
                yield f"row: table {table} is {phase} in its row and {room.phase} in its log"
            elif phase == "finished":
                setup = check_proof(room.proof, EDITION)
                if room.game is None or room.game.setup != setup or not room.game.over:
                    yield f"proof: table {table} was not played with what its proof proves"
        except (Refusal, AssertionError, KeyError) as error:
            yield f"broken: table {table}: {error}"


def finished_in(copy: Path) -> int:
    """How many finished games a file holds."""
    with closing(sqlite3.connect(copy)) as db:
        found: int = db.execute("SELECT count(*) FROM tables WHERE phase = 'finished'").fetchone()[
            0
        ]
    return found


async def played_on(server: Server, dealt: list[Dealt], logs: dict[str, Log]) -> list[str]:
    """What goes wrong when people come back to a restored file with the tokens that they have."""
    faults, played = [], 0
    for player in people(server, [(each.table, each.tokens) for each in dealt]):
        await player.connect()
        if player.close_code is not None or not player.view:
            faults.append(f"away: seat {player.seat} cannot come back")
        elif player.moves:
            answer = await player.act(player.moves[0])
            played += answer["type"] == "ack"
            if answer["type"] != "ack":
                faults.append(f"away: seat {player.seat} cannot play on: {answer['code']}")
        player.close()
    playing = sum(
        room_of(each.table, logs[each.table], EDITION).phase == "playing" for each in dealt
    )
    if playing and not played:
        faults.append("away: nobody could play on")
    return faults
