"""A person: thinks, drafts, moves, changes her mind, goes away and comes back."""

import asyncio
from collections.abc import Awaitable, Callable
from random import Random
from typing import Protocol

from sideboards.client import Client, Seat, ServerRefusal, Sitting
from sideboards.core.fair import Proof
from sideboards.core.refusal import Refusal
from sideboards.load.doors import Doors
from sideboards.load.pace import Pace
from sideboards.load.plan import Plan
from sideboards.load.tally import Tally

ALL_HERE_WITHIN = 30.0
TOO_LATE = frozenset({"round_closed"})
OVER_BY_THEN = frozenset({"not_playing"})
"""Refusals of what was too late: the others, or bots, were faster."""
Watch = Callable[[int, bytes], None]


class Company(Protocol):
    """What a person shares with all others."""

    plan: Plan
    tally: Tally
    pace: Pace
    doors: Doors
    watch: Watch | None
    """Is shown every message that anybody gets."""


class CheckedSeat(Seat):
    """A seat whose views are checked as they arrive: they never go back."""

    __slots__ = ("_number", "_tally", "_watch", "last")

    def __init__(self, client: Client, sitting: Sitting, number: int, company: Company) -> None:

        def proof(table: str) -> Awaitable[Proof]:
            return company.doors.ask(lambda: client.proof(table))

        super().__init__(client.socket_url, sitting, client.edition, proof)
        self._number = number
        self._tally = company.tally
        self._watch = company.watch
        self.last = 0
        """The highest number of a view, also of former connections."""

    def take(self, data: bytes) -> None:
        """Take a message, and compare what it leads to with what was known before."""
        if self._watch is not None:
            self._watch(self._number, data)
        mismatches = self.mismatches
        super().take(data)
        if self.mismatches != mismatches:
            self._tally.fault(f"table {self.sitting.table}: a view has another hash than named")
        if self.has_view:
            if self.seq < self.last:
                self._tally.fault(
                    f"table {self.sitting.table}: view {self.seq} came after view {self.last}"
                )
            self.last = max(self.last, self.seq)

    def lost(self, code: int) -> None:
        """The connection is gone for a while."""
        self._tally.losses += 1
        super().lost(code)


class Person:
    """A guest who plays one game after the other."""

    def __init__(self, client: Client, rng: Random, company: Company, number: int) -> None:
        self.client = client
        self.number = number
        self._rng = rng
        self._company = company
        self._habits = company.plan.habits
        self.asks = False
        """Whether she waits for an answer."""

    async def play(self, table: str, begin: Callable[[], None] | None = None) -> None:
        """Play the game of a table to its end, over as many connections as it takes.

        Whoever has a `begin` to call starts it, and checks the deal when it is over.
        """
        last, host = 0, begin
        sitting = self.client.sittings[table]
        while True:
            async with CheckedSeat(self.client, sitting, self.number, self._company) as seat:
                seat.last = last
                if begin is not None:
                    await self._start(seat)
                    begin()
                    begin = None
                absence = await self._play_on(seat)
                if absence is None:
                    if host and await seat.ended() and seat.fair is False:
                        self._company.tally.fault(f"table {table}: the deal was not fair")
                    return
            last = seat.last
            await asyncio.sleep(absence)

    async def _start(self, seat: Seat) -> None:
        """Start the game when everybody is connected."""

        def all_here() -> bool:
            table = seat.table
            return table is not None and all(
                each.kind == "bot" or each.present for each in table.seats
            )

        try:
            async with asyncio.timeout(ALL_HERE_WITHIN):
                await seat.until(all_here)
        except TimeoutError:
            raise Refusal(
                f"not everybody was let in within {ALL_HERE_WITHIN:g} s; expected room for more "
                "sockets (--sockets-per-address of the server)"
            ) from None
        await self._ask(seat, "start")

    async def _play_on(self, seat: CheckedSeat) -> float | None:
        """Play until she goes away: for how many seconds; None at the end."""
        habits, tally = self._habits, self._company.tally
        while True:
            await seat.until(lambda: seat.over or seat.may_choose)
            if seat.over:
                return None
            await self._choose(seat)
            if self._company.pace.hurried:
                continue
            what = self._rng.random()
            if what < (until := habits.changes_mind):
                await self._change_mind(seat)
            elif what < (until := until + habits.leaves):
                await self._leave(seat)
            elif what < (until := until + habits.reloads):
                tally.reloads += 1
                return self._rng.uniform(*habits.reload)
            elif what < until + habits.goes_away:
                tally.reloads += 1
                tally.absences += 1
                return self._rng.uniform(*habits.away)

    async def _choose(self, seat: CheckedSeat) -> None:
        """Think, and make a move that is legal."""
        tally = self._company.tally
        if self._rng.random() < self._habits.drafts and (move := self._option(seat)) is not None:
            seat.draft(move)
            tally.drafts += tally.counts
        await self._company.pace.think()
        if not seat.may_choose or (move := self._option(seat)) is None:
            return  # a bot, or the end, was faster
        seat.stir()
        if (wait := await self._ask(seat, move)) is not None:
            tally.moved(move, wait)

    def _option(self, seat: Seat) -> str | None:
        if (info := seat.info) is None or not info.options:
            return None
        moves = [option.move for option in info.options]
        if "swap" in moves:
            if self._rng.random() < self._habits.swaps:
                return "swap"
            moves.remove("swap")
        return self._rng.choice(moves)

    async def _change_mind(self, seat: CheckedSeat) -> None:
        """Take the choice back; the round may be over by then."""
        round_ = None if seat.info is None else seat.info.public.round
        await self._company.pace.think()
        info = seat.info
        if seat.over or info is None or info.public.round != round_ or info.choice is None:
            return
        if (wait := await self._ask(seat, "undo", TOO_LATE)) is not None:
            self._company.tally.moved("undo", wait)

    async def _leave(self, seat: CheckedSeat) -> None:
        """Let a bot play on for a while."""
        left = await self._ask(seat, "leave", OVER_BY_THEN)
        if left is not None:
            await asyncio.sleep(self._rng.uniform(*self._habits.away))
            if not seat.over:
                back = await self._ask(seat, "return", OVER_BY_THEN)
                self._company.tally.returns += back is not None

    async def _ask(
        self, seat: Seat, action: str, fine: frozenset[str] = frozenset()
    ) -> float | None:
        """Seconds until an action was acknowledged; None if it was refused.

        Refusals that are not fine are faults: nobody here does what is not allowed.
        """
        tally, clock = self._company.tally, asyncio.get_running_loop().time
        begin, self.asks = clock(), True
        try:
            await seat.play(action)
            tally.answers += 1
        except ServerRefusal as refusal:
            tally.answers += 1
            tally.refusals[refusal.code] += 1
            if seat.end is not None:
                raise
            if refusal.code not in fine:
                tally.fault(f"table {seat.sitting.table}: {action} was refused: {refusal.code}")
            return None
        finally:
            self.asks = False
        return clock() - begin
