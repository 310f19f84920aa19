"""What floods: giant messages, readers who do not read, too many messages, slow handshakes."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import suppress

import psutil

from proof.held import held
from proof.tries import Tries, refused_status
from tests.service.live import BINARY, PING, TEXT, Player, Wire, finish, greeted, playing

QUEUE = 64 * 1024
GIANTS = 2**20
"""Bytes that giant messages may cost all together."""
LARGEST = 8 * 1024
STALLED = 30.0
"""Seconds within which a reader that does not read is gone."""
HANDSHAKE = 10.0
SWEPT = 2.2
"""Seconds in which the server has looked at all its sockets once: they are looked at in turn."""
PROMPT = 0.5
"""Seconds that a timer of the server, and this process, may be late."""
FLOOD_CUT = 2.0
FLOODERS = 50
PACE = 0.02
"""Seconds between two lots of a flood, of twenty messages each: 1,000 per second."""
LOT = 20
BEAT = 0.2
"""Seconds between two moves of the fastest honest player."""
WINDOW = 21.0
"""Seconds that she plays for: longer than the time in which the server counts messages."""


# ---- row 30: giant messages ---------------------------------------------------------------------


async def giants(tries: Tries) -> None:
    """Giant frames and endless pieces cost nearly nothing, and end only their own socket."""
    server = tries.server
    async with playing(server, 2) as players:
        await _giants(tries, players[0], 5)  # so that all is warm
        memory = tries.memory
        await _giants(tries, players[0], tries.count)
        grown = tries.memory - memory
        tries.figures["KiB by giant messages"] = grown >> 10
        tries.expect(grown <= GIANTS, f"giant messages cost {grown >> 10} KiB of memory")
        await finish(players, tries.rng)
        for player in players:
            tries.expect(player.close_code is None, "an honest player was closed")


async def _giants(tries: Tries, player: Player, count: int) -> None:
    half = b"x" * (LARGEST // 2 + 1)
    kinds: list[tuple[list[bytes], set[int]]] = [
        ([_framed(TEXT, b"x" * (LARGEST + 1))], {1009}),
        ([_framed(TEXT, b"x" * 200_000)], {1009, 0}),
        ([b"\x81\xff\x40" + b"\0" * 11, b"x" * 200_000], {1009, 1002, 0}),
        ([_framed(TEXT, half, fin=False), _framed(0, half, fin=False)], {1009}),
        ([_framed(TEXT, b"", fin=False), _framed(0, b"", fin=False) * 20_000], {1008, 0}),
        ([_framed(BINARY, b"{}")], {1007}),
        ([_framed(TEXT, b"\xff\xfe")], {1007}),
        ([_framed(0, b"{}")], {1007}),
        ([_framed(TEXT, b"{", fin=False), _framed(TEXT, b"}")], {1007}),
        ([_framed(PING, b"") * 3000], {1008, 0}),
    ]
    for number in range(count):
        if tries.hasty and tries.faults:
            return
        pieces, codes = kinds[number % len(kinds)]
        wire = await Wire.connect(tries.server.port)
        wire.send(type="hello", protocol=1, table=player.table_id)
        for piece in pieces:
            wire.writer.write(piece)
        try:
            code = await wire.closed(5)
        except TimeoutError:
            code = -1
        tries.expect(code in codes, f"a giant message ended with {code}, expected {codes}")
        wire.abort()


def _framed(kind: int, payload: bytes, *, fin: bool = True) -> bytes:
    size = len(payload)
    head = bytes([(128 if fin else 0) | kind])
    if size < 126:
        head += bytes([128 | size])
    elif size < 2**16:
        head += b"\xfe" + size.to_bytes(2, "big")
    else:
        head += b"\xff" + size.to_bytes(8, "big")
    return head + b"\0\0\0\0" + payload


# ---- row 33: readers that do not read -----------------------------------------------------------


async def mailboxes(tries: Tries) -> None:
    """Who asks for much and reads nothing costs at most the queue."""
    async with playing(tries.server, 4) as players:
        await finish(players, tries.rng)  # for then a view is long
        await _fill(tries, [await _reader(tries, players[0]) for _ in range(10)])
        readers = [await _reader(tries, players[0]) for _ in range(tries.count)]
        await asyncio.sleep(0.3)
        memory = tries.memory
        each = (await _fill(tries, readers) - memory) // len(readers)
        tries.figures["KiB by a reader who does not read"] = each >> 10
        tries.expect(each <= QUEUE, f"a reader who does not read costs {each >> 10} KiB")
        async with playing(tries.server, 2) as others:
            await finish(others, tries.rng)


async def _fill(tries: Tries, readers: list[Wire]) -> int:
    """Have readers ask for more than the system takes; the most memory on the way."""
    peak = tries.memory
    for _ in range(12):
        for reader in readers:
            for _ in range(10):
                reader.send(type="resync")
        # Answered after all that came before it, so that nothing is left to be read.
        await refused_status(tries, "Origin: http://elsewhere.example\r\n")
        peak = max(peak, tries.memory)
    return peak


async def stalled(tries: Tries) -> None:
    """Who stops to read is gone within 30 seconds, whatever else it does; nobody waits for it."""
    async with playing(tries.server, 4) as players:
        groups = {"mute": 0, "lively": 28, "greedy": 150}
        readers = {
            name: [await _reader(tries, players[0]) for _ in range(tries.count // 4)]
            for name in groups
        }
        begun = time.monotonic()
        gone: dict[str, float] = {}
        for name, asked in groups.items():
            for reader in readers[name]:
                for _ in range(asked):
                    reader.send(type="resync")
        while len(gone) < len(groups) and time.monotonic() - begun < STALLED + 0.5:
            for name, group in readers.items():
                if name != "mute" and name not in gone:
                    for reader in group:
                        reader.send(type="ping")
                if name not in gone and not _open(tries, group):
                    gone[name] = time.monotonic() - begun
            await players[0].play(players[0].moves[0])
            await players[0].play("undo")
            await asyncio.sleep(0.5)
        for name in groups:
            took = gone.get(name, float("inf"))
            tries.figures[f"s until {name} readers are gone"] = round(min(took, 99), 1)
            tries.expect(took <= STALLED, f"{name} readers stay for {took:.0f} s")
        await finish(players, tries.rng)


async def _reader(tries: Tries, player: Player) -> Wire:
    """A spectator who has greeted and reads nothing from then on."""
    wire = await Wire.connect(tries.server.port, lazy=True)
    wire.send(type="hello", protocol=1, table=player.table_id)
    await wire.message()  # else what comes next is refused, which is short
    wire.writer.transport.pause_reading()  # type: ignore[attr-defined] # typed for writing alone
    return wire


def _open(tries: Tries, wires: list[Wire]) -> int:
    """How many of these connections the server still has."""
    ports = {wire.writer.get_extra_info("sockname")[1] for wire in wires}
    found = psutil.Process(tries.server.pid).net_connections("tcp")
    return len(ports & {each.raddr[1] for each in found if each.status == "ESTABLISHED"})


# ---- rows 31, 32: floods, slow handshakes -------------------------------------------------------


async def floods(tries: Tries) -> None:
    """Whoever sends a thousand messages a second is cut within two seconds."""
    async with playing(tries.server, 2) as (ana, _):
        number = tries.count if tries.hasty else FLOODERS
        flooders = [_flood(tries, ana, FLOODS[each % len(FLOODS)]) for each in range(number)]
        await asyncio.gather(*flooders)


FLOODS = (
    b"{", b'{"type":"resync"}', b'{"type":"ping"}', b'{"type":"say","phrase":"nice"}',
    b'{"type":"draft","round":1,"move":null}', b'{"type":"act","key":"1","action":1}',
)  # fmt: skip


async def _flood(tries: Tries, player: Player, text: bytes) -> None:
    wire = await Wire.connect(tries.server.port)
    wire.send(type="hello", protocol=1, table=player.table_id)
    begun, waited, sent = time.monotonic(), held(tries.server.pid), 0
    closing = asyncio.ensure_future(wire.closed(FLOOD_CUT + 2))
    while not closing.done():
        # By the clock: if this process is late, it catches up.
        while sent < (time.monotonic() - begun + PACE) / PACE * LOT:
            wire.frame(TEXT, text)
            sent += 1
        await asyncio.sleep(PACE)
    try:
        code = await closing
    except TimeoutError:
        code = -1
    took = time.monotonic() - begun
    late = took > FLOOD_CUT + held(tries.server.pid) - waited
    tries.expect(code in (1008, 0), f"a flood of {text!r} was closed with {code}")
    tries.expect(not late, f"a flood of {text!r} was cut after {took:.1f} s")
    slowest = tries.figures.get("s until a flood is cut", 0)
    tries.figures["s until a flood is cut"] = round(max(slowest, took), 2)


async def fastest(tries: Tries) -> None:
    """Five moves a second, with drafts and pings, are never refused, whatever others send."""
    async with playing(tries.server, 2) as (ana, _):  # another seat is open: no round closes
        begun = time.monotonic()
        while time.monotonic() - begun < WINDOW and ana.close_code is None:
            for action in (ana.some_move(tries.rng), "undo"):
                ana.send(type="draft", round=ana.round, move=None)
                ana.send(type="ping", active=True)
                key = ana.ask(action)
                await ana.until(lambda k=key: k in ana.answers or ana.close_code is not None)  # type: ignore[misc] # a default
                await asyncio.sleep(BEAT)
                if ana.close_code is not None:
                    break
        refused = [each["code"] for each in ana.messages if each["type"] == "refused"]
        tries.expect(not refused, f"the fastest honest player was refused: {refused[:1]}")
        tries.expect(ana.close_code is None, "the fastest honest player was closed")
        tries.figures["moves of the fastest"] = len(ana.answers)


async def handshakes(tries: Tries) -> None:
    """Whoever takes longer than ten seconds to say what it wants is closed."""
    dripping = b"GET / HTTP/1.1\r\nHost: h\r\nX: " + b"a" * 100
    kinds: list[Iterator[bytes]] = [
        iter([b""]),
        iter([b"GET / HTTP/1.1\r\nHost: h\r\n"]),
        iter([dripping[i : i + 1] for i in range(len(dripping))]),
        iter([b"POST /api/guests HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\n{"]),
    ]

    async def drip(pieces: Iterator[bytes]) -> float:
        reader, writer = await asyncio.open_connection("127.0.0.1", tries.server.port)
        begun = time.monotonic()
        ended = asyncio.ensure_future(reader.read())
        try:
            while not ended.done() and time.monotonic() - begun < HANDSHAKE + 5:
                writer.write(next(pieces, b""))
                await asyncio.wait({ended}, timeout=0.5)
        finally:
            ended.cancel()
            writer.transport.abort()
        return time.monotonic() - begun

    async def mute() -> float:
        wire = await Wire.connect(tries.server.port)
        begun = time.monotonic()
        with suppress(TimeoutError):
            await wire.closed(HANDSHAKE + 5)
        return time.monotonic() - begun

    async def chatty() -> float:
        wire = await Wire.connect(tries.server.port)
        begun = time.monotonic()
        closing = asyncio.ensure_future(wire.closed(HANDSHAKE + 5))
        while not closing.done():
            wire.send(type="ping")
            await asyncio.wait({closing}, timeout=1)
        with suppress(TimeoutError):
            closing.result()
        return time.monotonic() - begun

    async def silent() -> float:
        async with playing(tries.server, 2) as (ana, ben):
            wire = await greeted(ben)
            begun = time.monotonic()
            code = await wire.closed(HANDSHAKE + 5)
            tries.expect(code == 1008, f"a silent seat was closed with {code}")
            await ana.until(lambda: not ana.table["seats"][1]["present"])
            tries.expect(ana.close_code is None, "who is not silent was closed")
            return time.monotonic() - begun

    waited = held(tries.server.pid)
    requests = asyncio.gather(*map(drip, kinds))
    sockets = asyncio.gather(mute(), chatty(), silent())
    for work, spare in ((requests, PROMPT), (sockets, SWEPT)):
        took = max(await work)
        allowed = HANDSHAKE + spare + held(tries.server.pid) - waited
        tries.expect(took <= allowed, f"a handshake of {took:.1f} s was waited for")
        slowest = tries.figures.get("s until a slow handshake is ended", 0)
        tries.figures["s until a slow handshake is ended"] = round(max(slowest, took), 2)
