"""Hostile input over real sockets: nonsense, floods, silence; nobody else is disturbed."""

import asyncio
import time
from random import Random

import pytest

from tests.service.live import (
    BINARY,
    PING,
    PONG,
    TEXT,
    Player,
    Server,
    Wire,
    greeted,
    play_round,
    playing,
    run,
)

pytestmark = pytest.mark.long
SURROGATE = rb'{"type":"say","phrase":"\ud800"}'


# ---- greetings ----


@pytest.mark.parametrize(
    "message",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b"7",
        b'{"type":"act"}',
        b'{"type":"act","key":"1.1.abcd","action":"swap","seat":1}',
        b'{"type":"act","key":"1.1.abcd","action":7}',
        b'{"type":"act","key":"1.1.abcd","action":""}',
        b'{"type":"act","key":"not a key","action":"swap"}',
        b'{"type":"act","key":"1.1.abcd","key":"1.1.abcd","action":"swap"}',
        b'{"type":"draft","round":true,"move":null}',
        b'{"type":"draft","round":NaN,"move":null}',
        b'{"type":"draft","round":1e0,"move":"swap","x":1}',
        b'{"type":"draft","round":99999999999999999999999999,"move":null}',
        b'{"type":"ping","active":1}',
        b'{"type":"ping","active":Infinity}',
        b'{"type":"hello","protocol":1,"table":"x"}',
        b'{"type":"nothing"}',
        b'{"type":"say","phrase":"<script>"}',
        SURROGATE,
        b"[" * 4000,
        b'{"type":' * 900,
        b'{"type":"ping","active":false}x',
        b'\xef\xbb\xbf{"type":"resync"}',
        b'{"type":"say","phrase":"' + b"a" * 8000 + b'"}',
    ],
)
def test_what_is_no_message_is_refused_and_the_socket_lives(server: Server, message: bytes) -> None:
    async def body() -> None:
        async with playing(server, 1) as (ana,):
            assert ana.wire is not None
            seen = len(ana.messages)
            ana.wire.frame(TEXT, message)
            await ana.until(lambda: len(ana.messages) > seen)
            answer = ana.messages[seen]
            assert answer["type"] == "refused"
            assert answer["code"] in ("not_json", "bad_message", "unknown_phrase")
            ana.send(type="ping")
            await ana.until(lambda: ana.messages[-1]["type"] == "pong")

    run(body())


@pytest.mark.parametrize(
    ("frames", "code"),
    [
        ([(TEXT, b"x" * 8193, True)], 1009),
        ([(TEXT, b"x" * 100_000, True)], 1009),
        ([(TEXT, b"x" * 5000, False), (0, b"x" * 5000, False)], 1009),
        ([(TEXT, b'{"type":"say","phrase":"\xff"}', True)], 1007),
        ([(TEXT, b"\xff\xfe", True)], 1007),
        ([(BINARY, b"{}", True)], 1007),
        ([(0, b"{}", True)], 1007),
        ([(TEXT, b"{", False), (TEXT, b"}", True)], 1007),
        ([(TEXT, b"", False), *[(0, b"", False)] * 400], 1008),
        ([(TEXT, b'{"type":"resync"}', True)] * 250, 1008),
        ([(TEXT, b"{", True)] * 250, 1008),
        ([(TEXT, b'{"type":"ping"}', True)] * 3000, 1008),
        ([(TEXT, b'{"type":"draft","round":1,"move":null}', True)] * 3000, 1008),
        ([(PING, b"", True)] * 3000, 1008),
    ],
    ids=lambda value: value if isinstance(value, int) else f"{value[0][1][:12]!r}x{len(value)}",
)
def test_what_is_too_much_closes_the_socket_and_no_other(
    server: Server, frames: list[tuple[int, bytes, bool]], code: int
) -> None:
    async def body() -> None:
        async with playing(server, 2) as (ana, ben):
            wire = await greeted(ben)
            for kind, data, fin in frames:
                wire.frame(kind, data, fin=fin)
            assert await wire.closed() == code
            await ben.connect()
            await play_round([ana, ben], Random(7))

    run(body())


SAMPLES = [
    b'{"type":"act","key":"1.1.abcd","action":"L17~"}',
    b'{"type":"act","key":"1.1.abcd","action":"vote 1"}',
    b'{"type":"draft","round":1,"move":"R17"}',
    b'{"type":"say","phrase":"nice"}',
    b'{"type":"ping","active":true}',
    b'{"type":"resync"}',
    b'{"type":"hello","protocol":1,"token":"a.0.b.1.c","language":"de","assist":2}',
]
SIGNS = [b'"', b"{", b"}", b"[", b",", b":", b"\\", b"null", b"-1", b"1e999", b"\xff", b"\\ud800"]


