"""The clock of the service: timers in order, none by a jump of the calendar, none stopped."""

import asyncio
import time
from collections.abc import Callable

import pytest

from sideboards.service.clock import Clock
from tests.service.stores import run


async def soon(so: Callable[[], bool]) -> None:
    """Return when something is so, which must not take long."""
    async with asyncio.timeout(5):
        while not so():
            await asyncio.sleep(0.005)


def test_timers_fire_in_the_order_of_their_times() -> None:
    async def body() -> None:
        clock, fired = Clock(), list[str]()
        now = clock.now()
        clock.call_at(now + 60_000, lambda: fired.append("later"))
        clock.call_at(now + 40, lambda: fired.append("second"))
        clock.call_at(now + 20, lambda: fired.append("first"))
        clock.call_at(now + 30, lambda: fired.append("never")).cancel()
        clock.call_at(now - 5, lambda: fired.append("at once"))
        await soon(lambda: len(fired) == 3)
        clock.advance(60_000)
        await soon(lambda: len(fired) == 4)
        assert fired == ["at once", "first", "second", "later"]

    run(body())


def test_a_timer_never_fires_too_early() -> None:
    async def body() -> None:
        clock, seen = Clock(), list[int]()
        for delay in (1, 2, 3, 5, 8):
            due = clock.now() + delay
            clock.call_at(due, lambda d=due: seen.append(clock.now() - d))  # type: ignore[misc]
        await soon(lambda: len(seen) == 5)
        assert min(seen) >= 0

    run(body())


def test_a_call_that_fails_stops_no_other() -> None:
    async def body() -> None:
        failed: list[dict[str, object]] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, what: failed.append(what))
        clock, fired = Clock(), list[str]()

        def fail() -> None:
            raise ZeroDivisionError

        now = clock.now()
        clock.call_at(now + 1, fail)
        clock.call_at(now + 1, lambda: fired.append("same time"))
        clock.call_at(now + 10, lambda: fired.append("later"))
        await soon(lambda: len(fired) == 2)
        assert [type(each["exception"]) for each in failed] == [ZeroDivisionError]

    run(body())


def test_a_jump_of_the_calendar_moves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    async def body() -> None:
        clock = Clock()
        before = clock.now()
        real = time.time
        monkeypatch.setattr(time, "time", lambda: real() + 86_400)
        assert clock.now() - before < 5000
        clock.set(before + 3_600_000)  # the database says so
        assert 0 <= clock.now() - before - 3_600_000 < 5000

    run(body())
