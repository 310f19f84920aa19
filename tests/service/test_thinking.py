"""Thinking processes: the same moves as at home, whatever happens to the processes."""

import asyncio
import errno
import logging
import os
import signal
import socket
import subprocess
import sys
import sysconfig
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import psutil
import pytest
import uvloop

from sideboards import (
    Edition,
    Mode,
    Record,
    Refusal,
    State,
    deal,
    format_record,
    legal,
    load_edition,
    new_setup,
    step,
    view,
)
from sideboards.minds.bots import BOTS, bot, greedy
from sideboards.service import worker
from sideboards.service.thinking import Chosen, Thinkers
from sideboards.service.thoughts import seen, view_of
from sideboards.service.worker import PROGRAM
from tests.games import TABLES, random_game
from tests.service.uncompiled import without_numba

pytestmark = pytest.mark.long  # every test starts processes of its own

ROOT = Path(__file__).parents[2]
WATCHDOG = 5.0
OTHERS: set[psutil.Process] = set()
"""What ran before the test began: servers that all tests share."""


def run(work: Coroutine[Any, Any, None], limit: float = 120) -> None:
    """Do it in the server's loop, and see that no process is left."""
    OTHERS.clear()
    OTHERS.update(psutil.Process().children(recursive=True))
    uvloop.run(asyncio.wait_for(work, limit))
    assert processes(recursive=True) == []


@asynccontextmanager
async def thinkers(
    *,
    warm: bool,
    processes: int | None = None,
    watchdog: float = WATCHDOG,
    patience: float = 60,
    program: Sequence[str] = PROGRAM,
    compiled: bool = True,
) -> AsyncIterator[Thinkers]:
    with nullcontext() if compiled else without_numba():
        found = Thinkers(
            load_edition(),
            processes=processes,
            watchdog=watchdog,
            patience=patience,
            program=program,
        )
    await found.start()
    try:
        while warm and not found.warm:
            await asyncio.sleep(0.05)
        yield found
    finally:
        await found.stop()


def a_state(seats: int = 4, seed: int = 1) -> State:
    return deal(new_setup(load_edition(), seats=seats, rng=Random(seed)))


def states(count: int) -> list[State]:
    """Moments of different games, in which seat 0 has to choose."""
    found = []
    for number in range(count):
        rng = Random(number)
        mode, seats = TABLES[number % len(TABLES)]
        moments, _ = random_game(load_edition(), mode, seats, rng, swaps=0.3)
        found.append(rng.choice([state for state in moments if 0 in state.waiting]))
    return found


def a_record(seats: int, seed: int = 3) -> str:
    state = a_state(seats, seed)
    setup = state.setup
    while not state.over:
        seat = state.waiting[0]
        state = step(state, seat, greedy(view(state, seat), Random(seed)))
    return format_record(Record(setup, state.played))


def processes(*, recursive: bool = False) -> list[psutil.Process]:
    """The processes that this one has started, but for the servers of other tests."""
    found = psutil.Process().children(recursive=recursive)
    return [each for each in found if each not in OTHERS and not _is_database(each)]


def _is_database(process: psutil.Process) -> bool:
    try:
        return "postgres" in process.name()
    except psutil.NoSuchProcess:  # it has just ended
        return True


async def until(done: Callable[[], bool], limit: float = 20) -> None:
    end = time.monotonic() + limit
    while not done():
        assert time.monotonic() < end, "waited in vain"
        await asyncio.sleep(0.02)


async def timed(asked: Coroutine[Any, Any, Chosen]) -> tuple[Chosen, float]:
    start = time.monotonic()
    return await asked, time.monotonic() - start


def check_replaced(asked: str, chosen: Chosen, took: float, state: State) -> None:
    assert chosen.move in legal(state, 0)
    assert chosen.replaced
    assert took < WATCHDOG
    ladder = list(BOTS)
    assert ladder.index(chosen.bot) < max(1, ladder.index(asked))


# ---- the same moves ----------------------------------------------------------------------------


@pytest.mark.parametrize(("mode", "seats"), TABLES)
def test_a_view_travels_without_loss_and_without_its_edition(
    edition: Edition, mode: Mode, seats: int
) -> None:
    for seed in range(5):
        for state in random_game(edition, mode, seats, Random(seed), swaps=0.3)[0]:
            for seat in state.waiting:
                known = view(state, seat)
                assert view_of(seen(known), edition) == known


