"""A guest of a server: everything that is asked for by request rather than over a socket."""

import asyncio
import secrets
import ssl
from collections.abc import Callable
from functools import cache
from types import TracebackType
from typing import Any, Self, TypeVar
from urllib.parse import quote, urlsplit

import httpx
import msgspec

from sideboards.client.fairness import Sitting, draw_entropy
from sideboards.client.refusal import ServerRefusal, Unreachable
from sideboards.client.seat import News, Seat, Watcher
from sideboards.client.views import encode
from sideboards.core.edition import Edition
from sideboards.core.fair import Proof, parse_proof
from sideboards.core.notation import parse_move
from sideboards.core.refusal import Refusal, quoted
from sideboards.data import load_edition
from sideboards.service.protocol import (
    PROTOCOL,
    Ack,
    Assist,
    Hello,
    Language,
    Refused,
    Settings,
    TableInfo,
    ViewInfo,
)
from sideboards.words import words

TIMEOUT = 15.0
"""Seconds that a request may take."""
AGAIN_AFTER = 0.5
"""Seconds between two questions for something that is not ready."""
LOOPBACK = ("127.0.0.1", "::1", "localhost")
T = TypeVar("T")
Json = dict[str, Any]


class Person(msgspec.Struct, frozen=True):
    """A guest as the server knows one."""

    id: str
    name: str
    language: str


class _Guest(msgspec.Struct):
    guest: Person
    token: str | None = None


class _Table(msgspec.Struct):
    table: TableInfo


class _Seated(msgspec.Struct):
    seat: int
    token: str
    table: TableInfo


class _Seen(msgspec.Struct):
    view: ViewInfo


class _Code(msgspec.Struct):
    table: str


class Transfer(msgspec.Struct, frozen=True):
    """A code with which another device becomes this guest, and how long it lives."""

    code: str
    seconds: int


def parse_link(link: str) -> tuple[str, str]:
    """The server and the table of a link such as ``http://host:8000/t/abc``.

    >>> parse_link("http://localhost:8000/t/k3v9")
    ('http://localhost:8000', 'k3v9')
    """
    parts = urlsplit(link)
    folder, _, table = parts.path.strip("/").rpartition("/")
    if (
        parts.scheme not in ("http", "https")
        or not parts.netloc
        or folder not in ("t", "tables")
        or not table
    ):
        raise Refusal(f"link: found {quoted(link)}; expected http://host:port/t/table")
    return f"{parts.scheme}://{parts.netloc}", table


