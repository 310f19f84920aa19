"""A seat, or a place to watch from: the view as it is now, and what can be done there."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Literal, Self

import msgspec
from msgspec import Raw, Struct

from sideboards.client.fairness import Sitting, is_fair, promise_of
from sideboards.client.line import Line
from sideboards.client.refusal import NOT_NOW, ServerRefusal, Unreachable
from sideboards.client.views import encode, hash_of, to_view
from sideboards.core.edition import Edition
from sideboards.core.fair import Proof
from sideboards.core.game import LAST_ROUND, Move
from sideboards.core.refusal import Refusal
from sideboards.core.view import View
from sideboards.service.log import Phase
from sideboards.service.protocol import (
    PROTOCOL,
    Ack,
    Act,
    Advice,
    Assist,
    ClockInfo,
    Draft,
    Hello,
    Language,
    Notice,
    Pending,
    Pong,
    PublicInfo,
    PublicMessage,
    Refused,
    Resync,
    Said,
    Say,
    TableInfo,
    TableMessage,
    ViewInfo,
    Welcome,
)

RESEND_AFTER = 2.5
"""Seconds without an answer after which a request is sent again."""
MOST_ATTEMPTS = 9999
NONCE = 6
"""Random bytes in a key."""
OVER = ("finished", "abandoned")


class _View(Struct, frozen=True, tag_field="type", tag="view"):
    """A `view` message whose view is decoded only when somebody looks at it."""

    clock: ClockInfo | None
    hash: str
    seq: int
    view: Raw


_decode = msgspec.json.Decoder(
    Welcome
    | TableMessage
    | _View
    | PublicMessage
    | Ack
    | Refused
    | Pending
    | Pong
    | Said
    | Notice
    | Advice
).decode
_decode_view = msgspec.json.Decoder(ViewInfo).decode
_RESYNC = encode(Resync())

News = Said | Notice | Advice | Pending | Literal["connected", "lost"]
"""What is told beside table and view."""


class Watcher:
    """A place at a table; without a seat one watches."""

    __slots__ = (
        "_deadline",
        "_end",
        "_hear",
        "_hello",
        "_info",
        "_line",
        "_public",
        "_raw",
        "_seen",
        "_text_hash",
        "_version",
        "_view",
        "_waiters",
        "edition",
        "losses",
        "mismatches",
        "seq",
        "table",
        "welcomed",
    )

    def __init__(
        self,
        url: str,
        hello: Hello,
        edition: Edition,
        hear: Callable[[News], None] | None = None,
    ) -> None:
        self._line = Line(url, self)
        self._hello = hello
        self._hear = hear
        self._raw: Raw | None = None
        self._public: PublicInfo | None = None
        self._info: ViewInfo | None = None
        self._view: View | None = None
        self._text_hash: str | None = None
        self._end: ServerRefusal | None = None
        self._version = self._seen = 0
        self._waiters: list[asyncio.Future[None]] = []
        self.edition = edition
        self.table: TableInfo | None = None
        """The table as everybody may know it; None before the first message."""
        self.seq = 0
        self._deadline: float | None = None
        self.welcomed = False
        """Whether there is a connection and the server has let us in."""
        self.losses = 0
        """How often the connection was lost."""
        self.mismatches = 0
        """How often our view was not the server's, and was asked for again."""

    async def __aenter__(self) -> Self:
        self._line.open()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._line.close()
        self.welcomed = False

    # ---- what is known -----------------------------------------------------------------------

    @property
    def info(self) -> ViewInfo | None:
        """The view as the server sent it; None before the deal."""
        if self._info is None and self._raw is not None:
            self._info, self._raw = _decode_view(self._raw), None
        if self._info is not None and self._public is not None:
            self._info = msgspec.structs.replace(self._info, public=self._public)
            self._public = None
        return self._info

    @property
    def view(self) -> View | None:
        """The view as the core knows it; None before the deal."""
        if self._view is None and (info := self.info) is not None:
            self._view = to_view(info, self.edition)
        return self._view

    @property
    def phase(self) -> Phase | None:
        """Whether the table waits, is played, or is over; None before the first message."""
        if self.table is None:
            return None
        # The first view may come without another word about the table.
        return "playing" if self.table.phase == "waiting" and self.has_view else self.table.phase

    @property
    def over(self) -> bool:
        """Whether the game has ended: without a result, or with one that we have seen."""
        if self.table is None or self.table.phase not in OVER:
            return False
        info = self.info if self.table.phase == "finished" else None
        return info is None or info.public.round > LAST_ROUND

    @property
    def seconds_left(self) -> float | None:
        """How long this round may still last; None without a clock."""
        if self._deadline is None:
            return None
        return max(0.0, self._deadline - asyncio.get_running_loop().time())

    @property
    def end(self) -> ServerRefusal | None:
        """Why the connection ended and does not come back."""
        return self._end

    async def changed(self) -> None:
        """Return as soon as something is new since the last time; raises when all is over here.

        For one reader: what came while it did something else is not missed.
        """
        if self._version == self._seen:
            await self._next()
        self._seen = self._version

    async def until(self, holds: Callable[[], bool]) -> None:
        """Return as soon as something holds."""
        while not holds():
            await self._next()

    async def dealt(self) -> View:
        """The view, as soon as cards were dealt; raises `abandoned` if the table was closed."""
        await self.until(lambda: self.has_view or self.over)
        if (view := self.view) is None:
            raise ServerRefusal("abandoned", "the table was closed before any card was dealt")
        return view

    @property
    def has_view(self) -> bool:
        """Whether cards were dealt."""
        return self._info is not None or self._raw is not None

    # ---- what the line calls -------------------------------------------------------------------

    def greeting(self) -> bytes:
        """The first message on every connection."""
        return encode(self._hello)

    def take(self, data: bytes) -> None:
        """Take a message of the server."""
        message = _decode(data)
        match message:
            case Pong():
                return
            case PublicMessage():
                self._public = message.public
                self._moved(message.seq, message.clock, None)
            case _View():
                self._raw, self._info, self._public = message.view, None, None
                text_hash = hash_of(bytes(message.view))
                self._moved(message.seq, message.clock, text_hash)
                if text_hash != message.hash:
                    self._mismatch()
            case Ack():
                if message.view is not None:
                    self._raw, self._info, self._public = None, message.view, None
                    self._moved(message.seq, message.clock, None)
                self._acked(message)
            case TableMessage():
                self.table = message.table
                self._table_changed(message.table)
            case Refused():
                self._refused(message)
            case Welcome():
                self._line.settle()
                self.welcomed = True
                self._welcome()
                self._tell("connected")
            case _:
                self._tell(message)
        self._news()

    def lost(self, code: int) -> None:  # noqa: ARG002 (a line tells it to everybody)
        """The connection is gone for a while."""
        if self.welcomed:
            self._tell("lost")
        self.welcomed = False
        self.losses += 1
        self._news()

    def stop(self, refusal: ServerRefusal) -> None:
        """The connection is gone for good."""
        self.welcomed = False
        self._end = refusal
        self._news()

    def beat(self, now: float) -> None:
        """Nothing is due for somebody who watches."""

    # ---- inside --------------------------------------------------------------------------------

    async def _next(self) -> None:
        """Return at the next change."""
        if self._end is not None:
            raise self._end
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiters.append(waiter)
        await waiter

    def _news(self) -> None:
        self._version += 1
        waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)

    def _tell(self, news: News) -> None:
        if self._hear is not None:
            self._hear(news)

    def _moved(self, seq: int, clock: ClockInfo | None, text_hash: str | None) -> None:
        self.seq, self._view, self._text_hash = seq, None, text_hash
        now = asyncio.get_running_loop().time()
        self._deadline = None if clock is None else now + clock.left / 1000

    def _mismatch(self) -> None:
        """Our view is not the server's: ask for it again."""
        self.mismatches += 1
        self._line.send(_RESYNC)

    def _own_hash(self) -> str | None:
        if self._text_hash is None and (info := self.info) is not None:
            self._text_hash = hash_of(encode(info))
        return self._text_hash

    def _acked(self, ack: Ack) -> None:
        if ack.view_hash is not None and (ack.seq, ack.view_hash) != (self.seq, self._own_hash()):
            self._mismatch()

    def _refused(self, refused: Refused) -> None:
        if refused.key is None:
            self._line.expect_end(ServerRefusal(refused.code, refused.sentence))
        if refused.view is not None and refused.seq is not None:
            self._raw, self._info, self._public = None, refused.view, None
            self.seq, self._view, self._text_hash = refused.seq, None, None
            if self._own_hash() != refused.view_hash:
                self._mismatch()

    def _table_changed(self, table: TableInfo) -> None:
        """A seat opens its seed here."""

    def _welcome(self) -> None:
        """A seat sends again here what was not answered."""


