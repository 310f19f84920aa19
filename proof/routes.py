"""What somebody can ask a server for beside her socket: routes, exports, lists, feed and pages."""

import io
import json
from contextlib import redirect_stdout
from itertools import count

import msgspec

from proof.heard import Heard
from proof.lines import Talk, content
from proof.twins import Pair
from sideboards.client.views import to_view
from sideboards.data import load_edition
from sideboards.service.protocol import ViewMessage
from sideboards.terminal import Screen, Teller, listed
from sideboards.words import words

ROUTES = ("", "/view", "/news")
EXPORTS = ("/record", "/proof", "/replay")
IN_TURN = ("/score", "/view?assist=0", "/coach", "/seat", "/par", "/log", "/record?rounds=0")
"""Of a table; exports of a game that is not over are refused, in the same words in both worlds."""
OF_NO_TABLE = ("/api/me", "/api/limits", "/api/tables/nothing")
LISTS = ("/api/tables", "/api/me/tables")
PAGES = ("/", "/lobby", "/t/{table}/replay")
HTML = "Accept: text/html"
PACKED = "Accept-Encoding: gzip"
_EDITION = load_edition()


class Asking:
    """The viewer of a pair, who asks for all that there is about a table."""

    def __init__(self, talk: Talk, pair: Pair, table: str, token: str, heard: Heard) -> None:
        """`token` is the viewer's own; empty for a spectator."""
        self._talk = talk
        self._pair = pair
        self._table = table
        self._token = token
        self._heard = heard
        self._keys = count(1)

    async def _get(self, channel: str, *paths: str, more: tuple[str, ...] = ()) -> None:
        for path in paths:
            answer = await self._talk.ask("GET", path, self._token, None, *more)
            self._heard.add(channel, self._pair.viewer, answer)

    async def ask_routes(self, *, whole: bool) -> None:
        """What is told of the table, and the refusals; `whole`: all that there is."""
        number, here, page = self._pair.number, f"/api/tables/{self._table}", f"/t/{self._table}"
        in_turn = IN_TURN if whole else (IN_TURN[number % len(IN_TURN)],)
        await self._get("routes", *(f"{here}{path}" for path in ROUTES))
        await self._get("exports", *(f"{here}{path}" for path in (*EXPORTS, *in_turn)))
        await self._try(here)
        await self._get("lists", "/api/me/tables?waiting=true")
        if whole:
            await self._get("routes", *OF_NO_TABLE, f"{page}/qr.svg")
            await self._get("lists", *LISTS)
            other = PAGES[number // 10 % len(PAGES)].format(table=self._table)
            await self._get("page", page, other, more=(HTML,))
        else:
            await self._get("packed page", page, more=(HTML, PACKED))

    async def _try(self, here: str) -> None:
        """What is not allowed, with cards that she has never seen."""
        one, other = self._pair.probes
        tries: list[tuple[str, object]] = [
            ("actions", {"key": f"9.{next(self._keys)}.route", "action": action})
            for action in (f"L{one}", f"R{other}", f"{one},{other}")
        ]
        tries += [("draft", {"round": 0, "move": f"L{one}"}), ("rematch", None)]
        for path, body in tries:
            answer = await self._talk.ask("POST", f"{here}/{path}", self._token, body)
            self._heard.add("refusals", self._pair.viewer, answer)

    async def ask_feed(self) -> None:
        """The feed of a new address, which comes from the one stream of chance."""
        if self._token:
            made = await self._talk.ask("POST", "/api/me/feed", self._token)
            path = json.loads(content(made))["path"]
            self._heard.add("feed", self._pair.viewer, await self._talk.ask("GET", path))

    async def ask_picture(self) -> None:
        """The preview, as whoever was sent the link sees it."""
        answer = await self._talk.ask("GET", f"/t/{self._table}/preview.png")
        self._heard.add("preview", self._pair.viewer, answer)


def on_a_terminal(frames: list[bytes]) -> bytes:
    """What the text client would show of the last whole view among some messages."""
    views = [frame for frame in frames if frame.startswith(b'{"type":"view"')]
    seen = to_view(msgspec.json.decode(views[-1], type=ViewMessage).view, _EDITION)
    text = io.StringIO()
    with redirect_stdout(text):
        names = [f"P{seat}" for seat in range(len(seen.boards))]
        teller = Teller(Screen(words("en"), colors="none"), names, input)
        teller.welcome(seen)
        teller.show_round(seen)
        if seen.legal:
            teller.show_hand(seen, listed(seen))
    return text.getvalue().encode()
