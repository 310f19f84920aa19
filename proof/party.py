"""One of two twin worlds: tables that are played by their scripts over real connections."""

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from proof.heard import Heard
from proof.lines import Disturbed, Line, Talk, content
from proof.routes import Asking, on_a_terminal
from proof.sides import ScriptError, Side
from proof.twins import Pair, Viewer, World
from sideboards.core.fair import seat_commitment
from sideboards.core.game import Setup

LIMIT = 60.0
"""Seconds in which a table must take a step."""
RARELY = 10
"""Every so many pairs all routes, lists and pages are compared, the latter as they are; in the
others what tells most of a table, and its page packed."""
PICTURES_EVERY = 200
"""Every so many pairs the preview is compared in any round; a drawing takes half a second of a
core, but before the first cards lie it is the same for all tables with the same objectives."""


@dataclass(slots=True)
class Sitting:
    """A table before its first card."""

    table: str
    tokens: list[str]
    seeds: list[str]
    guests: list[str]


class Party:
    """The tables of one world that are played side by side, step by step.

    Between two steps everything stands still in both worlds, so that also what tells of all tables
    together can be compared.
    """

    def __init__(self, side: Side, place: int, pairs: Sequence[Pair]) -> None:
        self.heard: list[Heard | None] = [Heard() for _ in pairs]
        """By pair; None where the machine was too busy."""
        self._side = side
        self._place = place
        self._pairs = pairs
        self._games: list[Game] = []

    @property
    def undisturbed(self) -> bool:
        """Whether all tables are where they should be."""
        return all(each is not None and not each.failed for each in self.heard)

    async def begin(self, seed: int) -> None:
        """Play up to the time.

        Tables are made one after the other, because ids and seeds come from one stream of chance.
        """
        await self._side.invite(6)
        for pair in self._pairs:
            world, heard = pair.worlds[self._place], Heard()
            sitting = await _sit(self._side, pair, world.setup, seed, heard)
            self._games.append(Game(self._side, pair, world, sitting, heard))
        self.heard = [game.heard for game in self._games]
        await self._all(Game.play)

    async def ask_around(self, *, pictures: bool) -> None:
        """All viewers ask for all that there is."""
        await self._all(lambda game: game.ask_around(pictures=pictures))
        for place in range(len(self._games)):
            await self._one(place, Game.ask_feed)

    async def finish(self) -> None:
        """Close the round."""
        await self._all(Game.end_round)

    def end(self) -> None:
        """End all connections."""
        for game in self._games:
            game.end()

    async def _all(self, step: Callable[["Game"], Awaitable[None]]) -> None:
        await asyncio.gather(*(self._one(place, step) for place in range(len(self._games))))

    async def _one(self, place: int, step: Callable[["Game"], Awaitable[None]]) -> None:
        heard = self.heard[place]
        if heard is None or heard.failed:
            return
        try:
            async with asyncio.timeout(LIMIT):
                await step(self._games[place])
        except Disturbed:
            self.heard[place] = None
        except (ScriptError, TimeoutError, OSError, asyncio.IncompleteReadError) as error:
            heard.failed = f"{type(error).__name__} {error}"[:300]


async def _sit(side: Side, pair: Pair, setup: Setup, seed: int, heard: Heard) -> Sitting:
    """Make a table, fix its cards, and let everybody sit down."""
    number = pair.number
    settings = {
        "seats": setup.seats,
        "variant": setup.mode == "variant",
        "objectives": setup.objectives,
        "assist": number % 3,
        "public": number % 4 == 0,
        "round_seconds": 30 if number % 5 == 1 else None,
    }
    guests = side.guests[: setup.seats]
    made = await side.ok("POST", "/api/tables", guests[0], settings)
    table = heard.table = str(json.loads(content(made))["table"]["table"])
    seeds = [
        hashlib.sha256(f"{seed} {number} {seat}".encode()).hexdigest() if number % 4 == 2 else ""
        for seat in range(setup.seats)
    ]
    tokens = []
    for seat, guest in enumerate(guests):
        commit = seat_commitment(table, seat, seeds[seat]) if seeds[seat] else ""
        path = f"/api/tables/{table}/seats"
        answer = await side.ok("POST", path, guest, {"seat": seat, "commit": commit})
        heard.add("seat", seat, answer)
        tokens.append(str(json.loads(content(answer))["token"]))
    order = {"table": table, "deck": setup.deck, "refill": setup.refill}
    await side.ok("POST", "/api/test/deck", "", order)
    return Sitting(table, tokens, seeds, guests)


