"""Frames that are no messages: each ends its own socket only; pieces make a message.

What strangers may send otherwise is in `tests/proof`.
"""

from random import Random

import pytest

from tests.service.live import PING, PONG, TEXT, Server, greeted, play_round, playing, run

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
