"""Planted bugs in what happens on the wire, in stops, in backups and in the pile."""

from collections.abc import Callable
from typing import Any

from sideboards.client import line
from sideboards.service import socket
from sideboards.service.house import Subscriber
from sideboards.service.room import Actor
from sideboards.service.table import Table


def keys_per_socket() -> None:
    """A repeated request is known only on the socket that it came over first."""
    request = Table.request
    heard: dict[str, Subscriber] = {}

    def forgetful(self: Table, actor: Actor, key: str, *rest: Any) -> None:  # noqa: ANN401
        via: Subscriber = rest[1]
        if heard.setdefault(key, via) is not via:
            self.room.keys.pop(f"{actor.number}.{key}", None)
        request(self, actor, key, *rest)

    Table.request = forgetful  # type: ignore[assignment,method-assign]


def silence_unnoticed() -> None:
    """Nobody notices that nothing is heard any more."""
    line.DEAD_AFTER = socket.DEAD_AFTER = 600.0


MUTANTS: dict[str, Callable[[], None]] = {
    "keys per socket": keys_per_socket,
    "silence unnoticed": silence_unnoticed,
}
