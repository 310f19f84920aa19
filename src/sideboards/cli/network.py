"""Commands that play on a server: the network side of `play`, and `bot`."""

import asyncio
import os
import re
import signal
import sys
from contextlib import suppress
from itertools import chain, count
from pathlib import Path
from random import Random, SystemRandom
from typing import TYPE_CHECKING, cast

import click

from sideboards.cli.options import (
    BOT_NAMES,
    INTERRUPTED,
    MOST_GAMES,
    chosen_objectives,
    complain,
    json_option,
    open_screen,
    print_json,
    seated,
    spoken_words,
    table,
    warm,
    write_whole,
)
from sideboards.core.edition import Numbers
from sideboards.core.refusal import Refusal, quoted
from sideboards.data import load_edition
from sideboards.minds.bots import bot as named_bot
from sideboards.minds.bots import checked
from sideboards.minds.workers import extra

if TYPE_CHECKING:
    from sideboards.client import Client
    from sideboards.client.seat import Seat
    from sideboards.core.view import View
    from sideboards.minds.bots import Bot
    from sideboards.remote import RemoteGame
    from sideboards.service.protocol import Language

CODE_SIGNS = 6
CLOCK = re.compile(r"([0-9]{1,6})(d?)")
DAY = 86_400
SHORTEST_CLOCK, LONGEST_CLOCK = 10, 300
LONG_CLOCKS = (DAY, 2 * DAY, 3 * DAY)
GOODBYE_WITHIN = 3.0
"""Seconds for the last word of a bot that ends."""


def where(server: str | None, link: str | None) -> tuple[str, str | None]:
    """The server, and the table or the short code, that two options name."""
    from sideboards.client import check_server, parse_link  # noqa: PLC0415 (httpx)

    if link is not None and "/" in link:
        address, found = parse_link(link)
        if server is not None and check_server(server) != address:
            raise Refusal(f"--table: found {quoted(link)}; expected a table of {server}")
        return address, found
    if server is None:
        raise Refusal(
            f"--table: found {quoted(link)} without --server; expected http://host:port/t/table"
        )
    return check_server(server), link


async def find_table(client: "Client", text: str) -> str:
    """The table with this id or short code."""
    code = text.replace("-", "").replace(" ", "").upper()
    return await client.table_with_code(code) if len(code) == CODE_SIGNS else text


def play_remote(
    *,
    server: str | None,
    link: str | None,
    name: str | None,
    new: bool,
    players: int | None,
    variant: bool,
    solo: bool,
    bots: str | None,
    objectives: str | None,
    record: Path | None,
    lang: str | None,
    clock: str | None,
    assist: int | None,
    public: bool,
) -> None:
    """Play on a server in the terminal."""
    extra("httpx", "serve")
    from sideboards.client import Client  # noqa: PLC0415 (httpx)
    from sideboards.client.saved import Saved, default_file  # noqa: PLC0415
    from sideboards.remote import RemoteGame  # noqa: PLC0415
    from sideboards.service.protocol import Settings  # noqa: PLC0415
    from sideboards.terminal import Quit  # noqa: PLC0415

    spoken = spoken_words(lang)
    address, place = where(server, link)
    _, seats = table(2 if players is None and not solo else players, variant=variant, solo=solo)
    material = load_edition()
    kinds = seated(bots, len(bots.split(",")), material) if bots else []
    if len(kinds) > seats - 1:
        raise Refusal(f"--bots: found {len(kinds)}; expected at most {seats - 1}, one per seat")
    chosen = chosen_objectives(material, objectives)
    settings = Settings(
        seats=seats,
        variant=variant,
        objectives=_all_three(chosen),
        round_seconds=None if clock is None else seconds_of(clock),
        assist=1 if assist is None else assist,
        public=public,
    )
    if sys.stdin is None:
        raise Refusal("standard input: closed; expected somebody to play")
    with suppress(ImportError):
        import readline  # noqa: F401, PLC0415 (arrow keys, where the system has them)
    client = Client(address, language=cast("Language", spoken.language), edition=material)
    screen = open_screen(spoken)
    game = RemoteGame(screen, client, Saved(default_file(os.environ)), input, BOT_NAMES)
    try:
        game.sign_in(name)
        if place is not None:
            game.join_by(lambda: find_table(client, place))
        elif new or not game.rejoin():
            game.create(settings, kinds)
        _play_on(game, record)
    except (Quit, EOFError):
        return
    finally:
        game.close()


def _play_on(game: "RemoteGame", record: Path | None) -> None:
    """Play a game, and rematches as long as the person wants; each has a record of its own."""
    while True:
        try:
            game.play()
        except KeyboardInterrupt:  # the game has said so in the language
            raise click.exceptions.Exit(INTERRUPTED) from None
        if record is not None:
            names = (record.with_stem(f"{record.stem}-{number}") for number in count(2))
            file = next(file for file in chain([record], names) if not file.exists())
            write_whole(file, game.record())
            game.screen.say_words("play.recorded", file=file)
        if not game.again():
            return


