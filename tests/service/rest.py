"""A real server for tests of the routes: a thread of its own, a real store, a real port."""

import asyncio
import itertools
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import httpx

from sideboards.client.client import is_move
from sideboards.service.api import routes
from sideboards.service.description import describe
from sideboards.service.refusals import status
from sideboards.service.server import Address, Options, serve
from tests.service.uncompiled import without_numba

WAIT = 30.0
JSON = "application/json"
_clients: list[httpx.Client] = []
T = TypeVar("T")


@contextmanager
def running(
    folder: Path,
    *,
    compiled: bool = False,
    database: str = "",
    **options: Any,  # noqa: ANN401 (those of Options)
) -> Iterator[str]:
    """The address of a server that runs until the end of the block; see `uncompiled`.

    Its database is a file of the folder if no other is named.
    """
    found: list[str] = []
    ended: list[BaseException | None] = []
    up = threading.Event()
    loops: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[None]]] = []

    def ready(address: Address) -> None:
        found.append(address.here)
        up.set()

    async def run() -> None:
        where = database or str(folder / "sideboards.db")
        wanted: dict[str, Any] = {"host": "127.0.0.1", "port": 0, "processes": 1}
        wanted |= {"test_mode": True, "bot_beat": 0} | options
        task = asyncio.create_task(serve(Options(database=where, **wanted), ready))
        loops.append((asyncio.get_running_loop(), task))
        await asyncio.wait({task})
        ended.append(None if task.cancelled() else task.exception())
        up.set()

    thread = threading.Thread(target=lambda: asyncio.run(run()), daemon=True)
    with nullcontext() if compiled else without_numba():
        thread.start()
        assert up.wait(WAIT)
    if not found:
        raise RuntimeError("the server did not start") from ended[0]
    try:
        yield found[0]
    finally:
        for client in _clients:
            client.close()
        _clients.clear()
        loop, task = loops[0]
        loop.call_soon_threadsafe(task.cancel)
        thread.join(WAIT)
        assert not thread.is_alive()
        assert ended == [None]


@cache
def told() -> dict[tuple[str, str], set[str]]:
    """By method and path the codes with which an operation refuses, as its description says."""
    return {
        (method.upper(), path): set(re.findall(r"`(\w+)`: ", str(operation["responses"])))
        for path, methods in describe(routes())["paths"].items()
        for method, operation in methods.items()
    }


def check_told(answer: httpx.Response) -> None:
    """Notice a refusal that the description of its operation does not tell of."""
    asked = answer.request
    if answer.status_code < 400:
        return
    for (method, path), codes in told().items():
        way = re.sub(r"{\w+}", "[^/]+", path)
        if method == asked.method and re.fullmatch(way, asked.url.path):
            answer.read()
            assert answer.json()["code"] in codes, f"{method} {path}: {answer.text}"


def browser(base: str) -> httpx.Client:
    """A client that keeps cookies; closed with the server."""
    client = httpx.Client(base_url=base, timeout=10, event_hooks={"response": [check_told]})
    _clients.append(client)
    return client


class Person:
    """Somebody who plays over REST, known by a device token."""

    def __init__(self, base: str, name: str = "Ana", language: str = "en") -> None:
        self.http = browser(base)
        wish = {"name": name, "language": language, "token": True}
        answer = self.http.post("/api/guests", json=wish)
        assert answer.status_code == 201, answer.text
        self.id: str = answer.json()["guest"]["id"]
        self.token: str = answer.json()["token"]
        self.http.headers["Authorization"] = f"Bearer {self.token}"
        self._numbers = itertools.count()

    def get(self, path: str, **options: Any) -> httpx.Response:  # noqa: ANN401 (those of httpx)
        return self.http.get(path, **options)

    def post(self, path: str, body: object = None) -> httpx.Response:
        return self.http.post(path) if body is None else self.http.post(path, json=body)

    def table(self, **settings: object) -> str:
        """The id of a new table."""
        answer = self.post("/api/tables", settings)
        assert answer.status_code == 201, answer.text
        return str(answer.json()["table"]["table"])

    def sit(self, table: str, seat: int | None = None, commit: str = "") -> httpx.Response:
        return self.post(f"/api/tables/{table}/seats", {"seat": seat, "commit": commit})

    def act(self, table: str, action: str, key: str | None = None) -> httpx.Response:
        if key is None:
            key = f"{self._round(table) if is_move(action) else 0}.{next(self._numbers)}.abcd"
        return self.post(f"/api/tables/{table}/actions", {"key": key, "action": action})

    def _round(self, table: str) -> int:
        """The present round; 0 before the deal."""
        answer = self.get(f"/api/tables/{table}/view")
        return int(answer.json()["view"]["public"]["round"]) if answer.status_code == 200 else 0

    def do(self, table: str, *actions: str) -> None:
        """Actions that must be taken."""
        for action in actions:
            answer = self.act(table, action)
            assert answer.status_code == 200, (action, answer.text)

    def wait_for_bots(self, table: str) -> None:
        """Return when all others have chosen, so that nothing changes by itself any more."""
        for _ in range(600):
            if all(self.view(table)["public"]["sealed"][1:]):
                return
            time.sleep(0.05)
        raise AssertionError("the bots did not choose")

    def view(self, table: str) -> Any:  # noqa: ANN401 (JSON)
        """The view, as soon as there is one."""
        for _ in range(600):
            answer = self.get(f"/api/tables/{table}/view")
            if answer.status_code == 200:
                return answer.json()["view"]
            assert answer.json()["code"] == "not_started", answer.text
            time.sleep(0.02)
        raise AssertionError("no cards were dealt")

    def start(self, *bots: str, **settings: object) -> str:
        """A table at which this person sits at seat 0, and bots play."""
        table = self.table(seats=1 + len(bots), **settings)
        self.sit(table, 0)
        self.do(table, *(f"bot {seat} {bot}" for seat, bot in enumerate(bots, 1)), "start")
        self.view(table)
        return table

    def start_with(self, other: "Person", **settings: object) -> str:
        """A table at which this person sits at seat 0 and another at seat 1."""
        table = self.table(seats=2, **settings)
        self.sit(table, 0)
        other.sit(table, 1)
        self.do(table, "start")
        self.view(table)
        return table

    def finish(self, table: str) -> Any:  # noqa: ANN401 (JSON)
        """The view at the end, after this person has always taken the first option."""
        for _ in range(1000):
            view = self.view(table)
            if view["result"]:
                return view
            if view["options"]:
                self.do(table, view["options"][0]["move"])
            else:
                time.sleep(0.02)
        raise AssertionError("the game did not end")


def wait_until(question: Callable[[], T]) -> T:
    """The first answer to a question that is not nothing."""
    for _ in range(1500):
        if found := question():
            return found
        time.sleep(0.02)
    raise AssertionError("it did not happen")


def sentence_of(answer: httpx.Response, code: str) -> str:
    """The sentence of an answer that must be a refusal with a code."""
    assert answer.headers["content-type"] == "application/json", answer.text
    body = answer.json()
    assert (body["type"], body["code"]) == ("refused", code), answer.text
    assert answer.status_code == status(code)
    return str(body["sentence"])
