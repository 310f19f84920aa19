"""One address of several servers, as a reverse proxy has it: new connections go to them in turn.

It forwards bytes and knows nothing of them. A server may be left out before it is stopped: then no
new connection goes there, and those that it has stay. One that refuses a connection is skipped.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from itertools import count
from typing import Self, cast

AT_THE_DOOR = 4096
"""Connections that may wait to be accepted; others would knock again only after a second."""


class Side(asyncio.Protocol):
    """One end of a connection: whatever comes here goes out at the other end."""

    def __init__(self, other: "Side | None" = None) -> None:
        self.other = other
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """There is a connection."""
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Something came."""
        if self.other is not None:
            self.other.send(data)

    def connection_lost(self, error: Exception | None) -> None:  # noqa: ARG002 (asyncio's)
        """The connection has ended: so does the other end's."""
        self._transport = None
        if self.other is not None:
            self.other.close()

    def pause_writing(self) -> None:
        """What goes out here is not read: let the other end wait."""
        if self.other is not None:
            self.other.listen(go_on=False)

    def resume_writing(self) -> None:
        """It is read again."""
        if self.other is not None:
            self.other.listen(go_on=True)

    def send(self, data: bytes) -> None:
        """Send what came at the other end."""
        if self._transport is not None:
            self._transport.write(data)

    def listen(self, *, go_on: bool) -> None:
        """Take what comes, or let it wait."""
        if self._transport is not None and not self._transport.is_closing():
            (self._transport.resume_reading if go_on else self._transport.pause_reading)()

    def close(self) -> None:
        """End, after all that is to be sent."""
        if self._transport is not None:
            self._transport.close()

    def cut(self) -> None:
        """End at once."""
        if self._transport is not None:
            self._transport.abort()


class Arrival(Side):
    """The end of somebody who comes, and for whom a server must be found first."""

    def __init__(self, balancer: "Balancer") -> None:
        super().__init__()
        self._balancer = balancer
        self._early = b""
        """What came before there was a server."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """There is a connection."""
        super().connection_made(transport)
        self._balancer.admit(self)

    def data_received(self, data: bytes) -> None:
        """Something came."""
        if self.other is None:
            self._early += data
        else:
            self.other.send(data)

    def meet(self, other: Side) -> None:
        """A server is found: hand on what came before."""
        self.other = other
        other.send(self._early)
        self._early = b""

    def connection_lost(self, error: Exception | None) -> None:
        """The connection has ended."""
        super().connection_lost(error)
        self._balancer.forget(self)


class Balancer:
    """Listens on a free port for several servers, and sends new connections to them in turn."""

    def __init__(self, servers: Sequence[int]) -> None:
        """`servers` are their ports."""
        self._servers = servers
        self._left_out: set[int] = set()
        self._turns = count()
        self._arrivals: set[Arrival] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._listening: asyncio.Server | None = None
        self.port = 0

    async def __aenter__(self) -> Self:
        loop = asyncio.get_running_loop()
        self._listening = await loop.create_server(
            lambda: Arrival(self), "127.0.0.1", 0, backlog=AT_THE_DOOR
        )
        self.port = self._listening.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._listening is not None:
            self._listening.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for arrival in self._arrivals:
            arrival.cut()
        while self._arrivals:  # which each of them leaves in the next turn of the loop
            await asyncio.sleep(0)

    def leave_out(self, server: int) -> None:
        """Send no new connection to a server until `take_in`."""
        self._left_out.add(server)

    def take_in(self, server: int) -> None:
        """Send new connections to a server again."""
        self._left_out.discard(server)

    def admit(self, arrival: Arrival) -> None:
        """Find a server for somebody."""
        self._arrivals.add(arrival)
        task = asyncio.get_running_loop().create_task(self._connect(arrival))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def forget(self, arrival: Arrival) -> None:
        """Somebody is gone."""
        self._arrivals.discard(arrival)

    async def _connect(self, arrival: Arrival) -> None:
        loop, turn = asyncio.get_running_loop(), next(self._turns)
        here = [server for server in self._servers if server not in self._left_out]
        for number in range(len(here)):
            server = here[(turn + number) % len(here)]
            with suppress(OSError):  # it is not there: perhaps the next one is
                _, far = await loop.create_connection(lambda: Side(arrival), "127.0.0.1", server)
                if arrival in self._arrivals:
                    arrival.meet(far)
                else:
                    far.close()
                return
        arrival.close()
