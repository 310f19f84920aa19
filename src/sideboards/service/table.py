"""One live table: takes actions, makes them durable, tells everybody, acknowledges. In that order.

Everything that changes a table passes through its lock, and every change is an entry of its log,
also that of a bot, of the clock, or of another server.
"""

import asyncio
import time
from collections.abc import Callable
from contextlib import nullcontext
from copy import copy
from functools import partial

from sideboards.core.game import was_refilled
from sideboards.service.attendance import Attendance
from sideboards.service.croupier import Croupier
from sideboards.service.entries import Entry
from sideboards.service.house import House, Subscriber
from sideboards.service.limits import Meter
from sideboards.service.log import CannotSave, Event, InDoubt, Row, Taken, Write, is_of_table
from sideboards.service.news import News, noticed
from sideboards.service.protocol import Ack, Said, TableInfo, TableMessage, ViewInfo
from sideboards.service.refusals import ServiceRefusal
from sideboards.service.room import Actor, Room
from sideboards.service.summary import changes_row, due_after, info_of, row_of
from sideboards.service.thinking import LADDER
from sideboards.service.turns import Turns
from sideboards.service.wire import (
    Showing,
    Shown,
    ack_message,
    encode,
    public_message,
    view_message,
)
from sideboards.service.wish import Done, Wish

IN_DOUBT_PAUSE = 0.2
SENT_AGAIN = 5_000
"""Milliseconds in which a device sends what was unlocked before, when its connection is back; that
is no sign of its owner."""
PATIENCE = 50
"""How often an action is tried again when other servers write first."""


