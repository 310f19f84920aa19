"""What all tables of a server share, and who watches them."""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from sideboards.core.edition import Edition
from sideboards.service.clock import Clock
from sideboards.service.log import CannotSave, InDoubt, Store
from sideboards.service.room import Chair
from sideboards.service.thinking import Thinkers

Message = bytes | Callable[[], bytes]
"""What is sent, or what makes it when it is sent."""
PREPARED = 16
"""So much waits at the most for somebody to have time for it; the oldest is forgotten."""
SAID_TOGETHER = 50
"""So many lines, of less than eighty bytes, are one announcement."""


class Subscriber(Protocol):
    """Somebody who watches a table, from a seat or as a spectator."""

    guest: str
    """Who it is; empty for a spectator without a name."""
    seat: int | None
    assist: int
    language: str

    def post(self, message: Message) -> None:
        """Send a message."""

    def close(self, code: int, reason: str) -> None:
        """End the connection."""


@dataclass(slots=True)
class House:
    """What all tables of a server share."""

    store: Store
    clock: Clock
    thinkers: Thinkers
    edition: Edition
    new_seed: Callable[[], str]
    bot_beat: int
    """Milliseconds after the opening of a round at which bots choose, however fast they think."""
    moved: Callable[[], None]
    """Called for every stored event, to be counted."""
    report: Callable[[BaseException], None]
    """Called for what should not have happened, by `failed`."""
    unsaved: Callable[[Exception], None]
    """Called with what the database said when something could not be saved."""
    saved: Callable[[], None]
    """Called from time to time while the database saves."""
    committed: Callable[[float], None]
    """Called with the seconds that a commit took."""
    arranged: Callable[[str, Sequence[Chair]], None]
    """Called for every action that was stored here and the chairs of its table, to be counted."""
    stopping: bool = False
    """Whether the server ends: what is not yet on its way to the store is refused."""
    tasks: set[asyncio.Task[None]] = field(default_factory=set)
    later: deque[Callable[[], None]] = field(default_factory=partial(deque, maxlen=PREPARED))
    """What is worth doing while nobody waits for an answer; nothing is missed without it."""
    cut: int = 0
    """When a server was started or stopped that had connections, or may have had some."""
    unsaid: list[str] = field(default_factory=list)
    """What other servers are still to be told, in order."""
    decks: dict[str, str] = field(default_factory=dict)
    """By table, what is dealt there instead of what the seeds decide; only filled in test mode."""

    def announce(self, *lines: str) -> None:
        """Tell other servers something at once, if there may be any."""
        if lines and self.store.shared:
            self.unsaid += lines
            if len(self.unsaid) == len(lines):  # else somebody is just telling, and goes on
                self.spawn(self._announce())

    async def _announce(self) -> None:
        """Tell all that is to be told, much of it together, in order."""
        while self.unsaid:
            some = self.unsaid[:SAID_TOGETHER]
            try:
                await self.store.announce("\n".join(some))
            except (CannotSave, InDoubt):
                pass  # presence is told again, and a phrase is only a phrase
            except Exception as error:  # the rest can still be told
                self.failed(error)
            del self.unsaid[: len(some)]

    def spawn(self, work: Coroutine[object, object, None]) -> None:
        """Run something beside everything else."""
        task = asyncio.get_running_loop().create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self._ended)

    def failed(self, error: BaseException) -> None:
        """Report what should not have happened; whoever calls this goes on, whatever happens."""
        with suppress(Exception):
            self.report(error)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self.tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self.failed(error)
