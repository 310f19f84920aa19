"""People in front of a browser: contexts that are watched, and the seats they take."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    expect,
)

from tests.service.rest import Person
from tests.web.screen import PATIENCE, STEP

PHONE = (360, 560)
DESKTOP = (1440, 900)
LOCALES = {"de": "de-DE", "en": "en-GB", "fr": "fr-FR", "it": "it-IT", "pt": "pt-PT"}
SETTINGS = "sideboards.settings"
LOST_LINE = r"net::ERR_|WebSocket connection to|status of 50[234]"
"""What a browser itself writes when the network is away."""
expect.set_options(timeout=PATIENCE)


@dataclass
class Watch:
    """All that must not happen in a context: errors, and requests to other hosts."""

    base: str
    allowed: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def over(self, context: BrowserContext) -> None:
        """Watch a context from now on."""
        context.on("console", self._said)
        context.on("weberror", lambda error: self._note(f"page error: {error.error}"))
        context.on("request", self._asked)

    def allow(self, pattern: str) -> None:
        """Let something pass that a test itself brings about."""
        self.allowed.append(pattern)

    def _said(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning", "assert"):
            where = message.location.get("url", "")
            self._note(f"console {message.type}: {message.text} ({where})")

    def _asked(self, request: Request) -> None:
        parts = urlsplit(request.url)
        home = urlsplit(self.base)
        if parts.scheme in ("http", "https", "ws", "wss") and parts.netloc != home.netloc:
            self._note(f"foreign host: {request.url}")

    def _note(self, problem: str) -> None:
        if not any(re.search(pattern, problem) for pattern in self.allowed):
            self.problems.append(problem)


@dataclass(slots=True)
class Visitor:
    """Somebody's browser: its context, its first page, and what is watched."""

    context: BrowserContext
    page: Page
    watch: Watch
    language: str
    direct: str
    """The address of the server itself, also where pages come by another way."""

    def call(self, method: str, path: str, body: object = None) -> Any:  # noqa: ANN401 (JSON)
        """The answer of a route, with the cookies of this browser."""
        origin = {"origin": self.direct, "accept-language": self.language}
        options: dict[str, Any] = {} if body is None else {"data": body}
        answer = self.context.request.fetch(
            f"{self.direct}{path}", method=method, headers=origin, **options
        )
        assert answer.ok, (method, path, answer.status, answer.text())
        return answer.json() if answer.text() else None

    def be(self, name: str) -> None:
        """Be known on this device under a name."""
        self.call("POST", "/api/guests", {"name": name, "language": self.language})

    def act(self, table: str, action: str, key: str) -> None:
        """Do something at a table over REST, where the screen is not what is tested."""
        self.call("POST", f"/api/tables/{table}/actions", {"key": key, "action": action})

    def view(self, table: str) -> Any:  # noqa: ANN401 (JSON)
        """What this browser's seat may know, asked for apart from the page."""
        return self.call("GET", f"/api/tables/{table}/view")["view"]

    def dealt(
        self,
        *bots: str,
        people: tuple[Person, ...] = (),
        name: str = "Ana",
        show: bool = True,
        **settings: object,
    ) -> str:
        """A table with cards dealt: this visitor at seat 0, then people, then bots; shown."""
        self.be(name)
        seats = 1 + len(people) + len(bots)
        made = self.call("POST", "/api/tables", {"seats": seats} | settings)
        table = str(made["table"]["table"])
        self.call("POST", f"/api/tables/{table}/seats", {"seat": 0, "commit": ""})
        for seat, person in enumerate(people, 1):
            answer = person.sit(table, seat)
            assert answer.status_code == 201, answer.text
        for seat, bot in enumerate(bots, 1 + len(people)):
            self.act(table, f"bot {seat} {bot}", f"0.{seat}.abcd")
        self.act(table, "start", "0.9.abcd")
        self.wait(lambda: self.is_dealt(table))
        if show:
            self.page.goto(f"{self.watch.base}/t/{table}")
        return table

    def is_dealt(self, table: str) -> bool:
        info = self.call("GET", f"/api/tables/{table}")
        return bool(info["phase"] == "playing")

    def wait(self, holds: Callable[[], object]) -> None:
        """Return as soon as something holds; the page goes on meanwhile."""
        for _ in range(PATIENCE // STEP):
            if holds():
                return
            self.page.wait_for_timeout(STEP)
        raise AssertionError("it never came true")


@dataclass(slots=True)
class House:
    """A browser and a server: where visitors come from."""

    browser: Browser
    base: str
    direct: str = ""
    visitors: list[Visitor] = field(default_factory=list)

    def visit(
        self,
        path: str | None = None,
        *,
        size: tuple[int, int] = PHONE,
        language: str = "en",
        theme: str = "light",
        touch: bool = False,
        moving: bool = False,
        sharp: float = 1,
        **settings: object,
    ) -> Visitor:
        """A new visitor with a browser of her own; `settings` are those kept on the device."""
        context = self.browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            locale=LOCALES[language],
            color_scheme="dark" if theme == "dark" else "light",
            reduced_motion="no-preference" if moving else "reduce",
            device_scale_factor=sharp,
            has_touch=touch,
            is_mobile=touch,
            base_url=self.base,
        )
        context.set_default_timeout(PATIENCE)
        watch = Watch(self.base)
        watch.over(context)
        if settings:
            kept = json.dumps(json.dumps(settings))
            context.add_init_script(
                f"location.protocol === 'http:' && (localStorage.getItem('{SETTINGS}')"
                f" ?? localStorage.setItem('{SETTINGS}', {kept}))"
            )
        visitor = Visitor(context, context.new_page(), watch, language, self.direct or self.base)
        self.visitors.append(visitor)
        if path is not None:
            visitor.page.goto(self.base + path)
        return visitor

    def person(self, name: str, language: str = "en") -> Person:
        """Somebody who plays without a browser."""
        return Person(self.direct or self.base, name, language)

    def close(self) -> list[str]:
        """End all visits; what must not have happened in them."""
        problems = []
        for visitor in self.visitors:
            problems += visitor.watch.problems
            visitor.context.close()
        self.visitors.clear()
        return problems
