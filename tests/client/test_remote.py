"""The terminal and bots of the command line, on a real server and real terminals."""

import asyncio
import json
import re
import signal
import subprocess
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, TypeVar

import pexpect
import pytest

from sideboards import Edition, parse_record, replay
from sideboards.beside import Beside
from sideboards.client import Client, Seat
from sideboards.client.playing import play_bot
from sideboards.minds.bots import BOTS
from sideboards.service.protocol import Settings
from sideboards.words import LANGUAGES, words
from tests.client.serving import PATIENCE, Server, serving, table_of
from tests.command import COMMAND, refused

pytestmark = pytest.mark.long
T = TypeVar("T")


def terminal(server: Server, home: Path, *arguments: str, lang: str = "en") -> "pexpect.spawn[str]":
    return pexpect.spawn(
        str(COMMAND), ["play", "--server", server.url, "--lang", lang, *arguments],
        encoding="utf-8", timeout=PATIENCE, dimensions=(60, 200),
        env={"PATH": "/bin", "LC_ALL": "C.UTF-8", "TERM": "dumb", "XDG_CONFIG_HOME": str(home)},
    )  # fmt: skip


class Other:
    """Ben, a guest in seat 0 who plays by program, step by step between those of a terminal."""

    def __init__(self, server: Server) -> None:
        self._loop = Beside()
        self.client = Client(server.url)
        self.run(self.client.sign_in("Ben"))
        self.table = self.run(table_of([self.client], (), Settings(seats=2)))
        self.seat = self.client.seat(self.table)
        self.run(self.seat.__aenter__())

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self._loop.run(work, PATIENCE)

    def until(self, holds: Callable[[Seat], bool]) -> None:
        self.run(self.seat.until(lambda: holds(self.seat)))

    def start(self) -> None:
        self.until(lambda seat: bool(seat.table and seat.table.seats[1].kind == "person"))
        self.run(self.seat.play("start"))

    def choose(self) -> None:
        now = self.run(self.seat.turn())
        assert now is not None
        self.run(self.seat.play(now.legal[0], now))

    def close(self) -> None:
        self.run(self.seat.__aexit__(None, None, None))
        self.run(self.client.close())
        self._loop.close()


@contextmanager
def meeting(
    server: Server, home: Path, lang: str = "en"
) -> Iterator[tuple["pexpect.spawn[str]", Other]]:
    """A terminal of Ana's, in seat 1, at a table with Ben; the game has begun."""
    ben = Other(server)
    child = terminal(server, home, "--name", "Ana", "--table", ben.table, lang=lang)
    try:
        ben.start()
        yield child, ben
    finally:
        child.close()
        ben.close()


def play_to_the_end(child: "pexpect.spawn[str]", lang: str = "en", rounds: int = 7) -> str:
    """Answer every prompt with 1; what was shown."""
    shown = ""
    spoken = words(lang)
    for number in range(7 - rounds, 7):
        key = "play.round" if number else "play.start"
        for text in (spoken(key, round=number, rounds=6), spoken("play.prompt").strip()):
            child.expect_exact(text)
            shown += f"{child.before}{child.after}"
        child.sendline("1")
    child.expect_exact(spoken("remote.rematch").strip())
    shown += child.before or ""
    child.sendline("")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0, shown
    return shown


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_person_plays_against_a_bot_on_a_server(
    lang: str, server: Server, tmp_path: Path, edition: Edition
) -> None:
    record = tmp_path / "game.txt"
    child = terminal(
        server, tmp_path, "--name", "Ana", "--bots", "greedy", "--record", str(record), lang=lang
    )
    shown = play_to_the_end(child, lang)
    spoken = words(lang)
    assert spoken("play.over") in shown
    assert spoken("remote.fair") in shown
    assert f"Ben ({spoken('bot.greedy')})" in shown
    assert "Traceback" not in shown
    game = parse_record(record.read_bytes(), edition)
    assert replay(game.setup, game.played).over
    assert (tmp_path / "sideboards" / "guests.json").stat().st_mode & 0o777 == 0o600


