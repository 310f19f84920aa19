"""Strangers: what somebody without a seat, or with another one, may not do; over real sockets.

Each row of the catalogue is a check of its own against a running server: who asks
(`proof.intruders`), what floods (`proof.floods`), what is answered (`proof.headers`). `run` makes
all of them.
"""

import asyncio
import time
from pathlib import Path
from random import Random

import httpx

from proof.floods import fastest, floods, giants, handshakes, mailboxes, stalled
from proof.headers import headers
from proof.intruders import forgotten, guesses, origins, seats, tokens
from proof.outcome import Outcome
from proof.prepared import NOTHING
from proof.tries import Check, Tries
from tests.service.live import failures_in, serving
from tests.service.live import run as run_all

MEASURED: dict[str, Check] = {"giants": giants, "mailboxes": mailboxes}
TOGETHER: dict[str, Check] = {
    "origins": origins,
    "tokens": tokens,
    "seats": seats,
    "floods": floods,
    "fastest": fastest,
    "handshakes": handshakes,
    "guesses": guesses,
    "headers": headers,
    "stalled": stalled,
    "forgotten": forgotten,
}


def run(
    folder: Path, count: int, seed: int, mutant: str = "", rows: tuple[str, ...] = ()
) -> Outcome:
    """Try all rows, or those that are named, with `count` sockets where a row opens many."""
    file = folder / "strangers.db"
    with serving(file, mutant=mutant, program=NOTHING, may_fail=True) as server:
        tries = Tries(server, Random(seed), count, hasty=bool(mutant))
        begun = time.monotonic()
        run_all(_all(tries, rows), 180)
        tries.figures["s"] = round(time.monotonic() - begun, 1)
        log = server.log()
    for line in failures_in(log)[:3]:
        tries.fault(f"the server's log tells of a failure: {line[:300]}")
    return Outcome(tries.tried, tuple(tries.faults), tries.figures)


async def _all(tries: Tries, rows: tuple[str, ...]) -> None:
    """What measures memory goes first and one after the other, what waits long goes together."""
    for group in (MEASURED, TOGETHER):
        chosen = [check for name, check in group.items() if not rows or name in rows]
        if group is MEASURED:
            for check in chosen:
                await _guarded(check, tries)
        else:
            await asyncio.gather(*(_guarded(check, tries) for check in chosen))


async def _guarded(check: Check, tries: Tries) -> None:
    """A check whose own surprise is a fault as well."""
    begun = time.monotonic()
    try:
        await check(tries)
    except (AssertionError, ConnectionError, TimeoutError, httpx.HTTPError, LookupError) as error:
        text = f"{type(error).__name__} {str(error)[:200]}"
        tries.fault(f"{check.__name__} was cut short: {text}")
    tries.figures[f"s of {check.__name__}"] = round(time.monotonic() - begun, 1)
