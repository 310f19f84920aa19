"""Turns are taken one at a time, in the order in which they were asked for."""

import asyncio
from collections.abc import Callable

from sideboards.service.turns import Turns
from tests.service.stores import run


def test_a_free_turn_begins_at_once_and_the_others_wait_in_line() -> None:
    turns, begun = Turns(), list[str]()

    def begin(name: str) -> Callable[[], None]:
        return lambda: begun.append(name)

    for name in "abc":
        turns.ask(begin(name))
    assert begun == ["a"]
    turns.over()
    assert begun == ["a", "b"]
    turns.over()
    turns.over()
    turns.ask(begin("d"))
    assert begun == ["a", "b", "c", "d"]


def test_turns_that_are_over_at_once_do_not_pile_up() -> None:
    turns, count = Turns(), 5_000
    begun = list[int]()

    def at_once(number: int) -> Callable[[], None]:
        def go() -> None:
            begun.append(number)
            turns.over()

        return go

    turns.ask(lambda: None)
    for number in range(count):
        turns.ask(at_once(number))
    turns.over()
    assert begun == list(range(count))


def test_tasks_and_calls_share_the_line() -> None:
    async def body() -> None:
        turns, inside = Turns(), list[str]()

        async def task(name: str) -> None:
            async with turns:
                inside.append(name)
                await asyncio.sleep(0)
                inside.append(name)

        def call() -> None:
            inside.append("call")
            turns.over()

        one = asyncio.create_task(task("one"))
        await asyncio.sleep(0)
        turns.ask(call)
        await asyncio.gather(one, task("two"))
        assert inside == ["one", "one", "call", "two", "two"]

    run(body())


def test_whoever_is_cancelled_holds_up_nobody() -> None:
    async def body() -> None:
        turns = Turns()

        async def task() -> None:
            async with turns:
                await asyncio.sleep(0)

        async with turns:
            in_line = asyncio.create_task(task())
            begun = asyncio.create_task(task())
            await asyncio.sleep(0)
            in_line.cancel()
            await asyncio.sleep(0)
        # The second one's turn has begun, but it does not know yet.
        begun.cancel()
        await asyncio.gather(in_line, begun, return_exceptions=True)
        assert in_line.cancelled()
        assert begun.cancelled()
        await asyncio.wait_for(task(), 1)

    run(body())