def seconds_of(clock: str) -> int:
    """The seconds of a round as a person says them.

    >>> seconds_of("90"), seconds_of("2d")
    (90, 172800)
    """
    found = CLOCK.fullmatch(clock)
    if found is not None:
        seconds = int(found[1]) * (DAY if found[2] else 1)
        if SHORTEST_CLOCK <= seconds <= LONGEST_CLOCK or seconds in LONG_CLOCKS:
            return seconds
    raise Refusal(f"--clock: found {quoted(clock)}; expected 10 to 300 seconds, or 1d to 3d")


def _all_three(chosen: tuple[int | None, int | None, int | None]) -> Numbers | None:
    """Three objectives; None if they are drawn at the deal."""
    color, handle, row = chosen
    if color is None or handle is None or row is None:
        return None
    return color, handle, row


@click.command(epilog="Example: sideboards bot greedy --table http://localhost:8000/t/k3v9")
@click.argument("name")
@click.option("--server", help="Address of the server, if --table is a code or an id.")
@click.option("--table", "link", required=True, help="Link, id or code of the table.")
@click.option("--as", "called", help="The name at the table; by default the bot's.")
@click.option("--games", type=int, default=1, show_default=True, help="Play so many, by rematches.")
@click.option("--seed", type=int, help="The same seed makes the same choices.")
@json_option
def bot(
    *,
    name: str,
    server: str | None,
    link: str,
    called: str | None,
    games: int,
    seed: int | None,
    as_json: bool,
) -> None:
    """Let a bot, also one of your own (module:function), sit down at a table of a server."""
    extra("httpx", "serve")
    from sideboards.client import Client  # noqa: PLC0415 (httpx)

    if not 1 <= games <= MOST_GAMES:
        raise Refusal(f"--games: found {games}; expected 1 to {MOST_GAMES}")
    material = load_edition()
    player = checked(name, named_bot(name, material))
    address, place = where(server, link)
    warm([name])
    rng = Random(SystemRandom().getrandbits(64) if seed is None else seed)
    guest = _Guest(
        Client(address, edition=material), called or name.rpartition(":")[2], player, rng
    )
    try:
        asyncio.run(guest.play(place or "", games))
    except (KeyboardInterrupt, asyncio.CancelledError):
        raise click.exceptions.Exit(complain("stopped", INTERRUPTED)) from None
    finally:
        if as_json:
            print_json(guest.results)
    if not as_json:
        for result in guest.results:
            click.echo(
                f"{result['table']}: {result['points']} points, place {result['place']}"
                f"{'' if result['fair'] else ', deal not proven'}"
            )


class _Guest:
    """A bot as a guest of a server, with the results of its games."""

    def __init__(self, client: "Client", called: str, player: "Bot", rng: Random) -> None:
        self._client = client
        self._called = called
        self._player = player
        self._rng = rng
        self.results: list[dict[str, object]] = []

    async def play(self, place: str, games: int) -> None:
        """Sit down and play, then play rematches."""
        loop, here = asyncio.get_running_loop(), asyncio.current_task()

        def stop() -> None:
            loop.remove_signal_handler(signal.SIGTERM)  # a second one ends it at once
            if here is not None:
                here.cancel()

        loop.add_signal_handler(signal.SIGTERM, stop)
        async with self._client as client:
            await client.sign_in(self._called)
            table_id = await find_table(client, place)
            await self._play_one(table_id)
            for _ in range(games - 1):
                table_id = (await client.rematch(table_id)).table
                await self._play_one(table_id)

    async def _play_one(self, table_id: str) -> None:
        from sideboards.client.playing import play_bot  # noqa: PLC0415 (msgspec)

        await self._client.sit(table_id)
        async with self._client.seat(table_id) as seat:
            starter = asyncio.create_task(_start_when_full(seat))
            try:
                last = await play_bot(seat, self._player, self._rng)
            except BaseException:  # also when it is stopped: nobody else can come back here
                await _leave(seat)
                raise
            finally:
                starter.cancel()
            self.results.append(_result(seat, last))


async def _leave(seat: "Seat") -> None:
    """Free the seat, or hand it to a bot of the server, so that the others go on."""
    if not seat.over and seat.end is None:
        with suppress(Refusal, TimeoutError):
            await asyncio.wait_for(seat.play("leave"), GOODBYE_WITHIN)


async def _start_when_full(seat: "Seat") -> None:
    """Start a table that is ours, such as that of a rematch, when all seats are taken."""

    def ours_and_full() -> bool:
        found = seat.table
        return (
            found is not None
            and found.host == seat.sitting.seat
            and not found.started
            and all(each.kind != "empty" for each in found.seats)
        )

    await seat.until(ours_and_full)
    await seat.play("start")


def _result(seat: "Seat", last: "View | None") -> dict[str, object]:
    """How a game ended for a seat."""
    ours = seat.sitting.seat
    score = last.scores[ours] if last is not None and last.over else None
    return {
        "table": seat.sitting.table,
        "seat": ours,
        "points": None if score is None else score.points.total,
        "place": None if score is None else score.place,
        "fair": seat.fair,
    }
