"""Rows 15, 19 and 20: people go and come back; nobody waits for ever, and a seat stays one's own.

In every round of every game some go, up to all but one. After a minute the others let a bot choose
for them, or hand their seats over. Whoever comes back, after a second or a day, before the round is
closed or later, has the same cards; whoever comes with another token has nothing. In other games
somebody comes back at every version, and sees what those see who play the same deal and stay.
"""

from collections import Counter
from collections.abc import Callable, Coroutine, Iterator
from itertools import count as numbers
from pathlib import Path
from random import Random
from typing import Any

from proof.logs import Log, logs_of, moves_of, replay_faults
from proof.outcome import Outcome
from proof.prepared import NOTHING
from proof.stops import settled
from sideboards.core.game import LAST_ROUND, new_setup
from sideboards.core.notation import Record, format_record
from sideboards.data import load_edition
from sideboards.service.presence import AWAY_AFTER
from tests.service.live import Player, Server, advance, all_reach, hash_of, playing, serving
from tests.service.live import run as bounded

SECOND, MINUTE, DAY = 1_000, 60_000, 86_400_000
LIMIT = 300.0
PLAN = (
    (SECOND, True),
    (2 * MINUTE, True),
    (DAY, True),
    (2 * MINUTE, False),
    (DAY, False),
    (SECOND, True),
    (2 * MINUTE, False),
)
"""By round: for how long some are gone, and whether they come back before it is closed."""
TABLES = ((2, 1), (3, 2), (4, 3), (3, 1), (6, 5), (4, 2), (4, 1))
"""How many people sit at a table, and how many of them go; in turn."""
SEATS = 3
MISSED = 3
"""Events that somebody misses at most before coming back."""


class Games:
    """The games of a run on one server, whose clock they share."""

    def __init__(self, server: Server, rng: Random) -> None:
        self._server = server
        self._rng = rng
        self.faults: list[str] = []
        self.done: Counter[str] = Counter()
        self.tables: list[str] = []
        """Tables that were played."""

    async def play(self, count: int, game: Callable[[int], Coroutine[Any, Any, None]]) -> None:
        """So many games in turn; what a client finds wrong ends its game and is a fault."""
        for number in range(count):
            try:
                await game(number)
            except (AssertionError, LookupError, TimeoutError) as error:
                self.faults.append(f"stuck: game {number}: {error!r:.300}")

    # ---- some are gone in every round

    async def with_leavers(self, number: int) -> None:
        """A game in which some are gone in every round."""
        people, gone = TABLES[number % len(TABLES)]
        async with playing(self._server, people) as players:
            self.tables.append(players[0].table_id)
            self.done["games"] += 1
            for away, early in PLAN:
                await self._round(players, gone, away, early=early)
                if self.faults:
                    return

    async def _round(self, players: list[Player], gone: int, away: int, *, early: bool) -> None:
        """One round without some; `early`: they come back before it is closed."""
        rng, now = self._rng, players[0].round
        for player in players:
            if player.view["choice"] is not None:  # of the bot that had the seat until now
                await player.play("undo")
        leavers = rng.sample(players, gone)
        stay = [player for player in players if player not in leavers]
        held = {player: player.view["hands"][player.seat] for player in leavers}
        for player in leavers:
            player.close()
        for player in stay:
            await player.until(lambda p=player: not any(present(p, each) for each in leavers))  # type: ignore[misc] # a default
        await advance(self._server, away)
        await self._intrude(leavers[0], stay[0])
        if away >= AWAY_AFTER:
            await self._stand_in(stay, leavers)
        if early:
            await self._come_back(leavers, held, early=early)
        for player in [p for p in (*stay, *(leavers if early else ())) if p.moves]:
            await player.play(player.some_move(rng))
        await all_reach(stay, now + 1)
        if not early:
            await self._come_back(leavers, held, early=early)
        await all_reach(players, now + 1)

    async def _stand_in(self, stay: list[Player], leavers: list[Player]) -> None:
        """A bot takes over the only one who is gone, or chooses for each of several."""
        for leaver in leavers:
            if len(leavers) == 1:
                for player in stay:
                    await player.play(f"vote {leaver.seat}")
            else:
                await stay[0].play(f"help {leaver.seat}")
            for player in stay:
                await player.until(
                    lambda p=player, s=leaver.seat: p.view["public"]["sealed"][s]  # type: ignore[misc] # defaults
                )
            self.done["choices of a bot"] += 1

    async def _come_back(
        self, leavers: list[Player], held: dict[Player, list[list[int]]], *, early: bool
    ) -> None:
        """Everybody has the seat and the cards as before, also if a bot had them meanwhile."""
        for player in leavers:
            before = held[player]
            await player.connect()
            if not player.table:
                raise AssertionError(f"seat {player.seat} is lost: {player.close_code}")
            if player.phase == "playing" and player.table["seats"][player.seat]["bot"] is not None:
                await player.play("return")
            hands = player.view["hands"][player.seat]
            swapped = player.seat in player.view["public"]["swapped"]  # as a bot may do
            if hands[: len(before)] != before or (early and not swapped and hands != before):
                self.faults.append(f"cards: seat {player.seat} has other cards than before")
            self.done["returns"] += 1

    async def _intrude(self, leaver: Player, other: Player) -> None:
        """Nobody gets the seat of somebody who is gone with a token that is another's or nobody's.

        The other one has a token of the same table, and makes it one of that seat.
        """
        table, _, rest = other.token.split(".", 2)
        last = "a" if leaver.token[-1] != "a" else "b"
        for token in (f"{table}.{leaver.seat}.{rest}", leaver.token[:-1] + last):
            stranger = Player(self._server, "Eve", "")
            stranger.token = token
            try:
                await stranger.connect()
                if stranger.table:
                    self.faults.append(f"stolen: a wrong token gave away seat {leaver.seat}")
            finally:
                stranger.close()
            self.done["wrong tokens"] += 1

    # ---- somebody comes back at every version

    async def with_returns(self, number: int) -> None:
        """The same deal at two tables: at one all stay, at the other somebody always comes back."""
        rng = self._rng
        edition = load_edition()
        record = format_record(Record(new_setup(edition, seats=SEATS, rng=rng), ()))
        async with (
            playing(self._server, SEATS, practice=record) as stay,
            playing(self._server, SEATS, practice=record) as restless,
        ):
            self.tables += [stay[0].table_id, restless[0].table_id]
            gone: dict[int, int] = {}
            """When somebody who is gone comes back, by seat."""
            for version in numbers():
                back = [seat for seat, until in gone.items() if until <= version]
                if not back:
                    back = [version % SEATS]
                    restless[back[0]].close()
                for seat in back:
                    gone.pop(seat, None)
                    await self._compare(number, stay[seat], restless[seat])
                if self.faults or stay[0].round > LAST_ROUND:
                    break
                if len(gone) < SEATS - 1:
                    leaver = rng.choice([seat for seat in range(SEATS) if seat not in gone])
                    restless[leaver].close()
                    gone[leaver] = version + rng.randint(1, MISSED)
                await self._deed(number, stay, restless, gone)
            self.done["games"] += 1

    async def _deed(
        self, number: int, stay: list[Player], restless: list[Player], gone: dict[int, int]
    ) -> None:
        """Somebody does the same at both tables; where one is gone, after coming back."""
        rng = self._rng
        seat = rng.choice([s for s in range(SEATS) if stay[s].moves or rng.random() < 0.2])
        if gone.pop(seat, None) is not None:
            await self._compare(number, stay[seat], restless[seat])
        move = stay[seat].some_move(rng, swaps=True) if stay[seat].moves else "undo"
        for players in (stay, restless):
            await players[seat].play(move)
        await settled(stay)

    async def _compare(self, number: int, stays: Player, returns: Player) -> None:
        await returns.connect()
        self.done["returns"] += 1
        if (returns.hash, returns.seq) != (hash_of(stays.view), stays.seq):
            self.faults.append(
                f"older: seat {stays.seat} of game {number} comes back after event {stays.seq} "
                f"to another view, as of event {returns.seq}, than who stayed has"
            )


