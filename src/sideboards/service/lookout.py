"""The lookout: whom tables wait for that are not in memory, as far as their logs went last time."""

from collections import OrderedDict

import msgspec

from sideboards.service.house import House
from sideboards.service.room import Room
from sideboards.service.tables import BrokenLog, read_log

MOST_KEPT = 10_000
"""So many tables are remembered, in a few MB; whom nobody has asked for is forgotten first."""


class Waiting(msgspec.Struct, frozen=True, gc=False):
    """Whom a table waits for."""

    position: int
    """The last event of the log that tells it."""
    round: int = 0
    people: tuple[int, ...] = ()
    """The seats whose people have to choose in that round."""


class Lookout:
    """Looks at tables without loading them, and again only when something has happened there."""

    def __init__(self, most: int = MOST_KEPT) -> None:
        self._most = most
        self._seen: OrderedDict[str, Waiting] = OrderedDict()

    async def look(self, house: House, table: str) -> Waiting:
        """Whom a table waits for; nobody if its log cannot be read."""
        seen = self._seen.get(table)
        if seen is None or await house.store.read(table, seen.position):
            seen = await self._read(house, table)
        self._seen[table] = seen
        self._seen.move_to_end(table)
        if len(self._seen) > self._most:
            self._seen.popitem(last=False)
        return seen

    async def _read(self, house: House, table: str) -> Waiting:
        events = await house.store.read(table)
        try:
            return waiting_at(read_log(table, events, house.edition))
        except BrokenLog as error:  # the other tables of a list are told of all the same
            house.failed(error)
            return Waiting(events[-1].position)


def waiting_at(room: Room) -> Waiting:
    """Whom a table waits for now."""
    people = tuple(seat for seat in room.waiting if not room.chairs[seat].bot)
    return Waiting(room.position, room.game.round if room.game else 0, people)
