"""Load: people by the thousand, here by the dozen, against a real server."""

import asyncio
import json
import os
import pty
import re
import shlex
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from bench.pipes import object_of
from proof.loads import LIVELY, Watched
from sideboards import Refusal
from sideboards.cli.load import load as load_command
from sideboards.client import Client, ServerRefusal
from sideboards.load import Crowd, Plan, Waits
from sideboards.load.person import CheckedSeat
from sideboards.service.protocol import TableInfo
from tests.client.serving import Server, serving
from tests.command import COMMAND
from tests.service.uncompiled import PROGRAM

pytestmark = pytest.mark.long

LIMIT = 120


def load(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [COMMAND, "load", *arguments], capture_output=True, text=True, timeout=LIMIT, check=False
    )


def run(crowd: Crowd) -> None:
    async def whole() -> None:
        async with asyncio.timeout(LIMIT):
            await crowd.run()

    asyncio.run(whole())


def test_people_play_and_everything_is_counted(server: Server) -> None:
    done = load(
        server.url, "--tables", "6", "--players", "3", "--seconds", "3",
        "--moves-per-second", "80", "--seed", "3", "--json",
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert (found["people"], found["faults"], found["sentences"]) == (18, 0, [])
    assert 20 < found["moves"] <= 3 * 80 + 80
    assert found["drafts"] > 0
    times = found["milliseconds"]
    assert 0 < times["p50"] <= times["p95"] <= times["p99"] <= times["longest"]
    assert set(found["refusals"]) <= {"round_closed", "not_playing"}
    assert found["unfinished"] == 0
    assert found["own_bytes"] > 10**6
    assert found["again"] == (
        f"sideboards load {server.url} --tables 6 --players 3 --bots 0 --moves-per-second 80 "
        "--seconds 3 --seed 3"
    )


def test_people_swap_change_their_mind_and_come_back_and_are_told_nothing_too_early(
    server: Server,
) -> None:
    plan = Plan(
        server.url, tables=6, players=3, seconds=3, moves_per_second=80, seed=3, habits=LIVELY
    )
    watched = Watched(plan)
    crowd = Crowd(plan, watched)
    run(crowd)
    tally = crowd.tally
    assert (tally.sentences, watched.faults) == ([], [])
    assert watched.frames > tally.moves > 20
    assert min(tally.swaps, tally.undos, tally.drafts) > 0
    assert tally.reloads > tally.absences > 0
    assert tally.returns > 0
    assert set(tally.refusals) <= {"round_closed", "not_playing"}


def test_without_a_terminal_it_says_one_line(server: Server) -> None:
    done = load(server.url, "--tables", "1", "--players", "2", "--bots", "1", "--seconds", "1")
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 1
    assert done.stdout.startswith("1 people, ")
    again = f"sideboards load {server.url} --tables 1 --players 2 --bots 1 --seconds 1 --seed 0"
    assert done.stdout.endswith(f" 0 faults; seed 0, again: {again}\n")


def test_on_a_terminal_it_draws_a_table_and_ctrl_c_ends_it_with_one(server: Server) -> None:
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [COMMAND, "load", server.url, "--tables", "3", "--seconds", "600"],
        stdin=slave, stdout=slave, stderr=slave, env=os.environ | {"TERM": "xterm"},
    )  # fmt: skip
    os.close(slave)
    said = b""
    try:
        end = time.monotonic() + LIMIT
        while "░ 2 of 600 s".encode() not in said and time.monotonic() < end:
            said += os.read(master, 65536)
        process.send_signal(signal.SIGINT)
        while time.monotonic() < end:
            try:
                said += os.read(master, 65536)
            except OSError:
                break
        assert process.wait(LIMIT) == 130
    finally:
        process.kill()
        process.wait()
        os.close(master)
    text = said.decode()
    assert "people sit down" in text
    *_, last = text.split("\x1b[J")
    assert "12 at 3 tables, seed 0" in last
    assert f"again  sideboards load {server.url} --tables 3 --players 4 --bots 0 " in last
    assert "p99" in last
    assert "sideboards: stopped" in last


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("http://127.0.0.1:9", "expected a server of Sideboards"),
        ("http://192.0.2.1:80", "which is not this machine; expected http://localhost:port"),
    ],
)
def test_a_wrong_address_is_refused_in_one_sentence(url: str, sentence: str) -> None:
    done = load(url)
    assert (done.returncode, done.stdout) == (2, "")
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        ({"url": "nonsense"}, 'server: found "nonsense"; expected http://host:port'),
        ({"url": "http://localhost.example.org"}, "which is not this machine"),
        ({"tables": 0}, "--tables: found 0; expected 1 to 20000"),
        ({"tables": 9999}, "--tables: found 39996 people; expected at most 20000"),
        ({"players": 7}, "--players: found 7; expected 1 to 6"),
        ({"bots": 4}, "--bots: found 4; expected 0 to 3"),
        ({"seconds": float("nan")}, "--seconds: found nan; expected 0.1 to 604800"),
        ({"moves_per_second": 0}, "--moves-per-second: found 0; expected 0.01 to 100000"),
        ({"moves_per_second": float("inf")}, "--moves-per-second: found inf"),
    ],
)
def test_a_plan_that_cannot_be_done_is_refused(wanted: dict[str, Any], sentence: str) -> None:
    with pytest.raises(Refusal, match=re.escape(sentence)):
        Plan(**{"url": "http://127.0.0.1:9"} | wanted)


