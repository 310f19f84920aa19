"""What fails inside a server is told, and disturbs nobody."""

import asyncio
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any, cast

import psutil
import pytest

from sideboards.service import server as servers
from sideboards.service.thinking import Chosen, Thinkers
from sideboards.service.wire import Showing
from tests.service import live
from tests.service.rest import Person, running

pytestmark = pytest.mark.long


def test_a_view_that_cannot_be_made_ahead_harms_no_move(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, failed = Showing.make_ahead, list[bool]()

    def once(self: Showing, seat: int | None, *, points: bool) -> None:
        if not failed:
            failed.append(True)
            raise MemoryError
        make(self, seat, points=points)

    async def body(server: live.Server) -> None:
        async with live.playing(server, 2) as (ana, ben):
            key = ana.ask(ana.some_move(Random(1)))
            assert (await ana.answer(key))["type"] == "ack"
            assert failed
            await ben.until(lambda: ben.view["public"]["sealed"] == [True, False])
            await ben.play(ben.some_move(Random(1)))
            await live.all_reach([ana, ben], 1)

    with running(tmp_path) as base:
        monkeypatch.setattr(Showing, "make_ahead", once)
        here = SimpleNamespace(here=base, port=int(base.rpartition(":")[2]))
        live.run(body(cast(Any, here)))


def test_a_bot_is_asked_again_although_its_fault_cannot_even_be_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    choose, faults = Thinkers.choose, list[str]()

    async def once(self: Thinkers, *asked: Any) -> Chosen:  # noqa: ANN401 (those of choose)
        if not faults:
            faults.append("choose")
            raise MemoryError
        return await choose(self, *asked)

    def report(_: BaseException) -> None:
        faults.append("report")
        raise MemoryError

    monkeypatch.setattr(Thinkers, "choose", once)
    monkeypatch.setattr(servers, "failure_log", report)
    with running(tmp_path) as base:
        ana = Person(base)
        ana.wait_for_bots(ana.start("easy"))
    assert faults == ["choose", "report"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a file that is always full")
def test_a_full_log_and_a_thinking_process_that_dies_stop_no_game(tmp_path: Path) -> None:
    full = ("sh", "-c", 'exec "$0" "$@" 2>/dev/full')

    async def body(server: live.Server) -> None:
        async with live.playing(server, 1, ("hard",)) as players:
            for _ in range(2):
                for thinker in psutil.Process(server.pid).children():
                    thinker.kill()
                await live.play_round(players, Random(1))

    with live.serving(tmp_path / "a.db", under=full, compiled=False) as server:
        live.run(body(server))


@pytest.mark.skipif(not hasattr(psutil.Process, "rlimit"), reason="needs limits of other processes")
def test_a_moment_without_file_descriptors_passes(tmp_path: Path) -> None:
    async def body(server: live.Server) -> None:
        async with live.playing(server, 1, ("hard",)) as players:
            process = psutil.Process(server.pid)
            before = process.rlimit(psutil.RLIMIT_NOFILE)
            process.rlimit(psutil.RLIMIT_NOFILE, (3, before[1]))
            for thinker in process.children():
                thinker.kill()
            await live.play_round(players, Random(1))
            process.rlimit(psutil.RLIMIT_NOFILE, before)
            async with asyncio.timeout(live.SOON):
                while not process.children():
                    await asyncio.sleep(0.05)

    with live.serving(tmp_path / "a.db", compiled=False) as server:
        live.run(body(server))
