"""Questions that are asked together, and never answered with what was true before they came."""

import asyncio

import pytest

from sideboards.service.log import CannotSave
from sideboards.service.questions import AT_ONCE, UNDER_WAY, Questions, Unaskable


class Database:
    """Answers every question with the number of the statement, when it is let."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []
        self.may_answer = asyncio.Event()
        self.fails = False

    async def __call__(self, questions: list[str]) -> dict[str, int]:
        self.asked.append(questions)
        number = len(self.asked)
        await self.may_answer.wait()
        if self.fails:
            raise CannotSave("asleep")
        return dict.fromkeys(questions, number)


def test_what_is_asked_at_the_same_time_is_one_statement() -> None:
    async def body() -> None:
        database = Database()
        database.may_answer.set()
        ask = Questions(database)
        assert list(await asyncio.gather(ask("a"), ask("b"), ask("a"))) == [1, 1, 1]
        assert database.asked == [["a", "b"]]

    asyncio.run(body())


def test_nobody_gets_an_answer_that_is_older_than_the_question() -> None:
    async def body() -> None:
        database = Database()
        ask = Questions(database)
        waiting = []
        for _ in range(UNDER_WAY + 3):
            waiting.append(asyncio.ensure_future(ask("a")))
            await asyncio.sleep(0.01)
        database.may_answer.set()
        answers = await asyncio.gather(*waiting)
        assert answers == [*range(1, UNDER_WAY + 1), *[UNDER_WAY + 1] * 3]

    asyncio.run(body())


def test_a_statement_has_so_many_questions_at_most() -> None:
    async def body() -> None:
        database = Database()
        database.may_answer.set()
        ask = Questions(database)
        await asyncio.gather(*(ask(str(number)) for number in range(AT_ONCE + 1)))
        assert [len(questions) for questions in database.asked] == [AT_ONCE, 1]

    asyncio.run(body())


def test_everybody_hears_that_the_database_sleeps_and_those_who_left_disturb_nobody() -> None:
    async def body() -> None:
        database = Database()
        database.fails = True
        ask = Questions(database)
        stays, leaves = asyncio.ensure_future(ask("a")), asyncio.ensure_future(ask("a"))
        other = asyncio.ensure_future(ask("b"))
        await asyncio.sleep(0.01)
        leaves.cancel()
        database.may_answer.set()
        for waiting in (stays, other):
            with pytest.raises(CannotSave, match="asleep"):
                await waiting
        database.fails = False
        assert await ask("a") == 2

    asyncio.run(body())


def test_who_asks_in_the_moment_in_which_the_last_statement_ends_is_answered() -> None:
    async def body() -> None:
        database = Database()
        ask = Questions(database)
        first = []
        for number in range(UNDER_WAY):
            first.append(asyncio.ensure_future(ask(str(number))))
            await asyncio.sleep(0.01)

        async def follow() -> int:
            await database.may_answer.wait()  # behind both statements, so it asks just after them
            return await ask("late")

        late = asyncio.ensure_future(follow())
        await asyncio.sleep(0.01)
        database.may_answer.set()
        assert await asyncio.wait_for(late, 1) == UNDER_WAY + 1
        assert await asyncio.gather(*first) == [*range(1, UNDER_WAY + 1)]

    asyncio.run(body())


def test_a_question_that_cannot_be_asked_harms_no_other() -> None:
    async def ask_all(questions: list[int]) -> dict[int, int]:
        if any(question in guilty for question in questions):
            raise Unaskable("no such number")
        return {question: -question for question in questions}

    async def body() -> None:
        ask = Questions(ask_all)
        answers = await asyncio.gather(*map(ask, range(AT_ONCE)), return_exceptions=True)
        for question, answer in enumerate(answers):
            if question in guilty:
                assert isinstance(answer, CannotSave)
            else:
                assert answer == -question

    guilty = (0, 7, AT_ONCE - 1)
    asyncio.run(body())
