"""The outbox: what sockets are sent, in which order, and what is done when nobody waits.

Whoever moves is answered first. What others get is sent together, but the loop looks at its
sockets between two views that have to be made: whoever moves meanwhile waits for one of them.
"""

import asyncio
import os
import sys
import time
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Protocol

from sideboards.service.house import Message
from sideboards.service.protocol import Pong
from sideboards.service.wire import encode

PONG = encode(Pong())
AT_ONCE = 64
"""So many messages are sent at the latest before more are made."""
SOON = 0.05
"""Seconds within which an action is usually answered: others step aside no longer."""
BRIEF, SULK = 0.0005, 5.0
"""If to give way took more than so many seconds, it is not done again for so many."""


class Receiver(Protocol):
    """Somebody who is sent messages."""

    def deliver(self, message: Message) -> None:
        """Send a message."""


class Outbox:
    """What is to be sent to the sockets of one server."""

    def __init__(self, failed: Callable[[BaseException], None], rest: Callable[[], None]) -> None:
        """`rest` is called when all is sent and nobody waits; what fails is told to `failed`."""
        self._failed = failed
        self._rest = rest
        self._waiting = 0
        """Actions that are not yet answered; the last of them came at `_asked`."""
        self._asked = 0.0
        self._sulks_until = 0.0
        self._posted: deque[tuple[Receiver, Message]] = deque()
        self._pinged: dict[Receiver, int] = {}
        """Those whose pings are to be answered, and how many."""
        self._goes_on = False
        """Whether the loop will come back to this soon."""

    @property
    def pressed(self) -> bool:
        """Whether somebody waits who is about to be answered; what takes long presses nobody."""
        return self._waiting > 0 and time.monotonic() - self._asked < SOON

    def begin(self) -> None:
        """Somebody waits for an answer from now on."""
        self._waiting += 1
        self._asked = time.monotonic()

    def end(self) -> None:
        """Somebody waits no longer."""
        self._waiting -= 1

    def post(self, receiver: Receiver, message: Message) -> None:
        """Send a message at the end of this turn of the loop, or when there are many.

        Sent one by one between the views that are made, each of them would wake its reader.
        """
        for _ in range(self._pinged.pop(receiver, 0)):  # each gets everything in its order
            self._posted.append((receiver, PONG))
        self._posted.append((receiver, message))
        if len(self._posted) >= AT_ONCE:
            self.deliver()
        else:
            self._go_on_soon()

    def pinged(self, receiver: Receiver) -> None:
        """Answer a ping, after those who wait for something else."""
        self._pinged[receiver] = self._pinged.get(receiver, 0) + 1
        self._go_on_soon()

    def answer(self, receiver: Receiver) -> None:
        """Send what was posted for whoever waits for an answer, before what others get."""
        posted, self._posted = self._posted, deque()
        for one, message in posted:
            if one is receiver:
                self.guard(partial(one.deliver, message))
            else:
                self._posted.append((one, message))
        if not self.pressed:  # then there is nothing to be sent together with the rest
            if self._posted:
                self._give_way()
            self._deliver_some()

    def deliver(self) -> None:
        """Send all that was posted, in its order."""
        while self._posted:
            self._deliver_first()

    def answer_pings(self) -> None:
        """Answer all pings that came, behind what was posted before."""
        pinged, self._pinged = self._pinged, {}
        for receiver, often in pinged.items():
            self._posted += [(receiver, PONG)] * often
        self._deliver_bytes()

    def guard(self, call: Callable[[], None]) -> None:
        """Call something; one socket's fault is not the others'."""
        try:
            call()
        except Exception as error:
            self._failed(error)

    def _give_way(self) -> None:
        """Let whoever was answered read, unless this core has others to do who stay for long."""
        begun = time.monotonic()
        if begun >= self._sulks_until:
            give_way()
            ended = time.monotonic()
            if ended - begun > BRIEF:
                self._sulks_until = ended + SULK

    def _go_on_soon(self) -> None:
        """Come back after the loop has looked who asks for something."""
        if not self._goes_on:
            self._goes_on = True
            asyncio.get_running_loop().call_soon(self._go_on)

    def _go_on(self) -> None:
        self._goes_on = False
        if self._posted:
            self._deliver_some()
        elif not self.pressed:
            self.answer_pings()
            self._rest()

    def _deliver_some(self) -> None:
        """Send what was posted, in its order, as far as the first view that had to be made."""
        made = False
        while self._posted and not made:
            made = self._deliver_first()
        self._go_on_soon()

    def _deliver_bytes(self) -> None:
        """Send what was posted, as far as the first view that has to be made."""
        while self._posted and isinstance(self._posted[0][1], bytes):
            self._deliver_first()
        if self._posted:
            self._go_on_soon()

    def _deliver_first(self) -> bool:
        """Send the oldest message; whether it had to be made."""
        receiver, message = self._posted.popleft()
        self.guard(partial(receiver.deliver, message))
        return not isinstance(message, bytes)


def give_way() -> None:
    """Let others have this core for a moment, where the system knows how to.

    Whoever is answered may be on this very machine, and Linux likes to wake a reader on the core of
    the one who wrote, also while another core is idle; there it would wait for all that follows.
    """
    if sys.platform != "win32":
        os.sched_yield()
