"""Two servers on one database agree on who is away, also of people who play by request alone.

Both run in this process, with shorter times: a database's own time cannot be moved forward.
"""

import asyncio
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from sideboards.service import presence, tables
from sideboards.service.house import House
from tests.service.live import Server, playing, run
from tests.service.rest import Person, running, wait_until

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("soon")]

AWAY = 4.0
SILENT = 9.0


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """All of it happens twenty times as fast."""
    monkeypatch.setattr(presence, "AWAY_AFTER", round(AWAY * 1000))
    monkeypatch.setattr(presence, "SILENT_AFTER", round(SILENT * 1000))
    monkeypatch.setattr(presence, "EARLY", round(AWAY * 500))
    monkeypatch.setattr(presence, "ELSEWHERE", round(AWAY * 750))
    monkeypatch.setattr(tables, "BEAT", AWAY / 12)


@pytest.fixture
def two(tmp_path: Path, postgres_url: str) -> Iterator[tuple[str, str]]:
    """The addresses of two servers."""
    with (
        running(tmp_path, database=postgres_url) as one,
        running(tmp_path, database=postgres_url) as other,
    ):
        time.sleep(AWAY)  # from now on nobody counts as cut off by their start
        yield one, other


def started(*people: Person) -> str:
    """A table with cards, at which these people sit."""
    host = people[0]
    table = host.table(seats=len(people))
    for seat, person in enumerate(people):
        assert person.sit(table, seat).status_code == 201
    host.get(f"/api/tables/{table}")  # the present, whichever server they have asked
    host.do(table, "start")
    for person in people:
        person.view(table)
    return table


def seats(base: str, table: str) -> Any:  # noqa: ANN401 (JSON)
    """What a server says of the people at a table."""
    return wait_until(lambda: httpx.get(f"{base}/api/tables/{table}").json().get("seats"))


def look(person: Person, table: str) -> bool:
    """Somebody looks at a table; the server may be too slow to show it."""
    return person.get(f"/api/tables/{table}/view").status_code in (200, 503)


def is_there(table: str, servers: tuple[str, str], sign: Callable[[], object]) -> None:
    """Somebody at seat 0 gives a sign, and is away for none of the servers."""
    begun = time.monotonic()
    sign()
    away = [seats(server, table)[0]["away"] for server in servers]
    if time.monotonic() - begun < AWAY / 3:  # else this machine is too busy to tell
        assert away == [False, False]


def stay(table: str, servers: tuple[str, str], seconds: float, sign: Callable[[], object]) -> None:
    """Somebody at seat 0 gives signs for some seconds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        is_there(table, servers, sign)
        time.sleep(AWAY / 10)


def test_who_looks_at_one_server_is_not_away_for_the_other(two: tuple[str, str]) -> None:
    one, other = two
    ana, ben, cleo = Person(one), Person(other, "Ben"), Person(one, "Cleo")
    table = started(ana, ben, cleo)
    stay(table, two, 1.5 * AWAY, lambda: look(ana, table))
    assert seats(one, table)[2]["away"]
    assert seats(other, table)[2]["away"]
    look(ana, table)
    assert ben.act(table, "help 0").json()["code"] == "not_away"
    assert ben.act(table, "help 2").status_code in (200, 202)  # the bot may take longer
    # A program that looks on and on is no sign of its person: away for both.
    wait_until(lambda: look(ana, table) and seats(one, table)[0]["away"])
    wait_until(lambda: seats(other, table)[0]["away"])


def test_what_one_server_has_stored_tells_the_other_who_is_there(
    two: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(House, "announce", lambda *_: None)
    one, other = two
    ana, ben = Person(one), Person(other, "Ben")
    table = started(ana, ben)
    move = ana.view(table)["options"][0]["move"]
    stay(table, two, SILENT + 1, lambda: ana.do(table, move, "undo"))
    assert ben.act(table, "help 0").json()["code"] == "not_away"
    wait_until(lambda: seats(other, table)[0]["away"])


def test_a_server_that_loads_a_table_asks_who_is_there(
    two: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "HERE_EVERY", 10**9)
    one, other = two
    ana, ben, cleo = Person(one), Person(one, "Ben"), Person(one, "Cleo")
    table = started(ana, ben, cleo)
    stay(table, (one, one), AWAY + 0.5, lambda: look(ana, table))
    assert not seats(other, table)[2]["away"]  # nobody knows yet
    wait_until(lambda: seats(other, table)[2]["away"])
    is_there(table, two, lambda: None)


def test_votes_end_whichever_server_somebody_comes_back_to(two: tuple[str, str]) -> None:
    one, other = two
    ana, ben, cleo = Person(one), Person(other, "Ben"), Person(one, "Cleo")
    table = started(ana, ben, cleo)
    wait_until(lambda: seats(other, table)[2]["away"])
    ben.do(table, "vote 2")
    assert seats(one, table)[2]["votes"] == [1]
    cleo.view(table)
    wait_until(lambda: not seats(other, table)[2]["votes"])
    assert not seats(other, table)[2]["away"]
    wait_until(lambda: seats(one, table)[2]["away"])
    ana.do(table, "vote 2")
    for server in two:
        found = seats(server, table)[2]
        assert (found["bot"], found["votes"]) == (None, [0])
    ben.do(table, "vote 2")
    assert seats(one, table)[2]["bot"] == "medium"


class Place(Server):
    """A server of this process, for those who play over sockets."""

    def __init__(self, base: str) -> None:
        self.port = urlsplit(base).port or 0


def test_silence_goes_along_to_another_server(two: tuple[str, str]) -> None:
    one, other = map(Place, two)

    async def body() -> None:
        async with playing(one, 2) as (ana, ben):
            begun = time.monotonic()
            seats(two[1], ana.table_id)  # from now on the other server knows what is told
            while time.monotonic() < begun + 0.8 * SILENT:
                await asyncio.sleep(0.2)
                ana.send(type="ping", active=True)
                assert not ana.table["seats"][1]["away"]
            ben.close()
            await ben.connect(other)
            await ana.until(lambda: ana.table["seats"][1]["present"])
            assert not ben.table["seats"][0]["away"]
            await ana.until(lambda: ana.table["seats"][1]["away"], 0.8 * SILENT)
            await ben.until(lambda: ben.table["seats"][1]["away"])
            ben.send(type="ping", active=True)
            await ana.until(lambda: not ana.table["seats"][1]["away"])

    run(body())


def test_whom_another_server_may_have_lost_has_time_to_come_back(
    tmp_path: Path, postgres_url: str
) -> None:
    with running(tmp_path, database=postgres_url) as other:
        with running(tmp_path, database=postgres_url) as one:
            table = started(Person(one), Person(one, "Ben"))
            wait_until(lambda: seats(one, table)[0]["away"])
        with running(tmp_path, database=postgres_url):
            assert not seats(other, table)[0]["away"]
            time.sleep(AWAY / 2)
            assert not seats(other, table)[0]["away"]
            wait_until(lambda: seats(other, table)[0]["away"])
