import re

from sideboards.service.metrics import Metrics
from sideboards.service.room import Chair


def test_figures_are_counted_and_named() -> None:
    metrics = Metrics()
    metrics.watch(lambda: 7, lambda: 3)
    metrics.stored()
    metrics.stored()
    metrics.committed(0.004)
    metrics.refused("busy")
    metrics.requested("GET", "/api/me", 200)
    chairs = [Chair("ana", commit="c", seed="s"), Chair("ben", commit="c"), Chair("cleo"), Chair()]
    for action in ("start", "start", "leave", "deal", 'deal {"deck":[]}', "swap"):
        metrics.arranged(action, chairs)
    text = metrics.text().decode()
    for line in (
        "sideboards_events_total 2.0",
        "sideboards_starts_total 2.0",
        "sideboards_deals_total 2.0",
        'sideboards_seeds_total{opened="yes"} 2.0',
        'sideboards_seeds_total{opened="no"} 2.0',
        "sideboards_sockets 7.0",
        "sideboards_tables 3.0",
        'sideboards_refusals_total{code="busy"} 1.0',
        'sideboards_requests_total{method="GET",route="/api/me",status="200"} 1.0',
        'sideboards_commit_seconds_bucket{le="0.0025"} 0.0',
        'sideboards_commit_seconds_bucket{le="0.005"} 1.0',
    ):
        assert f"\n{line}\n" in text


def test_strange_methods_do_not_grow_the_page() -> None:
    metrics = Metrics()
    for number in range(1000):
        metrics.requested(f"METHOD{number}", "unknown", 405)
    text = metrics.text().decode()
    assert len(re.findall(r"^sideboards_requests_total\{", text, re.MULTILINE)) == 1


def test_two_servers_do_not_share_figures() -> None:
    one, other = Metrics(), Metrics()
    one.stored()
    assert "sideboards_events_total 0.0" in other.text().decode()
