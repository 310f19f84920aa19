"""All tables of one server: loaded when somebody needs them, unloaded when nobody does."""

import asyncio
from contextlib import suppress
from functools import partial
from weakref import WeakValueDictionary

from sideboards.core.card import COLUMNS
from sideboards.core.edition import Edition
from sideboards.core.objective import Objective
from sideboards.core.refusal import Refusal
from sideboards.service.entries import Entry, create_entry
from sideboards.service.house import House
from sideboards.service.identity import Identity, is_table_id
from sideboards.service.limits import PRACTICE_PER_GUEST, TABLES_PER_GUEST
from sideboards.service.log import TABLE, CannotSave, Event, Guest, InDoubt, Taken, Write
from sideboards.service.protocol import Settings
from sideboards.service.refusals import ServiceRefusal
from sideboards.service.room import Actor, Room
from sideboards.service.summary import CODE_LIFE, row_of, summary_of
from sideboards.service.table import Table
from sideboards.service.terms import check_settings

IDLE_LIFE = 30 * 60_000
"""Milliseconds that a table without connections stays in memory."""
OVER_LIFE = 60_000
"""The same for a table whose game is over."""
GIVEN_UP_AFTER = 30 * 86_400_000
"""Milliseconds without any event after which a table without a clock is given up."""
BEAT = 5.0
"""Seconds between two rounds of the housekeeping."""
READ_AHEAD_PAUSE = 0.012
"""Seconds between two steps of about 3 milliseconds; it is over after about 20 seconds."""
READ_AGAIN = 0.5
"""Seconds until a table is read again after the database did not answer."""
LOOK_EVERY = 0.05
LOOKS = 15
MOST_LOOKS = 80
"""So often, so many seconds apart, it is looked whether the database has told what is stored. Who
comes while it sleeps is answered within a second; while it works for thousands, all are let in."""
READERS = 4
"""How many tables are read again at the same time."""
CODES_EVERY = 6
"""Every so many rounds short codes that live no longer are forgotten."""
HERE_EVERY = 3
"""Every so many rounds other servers are told who is connected here."""


class BrokenLog(Exception):
    """A log that cannot be read: what stands in it was never allowed."""


def read_log(table: str, events: list[Event], edition: Edition) -> Room:
    """The room that a log tells of; raises BrokenLog."""
    room = Room(table, edition)
    try:
        for event in events:
            room.apply(event)
    except Exception as error:
        raise BrokenLog from error
    return room


