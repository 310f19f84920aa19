"""What `sideboards serve` is told wrongly is refused in one sentence, and how it is told to end."""

import signal
from pathlib import Path

import httpx
import pytest

from tests.command import refused
from tests.service.processes import LIMIT, serving
from tests.service.uncompiled import PROGRAM

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


def test_whoever_closes_the_terminal_ends_the_server_in_order(tmp_path: Path) -> None:
    with serving(PROGRAM, "--database", "games.db", cwd=tmp_path) as server:
        assert httpx.get(f"{server.address}/ready", timeout=LIMIT).status_code == 200
        server.process.send_signal(signal.SIGHUP)
        assert server.process.wait(LIMIT) == 0
    assert not (tmp_path / "games.db-wal").exists(), "all is at its place"
