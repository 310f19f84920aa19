"""Rows 11 to 13 and 21, and G13: whatever arrives when and how often, the game is the same.

Over a real server: messages sent several times over several ways, six seats at one barrier, a
change of mind beside the last choice, equal deals in other orders, and piles that run out. In
the core alone: thousands of orders of arrival.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Coroutine, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from proof.history import Answer, History, Operation, judge
from proof.logs import (
    Log,
    as_stored,
    cards_of,
    log_faults,
    logs_of,
    once_faults,
    replay_faults,
)
from proof.outcome import Outcome
from proof.prepared import NOTHING
from sideboards.core.edition import CARDS
from sideboards.core.game import (
    LAST_ROUND,
    Choice,
    Hand,
    Move,
    Place,
    Setup,
    Start,
    State,
    Swap,
    Undo,
    cards,
    choices,
    deal,
    legal,
    new_setup,
    step,
)
from sideboards.core.notation import Record, format_record
from sideboards.data import load_edition
from sideboards.service.protocol import MAX_VIEW
from tests.service.live import Player, Server, all_reach, playing, serving
from tests.service.live import run as bounded

ORDERS = 20
"""In how many orders every game of the core is played."""
TIMES = 5
"""How often a message is sent at most."""
SIX = 6
AT_ONCE = 2
"""Tables of one kind that are played at the same time."""
REPEATING = 8
"""Tables at the same time where messages are sent several times and nothing else is tried."""
LIMIT = 600.0
EDITION = load_edition()


def run(folder: Path, count: int, seed: int, mutant: str = "") -> Outcome:
    """`count` messages sent often, rounds of six, races and a tenth of that in whole games."""
    database = folder / "arrivals.db"
    parts = Parts(Random(seed))
    with serving(database, mutant=mutant, program=NOTHING, may_fail=bool(mutant)) as server:
        bounded(parts.play(server, count), LIMIT)
    faults = parts.judge(logs_of(database), f"arrivals-{seed}", keep=not mutant)
    return Outcome(parts.done["race"], faults, dict(parts.done))


def repeats(folder: Path, count: int, seed: int, mutant: str = "") -> Outcome:
    """Row 11 alone: `count` messages at many tables, each sent up to five times."""
    database = folder / "repeats.db"
    parts = Parts(Random(seed))
    with serving(database, mutant=mutant, program=NOTHING, may_fail=bool(mutant)) as server:
        bounded(parts.repeat(server, count), LIMIT)
    faults = parts.judge(logs_of(database), f"repeats-{seed}", keep=not mutant)
    return Outcome(parts.done["messages"], faults, dict(parts.done))


class Parts:
    """The parts of a run over a server, which are played side by side."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._door = asyncio.Semaphore(2)
        self.faults: list[str] = []
        self.done: Counter[str] = Counter()
        self.told: dict[str, list[list[tuple[str, str]]]] = {}
        """By table and seat, the keys and actions that were acknowledged."""
        self.finished: list[tuple[str, str]] = []
        """Tables that were played to the end, each with the part that it belongs to."""

    @asynccontextmanager
    async def _table(
        self, server: Server, people: int, **settings: str
    ) -> AsyncIterator[list[Player]]:
        """People who hold their first cards; only few tables are made at the same time."""
        async with AsyncExitStack() as stack:
            async with self._door:
                players = await stack.enter_async_context(playing(server, people, (), **settings))
            yield players

    async def play(self, server: Server, count: int) -> None:
        """Everything at once."""
        tenth = 1 + count // 10
        async with asyncio.TaskGroup() as group:
            for number in range(AT_ONCE):
                share = count // AT_ONCE + (number < count % AT_ONCE)
                rng = Random(self._rng.random())
                for kind, work in (
                    ("twice", self._repeats(server, share, rng)),
                    ("barrier", self._barriers(server, share, rng)),
                    ("race", self._races(server, share, rng)),
                    ("pile", self._refills(server, -(-tenth // AT_ONCE), rng)),
                    ("order", self._same_deals(server, -(-tenth // AT_ONCE), rng)),
                ):
                    group.create_task(self._watched(kind, work))

    async def repeat(self, server: Server, count: int) -> None:
        """Only what is sent several times, at more tables at once."""
        share = -(-count // REPEATING)
        async with asyncio.TaskGroup() as group:
            for _ in range(REPEATING):
                work = self._repeats(server, share, Random(self._rng.random()))
                group.create_task(self._watched("twice", work))

    def judge(self, logs: dict[str, Log], name: str, *, keep: bool) -> tuple[str, ...]:
        """All faults: also whether what was acknowledged is stored once, and games are right."""
        for table, told in self.told.items():
            log = logs[table]
            self.faults += (f"twice: {fault}" for fault in log_faults(table, log))
            for seat, wanted in enumerate(told):
                self.faults += (
                    f"twice: {fault}" for fault in once_faults(table, log, seat, wanted)
                )
        for kind, table in self.finished:
            faults = replay_faults(table, logs[table], EDITION)
            self.faults += (f"{kind}: {fault}" for fault in faults)
        return judge(self.history(logs), name, keep=keep, others=self.faults)

    async def _watched(self, kind: str, work: Coroutine[Any, Any, None]) -> None:
        """Take what a client finds wrong for a fault."""
        try:
            await work
        except (AssertionError, LookupError, TimeoutError) as error:
            said = str(error)[:300] or type(error).__name__
            self.faults.append(f"{kind}: {said}")

    def history(self, logs: dict[str, Log]) -> History:
        """What was acknowledged under a key that is known here, beside all that is stored."""
        acknowledged = [
            Operation(table, seat, key, action, answers=[Answer(0.0, "ack")])
            for table, told in self.told.items()
            for seat, wanted in enumerate(told)
            for key, action in wanted
        ]
        return History(acknowledged, logs=as_stored(logs))

    # ---- row 11

    async def _repeats(self, server: Server, count: int, rng: Random) -> None:
        """Every message is sent up to five times, over two sockets and as requests."""
        while count > 0:
            async with self._table(server, 2) as players:
                told: list[list[tuple[str, str]]] = [[], []]
                self.told[players[0].table_id] = told
                while players[0].round <= LAST_ROUND:
                    now = players[0].round
                    for player, list_ in zip(players, told, strict=True):
                        actions = [player.some_move(rng)]
                        if player is players[0] and rng.random() < 0.5:
                            actions += ["undo", player.some_move(rng)]
                        elif "swap" in player.moves and rng.random() < 0.3:
                            actions = ["swap"]
                        for action in actions:
                            list_.append((await self._often(player, action, rng), action))
                            count -= 1
                        if actions == ["swap"]:
                            move = player.some_move(rng)
                            list_.append((await self._often(player, move, rng), move))
                            count -= 1
                    await all_reach(players, now + 1)
                self.finished.append(("twice", players[0].table_id))

    async def _often(self, player: Player, action: str, rng: Random) -> str:
        """Send an action several times, and wait for all answers; its key."""
        key, requests = player.new_key(), []
        for _ in range(rng.randrange(TIMES)):
            way = rng.random()
            if way < 0.5:
                player.ask(action, key)
            elif way < 0.8:
                body = {"key": key, "action": action}
                path = f"/api/tables/{player.table_id}/actions"
                requests.append(asyncio.ensure_future(player.rest("POST", path, body)))
            else:
                await player.connect()  # a newer tab; the older one may have said it already
            self.done["copies"] += 1
        answer = await player.act(action, key)
        if answer["type"] != "ack":
            self.faults.append(f"twice: {action} sent again was refused: {answer['code']}")
        for request in requests:
            if (status := (await request).status_code) not in (200, 202):
                self.faults.append(f"twice: {action} sent again as a request got {status}")
        self.done["messages"] += 1
        return key

    # ---- row 12

    async def _barriers(self, server: Server, count: int, rng: Random) -> None:
        """Six seats choose in the same moment, and so do those who swap."""
        while count > 0:
            async with self._table(server, SIX) as players:
                while count > 0 and players[0].round <= LAST_ROUND:
                    now = players[0].round
                    swaps = [p for p in players if "swap" in p.moves and rng.random() < 0.1]
                    await self._at_once([(player, "swap") for player in swaps])
                    await self._at_once([(player, player.some_move(rng)) for player in players])
                    await all_reach(players, now + 1)
                    count -= 1
                    self.done["rounds of six"] += 1
                longest = max(len(frame) for player in players for frame in player.frames)
                if longest > MAX_VIEW:
                    self.faults.append(f"barrier: a view of six has {longest} bytes")

    async def _at_once(self, wanted: list[tuple[Player, str]]) -> None:
        keys = [(player, player.ask(action)) for player, action in wanted]
        for player, key in keys:
            answer = await player.answer(key)
            if answer["type"] != "ack":
                self.faults.append(f"barrier: an honest choice was refused: {answer['code']}")

    # ---- row 13

    async def _races(self, server: Server, count: int, rng: Random) -> None:
        """A choice is taken back while the last one arrives; a third person watches."""
        while count > 0:
            async with self._table(server, 2) as (ana, ben):
                watcher = Player(server, "Cleo", "")
                await watcher.connect(token=None, table=ana.table_id)
                everybody = (ana, ben, watcher)
                try:
                    while count > 0 and ana.round <= LAST_ROUND:
                        await self._race(everybody, rng)
                        count -= 1
                finally:
                    watcher.close()
                if ana.round > LAST_ROUND:
                    self.finished.append(("race", ana.table_id))

    async def _race(self, everybody: tuple[Player, Player, Player], rng: Random) -> None:
        ana, ben, _ = everybody
        now, kept, last = ana.round, ana.some_move(rng), ben.some_move(rng)
        await ana.play(kept)
        deeds = [(ana, "undo"), (ben, last)]
        rng.shuffle(deeds)
        keys = {}
        for player, action in deeds:
            keys[player] = player.ask(action)
            if rng.random() < 0.5:
                await asyncio.sleep(rng.uniform(0, 0.003))
        undone, chosen = await ana.answer(keys[ana]), await ben.answer(keys[ben])
        latest = max(player.seq for player in everybody)
        for player in everybody:
            await player.until(lambda p=player: p.seq >= latest)  # type: ignore[misc] # a default
        shown = {str((player.view["public"], player.view["boards"])) for player in everybody}
        if len(shown) != 1:
            self.faults.append("race: those at the table see different things")
        if chosen["type"] != "ack":
            self.faults.append(f"race: the last choice was refused: {chosen['code']}")
        closed, sealed = ana.round == now + 1, ana.view["public"]["sealed"]
        if undone["type"] == "ack":
            self.done["taken back"] += 1
            if closed or sealed != [False, True]:
                self.faults.append("race: mixed: taken back, and the round is closed all the same")
            await ana.play(ana.some_move(rng))
        elif undone["code"] != "round_closed":
            self.faults.append(f"race: taking back was refused: {undone['code']}")
        elif not closed:
            self.faults.append("race: mixed: too late to take back, and the round is open")
        await all_reach([*everybody], now + 1)
        self.done["race"] += 1

    # ---- row 21

    async def _refills(self, server: Server, count: int, rng: Random) -> None:
        """Six players of whom four to six swap, so that the pile runs out."""
        for _ in range(count):
            swaps = {
                seat: rng.randint(1, LAST_ROUND)
                for seat in rng.sample(range(SIX), SIX - rng.randrange(3))
            }
            async with self._table(server, SIX) as players:
                for now in range(LAST_ROUND + 1):
                    for seat in rng.sample(range(SIX), SIX):
                        if swaps.get(seat) == now:
                            await players[seat].play("swap")
                        await players[seat].play(players[seat].some_move(rng))
                    await all_reach(players, now + 1)
                for player in players:
                    notices = [m.get("code") for m in player.messages if m["type"] == "notice"]
                    if "reshuffled" not in notices:
                        self.faults.append("pile: nobody said that the discards were reshuffled")
                self.finished.append(("pile", players[0].table_id))
                self.done["refilled"] += 1

    # ---- G13 over a server

    async def _same_deals(self, server: Server, count: int, rng: Random) -> None:
        """The same deal and wishes, a swap or more among them, twice in other orders."""
        for _ in range(count):
            setup = new_setup(EDITION, seats=rng.randint(3, 4), rng=rng)
            wishes = Wishes(setup.seats, Random(rng.random()), fewest=1)
            record = format_record(Record(setup, ()))
            for _ in range(2):
                async with self._table(server, setup.seats, practice=record) as players:
                    rounds = [
                        await self._round(players, wishes, rng) for _ in range(LAST_ROUND + 1)
                    ]
                    expected = hands_of(setup, rounds)
                    for seat, player in enumerate(players):
                        found = [tuple(hand) for hand in player.view["hands"][seat]]
                        if found != expected[seat]:
                            self.faults.append(f"order: seat {seat} held other cards than its deal")
                self.done["ordered"] += 1

    async def _round(self, players: list[Player], wishes: "Wishes", rng: Random) -> "Round":
        """One round in some order of arrival; what arrived."""
        now = players[0].round
        arrivals = wishes.arrivals(now, rng)
        swaps, chosen = list[int](), dict[int, Choice]()
        for seat, deed in arrivals:
            player = players[seat]
            if deed == "swap":
                await player.play("swap")
                swaps.append(seat)
            elif deed == "undo":
                await player.play("undo")
            else:
                chosen[seat] = wishes.choice(now, seat, tuple(player.hand))
                await player.play(str(chosen[seat]))
        await all_reach(players, now + 1)
        return Round(tuple(swaps), tuple(chosen[seat] for seat in range(len(players))))


# ---- G13 in the core -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Round:
    """Who swapped in which order, and what everybody chose."""

    swaps: tuple[int, ...]
    choices: tuple[Choice, ...]


class Wishes:
    """What everybody wants to do with whatever cards, however others are."""

    def __init__(self, seats: int, rng: Random, fewest: int = 0) -> None:
        # More swaps would empty the pile of six; then the order of arrival may decide.
        most = 3 if seats == SIX else seats
        swappers = rng.sample(range(seats), rng.randint(fewest, most))
        self._swaps = {seat: rng.randint(1, LAST_ROUND) for seat in swappers}
        self._seats = seats
        self._picks = [[rng.random() for _ in range(seats)] for _ in range(LAST_ROUND + 1)]

    def arrivals(self, now: int, rng: Random) -> list[tuple[int, str]]:
        """In some order: everybody swaps or not, and chooses; some take it back in between."""
        left = [
            [
                *(["swap"] if self._swaps.get(seat) == now else []),
                *(["choose", "undo"] if rng.random() < 0.2 else []),
                "choose",
            ]
            for seat in range(self._seats)
        ]
        order, sealed = list[tuple[int, str]](), set[int]()
        while waiting := [seat for seat in range(self._seats) if left[seat]]:
            if len(sealed) == self._seats - 1 and sum(map(len, left)) > 1:
                # The last choice closes the round: whoever takes back must do so before it.
                early = [s for s in waiting if left[s][0] != "choose"]
                if not early:
                    left[waiting[0]] = ["choose"]
                waiting = early or waiting
            seat = rng.choice(waiting)
            deed = left[seat].pop(0)
            order.append((seat, deed))
            if deed == "choose":
                sealed.add(seat)
            elif deed == "undo":
                sealed.discard(seat)
        return order

    def choice(self, now: int, seat: int, hand: Hand) -> Choice:
        """What a seat chooses with these cards."""
        moves = choices(hand, start=now == 0, swap=False)
        move = moves[int(self._picks[now][seat] * len(moves))]
        assert isinstance(move, Start | Place)  # noqa: S101 (no swaps were asked for)
        return move


def hands_of(setup: Setup, rounds: Sequence[Round]) -> list[list[Hand]]:
    """The hands that everybody must have held, from the deck alone: draws from the top in order
    of seats, the k-th swap gets the k-th pair from the bottom."""
    deck, seats = setup.deck, setup.seats
    hands: list[list[Hand]] = [[deck[3 * i : 3 * i + 3]] for i in range(seats)]
    top, bottom = 3 * seats, CARDS
    for now, arrived in enumerate(rounds):
        for seat in arrived.swaps:
            bottom -= 2
            hands[seat].append((deck[bottom + 1], deck[bottom]))
        rest = [
            sorted(set(hands[i][-1]) - set(cards(choice)))
            for i, choice in enumerate(arrived.choices)
        ]
        for i in range(seats):
            hands[i].append(() if now == LAST_ROUND else (*rest[i - 1], deck[top + i]))
        top += seats
    return hands


def orders(folder: Path, count: int, seed: int, mutant: str = "") -> Outcome:  # noqa: ARG001 (no file)
    """`count` games of the core, each in 20 orders of arrival; beside it piles that run out."""
    rng, faults, swapped = Random(seed), list[str](), 0
    for number in range(count):
        setup = new_setup(EDITION, seats=rng.randint(2, SIX), rng=rng)
        wishes = Wishes(setup.seats, Random(rng.random()))
        ends: dict[tuple[tuple[int, ...], ...], State] = {}
        for _ in range(ORDERS):
            state, rounds = _played(setup, wishes, rng)
            if [list(seat.hands) for seat in state.seats] != hands_of(setup, rounds):
                faults.append(f"order: game {number} gave somebody other cards than its deal")
            same = ends.setdefault(tuple(each.swaps for each in rounds), state)
            if same.seats != state.seats:
                faults.append(
                    f"order: game {number} ended otherwise, only for the order of choices"
                )
        swapped += len(ends) > 1
        faults += _pile_faults(rng, number)
    return Outcome(count * ORDERS, tuple(faults), {"games with other swaps": swapped})


def _played(setup: Setup, wishes: Wishes, rng: Random) -> tuple[State, list[Round]]:
    """A whole game in one order of arrival."""
    state, rounds = deal(setup), []
    for now in range(LAST_ROUND + 1):
        swaps, chosen = list[int](), dict[int, Choice]()
        for seat, deed in wishes.arrivals(now, rng):
            move: Move
            if deed == "choose":
                move = chosen[seat] = wishes.choice(now, seat, state.seats[seat].hand)
            else:
                move = Swap() if deed == "swap" else Undo()
                swaps += [seat] if deed == "swap" else []
            state = step(state, seat, move)
        rounds.append(Round(tuple(swaps), tuple(chosen[seat] for seat in range(setup.seats))))
    return state, rounds


def _pile_faults(rng: Random, number: int) -> Iterable[str]:
    """What is wrong with a game of six in which four to six swap at some time."""
    state = deal(new_setup(EDITION, seats=SIX, rng=rng))
    swappers = rng.sample(range(SIX), rng.randint(4, SIX))
    rounds = {seat: rng.randint(1, LAST_ROUND) for seat in swappers}
    refilled = False
    while not state.over:
        seat = rng.choice(state.waiting)
        swaps = state.seats[seat].swap and rounds.get(seat) == state.round
        moves = [move for move in legal(state, seat) if isinstance(move, Swap) == swaps]
        before, state = state, step(state, seat, rng.choice(moves))
        refilled |= bool(before.discards) and not set(before.discards) <= set(state.discards)
        if sorted(cards_of(state)) != list(range(1, CARDS + 1)):
            yield f"pile: game {number} does not hold each card once in round {state.round}"
    if not refilled:
        yield f"pile: game {number} was not refilled"