def mutated(rng: Random) -> bytes:
    """A message of ours with some signs changed, doubled or left out."""
    data = rng.choice(SAMPLES)
    for _ in range(rng.randrange(4)):
        place = rng.randrange(len(data) + 1)
        data = data[:place] + rng.choice(SIGNS) + data[place + rng.randrange(4) :]
    return data


def test_random_messages_and_bytes_disturb_nobody(server: Server) -> None:
    """What is sent is drawn by a fixed seed; the server's log must hold no failure in the end."""

    async def body() -> None:
        rng = Random(11)
        async with playing(server, 3) as (ana, ben, cleo):

            async def attack(player: Player) -> None:
                for number in range(25):
                    wire = await greeted(player)
                    for _ in range(40):
                        if number % 3 == 2:
                            wire.writer.write(rng.randbytes(rng.randrange(1, 40)))
                        else:
                            kind = rng.choice([TEXT] * 20 + [BINARY, PING, PONG, 0])
                            wire.frame(kind, mutated(rng), fin=rng.random() < 0.98)
                    await asyncio.sleep(0.01)
                    wire.abort()

            attacks = asyncio.gather(attack(cleo), attack(cleo))
            waits = []
            while not attacks.done():
                for player in (ana, ben):
                    begun = time.monotonic()
                    await player.play(player.moves[rng.randrange(4)])
                    await player.play("undo")
                    waits.append(time.monotonic() - begun)
                    await asyncio.sleep(0.03)
            await attacks
            assert max(waits) < 1
            await cleo.connect()
            if cleo.view["choice"]:
                await cleo.play("undo")
            await play_round([ana, ben, cleo], rng)

    run(body())


@pytest.mark.parametrize(
    "data",
    [
        b"\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff",  # a frame of 2^63 bytes
        b"\xc1\x80\0\0\0\0",  # a reserved bit
        b"\x83\x80\0\0\0\0",  # a reserved kind
        b"\x09\x80\0\0\0\0",  # a control frame in pieces
        b"\x81\x02{}",  # not masked
        b"\x88\x81\0\0\0\0x",  # a goodbye with half a code
        b"\x88\x82\0\0\0\0\xff\xff",  # with a code that does not exist
        b"\x88\x80\0\0\0\0",  # without a code
        b"GET / HTTP/1.1\r\n\r\n" * 9,
    ],
)
def test_strange_bytes_end_only_their_own_socket(server: Server, data: bytes) -> None:
    async def body() -> None:
        async with playing(server, 2) as (ana, ben):
            wire = await greeted(ben)
            await wire.message()
            wire.writer.write(data)
            code = await wire.closed()
            assert code in (0, 1000, 1002, 1005, 1007, 1008, 1009), code
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


def test_an_honest_player_is_never_limited(server: Server) -> None:
    async def body() -> None:
        async with playing(server, 1) as (ana,):
            for _ in range(20):  # as fast as a person can, for some seconds: drafts, moves, pings
                ana.send(type="draft", round=0, move=ana.moves[0] if ana.moves else None)
                ana.send(type="ping", active=True)
                key = ana.ask(ana.moves[0] if ana.round < 7 else "undo")
                ana.ask(ana.moves[0] if ana.round < 7 else "undo", key)
                await ana.answer(key)
            assert ana.close_code is None

    run(body())


def test_silence_is_not_life(server: Server) -> None:
    async def body() -> None:
        async with playing(server, 2) as (ana, ben):
            mute = await Wire.connect(server.port)
            chatty = await Wire.connect(server.port)
            silent = await greeted(ben)
            begun = time.monotonic()

            async def chat() -> None:
                while True:
                    chatty.send(type="ping")
                    ana.send(type="ping")
                    await asyncio.sleep(1)

            chat_task = asyncio.ensure_future(chat())
            assert await silent.closed(12) == 1008
            assert 8.5 < time.monotonic() - begun < 10.5
            assert await mute.closed() == 1008
            assert await chatty.closed() == 1008
            assert 9.5 < time.monotonic() - begun < 11.5
            assert ana.close_code is None
            chat_task.cancel()
            await ana.until(lambda: not ana.table["seats"][1]["present"])

    run(body())


# ---- assistance ----