class Table:
    """A table that somebody plays or watches."""

    __slots__ = (
        "_ahead",
        "_house",
        "_showing",
        "_turns",
        "attendance",
        "croupier",
        "due",
        "idle_since",
        "joined",
        "meters",
        "names",
        "news",
        "room",
        "saving",
        "seats",
        "spectators",
    )

    def __init__(self, room: Room, house: House, due: int | None, names: dict[str, str]) -> None:
        self.room = room
        self._house = house
        self._turns = Turns()
        self._showing: Showing | None = None
        self._ahead: Showing | None = None
        """What will be shown when the move is stored that is under way."""
        self.due = due
        self.names = names
        self.news = News()
        self.seats: dict[int, Subscriber] = {}
        self.joined: dict[int, int] = {}
        """When each seat's present connection began."""
        self.meters: dict[int, tuple[Meter, Meter]] = {}
        """By seat what counts its messages and drafts, whatever socket they come from."""
        self.saving: dict[int, str] = {}
        """By seat the key of an action that takes long to be stored: until then it has no other."""
        self.spectators: set[Subscriber] = set()
        self.idle_since: int | None = house.clock.now()
        self.attendance = Attendance(self, house)
        self.croupier = Croupier(self, house)
        self.croupier.arm()
        self.croupier.ask_bots()

    # ---- actions -------------------------------------------------------------------------------

    def request(self, actor: Actor, key: str, text: str, via: Subscriber, done: Done) -> None:
        """Take one action: check it, make it durable, tell everybody; `done` hears how it went.

        Whoever asks here gets the view with the acknowledgement, not twice. It needs no task
        unless another server, or a bot, has a say in it.
        """
        if text.startswith("help "):
            self._house.spawn(self._help(actor, key, text, done))
        else:
            ask = partial(self._ask, actor, text, key)
            wish = Wish(ask, f"{actor.number}.{key}", text, via, done)
            self._turns.ask(partial(self._begin, wish))

    async def act(self, actor: Actor, key: str, text: str, level: int) -> Ack:
        """The same for whoever waits for it: the acknowledgement."""
        full_key = f"{actor.number}.{key}"
        if text.startswith("help "):
            await self.croupier.help(actor, text, full_key)
        else:
            await self.take(partial(self._ask, actor, text, key), full_key, text)
        return self.ack(actor.seat, key, level)

    async def _help(self, actor: Actor, key: str, text: str, done: Done) -> None:
        try:
            await self.croupier.help(actor, text, f"{actor.number}.{key}")
        except Exception as error:  # whoever asked is told
            done(error)
        else:
            done(None)

    def _ask(self, actor: Actor, text: str, key: str) -> Entry:
        """The entry for an action, with what only a live table knows: who is away, which bots."""
        entry = self.room.ask(actor, text, self._house.new_seed)
        game = self.room.game
        if entry.after and game and key.partition(".")[0] != str(game.round):
            # It was meant for a hand that is gone; the new one was not yet seen.
            raise ServiceRefusal("round_over")
        word, *rest = entry.action.split(" ")
        if word == "vote":
            self.attendance.check_away(int(rest[0]))
        elif word == "bot" and rest[1] in LADDER and self._house.thinkers.refusal(rest[1]):
            raise ServiceRefusal("bot_not_here")
        return entry

    async def sit(self, guest: str, name: str, seat: int, commit: str) -> None:
        """Somebody takes an empty seat."""
        self.names[guest] = name
        await self.take(lambda: self.room.ask_sit(seat, guest, commit, self._house.new_seed()))

    def ack(self, seat: int | None, key: str, level: int) -> Ack:
        """The acknowledgement of an action that is stored, with the present view's hash."""
        shown = self.shown(seat, level) if self.room.game else None
        return Ack(key=key, seq=self.room.seq, view_hash=shown.hash if shown else None)

    def acknowledge(self, subscriber: Subscriber, key: str) -> None:
        """Send somebody the acknowledgement of an action that is stored, with the view."""
        if self.room.game is None:
            subscriber.post(encode(self.ack(subscriber.seat, key, 0)))
            return
        shown, left = self.shown(subscriber.seat, self.level(subscriber)), self._left()
        subscriber.post(ack_message(key, shown, self.room.seq, left))
        self._help_with(subscriber)

    def draft(self, seat: int, round_: int, move: str | None) -> None:
        """Keep somebody's unlocked choice, for when the clock runs out."""
        if self._house.clock.now() - self.joined.get(seat, 0) >= SENT_AGAIN:
            self.attendance.heard(seat)
        if move is None:
            self.croupier.drafts.pop(seat, None)
        else:
            self.croupier.drafts[seat] = (round_, move)

    def say(self, seat: int, phrase: str) -> None:
        """Tell everybody here a fixed phrase."""
        said = Said(phrase=phrase, seat=seat)
        self.news.keep(self._house.clock.now(), lambda _: said)
        self._broadcast(encode(said))

    async def catch_up(self, few: asyncio.Semaphore | None = None) -> None:
        """Take what other servers have written; `few` is held while the database is asked.

        It is asked before it is this one's turn, so that all who come at once share an answer.
        """
        async with few or nullcontext():
            events = await self._house.store.read(self.room.table, self.room.position)
        async with self._turns:
            self._take_events(events)

    async def take(
        self,
        ask: Callable[[], Entry],
        key: str = "",
        text: str = "",
        first: Callable[[], None] | None = None,
    ) -> None:
        """Take an action: a known one is not stored twice."""
        async with self._turns:
            await self._take(Wish(ask, key, text, first=first))

    async def _take(self, wish: Wish) -> None:
        for _ in range(PATIENCE):
            if wish.key and self.room.is_known(wish.key, wish.text):
                return
            self._check_open(wish)
            entry = wish.ask()
            write = self._write(entry, wish.key)
            begun = time.monotonic()
            try:
                at = await self._house.store.append(write)
            except (CannotSave, InDoubt, Taken) as error:
                if await self._is_settled(write, error):
                    return
            else:
                took = time.monotonic() - begun
                if wish.first:
                    wish.first()
                opens = self._stored(write, entry, at, wish.via)
                self._follow_up(opens=opens, took=took)
                return
        raise ServiceRefusal("busy")

    def _begin(self, wish: Wish) -> None:
        """The same without a task: check, hand over to the store, go on when it is stored."""
        try:
            known = self.room.is_known(wish.key, wish.text)
            if not known:
                self._check_open(wish)
                entry = wish.ask()
                write = self._write(entry, wish.key)
                told = partial(self._told, wish, entry, write, time.monotonic())
                self._house.store.submit(write, told)
        except Exception as error:  # whoever asked is told
            self._end(wish, error)
        else:
            if known:
                self._end(wish, None)
            else:
                self._look_ahead(entry)

    def _look_ahead(self, entry: Entry) -> None:
        """Make the mover's view while the disk works, and no other: the answer would wait."""
        game, after = self.room.game, entry.after
        if game is None or after is None:
            return
        try:
            opening = after if after.round != game.round else self.room.opening or game
            self._ahead = Showing(after, opening, self._showing)
            if (mover := self.seats.get(entry.seat)) is not None:
                self._ahead.make_ahead(entry.seat, points=self._with_points(self.level(mover)))
        except Exception as error:  # the move is under way; its view is made when it is needed
            self._house.failed(error)

    def _check_open(self, wish: Wish) -> None:
        """Refuse whoever waited for a turn, so that all have their answer when the server ends."""
        if self._house.stopping and wish.key:
            raise ServiceRefusal("stopping")

    def _told(
        self, wish: Wish, entry: Entry, write: Write, begun: float, result: int | Exception
    ) -> None:
        """Go on with a wish of which the store tells what became of it."""
        if isinstance(result, Exception):
            self._house.spawn(self._again(wish, write, result))
            return
        took = time.monotonic() - begun
        try:
            opens = self._stored(write, entry, result, wish.via)
        except Exception as error:  # whoever asked is told
            self._end(wish, error)
        else:
            self._end(wish, None, partial(self._follow_up, opens=opens, took=took))

    async def _again(self, wish: Wish, write: Write, error: Exception) -> None:
        """Go on with a wish that could not be stored as it was."""
        try:
            if not await self._is_settled(write, error):
                await self._take(wish)
        except Exception as failure:  # whoever asked is told
            self._end(wish, failure)
        else:
            self._end(wish, None)

    def _end(
        self, wish: Wish, error: Exception | None, then: Callable[[], None] | None = None
    ) -> None:
        """Tell whoever asked, do what need not be waited for; then it is the next one's turn."""
        for call in (partial(wish.done, error) if wish.done else None, then):
            try:
                if call is not None:
                    call()
            except Exception as failure:  # the others at the table go on
                self._house.failed(failure)
        self._turns.over()

    async def _is_settled(self, write: Write, error: Exception) -> bool:
        """Whether a write is stored after all; if not, what others have stored is read."""
        if isinstance(error, CannotSave | InDoubt):
            self._house.unsaved(error)
        if isinstance(error, InDoubt):
            return await self._settle(write)
        if isinstance(error, CannotSave):
            raise ServiceRefusal("cannot_save") from None
        if not isinstance(error, Taken):
            raise error
        try:
            await self._catch_up()
        except CannotSave:
            raise ServiceRefusal("cannot_save") from None
        return False

    def _write(self, entry: Entry, key: str) -> Write:
        room = self.room
        row = self._row_after(entry)
        return Write(room.table, room.position + 1, entry.seat, entry.action, key, row)

    def _stored(self, write: Write, entry: Entry, at: int, via: Subscriber | None) -> bool:
        """Take an entry that is committed; whether it opens a round."""
        self._house.arranged(write.action, self.room.chairs)
        event = Event(write.position, write.seat, write.action, write.key, at)
        return self._take_in(event, entry, via)

    async def _settle(self, write: Write) -> bool:
        """Whether a write that was in doubt is stored; if not, it is for asking again."""
        while True:
            try:
                await self._catch_up()
                break
            except CannotSave:
                await asyncio.sleep(IN_DOUBT_PAUSE)
        stored = self.room.keys.get(write.key) if write.key else None
        return self.room.position >= write.position and stored == write.action

    async def _catch_up(self) -> None:
        self._take_events(await self._house.store.read(self.room.table, self.room.position))

    def _take_events(self, events: list[Event]) -> None:
        """Take what is stored, as far as it is not known yet."""
        for event in events:
            if event.position > self.room.position:
                self._follow_up(opens=self._take_in(event, None, None))

    def _row_after(self, entry: Entry) -> Row | None:
        """The index row, if this entry changes it."""
        room = self.room
        closes = bool(entry.after and room.game and entry.after.round != room.game.round)
        if not changes_row(entry.action, room.phase, closes=closes):
            return None
        if entry.after and not entry.after.over and room.settings.round_seconds is None:
            return None
        after = copy(room)
        after.chairs, after.keys = list(room.chairs), {}
        after.spent, after.sent_away = room.spent.copy(), room.sent_away.copy()
        at = self._house.clock.now()
        after.apply(Event(room.position + 1, entry.seat, entry.action, "", at), entry.after)
        return row_of(after)

    def _take_in(self, event: Event, entry: Entry | None, via: Subscriber | None) -> bool:
        """Take a stored event and tell everybody; whether it opens a round, or changes seats."""
        room, before, phase = self.room, self.room.game, self.room.phase
        room.apply(event, entry.after if entry else None)
        self._seat_again(event, entry)
        self.attendance.stored(event)
        game = room.game
        closes = before is not None and game is not None and game.round != before.round
        opens = changes_row(event.action, phase, closes=closes)
        if opens:
            after = due_after(room)
            self.due = None if after is None else event.at + after
        self._tell(event, whole=before is None or closes, via=via)
        if before is not None and game is not None and was_refilled(before, game):
            self.notice("reshuffled", None)
        return opens

    def _follow_up(self, *, opens: bool, took: float | None = None) -> None:
        """Count, set timers, ask bots and have the next round foreseen, after an event.

        `took` is how long it took to store it, if it was stored here.
        """
        self._house.moved()
        if took is not None:
            self._house.committed(took)
        if opens:
            self.croupier.open_round()
            self.attendance.watch()
        self.croupier.deal_when_opened()
        self.croupier.ask_bots()
        if self.seats and self._showing and len(self.room.waiting) == 1:
            self._house.later.append(self._showing.foresee)

    def _seat_again(self, event: Event, entry: Entry | None) -> None:
        """Send away whoever lost the seat, or may not watch; learn who has come elsewhere."""
        if entry is not None and entry.after is not None:
            return  # a move
        word = event.action.partition(" ")[0]
        close_soon = asyncio.get_running_loop().call_soon  # so that an answer comes before it
        if word in ("settings", "remove", "leave", "sit"):
            for seat, subscriber in list(self.seats.items()):
                if seat >= len(self.room.chairs) or (
                    self.room.chairs[seat].guest != subscriber.guest
                ):
                    del self.seats[seat]
                    self.attendance.presence.forget(seat)
                    self.meters.pop(seat, None)
                    close_soon(subscriber.close, 4003, "not_your_seat")
        if word == "deal" and not self.room.settings.spectators:
            for subscriber in list(self.spectators):
                if subscriber.guest != self.room.host:
                    self.spectators.discard(subscriber)
                    close_soon(subscriber.close, 4003, "no_spectators")
        if word == "sit" and entry is None:
            self._house.spawn(self._learn_name(self.room.chairs[event.seat].guest))

    async def knows(self, guest: str) -> bool:
        """Whether somebody is a guest, and was not deleted."""
        if guest not in self.names:  # also who has just sat down by another server
            try:
                self.names |= await self._house.store.names([guest])
            except CannotSave:
                raise ServiceRefusal("cannot_save") from None
        return guest in self.names

    def send_away(self, guest: str) -> None:
        """End all connections of somebody who was deleted."""
        for subscriber in (*self.seats.values(), *self.spectators):
            if subscriber.guest == guest:
                subscriber.close(4003, "not_your_seat")

    async def _learn_name(self, guest: str) -> None:
        try:
            self.names |= await self._house.store.names([guest])
        except CannotSave:
            return  # shown when the table is loaded again
        self.tell_table()

    # ---- telling -----------------------------------------------------------------------------

    def _tell(self, event: Event, *, whole: bool, via: Subscriber | None) -> None:
        """Send what changed: to everybody, or to the seat itself and the public part to others."""
        room = self.room
        if is_of_table(event.action) or room.phase != "playing":
            self.tell_table()
        if room.game is None:
            return
        ahead, self._ahead = self._ahead, None
        if ahead is None or not ahead.is_of(room.game):
            ahead = Showing(room.game, room.opening or room.game, self._showing)
        self._showing = ahead
        public: dict[bool, bytes] = {}
        for subscriber in (*self.seats.values(), *self.spectators):
            if subscriber is via:
                continue  # the acknowledgement brings the view
            if whole or (subscriber.seat == event.seat and not is_of_table(event.action)):
                self.send_view(subscriber)
                continue
            points = self._with_points(subscriber.assist)
            if points not in public:
                part = self._showing.public(points=points)
                public[points] = public_message(part, room.seq, self._left())
            subscriber.post(public[points])
        if whole:
            self._house.later.append(self._showing.forget)

    def tell_table(self) -> None:
        """Send everybody the table as it is now."""
        if self.seats or self.spectators:
            self._broadcast(encode(TableMessage(table=self.info())))

    def send_view(self, subscriber: Subscriber) -> None:
        """Send somebody the whole view as it is now, if cards were dealt."""
        seq, left = self.room.seq, self._left()
        subscriber.post(partial(self._view_of, self._pictures(), seq, left, subscriber))
        self._help_with(subscriber)

    def _view_of(self, pictures: Showing, seq: int, left: int | None, whose: Subscriber) -> bytes:
        """The message with a view, made when it is sent: after the answer to whoever moved."""
        return view_message(self.shown(whose.seat, self.level(whose), pictures), seq, left)

    def _help_with(self, subscriber: Subscriber) -> None:
        """Ask the coach for whoever gets that much help and has to choose."""
        seat = subscriber.seat
        if seat is not None and self.level(subscriber) == 3 and seat in self.room.waiting:
            self.croupier.advise(seat)

    def shown(self, seat: int | None, level: int, pictures: Showing | None = None) -> Shown:
        """The encoded view of a seat or spectator, of what is shown now if nothing else is said."""
        return (pictures or self._pictures()).shown(seat, points=self._with_points(level))

    def view(self, seat: int | None, level: int) -> ViewInfo:
        """The view of a seat or spectator, as a message holds it."""
        return self._pictures().view(seat, points=self._with_points(level))

    def _with_points(self, level: int) -> bool:
        """Whether somebody with so much help sees points before the end."""
        return min(level, self.room.settings.assist) > 0

    def _pictures(self) -> Showing:
        game = self.room.game
        if game is None:
            closed = self.room.phase == "abandoned"
            raise ServiceRefusal("not_playing" if closed else "not_started")
        if self._showing is None:
            self._showing = Showing(game, self.room.opening or game)
        return self._showing

    def level(self, subscriber: Subscriber) -> int:
        """How much help somebody gets: what the table allows, or less; 3 only against bots."""
        level = min(subscriber.assist, self.room.settings.assist)
        return level if level < 3 or self.room.against_bots else 2

    def info(self) -> TableInfo:
        """The table as everybody at it may know it."""
        now = self._house.clock.now()
        return info_of(self.room, self.names, self.attendance.presence, now)

    def _broadcast(self, message: bytes) -> None:
        for subscriber in (*self.seats.values(), *self.spectators):
            subscriber.post(message)

    def _left(self) -> int | None:
        """Milliseconds until the deadline."""
        if self.due is None or self.room.phase != "playing":
            return None
        return max(0, self.due - self._house.clock.now())

    def notice(self, code: str, seat: int | None, **places: str) -> None:
        """Tell everybody here what happened, each in the own language."""
        told = noticed(code, seat, places)
        self.news.keep(self._house.clock.now(), told)
        for subscriber in (*self.seats.values(), *self.spectators):
            subscriber.post(encode(told(subscriber.language)))

    # ---- coming and going -----------------------------------------------------------------

    def join(self, subscriber: Subscriber) -> None:
        """Somebody connects; a newer connection of the same seat closes the older one."""
        seat = subscriber.seat
        self.idle_since = None
        if seat is None:
            self.spectators.add(subscriber)
            subscriber.post(encode(TableMessage(table=self.info())))
        else:
            if (older := self.seats.get(seat)) is not None:
                older.close(4001, "newer_tab")
            self.seats[seat] = subscriber
            self.joined[seat] = self._house.clock.now()
            self.attendance.come(seat, self.joined[seat])
        if self.room.game is not None:
            self.send_view(subscriber)

    def part(self, subscriber: Subscriber) -> bool:
        """Somebody's connection ended; whether that seat has none any more because of it."""
        now = self._house.clock.now()
        seat = subscriber.seat
        last = seat is not None and self.seats.get(seat) is subscriber
        if seat is None:
            self.spectators.discard(subscriber)
        elif last:
            del self.seats[seat]
            self.attendance.go(seat, now)
        if not self.seats and not self.spectators:
            self.idle_since = now
        return last

    def stop(self) -> None:
        """Fire no timer any more: the table is unloaded."""
        self.croupier.stop()
        self.attendance.stop()
