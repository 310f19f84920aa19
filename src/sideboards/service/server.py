"""A server: everything put together, from the first port to the last goodbye."""

import asyncio
import errno
import gc
import re
import secrets
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address
from random import Random
from types import FrameType

import uvicorn

from sideboards.core.refusal import Refusal, quoted
from sideboards.data import load_edition
from sideboards.service.api import create_app
from sideboards.service.backstage import Backstage
from sideboards.service.clock import Clock
from sideboards.service.databases import open_store
from sideboards.service.desk import Desk, socket_protocol
from sideboards.service.house import House
from sideboards.service.http import PatientHttp
from sideboards.service.identity import Identity
from sideboards.service.limits import CALLS_PER_ADDRESS, GUESTS_PER_ADDRESS, SOCKETS_PER_ADDRESS
from sideboards.service.log import CannotSave, InDoubt, Store
from sideboards.service.logs import Outages, failure_log
from sideboards.service.metrics import Metrics
from sideboards.service.pages import LOOPBACK
from sideboards.service.refusals import ServiceRefusal
from sideboards.service.store import SqliteStore
from sideboards.service.tables import Tables
from sideboards.service.thinking import Thinkers

BOT_BEAT = 600
"""Milliseconds after the opening of a round at which the first bot chooses."""
FURTHER_PORTS = 20
"""How many ports are tried when the usual one is in use."""
SWITCH = 0.001
"""Seconds after which the thread that commits gets its turn, also while the others are busy."""

ORIGIN = re.compile(r"https?://([a-z0-9._-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?")
"""What browsers call an origin: no path, not even a slash, and no capitals."""
COLLECT = (2_000, 5, 10_000)
"""Short collections, where there was no rest for still shorter ones (`desk.YOUNG`), and hardly any
full one: a table is thousands of objects without cycles."""


@dataclass(frozen=True, slots=True)
class Options:
    """How a server is run."""

    database: str
    host: str = "0.0.0.0"  # noqa: S104 (friends in the same room are meant to reach it)
    port: int | None = None
    """None: the usual port, or the next one that is free; 0: any."""
    origins: tuple[str, ...] = ()
    """Further origins from which browsers may play, such as that of a reverse proxy."""
    proxies: tuple[str, ...] = ()
    """Addresses of reverse proxies whose X-Forwarded-For is believed."""
    processes: int | None = None
    sockets_per_address: int = SOCKETS_PER_ADDRESS
    guests_per_hour: int = GUESTS_PER_ADDRESS.count
    requests_per_minute: int = CALLS_PER_ADDRESS.count
    bot_beat: int = BOT_BEAT
    test_mode: bool = False
    seed: int | None = None
    """In test mode: fixes ids, seeds and so all deals."""

    def __post_init__(self) -> None:
        if self.test_mode and self.host not in LOOPBACK:
            raise Refusal(
                f"--test-mode: found host {quoted(self.host)}; expected {' or '.join(LOOPBACK)}"
            )
        if not self.test_mode and (self.seed is not None or self.bot_beat != BOT_BEAT):
            raise Refusal("--seed, --bot-beat: found without --test-mode; expected with it")
        for origin in self.origins:
            if ORIGIN.fullmatch(origin) is None:
                raise Refusal(
                    f"--origin: found {quoted(origin)}; expected scheme, name and perhaps port, "
                    "such as https://play.example.org"
                )
        for proxy in self.proxies:
            try:
                ip_address(proxy)
            except ValueError:
                raise Refusal(
                    f"--proxy: found {quoted(proxy)}; expected an address such as 127.0.0.1"
                ) from None


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server can be reached."""

    port: int
    here: str
    """From the same machine."""
    room: str | None
    """From the local network; None if it listens on this machine only."""


async def serve(options: Options, ready: Callable[[Address], None]) -> None:
    """Run a server until it is told to stop; `ready` is called when it answers."""
    sys.setswitchinterval(SWITCH)
    gc.set_threshold(*COLLECT)
    listening = listen(options.host, options.port)
    store = open_store(options.database)
    try:
        await store.open()
    except BaseException:
        listening.close()
        raise
    try:
        await _serve(options, store, listening, ready)
    except (CannotSave, InDoubt) as error:  # only the start needs an answer
        raise Refusal(f"{store}: {error}; expected a database that is whole and answers") from None
    finally:
        listening.close()
        await store.close()


async def _serve(
    options: Options, store: Store, listening: socket.socket, ready: Callable[[Address], None]
) -> None:
    random_bytes = secrets.token_bytes if options.seed is None else Random(options.seed).randbytes
    clock, metrics, outages = Clock(), Metrics(), Outages()
    clock.set(await store.now())
    thinkers = Thinkers(load_edition(), processes=options.processes)
    house = House(
        store=store,
        clock=clock,
        thinkers=thinkers,
        edition=thinkers.edition,
        new_seed=lambda: random_bytes(32).hex(),
        bot_beat=options.bot_beat,
        moved=metrics.stored,
        report=failure_log,
        unsaved=outages.begin,
        saved=outages.end,
        committed=metrics.committed,
        arranged=metrics.arranged,
    )
    identity = Identity(store, await store.secret(), random_bytes=random_bytes)
    tables = Tables(house, identity, secrets.token_hex(8))
    address = address_of(listening, options.host)
    origins = origins_of(address, options.origins)
    desk = Desk(
        house,
        tables,
        identity,
        origins=origins,
        proxies=options.proxies,
        per_address=options.sockets_per_address,
    )

    def own_file() -> SqliteStore:
        if not isinstance(store, SqliteStore):
            raise ServiceRefusal("not_found")  # a shared database has a time of its own
        return store

    def stop(at: int) -> None:
        file = own_file()
        file.stopped, file.offset = at, 0
        clock.stop(at)

    def advance(milliseconds: int) -> None:
        own_file().offset += milliseconds
        clock.advance(milliseconds)
        house.spawn(tables.keep_all())

    backstage = Backstage(
        house=house,
        identity=identity,
        tables=tables,
        desk=desk,
        metrics=metrics,
        origins=origins,
        proxies=options.proxies,
        guests_per_hour=options.guests_per_hour,
        calls_per_minute=options.requests_per_minute,
        test_mode=options.test_mode,
        advance=advance,
        stop=stop,
        room=address.room,
    )
    config = uvicorn.Config(
        create_app(backstage),
        http=PatientHttp,
        ws=socket_protocol(desk),
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=2,
    )
    await thinkers.start()
    await tables.start()
    desk.start()
    server = _Server(config, desk, lambda: ready(address))
    try:
        await server.serve(sockets=[listening])
    finally:
        await tables.stop()
        await thinkers.stop()


class _Server(uvicorn.Server):
    """uvicorn, which tells when it is ready and says goodbye to all sockets before it ends."""

    def __init__(self, config: uvicorn.Config, desk: Desk, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._desk = desk
        self._ready = ready

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop when told to; uvicorn would kill this process before all is stopped and closed."""
        if sig == signal.SIGTERM:
            self.should_exit = True
        else:
            super().handle_exit(sig, frame)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen."""
        await super().startup(sockets)
        hung_up = getattr(signal, "SIGHUP", None)  # the terminal is closed; not with nohup
        if hung_up and signal.getsignal(hung_up) is signal.SIG_DFL:
            with suppress(RuntimeError, ValueError):  # not in the main thread
                asyncio.get_running_loop().add_signal_handler(hung_up, self._hang_up)
        gc.freeze()  # what is here now stays: no collection has to look at it again
        self._ready()

    def _hang_up(self) -> None:
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Answer what is under way, close all sockets, stop listening."""
        await self._desk.stop()
        await super().shutdown(sockets)


