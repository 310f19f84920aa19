"""Lively people (L1): they play, swap, change their mind, come and go, and a scanner hears it all.

The crowd of `sideboards load` against a real server. Nobody is ever told a card that she cannot
know, over however many connections; and the crowd finds no fault of its own.
"""

import asyncio
from pathlib import Path

import msgspec

from proof.outcome import Outcome
from proof.scanner import Scanner
from sideboards.load import Crowd, Habits, Plan
from tests.service.live import serving

LIVELY = Habits(
    swaps=0.5, changes_mind=0.2, reloads=0.1, goes_away=0.1, leaves=0.1, away=(0.05, 0.4)
)
"""People who seldom sit still."""
TABLES, PLAYERS = 8, 3
RATE = 100.0
"""Moves per second of all of them."""
LONGEST = 600.0
MOST_FAULTS = 20
_TABLE = b'{"type":"table"'


class _Table(msgspec.Struct):
    table: str


class _Told(msgspec.Struct):
    table: _Table


Known = tuple[str, Scanner]
_decode = msgspec.json.Decoder(_Told).decode


class Watched:
    """A scanner for everybody in a crowd; a new one with every game."""

    def __init__(self, plan: Plan) -> None:
        self.faults: list[str] = []
        """The first ones."""
        self.frames = 0
        self._size = plan.players - plan.bots
        self._scanners: dict[int, Known] = {}

    def __call__(self, number: int, frame: bytes) -> None:
        """Hear a message that the person with a number got."""
        self.frames += 1
        known = self._scanners.get(number)
        if known is None or frame.startswith(_TABLE):
            known = self._scanners[number] = self._of_table(number, frame, known)
        table, scanner = known
        for fault in scanner.hear(frame):
            if len(self.faults) < MOST_FAULTS:
                self.faults.append(f"table {table}: person {number} was told: {fault}")

    def _of_table(self, number: int, frame: bytes, known: Known | None) -> Known:
        """The scanner for the table that a message is about; before the first it is of none."""
        table = _decode(frame).table.table if frame.startswith(_TABLE) else ""
        if known is not None and known[0] == table:
            return known
        return table, Scanner(number % self._size)


def run(folder: Path, count: int, seed: int, mutant: str = "") -> Outcome:
    """About so many moves, on one server."""
    # One with a planted bug has no kernels in any case.
    with serving(folder / "games.db", mutant=mutant, compiled=bool(mutant)) as server:
        plan = Plan(
            server.here,
            tables=TABLES,
            players=PLAYERS,
            moves_per_second=RATE,
            seconds=min(LONGEST, count / RATE),
            seed=seed,
            habits=LIVELY,
        )
        watched = Watched(plan)
        crowd = Crowd(plan, watched)
        asyncio.run(crowd.run())
    tally = crowd.tally
    figures = {
        "frames scanned": watched.frames,
        "swaps": tally.swaps,
        "minds changed": tally.undos,
        "reloads": tally.reloads,
        "absences": tally.absences,
        "returns": tally.returns,
        "games": tally.games,
    }
    return Outcome(tally.moves, (*tally.sentences, *watched.faults), figures)
