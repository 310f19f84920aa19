"""One live table: takes actions, makes them durable, tells everybody, acknowledges. In that order.

Everything that changes a table passes through its lock, and every change is an entry of its log,
also that of a bot, of the clock, or of another server.
"""

import asyncio
import time
from collections.abc import Callable
from copy import copy

from sideboards.core.game import State
from sideboards.core.refusal import IllegalMove, Refusal
from sideboards.core.view import View, view
from sideboards.service.clock import Timer
from sideboards.service.house import House, Subscriber
from sideboards.service.log import TABLE, CannotSave, Event, InDoubt, Row, Taken, Write
from sideboards.service.presence import Presence
from sideboards.service.protocol import (
    Ack,
    Advice,
    AdviceInfo,
    ClockInfo,
    Notice,
    PublicMessage,
    Said,
    SeatInfo,
    TableInfo,
    TableMessage,
    ViewInfo,
)
from sideboards.service.refusals import ServiceRefusal
from sideboards.service.room import STAND_IN, Actor, Entry, Room, read_move
from sideboards.service.summary import CODE_LIFE, changes_row, due_after, row_of
from sideboards.service.thinking import LADDER
from sideboards.service.wire import Showing, Shown, ack_message, encode, view_message
from sideboards.words import words

IN_DOUBT_PAUSE = 0.2
COACH_AGAIN = 1.0
OTHERS_FIRST = 1.0
"""Seconds that a server gives the one to which a seat is connected, when time is up."""
PATIENCE = 5
"""How often an action is tried again when other servers write first."""


