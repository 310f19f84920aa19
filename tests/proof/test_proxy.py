"""The proxy of the proof: each of its faults, and that it alters nothing without one."""

import asyncio
import gc
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from random import Random
from typing import Any

import psutil
import pytest

from proof.proxy import Frames, Proxy, Verdict, Way

LIMIT = 30.0
SOON = 5.0
SHORT = 0.2
HEAD = b"GET /ws HTTP/1.1\r\nUpgrade: websocket\r\n\r\n"
Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Echo:
    """A server that sends back what it hears, and keeps it."""

    def __init__(self) -> None:
        self.heard = b""
        self.ended = 0
        self.port = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while data := await reader.read(2**16):
                self.heard += data
                writer.write(data)
                await writer.drain()
        self.ended += 1
        writer.close()


@asynccontextmanager
async def echoing() -> AsyncIterator[tuple[Echo, Proxy]]:
    """A proxy before an echo."""
    echo = Echo()
    server = await asyncio.start_server(echo.serve, "127.0.0.1", 0)
    echo.port = server.sockets[0].getsockname()[1]
    try:
        async with Proxy(echo.port) as proxy:
            yield echo, proxy
    finally:
        server.close()
        await asyncio.sleep(0.01)


def proxied(body: Callable[[Echo, Proxy], Awaitable[None]]) -> Callable[[], None]:
    """A test of a proxy, from its body; all that it opened must be gone afterwards."""

    async def whole() -> None:
        process, tasks = psutil.Process(os.getpid()), asyncio.all_tasks()
        before = process.num_fds()
        async with echoing() as (echo, proxy):
            await body(echo, proxy)
        for _ in range(50):
            await asyncio.sleep(0.02)
            others = asyncio.all_tasks() - tasks
            left = process.num_fds() - before
            if not others and left <= 0:
                return
        raise AssertionError(f"{len(others)} tasks and {left} sockets are left")

    def test() -> None:
        asyncio.run(asyncio.wait_for(whole(), LIMIT))
        gc.collect()  # a socket that is not closed warns, which is an error

    test.__name__, test.__doc__ = body.__name__, body.__doc__
    return test


@asynccontextmanager
async def connected(proxy: Proxy) -> AsyncIterator[Stream]:
    reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
    try:
        yield reader, writer
    finally:
        writer.transport.abort()
        await asyncio.sleep(0)


async def heard(reader: asyncio.StreamReader, size: int) -> bytes:
    return await asyncio.wait_for(reader.readexactly(size), SOON)


async def is_cut(reader: asyncio.StreamReader) -> bytes:
    """What still came before the connection ended."""
    try:
        return await asyncio.wait_for(reader.read(), SOON)
    except ConnectionError:
        return b""


async def is_silent(reader: asyncio.StreamReader) -> bool:
    try:
        await asyncio.wait_for(reader.read(1), SHORT)
    except TimeoutError:
        return True
    return False


def frame(text: bytes, mask: bytes = b"\1\2\3\4") -> bytes:
    """A text frame of a client."""
    size = len(text)
    head = b"\x81" + (
        bytes([128 | size])
        if size < 126
        else bytes([128 | 126]) + size.to_bytes(2, "big")
        if size < 2**16
        else bytes([128 | 127]) + size.to_bytes(8, "big")
    )
    return head + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(text))


@proxied
async def test_without_a_fault_nothing_is_altered(echo: Echo, proxy: Proxy) -> None:
    """Three megabytes of chance, on four connections at once, and the end is handed on."""

    async def one(number: int) -> None:
        sent = Random(number).randbytes(3_000_000)
        async with connected(proxy) as (reader, writer):
            writing = asyncio.ensure_future(send_all(writer, sent))
            assert await asyncio.wait_for(reader.read(-1), SOON * 3) == sent
            await writing

    async def send_all(writer: asyncio.StreamWriter, data: bytes) -> None:
        writer.write(data)
        await writer.drain()
        writer.write_eof()

    await asyncio.gather(*map(one, range(4)))
    assert echo.ended == 4
    assert (proxy.cuts, proxy.arrivals) == (0, 4)


@proxied
async def test_frames_pass_unaltered_however_they_come(echo: Echo, proxy: Proxy) -> None:
    rng = Random(1)
    texts = [b'{"n":%d,"x":"%s"}' % (i, b"x" * rng.choice((0, 90, 500, 70_000))) for i in range(40)]
    said: list[Any] = []

    def rule(way: Way, message: dict[str, Any]) -> Verdict:
        said.append((way, message["n"]))
        return "pass"

    proxy.rule = rule
    sent = HEAD + b"".join(map(frame, texts)) + b"\x89\x80abcd"
    async with connected(proxy) as (reader, writer):
        at = 0
        while at < len(sent):
            size = rng.choice((1, 3, 7, 1000, 40_000))
            writer.write(sent[at : at + size])
            await asyncio.sleep(0)
            at += size
        assert await heard(reader, len(sent)) == sent
    assert echo.heard == sent
    for way in ("up", "down"):
        assert [n for w, n in said if w == way] == list(range(40))


def test_frames_are_found_at_every_cut_of_the_bytes() -> None:
    sent = HEAD + frame(b'{"a":1}') + frame(b"{}" * 100) + b"\x8a\x80abcd" + frame(b'{"b":2}')
    for size in range(1, len(sent)):
        frames = Frames()
        parts = [p for at in range(0, len(sent), size) for p in frames.feed(sent[at : at + size])]
        assert b"".join(part.data for part in parts) + frames.end() == sent
        texts = [part.text for part in parts if part.text is not None]
        assert texts == [b'{"a":1}', b"{}" * 100, b'{"b":2}']


