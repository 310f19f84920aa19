"""What happens when connections are cut, servers die and the same seat is opened twice."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random

import pytest

from sideboards import Edition, parse_record
from sideboards.client import Client, Seat, ServerRefusal
from sideboards.client.line import DEAD_AFTER
from sideboards.service.protocol import Settings
from tests.client.serving import Server, proxied, serving, table_of

pytestmark = pytest.mark.long
CUTS = 30


class Player:
    """Plays a seat, takes every other choice back once, and keeps what was acknowledged."""

    def __init__(self, seat: Seat, rng: Random, before_each: Callable[[], Awaitable[None]]) -> None:
        self.seat = seat
        self.rng = rng
        self.before_each = before_each
        self.acks = 0
        self.moves: list[str] = []

    async def play(self) -> None:
        seat = self.seat
        while (view := await seat.turn()) is not None:
            moves = [str(move) for move in view.legal if str(move) != "swap"]
            first, second = self.rng.sample(moves, 2)
            kept = second
            # The seat that closes the round cannot take back; so only who is not last tries.
            if seat.sitting.seat == 0 and not any(view.sealed):
                await self._act(first)
                try:
                    await self._act("undo")
                    await self._act(second)
                except ServerRefusal as refusal:
                    assert refusal.code == "round_closed"  # noqa: PT017 (any other outcome is fine)
                    kept = first
            else:
                await self._act(second)
            self.moves.append(kept)

    async def _act(self, action: str) -> None:
        await self.before_each()
        await self.seat.play(action)
        self.acks += 1


async def game_of_two(
    one: Seat, other: Seat, rng: Random, before_each: Callable[[], Awaitable[None]]
) -> tuple[Player, Player]:
    await one.play("start")
    players = (Player(one, rng, before_each), Player(other, rng, before_each))
    await asyncio.gather(*(player.play() for player in players))
    for player in players:
        await player.seat.ended()
        assert player.seat.fair is True
        assert player.seat.mismatches == 0
    return players


async def check_each_move_counts_once(
    players: tuple[Player, Player], client: Client, edition: Edition
) -> None:
    """The log has every acknowledged action once and nothing else; the record says which."""
    table = players[0].seat.sitting.table
    record = parse_record((await client.record(table)).encode(), edition)
    for number, player in enumerate(players):
        assert [str(move) for seat, move in record.played if seat == number] == player.moves
        assert player.seat.seq == 1 + sum(each.acks for each in players)


def test_every_move_counts_once_through_thirty_cuts(tmp_path: Path, edition: Edition) -> None:
    """Cut before, inside and after frames; what is not acknowledged is sent again."""
    rng = Random(11)

    async def games(server: Server) -> None:
        async with proxied(server) as proxy:

            async def maybe_cut() -> None:
                if rng.random() < 0.7:
                    proxy.cut_within(rng.choice((1, 5, 30, 60, 70, 80, 90, 150)))

            while proxy.cuts < CUTS:
                async with Client(proxy.url) as ana, Client(proxy.url) as ben:
                    table = await table_of([ana, ben])
                    async with ana.seat(table) as one, ben.seat(table) as other:
                        players = await game_of_two(one, other, rng, maybe_cut)
                        assert one.losses > 0
                    proxy.cut_within(0)
                    await check_each_move_counts_once(players, ana, edition)

    with serving(tmp_path) as server:
        asyncio.run(asyncio.wait_for(games(server), 100))
        assert "Traceback" not in server.log


@pytest.mark.parametrize("planned", [False, True])
def test_the_server_dies_in_mid_game_and_nothing_is_lost(
    planned: bool, tmp_path: Path, edition: Edition
) -> None:
    async def game(server: Server) -> None:
        async with Client(server.url) as ana, Client(server.url) as ben:
            table = await table_of([ana, ben])
            moves = 0
            restarts: list[asyncio.Future[None]] = []

            async def maybe_restart() -> None:
                """The restart and the next move begin together; later moves wait for its end."""
                nonlocal moves
                number = moves = moves + 1
                await asyncio.gather(*restarts)
                if number in (4, 9):
                    # Whoever is not yet back from the first restart has nothing to lose.
                    while one._line._transport is None or other._line._transport is None:
                        await asyncio.sleep(0.05)
                    restarts.append(asyncio.ensure_future(asyncio.to_thread(restart)))

            def restart() -> None:
                server.stop() if planned else server.kill()
                server.start()

            async with ana.seat(table) as one, ben.seat(table) as other:
                players = await game_of_two(one, other, Random(4), maybe_restart)
                assert len(restarts) == 2
                assert one.losses >= 2
                assert other.losses >= 2
            await check_each_move_counts_once(players, ana, edition)

    with serving(tmp_path) as server:
        asyncio.run(asyncio.wait_for(game(server), 60))
        assert "Traceback" not in server.log


def test_a_newer_tab_takes_the_seat_and_the_older_stays_away(tmp_path: Path) -> None:
    async def tabs(server: Server) -> None:
        async with Client(server.url) as ana:
            table = await table_of([ana], ("random",))
            async with ana.seat(table) as older:
                await older.play("start")
                view = await older.dealt()
                async with ana.seat(table) as newer:
                    assert await newer.dealt() == view
                    with pytest.raises(ServerRefusal) as refused:
                        await older.until(lambda: False)
                    assert refused.value.code == "newer_tab"
                    with pytest.raises(ServerRefusal, match="another window"):
                        await older.play(view.legal[0])
                    await asyncio.sleep(2)
                    assert not older.welcomed
                    assert older.end is not None
                    assert newer.welcomed
                    assert (older.losses, newer.losses) == (0, 0)
                    await newer.play(view.legal[0])

    with serving(tmp_path) as server:
        asyncio.run(asyncio.wait_for(tabs(server), 30))


def test_a_silent_connection_is_given_up_after_nine_seconds(tmp_path: Path) -> None:
    async def silence(server: Server) -> None:
        async with proxied(server) as proxy, Client(proxy.url) as ana:
            table = await table_of([ana], ("random",))
            heard: list[object] = []
            async with ana.seat(table, hear=heard.append) as seat:
                await seat.play("start")
                view = await seat.dealt()
                proxy.swallows = True
                begun = asyncio.get_running_loop().time()
                playing = asyncio.ensure_future(seat.play(view.legal[0]))
                await seat.until(lambda: seat.losses == 1)
                assert DEAD_AFTER - 3 < asyncio.get_running_loop().time() - begun < DEAD_AFTER + 1
                proxy.swallows = False
                await playing
                assert heard == ["connected", "lost", "connected"]

    with serving(tmp_path) as server:
        asyncio.run(asyncio.wait_for(silence(server), 40))


def test_a_draft_is_sent_again_after_a_cut(tmp_path: Path) -> None:
    """The clock runs out while we are connected anew, and the draft counts."""

    async def drafts(server: Server) -> None:
        async with proxied(server) as proxy, Client(proxy.url) as ana:
            table = await table_of([ana], ("random",), Settings(seats=2, round_seconds=10))
            async with ana.seat(table) as seat:
                await seat.play("start")
                view = await seat.dealt()
                chosen = view.legal[7]
                seat.draft(chosen)
                await asyncio.sleep(0.1)
                server.kill()  # a draft is in the memory of the server only
                server.start()
                await seat.until(lambda: seat.losses > 0 and seat.welcomed)
                # A restart adds 20 seconds to what was left of the 10.
                await seat.until(lambda: 15 < (seat.seconds_left or 0) < 31)
                await ana._fetch("POST", "/test/clock", {"advance": 60_000})
                await seat.until(lambda: bool(seat.view and seat.view.round == 1))
                assert seat.view is not None
                assert (0, chosen) in seat.view.played

    with serving(tmp_path) as server:
        asyncio.run(asyncio.wait_for(drafts(server), 40))
