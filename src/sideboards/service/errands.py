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

    async def run(
        self, table: Table, actor: Actor, key: str, action: str, assist: int
    ) -> Ack | None:
        """The acknowledgement of an action, for somebody with so much help; None while pending."""
        which = (table.room.table, actor, key)
        if table.saving.get(actor.number, key) != key:
            raise ServiceRefusal("busy")
        known, task = self._tasks.get(which, (action, None))
        if known != action:
            raise ServiceRefusal("key_reused")
        if task is None:
            task = asyncio.get_running_loop().create_task(table.act(actor, key, action, assist))
            self._tasks[which] = (action, task)
            task.add_done_callback(lambda ended: self._end(table, which, ended))
        done, _ = await asyncio.wait({task}, timeout=PENDING_AFTER)
        if done:
            return task.result()
        if not task.done():
            table.saving[actor.number] = key
        return None

    def _end(self, table: Table, which: tuple[str, Actor, str], task: asyncio.Task[Ack]) -> None:
        del self._tasks[which]
        _, actor, key = which
        if table.saving.get(actor.number) == key:
            del table.saving[actor.number]
        if not task.cancelled():
            task.exception()  # whoever waits gets it; if nobody does, that is no fault
