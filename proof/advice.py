"""The coach in twin worlds: what it tells a seat does not depend on what that seat must not know.

Somebody with help of level 3 plays against a bot. In the second world the bot draws another card,
so that it is asked something else and may choose something else; until it passes its cards on, she
is told the same. When she is told is a matter of how busy the
machine is, and so is how many events there were by then: her advice is compared without the number
of events, and once more as a whole when she asks for all again. Her other messages are compared
byte for byte, in order.
"""

import asyncio
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from proof.lines import Disturbed, Line, content
from proof.sides import ScriptError, Side
from proof.turns import DEEP, TRIES, exchanged, hand_of, taken
from proof.twins import OBJECTIVES
from sideboards.core.edition import Edition
from sideboards.core.game import DEALT, LAST_ROUND, Setup, new_setup

ADVICE = b'{"type":"advice"'
EVENTS = re.compile(rb',"seq":\d+\}$')
BOTS = ("random", "easy")
"""They never swap, which everybody would see."""
SEATS = 2
"""Of two bots either could be the first to choose, which everybody sees too."""


@dataclass(slots=True)
class Advised:
    """What was found at tables where somebody is advised."""

    faults: list[str] = field(default_factory=list)
    tables: int = 0
    disturbed: int = 0
    compared: int = 0
    """Bytes of advice."""
    changed: int = 0
    """Tables at which she was told something else afterwards."""

    async def play(
        self, sides: Sequence[Side], edition: Edition, seed: int, numbers: range
    ) -> None:
        """Play tables with a coach in both worlds, which change servers from table to table."""
        for number in numbers:
            rng = Random(f"coach {seed} {number}")
            until = rng.randint(1, LAST_ROUND - 1)
            one = new_setup(edition, seats=SEATS, rng=rng, objectives=OBJECTIVES[number % 4])
            drawn = SEATS * DEALT["standard"] + SEATS * until - 1  # by the bot
            worlds = (one, exchanged(one, drawn, DEEP))
            for _ in range(TRIES):
                told = await asyncio.gather(
                    *(
                        _play(side, worlds[(place + number) % 2], BOTS[number % 2], until)
                        for place, side in enumerate(sides)
                    ),
                    return_exceptions=True,
                )
                if not any(isinstance(each, Disturbed) for each in told):
                    self._take(told, f"advice {number} of seed {seed}")
                    break
                self.disturbed += 1

    def _take(self, told: Sequence["Told | BaseException"], name: str) -> None:
        mine, yours = told
        if isinstance(mine, BaseException) or isinstance(yours, BaseException):
            self.faults.append(f"{name}: {mine!r} and {yours!r}"[:400])
            return
        self.tables += 1
        self.compared += sum(map(len, mine.advice))
        self.changed += mine.after != yours.after
        if mine.advice != yours.advice:
            self.faults.append(f"{name}: the coach told something else")
        if mine.rest != yours.rest:
            self.faults.append(f"{name}: messages beside the advice differ")

    def judge(self, asked: int) -> None:
        """Too few tables, and worlds that never differ, are faults too."""
        if self.tables + len(self.faults) < asked:
            self.faults.append(f"found {self.tables} of {asked} tables with a coach")
        if self.changed < self.tables:
            self.faults.append(f"advice: only {self.changed} of {self.tables} differ afterwards")

    @property
    def figures(self) -> dict[str, float]:
        """What was counted."""
        return {
            "tables with a coach": self.tables,
            "tables with a coach disturbed": self.disturbed,
            "bytes of advice": self.compared,
        }


@dataclass(slots=True)
class Told:
    """What somebody was told at one table."""

    advice: list[bytes] = field(default_factory=list)
    rest: list[bytes] = field(default_factory=list)
    after: list[bytes] = field(default_factory=list)
    """Of both, after the card was passed on."""


async def _play(side: Side, setup: Setup, bot: str, until: int) -> Told:
    """A table with one person and one bot, up to the round after `until`."""
    await side.invite(1)
    (guest,) = side.guests
    wish = {"seats": setup.seats, "assist": 3, "objectives": setup.objectives}
    made = await side.ok("POST", "/api/tables", guest, wish)
    table = json.loads(content(made))["table"]["table"]
    order = {"table": table, "deck": setup.deck, "refill": setup.refill}
    await side.ok("POST", "/api/test/deck", "", order)
    seat = {"seat": 0, "commit": ""}
    sits = await side.ok("POST", f"/api/tables/{table}/seats", guest, seat)
    line = await Line.connect(side.port, token=json.loads(content(sits))["token"], assist=3)
    try:
        await taken(line, f"bot 1 {bot}", 0)
        return await _rounds(line, until)
    finally:
        line.cut()


async def _rounds(line: Line, until: int) -> Told:
    told = Told()
    since, action = len(line.frames), "start"
    for round_ in range(until + 2):
        await taken(line, action, max(0, round_ - 1))
        await line.until(b'"sealed":[false,true]', since)
        try:
            await line.until(ADVICE, since)
        except TimeoutError:
            raise Disturbed from None  # a busy machine has not made the coach ready yet
        await line.settled()
        again = len(line.frames)
        line.say(type="resync")
        await line.until(ADVICE, again)
        frames = line.frames[since:again]
        if any(b'"code":"bot_replaced"' in frame for frame in frames):
            raise Disturbed
        advice = [EVENTS.sub(b"", frame) for frame in frames if frame.startswith(ADVICE)]
        rest = [frame for frame in frames if not frame.startswith(ADVICE)]
        if round_ > until:
            told.after = [*advice, *rest]
            break
        told.advice += [advice[-1], *line.frames[again:]]
        told.rest += rest
        one, other = (await hand_of(line, 0))[:2]
        since, action = len(line.frames), f"L{one}" if round_ else f"{one},{other}"
    else:
        raise ScriptError("the game was over too early")
    return told
