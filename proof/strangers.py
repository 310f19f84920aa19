"""Strangers: what somebody without a seat, or with another one, may not do; over real sockets.

Each row of the catalogue is a check of its own against a running server; `run` makes all of them.
"""

import asyncio
import json
import re
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import httpx
import psutil

from proof.outcome import Outcome
from proof.prepared import NOTHING
from tests.service.live import (
    BINARY,
    PING,
    SOON,
    TEXT,
    Player,
    Server,
    Wire,
    ask,
    failures_in,
    finish,
    greeted,
    new_player,
    new_table,
    playing,
    serving,
)
from tests.service.live import run as run_all

DESCRIPTION = Path(__file__).parent.parent / "docs" / "openapi.json"
MOST_TABLES = 20
WRONG_CODES = 10
QUEUE = 64 * 1024
GIANTS = 2**20
"""Bytes that giant messages may cost all together."""
LARGEST = 8 * 1024
STALLED = 30.0
"""Seconds within which a reader that does not read is gone."""
HANDSHAKE = 10.0
FLOOD_CUT = 2.0
BEAT = 0.2
"""Seconds between two moves of the fastest honest player."""
ACTIONS = (
    "swap", "undo", "leave", "return", "start", "close", "next", "abandon", "deal", "timeout",
    "L1", "R60~", "1,2", "open " + "0" * 64, "bot 0 easy", "bot 1 random", "remove 0", "remove 1",
    "vote 0", "vote 1", "help 0", "help 1", "sit 0", "settings {}", "reveal", "hand 0",
)  # fmt: skip
"""Actions of all classes, and some that only a server writes."""
FORGED: tuple[dict[str, object], ...] = (
    {"seat": 1}, {"guest": "x"}, {"score": 99}, {"points": {"total": 99}}, {"cards": [1, 2, 3]},
    {"view": {}}, {"host": True}, {"admin": True}, {"at": 0}, {"position": 3}, {"round": 6},
)  # fmt: skip


@dataclass
class Visit:
    """A running server, and what strangers found there."""

    server: Server
    rng: Random
    count: int
    faults: list[str] = field(default_factory=list)
    figures: dict[str, float] = field(default_factory=dict)
    tried: int = 0
    hasty: bool = False
    """Whether the first fault is enough."""

    def fault(self, sentence: str) -> None:
        """Note what should not have happened."""
        if len(self.faults) < 30:
            self.faults.append(sentence)

    def expect(self, holds: object, sentence: str) -> None:
        """Count a try; note it if it went wrong."""
        self.tried += 1
        if not holds:
            self.fault(sentence)

    @property
    def memory(self) -> int:
        """Bytes that the server holds."""
        return int(psutil.Process(self.server.pid).memory_info().rss)


Check = Callable[[Visit], Awaitable[None]]


def run(
    folder: Path, count: int, seed: int, mutant: str = "", rows: tuple[str, ...] = ()
) -> Outcome:
    """Try all rows, or those that are named, with `count` sockets where a row opens many."""
    file = folder / "strangers.db"
    with serving(file, mutant=mutant, program=NOTHING, may_fail=True) as server:
        visit = Visit(server, Random(seed), count, hasty=bool(mutant))
        begun = time.monotonic()
        run_all(_all(visit, rows), 180)
        visit.figures["s"] = round(time.monotonic() - begun, 1)
        log = server.log()
    for line in failures_in(log)[:3]:
        visit.fault(f"the server's log tells of a failure: {line[:300]}")
    return Outcome(visit.tried, tuple(visit.faults), visit.figures)


async def _all(visit: Visit, rows: tuple[str, ...]) -> None:
    """What measures memory goes first and one after the other, what waits long goes together."""
    for group in (MEASURED, TOGETHER):
        chosen = [check for name, check in group.items() if not rows or name in rows]
        if group is MEASURED:
            for check in chosen:
                await _guarded(check, visit)
        else:
            await asyncio.gather(*(_guarded(check, visit) for check in chosen))