class Tables:
    """The live tables of this server."""

    def __init__(self, house: House, identity: Identity, server: str) -> None:
        self._house = house
        self._identity = identity
        self._server = server
        self._live: dict[str, Table] = {}
        self._loading: dict[str, asyncio.Task[Table]] = {}
        self._creating: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """By guest, so that counting and creating a table are one."""
        self._keeper: asyncio.Task[None] | None = None
        self._reading = asyncio.Semaphore(READERS)

    def __len__(self) -> int:
        return len(self._live)

    @property
    def live(self) -> list[Table]:
        """All tables that are loaded."""
        return list(self._live.values())

    async def start(self) -> None:
        """Take up what a stopped server left: deadlines move by the time without a server."""
        store = self._house.store
        store.listen(self._woken, self._heard, self._lost)
        await store.resume(self._server)
        self._house.clock.set(await store.now())  # a first server may have corrected it
        self._house.cut = self._house.clock.now()
        self._house.announce("cut")  # whom an older process has lost may be at another server
        await self._keep(0)
        self._keeper = asyncio.get_running_loop().create_task(self._keep_forever())
        self._house.spawn(self._read_ahead())

    async def stop(self) -> None:
        """Write nothing any more."""
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.gather(self._keeper, return_exceptions=True)
        for table in self._live.values():
            table.stop()
        with suppress(CannotSave, InDoubt):  # without a goodbye the heartbeat tells it, later
            await self._house.store.leave(self._server)

    # ---- finding and making ----------------------------------------------------------------

    async def get(self, table: str) -> Table:
        """A table by its id; raises unknown_table."""
        if not is_table_id(table):
            raise ServiceRefusal("unknown_table")
        if (live := self._live.get(table)) is not None:
            return live
        if (loading := self._loading.get(table)) is None:
            loading = asyncio.get_running_loop().create_task(self._load(table))
            self._loading[table] = loading
            loading.add_done_callback(lambda _: self._loading.pop(table, None))
        return await asyncio.shield(loading)

    async def current(self, table: str) -> Table:
        """The same for whoever comes: with all that other servers have stored until now.

        Notices may be late, or missing while the database is out of reach. Then nobody here knows
        the present board, and an older one than somebody has seen elsewhere is not shown.
        """
        if not self._house.store.shared:  # nobody else writes, and a file does not sleep
            return await self.get(table)
        reading = asyncio.get_running_loop().create_task(self._read_now(table))
        try:
            for look in range(MOST_LOOKS):
                await asyncio.wait({reading}, timeout=LOOK_EVERY)
                if reading.done():
                    return reading.result()
                if look >= LOOKS and not self._house.store.awake:
                    break
        except CannotSave:
            pass
        finally:
            reading.cancel()
        raise ServiceRefusal("cannot_save")

    async def _read_now(self, table: str) -> Table:
        if (live := self._live.get(table)) is not None:
            await live.catch_up()
        return await self.get(table)  # which may have been unloaded meanwhile

    def loaded(self, table: str) -> Table | None:
        """A table by its id, if it is in memory."""
        return self._live.get(table)

    async def _load(self, table: str) -> Table:
        store = self._house.store
        try:
            events = await store.read(table)
            if not events:
                raise ServiceRefusal("unknown_table")
            room = read_log(table, events, self._house.edition)
            guests = [chair.guest for chair in room.chairs if chair.guest]
            due, names = await asyncio.gather(store.due(table), store.names(guests))
        except CannotSave:
            raise ServiceRefusal("cannot_save") from None
        loaded = self._live[table] = Table(room, self._house, due, names)
        for event in events:
            loaded.attendance.presence.take(event)
        await self._catch_up(loaded)  # what was written while the rest was read
        for chair in loaded.room.chairs:
            if chair.acts and chair.guest not in loaded.names:  # deleted, just before a crash
                self._house.spawn(self.leave(table, chair.guest))
        return loaded

    async def leave(self, table: str, guest: str) -> None:
        """Hand over the seat of somebody who was deleted, as soon as that can be stored."""
        while True:
            try:
                found = await self.get(table)
                actor = Actor(guest, found.room.seat_of(guest))
                await found.take(partial(found.room.ask, actor, "leave", self._house.new_seed))
            except ServiceRefusal as refusal:
                if refusal.code not in ("cannot_save", "busy"):
                    return  # the bot plays there already, or the game is over
                await asyncio.sleep(READ_AGAIN)
            else:
                return

    async def create(
        self, guest: Guest, settings: Settings, *, reserved: tuple[str, ...] = ()
    ) -> Table:
        """A new table that a guest has made; nobody sits there yet, some seats may be kept."""
        check_settings(settings, self._house.edition)
        lock = self._creating.setdefault(guest.id, asyncio.Lock())
        async with lock:
            known, practice = await self._open_tables_of(guest)
            if settings.practice is not None:
                for table in practice[: 1 - PRACTICE_PER_GUEST]:
                    await self._abandon(table)  # in no list: she would not find them again
                return await self._create(guest, settings, reserved)
            if len(known) >= TABLES_PER_GUEST:
                raise ServiceRefusal("too_many_tables")
            made = await self._create(guest, settings, reserved)
            if self._house.store.shared:  # another server may have made one at the same moment
                await self._close_if_too_many(made, guest)
            return made

    async def _open_tables_of(self, guest: Guest) -> tuple[list[str], list[str]]:
        """The open tables that a guest has made, and those for practice; the latest event last."""
        made = await self._house.store.open_tables_of(guest.id)
        practice = [each.table for each in made if summary_of(each).practice]
        return [each.table for each in made if each.table not in practice], practice

    async def _close_if_too_many(self, made: Table, guest: Guest) -> None:
        known, _ = await self._open_tables_of(guest)
        if len(known) <= TABLES_PER_GUEST:
            return
        host = Actor(guest.id, None)
        await made.take(lambda: made.room.ask(host, "close", self._house.new_seed))
        raise ServiceRefusal("too_many_tables")

    async def _create(self, guest: Guest, settings: Settings, reserved: tuple[str, ...]) -> Table:
        seed = self._house.new_seed
        for _ in range(3):  # a short code may be in use
            table, code = self._identity.new_table_id(), self._identity.new_code()
            entry = create_entry(settings, guest.id, code, seed(), reserved)
            try:
                await self._append_first(table, entry)
            except Taken:
                continue
            except CannotSave:
                raise ServiceRefusal("cannot_save") from None
            return await self.get(table)
        raise ServiceRefusal("busy")

    async def _append_first(self, table: str, entry: Entry) -> None:
        room = Room(table, self._house.edition)
        room.apply(Event(0, TABLE, entry.action, "", self._house.clock.now()))
        await self._house.store.append(Write(table, 0, TABLE, entry.action, row=row_of(room)))

    async def with_code(self, code: str) -> Table:
        """The waiting table with a short code; raises wrong_code."""
        table = await self._house.store.table_with_code(code)
        if table is None:
            raise ServiceRefusal("wrong_code")
        found = await self.get(table)
        if found.info().code != code:
            raise ServiceRefusal("wrong_code")
        return found

    async def rematch(self, table: Table, guest: Guest) -> Table:
        """A new table with the same seats, which the old one points to; made once."""
        room = table.room
        if room.settings.practice is not None:
            raise ServiceRefusal("no_practice_rematch")
        if room.phase not in ("finished", "abandoned"):
            raise ServiceRefusal("not_over")
        if room.seat_of(guest.id) is None:
            raise ServiceRefusal("not_your_seat")
        if not room.next:
            await self._make_next(table, guest)
        return await self.get(room.next)

    async def _make_next(self, table: Table, guest: Guest) -> None:
        """Make the table of a rematch: bots sit there at once, people's seats are kept."""
        room = table.room
        people = tuple(chair.guest for chair in room.chairs)
        new = await self.create(guest, room.settings, reserved=people)
        actor = Actor(guest.id, None)

        def ask() -> Entry:
            if room.next:
                raise ServiceRefusal("not_waiting")
            return Entry(TABLE, f"next {new.room.table}")

        try:
            for seat, chair in enumerate(room.chairs):
                if chair.kind == "bot":
                    await new.act(actor, f"0.0.seat{seat}", f"bot {seat} {chair.bot}", 0)
            await table.take(ask)
        except Refusal:
            if room.next != new.room.table:  # somebody was faster, or it cannot be
                await new.act(actor, "0.0.close", "close", 0)
            if not room.next:
                raise

    async def _read_ahead(self) -> None:
        """Fill the tables of all objectives in small steps, so that no view has to wait for it."""
        edition = self._house.edition
        objectives: tuple[Objective, ...] = (*edition.patterns, *edition.rows)
        for reader in [objective.reader for objective in objectives]:
            for columns in range(1, COLUMNS + 1):
                for _ in reader.filling(columns):
                    await asyncio.sleep(READ_AHEAD_PAUSE)

    # ---- housekeeping -----------------------------------------------------------------------

    async def _keep_forever(self) -> None:
        round_ = 0
        while True:
            await asyncio.sleep(BEAT)
            round_ += 1
            try:
                await self._keep(round_)
            except (CannotSave, InDoubt) as error:
                self._house.unsaved(error)  # the next round tries again
            except Exception as error:  # housekeeping goes on, whatever happens
                self._house.failed(error)
            else:
                self._house.saved()

    async def keep_all(self) -> None:
        """Do all of the housekeeping now, for tests that have moved the clock."""
        await self._keep(0)

    async def _keep(self, round_: int) -> None:
        house, now = self._house, self._house.clock.now()
        await house.store.beat(self._server)
        for table in await house.store.all_due(now):
            await self._load_quietly(table)
        if round_ % CODES_EVERY == 0:
            await house.store.drop_codes(now - CODE_LIFE)
        if round_ % 60 == 0:
            await self._give_up(now)
        self._unload(now)
        if house.store.shared and round_ % HERE_EVERY == 0:
            for live in self._live.values():
                house.announce(*live.attendance.lines())
            house.clock.set(await house.store.now())  # which may run on another machine

    async def _load_quietly(self, table: str) -> None:
        """Take up a table; one that cannot be read does not keep the others from it."""
        try:
            await self.get(table)
        except CannotSave:
            raise
        except Exception as error:
            self._house.failed(error)

    async def _give_up(self, now: int) -> None:
        """End tables that nobody has touched for a month."""
        for table in await self._house.store.forgotten(now - GIVEN_UP_AFTER):
            await self._abandon(table)

    async def _abandon(self, id_: str) -> None:
        """End a table, if that can be done now; its seeds are published by that."""
        await self._load_quietly(id_)
        if (table := self._live.get(id_)) is None:
            return

        def ask() -> Entry:
            if table.room.phase in ("finished", "abandoned"):
                raise ServiceRefusal("abandoned")
            return Entry(TABLE, "abandon")

        with suppress(ServiceRefusal):
            await table.take(ask)

    def _unload(self, now: int) -> None:
        for id_, table in list(self._live.items()):
            over = table.room.phase in ("finished", "abandoned")
            life = OVER_LIFE if over else IDLE_LIFE
            drafted = table.croupier.drafts.keys() & table.room.waiting  # nobody else has them
            busy = table.due is not None and not over and (drafted or table.due - now < IDLE_LIFE)
            if table.idle_since is not None and now - table.idle_since >= life and not busy:
                table.stop()
                del self._live[id_]
                # Both refer to their table: without this all would stay until Python looks for
                # such rings among all that is old, which it hardly ever does.
                del table.croupier, table.attendance

    # ---- several servers ----------------------------------------------------------------------

    def _woken(self, table: str) -> None:
        if (live := self._live.get(table)) is not None:
            self._house.spawn(self._catch_up(live))

    def _lost(self) -> None:
        for live in self._live.values():
            self._house.spawn(self._catch_up(live, names=True))

    async def _catch_up(self, table: Table, *, names: bool = False) -> None:
        """Read on until it succeeds: nobody would tell a second time."""
        while self._live.get(table.room.table) is table:
            try:
                await table.catch_up(self._reading)
                if names:
                    await self._learn_names(table)
            except CannotSave:
                await asyncio.sleep(READ_AGAIN)
            else:
                return

    async def _learn_names(self, table: Table) -> None:
        names = await self._house.store.names(list(table.names))
        if names != table.names:
            deleted = table.names.keys() - names.keys()
            table.names = names
            table.tell_table()
            for guest in deleted:
                table.send_away(guest)

    def _heard(self, text: str) -> None:
        for line in text.splitlines():
            word, *rest = line.split(" ")
            if word == "cut":
                self._house.cut = self._house.clock.now()
            elif word == "guest":
                self._identity.forget(rest[0])
                self._house.spawn(self.refresh_names(rest[0]))
            elif (table := self._live.get(rest[0])) is not None:
                self._told(word, table, rest[1:])

    def _told(self, word: str, table: Table, rest: list[str]) -> None:
        attendance = table.attendance
        match word, rest:
            case "who", []:
                self._house.announce(*attendance.lines())
            case "here", [seat, silent]:
                attendance.here_elsewhere(int(seat), int(silent))
            case "seen", [seat, at, input_at]:
                attendance.seen_elsewhere(int(seat), int(at), int(input_at))
            case "join", [seat, when]:
                attendance.come_elsewhere(int(seat), int(when))
            case "gone", [seat]:
                attendance.gone_elsewhere(int(seat))
            case "said", [seat, phrase]:
                table.say(int(seat), phrase)
            case "noticed", [seat, code]:
                table.croupier.noticed(code, int(seat))

    async def refresh_names(self, guest: str) -> None:
        """Show a guest's new name at all tables in memory; one who was deleted is sent away."""
        tables = [table for table in self._live.values() if guest in table.names]
        if tables:
            names = await self._house.store.names([guest])
            for table in tables:
                table.names.pop(guest, None)
                table.names.update(names)
                table.tell_table()
                if not names:
                    table.send_away(guest)
