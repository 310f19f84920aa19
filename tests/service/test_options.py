"""What `sideboards serve` is told wrongly is refused in one sentence, and how it is told to end."""

import asyncio
import json
import re
import signal
import subprocess
from pathlib import Path

import asyncpg
import httpx
import pexpect
import pytest
import segno

from sideboards.core.refusal import Refusal
from sideboards.service.server import Address, Options, serve
from sideboards.service.store import SqliteStore
from sideboards.service.store_postgres import PostgresStore
from tests.command import refused
from tests.service.processes import LIMIT, serving
from tests.service.stores import made, opened, run, with_guests
from tests.service.uncompiled import PROGRAM, without_numba

pytestmark = pytest.mark.long


@pytest.mark.parametrize(
    ("option", "value", "sentence"),
    [
        ("--origin", "https://play.example.org/", "expected scheme, name and perhaps port"),
        ("--origin", "play.example.org", "expected scheme, name and perhaps port"),
        ("--origin", "https://Play.example.org", "expected scheme, name and perhaps port"),
        ("--proxy", "proxy", "expected an address such as 127.0.0.1"),
        ("--host", "256.1.1.1", '--host: found "256.1.1.1"; expected an address'),
        ("--host", "\udcff", "expected an address"),
        ("--host", "203.0.113.7", '--host: found "203.0.113.7"; expected an address of this'),
        (
            "--database",
            "postgresql://ana:secret@127.0.0.1:1/none",
            "postgresql://127.0.0.1:1/none: ConnectionRefusedError: Connection refused; expected",
        ),
        ("--database", "mysql://ana:secret@host/x", '--database: found "mysql"://…; expected'),
        ("--database", "sqlite:///x.db", '--database: found "sqlite"://…; expected'),
        ("--database", "Postgresql://host/x", '--database: found "Postgresql"://…; expected'),
        ("--database", "postgresql://[bad", "expected postgresql://user@host/name"),
    ],
)
def test_a_wrong_option_is_refused(tmp_path: Path, option: str, value: str, sentence: str) -> None:
    line = refused("serve", "--port", "0", option, value, cwd=tmp_path)
    assert sentence in line
    assert "secret" not in line
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "games.db"

    async def fill() -> None:
        async with opened(lambda: SqliteStore(file)) as store:
            await with_guests(store)
            await store.secret()
            await store.resume("me")
            await made(store, "T1")

    run(fill())
    whole = file.read_bytes()
    page = int.from_bytes(whole[16:18])
    assert len(whole) > 10 * page
    for begin in range(page, len(whole), page):  # each page but the first, and all that follow
        for end in (begin + page, len(whole)):
            file.write_bytes(whole[:begin] + b"\x5a" * (end - begin) + whole[end:])
            said = started(str(file))
            assert not said or re.fullmatch(rf"{file}: .*malformed; expected a .*", said), said
    file.write_bytes(whole[:page] + b"\x5a" * (len(whole) - page))
    line = refused("serve", "--port", "0", "--host", "127.0.0.1", "--database", file)
    assert "malformed; expected a database that is whole" in line


def started(database: str) -> str:
    """What a server says that is started there: nothing, if it becomes ready."""
    ready = list[Address]()

    async def start() -> None:
        def stop(address: Address) -> None:
            ready.append(address)
            task.cancel()

        wanted = Options(database, host="127.0.0.1", port=0, processes=1)
        task: asyncio.Task[None] = asyncio.create_task(serve(wanted, stop))
        await task

    with without_numba(), pytest.raises((Refusal, asyncio.CancelledError)) as ended:
        run(start())
    assert ready == [] or str(ended.value) == ""
    return str(ended.value)


def test_a_database_that_fails_is_refused(postgres_url: str) -> None:
    async def spoil() -> None:
        async with opened(lambda: PostgresStore(postgres_url)):
            connection = await asyncpg.connect(postgres_url)
            await connection.execute("ALTER TABLE servers RENAME TO elsewhere")
            await connection.close()

    run(spoil())
    place = re.sub("//.*@", "//", postgres_url)
    missing = 'UndefinedTableError 42P01: relation "servers" does not exist'
    expected = "expected a database that is whole and answers"
    assert started(postgres_url) == f"{place}: {missing}; {expected}"


def test_in_test_mode_only_this_machine_comes_if_nothing_else_is_said(tmp_path: Path) -> None:
    arguments = [
        *PROGRAM,
        "serve",
        "--json",
        "--port",
        "0",
        "--test-mode",
        "--database",
        "games.db",
    ]
    process = subprocess.Popen(arguments, cwd=tmp_path, stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        said = json.loads(process.stdout.readline())
        assert (said["here"], said["room"]) == (f"http://127.0.0.1:{said['port']}", None)
        process.send_signal(signal.SIGTERM)
        assert process.wait(LIMIT) == 0, "as README says"
    finally:
        process.kill()
        process.communicate()


def test_on_a_screen_the_address_stays_in_sight_and_in_its_own_colors(tmp_path: Path) -> None:
    arguments = [*PROGRAM[1:], "serve", "--host", "127.0.0.2", "--port", "0"]
    child = pexpect.spawn(
        PROGRAM[0],
        [*arguments, "--database", "games.db"],
        cwd=str(tmp_path),
        timeout=LIMIT,
        encoding="utf-8",
    )
    child.expect_exact("Ctrl-C ends the server.\r\n")
    before = str(child.before)
    room = re.findall(r"network:   (\S+)", before)[0]
    assert squares(before) == [
        list(row) for row in segno.make(room, error="m").matrix_iter(border=4)
    ]
    assert httpx.get(f"{room}/api/limits", timeout=LIMIT).status_code == 200
    assert httpx.get(f"{room}/api/nothing", timeout=LIMIT).status_code == 404
    child.sendintr()
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130, "as README says"
    assert "event" not in str(child.before)


def squares(screen: str) -> list[list[int]]:
    """The squares of a QR code, which is drawn in black on white."""
    drawn = re.findall("\x1b\\[38;5;16;48;5;231m([ ▀▄█]+)\x1b\\[0m\r\n", screen)
    rows = [[int(half in halves) for half in line] for line in drawn for halves in ("▀█", "▄█")]
    return rows[: len(rows[0])]


def test_whoever_closes_the_terminal_ends_the_server_in_order(tmp_path: Path) -> None:
    with serving(PROGRAM, "--database", "games.db", cwd=tmp_path) as server:
        assert httpx.get(f"{server.address}/ready", timeout=LIMIT).status_code == 200
        server.process.send_signal(signal.SIGHUP)
        assert server.process.wait(LIMIT) == 0
    assert not (tmp_path / "games.db-wal").exists(), "all is at its place"
