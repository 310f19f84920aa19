"""What the routes of a server work with."""

from collections.abc import Callable
from dataclasses import dataclass, field

from sideboards.service.desk import Desk
from sideboards.service.house import House
from sideboards.service.identity import Identity
from sideboards.service.limits import CALLS_PER_ADDRESS
from sideboards.service.lookout import Lookout
from sideboards.service.metrics import Metrics
from sideboards.service.tables import Tables


@dataclass(frozen=True, slots=True)
class Backstage:
    """Everything behind the routes; made once at start."""

    house: House
    """Store, clock, thinkers, edition."""
    identity: Identity
    tables: Tables
    desk: Desk
    origins: frozenset[str]
    """The exact origins from which browsers may act, such as ``http://127.0.0.1:8000``."""
    proxies: tuple[str, ...]
    """Addresses of reverse proxies whose X-Forwarded-For is believed."""
    metrics: Metrics
    guests_per_hour: int
    """New guests of one address."""
    test_mode: bool
    advance: Callable[[int], None]
    """Moves the clock forward by milliseconds; only offered in test mode."""
    stop: Callable[[int], None]
    """Stops the clock at a time; only offered in test mode."""
    calls_per_minute: int = CALLS_PER_ADDRESS.count
    """Requests over REST of one address."""
    room: str | None = None
    """The address for everybody in the same network; None: only this machine can come."""
    edition_file: bytes | None = None
    """The bytes of the edition's file; None: the edition that is shipped."""
    lookout: Lookout = field(default_factory=Lookout)
    """Looks at tables that are not in memory."""
