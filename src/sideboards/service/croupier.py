"""The croupier: acts where no person does. Bots choose, time runs out, cards are dealt."""

import asyncio
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from sideboards.core.game import Move
from sideboards.core.refusal import IllegalMove, Refusal
from sideboards.core.view import View, view
from sideboards.service.clock import Timer
from sideboards.service.entries import Entry
from sideboards.service.house import House
from sideboards.service.log import TABLE
from sideboards.service.protocol import Advice, AdviceInfo
from sideboards.service.refusals import ServiceRefusal
from sideboards.service.room import STAND_IN, Actor, read_move
from sideboards.service.thinking import Chosen
from sideboards.service.wire import encode

if TYPE_CHECKING:
    from sideboards.service.table import Table

COACH_AGAIN = 1.0
COACH_TRIES = 120
"""How often the coach is asked for one choice; at its first start it has much to compile."""
OTHERS_FIRST = 1.0
"""Seconds that a server gives the one to which a seat is connected, when time is up."""

Moment = tuple[int, int, int]
"""A seat, a round, and how many hands that seat has had: what a choice is made for."""


class TooLate(Exception):
    """What a bot has chosen is not wanted any more."""


class Croupier:
    """Whoever acts at one table when no person does."""

    __slots__ = ("_advice", "_deadline", "_house", "_table", "_thinking", "drafts", "opened")

    def __init__(self, table: "Table", house: House) -> None:
        self._table = table
        self._house = house
        self._thinking: set[Moment] = set()
        self._advice: dict[int, tuple[Moment | None, tuple[AdviceInfo, ...] | None]] = {}
        self._deadline: Timer | None = None
        self.drafts: dict[int, tuple[int, str]] = {}
        """Everybody's unlocked choice, with its round."""
        self.opened = house.clock.now()
        """When the present round opened."""

    def stop(self) -> None:
        """Fire no timer any more."""
        if self._deadline is not None:
            self._deadline.cancel()

    def open_round(self) -> None:
        """Begin a new round: old drafts are void, the clock starts anew."""
        self.opened = self._house.clock.now()
        self.drafts.clear()
        self.arm()

    def ask_bots(self) -> None:
        """Ask the bots of all seats that have one and have to choose."""
        for seat in self._table.room.bots_to_ask:
            game = self._table.room.game
            if game is None:
                return
            moment = (seat, game.round, len(game.seats[seat].hands))
            if moment not in self._thinking:
                self._thinking.add(moment)
                self._house.spawn(self._bot_chooses(moment))

    async def _bot_chooses(self, moment: Moment) -> None:
        """A bot thinks, waits for its beat, and chooses; unless the seat has changed hands."""
        seat = moment[0]
        try:
            beat = self._house.bot_beat * (4 + seat) // 4
            start = self.opened + beat * self._swaps_now(seat)
            name = self._table.room.chairs[seat].bot
            chosen = await self._bots_move(seat, name)
            wait = start + beat - self._house.clock.now()
            if wait > 0:
                await asyncio.sleep(wait / 1000)
            await self._take_quietly(moment, chosen)
        except Exception as error:  # the round waits for this seat: it is asked again
            self._house.failed(error)
            await asyncio.sleep(1)
        finally:
            self._thinking.discard(moment)
        if self._moment(seat) == moment:
            self.ask_bots()

    async def _bots_move(self, seat: int, name: str) -> Chosen:
        """What a bot chooses, by the view as of the opening of the round."""
        seed = self._table.room.bot_seed(seat)
        return await self._house.thinkers.choose(name, self._bots_view(seat), seed)

    def _bots_view(self, seat: int) -> View:
        game, opening = self._table.room.game, self._table.room.opening
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
        game, opening = self._table.room.game, self._table.room.opening
        if game is None or opening is None:
            return 0
        return len(game.seats[seat].hands) - len(opening.seats[seat].hands)

    def _moment(self, seat: int) -> Moment | None:
        game = self._table.room.game
        return None if game is None else (seat, game.round, len(game.seats[seat].hands))

    def _ask_for(self, moment: Moment, move: Move | str) -> Entry:
        """The entry for what is chosen for a seat: for that moment, and for no later one.

        To be asked when its turn has come. What the seat itself asked for before may have closed
        the round, and the next hand is not yet anybody else's to play.
        """
        seat = moment[0]
        if self._moment(seat) != moment or seat not in self._table.room.waiting:
            raise TooLate
        return self._table.room.ask_move(seat, str(move))

    async def _take_quietly(self, moment: Moment, chosen: Chosen) -> None:
        """Store a move that no person asked for; if it came too late, all the better.

        Without a key: the same move may be right again after somebody has taken it back.
        """

        def ask() -> Entry:
            # Looked at when its turn has come: the seat's person may have come back until then.
            if moment[0] not in self._table.room.bots_to_ask:
                raise TooLate
            return self._ask_for(moment, chosen.move)

        try:
            await self._table.take(ask, first=partial(self._tell_of_bot, moment[0], chosen))
        except (IllegalMove, TooLate):
            return
        except ServiceRefusal:
            await asyncio.sleep(1)  # cannot save now: the round waits, and it is tried again

    async def help(self, actor: Actor, text: str, key: str) -> None:
        """Let a bot choose for somebody who is away, in this round, at a table without a clock."""
        if self._table.room.is_known(key, text):
            return
        seat = self._table.room.check_absent(actor, text.removeprefix("help "))
        if self._table.due is not None:
            raise ServiceRefusal("not_away")
        self._table.attendance.check_away(seat)
        game = self._table.room.game
        if game is None or not await self._choose_for(seat, game.round, key, text):
            raise ServiceRefusal("not_away")

    async def _choose_for(self, seat: int, round_: int, key: str = "", text: str = "") -> bool:
        """Store the stand-in's choice for a person, after a swap once more; whether it did.

        In this round only: when it was the last choice, the seat waits again, for its owner. With
        a text somebody has asked for it, which counts only while the owner stays away.
        """
        chosen = False
        while (moment := self._moment(seat)) and moment[1] == round_:
            if seat not in self._table.room.waiting:
                break
            bots = await self._bots_move(seat, STAND_IN)

            def ask(moment: Moment = moment, move: Move = bots.move) -> Entry:
                if text and not self._table.attendance.is_away(seat):
                    raise TooLate
                return self._ask_for(moment, move)

            try:
                await self._table.take(ask, key, text, partial(self._tell_of_bot, seat, bots))
            except TooLate:
                break
            key, chosen = "", True
        return chosen

    def arm(self) -> None:
        """Set the timer of the deadline."""
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
        if self._table.due is not None:
            call = self._opening_over if self._table.room.game is None else self._time_is_up
            self._deadline = self._house.clock.call_at(self._table.due, call)

    def _opening_over(self) -> None:
        self._house.spawn(self._deal())

    def _time_is_up(self) -> None:
        self._house.spawn(self._close_round())

    def deal_when_opened(self) -> None:
        """Deal as soon as all who can open a seed have done so."""
        room = self._table.room
        if not room.started or room.phase != "waiting":
            return
        if all(chair.seed or not chair.commit for chair in room.chairs):
            self._house.spawn(self._deal())

    async def _deal(self) -> None:
        fixed = self._house.decks.get(self._table.room.table)

        def ask() -> Entry:
            if self._table.room.game is not None:
                raise ServiceRefusal("not_waiting")
            return Entry(TABLE, f"deal {fixed}" if fixed else "deal")

        try:
            await self._table.take(ask)
        except ServiceRefusal:
            if (
                self._table.room.game is None and self._table.room.phase == "waiting"
            ):  # could not be saved
                self._deadline = self._house.clock.call_at(
                    self._house.clock.now() + 1000, self._opening_over
                )

    async def _close_round(self) -> None:
        """The clock ran out: everybody's draft counts, else the stand-in's choice."""
        game, due = self._table.room.game, self._table.due
        if game is None or due is None:
            return
        if self._house.clock.now() < due:  # it was set back meanwhile
            self.arm()
            return
        # Those who are connected here come first, then those whose drafts are here.
        first = sorted(game.waiting, key=lambda seat: seat not in self._table.seats)
        others = [seat for seat in first if not self._is_ours(seat, game.round, due)]
        try:
            for seat in first:
                if seat not in others:
                    await self._close_seat(seat, game.round)
            if others and self._house.store.shared:
                await asyncio.sleep(OTHERS_FIRST)  # another server may have their drafts
            for seat in others:
                await self._close_seat(seat, game.round)
        except Exception as error:  # the round waits, and it is tried again
            if not isinstance(error, ServiceRefusal):
                self._house.failed(error)
            again = self._house.clock.now() + 1000
            self._deadline = self._house.clock.call_at(again, self._time_is_up)
            return
        if self._table.due == due:  # somebody took a choice back meanwhile
            self.arm()

    def _is_ours(self, seat: int, round_: int, now: int) -> bool:
        """Whether this server has the newest draft of a seat, as far as it knows."""
        if seat in self._table.seats:
            return True
        presence = self._table.attendance.presence
        return bool(self._draft(seat, round_)) and not presence.is_present(seat, now)

    async def _close_seat(self, seat: int, round_: int) -> None:
        """Choose for somebody whose time is up: the draft, else as the stand-in does."""
        if await self._take_draft(seat, round_) or await self._choose_for(seat, round_):
            self.notice("timeout", seat)

    def _draft(self, seat: int, round_: int) -> str:
        """Somebody's unlocked choice in this round; empty if there is none."""
        drafted, move = self.drafts.get(seat, (-1, ""))
        return move if drafted == round_ and move not in ("swap", "undo") else ""

    async def _take_draft(self, seat: int, round_: int) -> bool:
        """Seal somebody's draft, if there is one that is legal."""
        moment, move = self._moment(seat), self._draft(seat, round_)
        if not move or moment is None or moment[1] != round_:
            return False
        try:
            read_move(move)
            await self._table.take(lambda: self._ask_for(moment, move))
        except (IllegalMove, TooLate):
            return False
        except ServiceRefusal as refusal:
            if refusal.code == "not_an_action":
                return False
            raise
        return True

    def take_votes_back(self, seat: int) -> None:
        """Store that somebody is there again whose seat others want to hand over.

        It is in the log like the votes, so that they are void on all servers and after a restart.
        """
        self._house.spawn(self._take_votes_back(seat))

    async def _take_votes_back(self, seat: int) -> None:
        def ask() -> Entry:
            if not self.has_votes(seat):
                raise TooLate
            return Entry(seat, "return")

        # What cannot be saved now is asked for again at the next sign of life.
        with suppress(TooLate, ServiceRefusal):
            await self._table.take(ask)

    def has_votes(self, seat: int) -> bool:
        """Whether somebody would hand over a person's seat."""
        room = self._table.room
        return room.phase == "playing" and room.chairs[seat].acts and bool(room.chairs[seat].votes)

    def noticed(self, code: str, seat: int) -> None:
        """Tell everybody here what happened at a seat."""
        self._table.notice(code, seat, name=self._called(seat))

    def notice(self, code: str, seat: int) -> None:
        """Tell everybody, at all servers; only the one that has stored it does."""
        self.noticed(code, seat)
        self._house.announce(f"noticed {self._table.room.table} {seat} {code}")

    def _tell_of_bot(self, seat: int, chosen: Chosen) -> None:
        if chosen.replaced:
            self.notice("bot_replaced", seat)

    def _called(self, seat: int) -> str:
        return self._table.names.get(self._table.room.chairs[seat].guest, f"#{seat + 1}")

    def advise(self, seat: int) -> None:
        """Send the coach's values of a seat's options, at once or when they are found."""
        if options := self.advice(seat):
            self._send_advice(seat, options)

    def advice(self, seat: int) -> tuple[AdviceInfo, ...] | None:
        """The coach's values of a seat's options; empty until they are found, None without one."""
        moment = self._moment(seat)
        known, options = self._advice.get(seat, (None, ()))
        if known == moment:
            return options
        self._advice[seat] = (moment, ())
        self._house.spawn(self._weigh(seat))
        return ()

    async def _weigh(self, seat: int) -> None:
        """Ask the coach until it can answer, or the moment is over."""
        moment = self._moment(seat)
        try:
            for _ in range(COACH_TRIES):
                if seat not in self._table.room.waiting:
                    break
                seen, seed = self._bots_view(seat), self._table.room.bot_seed(seat)
                weights = await self._house.thinkers.weigh(seen, seed)
                if self._moment(seat) != moment:
                    return
                if weights:
                    options = tuple(AdviceInfo(points, move, won) for move, points, won in weights)
                    self._advice[seat] = (moment, options)
                    self._send_advice(seat, options)
                    return
                await asyncio.sleep(COACH_AGAIN)
        except Refusal:  # there is no coach here
            self._advice[seat] = (moment, None)
            return
        self._advice.pop(seat, None)

    def _send_advice(self, seat: int, options: tuple[AdviceInfo, ...]) -> None:
        subscriber = self._table.seats.get(seat)
        if (
            subscriber is not None
            and seat in self._table.room.waiting
            and self._table.level(subscriber) == 3
        ):
            subscriber.post(encode(Advice(options=options, seq=self._table.room.seq)))