def test_only_a_seat_that_has_to_choose_is_asked_for() -> None:
    state = a_state(2)
    sealed = step(state, 0, legal(state, 0)[0])
    for known in (view(state, None), view(sealed, 0)):
        with pytest.raises(Refusal, match="expected one of a seat that has to choose"):
            seen(known)


async def check_one_at_a_time(found: Thinkers) -> None:
    assert found.offered() == tuple(BOTS)
    for number, state in enumerate(states(6)):
        known, seed = view(state, 0), b"seed %d" % number
        for name in BOTS:
            expected = bot(name)(known, Random(seed))
            assert await found.choose(name, known, seed) == Chosen(
                expected, name, replaced=False, sitting_in=False
            )


async def check_many_at_once(found: Thinkers) -> None:
    names = ("master", "hard", "medium", "greedy", "easy", "random")
    asked = [(names[i % 6], view(s, 0), b"%d" % i) for i, s in enumerate(states(24))]
    moves = await asyncio.gather(*(found.choose(*each) for each in asked))
    for (name, known, seed), chosen in zip(asked, moves, strict=True):
        assert chosen == Chosen(BOTS[name](known, Random(seed)), name, False, False)


async def check_polite_and_deaf_to_ctrl_c(found: Thinkers) -> None:
    await until(lambda: len(processes()) == 2)
    before = processes()
    assert [process.nice() for process in before] == [psutil.Process().nice() + 5] * 2
    for process in before:
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)
    assert not (await found.choose("master", view(a_state(), 0), b"1")).replaced
    assert processes() == before


def test_bots_choose_as_they_do_at_home() -> None:
    async def work() -> None:
        async with thinkers(warm=True, processes=2, watchdog=60) as found:
            await check_one_at_a_time(found)
            await check_many_at_once(found)
            await check_polite_and_deaf_to_ctrl_c(found)

    run(work(), 240)


def test_only_the_ladder_is_offered() -> None:
    async def work() -> None:
        async with thinkers(warm=False, processes=1, compiled=False) as found:
            for name in ("os:getcwd", "coach", ""):
                with pytest.raises(Refusal, match=r"^bot: found .*; expected random, easy"):
                    await found.choose(name, view(a_state(), 0), b"")

    run(work())


def test_an_edition_comes_with_its_file(edition: Edition) -> None:
    data = (ROOT / "src/sideboards/data/edition.json").read_bytes()
    other = data.replace(b'"name": "', b'"name": "My ', 1)
    assert other != data
    with pytest.raises(Refusal, match="expected it with its own file"):
        Thinkers(edition, file=other)
    from sideboards import parse_edition  # noqa: PLC0415

    mine = parse_edition(other)
    known = view(deal(new_setup(mine, seats=2, rng=Random(1))), 0)

    async def work() -> None:
        found = Thinkers(mine, file=other, processes=1)
        await found.start()
        try:
            await until(lambda: "hard" not in found.offered())
            assert found.offered() == ("random", "easy", "greedy", "medium")
            assert "`sideboards train`" in str(found.refusal("coach"))
            assert "has no values yet" in str(found.refusal("hard"))
            instead = await found.choose("hard", known, b"1")  # seated where it is offered
            assert (instead.bot, instead.replaced) == ("medium", True)
            chosen = await found.choose("medium", known, b"1")
            assert chosen.move == BOTS["medium"](known, Random(b"1"))
            assert not chosen.replaced
        finally:
            await found.stop()

    run(work())


# ---- faults ------------------------------------------------------------------------------------


def test_a_process_killed_in_mid_thought_is_replaced() -> None:
    state = a_state()

    async def work() -> None:
        async with thinkers(warm=True, processes=1) as found:
            for name in ("master", "hard", "random"):  # the last two need no kernels
                found.watchdog = WATCHDOG
                await until(lambda: bool(processes()))
                for process in processes():
                    process.suspend()  # so that it is certainly in mid-thought
                asked = asyncio.create_task(timed(found.choose(name, view(state, 0), b"1")))
                await asyncio.sleep(0.2)
                for process in processes():
                    process.kill()
                chosen, took = await asked
                check_replaced(name, chosen, took, state)
                await asyncio.sleep(0.3)
                found.watchdog = 60  # whatever else the machine has to do
                after = await found.choose("hard", view(state, 0), b"1")
                assert (after.bot, after.replaced) == ("hard", False)
            await until(lambda: found.warm)

    run(work())


