"""The processes that are measured: a server, or a bare one, with its CPU time and memory."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import IO, Self
from urllib.request import urlopen

import psutil

from bench.pipes import NotReady, line_of, object_of

READY_WITHIN = 60.0
STOP_WITHIN = 15.0
IDLE = 0.05
"""Share of a core below which a server counts as idle."""
WARM_WITHIN = 90.0
ANSWER_WITHIN = 10.0


class Host:
    """A process that serves on a port of its own, which it tells."""

    def __init__(self, command: list[str], log: Path) -> None:
        self._begin = time.perf_counter()
        with log.open("a") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-m", *command],
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                start_new_session=True,
            )
        self._measured = psutil.Process(self.pid)
        try:
            self.port = self._told(READY_WITHIN)
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Stop the process, and with force whatever of it does not stop."""
        process = self._process
        process.terminate()
        try:
            process.wait(STOP_WITHIN)
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)  # a session of its own, its workers too
            process.wait(STOP_WITHIN)
        self._pipe.close()

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    @property
    def socket(self) -> str:
        """Where its WebSockets are."""
        return f"ws://127.0.0.1:{self.port}/ws"

    @property
    def _pipe(self) -> IO[str]:
        assert self._process.stdout is not None  # noqa: S101 - it was opened as a pipe
        return self._process.stdout

    def _told(self, within: float) -> int:
        """The port that it tells within so many seconds."""
        return int(line_of(self._pipe, within))

    def files(self) -> int:
        """How many files and sockets it has open."""
        return int(self._measured.num_fds())

    def cpu(self) -> float:
        """CPU seconds of all its threads, without those of its child processes."""
        if sys.platform == "linux":  # the clock of another process, exact to a microsecond
            return time.clock_gettime((~self.pid << 3) | 2)
        times = self._measured.cpu_times()
        return times.user + times.system

    def memory(self) -> float:
        """Its resident KiB."""
        return float(self._measured.memory_info().rss) / 1024

    def warm(self) -> None:
        """Wait until it has nothing to do of its own."""
        end, idle = time.monotonic() + WARM_WITHIN, 0
        while idle < 3 and time.monotonic() < end:
            begin, before = time.monotonic(), self.cpu()
            time.sleep(0.5)
            share = (self.cpu() - before) / (time.monotonic() - begin)
            idle = idle + 1 if share < IDLE else 0


class Bare(Host):
    """A bare server of `bench.echo`."""

    def __init__(self, kind: str, folder: Path) -> None:
        super().__init__(["bench.echo", kind, str(folder)], folder / f"{kind}.log")


class Server(Host):
    """`sideboards serve` on a file; `mutant` is the name of a planted bug of `proof/mutants`."""

    def __init__(self, file: Path, *options: str, mutant: str = "") -> None:
        program = ["proof.mutants", mutant] if mutant else ["sideboards"]
        command = [
            *program, "serve", "--host", "127.0.0.1", "--port", "0", "--json", "--test-mode",
            "--database", str(file), "--sockets-per-address", "100000",
            "--guests-per-hour", "100000", "--requests-per-minute", "1000000", *options,
        ]  # fmt: skip
        super().__init__(command, file.with_suffix(".log"))
        self.started = time.perf_counter() - self._begin
        """Seconds from its start until it was ready."""

    def _told(self, within: float) -> int:
        """The port, once it is ready."""
        end = time.monotonic() + within
        port = int(object_of(self._pipe, within)["port"])
        address = f"http://127.0.0.1:{port}/ready"
        while time.monotonic() < end:
            with suppress(OSError), urlopen(address, timeout=ANSWER_WITHIN) as answer:
                if answer.status == 200:
                    return port
            time.sleep(0.01)
        raise NotReady(f"the server was not ready within {within:g} s; expected it to answer")