async def _guarded(check: Check, visit: Visit) -> None:
    """A check whose own surprise is a fault as well."""
    begun = time.monotonic()
    try:
        await check(visit)
    except (AssertionError, ConnectionError, TimeoutError, httpx.HTTPError, LookupError) as error:
        text = f"{type(error).__name__} {str(error)[:200]}"
        visit.fault(f"{check.__name__} was cut short: {text}")
    visit.figures[f"s of {check.__name__}"] = round(time.monotonic() - begun, 1)


async def _refused_status(visit: Visit, headers: str) -> str:
    """The status line of a socket that is asked for with headers; empty if it is opened."""
    try:
        wire = await Wire.connect(visit.server.port, headers)
    except ConnectionRefusedError as error:
        return str(error)
    wire.abort()
    return ""


# ---- row 23: other origins -----------------------------------------------------------------------


async def origins(visit: Visit) -> None:
    """Pages of others open no socket and change nothing with a cookie."""
    here, port = visit.server.here, visit.server.port
    async with httpx.AsyncClient(base_url=here, timeout=SOON) as browser:
        answer = await browser.post("/api/guests", json={"name": "Ana"}, headers={"Origin": here})
        cookie = answer.headers["set-cookie"].partition(";")[0]
        for origin in _foreign(here, port):
            for more in ("", f"Cookie: {cookie}\r\n"):
                said = await _refused_status(visit, f"Origin: {origin}\r\n{more}")
                visit.expect(" 403 " in said, f"the origin {origin!r} opened a socket: {said!r}")
            sent = await browser.post("/api/tables", json={}, headers={"Origin": origin})
            visit.expect(sent.status_code == 403, f"the origin {origin!r} made a table")
        said = await _refused_status(visit, f"Cookie: {cookie}\r\n")
        visit.expect(" 403 " in said, "a cookie without an origin opened a socket")
        sent = await browser.post("/api/tables", json={})
        visit.expect(sent.status_code == 403, "a cookie without an origin made a table")
        own = await _refused_status(visit, f"Origin: {here}\r\nCookie: {cookie}\r\n")
        visit.expect(own == "", "our own page is refused")


def _foreign(here: str, port: int) -> tuple[str, ...]:
    """Origins that are not ours, though some look like it."""
    return (
        "http://elsewhere.example", "https://elsewhere.example", "null", "", "file://",
        f"{here}.elsewhere.example", f"{here}@elsewhere.example", f"http://elsewhere-{port}",
        f"http://x127.0.0.1:{port}", f"http://127.0.0.1:{port + 1}", "http://127.0.0.1",
        f"https://127.0.0.1:{port}", f"{here}/", f"{here} http://elsewhere.example",
        f"http://127.0.0.1.:{port}", f"{here}#",
    )  # fmt: skip


# ---- row 24: tokens ------------------------------------------------------------------------------


async def tokens(visit: Visit) -> None:
    """No secret of a seat or device stands in a log, an address, an export or another's frames."""
    server = visit.server
    async with playing(server, 2, public=True) as players:
        devices = [player.headers["Authorization"].split(" ")[1] for player in players]
        secret = [*devices, *(player.token for player in players)]
        for token in secret:
            strong = len(token.rpartition(".")[2]) * 6
            visit.expect(strong >= 128, f"a token has {strong} bit")
        eve = await new_player(server, "Eve")
        await eve.connect(token=None, table=players[0].table_id)
        await finish(players, visit.rng)
        await eve.until(lambda: eve.round == 7)
        table = players[0].table_id
        own = await players[0].rest("POST", "/api/me/feed")
        paths = [f"/api/tables/{table}{end}" for end in
                 ("", "/view", "/record", "/proof", "/score", "/replay")]  # fmt: skip
        paths += ["/", "/lobby", f"/t/{table}", f"/t/{table}/replay", "/metrics", "/api/tables"]
        paths += [own.json()["path"], f"/t/{table}/qr.svg", "/openapi.json"]
        seen = {path: (await _page(server, path)).content for path in paths}
        seen |= {"the frames of a spectator": b"".join(eve.frames)}
        seen |= {"the frames of the other": b"".join(players[1].frames)}
        eve.close()
    seen["the log"] = server.log()
    for where, data in seen.items():
        other = secret[:1] + secret[2:3] if where == "the frames of the other" else secret
        for token in other:
            visit.expect(token.encode() not in data, f"a token stands in {where}")
    page = await _page(server, f"/t/{table}")
    visit.expect(page.headers["referrer-policy"] == "no-referrer", "pages tell where one was")


