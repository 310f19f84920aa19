"""Where sockets arrive: who may open one, how many there are, what each may see."""

import asyncio
import gc
import logging
import time
from collections import Counter
from functools import partial
from http import HTTPStatus
from typing import Any

from picows import (
    WSAutoPingStrategy,
    WSUpgradeRequest,
    WSUpgradeResponse,
    WSUpgradeResponseWithListener,
)
from picows import picows as internals

from sideboards.service.headers import HEADERS, wanted_language
from sideboards.service.house import House
from sideboards.service.identity import Identity
from sideboards.service.limits import HANDSHAKE, SOCKETS_PER_ADDRESS, household, unmapped
from sideboards.service.log import TABLE
from sideboards.service.outbox import Outbox
from sideboards.service.protocol import MAX_MESSAGE, Hello, Refused
from sideboards.service.refusals import ServiceRefusal, status
from sideboards.service.room import Actor
from sideboards.service.socket import Connection
from sideboards.service.table import Table
from sideboards.service.tables import Tables
from sideboards.service.wire import encode
from sideboards.words import words

SOCKET_PATH = b"/ws"
SOCKETS_IN_ALL = 20_000
READ_BUFFER = 2048
LOOK_EVERY = 0.05
"""Seconds between two looks at sockets, at the most."""
SEEN_WITHIN = 2.0
"""Seconds in which all sockets are looked at once."""
AT_A_LOOK = 16
"""So many sockets are looked at together; whoever moves meanwhile has to wait for it."""
STEP_ASIDE, PATIENCE = 0.001, 3
"""While somebody waits for an answer, a look is put off by so many seconds, so often."""
YOUNG = 200
"""New objects after which a rest is used to collect garbage among them."""
TOO_LARGE = 1009
GOODBYES = 50
"""So many sockets too many are let in, to be told why in the way that a browser can hear."""


