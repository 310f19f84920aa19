"""Twin worlds (G8): what somebody gets does not depend on what she must not know, byte for byte.

Two servers with the same ids, seeds and stopped clock are played by the same script. In the second
two cards are exchanged that a viewer has not seen, or somebody else seals another choice. Up to
that time all bytes that the viewer gets are equal, on every channel: sockets with their handshake,
acknowledgements, refusals, resync, a second tab, a reconnect, the spectator's socket, the routes,
lists, feed, page and preview of the table, metrics, the text client, the PettingZoo environment,
what a bot is asked, and what the coach says. Afterwards they differ, else the pair would prove
nothing.

Not compared: the `Date` header of HTTP, and figures of metrics that are times or of the process.
The servers wait longer than usual before they say that something takes long (`proof.overheard`).
"""

import asyncio
import hashlib
import io
import json
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from proof.advice import Advised
from proof.lines import Disturbed, Line, Talk, content, first_difference
from proof.needles import Needles
from proof.outcome import Outcome
from proof.scanner import Scanner
from proof.sides import ScriptError, Side, start_sides
from proof.turns import Turns
from proof.twins import Pair, Viewer, World, twins
from sideboards.client.views import to_view
from sideboards.core.edition import Edition
from sideboards.core.fair import deal_key, seat_commitment
from sideboards.core.game import Setup
from sideboards.core.notation import parse_move
from sideboards.data import load_edition
from sideboards.fast.actions import action_of
from sideboards.service.log import Event
from sideboards.service.protocol import ViewMessage
from sideboards.service.tables import read_log
from sideboards.terminal import Screen, Teller, listed
from sideboards.words import words
from tests.service.postgres import PostgresServer

FAILURES = Path(__file__).parents[1] / "proof-failures"
PART = 1000
"""After so many pairs two new servers go on, so that neither they nor what was heard grow."""
BATCH = 10
"""The first pair of so many is played alone, on all channels; the others side by side."""
PICTURES_EVERY = 200
PICTURES_AT = 60
"""Every so many pairs the preview is compared; a drawing takes half a second of a core."""
PAIRS_PER_BOT = 20
"""For so many pairs one table with a bot is played."""
PAIRS_PER_COACH = 125
"""For so many pairs one table with a coach is played."""
PAIRS_PER_SHARED = 50
"""For so many pairs one is played on servers with PostgreSQL."""
ENOUGH = 0.95
"""The share of pairs that must really differ, and be seen to differ by somebody."""
MOST_DISTURBED = 0.2
SHOWN = 40
Channel = tuple[str, Viewer]
_EDITION = load_edition()