async def _page(server: Server, path: str, **headers: str) -> httpx.Response:
    wanted = {"Accept": "text/html,*/*;q=0.8"} | headers
    return await ask(server, "GET", path, None, wanted)


# ---- rows 25, 26: other seats, forged facts ----------------------------------------------------


async def seats(visit: Visit) -> None:
    """Nobody acts for a seat that is not the own one, as a spectator, or after the end."""
    server = visit.server
    async with playing(server, 2) as (ana, ben), playing(server, 2) as (cleo, _):
        before = (ana.view, ben.view)
        table, seat, guest, sitting, signature = ana.token.split(".")
        of_cleo = cleo.token.split(".")
        forged = [
            f"{table}.1.{guest}.{sitting}.{signature}",
            f"{table}.-1.{guest}.{sitting}.{signature}",
            f"{table}.{seat}.{of_cleo[2]}.{sitting}.{of_cleo[4]}",
            f"{table}.{seat}.{guest}.{int(sitting) + 1}.{signature}",
            f"{table}.{seat}.{guest}.{sitting}.{of_cleo[4]}",
            f"{table}.{seat}.{guest}.{sitting}.",
            f"{table}.{seat}.{guest}.{sitting}.{signature}=",
            f"{of_cleo[0]}.{seat}.{guest}.{sitting}.{signature}",
            ana.headers["Authorization"].split(" ")[1],
            table,
            guest,
        ]
        for token in forged:
            wire = await Wire.connect(server.port)
            wire.send(type="hello", protocol=1, token=token)
            wire.send(type="act", key="0.1.abcd", action=ana.moves[0])
            code = await wire.closed()
            visit.expect(code == 4003, f"a forged token was closed with {code}, expected 4003")
            if code != 4003:
                return  # one that is let in is waited for until it is silent for too long
        wire = await Wire.connect(server.port)
        wire.send(type="hello", protocol=1, table=table)
        await _none_taken(visit, wire, "a spectator", ana.moves)
        await _none_taken(visit, await Wire.connect(server.port), "a stranger", ana.moves)
        for number, action in enumerate((*ACTIONS, ana.moves[0])):
            wish = {"key": f"0.{number}.abcd", "action": action}
            sent = await cleo.rest("POST", f"/api/tables/{table}/actions", wish)
            visit.expect(sent.status_code >= 400, f"{action!r} of somebody else was taken")
        for path, body in (
            ("draft", {"round": 0, "move": ana.moves[0]}),
            ("phrases", {"phrase": "nice"}),
            ("rematch", None),
        ):
            sent = await cleo.rest("POST", f"/api/tables/{table}/{path}", body)
            visit.expect(sent.status_code >= 400, f"{path} of somebody else was taken")
        sent = await cleo.rest("PATCH", f"/api/tables/{table}", {"seats": 3})
        visit.expect(sent.status_code >= 400, "somebody else changed the table")
        visit.expect((ana.view, ben.view) == before, "strangers changed a game")
        await _forged_fields(visit, ana, ben)
        await finish([ana, ben], visit.rng)
        result = ana.view
        for action in (*ACTIONS, "L1", "1,2~"):
            if action not in ("leave", "next"):
                answer = await ana.act(action)
                visit.expect(answer["type"] == "refused", f"{action!r} was taken after the end")
        visit.expect(ana.view == result, "a game changed after its end")


