"""Who plays the games of a match: this process, all cores, or a cluster."""

import gc
import logging
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from warnings import catch_warnings, filterwarnings

from sideboards.core.refusal import Refusal, quoted
from sideboards.minds.arena import Deal, Match, play_deals

Workers = Callable[[Match], Iterator[list[Deal]]]
"""Plays a match; gives the deals back batch by batch, in their order."""

LARGEST_BATCH = 25
BATCHES_PER_WORKER = 8
"""Small enough that the bar moves and no worker is left alone with the end of a match."""
PATIENCE = "10s"
"""How long a cluster may take to answer and to have a worker."""


def extra(module: str, name: str) -> ModuleType:
    """A module of an optional dependency, imported when it is needed; refused when missing."""
    try:
        return import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        raise Refusal(
            f"{name}: {package} is not installed; "
            f"expected the extra {name}: pip install 'sideboards[{name}]'"
        ) from None


@contextmanager
def workers(jobs: int | None = None, cluster: str | None = None) -> Iterator[Workers]:
    """Workers for any number of matches: a Dask cluster, so many processes, or with 1 none.

    Without `jobs` there is one for each core. None is left behind, whatever happens.
    """
    if cluster is not None:
        with _dask(cluster) as found:
            yield found
        return
    if jobs != 1:
        joblib = extra("joblib", "arena")
        jobs = jobs or int(joblib.cpu_count())
    if jobs == 1:
        yield _here
        return
    try:
        with _crew(int(jobs), "loky") as found:
            yield found
    finally:
        # Idle workers would live on for minutes, and busy ones until their batch is done.
        loky = extra("joblib.externals.loky", "arena")
        loky.get_reusable_executor(reuse=True).shutdown(wait=True, kill_workers=True)


def _here(match: Match) -> Iterator[list[Deal]]:
    for number in range(1, match.deals + 1):
        yield play_deals(match, [number])


@contextmanager
def _crew(count: int, backend: str) -> Iterator[Workers]:
    """So many joblib workers; a match that is not over at the end is broken off."""
    with ExitStack() as matches:
        yield lambda match: matches.enter_context(closing(_spread(count, backend, match)))


def _spread(count: int, backend: str, match: Match) -> Generator[list[Deal], None, None]:
    """The batches of a match as `count` joblib workers bring them back."""
    from concurrent.futures.process import BrokenProcessPool  # noqa: PLC0415 (slow to load)

    joblib = extra("joblib", "arena")
    size = max(1, min(LARGEST_BATCH, match.deals // (count * BATCHES_PER_WORKER)))
    numbers = range(1, match.deals + 1)
    here = str(Path.cwd())
    with ExitStack() as afterwards:
        with _deaf_to_ctrl_c(), joblib.parallel_config(backend, n_jobs=count):
            batches = joblib.Parallel(return_as="generator", batch_size=1)(
                joblib.delayed(_work)(match, here, numbers[first : first + size])
                for first in range(0, len(numbers), size)
            )
            afterwards.callback(_break_off, batches)
        try:
            for batch in batches:
                if isinstance(batch, Refusal):
                    raise batch
                yield batch
        except BrokenProcessPool:
            names = ", ".join(match.labels)
            sentence = f"arena: a worker died while {names} played; expected it to live"
            raise Refusal(sentence) from None
        except BaseException:
            if backend == "dask":  # logs every task that is taken from it, until it is closed
                logging.disable()
            raise


def _break_off(batches: Generator[list[Deal] | Refusal, None, None]) -> None:
    """Stop the work on batches that nobody waits for, if there are any."""
    with catch_warnings():  # joblib has advice for whoever breaks off: to have asked for less
        filterwarnings("ignore", r"\d+ tasks ", UserWarning)
        usual = threading.excepthook
        threading.excepthook = partial(_unless_manager, usual)
        try:
            batches.close()
        finally:
            threading.excepthook = usual


def _unless_manager(
    tell: Callable[[threading.ExceptHookArgs], object], failed: threading.ExceptHookArgs
) -> None:
    """Tell of a thread that failed, unless it is loky's manager.

    When its work is taken away before it has handed it out, it looks for it in vain and ends.
    """
    if failed.thread is None or failed.thread.name != "ExecutorManagerThread":
        tell(failed)


@contextmanager
def _deaf_to_ctrl_c() -> Iterator[None]:
    """Processes that start here never hear Ctrl-C: they are ended, and need not tell of it.

    A Ctrl-C of these few milliseconds reaches this process afterwards.
    """
    from multiprocessing import resource_tracker  # noqa: PLC0415 (not at every start of a command)

    resource_tracker.ensure_running()  # would open our ears again if it started later
    heard: list[int] = []
    in_main = threading.current_thread() is threading.main_thread()
    # A library's thread may take the signal in spite of the mask; it waits here all the same.
    handler = signal.signal(signal.SIGINT, lambda *_: heard.append(1)) if in_main else None
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        if in_main:
            signal.signal(signal.SIGINT, handler)
        if heard:
            signal.raise_signal(signal.SIGINT)


def _work(match: Match, folder: str, numbers: range) -> list[Deal] | Refusal:
    """Play deals in a worker, where a bot may be named from the folder that the user stands in.

    A refusal is a result like others: so of several the one of the first deal is told.
    """
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        return play_deals(match, numbers)
    except Refusal as refusal:
        return Refusal(str(refusal))


@contextmanager
def _dask(address: str) -> Iterator[Workers]:
    """The workers of the Dask cluster at this address."""
    distributed = extra("distributed", "cluster")
    expected = "expected the address of a Dask scheduler with workers"
    client = None
    with suppress(OSError, ValueError, TypeError):
        client = distributed.Client(address, timeout=PATIENCE, set_as_default=True)
    if client is None:
        gc.collect()  # found while another one is started, what is left of it would wait for that
        raise Refusal(f"--cluster: nothing answers at {quoted(address)}; {expected}")
    silenced = logging.root.manager.disable
    try:
        with client:
            try:
                client.wait_for_workers(1, timeout=PATIENCE)
            except TimeoutError:
                raise Refusal(f"--cluster: no worker at {quoted(address)}; {expected}") from None
            with _crew(sum(client.nthreads().values()), "dask") as found:
                yield found
    finally:
        logging.disable(silenced)
