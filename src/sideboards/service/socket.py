"""The WebSocket route: one socket is one seat or one spectator. Made of picows, inside uvicorn.

A frame is handled where it arrives, without a task of its own unless something must be stored.
"""

import fcntl
import socket
import sys
import termios
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, cast

from picows import WSCloseCode, WSFrame, WSListener, WSMsgType, WSTransport

from sideboards.core.refusal import IllegalMove, Refusal
from sideboards.service.house import Message
from sideboards.service.limits import DRAFTS, FRAMES, HANDSHAKE, MESSAGES, Meter
from sideboards.service.log import TABLE
from sideboards.service.protocol import (
    MAX_MESSAGE,
    MAX_QUEUE,
    PHRASES,
    PROTOCOL,
    Act,
    ClientMessage,
    Draft,
    Hello,
    Pending,
    Ping,
    Refused,
    Resync,
    Say,
    TableMessage,
    ViewInfo,
    Welcome,
)
from sideboards.service.refusals import ServiceRefusal
from sideboards.service.room import Actor
from sideboards.service.strict import decode, speaks_otherwise
from sideboards.service.table import Table
from sideboards.service.wire import encode, hash_of
from sideboards.words import words

if TYPE_CHECKING:
    from sideboards.service.desk import Desk

DEAD_AFTER = 9.0
"""Seconds without any frame after which a socket is dead; clients ping every 2.5."""
STALLED_AFTER = 20.0
"""Seconds that a reader may read nothing of what waits for it."""
PAUSE_ABOVE = 16 * 1024
"""Bytes unread by the client above which only the newest view is kept for it."""
PENDING_AFTER = 0.75
"""Seconds after which the client hears that its action is not yet stored."""
GOODBYE = 2.0
"""Seconds that a client has to answer when the server closes."""
NEWER_TAB = 4001
CLOSE_CODES = {
    "not_your_seat": 4003,
    "no_spectators": 4003,
    "cannot_save": 1013,
    "stopping": 1012,
    "server_full": 1013,
}
_TEXT = WSMsgType.TEXT
_KIND = slice(len('{"type":"'), len('{"type":"') + 4)
_NEWEST = frozenset({b"view", b"tabl", b"publ"})
"""The messages, by how their kind begins, of which a newer one makes the older needless."""


@dataclass(slots=True)
class Waiting:
    """An action that is not yet answered."""

    action: str
    since: float
    pending: bool = False
    """Whether the client was told that it takes longer."""