class Table:
    """A table that somebody plays or watches."""

    __slots__ = (
        "_advice",
        "_deadline",
        "_drafts",
        "_house",
        "_lock",
        "_notes",
        "_opened",
        "_showing",
        "_thinking",
        "due",
        "idle_since",
        "names",
        "presence",
        "room",
        "seats",
        "spectators",
    )

    def __init__(self, room: Room, house: House, due: int | None, names: dict[str, str]) -> None:
        self.room = room
        self._house = house
        self._lock = asyncio.Lock()
        self._showing: Showing | None = None
        self._drafts: dict[int, tuple[int, str]] = {}
        self._thinking: set[tuple[int, int, int]] = set()
        self._advice: dict[int, tuple[tuple[int, int, int] | None, tuple[AdviceInfo, ...]]] = {}
        self._deadline: Timer | None = None
        self._notes: Timer | None = None
        self._opened = house.clock.now()
        self.due = due
        self.names = names
        self.seats: dict[int, Subscriber] = {}
        self.spectators: set[Subscriber] = set()
        self.presence = Presence(self._opened)
        self.idle_since: int | None = self._opened
        self._arm()
        self._ask_bots()

    # ---- actions -------------------------------------------------------------------------------

    async def act(
        self, actor: Actor, key: str, text: str, level: int, via: Subscriber | None = None
    ) -> Ack:
        """Take one action: check it, make it durable, tell everybody, acknowledge.

        Whoever asks through a socket gets the view with the acknowledgement, not twice.
        """
        seat = TABLE if actor.seat is None else actor.seat
        full_key = f"{seat}.{key}"
        if text.startswith("help "):
            await self._help(actor, text, full_key)
        else:
            await self._take(lambda: self._ask(actor, text), full_key, text, via)
        return self.ack(actor.seat, key, level)

    def _ask(self, actor: Actor, text: str) -> Entry:
        """The entry for an action, with what only a live table knows: who is away, which bots."""
        entry = self.room.ask(actor, text, self._house.new_seed)
        word, *rest = entry.action.split(" ")
        if word == "vote":
            self._check_away(int(rest[0]))
        elif word == "bot":
            self._check_offered(rest[1])
        return entry

    async def sit(self, guest: str, name: str, seat: int, commit: str) -> None:
        """Somebody takes an empty seat."""
        self.names[guest] = name
        await self._take(lambda: self.room.ask_sit(seat, guest, commit, self._house.new_seed()))

    async def take(self, ask: Callable[[], Entry]) -> None:
        """Take an action that carries data of its own."""
        await self._take(ask)

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
        self.heard(seat)
        if move is None:
            self._drafts.pop(seat, None)
        else:
            self._drafts[seat] = (round_, move)

    def heard(self, seat: int) -> None:
        """Somebody did something, and so is not away."""
        now = self._house.clock.now()
        was_away = self.presence.is_away(seat, now)
        self.presence.act(seat, now)
        if was_away:
            self.tell_table()
            self._watch_absence()

    def say(self, seat: int, phrase: str) -> None:
        """Tell everybody here a fixed phrase."""
        self._broadcast(encode(Said(phrase=phrase, seat=seat)))

    async def catch_up(self) -> None:
        """Take what other servers have written."""
        async with self._lock:
            await self._catch_up()

    async def _take(
        self,
        ask: Callable[[], Entry],
        key: str = "",
        text: str = "",
        via: Subscriber | None = None,
    ) -> None:
        async with self._lock:
            for _ in range(PATIENCE):
                if key and self.room.is_known(key, text):
                    return
                entry = ask()
                try:
                    await self._store(entry, key, via)
                except Taken:
                    await self._read_again()
                else:
                    return
        raise ServiceRefusal("busy")

    async def _read_again(self) -> None:
        try:
            await self._catch_up()
        except CannotSave:
            raise ServiceRefusal("cannot_save") from None

    async def _store(self, entry: Entry, key: str, via: Subscriber | None) -> None:
        """Commit an entry, then take it. Raises Taken when another server was first."""
        room = self.room
        position = room.position + 1
        row = self._row_after(entry)
        write = Write(room.table, position, entry.seat, entry.action, key, row)
        begun = time.monotonic()
        try:
            at = await self._house.store.append(write)
        except CannotSave:
            raise ServiceRefusal("cannot_save") from None
        except InDoubt:
            await self._settle(write)
            return
        self._house.committed(time.monotonic() - begun)
        self._applied(Event(position, entry.seat, entry.action, key, at), entry, via)

    async def _settle(self, write: Write) -> None:
        """Find out whether a write that was in doubt is stored; if not, it is for asking again."""
        while True:
            try:
                await self._catch_up()
                break
            except CannotSave:
                await asyncio.sleep(IN_DOUBT_PAUSE)
        if self.room.position < write.position or not self._is_ours(write):
            raise Taken

    def _is_ours(self, write: Write) -> bool:
        return bool(write.key) and self.room.keys.get(write.key) == write.action

    async def _catch_up(self) -> None:
        room = self.room
        for event in await self._house.store.read(room.table, room.position):
            self._applied(event, None)

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
        at = self._house.clock.now()
        after.apply(Event(room.position + 1, entry.seat, entry.action, "", at), entry.after)
        return row_of(after)

    def _applied(self, event: Event, entry: Entry | None, via: Subscriber | None = None) -> None:
        """Take a stored event and tell everybody what it means to them."""
        room, before, phase = self.room, self.room.game, self.room.phase
        room.apply(event, entry.after if entry else None)
        self._house.moved()
        self._seat_again(event, entry)
        game = room.game
        closes = before is not None and game is not None and game.round != before.round
        if changes_row(event.action, phase, closes=closes):
            after = due_after(room)
            self.due = None if after is None else event.at + after
            self._opened = self._house.clock.now()
            self._drafts.clear()
            self._arm()
            self._watch_absence()
        self._tell(event, whole=before is None or closes, via=via)
        if before is not None and game is not None and was_refilled(before, game):
            self._notice("reshuffled", None)
        if self._is_lonely_start():
            self._house.spawn(self._deal())
        self._ask_bots()

    def _seat_again(self, event: Event, entry: Entry | None) -> None:
        """Send away whoever lost the seat, or may not watch; learn who has come elsewhere."""
        word = event.action.partition(" ")[0]
        close_soon = asyncio.get_running_loop().call_soon  # so that an answer comes before it
        if word in ("settings", "remove", "leave", "sit"):
            for seat, subscriber in list(self.seats.items()):
                if seat >= len(self.room.chairs) or (
                    self.room.chairs[seat].guest != subscriber.guest
                ):
                    del self.seats[seat]
                    self.presence.forget(seat)
                    close_soon(subscriber.close, 4003, "not_your_seat")
        if word == "deal" and not self.room.settings.spectators:
            for subscriber in list(self.spectators):
                if subscriber.guest != self.room.host:
                    self.spectators.discard(subscriber)
                    close_soon(subscriber.close, 4003, "no_spectators")
        if word == "sit" and entry is None:
            self._house.spawn(self._learn_name(self.room.chairs[event.seat].guest))

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
        if room.game is None or is_of_table(event.action) or room.phase != "playing":
            self.tell_table()
        if room.game is None:
            return
        self._showing = Showing(room.game, room.opening or room.game, self._showing)
        public: dict[bool, bytes] = {}
        for subscriber in (*self.seats.values(), *self.spectators):
            if subscriber is via:
                continue  # the acknowledgement brings the view
            if whole or (subscriber.seat == event.seat and not is_of_table(event.action)):
                self.send_view(subscriber)
                continue
            points = self.level(subscriber) > 0
            if points not in public:
                message = PublicMessage(
                    clock=self._clock(), public=self._showing.public(points=points), seq=room.seq
                )
                public[points] = encode(message)
            subscriber.post(public[points])

    def tell_table(self) -> None:
        """Send everybody the table as it is now."""
        self._broadcast(encode(TableMessage(table=self.info())))

    def send_view(self, subscriber: Subscriber) -> None:
        """Send somebody the whole view, if cards were dealt."""
        shown = self.shown(subscriber.seat, self.level(subscriber))
        subscriber.post(view_message(shown, self.room.seq, self._left()), whole=True)
        self._help_with(subscriber)

    def _help_with(self, subscriber: Subscriber) -> None:
        """Ask the coach for whoever gets that much help and has to choose."""
        if self.level(subscriber) == 3 and subscriber.seat in self.room.waiting:
            self._advise(subscriber.seat)

    def shown(self, seat: int | None, level: int) -> Shown:
        """The encoded view of a seat or spectator."""
        return self._pictures().shown(seat, points=min(level, self.room.settings.assist) > 0)

    def view(self, seat: int | None, level: int) -> ViewInfo:
        """The view of a seat or spectator, as a message holds it."""
        return self._pictures().view(seat, points=min(level, self.room.settings.assist) > 0)

    def _pictures(self) -> Showing:
        game = self.room.game
        if game is None:
            raise ServiceRefusal("not_playing")
        if self._showing is None:
            self._showing = Showing(game, self.room.opening or game)
        return self._showing

    def level(self, subscriber: Subscriber) -> int:
        """How much help somebody gets: what the table allows, or less; 3 only against bots."""
        level = min(subscriber.assist, self.room.settings.assist)
        return level if level < 3 or self.room.against_bots else 2

    def info(self) -> TableInfo:
        """The table as everybody at it may know it."""
        room, now = self.room, self._house.clock.now()
        waits = room.phase == "waiting" and not room.started
        return TableInfo(
            table=room.table,
            phase=room.phase,
            settings=room.settings,
            rules=room.rules,
            commit=room.commit,
            host=room.seat_of(room.host),
            seats=tuple(self._seat_info(seat, now) for seat in range(len(room.chairs))),
            started=room.started,
            code=room.code if waits and now < room.created + CODE_LIFE else None,
            next=room.next or None,
        )

    def _seat_info(self, seat: int, now: int) -> SeatInfo:
        chair = self.room.chairs[seat]
        person = chair.kind == "person"
        return SeatInfo(
            kind=chair.kind,
            name=self.names.get(chair.guest) if person else None,
            bot=chair.bot or None,
            present=person and self.presence.is_present(seat, now),
            away=chair.acts and self.presence.is_away(seat, now),
            commit=chair.commit,
            opened=bool(chair.seed),
            votes=tuple(sorted(chair.votes)),
        )

    def _broadcast(self, message: bytes) -> None:
        for subscriber in (*self.seats.values(), *self.spectators):
            subscriber.post(message)

    def _left(self) -> int | None:
        """Milliseconds until the deadline."""
        if self.due is None or self.room.phase != "playing":
            return None
        return max(0, self.due - self._house.clock.now())

    def _clock(self) -> ClockInfo | None:
        left = self._left()
        return None if left is None else ClockInfo(left=left)

    def _notice(self, code: str, seat: int | None, **places: str) -> None:
        for subscriber in (*self.seats.values(), *self.spectators):
            sentence = words(subscriber.language)(f"notice.{code}", **places)
            subscriber.post(encode(Notice(code=code, seat=seat, sentence=sentence)))

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
            self.presence.come(seat, self._house.clock.now())
            self.tell_table()
            self._watch_absence()
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
            self.presence.go(seat, now)
            self.tell_table()
            self._watch_absence()
        if not self.seats and not self.spectators:
            self.idle_since = now
        return last

    def seated_elsewhere(self, seat: int) -> None:
        """Somebody of this seat has connected to another server."""
        if (older := self.seats.get(seat)) is not None:
            older.close(4001, "newer_tab")
        self.presence.hear(seat, 0, self._house.clock.now())
        self.tell_table()

    def gone_elsewhere(self, seat: int) -> None:
        """Somebody's connection to another server ended."""
        self.presence.hear_gone(seat, self._house.clock.now())
        self.tell_table()
        self._watch_absence()

    def stop(self) -> None:
        """Fire no timer any more: the table is unloaded."""
        for timer in (self._deadline, self._notes):
            if timer is not None:
                timer.cancel()

    def _watch_absence(self) -> None:
        """Tell everybody when somebody is away, as soon as that is so."""
        if self._notes is not None:
            self._notes.cancel()
        people = [seat for seat, chair in enumerate(self.room.chairs) if chair.acts]
        change = self.presence.next_change(people, self._house.clock.now())
        if change is not None and self.room.phase == "playing":
            self._notes = self._house.clock.call_at(change + 1, self._absence_changed)

    def _absence_changed(self) -> None:
        self.tell_table()
        self._watch_absence()

    def _check_away(self, seat: int) -> None:
        """Refuse to take somebody's seat who is not away."""
        if not self.presence.is_away(seat, self._house.clock.now()):
            raise ServiceRefusal("not_away")

    def _check_offered(self, bot: str) -> None:
        if bot in LADDER and self._house.thinkers.refusal(bot) is not None:
            raise ServiceRefusal("bot_not_here")

    # ---- bots, clocks, the deal --------------------------------------------------------------

    def _ask_bots(self) -> None:
        for seat in self.room.bots_to_ask:
            game = self.room.game
            if game is None:
                return
            moment = (seat, game.round, len(game.seats[seat].hands))
            if moment not in self._thinking:
                self._thinking.add(moment)
                self._house.spawn(self._bot_chooses(moment))

    async def _bot_chooses(self, moment: tuple[int, int, int]) -> None:
        """A bot thinks, waits for its beat, and chooses; unless the seat has changed hands."""
        seat = moment[0]
        try:
            beat = self._house.bot_beat * (4 + seat) // 4
            start = self._opened + beat * self._swaps_now(seat)
            name = self.room.chairs[seat].bot
            move = await self._bots_move(seat, name)
            wait = start + beat - self._house.clock.now()
            if wait > 0:
                await asyncio.sleep(wait / 1000)
            if self._moment(seat) == moment and seat in self.room.bots_to_ask:
                await self._take_quietly(seat, move)
        finally:
            self._thinking.discard(moment)
        if self._moment(seat) == moment:
            self._ask_bots()

    async def _bots_move(self, seat: int, name: str) -> str:
        """What a bot chooses, by the view as of the opening of the round."""
        answer = await self._house.thinkers.choose(
            name, self._bots_view(seat), self.room.bot_seed(seat)
        )
        if answer.replaced:
            self._notice("bot_replaced", seat, name=self._called(seat))
        return str(answer.move)

    def _bots_view(self, seat: int) -> View:
        game, opening = self.room.game, self.room.opening
        if game is None or opening is None:
            raise ServiceRefusal("not_playing")
        if len(game.seats[seat].hands) == len(opening.seats[seat].hands):
            return view(opening, seat)
        # After its own swap: the new hand, but not who has chosen meanwhile.
        quiet = type(game)(
            game.setup,
            game.round,
            game.seats,
            (None,) * len(game.seats),
            game.pile,
            game.discards,
            game.played,
        )
        return view(quiet, seat)

    def _swaps_now(self, seat: int) -> int:
        """How often a seat has swapped in this round."""
        game, opening = self.room.game, self.room.opening
        if game is None or opening is None:
            return 0
        return len(game.seats[seat].hands) - len(opening.seats[seat].hands)

    def _moment(self, seat: int) -> tuple[int, int, int] | None:
        game = self.room.game
        return None if game is None else (seat, game.round, len(game.seats[seat].hands))

    async def _take_quietly(self, seat: int, move: str) -> None:
        """Store a move that no person asked for; if it came too late, all the better.

        Without a key: the same move may be right again after somebody has taken it back.
        """
        try:
            await self._take(lambda: self.room.ask_move(seat, move))
        except IllegalMove:
            return
        except ServiceRefusal:
            await asyncio.sleep(1)  # cannot save now: the round waits, and it is tried again

    async def _help(self, actor: Actor, text: str, key: str) -> None:
        """Let a bot choose for somebody who is away, in this round, at a table without a clock."""
        if self.room.is_known(key, text):
            return
        seat = self.room.check_absent(actor, text.removeprefix("help "))
        if self.due is not None:
            raise ServiceRefusal("not_away")
        self._check_away(seat)
        if not await self._choose_for(seat, key, text):
            raise ServiceRefusal("not_away")

    async def _choose_for(self, seat: int, key: str = "", text: str = "") -> bool:
        """Store the stand-in's choice for a person, after a swap once more; whether it did."""
        chosen = False
        while seat in self.room.waiting:
            moment = self._moment(seat)
            move = await self._bots_move(seat, STAND_IN)
            if self._moment(seat) != moment:
                break
            await self._take(lambda m=move: self.room.ask_move(seat, m), key, text)  # type: ignore[misc]
            key, chosen = "", True
        return chosen

    def _arm(self) -> None:
        """Set the timer of the deadline."""
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
        if self.due is not None:
            call = self._opening_over if self.room.game is None else self._time_is_up
            self._deadline = self._house.clock.call_at(self.due, call)

    def _opening_over(self) -> None:
        self._house.spawn(self._deal())

    def _time_is_up(self) -> None:
        self._house.spawn(self._close_round())

    def _is_lonely_start(self) -> bool:
        """Whether all who can open a seed have done so, so that cards can be dealt."""
        room = self.room
        return (
            room.started
            and room.phase == "waiting"
            and all(chair.seed or not chair.commit for chair in room.chairs)
        )

    async def _deal(self) -> None:
        def ask() -> Entry:
            if self.room.game is not None:
                raise ServiceRefusal("not_waiting")
            return Entry(TABLE, "deal")

        try:
            await self._take(ask)
        except ServiceRefusal:
            if self.room.game is None and self.room.phase == "waiting":  # could not be saved
                self._deadline = self._house.clock.call_at(
                    self._house.clock.now() + 1000, self._opening_over
                )

    async def _close_round(self) -> None:
        """The clock ran out: everybody's draft counts, else the stand-in's choice."""
        game, due = self.room.game, self.due
        if game is None or due is None or self._house.clock.now() < due:
            return
        try:
            for seat in game.waiting:
                await self._close_seat(seat, game.round)
        except IllegalMove:  # somebody was faster
            pass
        except ServiceRefusal:
            self._deadline = self._house.clock.call_at(
                self._house.clock.now() + 1000, self._time_is_up
            )
            return
        if self.due == due:  # somebody took a choice back meanwhile
            self._arm()

    async def _close_seat(self, seat: int, round_: int) -> None:
        """Choose for somebody whose time is up: the draft, else as the stand-in does."""
        now = self._house.clock.now()
        if seat not in self.seats and self.presence.is_present(seat, now):
            await asyncio.sleep(OTHERS_FIRST)  # the server that she is connected to has the draft
        if (
            self.room.game is None
            or self.room.game.round != round_
            or seat not in self.room.waiting
        ):
            return
        self._notice("timeout", seat, name=self._called(seat))
        if not await self._take_draft(seat, round_):
            await self._choose_for(seat)

    async def _take_draft(self, seat: int, round_: int) -> bool:
        """Seal somebody's draft, if there is one that is legal."""
        drafted, move = self._drafts.get(seat, (-1, ""))
        if drafted != round_ or move in ("swap", "undo"):
            return False
        try:
            read_move(move)
            await self._take(lambda: self.room.ask_move(seat, move))
        except IllegalMove:
            return False
        except ServiceRefusal as refusal:
            if refusal.code == "not_an_action":
                return False
            raise
        return True

    def _called(self, seat: int) -> str:
        return self.names.get(self.room.chairs[seat].guest, f"#{seat + 1}")

    def _advise(self, seat: int) -> None:
        """Send the coach's values of a seat's options, at once or when they are found."""
        moment = self._moment(seat)
        known, options = self._advice.get(seat, (None, ()))
        if known != moment:
            self._advice[seat] = (moment, ())
            self._house.spawn(self._weigh(seat))
        elif options:
            self._send_advice(seat, options)

    async def _weigh(self, seat: int) -> None:
        """Ask the coach until it can answer, or the moment is over."""
        moment = self._moment(seat)
        try:
            while seat in self.seats and seat in self.room.waiting:
                seen, seed = self._bots_view(seat), self.room.bot_seed(seat)
                weights = await self._house.thinkers.weigh(seen, seed)
                if self._moment(seat) != moment:
                    return
                if weights:
                    options = tuple(AdviceInfo(points, move, won) for move, points, won in weights)
                    self._advice[seat] = (moment, options)
                    self._send_advice(seat, options)
                    return
                await asyncio.sleep(COACH_AGAIN)
        except Refusal:
            return  # there is no coach here
        self._advice.pop(seat, None)

    def _send_advice(self, seat: int, options: tuple[AdviceInfo, ...]) -> None:
        subscriber = self.seats.get(seat)
        if subscriber is not None and seat in self.room.waiting and self.level(subscriber) == 3:
            subscriber.post(encode(Advice(options=options, seq=self.room.seq)))


def was_refilled(before: State, after: State) -> bool:
    """Whether the discards became the pile."""
    return after.discards[: len(before.discards)] != before.discards


def is_of_table(action: str) -> bool:
    """Whether an action is about seats rather than cards."""
    return action.partition(" ")[0] in ("leave", "return", "vote", "next", "abandon", "close")
