"""The balancer of the proof: servers in turn, none that is left out or away, no byte altered."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from random import Random
from typing import NamedTuple

from proof.balancer import Balancer

LIMIT = 30.0
SOON = 5.0


class Setting(NamedTuple):
    """A balancer before the servers A and B."""

    balancer: Balancer
    one: asyncio.Server
    other: asyncio.Server


@asynccontextmanager
async def echoing(name: bytes) -> AsyncIterator[asyncio.Server]:
    """A server that says its name, and then what it hears."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            writer.write(name)
            while data := await reader.read(2**16):
                writer.write(data)
                await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield server
    finally:
        server.close()
        await asyncio.sleep(0.01)


def port_of(server: asyncio.Server) -> int:
    port: int = server.sockets[0].getsockname()[1]
    return port


@asynccontextmanager
async def connected(
    balancer: Balancer,
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    reader, writer = await asyncio.open_connection("127.0.0.1", balancer.port)
    try:
        yield reader, writer
    finally:
        writer.transport.abort()
        await asyncio.sleep(0)


async def name_of_next(balancer: Balancer) -> bytes:
    """The name of the server that a new connection goes to; nothing if there is none."""
    async with connected(balancer) as (reader, _):
        return await asyncio.wait_for(reader.read(1), SOON)


def balanced(body: Callable[[Setting], Awaitable[None]]) -> Callable[[], None]:
    """A test of a balancer, from its body."""

    async def whole() -> None:
        async with (
            echoing(b"A") as one,
            echoing(b"B") as other,
            Balancer([port_of(one), port_of(other)]) as balancer,
        ):
            await body(Setting(balancer, one, other))

    def test() -> None:
        asyncio.run(asyncio.wait_for(whole(), LIMIT))

    test.__name__, test.__doc__ = body.__name__, body.__doc__
    return test


@balanced
async def test_servers_take_turns(given: Setting) -> None:
    balancer = given.balancer
    assert [await name_of_next(balancer) for _ in range(4)] == [b"A", b"B", b"A", b"B"]


@balanced
async def test_one_that_is_left_out_keeps_what_it_has(given: Setting) -> None:
    balancer = given.balancer
    async with connected(balancer) as (reader, writer):
        assert await asyncio.wait_for(reader.readexactly(1), SOON) == b"A"
        balancer.leave_out(port_of(given.one))
        assert [await name_of_next(balancer) for _ in range(3)] == [b"B"] * 3
        writer.write(b"still here")
        assert await asyncio.wait_for(reader.readexactly(10), SOON) == b"still here"
    balancer.take_in(port_of(given.one))
    assert {await name_of_next(balancer) for _ in range(2)} == {b"A", b"B"}


@balanced
async def test_one_that_is_away_is_skipped_and_without_any_the_connection_ends(
    given: Setting,
) -> None:
    balancer = given.balancer
    given.one.close()
    assert [await name_of_next(balancer) for _ in range(3)] == [b"B"] * 3
    given.other.close()
    assert await name_of_next(balancer) == b""


@balanced
async def test_nothing_is_altered_and_whoever_reads_late_gets_all(given: Setting) -> None:
    balancer = given.balancer
    sent = Random(1).randbytes(5_000_000)
    async with connected(balancer) as (reader, writer):
        writer.write(sent)
        await asyncio.sleep(0.2)
        assert await asyncio.wait_for(reader.readexactly(1 + len(sent)), SOON) == b"A" + sent
