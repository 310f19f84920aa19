"""Longer work of the thinking processes: advice, reviews, par."""

import asyncio
import json
import subprocess
from pathlib import Path
from random import Random

import pytest

from sideboards import (
    Refusal,
    View,
    view,
)
from sideboards.service.thinking import Busy, Job
from tests.command import COMMAND
from tests.service.test_thinking import a_record, a_state, processes, run, thinkers, timed, until

pytestmark = pytest.mark.long  # every test starts processes of its own

ROOT = Path(__file__).parents[2]
WATCHDOG = 5.0


def test_options_are_weighed_after_the_bots_have_chosen() -> None:
    known = view(a_state(), 0)
    from sideboards.minds.coach import weigh  # noqa: PLC0415 (numba)

    async def work() -> None:
        async with thinkers(warm=True, processes=1, watchdog=60) as found:
            options = await found.weigh(known, b"7")
            expected = weigh(known, Random(b"7"), samples=1_000)
            assert options == [(str(o.move), o.expected, o.winning) for o in expected]
            advice = [asyncio.create_task(found.weigh(known, b"%d" % i)) for i in range(20)]
            await asyncio.sleep(0)
            await found.choose("hard", known, b"1")
            assert sum(task.done() for task in advice) <= 1
            assert all(await asyncio.gather(*advice))

    run(work())


async def watched(job: Job) -> list[float]:
    """What the job's progress was, until it is done."""
    shares = [job.progress]
    while not job.done:
        await asyncio.sleep(0.01)
        if job.progress != shares[-1]:
            shares.append(job.progress)
    return shares


def command(name: str, record: str, language: str) -> object:
    done = subprocess.run(
        [COMMAND, name, "-", "--json", "--lang", language],
        input=record.encode(), capture_output=True, timeout=60, check=True,
    )  # fmt: skip
    return json.loads(done.stdout)


def test_jobs_find_what_the_commands_find_and_let_bots_go_first() -> None:
    two, solo = a_record(2), a_record(1)
    known: View = view(a_state(), 0)

    async def work() -> None:
        async with thinkers(warm=True, processes=1) as found:
            coach = found.job("coach", two, "de")
            assert found.job("coach", two, "de") is coach
            watching = asyncio.create_task(watched(coach))
            for i in range(5):
                chosen, took = await timed(found.choose("master", known, b"%d" % i))
                assert (chosen.bot, took < 3) == ("master", True)
            assert not coach.done
            shares = await watching
            assert shares == sorted(shares)
            assert len(shares) > 10
            assert shares[-1] == 1.0
            english, par = found.job("coach", solo, "en"), found.job("par", solo, "en")
            await until(lambda: english.done and par.done)
            again = found.job("coach", two, "de")
            assert again is coach
        assert coach.result == command("coach", two, "de")
        assert english.result == command("coach", solo, "en")
        assert par.result == command("par", solo, "en")
        assert (coach.failed, english.failed, par.failed) == (None, None, None)

    run(work())


def test_what_jobs_refuse() -> None:
    two, solo = a_record(2), a_record(1)

    async def work() -> None:
        async with thinkers(warm=False) as found:
            with pytest.raises(Refusal, match=r"^line 1: found"):
                found.job("coach", "no record\n", "en")
            with pytest.raises(Refusal, match=r"^par: found a standard game; expected a solo game"):
                found.job("par", two, "en")
            with pytest.raises(Refusal, match="expected a finished game"):
                found.job("par", solo.rpartition("\n0")[0] + "\n", "en")
            with pytest.raises(Refusal, match=r"^language: found"):
                found.job("coach", two, "xx")
            jobs = [found.job("par", a_record(1, seed), "en") for seed in range(20)]
            with pytest.raises(Busy, match=r"^coach: 20 jobs wait already"):
                found.job("coach", two, "en")
            assert found.job("par", a_record(1, 0), "en") is jobs[0]
            await until(lambda: all(job.done for job in jobs), limit=60)
            assert {job.failed for job in jobs} == {None}
            found.job("coach", two, "en")

    run(work())


def test_a_job_survives_one_death() -> None:
    record = a_record(2)

    async def work() -> None:
        async with thinkers(warm=True, processes=1) as found:
            job = found.job("coach", record, "en")
            await until(lambda: job.progress > 0.2)
            for process in processes():
                process.kill()
            await until(lambda: job.done, limit=60)
            assert (job.failed, job.progress) == (None, 1.0)

    run(work())


def test_a_hung_job_fails_and_can_be_asked_for_again() -> None:
    record = a_record(2)

    async def work() -> None:
        # as long as one piece may take on a machine that is busy with other tests
        async with thinkers(warm=True, processes=1, patience=10) as found:
            hung = found.job("coach", record, "fr")
            await until(lambda: hung.progress > 0.2)
            for process in processes():
                process.suspend()
            await until(lambda: hung.done, limit=20)
            sentence = "coach: the process did not answer within 10 seconds; expected a result"
            assert hung.failed == sentence
            again = found.job("coach", record, "fr")
            assert again is not hung
            await until(lambda: again.done, limit=60)
            assert again.failed is None

    run(work())
