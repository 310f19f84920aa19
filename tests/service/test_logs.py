import errno
import json
import logging
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from sideboards.service import logs, tables
from sideboards.service.log import CannotSave
from sideboards.service.sqlite_file import connect
from tests.service.rest import Person, running, wait_until

SECRET = "WyCOdU4gh5r3Z7ev4zDLPJ36xgQMfYZQ2apVvSyCf4A"  # noqa: S105 (nobody's)


@pytest.fixture
def root() -> Iterator[logging.Logger]:
    logger = logging.getLogger()
    before = list(logger.handlers)
    yield logger
    logger.handlers = before


def test_a_request_is_one_line_without_its_address(capsys: pytest.CaptureFixture[str]) -> None:
    logs.RequestLog().write("192.0.2.1", "GET", "/api/tables/{table}", 200, 0.0123)
    line = json.loads(capsys.readouterr().err)
    assert line.pop("time").endswith("+00:00")
    assert line == {
        "level": "info",
        "event": "request",
        "method": "GET",
        "route": "/api/tables/{table}",
        "status": 200,
        "ms": 12.3,
    }


def test_a_flood_of_nonsense_is_a_few_lines(capsys: pytest.CaptureFixture[str]) -> None:
    now = 0.0
    log = logs.RequestLog(lambda: now)
    for _ in range(100_000):
        log.write("192.0.2.1", "GET", "unknown", 404, 0.001)
    log.write("192.0.2.2", "GET", "/health", 200, 0.001)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == logs.REFUSED_LINES.count + 1
    assert json.loads(lines[-1])["left_out"] == 100_000 - logs.REFUSED_LINES.count
    now = 61.0
    log.write("192.0.2.1", "GET", "unknown", 404, 0.001)
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_failure_tells_its_place_but_not_its_text(capsys: pytest.CaptureFixture[str]) -> None:
    try:
        int(SECRET)
    except ValueError as error:
        logs.failure_log(error)
    written = capsys.readouterr().err
    line = json.loads(written)
    assert (line["event"], line["error"]) == ("failed", "ValueError")
    assert line["at"][0].startswith("test_logs.py:")
    assert SECRET not in written


class Full:
    """A stream to a disk without space."""

    def __init__(self, error: Exception) -> None:
        self._error = error
        self.tried = 0

    def isatty(self) -> bool:
        return False

    def write(self, _: str) -> int:
        self.tried += 1
        raise self._error


@pytest.mark.usefixtures("root")
@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "full"), ValueError("closed")])
def test_a_line_that_cannot_be_written_stops_nobody(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    full = Full(error)
    monkeypatch.setattr(sys, "stderr", full)
    logs.write("info", "hello")
    logs.failure_log(KeyError("what a test has made up"))
    logs.RequestLog().write("192.0.2.1", "GET", "/health", 200, 0.001)
    logs.configure()
    logging.getLogger("some.library.on.a.full.disk").warning("not understood")
    assert full.tried == 4


def test_an_outage_is_told_once_and_so_is_its_end(capsys: pytest.CaptureFixture[str]) -> None:
    now = 0.0

    def lines() -> list[dict[str, object]]:
        return [json.loads(line) for line in capsys.readouterr().err.splitlines()]

    log = logs.Outages(lambda: now)
    log.end()
    assert lines() == []
    for _ in range(1000):
        log.begin(CannotSave("ConnectionRefusedError: Connection refused"))
    (line,) = lines()
    assert (line["level"], line["event"]) == ("warning", "database_away")
    assert line["reason"] == "ConnectionRefusedError: Connection refused"
    now = 12.34
    log.end()
    log.end()
    (line,) = lines()
    assert (line["event"], line["seconds"]) == ("database_back", 12.3)
    for _ in range(1000):
        log.begin(CannotSave("x" * 1000))
        log.end()
    assert len(lines()) == 2 * (logs.OUTAGES.count - 1)


RENAMED = """
    BEGIN IMMEDIATE; ALTER TABLE {0} RENAME TO {2}; ALTER TABLE {1} RENAME TO {3}; COMMIT"""
"""Takes away, or brings back, what moves and heartbeats need, all at once."""


@pytest.mark.long
def test_a_server_tells_why_it_cannot_save_and_when_it_can(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "BEAT", 0.1)
    written = list[str]()

    def told(event: str) -> list[str]:
        written.extend(capsys.readouterr().err.splitlines())
        return [line for line in written if f'"event":"{event}"' in line]

    with running(tmp_path) as base, closing(connect(tmp_path / "sideboards.db", "rw")) as db:
        ana = Person(base)
        table = ana.start("easy")
        db.executescript(RENAMED.format("events", "servers", "other_events", "other_servers"))
        assert ana.act(table, ana.view(table)["options"][0]["move"]).json()["code"] == "cannot_save"
        assert ana.get(f"/api/tables/{'x' * 13}").status_code == 503
        (line,) = wait_until(lambda: told("database_away"))
        assert '"reason":"SQLITE_ERROR: no such table: ' in line
        db.executescript(RENAMED.format("other_events", "other_servers", "events", "servers"))
        assert len(wait_until(lambda: told("database_back"))) == 1


def test_libraries_write_little_and_no_values(
    root: logging.Logger, capsys: pytest.CaptureFixture[str]
) -> None:
    logs.configure()
    assert len(root.handlers) == 1
    for _ in range(1000):
        logging.getLogger("some.library").warning("not understood: %s", SECRET)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == logs.LIBRARY_LINES.count
    assert json.loads(lines[0])["event"] == "not understood: %s"
    assert SECRET not in "".join(lines)
