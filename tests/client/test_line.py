"""When a lost connection is made again, and what a link says."""

import pytest

from sideboards import Refusal
from sideboards.client import check_server, parse_link
from sideboards.client.line import EXPECTED, LONGEST_RETRY, RETRY, retry_after


@pytest.mark.parametrize(
    ("failures", "most"), [(0, 0.5), (1, 1), (2, 2), (3, 4), (4, 5), (5, 5), (60, 5)]
)
def test_waiting_doubles_with_full_jitter(failures: int, most: float) -> None:
    waits = [retry_after(failures) for _ in range(2000)]
    assert 0 <= min(waits) < most * 0.05
    assert most * 0.95 < max(waits) <= most <= LONGEST_RETRY
    assert sum(waits) / len(waits) == pytest.approx(most / 2, rel=0.15)


def test_after_a_planned_restart_the_server_is_expected_any_moment() -> None:
    assert {retry_after(-EXPECTED) for _ in range(20)} == {RETRY}
    waits = [retry_after(failures) for failures in range(1 - EXPECTED, 0) for _ in range(500)]
    assert 0.25 <= min(waits) < 0.3
    assert 0.7 < max(waits) <= 0.75


def test_links() -> None:
    assert parse_link("https://play.example/t/abc") == ("https://play.example", "abc")
    assert parse_link("http://[::1]:8000/t/abc/") == ("http://[::1]:8000", "abc")
    for wrong in ("", "abc", "http://host/abc", "ftp://host/t/abc", "http:///t/abc", "http://h/t/"):
        with pytest.raises(Refusal, match="expected http://host:port/t/table"):
            parse_link(wrong)
    assert check_server("http://localhost:8000/") == "http://localhost:8000"
    with pytest.raises(Refusal, match='server: found "localhost:8000"; expected http://host:port'):
        check_server("localhost:8000")