class Game:
    """Plays one world of a pair over real connections."""

    def __init__(
        self, side: Side, pair: Pair, world: World, sitting: Sitting, heard: Heard
    ) -> None:
        self._side = side
        self._pair = pair
        self._world = world
        self._sitting = sitting
        self.heard = heard
        self._lines: dict[Viewer, Line] = {}
        self._old: list[tuple[str, Viewer, Line]] = []
        self._talk = Talk(side.port)
        token = "" if pair.viewer is None else sitting.guests[pair.viewer]
        self._asking = Asking(self._talk, pair, sitting.table, token, heard)
        self._keys = 0

    def end(self) -> None:
        """End all connections."""
        for line in (*self._lines.values(), *(line for _, _, line in self._old)):
            line.cut()
        self._talk.cut()

    async def play(self) -> None:
        """The script up to the time."""
        await self._begin()
        deeds, viewer = self._world.deeds, self._pair.viewer
        pause = self._pair.number % (len(deeds) + 1)
        for place, deed in enumerate(deeds):
            if place == pause:
                await self._look_around(viewer)
            await self._do(deed.seat, deed.action, deed.round)
        if pause == len(deeds):
            await self._look_around(viewer)
        for line in self._lines.values():
            await line.settled()
        if viewer is not None:
            self.heard.add("terminal", viewer, on_a_terminal(self._lines[viewer].frames))

    async def _begin(self) -> None:
        """Everybody connects, the seeds are opened, the cards are dealt."""
        sitting, port = self._sitting, self._side.port
        for seat, token in enumerate(sitting.tokens):
            self._lines[seat] = await Line.connect(port, token=token)
        self._lines[None] = await Line.connect(port, table=sitting.table)
        await self._do(0, "start", 0)
        for seat, seed in enumerate(sitting.seeds):
            if seed:
                await self._do(seat, f"open {seed}", 0)
        for line in self._lines.values():
            await line.until(b'{"type":"view"')

    def _key(self, round_: int) -> str:
        self._keys += 1
        return f"{round_}.{self._keys}.twin"

    async def _do(self, seat: int, action: str, round_: int) -> None:
        if action.startswith("draft "):
            move = action.removeprefix("draft ")
            self._lines[seat].say(type="draft", round=round_, move=move)
            return
        answer = await self._lines[seat].act(action, self._key(round_))
        if not answer.startswith(b'{"type":"ack"'):
            raise ScriptError(f"seat {seat} {action}: {answer[:200]!r}")

    async def _look_around(self, viewer: Viewer) -> None:
        """Try what is not allowed, ask for everything again, come with another tab."""
        line, (one, other) = self._lines[viewer], self._pair.probes
        for text in (f"L{one}", f"{one},{other}~", f"R{other}~", "nonsense", "vote 0", "help 1"):
            key = self._key(9)
            answer = await line.act(text, key)
            if not answer.startswith(b'{"type":"refused"'):
                raise ScriptError(f"{text}: {answer[:200]!r}")
        await line.act(f"L{other}", key)
        line.say(type="resync")
        line.say(type="say", phrase="nothing")
        way = self._pair.number % 3
        if viewer is None:
            table = self._sitting.table
            self._lines[None] = await Line.connect(self._side.port, table=table, language="pt")
            self._old.append(("older tab", None, line))
        elif way:
            self._lines[viewer] = await self._come_again(line, viewer, way)
        await self._lines[viewer].until(b'{"type":"view"')

    async def _come_again(self, line: Line, viewer: int, way: int) -> Line:
        """A new line of a seat: of another tab, or after the old one was lost."""
        token = self._sitting.tokens[viewer]
        if way == 1:
            newer = await Line.connect(self._side.port, token=token)
            while not line.closed:
                await asyncio.sleep(0.001)
            self._old.append(("older tab", viewer, line))
            return newer
        await line.settled()
        self._old.append(("lost socket", viewer, line))
        since = [(each, len(each.frames)) for each in self._lines.values() if each is not line]
        line.cut()
        for each, frames in since:
            await each.until(b'{"type":"table"', frames)
        return await Line.connect(self._side.port, token=token, assist=1)

    async def ask_around(self, *, pictures: bool) -> None:
        """All routes and pages, as the viewer; a picture too, where it is cheap or seldom."""
        number = self._pair.number
        await self._asking.ask_routes(whole=number % RARELY == 0)
        cheap = self._world.last[0].round == 0 or number % PICTURES_EVERY == 0
        if pictures and cheap:
            await self._asking.ask_picture()

    async def ask_feed(self) -> None:
        """The viewer's feed."""
        await self._asking.ask_feed()

    async def end_round(self) -> None:
        """Keep what everybody got until now, close the round, and keep what they got by that."""
        for each, line in self._lines.items():
            self.heard.add("socket", each, await line.settled())
        for name, each, line in self._old:
            self.heard.add(name, each, bytes(line.raw) if line.closed else await line.settled())
        begun = {viewer: len(line.raw) for viewer, line in self._lines.items()}
        for deed in self._world.last:
            await self._do(deed.seat, deed.action, deed.round)
        for viewer, line in self._lines.items():
            raw = await line.settled()
            self.heard.after["socket", viewer] = raw[begun[viewer] :]
            older = [f for _, each, old in self._old if each == viewer for f in old.frames]
            self.heard.frames[viewer] = older + line.frames
        if self._world.last[0].round == 6:
            path = f"/api/tables/{self._sitting.table}/record"
            self.heard.after["exports", None] = await self._talk.ask("GET", path)
