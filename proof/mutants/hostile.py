"""Planted bugs in what strangers may do."""

import asyncio
import json
import os
import time
from collections.abc import Callable
from contextlib import suppress
from html import escape
from typing import Any

from picows import WSTransport, WSUpgradeRequest

from sideboards.service import (
    desk,
    doorway,
    http,
    limits,
    listings,
    logs,
    pages,
    placard,
    protocol,
    shell,
    socket,
    strict,
    table,
    tables,
)
from sideboards.service.log import TABLE
from sideboards.service.refusals import ServiceRefusal
from sideboards.service.room import Actor

# Every bug replaces a part of the running service by a wrong one, whatever its type is.
_desk: Any = desk
_doorway: Any = doorway
_pages: Any = pages
_placard: Any = placard
_shell: Any = shell
_socket: Any = socket
_strict: Any = strict
_tables: Any = tables
_Connection: Any = socket.Connection
_Desk: Any = desk.Desk
_Table: Any = table.Table
_http: Any = http
_listings: Any = listings
_Meter: Any = limits.Meter
_Tries: Any = limits.Tries
_kept: list[object] = []


def _origin_unchecked() -> None:
    """Pages of any origin may open a socket."""
    right = _Desk._refusal

    def refusal(self: object, request: WSUpgradeRequest, address: str, here: str) -> str | None:
        code: str | None = right(self, request, address, here)
        return None if code == "foreign_origin" else code

    _Desk._refusal = refusal


def _door_too_narrow() -> None:
    """Every tenth who wants to come in is sent away."""
    right, numbers = _Desk._refusal, iter(range(10**9))

    def refusal(self: object, request: WSUpgradeRequest, address: str, here: str) -> str | None:
        code: str | None = right(self, request, address, here)
        return code if next(numbers) % 10 != 9 else "server_full"

    _Desk._refusal = refusal


def _rate_limit_missing() -> None:
    """Messages are not counted."""

    def allow(_: object) -> bool:
        return True

    _Meter.allow = allow


def _limit_too_strict() -> None:
    """Whoever sends more than ten messages in twenty seconds is sent away."""
    _socket.MESSAGES = limits.Rate(10, 20)


def _stalled_readers_stay() -> None:
    """Nobody looks whether a client reads."""
    _socket.STALLED_AFTER = 1e6


def _mailbox_unbounded() -> None:
    """Whoever does not read is sent to all the same, without end."""

    def pause(_: object) -> None:
        """Send on, whether anybody reads or not."""

    _Connection.pause_writing = pause


def _name_unescaped() -> None:
    """Names are written into pages and feeds as they are."""
    _placard.escape = _pages.escape = str


def _names_escaped_twice() -> None:
    """In the list of tables of others, names are written as a page's source has them."""
    right = _listings._listing

    def listing(
        table: object, own: str | None, names: dict[str, str], seat: int | None, waits: int | None
    ) -> Any:  # noqa: ANN401 (as it is)
        shown = names if seat is not None else {each: escape(name) for each, name in names.items()}
        return right(table, own, shown, seat, waits)

    _listings._listing = listing


def _name_runs() -> None:
    """The same, and the page does not forbid what is written into it."""
    _name_unescaped()
    _header_missing()


def _unknown_fields() -> None:
    """Fields that nobody knows are left out instead of refused."""
    kinds = (protocol.Hello, protocol.Act, protocol.Draft, protocol.Say, protocol.Resync)
    known = {kind.__name__.lower(): {"type", *kind.__struct_fields__} for kind in kinds}

    def decode(data: bytes) -> protocol.ClientMessage:
        try:
            return strict.decode(data)
        except ServiceRefusal:
            with suppress(LookupError, ValueError, AttributeError, TypeError, RecursionError):
                fields = json.loads(data)
                kept = {name: fields[name] for name in fields.keys() & known[fields["type"]]}
                return strict.decode(json.dumps(kept).encode())
            raise

    _socket.decode = decode


def _duplicate_keys() -> None:
    """A key that comes twice in a message is taken."""

    def accept(_: bytes) -> None:
        """Let the last one count."""

    _strict._refuse_doubles = accept


def _exception_on_surrogates() -> None:
    """A lone surrogate makes the server stumble."""
    right = strict.decode

    def decode(data: bytes) -> protocol.ClientMessage:
        if b"\\ud800" in data:
            str(json.loads('"\\ud800"')).encode()
        return right(data)

    _socket.decode = decode


def _body_in_the_log() -> None:
    """What was refused is written into the log."""
    right = _Connection._not_taken

    def not_taken(self: object, data: bytes, refusal: ServiceRefusal) -> None:
        logs.write("info", "refused", body=data.decode(errors="replace")[:100])
        right(self, data, refusal)

    _Connection._not_taken = not_taken


def _token_in_the_log() -> None:
    """Seat tokens are written into the log."""
    right = _Desk.admit

    async def admit(self: object, hello: protocol.Hello) -> Any:  # noqa: ANN401 (as it is)
        logs.write("info", "hello", token=hello.token)
        return await right(self, hello)

    _Desk.admit = admit