async def _none_taken(visit: Visit, wire: Wire, who: str, moves: list[str]) -> None:
    """Somebody without a seat tries everything."""
    wanted = {}
    for number, action in enumerate((*ACTIONS, *moves[:3])):
        wanted[f"0.{number}.none"] = action
        wire.send(type="act", key=f"0.{number}.none", action=action)
    wire.send(type="say", phrase="nice")
    wire.send(type="draft", round=0, move=moves[0])
    while wanted:
        message = await wire.message()
        visit.expect(message["type"] != "ack", f"an action of {who} was taken: {message}")
        if message["type"] in ("ack", "refused"):
            wanted.pop(message["key"] or "", None)
    wire.abort()


async def _answer_to(player: Player, message: dict[str, object]) -> str:
    """The code with which a message is refused, or the kind of the answer."""
    seen = len(player.messages)

    def answers() -> list[str]:
        # A pong may be that to a ping of the player's own.
        return [
            str(each.get("code", each["type"]))
            for each in player.messages[seen:]
            if each["type"] != "pong"
        ]

    player.send(**message)
    await player.until(answers)
    return answers()[0]


async def _forged_fields(visit: Visit, ana: Player, ben: Player) -> None:
    """What a client claims besides is refused, and changes nothing."""
    before = (ana.view, ben.view, ana.table)
    messages: list[dict[str, object]] = [
        {"type": "act", "key": "0.1.forged", "action": ana.moves[0]},
        {"type": "draft", "round": 0, "move": None},
        {"type": "say", "phrase": "nice"},
        {"type": "ping"},
        {"type": "resync"},
        {"type": "hello", "protocol": 1, "token": ana.token},
    ]
    for message in messages:
        for more in FORGED:
            if not more.keys() & message.keys():
                answer = await _answer_to(ana, message | more)
                visit.expect(
                    answer == "bad_message", f"{message['type']} with {more} was answered {answer}"
                )
    bodies: dict[str, dict[str, object]] = {
        "seats": {"seat": 0, "commit": ""},
        "actions": {"key": "0.1.forged", "action": ana.moves[0]},
        "draft": {"round": 0, "move": None},
        "phrases": {"phrase": "nice"},
    }
    for path, body in bodies.items():
        for more in FORGED:
            if not more.keys() & body.keys():
                where = f"/api/tables/{ana.table_id}/{path}"
                sent = await ana.rest("POST", where, body | more)
                visit.expect(sent.status_code == 400, f"{path} with {more}: {sent.status_code}")
    visit.expect((ana.view, ben.view, ana.table) == before, "forged fields changed a game")


# ---- row 30: giant messages ----------------------------------------------------------------------


async def giants(visit: Visit) -> None:
    """Giant frames and endless pieces cost nearly nothing, and end only their own socket."""
    server = visit.server
    async with playing(server, 2) as players:
        await _giants(visit, players[0], 5)  # so that all is warm
        memory = visit.memory
        await _giants(visit, players[0], visit.count)
        grown = visit.memory - memory
        visit.figures["KiB by giant messages"] = grown >> 10
        visit.expect(grown <= GIANTS, f"giant messages cost {grown >> 10} KiB of memory")
        await finish(players, visit.rng)
        for player in players:
            visit.expect(player.close_code is None, "an honest player was closed")


async def _giants(visit: Visit, player: Player, count: int) -> None:
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
        if visit.hasty and visit.faults:
            return
        pieces, codes = kinds[number % len(kinds)]
        wire = await Wire.connect(visit.server.port)
        wire.send(type="hello", protocol=1, table=player.table_id)
        for piece in pieces:
            wire.writer.write(piece)
        try:
            code = await wire.closed(5)
        except TimeoutError:
            code = -1
        visit.expect(code in codes, f"a giant message ended with {code}, expected {codes}")
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


