"""What fails inside a server is told, and disturbs nobody."""

from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any, cast

import pytest

from sideboards.service.wire import Showing
from tests.service import live
from tests.service.rest import running

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
