"""Turns: one at a time changes a table, in the order in which they asked."""

import asyncio
from collections.abc import Callable
from functools import partial


class Turns:
    """A lock for calls and for tasks; whoever finds it free goes on at once, without a task."""

    __slots__ = ("_line", "_moving", "_taken")

    def __init__(self) -> None:
        self._line: list[Callable[[], None]] = []
        self._taken = False
        self._moving = False

    def ask(self, go: Callable[[], None]) -> None:
        """Call `go` when it is its turn; the turn lasts until `over` is called."""
        self._line.append(go)
        if not self._taken:
            self._move()

    def over(self) -> None:
        """End the present turn."""
        self._taken = False
        self._move()

    def _move(self) -> None:
        """Begin the next turn. A loop, because a turn may be over before its call returns."""
        if self._moving:
            return
        self._moving = True
        try:
            while self._line and not self._taken:
                self._taken = True
                self._line.pop(0)()
        finally:
            self._moving = False

    async def __aenter__(self) -> None:
        """Wait for a turn."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.ask(partial(self._begin, turn))
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # it had begun already
                self.over()
            raise

    async def __aexit__(self, *_: object) -> None:
        """End the turn."""
        self.over()

    def _begin(self, turn: asyncio.Future[None]) -> None:
        if turn.cancelled():  # nobody waits for it any more
            self.over()
        else:
            turn.set_result(None)
