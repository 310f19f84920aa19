"""What is over is gone at once: nothing waits until Python looks for rings of objects."""

import asyncio
import gc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import pytest

from sideboards.service.http import PatientHttp
from sideboards.service.protocol import PROTOCOL
from sideboards.service.socket import Connection
from sideboards.service.table import Table
from tests.service.live import CLOSE, WIRES, Wire
from tests.service.rest import Person, running, wait_until

pytestmark = pytest.mark.long
T = TypeVar("T")


@contextmanager
def without_collections() -> Iterator[None]:
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def alive(kind: type[T]) -> list[T]:
    """The objects of a kind in this process, in which the server runs too, beside others."""
    return [each for each in gc.get_objects() if type(each) is kind]


def is_kept(table: str) -> bool:
    """Whether a table is in memory; no reference to it is left here."""
    return any(each.room.table == table for each in alive(Table))


def test_a_table_that_is_unloaded_leaves_nothing_behind(tmp_path: Path) -> None:
    with running(tmp_path) as base, without_collections():
        ana = Person(base)
        table = ana.start("random")
        ana.finish(table)
        assert is_kept(table)
        ana.post("/api/test/clock", {"advance": 120_000})
        wait_until(lambda: not is_kept(table))


def test_a_socket_that_is_closed_leaves_nothing_behind(tmp_path: Path) -> None:
    async def visits(port: int, table: str) -> None:
        for _ in range(20):
            wire = await Wire.connect(port)
            wire.send(type="hello", protocol=PROTOCOL, table=table)
            assert (await wire.message())["type"] == "welcome"
            wire.frame(CLOSE, b"")
            await wire.closed()
            WIRES.remove(wire)

    with running(tmp_path) as base, without_collections():
        table = Person(base).start("random")
        before = {id(each) for kind in (Connection, PatientHttp) for each in alive(kind)}
        asyncio.run(visits(int(base.rpartition(":")[2]), table))
        for kind in (Connection, PatientHttp):
            wait_until(lambda kind=kind: {id(each) for each in alive(kind)} <= before)  # type: ignore[misc] # a default