def test_a_new_table_has_the_clock_and_the_help_that_were_asked_for(
    server: Server, tmp_path: Path
) -> None:
    host = terminal(server, tmp_path, "--clock", "2d", "--assist", "0", "--public")
    host.expect(r"(http://\S+)/t/(\S+)")
    assert isinstance(host.match, re.Match)
    table = host.match[2]

    async def settings() -> Settings:
        async with Client(server.url) as client:
            assert table in [each["table"] for each in await client.tables()]
            return (await client.table(table)).settings

    assert asyncio.run(settings()) == Settings(round_seconds=172_800, assist=0, public=True)
    host.expect("Waiting for 1 more person")
    host.sendeof()
    host.expect("Your seat is kept")


def test_two_terminals_meet_by_link_and_see_what_the_other_does(
    server: Server, tmp_path: Path
) -> None:
    host = terminal(server, tmp_path / "ana", "--name", "Ana", "--players", "2")
    host.expect(r"(http://\S+/t/\S+)")
    assert isinstance(host.match, re.Match)
    link = host.match[1]
    host.expect(r"code: (\w{6})")
    host.expect("Waiting for 1 more person")
    guest = pexpect.spawn(
        str(COMMAND), ["play", "--table", link, "--name", "Ben", "--lang", "en"],
        encoding="utf-8", timeout=PATIENCE, dimensions=(60, 160),
        env={"PATH": "/bin", "LC_ALL": "C.UTF-8", "TERM": "dumb",
             "XDG_CONFIG_HOME": str(tmp_path / "ben")},
    )  # fmt: skip
    host.expect("Ben sits down")
    for _ in range(7):
        guest.expect_exact("Your choice")
        guest.sendline("1")
        host.expect_exact("Your choice")
        assert "is back" not in (host.before or ""), "nobody was gone"
        host.expect("Ben has chosen")
        host.sendline("2")
    for child in (host, guest):
        child.expect("Fair deal: checked")
        child.expect_exact("r for a rematch")
    guest.sendline("r")
    guest.expect("Others join with this link")
    host.expect("The rematch is open")
    host.sendline("R")
    guest.expect("Ana sits down")
    for child in (host, guest):
        child.expect("Start: choose two cards")
        child.expect_exact("(number or move)")
        shown = str(child.before)
        assert "rematch" not in shown
        assert "is back" not in shown
        child.sendline("q")
        child.expect("a bot plays on for you")
        child.expect(pexpect.EOF)
        child.close()
        assert child.exitstatus == 0


def test_every_rematch_has_a_record_of_its_own(
    server: Server, tmp_path: Path, edition: Edition
) -> None:
    arguments = ("--name", "Ana", "--bots", "random", "--record", str(tmp_path / "game.txt"))
    child = terminal(server, tmp_path, *arguments)
    for ending in ("r", "q"):
        for _ in range(7):
            child.expect_exact("Your choice")
            child.sendline("1")
        child.expect_exact("r for a rematch")
        child.sendline(ending)
    child.expect(pexpect.EOF)
    texts = [(tmp_path / name).read_bytes() for name in ("game.txt", "game-2.txt")]
    games = [parse_record(text, edition) for text in texts]
    assert games[0].setup.deck != games[1].setup.deck


def test_control_c_leaves_and_the_same_command_comes_back(server: Server, tmp_path: Path) -> None:
    arguments = ("--name", "Ana", "--bots", "random")
    child = terminal(server, tmp_path, *arguments)
    child.expect_exact("Your choice")
    child.sendline("1")
    child.expect("Round 1 of 6")
    child.expect_exact("(number or move)")
    for _ in range(10):
        child.sendintr()
        if child.expect(["a bot plays on for you", pexpect.TIMEOUT], timeout=3) == 0:
            break
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130
    assert "Traceback" not in str(child.before)
    assert "stopped" not in str(child.before), "it is said once, in the language"
    again = terminal(server, tmp_path, *arguments)
    again.expect("You take your seat again")
    shown = play_to_the_end(again, rounds=6)
    assert "Fair deal: checked" in shown, "the seed was kept as well"
    third = terminal(server, tmp_path, *arguments)
    third.expect("Start: choose two cards")
    third.sendline("q")
    third.expect(pexpect.EOF)
    third.close()


