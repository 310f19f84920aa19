"""Row 35 at length: a million guesses find nothing, and ten thousand tables are not opened.

Requests go out in lots over connections that stay open, so that many can be made per second. The
server's own limits end most of them; those of links have none, and need none.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import msgspec

from proof.intruders import MOST_TABLES, WRONG_CODES
from proof.outcome import Outcome
from proof.prepared import NOTHING
from tests.service.live import Server, new_player, new_table, serving
from tests.service.live import run as bounded

LOT = 50
"""Requests that are sent together."""
AT_ONCE = 4
GUESSES_PER_TABLE = 100
"""For so many guesses one table is asked for."""
CODE = 6
"""Signs of a short code."""
SIGNS = "23456789abcdefghjklmnpqrstuvwxyz"
PATIENCE = 30.0


class Talk:
    """A connection over which many requests are sent at a time."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def ask(self, requests: Sequence[bytes]) -> list[tuple[int, bytes]]:
        """The status and the body of every answer."""
        self._writer.write(b"".join(requests))
        async with asyncio.timeout(PATIENCE):
            return [await self._answer() for _ in requests]

    async def _answer(self) -> tuple[int, bytes]:
        head = (await self._reader.readuntil(b"\r\n\r\n")).lower()
        size = int(head.partition(b"content-length: ")[2].split(b"\r\n")[0] or 0)
        return int(head.split(b" ")[1]), await self._reader.readexactly(size)

    def close(self) -> None:
        """End it."""
        self._writer.transport.abort()


def request(method: str, path: str, body: object = None, token: str = "") -> bytes:
    """A request as bytes."""
    data = b"" if body is None else msgspec.json.encode(body)
    more = f"Authorization: {token}\r\n" if token else ""
    head = (
        f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{more}"
        f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n"
    )
    return head.encode() + data


def run(folder: Path, count: int, seed: int, mutant: str = "") -> Outcome:
    """Make `count` guesses, half of links and half of codes, and ask for tables."""
    codes, begun = Counter[str](), time.monotonic()
    with serving(folder / "guesses.db", mutant=mutant, program=NOTHING) as server:
        bounded(_all(server, count, Random(seed), codes), 60 + count / 50)
    seconds = time.monotonic() - begun
    faults = []
    for what, most in (("found", 0), ("wrong_code", WRONG_CODES), ("opened", MOST_TABLES)):
        if codes[what] > most:
            faults.append(f"{what}: {codes[what]}; expected at most {most}")
    return Outcome(count, tuple(faults), {"guesses per s": count / seconds, **codes})


async def _all(server: Server, count: int, rng: Random, codes: Counter[str]) -> None:
    ana = await new_player(server)
    size = len(await new_table(ana))
    token = ana.headers["Authorization"]
    codes["opened"] += 1

    def link() -> bytes:
        return request("GET", f"/api/tables/{''.join(rng.choices(SIGNS, k=size))}")

    def code() -> bytes:
        guess = "".join(rng.choices(SIGNS, k=CODE)).upper()
        return request("POST", "/api/codes", {"code": guess})

    def table() -> bytes:
        return request("POST", "/api/tables", {}, token)

    work = [(link, "found", count // 2 // AT_ONCE) for _ in range(AT_ONCE)]
    work += [(code, "found", count - count // 2), (table, "opened", count // GUESSES_PER_TABLE)]
    await asyncio.gather(*(_sent(server, *each, codes) for each in work))


async def _sent(
    server: Server, make: Callable[[], bytes], taken: str, count: int, codes: Counter[str]
) -> None:
    """Send many requests over one connection; count those that are taken, and all refusals."""
    talk = Talk(*await asyncio.open_connection("127.0.0.1", server.port))
    try:
        for at in range(0, count, LOT):
            for status, body in await talk.ask([make() for _ in range(min(LOT, count - at))]):
                refused = status >= 400
                codes[str(msgspec.json.decode(body)["code"]) if refused else taken] += 1
    finally:
        talk.close()
