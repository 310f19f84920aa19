"""What a page brings for whoever opens it: who that is, and the table with the own seat and view.

It saves a browser four questions, one after the other, before it can show a game.
"""

from msgspec import Struct

from sideboards.core.refusal import Refusal
from sideboards.service.api_guests import GuestInfo, guest_info
from sideboards.service.api_tables import check_may_look, seat_token, view_of
from sideboards.service.calls import Call, asker_if_any
from sideboards.service.log import CannotSave, Guest, InDoubt
from sideboards.service.pages import HTML
from sideboards.service.protocol import TableInfo, ViewMessage
from sideboards.service.table import Table
from sideboards.service.wire import encode

MOST_HELP = 3


class OwnSeat(Struct, frozen=True):
    """A seat, and the token with which its owner plays over the socket."""

    seat: int
    token: str


class Here(Struct, frozen=True):
    """What only the one who opens a page may read."""

    guest: GuestInfo | None
    table: TableInfo | None = None
    seat: OwnSeat | None = None
    view: ViewMessage | None = None

    @property
    def secret(self) -> bool:
        """Whether nobody may keep the page: it lets whoever has it play."""
        return self.seat is not None

    def block(self) -> str:
        """As lines of a page's head, which are not executed."""
        text = encode(self).decode().replace("<", "\\u003c")
        return f'\n    <script type="application/json" id="here">{text}</script>'


async def here(call: Call, table: Table | None = None) -> Here | None:
    """What a page brings; None where no person opens it, or nobody can say who that is."""
    if HTML not in call.headers.get("accept", ""):
        return None  # a program, or a service worker that keeps the page for everybody
    try:
        guest = await asker_if_any(call)
    except (Refusal, CannotSave, InDoubt):
        return None
    return Here(_info(guest)) if table is None else _at_table(call, table, guest)


def _at_table(call: Call, table: Table, guest: Guest | None) -> Here:
    try:
        check_may_look(table, guest)
    except Refusal:
        return Here(_info(guest))
    number = None if guest is None else table.room.seat_of(guest.id)
    seat = None
    if guest is not None and number is not None:
        seat = OwnSeat(number, seat_token(call, table, number, guest))
    view = None if table.room.game is None else view_of(call, table, number, MOST_HELP)
    return Here(_info(guest), table.info(), seat, view)


def _info(guest: Guest | None) -> GuestInfo | None:
    return None if guest is None else guest_info(guest)