def test_a_restart_of_the_server_is_told_and_survived(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        child = terminal(server, tmp_path, "--name", "Ana", "--bots", "random")
        child.expect_exact("Your choice")
        server.kill()
        child.expect("The connection is lost")
        server.start()
        child.expect("Connected again")
        child.sendline("1")
        shown = play_to_the_end(child, rounds=6)
        assert "Fair deal: checked" in shown


def test_a_round_that_closes_under_the_prompt_is_over_for_what_was_typed(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        child = terminal(server, tmp_path, "--name", "Ana", "--bots", "random", "--clock", "300")
        child.expect_exact("Your choice")
        child.sendline("1")
        child.expect("Round 1 of 6")
        child.expect_exact("(number or move)")
        child.send("1")
        asyncio.run(server.advance(301))
        child.expect("The round was closed before you chose")
        child.expect("Round 2 of 6")
        child.expect("Your hand")
        child.send("\r")  # meant for the hand before, as the 1 was
        child.expect_exact("Your choice")
        child.expect_exact("(number or move)")
        with pytest.raises(pexpect.TIMEOUT):
            child.expect(["Round 3 of 6", "not a move"], timeout=1)
        child.sendline("1")
        child.expect("Round 3 of 6")
        child.expect_exact("(number or move)")
        child.sendline("q")
        child.expect("a bot plays on for you")
        child.expect(pexpect.EOF)


def test_what_is_typed_while_others_choose_is_taken_or_explained(
    server: Server, tmp_path: Path
) -> None:
    with meeting(server, tmp_path) as (child, _):
        child.expect_exact("(number or move)")
        child.sendline("1")
        child.expect_exact("While others choose")
        for odd in ("b ²", "b 9", "b " + "9" * 900, "b"):
            child.sendline(odd)
            child.expect_exact("There is no such seat at this table.")
        child.sendline("b 1")
        child.expect_exact("This person is here.")
        child.sendline("sing")
        child.expect_exact("While others choose")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_whoever_has_chosen_is_told_who_is_awaited(
    lang: str, server: Server, tmp_path: Path
) -> None:
    spoken = words(lang)
    with meeting(server, tmp_path, lang) as (child, ben):
        for back in ("undo", "u", None):
            child.expect_exact(spoken("play.prompt").strip())
            child.sendline("1")
            child.expect_exact(spoken("remote.awaits", names="Ben"))
            child.expect_exact(spoken("remote.help"))
            if back is not None:
                child.sendline(back)
        child.sendline("q")
        child.expect_exact(spoken("remote.left"))
        child.expect(pexpect.EOF)
        again = terminal(server, tmp_path, lang=lang)
        again.expect_exact(spoken("play.start"))
        again.expect_exact(str(spoken.texts["remote.chose"]).partition("{")[0])
        again.expect_exact(spoken("remote.awaits", names="Ben"))
        ben.choose()
        again.expect_exact(spoken("play.round", round=1, rounds=6))
        again.close()


def test_who_leaves_and_comes_back_is_told_of_once(server: Server, tmp_path: Path) -> None:
    with meeting(server, tmp_path) as (child, ben):
        child.expect_exact("(number or move)")
        child.sendline("1")
        child.expect_exact("While others choose")
        ben.run(ben.seat.play("leave"))
        ben.run(ben.seat.__aexit__(None, None, None))
        child.expect("Round 1 of 6")  # what the bot has chosen
        child.expect_exact("(number or move)")
        ben.seat = ben.client.seat(ben.table)
        ben.run(ben.seat.__aenter__())
        ben.run(ben.seat.dealt())
        ben.run(ben.seat.play("return"))
        with pytest.raises(pexpect.TIMEOUT):
            child.expect("never", timeout=1)
        told = str(child.before)
        child.sendline("q")
        child.expect(pexpect.EOF)
        assert told.count("Ben is back.") == 1
        assert "Ben is not connected" not in told


def test_whose_seat_a_bot_has_taken_takes_it_back(tmp_path: Path) -> None:
    with serving(tmp_path) as server, meeting(server, tmp_path) as (child, ben):
        child.expect_exact("(number or move)")
        asyncio.run(server.advance(200))
        ben.run(ben.seat.play("vote 1"))
        child.expect("A bot is playing for you now")
        child.sendline("")
        ben.until(lambda seat: bool(seat.table and seat.table.seats[1].bot is None))
        child.expect_exact("(number or move)")
        child.sendline("q")
        child.expect(pexpect.EOF)


class Ended(NamedTuple):
    """How a bot program ended."""

    code: int
    out: str
    err: str
    plays: str | None
    """The bot that plays its seat by then."""


def bot_command(*arguments: str, cwd: Path | None = None) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [COMMAND, "bot", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cwd
    )


def test_bots_sit_down_and_play_rematches(server: Server) -> None:
    async def tables() -> tuple[str, str]:
        async with Client(server.url) as ana:
            await ana.sign_in("Ana")
            table = await ana.create(Settings(seats=3))
            await ana.sit(table.table)
            others = [
                bot_command("greedy", "--table", ana.link(table.table), "--json", "--games", "2"),
                bot_command("random", "--server", server.url, "--table", str(table.code), "--json",
                            "--games", "2"),
            ]  # fmt: skip
            here = table.table
            for _ in range(2):
                async with ana.seat(here) as seat:
                    await seat.until(
                        lambda: bool(
                            seat.table and all(each.kind == "person" for each in seat.table.seats)
                        )
                    )
                    assert seat.table is not None
                    if seat.table.host == seat.sitting.seat:
                        await seat.play("start")
                    await play_bot(seat, BOTS["easy"], Random(1))
                    assert seat.fair is True
                if here == table.table:
                    here = (await ana.rematch(here)).table
                    await ana.sit(here)
            outputs = []
            for other in others:
                out, err = await asyncio.to_thread(other.communicate, None, PATIENCE)
                assert other.returncode == 0, err
                outputs.append(out.decode())
            return outputs[0], outputs[1]

    for output in asyncio.run(asyncio.wait_for(tables(), 2 * PATIENCE)):
        results = json.loads(output)
        assert len(results) == 2
        assert all(result["fair"] is True and result["points"] >= 0 for result in results)


async def bot_at_table(server: Server, folder: Path, name: str, sign: int | None = None) -> Ended:
    """How a bot program ended at a table with a person, and who plays its seat by then."""
    async with Client(server.url) as ana:
        table = await table_of([ana], (), Settings(seats=2))
        command = bot_command(name, "--table", ana.link(table), cwd=folder)
        try:
            async with ana.seat(table) as seat:

                def ours() -> str | None:
                    return None if seat.table is None else seat.table.seats[1].bot

                await seat.until(lambda: bool(seat.table and seat.table.seats[1].present))
                await seat.play("start")
                view = await seat.dealt()
                if sign is None and name == "mine:choose":
                    await play_bot(seat, BOTS["greedy"], Random(1))
                elif sign is not None:
                    await seat.until(lambda: bool(seat.view and seat.view.sealed[1]))
                    command.send_signal(sign)
                    await seat.until(lambda: ours() is not None)
                    await seat.play(view.legal[0])
                    await seat.until(lambda: bool(seat.view and seat.view.round == 1))
                    await seat.until(lambda: bool(seat.view and seat.view.sealed[1]))
                out, err = await asyncio.to_thread(command.communicate, None, PATIENCE)
                await seat.until(lambda: seat.over or ours() is not None)
                return Ended(command.returncode, out.decode(), err.decode(), ours())
        finally:
            command.kill()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("mine:cheat", 'found "L99" in round 0, seat 1; expected a legal move'),
        ("mine:forget", 'found "None" in round 0, seat 1; expected a legal move'),
        (
            "mine:stumble",
            'it raised ValueError "out of ideas" in round 0, seat 1; expected a legal move',
        ),
        ("mine:choose", None),
    ],
)
def test_a_bot_of_ones_own(name: str, said: str | None, server: Server, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "def choose(view, rng):\n    return rng.choice(view.legal)\n"
        "def cheat(view, rng):\n    return 'L99'\n"
        "def forget(view, rng):\n    return None\n"
        "def stumble(view, rng):\n    raise ValueError('out of ideas')\n"
    )
    ended = asyncio.run(asyncio.wait_for(bot_at_table(server, tmp_path, name), PATIENCE))
    if said is None:
        assert ended.code == 0
        assert re.fullmatch(r"\w+: \d+ points, place [12]\n", ended.out)
    else:
        assert (ended.code, ended.err) == (2, f"sideboards: {name}: {said}\n")
        assert ended.plays == "medium"


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_a_bot_program_that_is_stopped_leaves_its_seat(
    sign: int, server: Server, tmp_path: Path
) -> None:
    ended = asyncio.run(asyncio.wait_for(bot_at_table(server, tmp_path, "greedy", sign), PATIENCE))
    assert (ended.code, ended.err, ended.plays) == (130, "sideboards: stopped\n", "medium")


