"""Bots in twin worlds: what they are asked, and how long they take, tells nothing hidden.

In one world a person holds a low card, in the other a high one; the other card lies deep in the
pile. Until that person passes it on, the bot is asked the same, byte for byte; and its delays have
one distribution. The worlds change servers from table to table, so that it does not matter which of
the two runs faster. Delays are judged together, once: a few of them tell little, and whoever judges
a thousand times finds something that happens once in a thousand.
"""

import asyncio
import json
import time
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import exp, sqrt
from random import Random

from proof.lines import Disturbed, Line, content
from proof.outcome import Outcome
from proof.sides import ScriptError, Side
from proof.twins import OBJECTIVES
from sideboards.core.edition import Edition
from sideboards.core.game import DEALT, Setup, new_setup

LEAST = 0.001
"""Less likely than this, two samples of delays do not come from one distribution."""
DEEP, DEEPEST = 40, 53
"""Places in the deck that no draw reaches, neither from the top nor from the bottom."""
ROUNDS = (0, 0, 0, 0, 0, 1, 2, 5)
"""The round in which the person holds the card; mostly the first, which is soon played."""
BOTS = ("easy", "easy", "easy", "medium")
ENOUGH = 0.95
WORLDS = ("s of bots beside a low card", "s of bots beside a high card")
"""What the two samples of delays are called."""
TRIES = 4


@dataclass(slots=True)
class Turns:
    """What was found at tables with bots."""

    faults: list[str] = field(default_factory=list)
    delays: tuple[list[float], list[float]] = field(default_factory=lambda: ([], []))
    tables: int = 0
    compared: int = 0
    disturbed: int = 0
    """Tables that were played again, because a busy machine made a weaker bot stand in."""
    before_part: int = 0
    changed: int = 0
    """Tables at which the bot was asked something else afterwards."""

    async def play(
        self, sides: Sequence[Side], edition: Edition, seed: int, numbers: range
    ) -> None:
        """Play tables with a bot in both worlds; the first one warms the processes up."""
        for number in numbers:
            rng = Random(f"bots {seed} {number}")
            seats, until = rng.choice((2, 2, 3)), rng.choice(ROUNDS)
            bot, name = rng.randrange(1, seats), BOTS[number % len(BOTS)]
            setup = new_setup(edition, seats=seats, rng=rng, objectives=OBJECTIVES[number % 4])
            worlds = _low_and_high(setup, bot - 1, until)
            for _ in range(TRIES):
                asked = await asyncio.gather(
                    *(
                        _play(side, worlds[(place + number) % 2], bot, name, until)
                        for place, side in enumerate(sides)
                    ),
                    return_exceptions=True,  # so that both have made the same guests and tables
                )
                if not any(isinstance(each, Disturbed) for each in asked):
                    break
                self.disturbed += 1
            else:
                continue
            self._take(asked if number % 2 == 0 else asked[::-1], f"bots {number} of seed {seed}")
            if number == numbers[0]:  # processes have just been started
                for each in self.delays:
                    del each[self.before_part :]
        self.before_part = len(self.delays[0])

    def _take(self, asked: Sequence["Asked | BaseException"], name: str) -> None:
        mine, yours = asked
        if isinstance(mine, BaseException) or isinstance(yours, BaseException):
            self.faults.append(f"{name}: {mine!r} and {yours!r}"[:400])
            return
        self._compare(mine, yours, name)
        self.delays[0].extend(mine.delays)
        self.delays[1].extend(yours.delays)

    def _compare(self, mine: "Asked", yours: "Asked", name: str) -> None:
        self.tables += 1
        self.compared += len(mine.before)
        self.changed += mine.after != yours.after
        if mine.before != yours.before:
            self.faults.append(f"{name}: the bot was asked something else")

    def judge(self) -> None:
        """Worlds that never differ are a fault."""
        if self.disturbed and not self.tables:
            self.faults.append("bots: none could be asked in time")
        if self.changed < ENOUGH * self.tables:
            self.faults.append(f"bots: only {self.changed} of {self.tables} were asked otherwise")

    @property
    def samples(self) -> dict[str, list[float]]:
        """Seconds that bots took, in both worlds."""
        return dict(zip(WORLDS, self.delays, strict=True))

    @property
    def figures(self) -> dict[str, float]:
        """What was counted and measured."""
        if not self.tables:
            return {}
        return {
            "bot turns": len(self.delays[0]),
            "bots' tables disturbed": self.disturbed,
            "bytes of bots' questions": self.compared,
            "tables whose bots saw the difference later": self.changed,
        }


@dataclass(slots=True)
class Asked:
    """What a bot was asked at one table, and how long it took to choose."""

    before: bytes = b""
    after: bytes = b""
    delays: list[float] = field(default_factory=list)


