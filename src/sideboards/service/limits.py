"""Limits: how often anybody may ask for something; set so that no honest player meets them."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address

Clock = Callable[[], float]
"""Seconds that never go back."""


@dataclass(frozen=True, slots=True)
class Rate:
    """So many in so many seconds."""

    count: int
    seconds: float


MESSAGES = Rate(200, 20)
"""Counted messages of a seat or a spectator; pings, repeats of a known key, drafts do not count."""
FRAMES = Rate(1500, 20)
"""Frames of one socket, whatever they hold."""
DRAFTS = Rate(5, 1)
"""Drafts of one seat."""
HANDSHAKE = 10.0
"""Seconds within which a new connection must have said what it wants."""
SOCKETS_PER_ADDRESS = 200
EVENTS_PER_TABLE = 2_000
"""Entries of one table's log behind which nobody sits down; a game has about 60."""
CHANGES_PER_GUEST = 500
"""How often one guest may have a change of mind at one table."""
TABLES_PER_GUEST = 20
"""Open tables that one guest has made and not left to others; practice does not count."""
PRACTICE_PER_GUEST = 10
"""Open tables for practice that one guest has made; a further one ends the longest untouched."""
GUESTS_PER_ADDRESS = Rate(200, 3600)
"""New guests; a school or an office shares one address."""
CALLS_PER_GUEST = Rate(600, 60)
CALLS_PER_ADDRESS = Rate(3000, 60)
WRONG_PER_ADDRESS = Rate(10, 600)
"""Wrong codes."""
WRONG_IN_ALL = Rate(1000, 600)
"""In the 30 minutes of a short code all guessers together try 4,000 of 1,073,741,824 codes."""


class Meter:
    """A rate for one holder, such as a socket, without a look-up.

    A window opens with the first event and lasts `seconds`; it takes `count` events. So nobody
    who keeps to the rate is ever refused.
    """

    __slots__ = ("_clock", "_count", "_left", "_seconds", "_until")

    def __init__(self, rate: Rate, clock: Clock = time.monotonic) -> None:
        self._count = rate.count
        self._seconds = rate.seconds
        self._clock = clock
        self._left = 0
        self._until = float("-inf")

    def allow(self) -> bool:
        """Whether one more is within the rate; if so, it is counted."""
        now = self._clock()
        if now >= self._until:
            self._until = now + self._seconds
            self._left = self._count
        if self._left <= 0:
            return False
        self._left -= 1
        return True


class Limit:
    """A rate for each of many keys, such as addresses; windows like those of a Meter.

    Keys whose window is over are forgotten. Of more than `keys` at once the oldest is forgotten,
    so memory is bounded: whoever has that many addresses is not held by a limit per address.
    """

    def __init__(self, rate: Rate, clock: Clock = time.monotonic, keys: int = 50_000) -> None:
        self._rate = rate
        self._clock = clock
        self._keys = keys
        self._used: dict[str, tuple[float, int]] = {}
        """End of the window and events in it, in the order in which windows end."""

    def __len__(self) -> int:
        return len(self._used)

    def allow(self, key: str) -> bool:
        """Whether one more of `key` is within the rate; if so, it is counted."""
        now = self._clock()
        until, used = self._used.get(key, (now, 0))
        if now >= until:
            self._used.pop(key, None)
            self._forget(now)
            self._used[key] = (now + self._rate.seconds, 1)
            return True
        if used >= self._rate.count:
            return False
        self._used[key] = (until, used + 1)
        return True

    def give_back(self, key: str) -> None:
        """Take back one event that was counted in the present window."""
        if key in self._used:
            until, used = self._used[key]
            self._used[key] = (until, max(0, used - 1))

    def _forget(self, now: float) -> None:
        """Make room for a key; two at a time, so no single event pays for many."""
        for _ in range(2):
            oldest = next(iter(self._used), None)
            if oldest is None:
                return
            if self._used[oldest][0] > now and len(self._used) < self._keys:
                return
            del self._used[oldest]


class Tries:
    """Wrong tries of something secret: a limit per key and one for everybody together."""

    def __init__(
        self,
        per_key: Rate = WRONG_PER_ADDRESS,
        whole: Rate = WRONG_IN_ALL,
        clock: Clock = time.monotonic,
    ) -> None:
        self._each = Limit(per_key, clock)
        self._all = Limit(whole, clock)

    def begin(self, key: str) -> bool:
        """Whether `key` may try; it counts as wrong until `right` is called.

        Counting comes first, because many tries can be under way at once.
        """
        if not self._each.allow(key):
            return False
        if not self._all.allow(""):
            self._each.give_back(key)
            return False
        return True

    def right(self, key: str) -> None:
        """Say that the try that began was not wrong."""
        self._each.give_back(key)
        self._all.give_back("")


def unmapped(address: str) -> str:
    """An address as others write it: one of IPv4 may have come by a socket for both kinds.

    >>> unmapped("::ffff:192.0.2.1"), unmapped("192.0.2.1"), unmapped("2001:db8::1")
    ('192.0.2.1', '192.0.2.1', '2001:db8::1')
    """
    return address.removeprefix("::ffff:") if "." in address else address


def household(address: str) -> str:
    """The key under which limits count an address: IPv6 by its first 64 bits, the rest as it is.

    >>> household("2001:db8:1:2:3::4"), household("::ffff:192.0.2.1"), household("192.0.2.1")
    ('2001:db8:1:2::', '192.0.2.1', '192.0.2.1')
    """
    if ":" not in address:
        return address
    try:
        found = ip_address(address)
    except ValueError:
        return address
    if not isinstance(found, IPv6Address):
        return address
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(IPv6Address(int(found) >> 64 << 64))
