"""Pictures that are the same for everybody: each drawn once, in the background, and kept."""

import asyncio
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor

PATIENCE = 0.4
"""Seconds that somebody waits for a picture; it is finished all the same."""
_brush = ThreadPoolExecutor(1, "drawing")
_drawn: dict[Hashable, "Future[bytes]"] = {}


async def drawn(name: Hashable, draw: Callable[[], bytes]) -> bytes | None:
    """A picture; None if it is not ready soon."""
    found = _drawn.get(name)
    if found is None or (found.done() and found.exception() is not None):
        found = _drawn[name] = _brush.submit(draw)
    if not found.done():
        await asyncio.wait({asyncio.wrap_future(found)}, timeout=PATIENCE)
    return found.result() if found.done() else None