def test_a_server_of_ones_own_may_be_elsewhere() -> None:
    plan = Plan("http://192.0.2.1:80", mine=True)
    assert plan.url == "http://192.0.2.1:80"
    assert plan.again.endswith(" --seed 0 --yes-it-is-mine")


def test_the_command_for_the_same_again_makes_the_same_plan() -> None:
    plan = Plan("http://localhost:8000", 7, 3, 1, 12.25, 4.0, 99)
    given = load_command.make_context("load", shlex.split(plan.again)[2:]).params
    assert given.pop("as_json") is False
    assert Plan(**given) == plan


@contextmanager
def strict(folder: Path) -> Iterator[str]:
    """A server that allows one address 6 sockets and 5 guests."""
    command: list[str] = [
        *PROGRAM, "serve", "--json", "--host", "127.0.0.1", "--port", "0", "--processes", "1",
        "--sockets-per-address", "6", "--guests-per-hour", "5",
        "--database", str(folder / "games.db"),
    ]  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield object_of(process.stdout, LIMIT)["here"]
        finally:
            process.terminate()
            process.wait(LIMIT)


def test_limits_of_a_server_are_named(tmp_path: Path) -> None:
    with strict(tmp_path) as url:
        with pytest.raises(Refusal, match="allows 6 sockets per address, found 8 people") as told:
            run(Crowd(Plan(url, tables=2)))
        assert str(told.value).endswith("started with --sockets-per-address 8")
        with pytest.raises(Refusal, match="allows 5 guests per hour, found 6 people"):
            run(Crowd(Plan(url, tables=2, players=3)))
        run(Crowd(Plan(url, tables=1, seconds=0.1)))
        with pytest.raises(Refusal, match="started with a higher --guests-per-hour"):
            run(Crowd(Plan(url, tables=1)))


def test_a_server_that_goes_away_is_a_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sideboards.load.crowd.CLOSE_WITHIN", 2.0)
    with serving(tmp_path) as server:
        crowd = Crowd(Plan(server.url, tables=2, players=2, seconds=3, moves_per_second=20))

        async def whole() -> None:
            running = asyncio.create_task(crowd.run())
            while crowd.tally.moves < 5:
                await asyncio.sleep(0.05)
            server.kill()
            await running

        asyncio.run(asyncio.wait_for(whole(), LIMIT))
    assert crowd.tally.losses >= 1
    assert crowd.tally.sentences == ["nothing was answered in the last 2 seconds"]


def test_views_that_go_back_and_views_with_another_hash_are_faults(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    crowd = Crowd(Plan(server.url, tables=1, players=2, seconds=3, moves_per_second=20))
    honest = CheckedSeat.take

    def older(self: CheckedSeat, data: bytes) -> None:
        for number in (b"3", b"4"):
            data = data.replace(b'"seq":' + number + b"}", b'"seq":1}')
        honest(self, data)

    monkeypatch.setattr(CheckedSeat, "take", older)
    run(crowd)
    assert any("came after view" in sentence for sentence in crowd.tally.sentences)
    other = Crowd(Plan(server.url, tables=1, players=2, seconds=2, moves_per_second=20))

    def altered(self: CheckedSeat, data: bytes) -> None:
        honest(self, data.replace(b'"hash":"', b'"hash":"0'))

    monkeypatch.setattr(CheckedSeat, "take", altered)
    run(other)
    assert any("another hash" in sentence for sentence in other.tally.sentences)


def test_tables_that_wait_are_closed_at_the_end(server: Server) -> None:
    async def whole() -> list[TableInfo]:
        crowd = Crowd(Plan(server.url, tables=2, players=3, seconds=60))
        running = asyncio.create_task(crowd.run())
        while not all(party.table for party in crowd._parties) or not crowd._parties:
            await asyncio.sleep(0.001)
        tables = [party.table for party in crowd._parties]
        crowd.stop()
        crowd.stop()
        await running
        async with Client(server.url) as somebody:
            return [await somebody.table(table) for table in tables]

    # One that was just started cannot be closed any more: its cards are dealt within seconds.
    found = asyncio.run(asyncio.wait_for(whole(), LIMIT))
    assert not [each for each in found if each.phase == "waiting" and not each.started]


def test_companions_share_connections_and_are_others(server: Server) -> None:
    async def whole() -> None:
        async with Client(server.url) as ana:
            ben = ana.companion()
            await ana.sign_in("Ana")
            with pytest.raises(ServerRefusal) as refused:
                await ben.me()
            assert refused.value.code == "who_are_you"
            await ben.sign_in("Ben")
            await ben.close()
            assert (await ana.me()).name == "Ana"

    asyncio.run(whole())


def test_quantiles_are_right_to_two_percent() -> None:
    waits = Waits()
    assert waits.quantile(0.5) == 0
    for number in range(1, 10_001):
        waits.add(number / 1000)
    for share in (0.5, 0.95, 0.99):
        assert waits.quantile(share) == pytest.approx(10 * share, rel=0.021)
    waits.add(0.0)
    waits.add(1e9)
    assert waits.count == 10_002


def test_a_plan_without_a_pace_lets_everybody_think_for_five_seconds() -> None:
    assert Plan("http://localhost:1", tables=10).pace == 8
