"""Terms: what may be agreed before a game."""

from sideboards.core.edition import Edition
from sideboards.core.game import replay
from sideboards.core.notation import Record, parse_record
from sideboards.core.refusal import Refusal
from sideboards.service.protocol import Settings
from sideboards.service.refusals import ServiceRefusal

DAY = 86_400
LONGEST_CLOCK = 300


def check_settings(settings: Settings, edition: Edition, before: Settings | None = None) -> None:
    """Refuse settings that cannot be played, or that a table with others cannot have any more."""
    if before is not None and (settings.practice is None) != (before.practice is None):
        raise ServiceRefusal("bad_settings", where="practice")
    if settings.variant and settings.seats == 1:
        raise ServiceRefusal("bad_settings", where="variant")
    clock = settings.round_seconds
    if clock is not None and clock > LONGEST_CLOCK and clock % DAY:
        raise ServiceRefusal("bad_settings", where="round_seconds")
    if settings.assist == 3 and settings.public:
        raise ServiceRefusal("bad_settings", where="assist")
    if settings.practice is not None:
        if settings.public:
            raise ServiceRefusal("bad_settings", where="public")
        try:
            record = read_practice(settings.practice, edition)
            over = replay(record.setup, record.played).over
        except Refusal:
            raise ServiceRefusal("bad_settings", where="practice") from None
        if over:  # there is nothing to play
            raise ServiceRefusal("bad_settings", where="practice")
        if (record.setup.seats, record.setup.mode == "variant") != (
            settings.seats,
            settings.variant,
        ):
            raise ServiceRefusal("bad_settings", where="seats")


def read_practice(text: str, edition: Edition) -> Record:
    """The record with which a practice table goes on."""
    return parse_record(text.encode(), edition, unfinished=True)