class Connection(WSListener):
    """One socket."""

    def __init__(
        self, desk: "Desk", address: str, language: str = "en", full: str | None = None
    ) -> None:
        """`language` until somebody says hello in another.

        `full` is the code of the limit that is reached: then it is told, and closed.
        """
        self.guest = ""
        self.seat: int | None = None
        self.assist = 3
        self.language = language
        self.address = address
        self.heard = self._begun = self._read_at = desk.time()
        self._desk = desk
        self._full = full
        self._transport: WSTransport | None = None
        self._table: Table | None = None
        self._greeting = False
        self._greeted: float | None = None
        """When a greeting arrived that nobody has answered yet."""
        self._parts: list[bytes] = []
        self._frames = Meter(FRAMES, desk.time)
        self._meter = Meter(MESSAGES, desk.time)
        self._drafts = Meter(DRAFTS, desk.time)
        self._later: Draft | None = None
        self._box: list[bytes] = []
        """What waits until the client reads again."""
        self._paused_at: float | None = None
        self._unread = 0
        """Bytes that the system still kept for the client when it was last looked at; at
        `_read_at` they were fewer than before, or none."""
        self._waiting: dict[str, Waiting] = {}
        """The actions that are not yet answered, by their key."""
        self._ending: tuple[WSTransport, float] | None = None
        self._followed = False
        """Whether a newer connection has the seat: then nobody is gone when this one ends."""

    @property
    def presses(self) -> bool:
        """Whether something here must not wait for long."""
        return (
            bool(self._waiting)
            or self._later is not None
            or self._ending is not None
            or self._greeted is not None
        )

    @property
    def _number(self) -> int:
        """The seat as a number, as in the log."""
        return TABLE if self.seat is None else self.seat

    @property
    def busy(self) -> bool:
        """Whether an action waits for its answer."""
        return bool(self._waiting)

    # ---- what picows calls ------------------------------------------------------------------

    def on_ws_connected(self, transport: WSTransport) -> None:
        """The handshake is done; `hello` is expected within seconds."""
        self._transport = transport
        transport.underlying_transport.set_write_buffer_limits(high=PAUSE_ABOVE)
        # Else the system itself would keep megabytes for a client that does not read.
        stream = transport.underlying_transport.get_extra_info("socket")
        stream.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, MAX_QUEUE // 2)
        self._desk.opened(self)
        if self._full is not None:
            self.close(CLOSE_CODES.get(self._full, 1008), self._full)

    def on_ws_disconnected(self, transport: WSTransport) -> None:  # noqa: ARG002
        """The socket is closed, for whatever reason; nothing here may keep it in memory."""
        self._transport = self._ending = None
        self._desk.closed(self)
        if self._table is not None:
            if self._table.part(self) and not self._followed:
                self._desk.announce(f"gone {self._table.room.table} {self.seat}")
            self._table = None

    def on_ws_frame(self, transport: WSTransport, frame: WSFrame) -> None:
        """A frame arrived."""
        self.heard = self._desk.time()
        kind = frame.msg_type
        if self._ending is not None and kind != WSMsgType.CLOSE:
            return
        if not self._frames.allow():
            self.close(1008, "too_many_messages")
        elif kind == WSMsgType.BINARY or frame.rsv1:  # nobody agreed on compression
            self.close(1007, "bad_message")
        elif kind == WSMsgType.TEXT and frame.fin and not self._parts:
            self._take(frame.get_payload_as_bytes())
        elif kind in (WSMsgType.TEXT, WSMsgType.CONTINUATION):
            self._collect(frame)
        elif kind == WSMsgType.CLOSE:
            if self._ending is None:
                code = frame.get_close_code()
                known = 1000 <= cast(int, code) < 5000
                transport.send_close(code if known else WSCloseCode.PROTOCOL_ERROR)
            transport.disconnect()
        elif kind == WSMsgType.PING and self._paused_at is None:
            transport.send_pong(frame.get_payload_as_bytes())

    def pause_writing(self) -> None:
        """The client does not read; from now on only the newest view is kept for it."""
        self._paused_at = self._desk.time()

    def resume_writing(self) -> None:
        """The client reads again."""
        self._paused_at = None
        box, self._box = self._box, []
        for message in box:
            self.deliver(message)

    # ---- sending ------------------------------------------------------------------------------

    def post(self, message: Message) -> None:
        """Send a message, together with what others are sent in this turn of the loop."""
        self._desk.outbox.post(self, message)

    def deliver(self, message: Message) -> None:
        """Send a message; while the client does not read, a newer view replaces the older."""
        if self._transport is None:
            return
        if not isinstance(message, bytes):
            message = message()
        if self._paused_at is None:
            self._transport.send(_TEXT, message)
        else:
            if (kind := message[_KIND]) in _NEWEST:
                self._box = [kept for kept in self._box if kept[_KIND] != kind]
            self._box.append(message)
            unread = self._transport.underlying_transport.get_write_buffer_size()
            if unread + sum(map(len, self._box)) > MAX_QUEUE:
                self.close(1008, "too_many_messages")

    def close(self, code: int, reason: str) -> None:
        """Say why in the person's language, and close."""
        self._desk.outbox.deliver()
        transport, self._transport = self._transport, None
        if transport is None:
            return
        self._followed = code == NEWER_TAB
        sentence = words(self.language)(f"refusal.{reason}")
        transport.send(_TEXT, encode(Refused(code=reason, key=None, sentence=sentence)))
        transport.send_close(cast(WSCloseCode, code), reason.encode())
        # Not yet disconnected: what the client sends meanwhile would make the system throw away
        # what it has not read, and so the reason.
        self._ending = (transport, self._desk.time())
        self._desk.pressing.add(self)

    def leave_standing(self) -> None:
        """End a socket that does not answer a goodbye."""
        if self._ending is not None:
            self._ending[0].disconnect(graceful=False)

    def sweep(self, now: float) -> None:
        """Look after time now and then: silence, and readers that read nothing."""
        if self._ending is not None:
            return
        if self._table is None and now - self._begun > HANDSHAKE:
            self.close(1008, "hello_first")
        elif self._table is not None and now - self.heard > DEAD_AFTER:
            self.close(1008, "too_silent")
        elif self._stalled(now):
            self.close(1008, "too_many_messages")

    def press(self, now: float) -> None:
        """Look after what must not wait for long: goodbyes, drafts, slow commits."""
        if self._ending is not None and now - self._ending[1] > GOODBYE:
            self.leave_standing()
        if self._later is not None:
            self._draft(self._later)
            self._later = None
        if self._greeted is not None and now - self._greeted > PENDING_AFTER:
            self._greeted = None
            self.post(encode(Pending(key=None)))
        for key, waiting in self._waiting.items():
            if not waiting.pending and now - waiting.since > PENDING_AFTER:
                waiting.pending = True
                if self._table is not None:
                    self._table.saving[self._number] = key
                self.post(encode(Pending(key=key)))

    def _stalled(self, now: float) -> bool:
        """Whether the client reads nothing: of what waits here, or of what the system keeps."""
        if self._paused_at is not None and now - self._paused_at > STALLED_AFTER:
            return True
        if self._transport is None:
            return False
        unread = kept_by_system(self._transport)
        if unread == 0 or unread < self._unread:
            self._read_at = now
        self._unread = unread
        return now - self._read_at > STALLED_AFTER

    def refuse(self, refusal: Refusal, key: str | None = None) -> None:
        """Answer with a code, a sentence and, in a game, the true view."""
        code = refusal.code if isinstance(refusal, ServiceRefusal | IllegalMove) else "bad_message"
        view: ViewInfo | None = None
        table = self._table
        if key is not None and table is not None and table.room.game is not None:
            view = table.view(self.seat, table.level(self))
        self.post(
            encode(
                Refused(
                    code=code,
                    key=key,
                    sentence=sentence_of(refusal, self.language),
                    seq=table.room.seq if view and table else None,
                    view=view,
                    view_hash=hash_of(encode(view)) if view else None,
                )
            )
        )

    # ---- receiving ------------------------------------------------------------------------------

    def _collect(self, frame: WSFrame) -> None:
        """Put a message together that came in pieces."""
        part = frame.get_payload_as_bytes()
        if (frame.msg_type == WSMsgType.TEXT) == bool(self._parts):
            self.close(1007, "bad_message")
            return
        if not self._count():
            return
        self._parts.append(part)
        if sum(map(len, self._parts)) > MAX_MESSAGE:
            self.close(1009, "too_large")
        elif frame.fin:
            message, self._parts = b"".join(self._parts), []
            self._take(message)

    def _take(self, data: bytes) -> None:
        """One whole message."""
        if self._transport is None:
            return
        try:
            message = decode(data)
        except ServiceRefusal as refusal:
            self._not_taken(data, refusal)
            return
        match message:
            case Ping():
                if message.active:
                    self._was_active()
                self._desk.outbox.pinged(self)
            case Draft():
                self._later = None
                if self._drafts.allow():
                    self._draft(message)
                else:  # the newest counts, a moment later
                    self._later = message
                    self._desk.pressing.add(self)
            case Act() if self._table is not None:
                self._act(self._table, message)
            case Hello() if not self._greeting:
                self._greeting, self._greeted = True, self.heard
                self._desk.pressing.add(self)
                self._desk.spawn(self._greet(message))
            case _:
                if self._count():
                    self._rest(message)

    def _not_taken(self, data: bytes, refusal: ServiceRefusal) -> None:
        if not is_text(data):
            self.close(1007, "bad_message")
        elif not self._greeting and speaks_otherwise(data):
            self.close(1008, "wrong_protocol")
        elif self._count():
            self.refuse(refusal)

    def _count(self) -> bool:
        """Count a message; close when there are too many."""
        if self._meter.allow():
            return True
        self.close(1008, "too_many_messages")
        return False

    def _was_active(self) -> None:
        if self._table is not None and self.seat is not None:
            self._table.attendance.heard(self.seat)

    def _draft(self, draft: Draft) -> None:
        if self._table is not None and self.seat is not None:
            self._table.draft(self.seat, draft.round, draft.move)

    def _rest(self, message: ClientMessage) -> None:
        table = self._table
        if table is None:
            key = message.key if isinstance(message, Act) else None
            self.refuse(ServiceRefusal("hello_first"), key)
        elif isinstance(message, Resync):
            self.post(encode(TableMessage(table=table.info())))
            if table.room.game is not None:
                table.send_view(self)
        elif isinstance(message, Say):
            self._say(table, message.phrase)
        else:
            self.refuse(ServiceRefusal("bad_message"))

    def _say(self, table: Table, phrase: str) -> None:
        if self.seat is None:
            self.refuse(ServiceRefusal("not_your_seat"))
        elif not table.room.settings.phrases:
            self.refuse(ServiceRefusal("no_phrases"))
        elif phrase not in PHRASES:
            self.refuse(ServiceRefusal("unknown_phrase"))
        else:
            self._was_active()
            table.say(self.seat, phrase)
            self._desk.announce(f"said {table.room.table} {self.seat} {phrase}")

    def _act(self, table: Table, act: Act) -> None:
        repeated = f"{self._number}.{act.key}" in table.room.keys
        if not repeated and not self._count():
            return
        if (waiting := self._waiting.get(act.key)) is not None:
            if waiting.action != act.action:
                self.refuse(ServiceRefusal("key_reused"), act.key)
            return  # sent again before it is answered: one answer serves both
        if self._desk.stopping:
            self.refuse(ServiceRefusal("stopping"), act.key)
            return
        if self.guest == "":
            self.refuse(ServiceRefusal("not_your_seat"), act.key)
            return
        if table.saving.get(self._number, act.key) != act.key:
            self.refuse(ServiceRefusal("busy"), act.key)
            return
        self._was_active()
        self._waiting[act.key] = Waiting(act.action, self._desk.time())
        self._desk.outbox.begin()
        self._desk.pressing.add(self)
        done = partial(self._answer, table, act.key)
        table.request(Actor(self.guest, self.seat), act.key, act.action, self, done)

    def _answer(self, table: Table, key: str, error: Exception | None) -> None:
        """An action is stored, or it is known why not."""
        self._waiting.pop(key, None)
        if table.saving.get(self._number) == key:
            del table.saving[self._number]
        self._desk.outbox.end()
        if error is None:
            table.acknowledge(self, key)
            self._desk.outbox.answer(self)
        elif isinstance(error, Refusal):
            self.refuse(error, key)
        else:
            self.post(encode(_internal(key, self.language)))
            self._desk.failed(error)

    async def _greet(self, hello: Hello) -> None:
        """Find out which table and seat this is, and show them."""
        self.language = hello.language
        if hello.assist is not None:
            self.assist = hello.assist
        try:
            if hello.protocol != PROTOCOL:
                raise ServiceRefusal("wrong_protocol")
            table, actor = await self._desk.admit(hello)
        except ServiceRefusal as refusal:
            self.close(CLOSE_CODES.get(refusal.code, 1008), refusal.code)
            return
        except Exception:
            self.close(1013, "internal")
            raise
        finally:
            self._greeted = None
        if self._transport is None:
            return
        self._table, self.guest, self.seat = table, actor.guest, actor.seat
        if self.seat is not None:
            meters = self._meter, self._drafts
            self._meter, self._drafts = table.meters.setdefault(self.seat, meters)
        welcome = Welcome(protocol=PROTOCOL, seat=self.seat, table=table.room.table)
        self.post(encode(welcome))
        table.join(self)
        if self.seat is not None:
            come = f"join {table.room.table} {self.seat} {table.joined[self.seat]}"
            self._desk.announce(come, table.attendance.line(self.seat))


def kept_by_system(transport: WSTransport) -> int:
    """Bytes that were sent and that the other side has not taken yet; 0 where nobody can say."""
    stream = transport.underlying_transport.get_extra_info("socket")
    try:
        return int.from_bytes(
            fcntl.ioctl(stream.fileno(), termios.TIOCOUTQ, bytes(4)), sys.byteorder
        )
    except (OSError, ValueError):  # closed meanwhile, or a system that does not tell it
        return 0


def is_text(data: bytes) -> bool:
    """Whether bytes are UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _internal(key: str, language: str) -> Refused:
    return Refused(code="internal", key=key, sentence=words(language)("refusal.internal"))


def sentence_of(refusal: Refusal, language: str) -> str:
    """The sentence of a refusal in a language."""
    if isinstance(refusal, ServiceRefusal):
        return refusal.sentence(language)
    if isinstance(refusal, IllegalMove):
        return words(language)(f"refusal.{refusal.code}")
    return str(refusal)