class Desk:
    """The sockets of one server."""

    def __init__(
        self,
        house: House,
        tables: Tables,
        identity: Identity,
        *,
        origins: frozenset[str],
        proxies: tuple[str, ...] = (),
        per_address: int = SOCKETS_PER_ADDRESS,
        in_all: int = SOCKETS_IN_ALL,
    ) -> None:
        self._house = house
        self._tables = tables
        self._identity = identity
        self._origins = origins
        self._proxies = proxies
        self.per_address = per_address
        """Sockets of one address."""
        self._in_all = in_all
        self._counts: Counter[str] = Counter()
        self._sweeper: asyncio.Task[None] | None = None
        self.connections: set[Connection] = set()
        self.pressing: set[Connection] = set()
        """Those that wait for an answer or a goodbye."""
        self.outbox = Outbox(house.failed, self._prepare)
        self._unseen: list[Connection] = []
        """The sockets that are still to be looked at in this round, so many at a time."""
        self.time = time.monotonic
        self.spawn = house.spawn
        self.failed = house.failed
        self.announce = house.announce

    @property
    def stopping(self) -> bool:
        """Whether nobody is let in any more."""
        return self._house.stopping

    def start(self) -> None:
        """Begin to look after time."""
        self._sweeper = asyncio.get_running_loop().create_task(self._sweep())

    async def stop(self) -> None:
        """Let what is under way end, then tell everybody to come back in a moment."""
        self._house.stopping = True
        self._house.announce("cut")
        for _ in range(15):
            if not any(connection.busy for connection in self.connections):
                break
            await asyncio.sleep(0.1)
        if self._sweeper is not None:
            self._sweeper.cancel()
        for connection in list(self.connections):
            connection.close(1012, "stopping")
        for _ in range(8):
            if not self.connections:
                return
            await asyncio.sleep(0.1)
        for connection in list(self.connections):
            connection.leave_standing()

    def _prepare(self) -> None:
        """Do one thing that is of use later; all that it is about may still be at hand."""
        if self._house.later:
            self.outbox.guard(self._house.later.popleft())

    def _collect(self) -> None:
        """Collect garbage, before that has to be done while somebody waits."""
        if gc.get_count()[0] > YOUNG:
            gc.collect(1)

    def opened(self, connection: Connection) -> None:
        """Count a socket."""
        self.connections.add(connection)
        self._counts[household(connection.address)] += 1

    def closed(self, connection: Connection) -> None:
        """Count a socket no more."""
        if connection in self.connections:
            self.connections.discard(connection)
            self.pressing.discard(connection)
            key = household(connection.address)
            self._counts[key] -= 1
            if not self._counts[key]:
                del self._counts[key]

    async def admit(self, hello: Hello) -> tuple[Table, Actor]:
        """The table and seat that somebody may have; raises a refusal."""
        if self.stopping:
            raise ServiceRefusal("stopping")
        if hello.token is None:
            if hello.table is None:
                raise ServiceRefusal("hello_first")
            table = await self._tables.current(hello.table)
            if not table.room.settings.spectators and table.room.phase == "playing":
                raise ServiceRefusal("no_spectators")
            return table, Actor("", None)
        sitting = self._identity.read_seat_token(hello.token)
        table = await self._tables.current(sitting.table)
        if not await table.knows(sitting.guest):  # who was deleted since
            raise ServiceRefusal("not_your_seat")
        if sitting.seat == TABLE:  # the host, who may watch a game of others
            if sitting.guest != table.room.host:
                raise ServiceRefusal("not_your_seat")
            return table, Actor(sitting.guest, None)
        chair = table.room.chairs[sitting.seat] if sitting.seat < len(table.room.chairs) else None
        if chair is None or (chair.guest, chair.sitting) != (sitting.guest, sitting.sitting):
            raise ServiceRefusal("not_your_seat")
        return table, Actor(sitting.guest, sitting.seat)

    def receive(
        self, request: WSUpgradeRequest, address: str, here: str
    ) -> WSUpgradeResponseWithListener:
        """A listener for a new socket, or the reason why not; `here` is where it arrived."""
        forwarded = request.headers.getall("X-Forwarded-For", [])  # a proxy may add a line
        address = caller(address, ",".join(forwarded) or None, self._proxies)
        language = wanted_language(request.headers.get("Accept-Language", "")) or "en"
        code = self._refusal(request, address, here)
        if code is not None:
            sentence = words(language)(f"refusal.{code}")
            body = encode(Refused(code=code, key=None, sentence=sentence))
            headers = {"content-type": "application/json", "cache-control": "no-store"}
            answer = WSUpgradeResponse.create_error_response(
                HTTPStatus(status(code)), body, headers | HEADERS
            )
            return WSUpgradeResponseWithListener(answer, None)
        connection = Connection(self, address, language, self._limit(address))
        return WSUpgradeResponseWithListener(WSUpgradeResponse.create_101_response(), connection)

    def _refusal(self, request: WSUpgradeRequest, address: str, here: str) -> str | None:
        if request.path.partition(b"?")[0] != SOCKET_PATH:
            return "not_found"
        origin = request.headers.get("Origin")
        if origin is None and "Cookie" in request.headers:
            return "foreign_origin"
        if origin is not None and origin not in (*self._origins, here):
            return "foreign_origin"
        if self.stopping:
            return "stopping"
        return self._limit(address, GOODBYES)

    def _limit(self, address: str, beyond: int = 0) -> str | None:
        """The code of a limit that is reached, or passed by so many who are being sent away."""
        if len(self.connections) >= self._in_all + beyond:
            return "server_full"
        if self._counts[household(address)] >= self.per_address + beyond:
            return "too_many_sockets"
        return None

    async def _sweep(self) -> None:
        """Look after time, and do what may wait, one after the other and never for long.

        Nothing that was looked at is kept while this sleeps.
        """
        while True:
            for work in (self._look_around, self._prepare, self._collect):
                share = AT_A_LOOK / (1 + len(self.connections))
                await asyncio.sleep(min(LOOK_EVERY, SEEN_WITHIN * share) / 3)
                for _ in range(PATIENCE):
                    if not self.outbox.pressed:
                        break
                    await asyncio.sleep(STEP_ASIDE)
                work()

    def _look_around(self) -> None:
        """Look at a part of the sockets at a time, and at those that wait for something always."""
        now = self.time()
        if not self._unseen:
            self._unseen = list(self.connections)
        part = self._unseen[-AT_A_LOOK:]
        del self._unseen[-AT_A_LOOK:]
        for connection in part:
            self.outbox.guard(partial(connection.sweep, now))
        for connection in list(self.pressing):
            self.outbox.guard(partial(connection.press, now))
            if not connection.presses:
                self.pressing.discard(connection)
        self.outbox.answer_pings()


