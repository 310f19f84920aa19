"""A nursery: servers with planted bugs are forked from one process that has loaded the program.

To load it takes a second of a core, and there is at least one server for every planted bug. What
is forked plants its bug and goes on as `python -m PROGRAM` does; the service without a bug is
never started this way. There is one nursery for each process that asks for it, and it ends with it.
"""

import atexit
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
from functools import cache
from threading import Lock
from typing import IO

HERE = hasattr(os, "pidfd_open")
"""Whether this system tells of the end of any process: Linux does."""
LOADED = ("proof.mutants", "sideboards.service.server", "litestar.app", "uvicorn.server")
MOST = 2**16
PATIENCE = 10.0
CODE = 4
"""Bytes of an exit code."""
_DOOR = Lock()
"""One at a time asks for a process."""


class Forked:
    """A process from the nursery; what is used of `subprocess.Popen`."""

    def __init__(self, arguments: list[str], stderr: int) -> None:
        """Start `python -m` with some arguments."""
        out, told = os.pipe()
        self._over, over = os.pipe()
        with _DOOR:
            control = _nursery()
            socket.send_fds(control, [json.dumps(arguments).encode()], [told, stderr, over])
            self.pid = int(control.recv(MOST))
        os.close(told)
        os.close(over)
        self.stdout: IO[bytes] = os.fdopen(out, "rb")
        self._code: int | None = None

    def terminate(self) -> None:
        """Ask it to stop."""
        os.kill(self.pid, signal.SIGTERM)

    def wait(self, timeout: float) -> int:
        """Its exit code, when it has ended."""
        if self._code is None:
            if not select.select([self._over], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(["forked"], timeout)
            self._code = int.from_bytes(os.read(self._over, CODE), signed=True)
            os.close(self._over)
        return self._code


@cache
def _nursery() -> socket.socket:
    """The line to the nursery of this process."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.service.nursery", str(theirs.fileno())],
            stdin=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            start_new_session=True,
        )

    def end() -> None:
        ours.close()  # which ends it; so does the death of this process
        process.wait(PATIENCE)

    atexit.register(end)
    return ours


def nurse(control: socket.socket) -> list[str]:
    """Fork whenever it is asked for; returns in each child, with the arguments for it."""
    door, children = control.fileno(), dict[int, tuple[int, int]]()
    while True:
        ready, _, _ = select.select([door, *children], [], [])
        for watched in [each for each in ready if each != door]:
            pid, over = children.pop(watched)
            _, status = os.waitpid(pid, 0)
            os.write(over, os.waitstatus_to_exitcode(status).to_bytes(CODE, signed=True))
            os.close(over)
            os.close(watched)
        if door in ready:
            data, fds, _, _ = socket.recv_fds(control, MOST, 3)
            if not data:
                sys.exit()
            told, stderr, over = fds
            if (pid := os.fork()) == 0:
                os.setsid()
                os.dup2(told, 1)
                os.dup2(stderr, 2)
                # What was opened for other files would use these as if they were those.
                sys.stdout = os.fdopen(1, "w", closefd=False)
                sys.stderr = os.fdopen(2, "w", closefd=False, buffering=1)
                for each in (*fds, *children, *(over for _, over in children.values())):
                    os.close(each)
                control.close()
                arguments: list[str] = json.loads(data)
                return arguments
            os.close(told)
            os.close(stderr)
            children[os.pidfd_open(pid)] = (pid, over)
            control.send(str(pid).encode())


if __name__ == "__main__":
    for name in LOADED:
        __import__(name)
    sys.argv = nurse(socket.socket(fileno=int(sys.argv[1])))
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
