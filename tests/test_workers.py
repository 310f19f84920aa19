"""Who plays: one process, all cores, a cluster. The results are the same, and nobody stays."""

import gc
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest

from sideboards import Move, Refusal, View
from sideboards.minds.arena import Deal, Game, Match
from sideboards.minds.workers import Workers, extra, workers

pytestmark = pytest.mark.long  # every test starts processes of its own

MATCH = Match(("greedy", "random", "greedy"), seats=3, deals=9, seed=6)
OWN_BOT = """
def last(view, rng):
    return view.options[-1].move
"""


def raising(_view: View, _rng: Random) -> Move:
    raise ZeroDivisionError("by nothing")


def dying(_view: View, _rng: Random) -> Move:
    os._exit(1)


def played(crew: Workers, match: Match) -> list[Deal]:
    return [deal for batch in crew(match) for deal in batch]


def results(deals: list[Deal]) -> list[tuple[int, tuple[Game, ...]]]:
    """All but the times."""
    return [(deal.number, deal.games) for deal in deals]


def own_processes() -> set[int]:
    """The living processes that this one has started."""
    found = set()
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = status.read_text().rpartition(")")[2].split()[:2]
        except OSError:  # it has just ended
            continue
        if int(parent) == os.getpid() and state != "Z":
            found.add(int(status.parent.name))
    return found


@pytest.fixture
def nobody_stays() -> Iterator[None]:
    """No worker is left behind; joblib's resource tracker, one small process, may stay."""
    before = own_processes()
    yield
    left = own_processes() - before
    commands = [Path(f"/proc/{pid}/cmdline").read_bytes() for pid in left]
    assert [command for command in commands if b"resource_tracker" not in command] == []


@contextmanager
def dask_cluster(n_workers: int = 2) -> Iterator[str]:
    """The address of a cluster of worker processes on this machine; no port is fixed."""
    cluster = extra("distributed", "cluster").LocalCluster(
        n_workers=n_workers,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
    )
    with cluster:
        yield cluster.scheduler_address


@pytest.fixture
def one_by_one() -> list[Deal]:
    with workers(1) as crew:
        return played(crew, MATCH)


def test_one_job_needs_no_joblib() -> None:
    code = (
        "import sys; from sideboards.minds.arena import Match\n"
        "from sideboards.minds.workers import workers\n"
        "with workers(1) as crew: list(crew(Match(('random', 'random'), deals=1)))\n"
        "print([m for m in ('joblib', 'distributed', 'numpy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout == b"[]\n"


@pytest.mark.usefixtures("nobody_stays")
def test_the_number_of_processes_changes_no_result(one_by_one: list[Deal]) -> None:
    with workers(2) as crew:
        assert results(played(crew, MATCH)) == results(one_by_one)
        again = Match(("random", "greedy"), deals=3)
        assert [deal.number for deal in played(crew, again)] == [1, 2, 3], "workers are used again"


@pytest.mark.long
@pytest.mark.usefixtures("nobody_stays")
def test_a_cluster_changes_no_result(one_by_one: list[Deal]) -> None:
    with dask_cluster() as address, workers(cluster=address) as crew:
        assert results(played(crew, MATCH)) == results(one_by_one)


@pytest.mark.long
@pytest.mark.usefixtures("nobody_stays")
def test_a_failing_bot_is_refused_from_a_cluster_too() -> None:
    match = Match(("tests.test_workers:raising", "random"), deals=4)
    with (
        dask_cluster() as address,
        workers(cluster=address) as crew,
        pytest.raises(
            Refusal, match='raising: it raised ZeroDivisionError "by nothing" in deal 1 of seed 0'
        ),
    ):
        played(crew, match)
    assert logging.root.manager.disable == logging.NOTSET, "others may log again"


@pytest.mark.usefixtures("nobody_stays")
def test_a_failing_bot_is_refused_from_a_process_too() -> None:
    match = Match(("tests.test_workers:raising", "random"), deals=4)
    with (
        workers(2) as crew,
        pytest.raises(
            Refusal, match='raising: it raised ZeroDivisionError "by nothing" in deal 1 of seed 0'
        ),
    ):
        played(crew, match)


@pytest.mark.usefixtures("nobody_stays")
def test_a_bot_that_kills_its_worker_is_refused() -> None:
    match = Match(("tests.test_workers:dying", "random"), deals=4)
    with (
        workers(2) as crew,
        pytest.raises(
            Refusal, match=r"a worker died while tests\.test_workers:dying, random played"
        ),
    ):
        played(crew, match)


@pytest.mark.usefixtures("nobody_stays")
def test_workers_find_a_bot_beside_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own_bot_of_a_user.py").write_text(OWN_BOT)
    monkeypatch.chdir(tmp_path)
    with workers(2) as crew:
        found = played(crew, Match(("own_bot_of_a_user:last", "random"), deals=2))
    assert len(found) == 2
    assert str(tmp_path) not in sys.path, "only the workers' own paths change"


@pytest.mark.usefixtures("nobody_stays")
def test_whoever_stops_early_leaves_nobody() -> None:
    with workers(2) as crew:
        batches = crew(Match(("greedy", "random"), deals=200))
        assert len(next(batches)) > 0


def test_a_cluster_that_is_not_there_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sideboards.minds.workers.PATIENCE", "1s")
    client = extra("distributed", "cluster").Client
    for address in ("tcp://127.0.0.1:9", "nonsense://", "tcp://127.0.0.1:x"):
        with (
            pytest.raises(
                Refusal, match=r"^--cluster: nothing answers at .*; expected the address"
            ),
            workers(cluster=address),
        ):
            pass
        left = [each for each in gc.get_objects() if type(each) is client]
        assert left == [], "one that is found later might hang the start of another"


@pytest.mark.usefixtures("nobody_stays")
def test_a_cluster_without_workers_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sideboards.minds.workers.PATIENCE", "1s")
    sentence = r"^--cluster: no worker at .*; expected the address of a Dask scheduler"
    with (
        dask_cluster(n_workers=0) as address,
        pytest.raises(Refusal, match=sentence),
        workers(cluster=address),
    ):
        pass


def test_a_missing_extra_is_named() -> None:
    with pytest.raises(Refusal) as refusal:
        extra("nowhere_to_be_found.inside", "cluster")
    assert str(refusal.value) == (
        "cluster: nowhere_to_be_found is not installed; "
        "expected the extra cluster: pip install 'sideboards[cluster]'"
    )
