"""The pages about the protocol are those that the types make."""

import json
import re
from pathlib import Path

import pytest

import sideboards.service
from scripts import make_protocol, make_types
from sideboards.service.api_tables import MOVES
from sideboards.service.protocol import Notice
from sideboards.service.refusals import CODES

SERVICE = Path(sideboards.service.__file__).parent


def test_the_pages_are_fresh() -> None:
    assert make_protocol.main(["--check"]) == 0


@pytest.mark.long
def test_a_stale_page_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("PAGE", "DOCUMENT"):
        monkeypatch.setattr(make_protocol, name, tmp_path / f"{name}.txt")
    assert make_protocol.main(["--check"]) == 1
    assert make_protocol.main([]) == 0
    assert make_protocol.main(["--check"]) == 0
    (tmp_path / "PAGE.txt").write_text("old")
    capsys.readouterr()
    assert make_protocol.main(["--check"]) == 1
    assert capsys.readouterr().out == (
        "docs/PAGE.txt: stale; run python -m scripts.make_protocol\n"
    )


def test_the_page_has_all_messages_codes_and_routes() -> None:
    page = make_protocol.page()
    for kind in ("hello", "act", "draft", "say", "ping", "resync", "ack", "refused", "advice"):
        assert f"### `{kind}`\n" in page
    for code in (*CODES, *MOVES):
        assert f"| `{code}` | " in page
    for path in json.loads(make_protocol.document())["paths"]:
        assert f"| `{path}` |" in page
    assert "`Content-Type: application/json`" in page
    assert "`/feeds/SECRET.atom`" in page
    wish = json.loads(make_protocol.document())["components"]["schemas"]["SitDown"]["properties"]
    assert "with a commitment it must be named" in wish["seat"]["description"]
    assert "`SB1|seat|TABLE|SEAT|SEED`" in wish["commit"]["description"]
    assert "Less help than the table allows; never more." in page


def test_the_page_names_the_notices_that_are_sent_and_why_a_socket_is_closed() -> None:
    sources = "".join(file.read_text() for file in SERVICE.glob("*.py"))
    sent = set(re.findall(r'\bnotice\(\s*"(\w+)"', sources))
    assert sent == set(re.findall(r"`(\w+)`", str(Notice.__doc__)))
    closed = set(re.findall(r'close\(1008, "(\w+)"', sources))
    said = re.findall(r"`(\w+)`", dict(make_protocol.CLOSE_CODES)[1008])
    assert closed | {"unknown_table", "too_many_sockets"} == set(said)


def test_what_the_browser_shares_with_the_server_is_fresh() -> None:
    assert make_types.stale() == {}