def test_an_idle_process_that_dies_is_not_a_fault_of_the_next_bot() -> None:
    known = view(a_state(), 0)

    async def work() -> None:
        async with thinkers(warm=False, processes=1, compiled=False) as found:
            for _ in range(3):
                await found.choose("greedy", known, b"1")
                before = processes()
                for process in before:
                    process.kill()
                await until(lambda old=before: not set(old) & set(processes()))  # type: ignore[misc]
                assert not (await found.choose("greedy", known, b"1")).replaced

    run(work())


@pytest.mark.parametrize("count", [1, 2])
def test_everybody_answers_in_time_when_all_processes_hang(count: int) -> None:
    state = a_state()

    async def work() -> None:
        async with thinkers(warm=True, processes=count) as found:
            await until(lambda: len(processes()) == count)
            hung = processes()
            for process in hung:
                process.suspend()
            names = list(BOTS) * 3
            asked = [timed(found.choose(name, view(state, 0), b"1")) for name in names]
            for name, (chosen, took) in zip(names, await asyncio.gather(*asked), strict=True):
                check_replaced(name, chosen, took, state)
            assert not any(process.is_running() for process in hung)
            assert not (await found.choose("hard", view(state, 0), b"1")).replaced

    run(work())


BAD = """
import os, sys, time
from sideboards.service.thoughts import *
source = open(0, "rb", closefd=False)
def take():
    return request_decoder.decode(source.read(int.from_bytes(source.read(4))))
def say(data):
    os.write(0, data)
what = sys.argv[1]
if what == "leave":
    sys.exit(3)
if what == "no hello":
    say(frame(Done()))
take()
say(frame(Ready({})))
if what == "unasked":
    time.sleep(0.3)
    say(frame(Thought("swap")))
while True:
    request = take()
    match what:
        case "garbage": say(b"\\0\\0\\0\\5hello")
        case "text": say(b"Traceback (most recent call last)")
        case "illegal": say(frame(Thought("R60")))
        case "undo": say(frame(Thought("undo")))
        case "other": say(frame(Done()))
        case "failed": say(frame(Failed("no idea")))
        case "twice": say(frame(Thought("swap")) * 2)
        case "half": say(frame(Thought("swap"))[:-1])
        case "exit": sys.exit(1)
"""
LIES = ("garbage", "text", "illegal", "undo", "other", "failed", "twice", "half", "exit")


@pytest.mark.parametrize("what", ["leave", "no hello", "unasked", *LIES])
def test_nonsense_is_replaced(what: str, tmp_path: Path) -> None:
    file = tmp_path / "bad.py"
    file.write_text(BAD)
    state = a_state()  # at the start nobody can swap

    async def work() -> None:
        program = (sys.executable, str(file), what)
        async with thinkers(warm=False, program=program) as found:
            for name in ("hard", "random"):
                chosen, took = await timed(found.choose(name, view(state, 0), b"1"))
                check_replaced(name, chosen, took, state)
                assert chosen.bot in ("random", "easy", "greedy")

    run(work())


def test_a_program_that_is_not_there_is_replaced(tmp_path: Path) -> None:
    state = a_state()

    async def work() -> None:
        program = (str(tmp_path / "none"),)
        async with thinkers(warm=False, program=program) as found:
            chosen, took = await timed(found.choose("hard", view(state, 0), b"1"))
            check_replaced("hard", chosen, took, state)
            await asyncio.sleep(1)
            _, took = await timed(found.choose("hard", view(state, 0), b"1"))
            assert took < 0.5  # nobody waits for what does not start

    run(work())