@proxied
async def test_a_cut_breaks_both_sides_and_new_ones_pass(echo: Echo, proxy: Proxy) -> None:
    async with connected(proxy) as (reader, writer), connected(proxy) as (other, _):
        writer.write(b"hello")
        assert await heard(reader, 5) == b"hello"
        proxy.cut()
        assert await is_cut(reader) == b""
        assert await is_cut(other) == b""
        await asyncio.sleep(0.05)
        assert echo.ended == 2
    async with connected(proxy) as (reader, writer):
        writer.write(b"again")
        assert await heard(reader, 5) == b"again"
    assert proxy.cuts == 1


@proxied
async def test_refused_until_mended(echo: Echo, proxy: Proxy) -> None:
    async with connected(proxy) as (old, old_writer):
        proxy.refuse()
        async with connected(proxy) as (reader, _):
            assert await is_cut(reader) == b""
        old_writer.write(b"still here")
        assert await heard(old, 10) == b"still here"
        proxy.mend()
        async with connected(proxy) as (reader, writer):
            writer.write(b"hello")
            assert await heard(reader, 5) == b"hello"
    assert b"hello" in echo.heard


@proxied
async def test_a_server_that_is_away_is_a_cut(echo: Echo, proxy: Proxy) -> None:
    here, proxy.target = echo.port, 9
    async with connected(proxy) as (reader, _):
        assert await is_cut(reader) == b""
    proxy.target = here
    async with connected(proxy) as (reader, writer):
        writer.write(b"hello")
        assert await heard(reader, 5) == b"hello"


@pytest.mark.parametrize("ways", [("up",), ("down",), ()])
def test_held_bytes_come_later(ways: tuple[Way, ...]) -> None:
    @proxied
    async def body(echo: Echo, proxy: Proxy) -> None:
        async with connected(proxy) as (reader, writer):
            writer.write(b"one")
            assert await heard(reader, 3) == b"one"
            proxy.stall(*ways, keep=True)
            writer.write(b"two")
            assert await is_silent(reader)
            assert (echo.heard == b"onetwo") == (ways == ("down",))
            proxy.heal()
            assert await heard(reader, 3) == b"two"

    body()


@pytest.mark.parametrize("ways", [("up",), ("down",), ()])
def test_swallowed_bytes_never_come_and_nothing_after_them(ways: tuple[Way, ...]) -> None:
    @proxied
    async def body(echo: Echo, proxy: Proxy) -> None:
        async with connected(proxy) as (reader, writer):
            writer.write(b"one")
            assert await heard(reader, 3) == b"one"
            proxy.stall(*ways)
            writer.write(b"two")
            assert await is_silent(reader)
            async with connected(proxy) as (late, late_writer):
                late_writer.write(b"late")
                assert await is_silent(late)
                proxy.heal()
                assert await heard(late, 4) == b"late"
            writer.write(b"three")
            assert await is_silent(reader), "what follows on something lost makes no sense"
            assert (b"three" in echo.heard) == (ways == ("down",))
            writer.close()
            await asyncio.sleep(0.05)
            assert echo.ended == (2 if ways == ("down",) else 1), "nor is the end heard"
        proxy.cut()

    body()


@proxied
async def test_every_part_is_delayed(echo: Echo, proxy: Proxy) -> None:
    proxy.delay = lambda: 0.1
    async with connected(proxy) as (reader, writer):
        begun = time.monotonic()
        writer.write(b"hello")
        assert await heard(reader, 5) == b"hello"
        assert time.monotonic() - begun > 0.19, "up and down"
    assert echo.heard == b"hello"


@proxied
async def test_everything_comes_in_pieces(echo: Echo, proxy: Proxy) -> None:
    proxy.piece = 1
    async with connected(proxy) as (reader, writer):
        sent = Random(2).randbytes(300)
        writer.write(sent)
        reads: list[bytes] = []
        while sum(map(len, reads)) < len(sent):
            reads.append(await asyncio.wait_for(reader.read(2**16), SOON))
        assert b"".join(reads) == sent
        assert len(reads) > 20
    assert echo.heard == sent


@pytest.mark.parametrize("verdict", ["swallow", "half", "deliver", "lose"])
@pytest.mark.parametrize("way", ["up", "down"])
def test_a_rule_cuts_at_a_message(way: Way, verdict: Verdict) -> None:
    """Before, inside or after it; on the way back nothing overtakes the fault."""
    message = frame(b'{"type":"act","key":"12345678"}')

    @proxied
    async def body(echo: Echo, proxy: Proxy) -> None:
        def rule(now: Way, said: dict[str, Any]) -> Verdict:
            assert said["type"] == "act"
            return verdict if now == way else "pass"

        proxy.rule = rule
        expected = message[: {"half": len(message) // 2, "deliver": len(message)}.get(verdict, 0)]
        async with connected(proxy) as (other, other_writer), connected(proxy) as (reader, writer):
            other_writer.write(b"plain")
            assert await heard(other, 5) == b"plain"
            writer.write(HEAD)
            assert await heard(reader, len(HEAD)) == HEAD
            writer.write(message)
            if verdict == "lose":
                assert await is_silent(reader)
                writer.write(b"more")
                assert await is_silent(reader)
                assert echo.heard.endswith(HEAD if way == "up" else message)
            else:
                assert await is_cut(reader) == (b"" if way == "up" else expected)
                assert echo.heard.endswith(expected if way == "up" else message)
            other_writer.write(b"still")
            assert await heard(other, 5) == b"still", "another connection goes on"
        assert proxy.cuts == (0 if verdict == "lose" else 1)

    body()
