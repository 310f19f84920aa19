"""A wish: an action that waits for its turn at a table, and for the store."""

from collections.abc import Callable

import msgspec

from sideboards.service.entries import Entry
from sideboards.service.house import Subscriber

Done = Callable[[Exception | None], None]


class Wish(msgspec.Struct, frozen=True):
    """An action that somebody wants to take, and who hears how it went."""

    ask: Callable[[], Entry]
    """Checks it against the present state of the table."""
    key: str
    text: str
    via: Subscriber | None = None
    done: Done | None = None
    first: Callable[[], None] | None = None
    """Called when it is stored, before anybody hears of it."""