@pytest.mark.parametrize("error", [OSError(errno.EMFILE, "too many open files"), MemoryError()])
def test_thinking_comes_back_when_processes_can_be_started_again(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = view(a_state(), 0)
    refused = [True, False, True, True]  # at first, when kernels are made ready, and afterwards

    def pair() -> tuple[socket.socket, socket.socket]:
        if refused and refused.pop(0):
            raise error
        return socket.socketpair()

    monkeypatch.setattr(worker, "socket", SimpleNamespace(socketpair=pair))

    async def work() -> None:
        async with thinkers(warm=True, processes=1, watchdog=60) as found:
            assert refused == []
            assert not (await found.choose("master", known, b"1")).replaced

    run(work(), 60)


def test_after_the_stop_there_is_still_an_answer() -> None:
    state = a_state()

    async def work() -> None:
        async with thinkers(warm=False, processes=1, compiled=False) as found:
            await found.choose("random", view(state, 0), b"1")
            for process in processes():
                process.suspend()
            asked = asyncio.create_task(timed(found.choose("hard", view(state, 0), b"1")))
            await asyncio.sleep(0.2)
        check_replaced("hard", *await asked, state)

    run(work())


# ---- processes ---------------------------------------------------------------------------------

PARENT = """
import asyncio, sys
from random import Random
from sideboards import deal, load_edition, new_setup, view
from sideboards.service.thinking import Thinkers
async def main():
    found = Thinkers(load_edition(), processes=2, watchdog=60)
    await found.start()
    known = view(deal(new_setup(load_edition(), seats=2, rng=Random(1))), 0)
    await found.choose("hard", known, b"1")
    if sys.argv[1] == "modules":
        while not found.warm:
            await asyncio.sleep(0.05)
        await found.choose("master", known, b"1")
        await found.weigh(known, b"1")
        await found.stop()
        print([name for name in ("numpy", "numba") if name in sys.modules])
        return
    print("ready", flush=True)
    await asyncio.sleep(60)
asyncio.run(main())
"""


def test_the_server_itself_never_loads_numpy_or_numba() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PARENT, "modules"],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("[]\n", "")


@pytest.mark.parametrize("cold", [False, True])
def test_when_the_server_is_killed_its_processes_end(cold: bool, tmp_path: Path) -> None:
    """Also while one of them compiles."""
    environment = os.environ | ({"XDG_CACHE_HOME": str(tmp_path)} if cold else {})
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, "sleep"], stdout=subprocess.PIPE, env=environment
    ) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"ready\n"
        time.sleep(2 if cold else 0)
        children = psutil.Process(parent.pid).children(recursive=True)
        assert len(children) >= 2
        parent.kill()
    _, alive = psutil.wait_procs(children, timeout=3)
    for child in alive:
        child.kill()
    assert alive == []


def test_hard_sits_in_until_the_kernels_are_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    caplog.set_level(logging.INFO, "sideboards.thinking")
    known = view(a_state(), 0)

    async def work() -> None:
        # However busy the machine is: nobody is to be replaced for that here.
        async with thinkers(warm=False, processes=1, watchdog=60) as found:
            await until(lambda: "compiling the kernels" in caplog.text)
            assert "master" in found.offered()
            chosen = await found.choose("master", known, b"1")
            assert chosen == Chosen(BOTS["hard"](known, Random(b"1")), "hard", False, True)
            assert await found.weigh(known, b"1") == []
            job = found.job("par", a_record(1), "en")
            await asyncio.sleep(1)
            assert not job.done
        assert job.failed == "par: the server stops; expected it to run"

    run(work())


WITHOUT = """
import asyncio, sys
from random import Random
from sideboards import deal, load_edition, new_setup, view, Refusal
from sideboards.service.thinking import Thinkers
async def main():
    program = (sys.executable, "-S", "-m", "sideboards.service.thinker")
    found = Thinkers(load_edition(), program=program, watchdog=60)
    await found.start()
    known = view(deal(new_setup(load_edition(), seats=2, rng=Random(1))), 0)
    print(*found.offered())
    for name in found.offered():
        chosen = await found.choose(name, known, b"1")
        print(chosen.bot, chosen.replaced, chosen.sitting_in)
    instead = await found.choose("master", known, b"1")
    print(instead.bot, instead.replaced, instead.sitting_in)
    try:
        await found.weigh(known, b"1")
    except Refusal as refusal:
        print(refusal)
    for kind in ("coach", "par"):
        try:
            found.job(kind, "", "en")
        except Refusal as refusal:
            print(refusal)
    await found.stop()
asyncio.run(main())
"""


def test_without_numba_the_rest_is_offered(tmp_path: Path) -> None:
    packages = Path(sysconfig.get_path("purelib"))
    for name in ("msgspec", "numpy", "numpy.libs"):
        if (packages / name).exists():
            (tmp_path / name).symlink_to(packages / name)
    path = os.pathsep.join([str(tmp_path), str(ROOT / "src")])
    done = subprocess.run(
        [sys.executable, "-S", "-c", WITHOUT], env=os.environ | {"PYTHONPATH": path},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    names = [name for name in BOTS if name != "master"]
    why = "numba is not installed; expected the extra fast: pip install 'sideboards[fast]'"
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        " ".join(names),
        *(f"{name} False False" for name in names),
        "hard True False",
        *(f"{who}: {why}" for who in ("advice", "coach", "par")),
    ]


# ---- advice and jobs ---------------------------------------------------------------------------