def verdict(samples: Mapping[str, Sequence[float]]) -> Outcome:
    """Delays of two distributions are a fault."""
    one, other = (samples[world] for world in WORLDS)
    likely = likeness(one, other)
    told = f"bots: their delays differ (p = {likely:.2g}, {len(one)} turns)"
    return Outcome(len(one), (told,) * (likely < LEAST), {"p of bots' delays": likely})


def _low_and_high(setup: Setup, person: int, round_: int) -> tuple[Setup, Setup]:
    """Two worlds in which somebody passes on a low and a high card after a round."""
    seats, dealt = setup.seats, DEALT["standard"]
    place = seats * dealt + seats * (round_ - 1) + person if round_ else dealt * (person + 1) - 1
    places = sorted((place, *range(DEEP, DEEPEST + 1)), key=setup.deck.__getitem__)
    return exchanged(setup, place, places[0]), exchanged(setup, place, places[-1])


def exchanged(setup: Setup, one: int, other: int) -> Setup:
    """The same with two places of the deck exchanged."""
    deck = list(setup.deck)
    deck[one], deck[other] = deck[other], deck[one]
    return replace(setup, deck=tuple(deck))


async def _play(side: Side, setup: Setup, bot: int, name: str, until: int) -> Asked:
    """A table with one bot, up to the round after `until`; people play by the places of cards."""
    await side.invite(setup.seats)
    made = await side.ok("POST", "/api/tables", side.guests[0], {"seats": setup.seats})
    told = json.loads(content(made))
    table, lines = told["table"]["table"], dict[int, Line]()
    host = await Line.connect(side.port, token=told["token"])
    try:
        await side.ok(
            "POST",
            "/api/test/deck",
            "",
            {"table": table, "deck": setup.deck, "refill": setup.refill},
        )
        await taken(host, f"bot {bot} {name}", 0)
        for seat, guest in enumerate(side.guests):
            if seat != bot:
                body = {"seat": seat, "commit": ""}
                answer = await side.ok("POST", f"/api/tables/{table}/seats", guest, body)
                token = json.loads(content(answer))["token"]
                lines[seat] = await Line.connect(side.port, token=token)
        return await _rounds(side, lines, bot, until)
    finally:
        for line in (host, *lines.values()):
            line.cut()


async def _rounds(side: Side, lines: dict[int, Line], bot: int, until: int) -> Asked:
    asked = Asked()
    begun = side.overheard.stat().st_size
    seats = len(lines) + 1
    sealed = ",".join("true" if seat == bot else "false" for seat in range(seats))
    first = lines[0]
    since = len(first.frames)
    await taken(first, "start", 0)
    start = time.perf_counter()
    for line in lines.values():
        await line.until(b'{"type":"view"')
    for round_ in range(until + 2):
        await first.until(f'"sealed":[{sealed}]'.encode(), since)
        asked.delays.append(time.perf_counter() - start)
        if round_ == until:
            asked.before = side.overheard.read_bytes()[begun:]
        elif round_ > until:
            asked.after = side.overheard.read_bytes()[begun:]
            asked.delays.pop()
            break
        hands = {seat: await hand_of(line, seat) for seat, line in lines.items()}
        since = len(first.frames)
        for seat, line in lines.items():
            one, other = hands[seat][:2]
            await taken(line, f"L{one}" if round_ else f"{one},{other}", round_)
        start = time.perf_counter()
    if any(b'"code":"bot_replaced"' in frame for frame in first.frames):
        raise Disturbed
    return asked


async def taken(line: Line, action: str, round_: int) -> None:
    """Do something that must be granted."""
    answer = await line.act(action, f"{round_}.{len(line.frames)}.turn")
    if not answer.startswith(b'{"type":"ack"'):
        raise ScriptError(f"{action}: {answer[:200]!r}")


async def hand_of(line: Line, seat: int) -> list[int]:
    """The cards in hand, when everything has come that was sent before now."""
    await line.settled()
    view = next(v for f in reversed(line.frames) if (v := json.loads(f).get("view")))
    hand: list[int] = view["hands"][seat][-1]
    return hand


def likeness(one: Sequence[float], other: Sequence[float]) -> float:
    """How likely two samples of one distribution differ so much: the Kolmogorov-Smirnov test.

    >>> likeness([1, 2, 3, 4], [1, 2, 3, 4])
    1.0
    >>> likeness(range(100), range(50, 150)) < 1e-9
    True
    """
    mine, yours = sorted(one), sorted(other)
    widest = max(
        abs(bisect_right(mine, each) / len(mine) - bisect_right(yours, each) / len(yours))
        for each in (*mine, *yours)
    )
    size = sqrt(len(mine) * len(yours) / (len(mine) + len(yours)))
    spread = (size + 0.12 + 0.11 / size) * widest
    if spread < 0.2:
        return 1.0
    terms = [(1 if k % 2 else -1) * exp(-2 * (k * spread) ** 2) for k in range(1, 101)]
    return min(1.0, 2 * sum(terms))