def caller(address: str, forwarded: str | None, proxies: tuple[str, ...]) -> str:
    """Who is there: the peer, or whom a proxy that is believed names last."""
    address = unmapped(address)
    if forwarded is None or address not in proxies:
        return address
    return forwarded.rpartition(",")[2].strip()[:60]


def own_origin(name: tuple[str, int] | None) -> str:
    """The origin of a page that was opened by the very address at which a connection arrived.

    So a laptop with several networks is reached through each; a page of somebody else can never
    have this origin, because it is an address and not a name.
    """
    if not name:
        return ""
    address = unmapped(name[0])
    host = f"[{address}]" if ":" in address else address
    return f"http://{host}:{name[1]}"


class Complaints(logging.LoggerAdapter[logging.Logger]):
    """What picows has to say of one socket.

    It tells of frames that it cannot read here only, just before it closes, and with its own
    words. So this is where such a refusal gets its code and sentence like every other.
    """

    def __init__(self, logger: logging.Logger) -> None:
        super().__init__(logger, {})
        self.connection: Connection | None = None

    def error(self, msg: object, *args: object, **more: Any) -> None:  # noqa: ANN401 (logging's)
        """Log an error; a frame that cannot be read is refused."""
        super().error(msg, *args, **more)
        match args:
            case ((int(code), str()),) if self.connection is not None:
                self.connection.close(code, "too_large" if code == TOO_LARGE else "bad_message")


def socket_protocol(desk: Desk) -> type:
    """The class that uvicorn hands an upgraded connection to."""
    logger = logging.getLogger("sideboards.socket")

    class SocketProtocol(internals.WSProtocol):  # type: ignore[misc,name-defined,unused-ignore] # not in its stubs
        """A picows connection that begins with a request that uvicorn has read."""

        def __init__(self, config: object, server_state: object, app_state: object) -> None:  # noqa: ARG002 (uvicorn's)
            self._address = self._here = ""
            self._complaints = Complaints(logger)
            super().__init__(
                None,
                None,
                False,  # noqa: FBT003 (picows takes all of it by position)
                self._receive,
                self._complaints,
                True,  # noqa: FBT003 (as above)
                HANDSHAKE,
                False,  # noqa: FBT003 (as above)
                20,
                20,
                WSAutoPingStrategy.PING_WHEN_IDLE,
                False,  # noqa: FBT003 (a connection answers pings itself, and counts them)
                MAX_MESSAGE,
                None,
                READ_BUFFER,
            )

        def connection_made(self, transport: asyncio.Transport) -> None:
            """Remember who is there, as far as limits need it."""
            peer = transport.get_extra_info("peername")
            self._address = peer[0] if peer else ""
            self._here = own_origin(transport.get_extra_info("sockname"))
            super().connection_made(transport)

        def data_received(self, data: bytes) -> None:
            """Take the request, which uvicorn hands over as bytes."""
            self.get_buffer(len(data))[: len(data)] = data
            self.buffer_updated(len(data))

        def _receive(self, request: WSUpgradeRequest) -> WSUpgradeResponseWithListener:
            answer = desk.receive(request, self._address, self._here)
            self._complaints.connection = answer.listener
            return answer

    return SocketProtocol
