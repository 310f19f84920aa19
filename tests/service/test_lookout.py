"""Whom a table waits for is found once, and again only when something has happened there."""

import asyncio
from random import Random
from types import SimpleNamespace
from typing import cast

from sideboards import load_edition
from sideboards.service.house import House
from sideboards.service.log import Event
from sideboards.service.lookout import Lookout, Waiting
from sideboards.service.tables import BrokenLog
from tests.service.test_room import Desk, dealt


class Logs:
    """A store of logs that counts what is read."""

    def __init__(self, **logs: list[Event]) -> None:
        self.logs = logs
        self.failures: list[BaseException] = []
        self.events_read = 0

    async def read(self, table: str, after: int = -1) -> list[Event]:
        events = [event for event in self.logs[table] if event.position > after]
        self.events_read += len(events)
        return events

    @property
    def house(self) -> House:
        parts = {"store": self, "edition": load_edition(), "failed": self.failures.append}
        return cast(House, SimpleNamespace(**parts))


def look(lookout: Lookout, logs: Logs, table: str) -> Waiting:
    return asyncio.run(lookout.look(logs.house, table))


def choose(desk: Desk, seat: int, name: str) -> None:
    desk.ask(name, next(move for move in desk.legal(seat) if move != "swap"))


def test_an_unchanged_table_is_not_read_again() -> None:
    desk, lookout = dealt(2), Lookout()
    logs = Logs(table1=desk.log)
    assert look(lookout, logs, "table1") == Waiting(desk.room.position, 0, (0, 1))
    before = logs.events_read
    for _ in range(3):
        assert look(lookout, logs, "table1").people == (0, 1)
    assert logs.events_read == before
    choose(desk, 1, "ben")
    assert look(lookout, logs, "table1") == Waiting(desk.room.position, 0, (0,))
    choose(desk, 0, "ana")
    assert look(lookout, logs, "table1") == Waiting(desk.room.position, 1, (0, 1))
    desk.ask("ben", "leave")
    assert look(lookout, logs, "table1").people == (0,)


def test_a_log_that_cannot_be_read_is_told_once() -> None:
    desk, lookout = dealt(2), Lookout()
    bad = Event(len(desk.log), 0, "L61", "", 0)
    logs = Logs(a=[*desk.log, bad], b=desk.log)
    for _ in range(3):
        assert look(lookout, logs, "a") == Waiting(bad.position)
        assert look(lookout, logs, "b").people == (0, 1)
    assert [type(error) for error in logs.failures] == [BrokenLog]


def test_the_table_that_nobody_asked_for_is_forgotten_first() -> None:
    desk, lookout = dealt(2, Random(2)), Lookout(2)
    logs = Logs(a=desk.log, b=desk.log, c=desk.log)
    for table in ("a", "b", "a", "c"):
        look(lookout, logs, table)
    before = logs.events_read
    for table in ("a", "c"):
        look(lookout, logs, table)
    assert logs.events_read == before
    look(lookout, logs, "b")
    assert logs.events_read == before + len(desk.log)
