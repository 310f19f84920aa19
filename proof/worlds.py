"""Twin worlds (G8): what somebody gets does not depend on what she must not know, byte for byte.

Two servers with the same ids, seeds and stopped clock are played by the same script. In the second
two cards are exchanged that a viewer has not seen, or somebody else seals another choice. Up to
that time all bytes that the viewer gets are equal, on every channel: sockets with their handshake,
acknowledgements, refusals, resync, a second tab, a reconnect, the spectator's socket, the routes,
exports, lists, feed, page and preview of the table, metrics, the text client, the environments for
learning agents, what a bot is asked, and what the coach says. Afterwards they differ, else the pair
would prove nothing.

Not compared: the `Date` header of HTTP, and figures of metrics that are times or of the process.
The servers wait longer than usual before they say that something takes long (`proof.overheard`).
"""

import asyncio
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from proof.advice import Advised
from proof.agents import in_a_process
from proof.heard import Tally
from proof.outcome import Outcome
from proof.party import Party
from proof.sides import Side, start_sides
from proof.turns import Turns
from proof.twins import Pair, twins
from sideboards.data import load_edition
from tests.service.postgres import PostgresServer

PART = 1000
"""After so many pairs two new servers go on, so that neither they nor what was heard grow."""
BATCH = 10
"""So many pairs are played side by side."""
PAIRS_PER_BOT = 8
"""For so many pairs one table with a bot is played."""
PAIRS_PER_COACH = 125
"""For so many pairs one table with a coach is played."""
PAIRS_PER_SHARED = 50
"""For so many pairs one is played on servers with PostgreSQL."""
Besides = Sequence[tuple[Turns | Advised, range]]
"""Other tables, and the numbers of those that are played."""


@dataclass(frozen=True, slots=True)
class Beside:
    """What is played beside the pairs."""

    bots: int = 0
    """Tables with a bot."""
    coached: int = 0
    """Tables with a coach."""
    agents: int = 0
    """Pairs in the environments for learning agents."""


def usual(count: int) -> Beside:
    """What is played beside so many pairs."""
    return Beside(count // PAIRS_PER_BOT, max(1, count // PAIRS_PER_COACH), count)


def run(
    folder: Path, count: int, seed: int, mutant: str = "", beside: Beside | None = None
) -> Outcome:
    """Play so many pairs of twin worlds; what somebody could tell from bytes are its faults.

    The last pairs are played with PostgreSQL. With a planted bug there is nothing beside the pairs
    unless it is asked for.
    """
    if beside is None:
        beside = Beside() if mutant else usual(count)
    shared = 0 if mutant else count // PAIRS_PER_SHARED
    with ExitStack() as stack:
        address = ""
        if shared:
            postgres = PostgresServer(fsync=False)
            stack.callback(postgres.remove)
            postgres.start()
            address = postgres.url
        work = _run(
            folder, (count - shared, count), seed, mutant=mutant, beside=beside, address=address
        )
        return asyncio.run(work)


async def _run(
    folder: Path, counts: tuple[int, int], seed: int, *, mutant: str, beside: Beside, address: str
) -> Outcome:
    found, number = Tally(seed, keep=not mutant), 0
    turns, advised = Turns(), Advised()
    agents = asyncio.create_task(in_a_process(seed, beside.agents, mutant))
    # After the pairs, because a bot that at last sees the difference may also move more often.
    after: Besides = [(turns, range(beside.bots)), (advised, range(beside.coached))]
    try:
        for count, postgres in zip(counts, ("", address), strict=True):
            while found.done < count and number < 2 * count + BATCH and not found.is_enough:
                part = folder / f"from {number}"
                part.mkdir()
                coach = bool(after and beside.coached)
                sides = await start_sides(part, seed, mutant, coach=coach, postgres=postgres)
                until, before = min(count, found.done + PART), found.done
                number = await _play_part(sides, found, (number, until), after)
                found.shared += found.done - before if postgres else 0
                after = []
        told = await agents
    finally:
        agents.cancel()
        await asyncio.gather(agents, return_exceptions=True)
    turns.judge()
    advised.judge(beside.coached)
    found.judge()
    told.judge()
    faults = (*found.faults, *turns.faults, *advised.faults, *told.faults)
    figures = found.figures() | turns.figures | advised.figures | told.figures
    return Outcome(found.done, faults, figures, turns.samples)


async def _play_part(
    sides: Sequence[Side],
    found: Tally,
    part: tuple[int, int],
    after: Besides,
) -> int:
    """Play pairs with two new servers until enough are done; the number of the next one."""
    (number, until), edition, seed = part, load_edition(), found.seed
    try:
        await asyncio.gather(*(side.stop_clock() for side in sides))
        while found.done < until and number < 2 * until + BATCH and not found.is_enough:
            numbers = range(number, number + min(BATCH, until - found.done))
            await _play_batch(sides, found, [twins(edition, seed, each) for each in numbers])
            number += len(numbers)
        await found.compare_metrics(sides)
        for tables, which in after:
            await tables.play(sides, edition, seed, which)
    finally:
        for side in sides:
            side.end()
        await asyncio.sleep(0)  # for connections to be gone
    if found.keep:
        found.faults += [line for side in sides for line in side.failures[:5]]
    found.search(await sides[0].logs(), edition)
    return number


async def _play_batch(sides: Sequence[Side], found: Tally, pairs: Sequence[Pair]) -> None:
    """Play some pairs side by side; at their time, when all stand still, everything is asked."""
    parties = [Party(side, place, pairs) for place, side in enumerate(sides)]
    try:
        await asyncio.gather(*(party.begin(found.seed) for party in parties))
        # A table that is not where it should be would be seen in all lists and counts.
        if all(party.undisturbed for party in parties):
            await found.compare_metrics(sides, len(pairs))
            asking = (party.ask_around(pictures=found.keep) for party in parties)
            await asyncio.gather(*asking)
        await asyncio.gather(*(party.finish() for party in parties))
    finally:
        for party in parties:
            party.end()
    for pair, one, other in zip(pairs, *(party.heard for party in parties), strict=True):
        found.take(pair, one, other)