# ---- row 33: readers that do not read ----------------------------------------------------------


async def mailboxes(visit: Visit) -> None:
    """Who asks for much and reads nothing costs at most the queue."""
    async with playing(visit.server, 4) as players:
        await finish(players, visit.rng)  # for then a view is long
        await _fill(visit, [await _reader(visit, players[0]) for _ in range(10)])
        readers = [await _reader(visit, players[0]) for _ in range(visit.count)]
        await asyncio.sleep(0.3)
        memory = visit.memory
        each = (await _fill(visit, readers) - memory) // len(readers)
        visit.figures["KiB by a reader who does not read"] = each >> 10
        visit.expect(each <= QUEUE, f"a reader who does not read costs {each >> 10} KiB")
        async with playing(visit.server, 2) as others:
            await finish(others, visit.rng)


async def _fill(visit: Visit, readers: list[Wire]) -> int:
    """Have readers ask for more than the system takes; the most memory on the way."""
    peak = visit.memory
    for _ in range(12):
        for reader in readers:
            for _ in range(10):
                reader.send(type="resync")
        # Answered after all that came before it, so that nothing is left to be read.
        await _refused_status(visit, "Origin: http://elsewhere.example\r\n")
        peak = max(peak, visit.memory)
    return peak


async def stalled(visit: Visit) -> None:
    """Who stops to read is gone within 30 seconds, whatever else it does; nobody waits for it."""
    async with playing(visit.server, 4) as players:
        groups = {"mute": 0, "lively": 28, "greedy": 150}
        readers = {
            name: [await _reader(visit, players[0]) for _ in range(visit.count // 4)]
            for name in groups
        }
        begun = time.monotonic()
        gone: dict[str, float] = {}
        for name, asked in groups.items():
            for reader in readers[name]:
                for _ in range(asked):
                    reader.send(type="resync")
        while len(gone) < len(groups) and time.monotonic() - begun < STALLED + 2:
            for name, group in readers.items():
                if name != "mute" and name not in gone:
                    for reader in group:
                        reader.send(type="ping")
                if name not in gone and not _open(visit, group):
                    gone[name] = time.monotonic() - begun
            await players[0].play(players[0].moves[0])
            await players[0].play("undo")
            await asyncio.sleep(0.5)
        for name in groups:
            took = gone.get(name, float("inf"))
            visit.figures[f"s until {name} readers are gone"] = round(min(took, 99), 1)
            visit.expect(took <= STALLED, f"{name} readers stay for {took:.0f} s")
        await finish(players, visit.rng)


async def _reader(visit: Visit, player: Player) -> Wire:
    """A spectator who has greeted and reads nothing from then on."""
    wire = await Wire.connect(visit.server.port, lazy=True)
    wire.send(type="hello", protocol=1, table=player.table_id)
    await wire.message()  # else what comes next is refused, which is short
    wire.writer.transport.pause_reading()  # type: ignore[attr-defined]
    return wire


def _open(visit: Visit, wires: list[Wire]) -> int:
    """How many of these connections the server still has."""
    ports = {wire.writer.get_extra_info("sockname")[1] for wire in wires}
    found = psutil.Process(visit.server.pid).net_connections("tcp")
    return len(ports & {each.raddr[1] for each in found if each.status == "ESTABLISHED"})


# ---- rows 31, 32: floods, slow handshakes --------------------------------------------------------


async def floods(visit: Visit) -> None:
    """Whoever sends a thousand messages a second is cut; the fastest honest player never is."""
    async with playing(visit.server, 2) as (ana, _), playing(visit.server, 2) as (ben, _):
        players, over = [ana, ben], asyncio.Event()
        fast = [asyncio.ensure_future(_fastest(visit, player, over)) for player in players]
        await asyncio.sleep(0.5)
        flooders = [
            _flood(visit, players[0], FLOODS[number % len(FLOODS)])
            for number in range(min(visit.count, 12))
        ]
        await asyncio.gather(*flooders)
        await asyncio.sleep(0.5)
        over.set()
        await asyncio.gather(*fast)
        for player in players:
            refused = [each for each in player.messages if each["type"] == "refused"]
            visit.expect(not refused, f"the fastest honest player was refused: {refused[:1]}")
            visit.expect(player.close_code is None, "the fastest honest player was closed")


FLOODS = (
    b"{", b'{"type":"resync"}', b'{"type":"ping"}', b'{"type":"say","phrase":"nice"}',
    b'{"type":"draft","round":1,"move":null}', b'{"type":"act","key":"1","action":1}',
)  # fmt: skip


async def _flood(visit: Visit, player: Player, text: bytes) -> None:
    wire = await Wire.connect(visit.server.port)
    wire.send(type="hello", protocol=1, table=player.table_id)
    begun = time.monotonic()
    closing = asyncio.ensure_future(wire.closed(FLOOD_CUT + 2))
    sent = 0
    while not closing.done() and sent < 5000:
        for _ in range(50):
            wire.frame(TEXT, text)
        sent += 50
        await asyncio.sleep(0.02)
    try:
        code = await closing
    except TimeoutError:
        code = -1
    took = time.monotonic() - begun
    visit.expect(code in (1008, 0), f"a flood of {text!r} was closed with {code}")
    visit.expect(took <= FLOOD_CUT + 1, f"a flood of {text!r} was cut after {took:.1f} s")
    slowest = visit.figures.get("s until a flood is cut", 0)
    visit.figures["s until a flood is cut"] = round(max(slowest, took), 2)


async def _fastest(visit: Visit, player: Player, over: asyncio.Event) -> None:
    """Five moves a second, with drafts and pings; another seat is open, so no round closes."""
    while not over.is_set():
        move = player.some_move(visit.rng)
        player.send(type="draft", round=player.round, move=move)
        await player.play(move)
        await asyncio.sleep(BEAT)
        await player.play("undo")
        player.send(type="ping", active=True)
        await asyncio.sleep(BEAT)


async def handshakes(visit: Visit) -> None:
    """Whoever takes longer than ten seconds to say what it wants is closed."""
    dripping = b"GET / HTTP/1.1\r\nHost: h\r\nX: " + b"a" * 100
    kinds: list[Iterator[bytes]] = [
        iter([b""]),
        iter([b"GET / HTTP/1.1\r\nHost: h\r\n"]),
        iter([dripping[i : i + 1] for i in range(len(dripping))]),
        iter([b"POST /api/guests HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\n{"]),
    ]

    async def drip(pieces: Iterator[bytes]) -> float:
        reader, writer = await asyncio.open_connection("127.0.0.1", visit.server.port)
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
        wire = await Wire.connect(visit.server.port)
        begun = time.monotonic()
        with suppress(TimeoutError):
            await wire.closed(HANDSHAKE + 5)
        return time.monotonic() - begun

    async def chatty() -> float:
        wire = await Wire.connect(visit.server.port)
        begun = time.monotonic()
        closing = asyncio.ensure_future(wire.closed(HANDSHAKE + 5))
        while not closing.done():
            wire.send(type="ping")
            await asyncio.wait({closing}, timeout=1)
        with suppress(TimeoutError):
            closing.result()
        return time.monotonic() - begun

    async def silent() -> float:
        async with playing(visit.server, 2) as (ana, ben):
            wire = await greeted(ben)
            begun = time.monotonic()
            code = await wire.closed(HANDSHAKE + 5)
            visit.expect(code == 1008, f"a silent seat was closed with {code}")
            await ana.until(lambda: not ana.table["seats"][1]["present"])
            visit.expect(ana.close_code is None, "who is not silent was closed")
            return time.monotonic() - begun

    took = await asyncio.gather(*map(drip, kinds), mute(), chatty(), silent())
    visit.figures["s until a slow handshake is ended"] = round(max(took), 1)
    visit.expect(max(took) < HANDSHAKE + 3, f"a handshake of {max(took):.0f} s was waited for")


# ---- row 35: guessing and spam -------------------------------------------------------------------


async def guesses(visit: Visit) -> None:
    """Nobody guesses a code or a link, and nobody fills the house with tables."""
    server = visit.server
    ana = await new_player(server)
    table = await new_table(ana)
    for path, wrong in (("/api/codes", "wrong_code"), ("/api/transfer", "wrong_transfer")):
        codes = []
        for number in range(WRONG_CODES + 15):
            size = 6 if path == "/api/codes" else 10
            code = "".join(visit.rng.choices("23456789ABCDEFGHJKLMNPQRSTUVWXYZ", k=size))
            proxied = {"X-Forwarded-For": f"192.0.2.{number}"}
            sent = await ask(server, "POST", path, {"code": code}, proxied)
            codes.append(sent.json()["code"])
        right = [wrong] * WRONG_CODES + ["too_many_requests"] * 15
        visit.expect(codes == right, f"{path}: {codes.count(wrong)} wrong codes were tried")
    for _ in range(50):
        guess = "".join(visit.rng.choices("23456789abcdefghjklmnpqrstuvwxyz", k=len(table)))
        sent = await ask(server, "GET", f"/api/tables/{guess}", None)
        visit.expect(sent.status_code >= 400, f"the link {guess} was guessed")
    visit.expect(len(table) * 5 >= 60, f"a link has {len(table) * 5} bit")
    made = [await ana.rest("POST", "/api/tables", {}) for _ in range(MOST_TABLES + 4)]
    taken = 1 + sum(each.status_code == 201 for each in made)
    visit.expect(taken == MOST_TABLES, f"somebody has {taken} open tables")
    visit.expect(made[-1].json()["code"] == "too_many_tables", "the limit is not told")


# ---- row 36: headers -----------------------------------------------------------------------------


async def headers(visit: Visit) -> None:
    """Every response of every route carries the headers that keep browsers safe."""
    server = visit.server
    async with playing(server, 1) as (ana,):
        table = ana.table_id
        await finish([ana], visit.rng)
        routes = json.loads(DESCRIPTION.read_text())["paths"]
        filled = {"{table}": table, "{language}": "de"}
        paths = [(method.upper(), path) for path, methods in routes.items() for method in methods]
        pages = ["/", "/lobby", "/rules", f"/t/{table}", f"/t/{table}/replay", "/offline",
                 f"/t/{table}/replay/3", "/sw.js", "/offline.js", "/manifest.webmanifest",
                 "/robots.txt", "/favicon.ico", "/icon-512.png", "/preview.png", "/page.css",
                 f"/t/{table}/preview.png", f"/t/{table}/qr.svg", "/openapi.json",
                 "/nothing", "/api/nothing", "/t/nothing", "/assets/nothing.js",
                 "/feeds/nothing.atom"]  # fmt: skip
        paths += [("GET", page) for page in pages]
        found = await _page(server, "/")
        assets = re.findall(r'"(/assets/[^"]+)"', found.text)
        paths += [("GET", asset) for asset in assets]
        paths += [("PUT", "/api/me"), ("OPTIONS", "/api/me"), ("POST", "/"), ("HEAD", "/")]
        for method, path in paths:
            for name, value in filled.items():
                path = path.replace(name, value)  # noqa: PLW2901 (filled in)
            if (method, path) == ("DELETE", "/api/me"):
                continue  # at the end
            body: dict[str, object] | None = {} if method in ("POST", "PATCH", "PUT") else None
            wanted = {"Accept": "text/html,*/*;q=0.8", **ana.headers}
            answer = await ask(server, method, path, body, wanted)
            _check_headers(visit, f"{method} {path}", answer.status_code, answer.headers)
            private = path.startswith(("/api/tables", "/api/me", "/api/guest"))
            kept = answer.headers.get("cache-control", "")
            visit.expect(not private or kept == "no-store", f"{method} {path} may be kept: {kept}")
        seated = await ask(server, "GET", f"/t/{table}", None, wanted)
        kept = seated.headers["cache-control"]
        visit.expect("no-store" in kept, f"a page with a seat may be kept: {kept}")
        for raw in (b"NONSENSE\r\n\r\n", UPGRADES.replace(b"13", b"12"), UPGRADES):
            said = httpx.Headers(await _raw_headers(server, raw))
            _check_headers(visit, repr(raw[:20]), 400, said)
        answer = await ana.rest("DELETE", "/api/me")
        _check_headers(visit, "DELETE /api/me", answer.status_code, answer.headers)


UPGRADES = (
    b"GET /ws HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n"
    b"Origin: http://elsewhere.example\r\n\r\n"
)


async def _raw_headers(server: Server, data: bytes) -> list[tuple[bytes, bytes]]:
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(data)
    head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), SOON)
    writer.transport.abort()
    lines = [line.partition(b":") for line in head.split(b"\r\n")[1:] if line]
    return [(name, value.strip()) for name, _, value in lines]


