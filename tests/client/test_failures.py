"""What happens when a server dies under a draft and when the same seat is opened twice.

Cuts, stops and kills in mid-game are in `tests/proof/test_cuts.py`.
"""

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import get_args

import pytest

from sideboards.client import Client, ServerRefusal, Unreachable
from sideboards.service.protocol import Language, Settings
from sideboards.words import words
from tests.client.serving import Server, serving, table_of

pytestmark = pytest.mark.long


def test_a_newer_tab_takes_the_seat_and_the_older_stays_away(server: Server) -> None:
    async def tabs() -> None:
        async with Client(server.url) as ana:
            table = await table_of([ana], ("random",))
            async with ana.seat(table) as older:
                await older.play("start")
                await older.until(lambda: bool(older.view and older.view.sealed[1]))
                view = await older.dealt()
                async with ana.seat(table) as newer:
                    assert await newer.dealt() == view
                    with pytest.raises(ServerRefusal) as refused:
                        await older.until(lambda: False)
                    assert refused.value.code == "newer_tab"
                    with pytest.raises(ServerRefusal, match="another window"):
                        await older.play(view.legal[0])
                    await asyncio.sleep(2)
                    assert not older.welcomed
                    assert older.end is not None
                    assert newer.welcomed
                    assert (older.losses, newer.losses) == (0, 0)
                    await newer.play(view.legal[0])

    asyncio.run(asyncio.wait_for(tabs(), 30))


def test_who_asks_while_a_server_stops_is_told_to_ask_again(tmp_path: Path) -> None:
    """It stops while a move waits for the disk: nobody is let in, and the move is not lost."""

    async def stopping(server: Server) -> None:
        async with Client(server.url) as ana:
            table = await table_of([ana], ("random",))
            async with ana.seat(table) as seat:
                with held(tmp_path / "games.db"):
                    move = asyncio.ensure_future(seat.play("start"))
                    await asyncio.sleep(0.2)  # it is asked for, and waits for the disk
                    server.terminate()
                    await asyncio.sleep(0.2)
                    for language in get_args(Language):
                        async with Client(server.url, language=language) as late:
                            with pytest.raises(ServerRefusal) as refused:
                                await late.sign_in("Late")
                        assert refused.value.code == "stopping"
                        assert refused.value.passes
                        assert refused.value.sentence == words(language)("refusal.stopping")
                await asyncio.to_thread(server.wait)
                with pytest.raises(Unreachable) as away:
                    await ana.me()
                assert away.value.passes
                server.start()
                await move
                assert (await seat.dealt()).round == 0
                with pytest.raises(ServerRefusal) as wrong:
                    await ana.sign_in("")
                assert not wrong.value.passes

    with serving(tmp_path) as server:
        asyncio.run(asyncio.wait_for(stopping(server), 40))


@contextmanager
def held(database: Path) -> Iterator[None]:
    """Another program writes to a database for as long as a test needs it."""
    with closing(sqlite3.connect(database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


def test_a_draft_is_sent_again_after_a_crash(tmp_path: Path) -> None:
    """The clock runs out while we are connected anew, and the draft counts."""

    async def drafts(server: Server) -> None:
        async with Client(server.url) as ana:
            table = await table_of([ana], ("random",), Settings(seats=2, round_seconds=10))
            async with ana.seat(table) as seat:
                await seat.play("start")
                view = await seat.dealt()
                chosen = view.legal[7]
                seat.draft(chosen)
                await asyncio.sleep(0.1)
                server.kill()  # a draft is in the memory of the server only
                server.start()
                await seat.until(lambda: seat.losses > 0 and seat.welcomed)
                # A restart adds 20 seconds to what was left of the 10.
                await seat.until(lambda: 15 < (seat.seconds_left or 0) < 31)
                await ana._fetch("POST", "/test/clock", {"advance": 60_000})
                await seat.until(lambda: bool(seat.view and seat.view.round == 1))
                assert seat.view is not None
                assert (0, chosen) in seat.view.played

    with serving(tmp_path) as server:
        asyncio.run(asyncio.wait_for(drafts(server), 40))
