"""What was posted is sent: answers first, in order, and never for long at a time."""

import asyncio
import os
import socket
import time
from collections.abc import Callable

import pytest

from sideboards.service.house import Message
from sideboards.service.outbox import AT_ONCE, BRIEF, PONG, SOON, Outbox
from tests.service.stores import run


class Reader:
    """Somebody who notes what comes."""

    def __init__(self, name: str, told: list[str]) -> None:
        self.name = name
        self.told = told

    def deliver(self, message: Message) -> None:
        text = (
            "pong" if message == PONG else str(message if isinstance(message, bytes) else message())
        )
        self.told.append(f"{self.name} {text}")


def outbox(told: list[str]) -> Outbox:
    return Outbox(lambda error: told.append(repr(error)), lambda: told.append("rest"))


async def until(told: list[str], last: str) -> None:
    async with asyncio.timeout(5):
        while last not in told:
            await asyncio.sleep(0)


def test_whoever_asks_between_two_views_is_heard_before_the_last_is_made() -> None:
    async def body() -> None:
        told = list[str]()
        box = outbox(told)
        here, there = socket.socketpair()
        with here, there:
            asyncio.get_running_loop().add_reader(here, lambda: told.append(str(here.recv(9))))

            def first() -> bytes:
                there.send(b"asks")
                return b"view"

            makers: list[Callable[[], bytes]] = [first, lambda: b"view", lambda: b"view"]
            for name, make in zip("abc", makers, strict=True):
                box.post(Reader(name, told), make)
            await until(told, "rest")
            asyncio.get_running_loop().remove_reader(here)
        assert told.index("b'asks'") < told.index("c b'view'")
        assert [each for each in told if "view" in each] == [f"{name} b'view'" for name in "abc"]

    run(body())


def test_whoever_waits_is_answered_first_and_each_gets_all_in_order() -> None:
    async def body() -> None:
        told = list[str]()
        box = outbox(told)
        ana, ben = Reader("ana", told), Reader("ben", told)
        box.begin()  # somebody else still waits, so the rest comes later
        for number, reader in enumerate((ben, ana, ben, ana)):
            box.post(reader, lambda number=number: str(number).encode())  # type: ignore[misc] # a default
        box.answer(ana)
        assert told == ["ana b'1'", "ana b'3'"]
        box.pinged(ben)
        box.begin()
        await until(told, "ben b'2'")
        assert told[2:] == ["ben b'0'", "ben b'2'"]  # no rest, and no pong, while somebody waits
        box.end()
        box.end()
        box.answer(ana)
        await until(told, "rest")
        assert told[4:] == ["ben pong", "rest"]

    run(body())


def test_a_pong_keeps_its_place_among_what_the_same_one_gets() -> None:
    async def body() -> None:
        told = list[str]()
        box = outbox(told)
        ana, ben = Reader("ana", told), Reader("ben", told)
        for name in ("first", "second"):
            box.post(ana, name.encode)
        box.pinged(ana)
        box.pinged(ben)
        box.answer_pings()  # as whoever looks around does now and then
        box.begin()
        box.pinged(ana)
        box.pinged(ana)
        box.post(ana, b"last")
        await until(told, "ana b'last'")
        pongs = ["ana pong", "ben pong", "ana pong", "ana pong"]
        assert told == ["ana b'first'", "ana b'second'", *pongs, "ana b'last'"]

    run(body())


def test_whoever_waits_for_long_delays_nobody() -> None:
    async def body() -> None:
        told = list[str]()
        box = outbox(told)
        box.begin()
        await asyncio.sleep(2 * SOON)
        box.pinged(Reader("ana", told))
        await until(told, "rest")
        assert told == ["ana pong", "rest"]

    run(body())


def test_who_gave_way_for_long_does_not_so_again_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    async def body() -> None:
        told, given = list[str](), list[float]()
        box, ana, ben = outbox(told), Reader("ana", told), Reader("ben", told)

        def for_long() -> None:
            given.append(time.monotonic())
            time.sleep(2 * BRIEF)

        monkeypatch.setattr(os, "sched_yield", for_long)
        for _ in range(3):
            box.post(ana, b"answer")
            box.post(ben, b"view")
            box.answer(ana)
            await until(told, "rest")
        assert len(given) == 1

    run(body())


def test_many_messages_are_sent_before_more_are_kept() -> None:
    async def body() -> None:
        told = list[str]()
        box = outbox(told)
        for _ in range(AT_ONCE):
            assert told == []
            box.post(Reader("ana", told), lambda: b"view")
        assert told == ["ana b'view'"] * AT_ONCE

    run(body())


@pytest.mark.parametrize("kind", ["view", "pong"])
def test_one_that_fails_stops_no_other(kind: str) -> None:
    class Broken(Reader):
        def deliver(self, message: Message) -> None:
            raise ValueError(message)

    async def body() -> None:
        told = list[str]()
        box = outbox(told)
        for reader in (Broken("ana", told), Reader("ben", told)):
            if kind == "view":
                box.post(reader, b"view")
            else:
                box.pinged(reader)
        await until(told, "rest")
        assert len(told) == 3
        assert told[0].startswith("ValueError")
        assert told[1].startswith("ben")

    run(body())