def meddled(table: str, log: Log) -> Iterator[str]:
    """Where a bot has chosen for somebody who had come back."""
    back = set[int]()
    for event in moves_of(log):
        if event.action == "return":
            back.add(event.seat)
        elif event.action.startswith("vote "):
            back.discard(int(event.action.removeprefix("vote ")))
        elif event.seat in back and not event.key:
            yield f"meddled: a bot has chosen for seat {event.seat}, who is back, at table {table}"


def present(player: Player, other: Player) -> bool:
    """Whether somebody sees somebody else at the table."""
    return bool(player.table["seats"][other.seat]["present"])


def run(folder: Path, count: int, seed: int, mutant: str = "") -> Outcome:
    """`count` games in which some are gone in every round."""
    return _run(folder / "absences.db", count, seed, mutant, Games.with_leavers)


def versions(folder: Path, count: int, seed: int, mutant: str = "") -> Outcome:
    """`count` games in which somebody comes back at every version."""
    return _run(folder / "versions.db", count, seed, mutant, Games.with_returns)


def _run(
    file: Path,
    count: int,
    seed: int,
    mutant: str,
    game: Callable[[Games, int], Coroutine[Any, Any, None]],
) -> Outcome:
    with serving(file, mutant=mutant, program=NOTHING, may_fail=bool(mutant)) as server:
        games = Games(server, Random(seed))
        bounded(games.play(count, lambda number: game(games, number)), LIMIT + 10 * count)
    logs, edition = logs_of(file), load_edition()
    for table in games.tables:
        games.faults += meddled(table, logs[table])
        games.faults += replay_faults(table, logs[table], edition)
    return Outcome(games.done["games"], tuple(games.faults), dict(games.done))
