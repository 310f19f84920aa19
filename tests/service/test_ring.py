"""Syncs through a ring: of the right file, with what the system says of them, on Linux."""

import asyncio
import errno
import os
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

from sideboards.service.ring import ANSWERS_WITHIN, Ring, open_ring
from tests.service import live, ringless
from tests.service.live import finish, playing, serving
from tests.service.pages import unwritten
from tests.service.stores import LIMIT, run

PAGES = 20
ASK_FOR_ONE = """
import asyncio, sys
from pathlib import Path
from sideboards.service.ring import open_ring
async def ask(): return open_ring(Path(sys.argv[1]))
print(asyncio.run(ask()))
"""
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="rings are Linux's")


def opened(path: Path) -> Ring:
    """The ring of a file; a machine without any has nothing to be tested here."""
    path.touch()
    if (ring := open_ring(path)) is None:
        pytest.skip("this machine offers no rings")
    return ring


async def synced(ring: Ring) -> int:
    """Sync; the number of the error."""
    done: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    ring.sync(done.set_result)
    assert not done.done(), "the end is told later"
    return await done


def test_what_was_written_is_on_the_disk_and_nothing_of_other_files(tmp_path: Path) -> None:
    async def body() -> None:
        ring = opened(tmp_path / "log")
        with (tmp_path / "other").open("wb", buffering=0) as other:
            for round_ in range(3):
                os.pwrite(ring.files[0], os.urandom(4096 * PAGES), round_ * 4096 * PAGES)
                other.write(os.urandom(4096 * PAGES))
                assert unwritten(ring.files[0]) >= PAGES
                assert await synced(ring) == 0
                assert unwritten(ring.files[0]) == 0
            assert unwritten(other.fileno()) > 0
        await ring.close()

    run(body())


def test_a_sync_that_fails_tells_why(tmp_path: Path) -> None:
    async def body() -> None:
        ring = opened(tmp_path / "log")
        reading, writing = os.pipe()  # which nobody can sync
        os.dup2(writing, ring.files[0])
        assert await synced(ring) == errno.EINVAL
        await ring.close()
        os.close(reading)
        os.close(writing)

    run(body())


def test_two_syncs_at_a_time_unless_one_takes_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def body() -> None:
        ring = opened(tmp_path / "log")
        first = asyncio.ensure_future(synced(ring))
        await asyncio.sleep(0)
        assert ring.is_free
        monkeypatch.setattr("sideboards.service.ring.LONG", 0.0)
        assert not ring.is_free
        monkeypatch.undo()
        second = asyncio.ensure_future(synced(ring))
        await asyncio.sleep(0)
        # Nobody has heard of an end yet: for that the loop has to look.
        assert not ring.is_free or first.done()
        assert await asyncio.gather(first, second) == [0, 0]
        assert ring.is_free
        await ring.close()

    run(body())


def test_to_begin_takes_no_time(tmp_path: Path) -> None:
    """The first sync may end just before somebody waits for it."""

    async def body() -> None:
        begun = time.monotonic()
        for _ in range(500):
            with (tmp_path / "log").open("wb") as file:
                file.write(bytes(4096))
            await opened(tmp_path / "log").close()
        assert time.monotonic() - begun < ANSWERS_WITHIN

    run(body())


def test_there_is_no_ring_for_what_cannot_be_synced(tmp_path: Path) -> None:
    async def body() -> None:
        assert open_ring(Path(os.devnull)) is None
        assert open_ring(tmp_path / "missing") is None

    run(body())


@pytest.mark.long
def test_a_server_plays_on_where_the_system_forbids_rings(tmp_path: Path) -> None:
    async def body() -> None:
        async with playing(server, 2) as players:
            await finish(players, Random(3))
            assert all(player.phase == "finished" for player in players)

    (tmp_path / "log").touch()
    command = [*ringless.PROGRAM, sys.executable, "-c", ASK_FOR_ONE, str(tmp_path / "log")]
    found = subprocess.run(command, capture_output=True, text=True, check=True, timeout=LIMIT)
    assert found.stdout == "None\n", "it has a ring, so nothing was forbidden"
    with serving(tmp_path / "games.db", under=ringless.PROGRAM, compiled=False) as server:
        live.run(body())
