"""A question at the terminal that can be called off, because its answer would come too late."""

import signal
import sys
import termios
import threading
import time
from collections.abc import Callable
from types import FrameType

BREATH = 1.0
"""Seconds within which a key may still have been meant for the question before."""


class _CalledOff(Exception):
    """Raised in the main thread, out of whatever waits for a key."""


class Prompt:
    """Asks in the main thread; any other thread may call the question off."""

    def __init__(self, ask: Callable[[str], str]) -> None:
        self._ask = ask
        self._asking = False
        self._thread = threading.get_ident()
        signal.signal(signal.SIGUSR1, self._woken)

    def ask(self, text: str, holds: Callable[[], bool]) -> str | None:
        """What was typed; None if the question does not hold, or was called off."""
        try:
            try:
                self._asking = True  # first, so that whatever changes after a look calls it off
                return self._ask(text) if holds() else None
            finally:
                self._asking = False
        except _CalledOff:
            return None

    def call_off(self) -> None:
        """End the present question, if there is one; what was typed is gone."""
        signal.pthread_kill(self._thread, signal.SIGUSR1)

    def drop_typed(self) -> None:
        """Give the person a moment to look up, and forget what was typed until then."""
        if sys.stdin.isatty():
            time.sleep(BREATH)
            termios.tcflush(sys.stdin, termios.TCIFLUSH)

    def _woken(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002 (as signals call)
        if self._asking:
            self._asking = False
            raise _CalledOff