def _check_headers(visit: Visit, where: str, status: int, found: httpx.Headers) -> None:
    policy = found.get("content-security-policy", "")
    parts = {part.split()[0]: part.split()[1:] for part in policy.split(";") if part.strip()}
    strict = parts.get("default-src") == ["'none'"] and "unsafe-" not in policy
    framed = parts.get("frame-ancestors") == ["'none'"] and found.get("x-frame-options") == "DENY"
    own = all(
        source in ("'none'", "'self'", "data:") for sources in parts.values() for source in sources
    )
    visit.expect(strict and framed and own, f"{where} ({status}): the policy is {policy!r}")
    sniffed = found.get("x-content-type-options") == "nosniff"
    visit.expect(sniffed, f"{where} ({status}): browsers may guess what it is")
    visit.expect(found.get("referrer-policy") == "no-referrer", f"{where}: tells where one was")
    visit.expect(found.get("cache-control"), f"{where} ({status}): does not say who may keep it")
    visit.expect("server" not in found, f"{where}: tells which server it is")


# ---- row 38: who was deleted -------------------------------------------------------------------


async def forgotten(visit: Visit) -> None:
    """Whoever is deleted plays nowhere any more: neither on over an open socket nor anew."""
    server = visit.server
    async with playing(server, 2) as (ana, ben):
        sent = await ben.rest("DELETE", "/api/me")
        visit.expect(sent.status_code == 204, "somebody could not be deleted")
        await ben.until(lambda: ben.close_code is not None)
        visit.expect(ben.close_code == 4003, f"a deleted guest was closed with {ben.close_code}")
        again = await greeted(ben)
        again.send(type="act", key="0.1.back", action="return")
        code = await again.closed()
        visit.expect(code == 4003, f"a deleted guest came back, and was closed with {code}")
        await ana.until(lambda: ana.table["seats"][1]["bot"] is not None)
        visit.expect(ana.table["seats"][1]["name"] is None, "a deleted guest's name is shown")
        await finish([ana], visit.rng)
    async with playing(server, 1) as (cleo,):
        host = await new_player(server)
        table = await host.rest("POST", "/api/tables", {})
        watching = await Wire.connect(server.port)
        watching.send(type="hello", protocol=1, token=table.json()["token"])
        await watching.message()
        await host.rest("DELETE", "/api/me")
        visit.expect(await watching.closed() == 4003, "a deleted host still watches")
        visit.expect(cleo.close_code is None, "somebody else was closed")


MEASURED: dict[str, Check] = {"giants": giants, "mailboxes": mailboxes}
TOGETHER: dict[str, Check] = {
    "origins": origins,
    "tokens": tokens,
    "seats": seats,
    "floods": floods,
    "handshakes": handshakes,
    "guesses": guesses,
    "headers": headers,
    "stalled": stalled,
    "forgotten": forgotten,
}
