"""A real server for tests of the routes: its own thread, a real store, a real port."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from sideboards.service.server import Options, serve

WAIT = 30.0


@contextmanager
def running(folder: Path, **options: Any) -> Iterator[str]:  # noqa: ANN401 (those of Options)
    """The address of a server that runs until the end of the block."""
    found: list[str] = []
    failed: list[BaseException] = []
    up = threading.Event()
    loops: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[None]]] = []

    async def run() -> None:
        task = asyncio.ensure_future(
            serve(
                Options(
                    database=str(folder / "sideboards.db"),
                    host="127.0.0.1",
                    port=0,
                    **{"processes": 1, "test_mode": True, "bot_beat": 0} | options,
                ),
                lambda address: (found.append(address.here), up.set())[1],
            )
        )
        loops.append((asyncio.get_running_loop(), task))
        try:
            await task
        except asyncio.CancelledError:
            return
        except BaseException as error:
            failed.append(error)
            raise
        finally:
            up.set()

    thread = threading.Thread(target=lambda: asyncio.run(run()), daemon=True)
    thread.start()
    assert up.wait(WAIT)
    if failed or not found:
        raise RuntimeError("the server did not start") from (failed[0] if failed else None)
    try:
        yield found[0]
    finally:
        loop, task = loops[0]
        loop.call_soon_threadsafe(task.cancel)
        thread.join(WAIT)
        assert not thread.is_alive()


def person(base: str, name: str = "Ana", **headers: str) -> httpx.Client:
    """A client of somebody who is a guest by a device token."""
    client = httpx.Client(base_url=base, timeout=10, headers=headers)
    answer = client.post("/api/guests", json={"name": name, "token": True})
    assert answer.status_code == 201, answer.text
    client.headers["Authorization"] = f"Bearer {answer.json()['token']}"
    return client
