"""Questions of one kind to a database: those that are asked at the same time are asked together."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Generic, TypeVar

from sideboards.service.log import CannotSave

K = TypeVar("K")
V = TypeVar("V")

AT_ONCE = 200
"""The most questions in one statement."""
UNDER_WAY = 2
"""Statements of one kind at the same time: so one that hangs does not stop all others."""


class Unaskable(CannotSave):
    """The database cannot take a value of a question, such as a NUL in a text."""


class Questions(Generic[K, V]):
    """Many may ask; whatever is asked while others are being answered shares the next statement.

    So an answer is never older than its question. When thousands come back at the same moment,
    there are some dozens of statements instead of thousands.
    """

    def __init__(self, ask: Callable[[list[K]], Awaitable[Mapping[K, V]]]) -> None:
        """`ask` answers all of some different questions; raises Unaskable if one cannot be."""
        self._ask = ask
        self._waiting: dict[K, asyncio.Future[V]] = {}
        self._under_way = 0
        """How many tasks will look again at what waits; each until it has found nothing."""
        self._tasks: set[asyncio.Task[None]] = set()

    async def __call__(self, question: K) -> V:
        """The answer."""
        loop = asyncio.get_running_loop()
        if (answer := self._waiting.get(question)) is None:
            answer = self._waiting[question] = loop.create_future()
            answer.add_done_callback(_heard)
            if self._under_way < UNDER_WAY:
                self._under_way += 1
                task = loop.create_task(self._answer_all())
                self._tasks.add(task)  # the loop does not keep it
                task.add_done_callback(self._tasks.discard)
        return await asyncio.shield(answer)  # others may wait for the same one

    async def _answer_all(self) -> None:
        try:
            while self._waiting:
                some = dict(list(self._waiting.items())[:AT_ONCE])
                for question in some:
                    del self._waiting[question]
                await self._answer(some)
        finally:  # in the step that finds nothing: whoever asks next needs another task
            self._under_way -= 1

    async def _answer(self, some: dict[K, asyncio.Future[V]]) -> None:
        try:
            answers = await self._ask(list(some))
        except Unaskable as error:
            if len(some) > 1:  # one of them is guilty; the others must not suffer
                items, half = list(some.items()), len(some) // 2
                await self._answer(dict(items[:half]))
                await self._answer(dict(items[half:]))
            else:
                _fail(some, error)
        except Exception as error:  # whoever asked is told
            _fail(some, error)
        else:
            for question, answer in some.items():
                answer.set_result(answers[question])


def _fail(some: dict[K, asyncio.Future[V]], error: Exception) -> None:
    for answer in some.values():  # each gets its own, which is raised only once
        answer.set_exception(CannotSave(str(error)) if isinstance(error, CannotSave) else error)


def _heard(answer: asyncio.Future[V]) -> None:
    """Nobody may wait any more for an answer that failed; that is no mistake."""
    if not answer.cancelled():
        answer.exception()
