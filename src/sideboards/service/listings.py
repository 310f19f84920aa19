"""Lists of tables: what a lobby, a person's own list and a feed tell of each."""

from collections.abc import Sequence

import msgspec

from sideboards.service.backstage import Backstage
from sideboards.service.log import Guest, Listed, Phase
from sideboards.service.lookout import waiting_at
from sideboards.service.summary import Summary, summary_of


class Listing(msgspec.Struct, frozen=True, kw_only=True):
    """A table in a list."""

    table: str
    phase: Phase
    created: int
    """Milliseconds since 1970, as all times."""
    updated: int
    due: int | None
    """When the round, or the opening of the seeds, ends."""
    settings: Summary
    names: tuple[str | None, ...]
    """By seat; None for a bot, an empty seat and somebody who was deleted."""
    made_by_you: bool = False
    """Whether whoever asks has made it."""
    your_seat: int | None = None
    waits_for_you: bool = False
    """Whether the table waits for the choice of whoever asks."""
    round: int | None = None
    """The round that waits."""


async def listings(
    backstage: Backstage, listed: Sequence[Listed], guest: Guest | None = None
) -> list[Listing]:
    """Tables with the names of those who sit there, and whether they wait for a guest.

    Practice is in no list.
    """
    listed = [table for table in listed if not summary_of(table).practice]
    own = guest.id if guest else None
    guests = list({each for table in listed for each, _ in table.guests})
    names = await backstage.house.store.names(guests)
    seats = {table.table: seat for table in listed for each, seat in table.guests if each == own}
    played = [table for table in listed if table.phase == "playing" and table.table in seats]
    waits = {
        table.table: await _round_that_waits(backstage, table.table, seats[table.table])
        for table in played
    }
    return [
        _listing(table, own, names, seats.get(table.table), waits.get(table.table))
        for table in listed
    ]


async def own_tables(backstage: Backstage, guest: Guest, most: int) -> list[Listed]:
    """The tables at which a guest sits or sat, and open ones that she has made; what is open comes
    first, then the latest."""
    store = backstage.house.store
    found = {each.table: each for each in await store.tables_of(guest.id, most)}
    found |= {each.table: each for each in await store.open_tables_of(guest.id)}

    def rank(table: Listed) -> tuple[bool, int]:
        return table.phase in ("waiting", "playing"), table.updated

    return sorted(found.values(), key=rank, reverse=True)


async def _round_that_waits(backstage: Backstage, table: str, seat: int) -> int | None:
    """The round in which a table waits for a seat; a table is not loaded for that."""
    live = backstage.tables.loaded(table)
    if live:
        waiting = waiting_at(live.room)
    else:
        waiting = await backstage.lookout.look(backstage.house, table)
    return waiting.round if seat in waiting.people else None


def _listing(
    table: Listed, own: str | None, names: dict[str, str], seat: int | None, waits: int | None
) -> Listing:
    summary = summary_of(table)
    by_seat: list[str | None] = [None] * summary.seats
    for guest, place in table.guests:
        if place < len(by_seat):
            by_seat[place] = names.get(guest)
    return Listing(
        table=table.table,
        phase=table.phase,
        created=table.created,
        updated=table.updated,
        due=table.due,
        settings=summary,
        names=tuple(by_seat),
        made_by_you=own is not None and table.made_by == own,
        your_seat=seat,
        waits_for_you=waits is not None,
        round=waits,
    )
