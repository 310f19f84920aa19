"""The proxy in a thread of its own, for tests that wait without an event loop."""

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any

from proof.proxy import Proxy

WAIT = 10.0


class Cutter:
    """A proxy between browser and server that can be cut, at will or at a chosen message."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.proxy = Proxy()
        self._run(self.proxy.open())

    def cut(self) -> None:
        """Break all connections and let none through until `mend`."""
        self._run(self._cut())

    def mend(self) -> None:
        """Let connections through again."""
        self.proxy.mend()

    def close(self) -> None:
        """End."""
        self._run(self.proxy.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(WAIT)
        self._loop.close()

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(WAIT)

    async def _cut(self) -> None:
        self.proxy.refuse()
        self.proxy.cut()