class _Request:
    """Something that was asked for and is not yet answered."""

    __slots__ = ("action", "answer", "message", "sent")

    def __init__(
        self, action: str, message: bytes, sent: float, answer: asyncio.Future[Ack]
    ) -> None:
        self.action = action
        self.message = message
        self.sent = sent
        self.answer = answer


class Seat(Watcher):
    """A seat of ours: the same, and what can be done there."""

    __slots__ = ("_asked", "_attempts", "_draft", "_proof", "fair", "sitting")

    def __init__(
        self,
        url: str,
        sitting: Sitting,
        edition: Edition,
        proof: Callable[[str], Awaitable[Proof]],
        *,
        language: Language = "en",
        assist: Assist | None = None,
        hear: Callable[[News], None] | None = None,
    ) -> None:
        hello = Hello(protocol=PROTOCOL, token=sitting.token, language=language, assist=assist)
        super().__init__(url, hello, edition, hear)
        self._asked: dict[str, _Request] = {}
        self._attempts = 0
        self._draft: Draft | None = None
        self._proof = proof
        self.sitting = sitting
        self.fair: bool | None = None
        """Whether the deal was fair, once the game is over; None if that cannot be known."""

    @property
    def may_choose(self) -> bool:
        """Whether the game waits for this seat."""
        table, info, seat = self.table, self.info, self.sitting.seat
        if table is None or info is None or self.phase != "playing":
            return False
        return not info.public.sealed[seat] and table.seats[seat].bot is None

    async def turn(self) -> View | None:
        """The view, as soon as this seat may choose; None when the game has ended."""
        await self.until(lambda: self.over or self.may_choose)
        return None if self.over else self.view

    async def play(self, action: Move | str, shown: View | None = None) -> Ack:
        """Make a move, or another action of the table; returns when it is stored for good.

        `shown` is the view that it was chosen from: once that round is closed the server refuses
        it (`round_over`), because it might be legal with the new hand too. Without it, it counts
        for the round of the newest view.

        Raises what the server refuses. Through lost connections and restarts of the server the
        same request is sent again until it is answered, and counts once.
        """
        if self._end is not None:
            raise self._end
        self._draft = None
        key, request = self._ask(str(action), None if shown is None else shown.round)
        try:
            return await request.answer
        finally:
            self._asked.pop(key, None)

    def draft(self, move: Move | str | None) -> None:
        """Tell the server the unlocked choice, which counts when the clock runs out."""
        info = self.info
        if info is not None and not self.over:
            self._draft = Draft(round=info.public.round, move=None if move is None else str(move))
            self._send(encode(self._draft))

    def say(self, phrase: str) -> None:
        """Say one of the fixed phrases to everybody at the table."""
        self._send(encode(Say(phrase=phrase)))

    def stir(self) -> None:
        """Note that the person does something, so that nobody takes her for away."""
        self._line.active = True

    async def ended(self) -> View | None:
        """The last view, when the game has ended; by then `fair` tells whether the deal was."""
        await self.until(lambda: self.over)
        self.fair = await self._judge()
        return self.view

    # ---- what the line calls -------------------------------------------------------------------

    def stop(self, refusal: ServerRefusal) -> None:
        """The connection is gone for good, and with it what was not answered."""
        for request in self._asked.values():
            if not request.answer.done():
                request.answer.set_exception(refusal)
        super().stop(refusal)

    def beat(self, now: float) -> None:
        """Send again what has waited too long for an answer."""
        if self._asked and self.welcomed:
            for request in self._asked.values():
                if now - request.sent >= RESEND_AFTER:
                    request.sent = now
                    self._line.send(request.message)

    # ---- inside --------------------------------------------------------------------------------

    def _ask(self, action: str, round_: int | None = None) -> tuple[str, _Request]:
        loop = asyncio.get_running_loop()
        if round_ is None:
            round_ = 0 if (info := self.info) is None else info.public.round
        self._attempts = self._attempts % MOST_ATTEMPTS + 1
        key = f"{round_}.{self._attempts}.{secrets.token_urlsafe(NONCE)}"
        message = encode(Act(key=key, action=action))
        request = self._asked[key] = _Request(action, message, loop.time(), loop.create_future())
        self._send(message)
        return key, request

    def _send(self, message: bytes) -> None:
        if self.welcomed:
            self._line.send(message)

    def _welcome(self) -> None:
        now = asyncio.get_running_loop().time()
        for request in self._asked.values():
            request.sent = now
            self._line.send(request.message)
        if self._draft is not None:
            self._line.send(encode(self._draft))

    def _moved(self, seq: int, clock: ClockInfo | None, text_hash: str | None) -> None:
        super()._moved(seq, clock, text_hash)
        draft = self._draft
        if draft is not None and (info := self.info) and info.public.round != draft.round:
            self._draft = None

    def _acked(self, ack: Ack) -> None:
        super()._acked(ack)
        request = self._asked.pop(ack.key, None)
        if request is None:
            return
        if request.action.startswith("open "):
            self.sitting.opened = True
        if not request.answer.done():
            request.answer.set_result(ack)

    def _refused(self, refused: Refused) -> None:
        super()._refused(refused)
        if refused.code in NOT_NOW:
            return  # it stays asked for, and is sent again
        request = self._asked.pop(refused.key, None) if refused.key is not None else None
        if request is None or request.answer.done():
            return
        if request.action.startswith("open "):
            request.answer.cancel()  # nobody waits for it; the proof will show it
        else:
            request.answer.set_exception(ServerRefusal(refused.code, refused.sentence))

    def _table_changed(self, table: TableInfo) -> None:
        """Keep what is promised at the start; if our commitment is there, open our seed."""
        promise = promise_of(table)
        if promise is None:
            return
        sitting = self.sitting
        sitting.promise = sitting.promise or promise
        ours = table.seats[sitting.seat]
        opening = any(request.action.startswith("open ") for request in self._asked.values())
        if sitting.seed and ours.commit == sitting.commit and not ours.opened and not opening:
            self._ask(f"open {sitting.seed}")

    async def _judge(self) -> bool | None:
        try:
            proof = await self._proof(self.sitting.table)
        except ServerRefusal:
            return None  # never dealt, or practice
        except Unreachable:
            raise
        except Refusal:  # what cannot be read proves nothing
            return False
        return is_fair(proof, self.edition, self.sitting, self.view)
