"""What is stored, read from the database itself, and what is wrong with it."""

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import groupby
from pathlib import Path

import asyncpg

from proof.history import Stored
from sideboards.core.edition import CARDS, Edition
from sideboards.core.game import State
from sideboards.core.refusal import Refusal
from sideboards.service.log import Event
from sideboards.service.room import Room

Log = list[Event]


def logs_of(file: Path) -> dict[str, Log]:
    """The log of every table; a server may go on writing."""
    with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as db:
        rows = db.execute(
            "SELECT table_id, position, seat, action, key, at FROM events ORDER BY 1, 2"
        ).fetchall()
    return {
        table: [Event(*row[1:]) for row in group]
        for table, group in groupby(rows, key=lambda row: row[0])
    }


def stored(file: Path) -> dict[str, list[Stored]]:
    """The logs of a file as histories keep them."""
    return as_stored(logs_of(file))


async def stored_in(url: str) -> dict[str, list[Stored]]:
    """The logs of a PostgreSQL database as histories keep them."""
    connection = await asyncpg.connect(url)
    try:
        rows = await connection.fetch(
            "SELECT table_id, position, seat, action, key FROM events ORDER BY 1, 2"
        )
    finally:
        await connection.close()
    return {
        table: [Stored(*row[1:]) for row in group]
        for table, group in groupby(rows, key=lambda row: row[0])
    }


def as_stored(logs: dict[str, Log]) -> dict[str, list[Stored]]:
    """Logs as histories keep them."""
    return {
        table: [Stored(e.position, e.seat, e.action, e.key) for e in log]
        for table, log in logs.items()
    }


def moves_of(log: Log) -> Log:
    """What was done after the deal."""
    dealt = next((n for n, event in enumerate(log) if event.action == "deal"), len(log))
    return log[dealt + 1 :]


def log_faults(table: str, log: Log) -> Iterator[str]:
    """Gaps, and keys that are stored twice."""
    if [event.position for event in log] != list(range(len(log))):
        yield f"gap: the log of table {table} has gaps"
    for key, times in Counter(event.key for event in log if event.key).items():
        if times > 1:
            yield f"duplicated: key {key} is stored {times} times at table {table}"


def once_faults(
    table: str, log: Log, seat: int, wanted: Iterable[tuple[str, str]]
) -> Iterator[str]:
    """What a seat was told to be stored (its keys and actions, in order) and is not, or reverse."""
    stored = [(event.key, event.action) for event in moves_of(log) if event.seat == seat]
    told = [(f"{seat}.{key}", action) for key, action in wanted]
    for key, action in told:
        if (key, action) not in stored:
            yield f"lost: {action} of seat {seat} at table {table} is not stored under {key}"
    for key, action in stored:
        if (key, action) not in told:
            yield f"unwanted: {action} of seat {seat} at table {table} is stored under {key}"
    if sorted(stored) == sorted(told) and stored != told:
        yield f"disorder: seat {seat} at table {table} heard of its actions in another order"


def room_of(table: str, log: Log, edition: Edition) -> Room:
    """The table that a log makes; raises a Refusal if the rules forbid what it tells."""
    room = Room(table, edition)
    for event in log:
        room.apply(event)
    return room


def replay_faults(table: str, log: Log, edition: Edition) -> Iterator[str]:
    """What is wrong with the game that a log tells: it is not over, or not one of 60 cards."""
    try:
        room = room_of(table, log, edition)
    except (Refusal, AssertionError) as error:
        yield f"broken: the log of table {table} cannot be played: {error}"
        return
    if room.game is None or not room.game.over:
        yield f"unfinished: table {table} is {room.phase}"
    if room.game is not None and sorted(cards_of(room.game)) != list(range(1, CARDS + 1)):
        yield f"cards: table {table} does not hold each of {CARDS} cards once"


def cards_of(game: State) -> list[int]:
    """All cards on boards, in hands, in the pile and among the discards."""
    laid = [laid.card for seat in game.seats for laid in seat.board if isinstance(laid.card, int)]
    held = [card for seat in game.seats for card in seat.hand]
    return [*laid, *held, *game.pile, *game.discards]
