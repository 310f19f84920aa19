"""docs/deploying.md: its commands are run, its options and figures are those of the program."""

import os
import re
import signal
import subprocess
from pathlib import Path

import httpx
import pytest

from sideboards.cli.serving import serve
from sideboards.service.limits import CALLS_PER_ADDRESS, GUESTS_PER_ADDRESS, SOCKETS_PER_ADDRESS
from sideboards.service.server import BOT_BEAT
from tests.command import COMMAND, run
from tests.service.postgres import PostgresServer
from tests.service.processes import LIMIT, eventually, serving
from tests.service.stranger import Caller, play
from tests.service.uncompiled import PROGRAM
from tests.tools import needed

PAGE = Path(__file__).parents[2] / "docs" / "deploying.md"
QUICK = ("--test-mode", "--bot-beat", "0", "--processes", "1")


def blocks() -> list[tuple[str, str]]:
    """The shell commands of the page, each with the reason why it is not run, if there is one."""
    pattern = r"(?:<!-- not run: (.+?) -->\n)?```sh\n(.*?)```"
    return re.findall(pattern, PAGE.read_text(), re.DOTALL)


def rows(heading: str) -> dict[str, str]:
    """The first and last column of the table under a heading."""
    section = PAGE.read_text().partition(f"## {heading}\n")[2].partition("\n## ")[0]
    found = re.findall(r"^\| `([^`]+)` \|.* \| ?(.*?) ?\|$", section, re.MULTILINE)
    assert found
    return dict(found)


def test_all_options_are_told_with_their_defaults() -> None:
    told = rows("Options and limits")
    assert list(told) == [option.opts[0] for option in serve.params]
    for option, value in (
        ("--sockets-per-address", SOCKETS_PER_ADDRESS),
        ("--guests-per-hour", GUESTS_PER_ADDRESS.count),
        ("--requests-per-minute", CALLS_PER_ADDRESS.count),
        ("--bot-beat", BOT_BEAT),
    ):
        assert told[option] == str(value)
    assert GUESTS_PER_ADDRESS.seconds == 3600
    assert CALLS_PER_ADDRESS.seconds == 60


def test_whatever_is_not_run_has_a_reason_and_names_tests_that_exist() -> None:
    assert PAGE.read_text().count("```sh\n") == len(blocks())
    assert len([text for reason, text in blocks() if not reason]) >= 3
    for reason, _ in blocks():
        for name in re.findall(r"test_\w+\.py", reason):
            assert Path(__file__).with_name(name).exists(), name


@pytest.mark.long
def test_the_commands_work_beside_a_running_server_but_no_second_one_does(tmp_path: Path) -> None:
    needed("curl")
    own = {"SIDEBOARDS_DATABASE": str(tmp_path / "games.db")}
    environment = os.environ | own | {"PATH": f"{COMMAND.parent}:{os.environ['PATH']}"}
    with serving(COMMAND, *QUICK, cwd=tmp_path, env=environment) as server:
        table = play(server.address, tmp_path)["table"]
        script = "".join(text for reason, text in blocks() if not reason)
        assert "127.0.0.1:8000" in script
        script = script.replace("http://127.0.0.1:8000", server.address)
        done = subprocess.run(
            ["/bin/sh", "-eu", "-c", script],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=LIMIT,
        )
        assert done.returncode == 0, done.stderr
        assert "games.dump: 1 tables with" in done.stdout
        assert "version 1 already" in done.stdout
        found = set(re.findall(r"^# TYPE (\w+) ", done.stdout, re.MULTILINE))
        assert set(rows("Is it well?")) <= found
        assert {name for name in found if name.startswith("sideboards_")} <= set(
            rows("Is it well?")
        )
        record = httpx.get(f"{server.address}/api/tables/{table}/record").text
        games = ("--database", environment["SIDEBOARDS_DATABASE"])
        second = run("serve", "--host", "127.0.0.1", "--port", "0", *games)
        assert (second.returncode, second.stdout) == (2, b"")
        assert second.stderr.count(b"\n") == 1
        assert b"; expected " in second.stderr
    with serving(PROGRAM, *QUICK, "--database", "copy.db", cwd=tmp_path) as server:
        assert httpx.get(f"{server.address}/api/tables/{table}/record").text == record


@pytest.mark.long
def test_two_servers_share_a_database_and_one_may_end(postgres_url: str, tmp_path: Path) -> None:
    environment = os.environ | {"SIDEBOARDS_DATABASE": postgres_url}
    quick = ("--processes", "1")
    with serving(PROGRAM, *quick, cwd=tmp_path, env=environment) as second:
        with serving(PROGRAM, *quick, cwd=tmp_path, env=environment) as first:
            table = play(first.address, tmp_path)["table"]
            here, there = Caller(first.address), Caller(second.address)
            assert here.json("POST", "/api/guests", {"name": "Ben"})["guest"]["name"] == "Ben"
            there.cookie = here.cookie
            waiting = here.json("POST", "/api/tables", {"seats": 2})["table"]["table"]
            first.process.send_signal(signal.SIGTERM)
            assert first.process.wait(LIMIT) == 0
        record = there.call("GET", f"/api/tables/{table}/record")
        assert record == (tmp_path / "record.txt").read_bytes()
        seated = there.json("POST", f"/api/tables/{waiting}/seats", {"seat": 1})
        assert seated["seat"] == 1
        saved = run("backup", tmp_path / "club.dump", "--database", postgres_url)
        assert saved.returncode == 0, saved.stderr
    moved = run("restore", tmp_path / "club.dump", "--database", tmp_path / "laptop.db")
    assert moved.stdout == saved.stdout
    again = run("backup", tmp_path / "laptop.dump", "--database", tmp_path / "laptop.db")
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "laptop.dump").read_bytes() == (tmp_path / "club.dump").read_bytes()


@pytest.mark.long
def test_ready_tells_whether_the_database_answers(
    postgres_server: PostgresServer, tmp_path: Path
) -> None:
    environment = os.environ | {"SIDEBOARDS_DATABASE": postgres_server.url}

    def answers(status: int) -> bool:
        return httpx.get(f"{server.address}/ready", timeout=10).status_code == status

    with serving(PROGRAM, "--processes", "1", cwd=tmp_path, env=environment) as server:
        assert answers(200)
        postgres_server.kill()
        eventually(lambda: answers(503))
        assert httpx.get(f"{server.address}/health").status_code == 200
        postgres_server.start()
        eventually(lambda: answers(200))