def check_server(url: str) -> str:
    """The address of a server without a slash at its end; refused if it is none."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise Refusal(f"server: found {quoted(url)}; expected http://host:port")
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"


class Client:
    """A guest of one server, and the seats that this guest has."""

    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        language: Language = "en",
        edition: Edition | None = None,
        connections: httpx.AsyncClient | None = None,
    ) -> None:
        """`connections` are shared with other guests; whoever made them closes them."""
        self.url = check_server(url)
        self.token = token
        """The device token: whoever has it is this guest."""
        self.language = language
        self.edition = edition or load_edition()
        self.sittings: dict[str, Sitting] = {}
        """By table, the seats that were taken here."""
        self._shares = connections is not None
        self._http = connections or httpx.AsyncClient(
            base_url=self.url,
            timeout=TIMEOUT,
            trust_env=False,
            verify=_certificates() if self.url.startswith("https:") else False,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Forget the connections; seats close their own."""
        if not self._shares:
            await self._http.aclose()

    def companion(self) -> "Client":
        """Another guest of the same server, not yet signed in, over the same connections."""
        return Client(
            self.url, language=self.language, edition=self.edition, connections=self._http
        )

    # ---- the guest ------------------------------------------------------------------------

    async def sign_in(self, name: str) -> Person:
        """Become a new guest with this name."""
        body = {"name": name, "language": self.language, "token": True}
        return self._become(await self._ask("POST", "/guests", _Guest, body))

    async def me(self) -> Person:
        """Who the server takes us for."""
        return await self._ask("GET", "/me", Person)

    async def rename(self, name: str) -> Person:
        """Take another name."""
        return await self._ask("PATCH", "/me", Person, {"name": name})

    async def delete(self) -> None:
        """Have everything deleted that the server knows of us."""
        await self._fetch("DELETE", "/me")
        self.token = None
        self.sittings.clear()

    async def transfer_code(self) -> Transfer:
        """A code with which another device becomes the same guest."""
        return await self._ask("POST", "/me/transfer", Transfer)

    async def transfer(self, code: str) -> Person:
        """Become the guest who got a transfer code on another device."""
        return self._become(
            await self._ask("POST", "/transfer", _Guest, {"code": code, "token": True})
        )

    def _become(self, answer: _Guest) -> Person:
        self.token = answer.token
        self.sittings.clear()
        return answer.guest

    # ---- tables -----------------------------------------------------------------------------

    async def tables(self) -> list[Json]:
        """The public tables that wait for players or are played."""
        return await self._ask("GET", "/tables", list[Json])

    async def limits(self) -> Json:
        """What the server allows: sizes, and how often something may be asked for."""
        return await self._ask("GET", "/limits", Json)

    async def my_tables(self) -> list[Json]:
        """The tables at which we sit or sat, and open ones that we have made."""
        return await self._ask("GET", "/me/tables", list[Json])

    async def create(self, settings: Settings) -> TableInfo:
        """A new table of ours; nobody sits there yet."""
        return (await self._ask("POST", "/tables", _Table, settings)).table

    async def table(self, table: str) -> TableInfo:
        """A table as everybody may know it."""
        return await self._ask("GET", f"/tables/{quote(table, safe='')}", TableInfo)

    async def table_with_code(self, code: str) -> str:
        """The table that waits with a short code."""
        return (await self._ask("POST", "/codes", _Code, {"code": code})).table

    async def sit(self, table: str, seat: int | None = None) -> Sitting:
        """Take a seat, by default the first empty one, with a secret part in the deal.

        Whoever sits there already gets the same seat again.
        """
        refused: set[int] = set()
        for patience in reversed(range(6)):
            empty: list[int] = []
            if seat is None:
                seats = enumerate((await self.table(table)).seats)
                empty = [i for i, each in seats if each.kind == "empty" and i not in refused]
            wanted = empty[0] if empty else seat
            # Without an empty seat the server knows ours, or says why there is none for us.
            entropy = None if wanted is None else draw_entropy(table, wanted)
            body = {"seat": wanted, "commit": entropy.commit if entropy else ""}
            try:
                seated = await self._ask("POST", f"/tables/{table}/seats", _Seated, body)
                break
            except ServerRefusal as refusal:
                # Somebody else was faster, or it is kept for somebody; there may be another.
                if refusal.code != "seat_taken" or not empty or not patience:
                    raise
                refused.add(empty[0])
        sitting = Sitting(table, seated.seat, seated.token)
        commit = seated.table.seats[seated.seat].commit
        known = self.sittings.get(table)
        if entropy is not None and commit == entropy.commit:
            sitting.seed = entropy.seed
        elif known is not None and known.seat == seated.seat and known.commit == commit:
            sitting.seed, sitting.promise, sitting.opened = known.seed, known.promise, known.opened
        self.sittings[table] = sitting
        return sitting

    async def act(self, table: str, action: str) -> Ack:
        """An action as a host or from one's seat, without a socket; returns when it is stored."""
        # A move tells the round that it is meant for: it might be legal in a later one too.
        round_ = await self._round(table) if is_move(action) else 0
        body = {"key": f"{round_}.1.{secrets.token_urlsafe(9)}", "action": action}
        while True:
            answer = await self._fetch("POST", f"/tables/{table}/actions", body)
            if answer.status_code != httpx.codes.ACCEPTED:
                return _decode(answer, Ack)
            await asyncio.sleep(AGAIN_AFTER)

    async def _round(self, table: str) -> int:
        return (await self._ask("GET", f"/tables/{table}/view", _Seen)).view.public.round

    async def rematch(self, table: str) -> TableInfo:
        """The table for the next game of the same seats, made by whoever asks first."""
        return (await self._ask("POST", f"/tables/{table}/rematch", _Table)).table

    def link(self, table: str) -> str:
        """The link with which others come to a table."""
        return f"{self.url}/t/{table}"

    async def link_for_others(self, table: str) -> str:
        """The same for others in the room, to whom an address of this machine alone is no use."""
        if urlsplit(self.url).hostname not in LOOPBACK:
            return self.link(table)
        address = (await self.limits()).get("address", self.url)  # an older server tells none
        return f"{address}/t/{table}"

    # ---- sockets ----------------------------------------------------------------------------

    def seat(
        self,
        table: str,
        *,
        assist: Assist | None = None,
        hear: Callable[[News], None] | None = None,
    ) -> Seat:
        """The seat that we have taken at a table; to be entered with `async with`."""
        if (sitting := self.sittings.get(table)) is None:
            raise Refusal(f"table {quoted(table)}: no seat of ours; expected `sit` first")
        return Seat(
            self.socket_url, sitting, self.edition, self.proof,
            language=self.language, assist=assist, hear=hear,
        )  # fmt: skip

    def watch(self, table: str, *, hear: Callable[[News], None] | None = None) -> Watcher:
        """A place to watch a table from; to be entered with `async with`."""
        hello = Hello(protocol=PROTOCOL, table=table, language=self.language)
        return Watcher(self.socket_url, hello, self.edition, hear)

    @property
    def socket_url(self) -> str:
        """Where the server's WebSockets are."""
        return f"ws{self.url.removeprefix('http')}/ws"

    # ---- after the game ---------------------------------------------------------------------

    async def record(self, table: str) -> str:
        """The record of a game that is over."""
        return (await self._fetch("GET", f"/tables/{table}/record")).text

    async def proof(self, table: str) -> Proof:
        """The proof of the deal of a game that is over; its claims are not yet checked."""
        return parse_proof((await self._fetch("GET", f"/tables/{table}/proof")).content)

    async def score(self, table: str) -> Json:
        """Every point of a finished game with its reason."""
        return await self._ask("GET", f"/tables/{table}/score", Json)

    async def coach(self, table: str, progress: Callable[[Json], None] | None = None) -> Json:
        """What the coach says about our moves in a finished game."""
        return await self._job(f"/tables/{table}/coach?language={self.language}", progress)

    async def par(self, table: str, progress: Callable[[Json], None] | None = None) -> Json:
        """The best that was possible in a finished game."""
        return await self._job(f"/tables/{table}/par", progress)

    async def _job(self, path: str, progress: Callable[[Json], None] | None) -> Json:
        while True:
            answer = await self._fetch("GET", path)
            result = _decode(answer, Json)
            if answer.status_code != httpx.codes.ACCEPTED:
                return result
            if progress is not None:
                progress(result)
            await asyncio.sleep(AGAIN_AFTER)

    # ---- requests ---------------------------------------------------------------------------

    async def _ask(self, method: str, path: str, kind: type[T], body: object = None) -> T:
        return _decode(await self._fetch(method, path, body), kind)

    async def _fetch(self, method: str, path: str, body: object = None) -> httpx.Response:
        headers: dict[str, str] = {"Accept-Language": self.language}
        if self.token is not None:
            headers["Authorization"] = f"Bearer {self.token}"
        content = None
        if body is not None:
            try:
                content = encode(body)
            except UnicodeEncodeError:  # half a character, as a terminal with another charset makes
                raise ServerRefusal("bad_name", words(self.language)("refusal.bad_name")) from None
            headers["Content-Type"] = "application/json"
        try:
            try:
                answer = await self._http.request(
                    method, f"/api{path}", content=content, headers=headers
                )
            except (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError):
                # Kept open from before a restart; nothing here harms if done twice.
                answer = await self._http.request(
                    method, f"/api{path}", content=content, headers=headers
                )
        except (httpx.TransportError, httpx.InvalidURL) as error:
            why = str(error) or type(error).__name__
            raise Unreachable(f"{self.url}: {why}; expected a server of Sideboards") from None
        if answer.is_success:
            return answer
        try:
            refused = msgspec.json.decode(answer.content, type=Refused)
        except msgspec.DecodeError:
            code = answer.status_code
            raise Unreachable(
                f"{self.url}: answered {code}; expected a server of Sideboards"
            ) from None
        raise ServerRefusal(refused.code, refused.sentence)


@cache
def _certificates() -> ssl.SSLContext:
    """Whom to believe; read once, because it is large and many clients share a process."""
    return httpx.create_ssl_context()


def _decode(answer: httpx.Response, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(answer.content, type=kind)
    except msgspec.DecodeError as error:
        raise Unreachable(f"{answer.url}: {error}; expected an answer of Sideboards") from None


def is_move(action: str) -> bool:
    """Whether an action is a move rather than something about the table or its seats."""
    try:
        parse_move(action)
    except Refusal:
        return False
    return True