def test_a_second_sigterm_ends_a_bot_that_never_answers(server: Server, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "import time\ndef hang(view, rng):\n    while True:\n        time.sleep(1)\n"
    )

    async def stopped() -> None:
        async with Client(server.url) as ana:
            table = await table_of([ana], (), Settings(seats=2))
            command = bot_command("mine:hang", "--table", ana.link(table), cwd=tmp_path)
            async with ana.seat(table) as seat:
                await seat.until(lambda: bool(seat.table and seat.table.seats[1].present))
                await seat.play("start")
                await seat.dealt()
                await asyncio.sleep(0.5)  # it thinks
                command.send_signal(signal.SIGTERM)
                await seat.until(lambda: bool(seat.table and seat.table.seats[1].bot))
            command.send_signal(signal.SIGTERM)
            await asyncio.to_thread(command.communicate, None, PATIENCE)
            assert command.returncode == -signal.SIGTERM

    asyncio.run(asyncio.wait_for(stopped(), PATIENCE))


def test_a_bot_program_that_is_stopped_before_the_start_frees_its_seat(server: Server) -> None:
    async def stopped() -> None:
        async with Client(server.url) as ana:
            table = await table_of([ana], (), Settings(seats=2))
            command = bot_command("greedy", "--table", ana.link(table))
            async with ana.seat(table) as seat:
                await seat.until(lambda: bool(seat.table and seat.table.seats[1].present))
                command.send_signal(signal.SIGTERM)
                await seat.until(lambda: bool(seat.table and seat.table.seats[1].kind == "empty"))
            await asyncio.to_thread(command.communicate, None, PATIENCE)

    asyncio.run(asyncio.wait_for(stopped(), PATIENCE))


def test_what_cannot_be_is_refused(server: Server) -> None:
    assert "expected http://host:port/t/table" in refused("bot", "greedy", "--table", "ABCDEF")
    assert 'found "nobody"' in refused("bot", "nobody", "--table", f"{server.url}/t/x")
    assert "There is no such table" in refused("bot", "random", "--table", f"{server.url}/t/x")
    assert "expected a server of Sideboards" in refused("play", "--server", "http://127.0.0.1:9")
    assert "expected with it" in refused("play", "--name", "Ana")
    assert "expected with it" in refused("play", "--assist", "0")
    for clock in ("soon", "5", "301", "4d", "0d", "²", "9" * 6):
        line = refused("play", "--server", server.url, "--clock", clock)
        assert "--clock: found" in line
        assert "expected 10 to 300 seconds, or 1d to 3d" in line
    assert "all deal together" in refused("play", "--server", server.url, "--seed", "1")
    assert "expected at most 1" in refused("play", "--server", server.url, "--bots", "easy,easy")
    assert "expected http://host:port" in refused("play", "--server", "localhost")
