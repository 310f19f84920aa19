"""The text client over the network: the same game, told from a server's views.

The person is asked in the main thread; the connection lives in a thread of its own, so that it
stays alive while nobody types.
"""

import select
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator, Sequence
from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as StillWaiting
from contextlib import contextmanager
from typing import Any, TypeVar

from sideboards.beside import Beside
from sideboards.client import Client, News, Seat, ServerRefusal
from sideboards.client.saved import Saved
from sideboards.core.refusal import Refusal
from sideboards.core.sheet import Line, Sheet
from sideboards.core.view import View
from sideboards.minds.bots import BOTS
from sideboards.prompt import Prompt
from sideboards.service.protocol import (
    Notice,
    Pending,
    PublicInfo,
    Said,
    SeatInfo,
    Settings,
    TableInfo,
)
from sideboards.terminal import Quit, Screen, Teller, listed, plain

LOOK_EVERY = 0.2
"""Seconds between two looks at what was typed while others choose."""
GOODBYE_WITHIN = 3.0
OPEN_PHASES = ("waiting", "playing")
T = TypeVar("T")


class RemoteGame(Teller):
    """A game on a server, of one person at this terminal."""

    def __init__(
        self,
        screen: Screen,
        client: Client,
        saved: Saved,
        ask: Callable[[str], str],
        bot_names: Sequence[str],
    ) -> None:
        super().__init__(screen, (), ask)
        self._client = client
        self._saved = saved
        self._bot_names = bot_names
        self._beside = Beside()
        self._seat: Seat | None = None
        self._following: Future[None] | None = None
        self._lock = threading.Lock()
        self._news: list[str] = []
        self._open_for_news = False
        self._prompt = ""
        self._question = Prompt(ask)
        self._asked: View | None = None
        """The view from which the person is choosing just now."""
        self._late = False
        """Whether the last round was closed while the person was choosing."""
        self._known_table: TableInfo | None = None
        self._known_public: PublicInfo | None = None
        self._gone: set[int] = set()
        """The seats of which was told that nobody is connected there."""

    # ---- coming and going ---------------------------------------------------------------------

    def sign_in(self, name: str | None) -> None:
        """Become the guest that was saved for this server, or a new one."""
        self._beside.run(self._sign_in(name))

    async def _sign_in(self, name: str | None) -> None:
        client = self._client
        if self._saved.restore(client):
            try:
                person = await client.me()
                if name is not None and name != person.name:
                    await client.rename(name)
            except ServerRefusal as refusal:
                if refusal.code != "who_are_you":
                    raise
            else:
                return
        await client.sign_in(name or self.words("play.you"))
        self._saved.save(client)

    def join_by(self, find: Callable[[], Coroutine[Any, Any, str]]) -> None:
        """Take a seat at a table that has yet to be found."""
        self.join(self._beside.run(find()))

    def join(self, table: str) -> None:
        """Take a seat at a table, or one's own seat again."""
        self._beside.run(self._client.sit(table))
        self._saved.save(self._client)
        self._enter(table)

    def rejoin(self) -> bool:
        """Take one's seat again at a table that was left unfinished; whether there is one."""
        for table in reversed(list(self._client.sittings)):
            try:
                phase = self._beside.run(self._client.table(table)).phase
                if phase in OPEN_PHASES:
                    self.join(table)
                    self.screen.say_words("remote.again", link=self._client.link(table))
                    return True
            except ServerRefusal:
                pass  # it is no longer there, or somebody else has the seat
            del self._client.sittings[table]
            self._saved.save(self._client)
        return False

    def create(self, settings: Settings, bots: Sequence[str]) -> None:
        """Open a table, sit down, and seat bots at its end."""
        self._beside.run(self._create(settings, bots))

    async def _create(self, settings: Settings, bots: Sequence[str]) -> None:
        client = self._client
        table = (await client.create(settings)).table
        await client.sit(table, 0)
        self._saved.save(client)
        for seat, bot in enumerate(bots, settings.seats - len(bots)):
            await client.act(table, f"bot {seat} {bot}")
        self._enter(table)

    def _enter(self, table: str) -> None:
        if self._following is not None:
            self._following.cancel()
            self._look(lambda: None)  # from then on it tells nothing more
        with self._lock:
            self._news.clear()
        self._known_table = self._known_public = None
        self._gone.clear()
        self._seat = self._client.seat(table, hear=self._hear)
        self._following = self._beside.start(self._follow())

    @property
    def seat(self) -> Seat:
        """The seat that was taken."""
        if self._seat is None:
            raise Refusal("seat: none yet; expected `join` or `create` first")
        return self._seat

    def close(self) -> None:
        """End the connection."""
        self._beside.run(self._client.close())
        self._beside.close()

    # ---- the game -------------------------------------------------------------------------------

    def play(self) -> None:
        """Play to the end and show the result; raises `Quit` when the person leaves."""
        try:
            self._wait_for_start()
            self._take_back()
            now = self._until_dealt()
            self._name_seats()
            self.points = self._table().settings.assist > 0
            self.welcome(now)
            self._show_chosen(now)
            while not self.seat.over:
                if (turn := self._turn()) is not None:
                    self.show_round(turn)
                    self._own_choice(turn)
            self._show_end()
        except (Quit, EOFError, KeyboardInterrupt):
            self._leave()
            raise

    def again(self) -> bool:
        """Offer a rematch where somebody sits; whether there is a seat at the next table now."""
        if not sys.stdin.isatty():
            return False
        table = self._table().table
        prompt = self.words("remote.rematch")
        try:
            with self._showing_news(prompt):
                typed = self.ask(prompt).strip().lower()
        except (EOFError, KeyboardInterrupt):  # the game is over, so nothing is left
            self.screen.say()
            return False
        if typed != "r":
            return False
        self.join_by(lambda: self._rematch(table))
        return True

    async def _rematch(self, table: str) -> str:
        return (await self._client.rematch(table)).table

    async def _follow(self) -> None:
        """Hold the connection, and tell what happens at the table as it happens."""
        try:
            async with self.seat as seat:
                while True:
                    await seat.changed()
                    if seat.table is not None:
                        self._tell_table(seat.table)
                    if seat.info is not None:
                        self._tell_public(seat.info.public)
                    if self._asked is not None and not self._is_open(self._asked):
                        self._question.call_off()
        finally:
            self._question.call_off()  # the connection is gone for good

    def _wait(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds; meanwhile news are shown and commands are taken."""
        waiting = self._beside.start(self.seat.until(holds))
        with self._showing_news():
            while True:
                try:
                    waiting.result(LOOK_EVERY)
                except StillWaiting:
                    self._look_at_keys()
                except BaseException:
                    waiting.cancel()
                    raise
                else:
                    return

    def _look_at_keys(self) -> None:
        """Take a command that was typed while others choose."""
        if not sys.stdin.isatty() or not select.select([sys.stdin], [], [], 0)[0]:
            return
        # A whole line is there; the line editor would not see that it is the end of all lines.
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        text = line.strip().lower()
        word, _, rest = text.partition(" ")
        try:
            if word in ("q", "quit"):
                raise Quit
            if self.seat.table is None:
                return  # not yet connected: there is nothing to do
            if self._ours().bot is not None:
                self._act("return")
            elif word in ("u", "undo"):
                self._act("undo")
            elif word == "b":
                self._help(rest)
            elif text:
                self.screen.say_words("remote.help")
        except ServerRefusal as refusal:
            self.screen.say_text(refusal.sentence)

    def _help(self, number: str) -> None:
        """Let a bot choose for the seat with this number, as people count."""
        numbers = [str(seat + 1) for seat in range(len(self._table().seats))]
        if number in numbers:
            self._act(f"help {numbers.index(number)}")
        else:
            self.screen.say_words("refusal.no_seat")

    def _act(self, action: str, shown: View | None = None) -> None:
        self._beside.run(self.seat.play(action, shown))

    def _table(self) -> TableInfo:
        table = self.seat.table
        if table is None:
            raise Refusal("table: not yet known; expected to be connected first")
        return table

    def _ours(self) -> SeatInfo:
        return self._table().seats[self.seat.sitting.seat]

    def _wait_for_start(self) -> None:
        """Show how others come to the table; the host starts when all seats are taken."""
        self._wait(lambda: self.seat.table is not None)
        if self._has_begun():
            return
        if any(seat.kind == "empty" for seat in self._table().seats):
            link = self._beside.run(self._client.link_for_others(self._table().table))
            self.screen.say_words("remote.link", link=link)
            if (code := self._table().code) is not None:
                self.screen.say_words("remote.code", code=code)
            empty = sum(seat.kind == "empty" for seat in self._table().seats)
            self.screen.say_words("remote.waiting", count=empty)
            self._wait(lambda: self._is_full() or self._has_begun())
        if self._table().host == self.seat.sitting.seat and not self._has_begun():
            self._act("start")

    def _is_full(self) -> bool:
        return all(seat.kind != "empty" for seat in self._table().seats)

    def _has_begun(self) -> bool:
        return self.seat.phase != "waiting" or self._table().started

    def _take_back(self) -> None:
        """Take the seat back from the bot that played on."""
        if self._ours().bot is not None and self.seat.phase == "playing":
            self._act("return")

    def _until_dealt(self) -> View:
        self._wait(lambda: self.seat.has_view or self.seat.over)
        if (now := self._look(lambda: self.seat.view)) is None:
            raise ServerRefusal("abandoned", self.words("refusal.abandoned"))
        return now

    def _show_chosen(self, now: View) -> None:
        """Show where the game is to somebody who comes back and has chosen before."""
        if now.choice is not None:
            self.show_round(now)
            self.screen.say_words("remote.chose", move=now.choice)

    def _turn(self) -> View | None:
        self._tell_awaited()
        self._wait(lambda: self.seat.over or self.seat.may_choose)
        return self._choosing()

    def _tell_awaited(self) -> None:
        """Say for whom the game waits, and what can be done meanwhile; bots need no mention."""
        info = self._look(lambda: None if self.seat.may_choose else self.seat.info)
        if info is None or self.seat.phase != "playing" or self._ours().bot is not None:
            return
        ours = self.seat.sitting.seat
        awaited = [
            self.names[seat]
            for seat, (at, sealed) in enumerate(
                zip(self._table().seats, info.public.sealed, strict=True)
            )
            if seat != ours and at.bot is None and not sealed
        ]
        if awaited:
            self.screen.say_words("remote.awaits", names=", ".join(awaited))
            self.screen.say_words("remote.help")

    def _choosing(self) -> View | None:
        """The view as it is now, if we may choose."""
        return self._look(lambda: self.seat.view if self.seat.may_choose else None)

    def _look(self, at: Callable[[], T]) -> T:
        """Look at something where the connection lives, so that it does not change meanwhile."""

        async def look() -> T:
            return at()

        return self._beside.run(look())

    def _own_choice(self, turn: View) -> None:
        """Ask until the person has chosen, or the round was closed without her."""
        shown = None
        while (now := self._choosing()) is not None and now.round == turn.round:
            options = listed(now)
            if shown != now.hand:
                self.show_hand(now, options)
                self._show_clock()
                shown = now.hand
            if (typed := self._ask_choice(now)) is None:
                self._come_too_late(now)
                continue
            text = typed.strip()
            self.seat.stir()
            if self.command(text, now):
                continue
            try:
                move = self.parse(text, options)
            except Refusal as refusal:
                self.refused(refusal, options)
                continue
            self._send(str(move), now)

    def _ask_choice(self, now: View) -> str | None:
        """What was typed; None if the round was closed, or somebody else chose, before that."""
        if self._late:
            self._question.drop_typed()
            self._late = False
        prompt = self.words("play.prompt")
        self._asked = now
        try:
            with self._showing_news(prompt):
                return self._question.ask(prompt, lambda: self._look(lambda: self._is_open(now)))
        finally:
            self._asked = None

    def _is_open(self, asked: View) -> bool:
        """Whether what is chosen from a view can still count."""
        now = self.seat.view if self.seat.may_choose and self.seat.end is None else None
        return now is not None and now.round == asked.round

    def _come_too_late(self, asked: View) -> None:
        """Say why nothing is asked for any more; raises when the connection is gone for good."""
        self.screen.say()
        if self.seat.end is not None:
            raise self.seat.end
        now = self._look(lambda: self.seat.view)
        if now is not None and now.round != asked.round:
            self.screen.say_words("remote.too_late")
            self._late = True

    def _show_clock(self) -> None:
        left = self._look(lambda: self.seat.seconds_left)
        if left is not None:
            hours, rest = divmod(int(left), 3600)
            time = (
                f"{hours}:{rest // 60:02}:{rest % 60:02}"
                if hours
                else f"{rest // 60}:{rest % 60:02}"
            )
            self.screen.say_words("remote.clock", time=time)

    def _send(self, move: str, shown: View) -> None:
        try:
            self._act(move, shown)
        except ServerRefusal as refusal:
            self.screen.say_text(refusal.sentence)
            if self.seat.end is not None:
                raise

    def _show_end(self) -> None:
        table = self._table()
        last = self._beside.run(self.seat.ended())
        self._client.sittings.pop(table.table, None)
        self._saved.save(self._client)
        if last is None or not last.over:
            raise ServerRefusal("abandoned", self.words("refusal.abandoned"))
        self._name_seats()
        self.tell_round(last)
        self.screen.say()
        self.screen.say_heading(self.words("play.over"))
        lines = [
            Line(name, board, swap_used=not swap)
            for name, board, swap in zip(self.names, last.boards, last.swaps, strict=True)
        ]
        self.screen.result(
            Sheet(last.edition, last.mode, last.objectives, tuple(lines)), you=last.seat
        )
        verdict = {True: "remote.fair", False: "remote.unfair", None: "remote.unknown"}
        self.screen.say_words(verdict[self.seat.fair])

    def record(self) -> str:
        """The record of the game that is over."""
        return self._beside.run(self._client.record(self._table().table))

    def _leave(self) -> None:
        """Hand the seat to a bot while we are away; a table that waits is kept."""
        seat = self._seat
        playing = seat is not None and seat.phase == "playing"
        key = "remote.kept"
        if seat is not None and playing and seat.end is None:
            try:
                self._beside.run(seat.play("leave"), GOODBYE_WITHIN)
                key = "remote.left"
            except (Refusal, StillWaiting, CancelledError):
                pass  # then the others see that we are not connected
        self._saved.save(self._client)
        self.screen.say()
        self.screen.say_words(key)

    # ---- news -------------------------------------------------------------------------------

    @contextmanager
    def _showing_news(self, prompt: str = "") -> Iterator[None]:
        """While the person waits or types, news are shown at once."""
        with self._lock:
            for text in self._news:
                self.screen.say_text(text)
            self._news.clear()
            self._open_for_news, self._prompt = True, prompt
        try:
            yield
        finally:
            with self._lock:
                self._open_for_news = False

    def _say_news(self, text: str) -> None:
        with self._lock:
            if not self._open_for_news:
                self._news.append(text)
            elif self._prompt and sys.stdin.isatty():
                told = self.screen.wrapped(text)
                print(f"\r\x1b[K{told}\n{self._prompt}{_typed()}", end="", flush=True)
            else:
                self.screen.say_text(text)

    def _hear(self, news: News) -> None:
        """Told by the connection, in its thread."""
        match news:
            case "lost":
                self._say_news(self.words("remote.lost"))
            case "connected" if self.seat.losses:
                self._say_news(self.words("remote.connected"))
            case Notice():
                self._say_news(plain(news.sentence))
            case Said():
                said = self.words(f"phrase.{news.phrase}")
                self._say_news(self.words("labelled", name=self._called(news.seat), text=said))
            case Pending(key=str()):
                self._say_news(self.words("remote.saving"))
            case _:
                pass

    def _tell_table(self, table: TableInfo) -> None:
        before, self._known_table = self._known_table, table
        if before is None or before is table or len(before.seats) != len(table.seats):
            return
        if table.next and not before.next:
            self._say_news(self.words("remote.next"))
        for seat, (old, new) in enumerate(zip(before.seats, table.seats, strict=True)):
            if seat == self.seat.sitting.seat:
                if new.bot and not old.bot:
                    self._say_news(self.words("remote.taken"))
                continue
            if new.kind == "bot":
                continue
            if (key := self._changed(seat, old, new)) is not None:
                info = new if new.kind == "person" else old
                name = plain(info.name or f"#{seat + 1}")
                self._say_news(self.words(key, name=name, seat=seat + 1))

    def _changed(self, seat: int, old: SeatInfo, new: SeatInfo) -> str | None:
        """The key of what is to be told of somebody's seat, if anything is."""
        if (old.kind, new.kind) == ("empty", "person"):
            return "remote.sits"
        if (old.kind, new.kind) == ("person", "empty"):
            return "remote.stands"
        if new.kind == "person" and bool(old.bot) != bool(new.bot):
            self._gone.discard(seat)
            return "remote.bot" if new.bot else "remote.back"
        if new.bot:  # whether its person looks on matters to nobody
            return None
        if new.kind == "person" and old.present and not new.present:
            self._gone.add(seat)
            return "remote.gone"
        if new.present and seat in self._gone:  # not who has only just sat down
            self._gone.discard(seat)
            return "remote.back"
        return "remote.away" if new.away and not old.away else None

    def _tell_public(self, public: PublicInfo) -> None:
        before, self._known_public = self._known_public, public
        if before is None or before is public or before.round != public.round:
            return
        for seat in public.swapped[len(before.swapped) :]:
            self._tell_seat("remote.swaps", seat)
        for seat, (old, new) in enumerate(zip(before.sealed, public.sealed, strict=True)):
            if old != new:
                self._tell_seat("remote.chosen" if new else "remote.undone", seat)

    def _tell_seat(self, key: str, seat: int) -> None:
        if seat != self.seat.sitting.seat:
            self._say_news(self.words(key, name=self._called(seat)))

    def _called(self, seat: int) -> str:
        return self.names[seat] if seat < len(self.names) else f"#{seat + 1}"

    def _name_seats(self) -> None:
        """Everybody by name; bots get names as at a table without a server."""
        seats = self._table().seats
        people = {info.name for info in seats}
        names, bots = [], (name for name in self._bot_names if name not in people)
        for seat, info in enumerate(seats):
            if seat == self.seat.sitting.seat:
                names.append(self.words("play.you"))
            elif info.kind == "person":
                names.append(plain(info.name or f"#{seat + 1}"))
            else:
                kind = info.bot or ""
                spoken = self.words(f"bot.{kind}") if kind in BOTS else kind
                names.append(f"{next(bots, f'#{seat + 1}')} ({spoken})")
        self.names = tuple(names)


def _typed() -> str:
    """What was typed so far, where the line editor knows it."""
    editor = sys.modules.get("readline")
    return editor.get_line_buffer() if editor is not None else ""
