"""Errands: actions over REST that are under way, each answered within a second."""

import asyncio

from sideboards.service.protocol import Ack
from sideboards.service.refusals import ServiceRefusal
from sideboards.service.room import Actor
from sideboards.service.table import Table

PENDING_AFTER = 0.7
"""Seconds after which an action that is not yet stored is called pending."""


class Errands:
    """The actions under way; one that takes long goes on while its caller asks again."""

    def __init__(self) -> None:
        self._tasks: dict[tuple[str, Actor, str], tuple[str, asyncio.Task[Ack]]] = {}
        self._pending: dict[tuple[str, Actor], str] = {}

    async def run(self, table: Table, actor: Actor, key: str, action: str) -> Ack | None:
        """The acknowledgement of an action; None while it is pending."""
        who = (table.room.table, actor)
        if self._pending.get(who, key) != key:
            raise ServiceRefusal("busy")
        known, task = self._tasks.get((*who, key), (action, None))
        if known != action:
            raise ServiceRefusal("key_reused")
        if task is None:
            task = asyncio.get_running_loop().create_task(
                table.act(actor, key, action, table.room.settings.assist)
            )
            self._tasks[*who, key] = (action, task)
            task.add_done_callback(lambda ended: self._end(who, key, ended))
        done, _ = await asyncio.wait({task}, timeout=PENDING_AFTER)
        if done:
            return task.result()
        if not task.done():
            self._pending[who] = key
        return None

    def _end(self, who: tuple[str, Actor], key: str, task: asyncio.Task[Ack]) -> None:
        del self._tasks[*who, key]
        if self._pending.get(who) == key:
            del self._pending[who]
        if not task.cancelled():
            task.exception()  # whoever waits gets it; if nobody does, that is no fault
