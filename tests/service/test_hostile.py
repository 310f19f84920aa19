"""Frames that are no messages: each ends its own socket only; pieces make a message.

What strangers may send otherwise is in `tests/proof`.
"""

import json
import socket
from random import Random
from typing import get_args

import httpx
import pytest

from sideboards.service.headers import HEADERS
from sideboards.service.protocol import Language
from sideboards.service.refusals import status
from sideboards.words import words
from tests.service.live import (
    PING,
    PONG,
    SOON,
    TEXT,
    Message,
    Server,
    Wire,
    greeted,
    play_round,
    playing,
    run,
)

pytestmark = pytest.mark.long
STRANGE = [
    b"\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff",  # a frame of 2^63 bytes
    b"\xc1\x80\0\0\0\0",  # a reserved bit
    b"\x83\x80\0\0\0\0",  # a reserved kind
    b"\x09\x80\0\0\0\0",  # a control frame in pieces
    b"\x81\x02{}",  # not masked
    b"\x88\x81\0\0\0\0x",  # a goodbye with half a code
    b"\x88\x82\0\0\0\0\xff\xff",  # with a code that does not exist
    b"\x88\x80\0\0\0\0",  # without a code
    b"GET / HTTP/1.1\r\n\r\n" * 9,
]


def test_strange_bytes_end_only_their_own_socket(server: Server) -> None:
    async def body() -> None:
        async with playing(server, 2) as (ana, ben):
            for data in STRANGE:
                wire = await greeted(ben)
                await wire.message()
                wire.writer.write(data)
                code = await wire.closed()
                assert code in (0, 1000, 1002, 1005, 1007, 1008, 1009), (data, code)
            await ben.connect()
            await play_round([ana, ben], Random(8))

    run(body())


def test_pieces_make_a_message_and_pings_come_between(server: Server) -> None:
    async def body() -> None:
        async with playing(server, 1) as (ana,):
            wire = await greeted(ana)
            for _ in range(3):
                await wire.message()
            text = b'{"type":"ping"}'
            for i, byte in enumerate(text):
                wire.frame(0 if i else TEXT, bytes([byte]), fin=i == len(text) - 1)
                if i == 5:
                    wire.frame(PING, b"are you there")
            assert await wire.read() == (PONG, b"are you there")
            assert await wire.message() == {"type": "pong"}

    run(body())


UNREADABLE = [
    (b"\x81\x02{}", 1002, "bad_message"),  # not masked
    (b"\x83\x80\0\0\0\0", 1002, "bad_message"),  # a reserved kind
    (b"\x09\x80\0\0\0\0", 1002, "bad_message"),  # a control frame in pieces
    (b"\x88\x81\0\0\0\0x", 1002, "bad_message"),  # a goodbye with half a code
    (b"\x81\xfe\x20\x01\0\0\0\0" + b" " * 8193, 1009, "too_large"),
    (b"\x81\xff\0\0\0\0\0\1\0\0\0\0\0\0" + b" " * 65536, 1009, "too_large"),
]


@pytest.mark.parametrize("language", get_args(Language))
def test_a_frame_that_cannot_be_read_is_refused_with_a_sentence(
    server: Server, language: str
) -> None:
    async def body() -> None:
        for frame, close, code in UNREADABLE:
            wire = await Wire.connect(server.port, f"Accept-Language: {language}\r\n")
            wire.writer.write(frame)
            assert await wire.message() == refused(code, language)
            assert await wire.closed() == close

    run(body())


@pytest.mark.parametrize("language", get_args(Language))
def test_a_socket_that_nobody_may_open_is_refused_with_a_sentence(
    server: Server, language: str
) -> None:
    upgrade = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version": "13",
        "Accept-Language": language,
    }
    for path, more, code in [
        ("/ws", {"Origin": "https://elsewhere.example"}, "foreign_origin"),
        ("/ws", {"Cookie": "a=b"}, "foreign_origin"),
        ("/elsewhere", {}, "not_found"),
        ("/ws", {"Sec-WebSocket-Version": "12"}, "bad_message"),
    ]:
        answer = httpx.get(f"{server.here}{path}", headers=upgrade | more)
        assert answer.status_code == status(code)
        assert answer.json() == refused(code, language)


def test_what_is_not_http_is_refused_like_everything_else(server: Server) -> None:
    head, body = exchanged(server, b"HELLO\x00 / HTTP/9\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 ")
    for name, value in HEADERS.items():
        assert f"{name}: {value}".encode() in head
    assert json.loads(body) == refused("bad_message", "en")


@pytest.mark.parametrize("size", [300_000, 10**18])
def test_a_body_that_is_announced_as_huge_is_refused_before_it_comes(
    server: Server, size: int
) -> None:
    head, body = exchanged(
        server,
        b"POST /api/guests HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        b"Accept-Language: it\r\nContent-Length: %d\r\n\r\n" % size,
    )
    assert head.startswith(b"HTTP/1.1 413 ")
    assert json.loads(body) == refused("too_large", "it")


def exchanged(server: Server, request: bytes) -> tuple[bytes, bytes]:
    """The head and the body of the answer to some bytes, after which the server closes."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=SOON) as raw:
        raw.sendall(request)
        answer = b"".join(iter(lambda: raw.recv(4096), b""))
    head, _, body = answer.partition(b"\r\n\r\n")
    return head, body


def refused(code: str, language: str) -> Message:
    """A refusal of no action in particular."""
    sentence = words(language)(f"refusal.{code}")
    empty = dict.fromkeys(("key", "seq", "view", "view_hash"))
    return {"type": "refused", "code": code, "sentence": sentence, **empty}