def _seat_unchecked() -> None:
    """Nobody looks at the signature of a seat token."""

    async def admit(self: Any, hello: protocol.Hello) -> Any:  # noqa: ANN401 (the desk)
        if hello.token is None:
            found = await self._tables.get(hello.table)
            return found, Actor("", None)
        table, seat, guest, *_ = hello.token.split(".")
        found = await self._tables.get(table)
        return found, Actor(guest, None if int(seat) == TABLE else int(seat))

    _Desk.admit = admit


def _header_missing() -> None:
    """Responses lack the policy for their content."""
    name = b"content-security-policy"
    _doorway._HEADERS = [each for each in doorway._HEADERS if each[0] != name]


def _code_guessing_unlimited() -> None:
    """Short codes may be tried without end."""

    def begin(*_: object) -> bool:
        return True

    _Tries.begin = begin


def _tables_unlimited() -> None:
    """A guest may open any number of tables."""
    _tables.TABLES_PER_GUEST = 10**9


def _giant_messages() -> None:
    """Messages of any size are taken."""
    _socket.MAX_MESSAGE = _strict.MAX_MESSAGE = _desk.MAX_MESSAGE = 2**26


def _answer_forgotten() -> None:
    """One refusal in fifty is never sent."""
    right = _Connection.refuse
    numbers = iter(range(10**9))

    def refuse(self: object, refusal: ServiceRefusal, key: str | None = None) -> None:
        if next(numbers) % 50 != 49:
            right(self, refusal, key)

    _Connection.refuse = refuse


def _messages_kept() -> None:
    """Every message stays in memory."""
    right = _Connection._take

    def take(self: object, data: bytes) -> None:
        _kept.append(data.ljust(2**14))
        right(self, data)

    _Connection._take = take


def _descriptors_kept() -> None:
    """Every connection leaves an open file behind."""
    right = _Connection.on_ws_connected

    def connected(self: object, transport: WSTransport) -> None:
        stream = transport.underlying_transport.get_extra_info("socket")
        _kept.append(os.dup(stream.fileno()))
        right(self, transport)

    _Connection.on_ws_connected = connected


def _late_answers() -> None:
    """Whoever only watches is answered after two and a half seconds."""
    right = _Connection._act

    def act(self: Any, table: object, message: protocol.Act) -> None:  # noqa: ANN401 (a socket)
        wait = 0 if self.guest else 2.5  # for those who only watch
        asyncio.get_running_loop().call_later(wait, right, self, table, message)

    _Connection._act = act


def _deleted_stay() -> None:
    """Whoever was deleted stays at the table, and may come back."""

    async def knows(_: object, __: str) -> bool:
        return True

    def send_away(_: object, __: str) -> None:
        """Let everybody stay."""

    _Table.knows, _Table.send_away = knows, send_away


def _handshake_unlimited() -> None:
    """A handshake may take for ever."""
    _http.HANDSHAKE = _socket.HANDSHAKE = 1e6


def _slow_door() -> None:
    """Once there were many, everybody waits while a new connection is looked at."""
    right, numbers = http.PatientHttp.connection_made, iter(range(10**9))

    def made(self: http.PatientHttp, transport: asyncio.Transport) -> None:
        if next(numbers) > 60:
            time.sleep(0.4)
        right(self, transport)

    _http.PatientHttp.connection_made = made


def _foreign_style() -> None:
    """The page asks another host for its style."""
    right = _shell._no_script

    def no_script(spoken: object) -> str:
        return f'<link rel="stylesheet" href="http://192.0.2.1/font.css">{right(spoken)}'

    _shell._no_script = no_script


MUTANTS: dict[str, Callable[[], None]] = {
    "origin unchecked": _origin_unchecked,
    "door too narrow": _door_too_narrow,
    "rate limit missing": _rate_limit_missing,
    "limit too strict": _limit_too_strict,
    "stalled readers stay": _stalled_readers_stay,
    "mailbox unbounded": _mailbox_unbounded,
    "name unescaped": _name_unescaped,
    "names escaped twice": _names_escaped_twice,
    "name runs": _name_runs,
    "unknown fields accepted": _unknown_fields,
    "duplicate keys accepted": _duplicate_keys,
    "exception on surrogates": _exception_on_surrogates,
    "body in the log": _body_in_the_log,
    "token in the log": _token_in_the_log,
    "seat unchecked": _seat_unchecked,
    "header missing": _header_missing,
    "code guessing unlimited": _code_guessing_unlimited,
    "tables unlimited": _tables_unlimited,
    "giant messages taken": _giant_messages,
    "answer forgotten": _answer_forgotten,
    "messages kept": _messages_kept,
    "descriptors kept": _descriptors_kept,
    "late answers": _late_answers,
    "deleted guests stay": _deleted_stay,
    "handshake unlimited": _handshake_unlimited,
    "slow door": _slow_door,
    "foreign style": _foreign_style,
}
