"""A crowd: people at many tables, from the first to the last connection."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from random import Random
from typing import Literal

from sideboards.client import Client
from sideboards.core.refusal import Refusal
from sideboards.load.doors import Doors, LimitMet
from sideboards.load.pace import Pace
from sideboards.load.person import Person, Watch
from sideboards.load.plan import Plan
from sideboards.load.tally import Tally
from sideboards.service.protocol import Settings

Stage = Literal["arriving", "playing", "closing", "over"]
ARRIVE_WITHIN = 120.0
ARRIVE_EACH = 0.2
"""Seconds within which all people must sit: in any case, and for each of them."""
CLOSE_WITHIN = 10.0
"""Seconds in which games that have begun are played to their end."""
TIDY_WITHIN = 5.0
LOOK_EVERY = 0.1
STUCK_AFTER = 30.0
REMATCH = 0.5
BOT = "greedy"


class Party:
    """The people of one table, who play one game after the other."""

    def __init__(self, people: Sequence[Person], rng: Random) -> None:
        self.people = people
        self.rng = rng
        self.table = ""
        """The table that waits or is played."""
        self.former = ""
        """The table of the game before."""
        self.waiting = False
        self.sat = False
        """Whether they have begun to play."""

    def begin(self) -> None:
        """The game has begun."""
        self.waiting, self.sat = False, True


class Crowd:
    """All people of a plan."""

    def __init__(self, plan: Plan, watch: Watch | None = None) -> None:
        self.plan = plan
        self.watch = watch
        self.tally = Tally()
        self.pace = Pace(plan.pace, Random(f"pace {plan.seed}"))
        self.stage: Stage = "arriving"
        self.seconds = 0.0
        """How long people have played so far."""
        self.unfinished = 0
        """Tables that were left before their end."""
        self.unanswered = 0
        """Requests that nobody waits for any more: perhaps they count, perhaps not."""
        self.doors = Doors(1.0)
        self._parties: list[Party] = []
        self._stops = 0
        self._failure: Refusal | None = None

    @property
    def sitting(self) -> int:
        """Tables at which somebody sits."""
        return sum(party.sat for party in self._parties)

    @property
    def stopped(self) -> bool:
        """Whether it was stopped before its time."""
        return self._stops > 0

    def stop(self) -> None:
        """End it: games are played to their end; the second time at once."""
        self._stops += 1

    async def run(self) -> None:
        """Play; raises what keeps the crowd from playing at all."""
        async with Client(self.plan.url) as first:
            limits = await first.limits()
            self.plan.check(limits)
            self.doors = Doors(float(limits["calls_per_minute"]))
            self._parties = [self._party(first, number) for number in range(self.plan.tables)]
            games = [asyncio.create_task(self._play(party)) for party in self._parties]
            tasks = list(games)
            try:
                await self._arrive()
                if self._failure is None:
                    tasks.append(asyncio.create_task(self.pace.run()))
                    await self._measure()
                    await self._close(games)
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
                await self._tidy()
                self.stage = "over"
        if self._failure is not None:
            raise self._failure

    def _party(self, first: Client, number: int) -> Party:
        plan = self.plan
        rng, size = Random(f"party {plan.seed} {number}"), plan.players - plan.bots
        people = [
            Person(first.companion(), Random(f"person {plan.seed} {each}"), self, each)
            for each in range(number * size, (number + 1) * size)
        ]
        return Party(people, rng)

    # ---- one table ---------------------------------------------------------------------------

    async def _play(self, party: Party) -> None:
        """One game after the other, until the crowd closes."""
        try:
            for person in party.people:
                name = f"Player {person.number + 1}"
                await self.doors.ask(partial(person.client.sign_in, name))
            while self.stage in ("arriving", "playing"):
                await self._play_one(party)
        except LimitMet as limit:
            self._failure = self._failure or limit

    async def _play_one(self, party: Party) -> None:
        try:
            await self._sit_down(party)
            if self.stage in ("arriving", "playing"):
                await self._game(party)
        except LimitMet:
            raise
        except Refusal as refusal:
            self.tally.fault(f"table {party.table or 'not made'}: {refusal}")
            await asyncio.sleep(1)

    async def _sit_down(self, party: Party) -> None:
        """Open a table, often for a rematch, and let everybody sit down."""
        host, ask = party.people[0].client, self.doors.ask
        if party.former and party.rng.random() < REMATCH:
            table = await ask(partial(host.rematch, party.former))
        else:
            table = await ask(partial(host.create, Settings(seats=self.plan.players)))
        party.table, party.former, party.waiting = table.table, "", True
        for seat, person in enumerate(party.people):
            await ask(partial(person.client.sit, party.table, seat))
        for seat, chair in enumerate(table.seats):
            if seat >= len(party.people) and chair.kind == "empty":
                await ask(partial(host.act, party.table, f"bot {seat} {BOT}"))

    async def _game(self, party: Party) -> None:
        """A whole game; if one of them cannot go on, nobody does."""
        host, *others = party.people
        playing = [
            asyncio.create_task(host.play(party.table, party.begin)),
            *(asyncio.create_task(person.play(party.table)) for person in others),
        ]
        try:
            await asyncio.gather(*playing)
        finally:
            for task in playing:
                task.cancel()
            await asyncio.gather(*playing, return_exceptions=True)
        self.tally.games += self.tally.counts
        for person in party.people:
            person.client.sittings.clear()
        party.former, party.table = party.table, ""

    # ---- all of them -------------------------------------------------------------------------

    async def _arrive(self) -> None:
        """Wait until everybody sits."""
        clock = asyncio.get_running_loop().time
        end = clock() + max(ARRIVE_WITHIN, ARRIVE_EACH * self.plan.people)
        while self.sitting < self.plan.tables and not self._stops and self._failure is None:
            if clock() > end:
                self.tally.fault(f"only {self.sitting} of {self.plan.tables} tables were filled")
                return
            await asyncio.sleep(LOOK_EVERY)

    async def _measure(self) -> None:
        """Let them play for the time of the plan, or until nothing moves any more."""
        clock = asyncio.get_running_loop().time
        begin = moved = clock()
        count = 0
        if not self._stops:
            self.stage = "playing"
        while self.stage == "playing":
            await asyncio.sleep(LOOK_EVERY)
            now = clock()
            self.seconds = now - begin
            if self.tally.moves != count:
                count, moved = self.tally.moves, now
            elif now - moved > STUCK_AFTER + 1 / self.plan.pace:
                self.tally.fault(f"nothing was acknowledged for {now - moved:.0f} seconds")
                break
            if self.seconds >= self.plan.seconds or self._stops or self._failure is not None:
                break
        self.tally.counts = False

    async def _close(self, games: Sequence[asyncio.Task[None]]) -> None:
        """Play to the end what has begun, without thinking."""
        clock = asyncio.get_running_loop().time
        self.stage = "closing"
        before = self.tally.answers
        self.pace.hurry()
        end = clock() + CLOSE_WITHIN
        while clock() < end and self._stops < 2 and not all(game.done() for game in games):
            await asyncio.sleep(LOOK_EVERY)
        people = [person for party in self._parties for person in party.people]
        self.unanswered = sum(person.asks for person in people)
        if self.unanswered and self.tally.answers == before and clock() >= end:
            self.tally.fault(f"nothing was answered in the last {CLOSE_WITHIN:g} seconds")

    async def _tidy(self) -> None:
        """Close the tables that still wait."""
        open_ = [party for party in self._parties if party.table]
        self.unfinished = sum(not party.waiting for party in open_)
        hosts = [(party.people[0].client, party.table) for party in open_ if party.waiting]
        with suppress(TimeoutError):
            async with asyncio.timeout(TIDY_WITHIN):
                closing = (
                    self.doors.ask(partial(host.act, table, "close")) for host, table in hosts
                )
                await asyncio.gather(*closing, return_exceptions=True)