def listen(host: str, port: int | None) -> socket.socket:
    """A socket on the asked port, or without one on the usual one or the next that is free."""
    usual = 8000
    ports = range(usual, usual + FURTHER_PORTS) if port is None else (port,)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for each in ports:
        # Named, because only then the event loop sends small answers without delay.
        listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, each))
            listening.listen(4096)
        except (socket.gaierror, TypeError, UnicodeError):
            listening.close()
            raise _not_ours(host) from None
        except OSError as error:
            listening.close()
            if error.errno == errno.EADDRINUSE and port is None:
                continue
            if error.errno == errno.EADDRNOTAVAIL:
                raise _not_ours(host) from None
            raise Refusal(
                f"--port: {host}:{each}: {error.strerror}; expected a free port"
            ) from None
        listening.setblocking(False)  # noqa: FBT003 (socket takes it by position)
        return listening
    raise Refusal(f"--port: {usual} to {ports[-1]} are in use; expected a free port")


def _not_ours(host: str) -> Refusal:
    return Refusal(f"--host: found {quoted(host)}; expected an address of this machine")


def address_of(listening: socket.socket, host: str) -> Address:
    """Where a listening socket can be reached from here and from the room."""
    port = listening.getsockname()[1]
    if host in ("0.0.0.0", "::"):  # noqa: S104 (compared, not bound)
        found = local_address()
        room = f"http://{found}:{port}" if found else None
        return Address(port, f"http://127.0.0.1:{port}", room)
    name = f"[{host}]" if ":" in host else host
    own = f"http://{name}:{port}"
    return Address(port, own, None if host in LOOPBACK else own)


def local_address() -> str | None:
    """This machine's address in the local network; nothing is sent to find it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return None
        found = str(probe.getsockname()[0])
    return None if found.startswith("127.") else found


def origins_of(address: Address, further: tuple[str, ...]) -> frozenset[str]:
    """The exact origins of this server's own pages."""
    names = {"localhost", "127.0.0.1", "[::1]", socket.gethostname().lower()}
    names |= {f"{socket.gethostname().lower()}.local"}
    own = {f"http://{name}:{address.port}" for name in names} | {address.here}
    if address.room:
        own.add(address.room)
    return frozenset(own | set(further))
