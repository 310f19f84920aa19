"""Longer work of the thinking processes: advice, reviews, par."""

import asyncio
import json
import subprocess
from pathlib import Path
from random import Random

import pytest

from sideboards import Refusal, View, view
from sideboards.service.thinking import Busy, Job, Thinkers
from tests.service.test_thinking import a_record, a_state, processes, run, thinkers, timed, until
from tests.test_cli import COMMAND

pytestmark = pytest.mark.long  # every test starts processes of its own

ROOT = Path(__file__).parents[2]
WATCHDOG = 5.0


async def check_advice(found: Thinkers) -> None:
    """Options are weighed as at home, after the bots have chosen."""
    from sideboards.minds.coach import weigh  # noqa: PLC0415 (numba)

    known = view(a_state(), 0)
    options = await found.weigh(known, b"7")
    expected = weigh(known, Random(b"7"), samples=1_000)
    assert options == [(str(o.move), o.expected, o.winning) for o in expected]
    advice = [asyncio.create_task(found.weigh(known, b"%d" % i)) for i in range(20)]
    await asyncio.sleep(0)
    await found.choose("hard", known, b"1")
    assert sum(task.done() for task in advice) <= 1
    assert all(await asyncio.gather(*advice))


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


async def check_jobs(found: Thinkers) -> None:
    """Jobs find what the commands find, and let bots go first."""
    two, solo = a_record(2), a_record(1)
    known: View = view(a_state(), 0)
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
    par = found.job("par", solo, "en")
    await until(lambda: par.done)
    assert found.job("coach", two, "de") is coach
    assert coach.result == await asyncio.to_thread(command, "coach", two, "de")
    assert par.result == await asyncio.to_thread(command, "par", solo, "en")
    assert (coach.failed, par.failed) == (None, None)


async def check_faults(found: Thinkers) -> None:
    """A job survives one death; one that hangs fails, and can be asked for again."""
    solo = a_record(1)
    job = found.job("coach", solo, "en")
    await until(lambda: job.progress > 0.2)
    assert not job.done
    for process in processes():
        process.kill()
    await until(lambda: job.done, limit=60)
    assert (job.failed, job.progress) == (None, 1.0)

    found.patience = 10  # as long as one piece may take on a machine that is busy with other tests
    hung = found.job("coach", solo, "fr")
    await until(lambda: hung.progress > 0.2)
    assert not hung.done
    for process in processes():
        process.suspend()
    await until(lambda: hung.done, limit=20)
    sentence = "coach: the process did not answer within 10 seconds; expected a result"
    assert hung.failed == sentence
    again = found.job("coach", solo, "fr")
    assert again is not hung
    await until(lambda: again.done, limit=60)
    assert again.failed is None


def test_advice_and_jobs_find_what_is_found_at_home_whatever_happens_to_the_process() -> None:
    async def work() -> None:
        async with thinkers(warm=True, processes=1, watchdog=60) as found:
            await check_advice(found)
            found.watchdog = WATCHDOG
            await check_jobs(found)
            await check_faults(found)

    run(work(), 240)


def test_what_jobs_refuse() -> None:
    two, solo = a_record(2), a_record(1)

    async def work() -> None:
        async with thinkers(warm=False, processes=1) as found:
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