def run(
    folder: Path, count: int, seed: int, mutant: str = "", coached: int | None = None
) -> Outcome:
    """Play so many pairs of twin worlds; what somebody could tell from bytes are its faults.

    `coached` is the number of tables with a coach; those with other bots come with the pairs. The
    last pairs are played with PostgreSQL.
    """
    if coached is None:
        coached = 0 if mutant else max(1, count // PAIRS_PER_COACH)
    shared = 0 if mutant else count // PAIRS_PER_SHARED
    with ExitStack() as stack:
        address = ""
        if shared:
            postgres = PostgresServer(fsync=False)
            stack.callback(postgres.remove)
            postgres.start()
            address = postgres.url
        work = _run(
            folder, (count - shared, count), seed, mutant=mutant, coached=coached, address=address
        )
        return asyncio.run(work)


async def _run(
    folder: Path, counts: tuple[int, int], seed: int, *, mutant: str, coached: int, address: str
) -> Outcome:
    found, turns, number = Tally(seed, keep=not mutant), Turns(), 0
    advised = Advised()
    for count, postgres in zip(counts, ("", address), strict=True):
        while found.done < count and number < 2 * count + BATCH and len(found.faults) < SHOWN:
            part = folder / f"from {number}"
            part.mkdir()
            until = min(count, found.done + PART)
            coach = (advised, range(0 if advised.tables else coached))
            sides = await start_sides(part, seed, mutant, coach=bool(coach[1]), postgres=postgres)
            before = found.done
            number = await _play_part(sides, found, turns, (number, until), coach)
            found.shared += found.done - before if postgres else 0
    turns.judge()
    advised.judge(coached)
    found.judge()
    faults = (*found.faults, *turns.faults, *advised.faults)
    return Outcome(found.done, faults, found.figures() | turns.figures | advised.figures)


async def _play_part(
    sides: Sequence[Side],
    found: "Tally",
    turns: Turns,
    part: tuple[int, int],
    coach: tuple[Advised, range],
) -> int:
    """Play pairs with two new servers until enough are done; the number of the next one."""
    (number, until), edition, seed = part, load_edition(), found.seed
    try:
        await asyncio.gather(*(side.stop_clock() for side in sides))
        with_bots = range(number, number + (until - found.done) // PAIRS_PER_BOT)
        last = 2 * until + BATCH
        while found.done < until and number < last and len(found.faults) < SHOWN:
            size = 1 if number % BATCH == 0 else BATCH - number % BATCH
            numbers = range(number, number + min(size, until - found.done))
            pairs = [twins(edition, seed, each) for each in numbers]
            heard = await asyncio.gather(
                *(play_all(side, place, pairs, seed) for place, side in enumerate(sides))
            )
            for pair, one, other in zip(pairs, *heard, strict=True):
                found.take(pair, one, other)
            number += len(numbers)
        await found.compare_metrics(sides)
        # After that, because a bot that at last sees the difference may also move more often.
        await turns.play(sides, edition, seed, with_bots)
        await coach[0].play(sides, edition, seed, coach[1])
    finally:
        for side in sides:
            side.end()
        await asyncio.sleep(0)  # for connections to be gone
    if found.keep:
        found.faults += [line for side in sides for line in side.failures[:5]]
    found.search(await sides[0].logs(), edition)
    return number


# ---- playing -----------------------------------------------------------------------------------


@dataclass(slots=True)
class Heard:
    """What everybody got at one table in one world."""

    table: str = ""
    before: dict[Channel, bytes] = field(default_factory=dict)
    """Until the time, by channel and viewer."""
    after: dict[Channel, bytes] = field(default_factory=dict)
    frames: dict[Viewer, list[bytes]] = field(default_factory=dict)
    failed: str = ""

    def add(self, channel: str, viewer: Viewer, data: bytes) -> None:
        """Keep what came before the time."""
        self.before[channel, viewer] = self.before.get((channel, viewer), b"") + data


@dataclass(slots=True)
class Sitting:
    """A table before its first card."""

    table: str
    tokens: list[str]
    seeds: list[str]
    guests: list[str]


async def play_all(side: Side, place: int, pairs: Sequence[Pair], seed: int) -> list[Heard | None]:
    """What was heard in one world of each pair; None where the machine was too busy.

    Tables are made one after the other, because ids and seeds come from one stream of chance.
    """
    alone = len(pairs) == 1
    await side.invite(6)
    heard = [Heard() for _ in pairs]
    sittings = [
        await _sit(side, pair, pair.worlds[place].setup, seed, each)
        for pair, each in zip(pairs, heard, strict=True)
    ]

    async def one(pair: Pair, sitting: Sitting, each: Heard) -> Heard | None:
        game = Game(side, pair, pair.worlds[place], sitting, each)
        try:
            async with asyncio.timeout(60):
                await game.play(alone=alone)
        except Disturbed:
            return None
        except (ScriptError, TimeoutError, OSError, asyncio.IncompleteReadError) as error:
            each.failed = f"{type(error).__name__} {error}"[:300]
        finally:
            game.end()
        return each

    return await asyncio.gather(*map(one, pairs, sittings, heard))


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
        heard.add("rest", seat, answer)
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
        self._heard = heard
        self._lines: dict[Viewer, Line] = {}
        self._old: list[tuple[str, Viewer, Line]] = []
        self._talk = Talk(side.port)
        self._keys = 0

    def end(self) -> None:
        """End all connections."""
        for line in (*self._lines.values(), *(line for _, _, line in self._old)):
            line.cut()
        self._talk.cut()

    async def play(self, *, alone: bool) -> None:
        """The whole script; `alone` on the server, all that tells of other tables is asked too."""
        await self._begin()
        deeds, viewer = self._world.deeds, self._pair.viewer
        pause = self._pair.number % (len(deeds) + 1)
        for place, deed in enumerate(deeds):
            if place == pause:
                await self._look_around(viewer)
            await self._do(deed.seat, deed.action, deed.round)
        if pause == len(deeds):
            await self._look_around(viewer)
        if alone:
            await self._ask_routes(viewer)
        for each, line in self._lines.items():
            self._heard.add("socket", each, await line.settled())
        for name, each, line in self._old:
            self._heard.add(name, each, bytes(line.raw) if line.closed else await line.settled())
        self._show_terminal(viewer)
        if self._pair.orderly and viewer is not None and len(self._sitting.tokens) > 1:
            self._heard.add("environment", viewer, told_by_environment(self._world, viewer))
        await self._end_round()

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

    async def _ask_routes(self, viewer: Viewer) -> None:
        """All routes and pages, as the viewer."""
        table, talk, number = self._sitting.table, self._talk, self._pair.number
        token = "" if viewer is None else self._sitting.guests[viewer]
        here = f"/api/tables/{table}"
        paths = [here, f"{here}/view", f"{here}/view?assist=0", f"{here}/seat", "/api/me"]
        paths += [f"{here}/{each}" for each in ("record", "proof", "score", "replay", "coach")]
        paths += [f"{here}/par", f"{here}/record?rounds=0", f"{here}/log", "/api/tables/nothing"]
        paths += ["/api/me/tables", "/api/me/tables?waiting=true", "/api/tables", "/api/limits"]
        for path in paths:
            self._heard.add("rest", viewer, await talk.ask("GET", path, token))
        one, other = self._pair.probes
        for action in (f"L{one}", f"{one},{other}", f"R{other}", "nothing"):
            deed = {"key": self._key(9), "action": action}
            answer = await talk.ask("POST", f"{here}/actions", token, deed)
            self._heard.add("rest", viewer, answer)
        for wish, body in (("draft", {"round": 0, "move": f"L{one}"}), ("rematch", None)):
            answer = await talk.ask("POST", f"{here}/{wish}", token, body)
            self._heard.add("rest", viewer, answer)
        html = "Accept: text/html"
        for path in (f"/t/{table}", ("/", "/lobby", f"/t/{table}/replay")[number // BATCH % 3]):
            self._heard.add("page", viewer, await talk.ask("GET", path, token, None, html))
        self._heard.add("page", viewer, await talk.ask("GET", f"/t/{table}/qr.svg", token))
        if token:
            feed = json.loads(content(await talk.ask("POST", "/api/me/feed", token)))["path"]
            self._heard.add("feed", viewer, await talk.ask("GET", feed))
        if number % PICTURES_EVERY == PICTURES_AT:
            path = f"/t/{table}/preview.png"
            self._heard.add("preview", viewer, await talk.ask("GET", path))

    def _show_terminal(self, viewer: Viewer) -> None:
        """What the text client would show of the viewer's last whole view."""
        if viewer is None:
            return
        views = [f for f in self._lines[viewer].frames if f.startswith(b'{"type":"view"')]
        seen = to_view(msgspec.json.decode(views[-1], type=ViewMessage).view, _EDITION)
        text = io.StringIO()
        with redirect_stdout(text):
            names = [f"P{seat}" for seat in range(len(seen.boards))]
            teller = Teller(Screen(words("en"), colors="none"), names, input)
            teller.welcome(seen)
            teller.show_round(seen)
            if seen.legal:
                teller.show_hand(seen, listed(seen))
        self._heard.add("terminal", viewer, text.getvalue().encode())

    async def _end_round(self) -> None:
        """Close the round, and keep what everybody got by that."""
        begun = {viewer: len(line.raw) for viewer, line in self._lines.items()}
        for deed in self._world.last:
            await self._do(deed.seat, deed.action, deed.round)
        for viewer, line in self._lines.items():
            raw = await line.settled()
            self._heard.after["socket", viewer] = raw[begun[viewer] :]
            older = [f for _, each, old in self._old if each == viewer for f in old.frames]
            self._heard.frames[viewer] = older + line.frames
        if self._world.last[0].round == 6:
            path = f"/api/tables/{self._sitting.table}/record"
            self._heard.after["rest", None] = await self._talk.ask("GET", path)


def told_by_environment(world: World, seat: int) -> bytes:
    """All that a PettingZoo environment tells a seat up to the time."""
    from sideboards.minds.envs import SideboardsAEC  # noqa: PLC0415 (numpy and PettingZoo)

    setup = world.setup
    table = SideboardsAEC(
        players=setup.seats, variant=setup.mode == "variant", edition=setup.edition
    )
    table.reset(options={"setup": setup})
    agent = f"seat_{seat}"
    told = []
    for state, deed in zip(world.states(), (*world.deeds, None), strict=True):
        seen, info = table.observe(agent), dict(table.infos[agent])
        mask = info.pop("action_mask", None)
        told += [seen["observation"].tobytes(), seen["action_mask"].tobytes()]
        told.append(b"" if mask is None else mask.tobytes())
        more = (info, table.agent_selection, table.rewards[agent], table.terminations[agent])
        told.append(repr((more, table.render())).encode())
        if deed is not None:
            move = parse_move(deed.action)
            table.step(action_of(move, state.seats[deed.seat].hand))
    return b"|".join(told)


# ---- comparing ---------------------------------------------------------------------------------


@dataclass(slots=True)
class Tally:
    """What was found in all pairs."""

    seed: int
    keep: bool
    """Whether a pair that differs is kept in a file."""
    done: int = 0
    differ: int = 0
    seen: int = 0
    shared: int = 0
    """Those with PostgreSQL."""
    disturbed: int = 0
    scanned: int = 0
    searched: int = 0
    faults: list[str] = field(default_factory=list)
    compared: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    heard: list[tuple[Pair, Heard]] = field(default_factory=list)

    def take(self, pair: Pair, one: Heard | None, other: Heard | None) -> None:
        """Compare the two worlds of a pair."""
        if one is None or other is None:
            self.disturbed += 1
            return
        self.done += 1
        self.kinds[pair.kind] += 1
        for world in (one, other):
            if world.failed:
                self.faults.append(f"{self._name(pair)}: {world.failed}")
                return
        if one.table != other.table:
            self.faults.append(f"{self._name(pair)}: found two ids of one table")
        self.differ += pair.differ
        for channel, viewer in one.before:
            if viewer in pair.blind:
                self._compare(pair, channel, viewer, one, other)
        self.seen += one.before != other.before or one.after != other.after
        for viewer, frames in one.frames.items():
            self.scanned += len(frames)
            hear = Scanner(viewer).hear
            for fault in dict.fromkeys(fault for frame in frames for fault in hear(frame)):
                self.faults.append(f"{self._name(pair)}: {_called(viewer)} was told: {fault}")
        self.heard.append((pair, one))

    def _compare(self, pair: Pair, channel: str, viewer: Viewer, one: Heard, other: Heard) -> None:
        mine, yours = one.before[channel, viewer], other.before.get((channel, viewer), b"")
        self.compared[channel] += len(mine)
        if mine == yours:
            return
        place = first_difference(mine, yours)
        near = slice(max(0, place - SHOWN), place + SHOWN)
        fault = (
            f"{self._name(pair)}: {channel} of {_called(viewer)} differs at byte {place} of "
            f"{len(mine)} and {len(yours)}: {mine[near]!r} and {yours[near]!r}"
        )
        self.faults.append(fault + self._kept(pair, channel, mine, yours))

    def _kept(self, pair: Pair, channel: str, mine: bytes, yours: bytes) -> str:
        """The file in which a difference can be read as a whole."""
        if not self.keep:
            return ""
        FAILURES.mkdir(exist_ok=True)
        file = FAILURES / f"worlds-{self.seed}-{pair.number}-{channel}.json"
        text = [each.decode("latin-1") for each in (mine, yours)]
        file.write_text(json.dumps({"pair": pair.number, "seed": self.seed, "heard": text}))
        return f" (see {file.parent.name}/{file.name})"

    def _name(self, pair: Pair) -> str:
        return f"pair {pair.number} of seed {self.seed} ({pair.kind})"

    async def compare_metrics(self, sides: Sequence[Side]) -> None:
        """Figures that count what happened are equal in both worlds, once all sockets are gone."""
        for _ in range(20):
            mine, yours = [_counts(await side.metrics()) for side in sides]
            if mine == yours or self.disturbed:
                break
            await asyncio.sleep(0.2)
        else:
            self.faults.append(f"metrics differ: {sorted(set(mine) ^ set(yours))[:4]}")
        self.compared["metrics"] += sum(map(len, mine))

    def search(self, logs: dict[str, list[Event]], edition: Edition) -> None:
        """Look for seeds and keys in all that anybody got before the time."""
        for pair, heard in self.heard:
            room = read_log(heard.table, logs[heard.table], edition)
            seeds = [chair.seed for chair in room.chairs]
            key = deal_key(room.table, room.rules, room.seed, seeds)
            dealer = {"the server's seed": bytes.fromhex(room.seed), "the deal key": key}
            for (channel, viewer), data in heard.before.items():
                secrets = dealer | {
                    f"the seed of seat {seat}": bytes.fromhex(seed)
                    for seat, seed in enumerate(seeds)
                    if seed and seat != viewer
                }
                self.searched += len(data)
                for hit in Needles(secrets).hits(data):
                    where = f"{channel} of {_called(viewer)}"
                    self.faults.append(f"{self._name(pair)}: {where} holds {hit}")
        self.heard.clear()

    def judge(self) -> None:
        """Too few pairs that really differ, or too many disturbed ones, are faults too."""
        for name, count in (("differ", self.differ), ("were seen to differ", self.seen)):
            if count < ENOUGH * self.done:
                self.faults.append(f"found {count} of {self.done} pairs that {name}; expected 95 %")
        if self.disturbed > MOST_DISTURBED * (self.done + self.disturbed):
            self.faults.append(f"found {self.disturbed} pairs disturbed by a busy machine")

    def figures(self) -> dict[str, float]:
        """What was counted."""
        found: dict[str, float] = {
            "pairs": self.done,
            "pairs that differ": self.differ,
            "pairs seen to differ": self.seen,
            "pairs with PostgreSQL": self.shared,
            "pairs disturbed": self.disturbed,
            "frames scanned": self.scanned,
            "bytes searched for seeds": self.searched,
            "bytes compared": self.compared.total(),
        }
        found |= {f"bytes of {channel}": size for channel, size in self.compared.items()}
        return found | {f"pairs {kind}": count for kind, count in self.kinds.items()}


def _called(viewer: Viewer) -> str:
    return "a spectator" if viewer is None else f"seat {viewer}"


def _counts(page: bytes) -> list[bytes]:
    """The lines of metrics that count."""
    return [
        line
        for line in content(page).splitlines()
        if line.startswith(b"sideboards_") and b"_seconds" not in line
    ]
