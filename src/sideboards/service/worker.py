"""One thinking process, seen from the server: started, asked one thing at a time, ended."""

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence

from msgspec import DecodeError

from sideboards.service.thoughts import (
    LENGTH,
    MOST_BYTES,
    Failed,
    Hello,
    Ready,
    Reply,
    Request,
    frame,
    reply_decoder,
)

PROGRAM = (sys.executable, "-P", "-m", "sideboards.service.thinker")
STARTING = 20.0
"""Seconds that a process may take to say hello, on a machine that is busy with others."""
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
"""There are as many processes as cores."""


class Broken(Exception):
    """The process died, hung or talked nonsense: it must be ended."""


class Hung(Broken):
    """The process did not answer in time."""


class _Wire(asyncio.Protocol):
    """Takes frames apart; hands each to whoever waits."""

    def __init__(self, ended: Callable[[], None]) -> None:
        self.ended = ended
        self.waiting: asyncio.Future[Reply] | None = None
        self.gone = False
        self.buffer = bytearray()

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        while len(self.buffer) >= LENGTH:
            size = int.from_bytes(self.buffer[:LENGTH])
            if size > MOST_BYTES:
                self.fail(f"announced {size} bytes")
                return
            if len(self.buffer) < LENGTH + size:
                return
            message = bytes(self.buffer[LENGTH : LENGTH + size])
            del self.buffer[: LENGTH + size]
            self.take(message)

    def take(self, message: bytes) -> None:
        """Hand a message to whoever waits for it."""
        try:
            reply = reply_decoder.decode(message)
        except DecodeError as error:
            self.fail(f"sent garbage ({error})")
            return
        if self.waiting is None or self.waiting.done():
            self.fail("spoke without being asked")
        else:
            self.waiting.set_result(reply)

    def fail(self, what: str) -> None:
        """Nothing that comes from this process counts any more."""
        self.gone = True
        self.buffer.clear()
        if self.waiting is not None and not self.waiting.done():
            self.waiting.set_exception(Broken(what))
        self.ended()

    def connection_lost(self, _error: Exception | None) -> None:
        self.fail("died")


class Worker:
    """A process that thinks. `ended` is called when it dies, asked or not."""

    def __init__(self, program: Sequence[str], ended: Callable[[], None]) -> None:
        self.warm = False
        """Whether it has the compiled kernels at hand."""
        self.refused: dict[str, str] = {}
        self._wire = _Wire(ended)
        self._transport: asyncio.Transport | None = None
        try:
            self._ours, theirs = socket.socketpair()
        except OSError as error:  # as when this process has too many files open
            raise Broken(f"cannot be started ({error})") from error
        try:
            # In a session of its own it hears no Ctrl-C; when the server dies, it reads the end.
            self._process: subprocess.Popen[bytes] = subprocess.Popen(  # noqa: S603 (our own program)
                program,
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                start_new_session=True,
                env=os.environ | _ONE_THREAD,
            )
        except OSError as error:
            self._ours.close()
            raise Broken(f"cannot be started ({error})") from error
        finally:
            theirs.close()

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    @property
    def gone(self) -> bool:
        """Whether it will never answer again."""
        return self._wire.gone

    async def open(self, edition: bytes | None) -> None:
        """Connect and tell the edition; raises Broken."""
        loop = asyncio.get_running_loop()
        self._ours.settimeout(0)
        try:
            transport, _ = await loop.create_unix_connection(lambda: self._wire, sock=self._ours)
        except OSError as error:
            raise Broken(f"cannot be reached ({error})") from error
        self._transport = transport
        ready = await self.ask(Hello(edition), limit=STARTING)
        if not isinstance(ready, Ready):
            raise Broken("did not say hello")
        self.refused = ready.refused

    async def ask(self, request: Request, *, limit: float) -> Reply:
        """The answer to a request, within so many seconds; raises Broken."""
        if self._wire.gone or self._transport is None:
            raise Broken("died")
        self._wire.waiting = asyncio.get_running_loop().create_future()
        self._transport.write(frame(request))
        try:
            # Not wait_for: before Python 3.12 it may swallow a cancellation.
            async with asyncio.timeout(limit):
                reply = await self._wire.waiting
        except TimeoutError:
            raise Hung(f"did not answer within {limit:g} seconds") from None
        finally:
            self._wire.waiting = None
        if isinstance(reply, Failed):
            raise Broken(f"failed ({reply.sentence})")
        return reply

    async def end(self) -> None:
        """Kill the process and see it go."""
        self._wire.ended = lambda: None
        if self._transport is not None:
            self._transport.abort()
        else:
            self._ours.close()
        self._process.kill()  # also ends one that is stopped
        try:
            while self._process.poll() is None:
                await asyncio.sleep(0.002)
        except asyncio.CancelledError:
            self._process.wait()
            raise
