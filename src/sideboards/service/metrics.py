"""Metrics: how a server does, as figures for Prometheus; no ids, no names, nothing of any game."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString

from sideboards.service.room import Chair

MEDIA_TYPE = "text/plain; version=0.0.4"
METHODS = frozenset({"GET", "HEAD", "POST", "PATCH", "DELETE", "OPTIONS"})
"""The methods that are told apart; anything else that somebody sends counts as one."""
UNKNOWN = "unknown"
"""The route of a request that no route takes."""
_COMMITS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)

disable_created_metrics()  # type: ignore[no-untyped-call]


class Stored(Collector):
    """What is stored, in plain numbers: every move is counted here, a scrape is rare."""

    def __init__(self) -> None:
        self._events = 0
        self._seconds = 0.0
        self._commits = [0] * (len(_COMMITS) + 1)

    def count(self) -> None:
        """Count a stored entry."""
        self._events += 1

    def time(self, seconds: float) -> None:
        """Count how long a commit took."""
        self._seconds += seconds
        self._commits[bisect_left(_COMMITS, seconds)] += 1

    def collect(self) -> Iterable[Metric]:
        """The figures for a scrape."""
        bounds = [*map(floatToGoString, _COMMITS), "+Inf"]
        yield CounterMetricFamily(
            "sideboards_events", "Entries of logs that were stored.", self._events
        )
        yield HistogramMetricFamily(
            "sideboards_commit_seconds",
            "Time from the wish to store an entry until it is stored.",
            list(zip(bounds, accumulate(self._commits), strict=True)),
            self._seconds,
        )


class Metrics:
    """The figures of one server."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._stored = Stored()
        self._registry.register(self._stored)
        self.stored, self.committed = self._stored.count, self._stored.time
        self._refusals = Counter(
            "sideboards_refusals", "Refusals, by code.", ("code",), registry=self._registry
        )
        self._requests = Counter(
            "sideboards_requests",
            "Requests over REST, by method, route and status.",
            ("method", "route", "status"),
            registry=self._registry,
        )
        self._starts = Counter(
            "sideboards_starts",
            "Starts: seats and settings are fixed, commitments are on the table.",
            registry=self._registry,
        )
        self._deals = Counter(
            "sideboards_deals",
            "Deals; a start without one was broken off.",
            registry=self._registry,
        )
        seeds = Counter(
            "sideboards_seeds",
            "Seats that had promised a seed, by whether it was opened before the deal.",
            ("opened",),
            registry=self._registry,
        )
        self._opened, self._unopened = seeds.labels("yes"), seeds.labels("no")
        self._sockets = Gauge("sideboards_sockets", "Open sockets.", registry=self._registry)
        self._tables = Gauge("sideboards_tables", "Tables in memory.", registry=self._registry)
        ProcessCollector(registry=self._registry)

    def watch(self, sockets: Callable[[], int], tables: Callable[[], int]) -> None:
        """Ask these for the numbers of the moment."""
        self._sockets.set_function(sockets)
        self._tables.set_function(tables)

    def refused(self, code: str) -> None:
        """Count a refusal."""
        self._refusals.labels(code).inc()

    def requested(self, method: str, route: str, status: int) -> None:
        """Count a request."""
        known = method if method in METHODS else "other"
        self._requests.labels(known, route, str(status)).inc()

    def arranged(self, action: str, chairs: Sequence[Chair]) -> None:
        """Count a start or a deal that was stored, and whose seeds are in it; nothing else."""
        if action == "start":
            self._starts.inc()
        elif action.partition(" ")[0] == "deal":
            self._deals.inc()
            promised = [chair for chair in chairs if chair.commit]
            opened = sum(bool(chair.seed) for chair in promised)
            self._opened.inc(opened)
            self._unopened.inc(len(promised) - opened)

    def text(self) -> bytes:
        """All figures as Prometheus reads them."""
        return generate_latest(self._registry)
