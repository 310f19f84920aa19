"""What a link tells before it is opened: the title, a sentence and a picture of its page."""

from dataclasses import dataclass
from html import escape

from sideboards.core.edition import Edition, Numbers
from sideboards.core.notation import parse_board
from sideboards.service.easel import Motif
from sideboards.service.pictures import HEIGHT, WIDTH
from sideboards.service.table import Table
from sideboards.words import Words, describe


@dataclass(frozen=True, slots=True)
class Placard:
    """The title and sentence of a page, and the path of its picture."""

    title: str
    text: str
    picture: str


def house_placard(spoken: Words) -> Placard:
    """That of all pages that are of no table."""
    return Placard(spoken("term.game"), spoken("page.about"), "/preview.png")


def table_placard(table: Table, spoken: Words, edition: Edition) -> Placard:
    """That of a table: only what everybody who has its link may know."""
    numbers = open_objectives(table)
    objectives = edition.objectives(numbers) if numbers else ()
    sentences = [
        spoken(
            "labelled",
            name=spoken("objective.number", number=objective.number),
            text=describe(objective, spoken),
        )
        for objective in objectives
    ]
    return Placard(
        title=_title(table, spoken),
        text=" · ".join(sentences) or spoken("page.about"),
        picture=f"/t/{table.room.table}/preview.png?v={position(table)}",
    )


def may_be_seen(table: Table) -> bool:
    """Whether anybody who has the link may see who sits there, and the boards."""
    return table.room.settings.spectators or table.room.phase == "waiting"


def open_objectives(table: Table) -> Numbers | None:
    """The objectives of a table, if they are known yet."""
    game = table.room.game
    return game.setup.objectives if game else table.room.settings.objectives


def motif_of(table: Table) -> Motif:
    """What the picture of a table shows."""
    opened = table.room.game is not None and may_be_seen(table)
    boards = table.view(None, 0).boards if opened else ()
    return open_objectives(table), tuple(map(parse_board, boards)) if any(boards) else ()


def position(table: Table) -> str:
    """What changes whenever the picture of a table does."""
    game = table.room.game
    numbers = ".".join(map(str, open_objectives(table) or ()))
    return f"{game.round if game and may_be_seen(table) else 0}-{numbers}"


def head_lines(placard: Placard, server: str, path: str) -> str:
    """The placard as lines of a page's head."""
    title, text = escape(placard.title), escape(placard.text)
    properties = {
        "og:type": "website",
        "og:site_name": "Sideboards",
        "og:title": placard.title,
        "og:description": placard.text,
        "og:url": f"{server}{path}",
        "og:image": f"{server}{placard.picture}",
        "og:image:type": "image/png",
        "og:image:width": str(WIDTH),
        "og:image:height": str(HEIGHT),
        "og:image:alt": placard.title,
    }
    lines = [
        f"<title>{title}</title>",
        f'<meta name="description" content="{text}">',
        *(f'<meta property="{name}" content="{escape(to)}">' for name, to in properties.items()),
        '<meta name="twitter:card" content="summary_large_image">',
    ]
    return "\n    ".join(lines)


def _title(table: Table, spoken: Words) -> str:
    game = spoken("term.game")
    if not may_be_seen(table):
        return game
    seats = table.info().seats
    names = [seat.name or spoken(f"bot.{seat.bot}") for seat in seats if seat.name or seat.bot]
    if not names:
        return game
    if table.room.phase == "waiting":
        return spoken("page.invite", names=", ".join(names))
    return spoken("labelled", name=game, text=", ".join(names))
