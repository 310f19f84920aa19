"""`sideboards serve`: a server for the people in the room, or for a club."""

import json
import sys

import click

from sideboards.cli.databases import database_option
from sideboards.minds.workers import extra

HALVES = {(0, 0): " ", (1, 0): "▀", (0, 1): "▄", (1, 1): "█"}
"""Two squares of a QR code, the upper and the lower one, by whether they are dark."""
DARK_ON_WHITE, AS_BEFORE = "\x1b[38;5;16;48;5;231m", "\x1b[0m"


@click.command(
    short_help="Run a server; friends join by link, code or QR.",
    epilog="Example: sideboards serve --port 8000 --database postgresql://localhost/sideboards",
)
@click.option("--host", show_default="0.0.0.0", help="Address to listen on.")  # noqa: S104 (phones in the room)
@click.option("--port", type=click.IntRange(0, 65535), help="By default 8000, or the next free.")
@database_option
@click.option(
    "--origin",
    "origins",
    multiple=True,
    help="A further origin of browsers, such as https://play.example.org.",
)
@click.option(
    "--proxy",
    "proxies",
    multiple=True,
    help="Address of a reverse proxy whose X-Forwarded-For is believed.",
)
@click.option("--processes", type=click.IntRange(1, 64), help="Thinking processes for bots.")
@click.option("--sockets-per-address", type=click.IntRange(1), help="By default 200.")
@click.option("--guests-per-hour", type=click.IntRange(1), help="New guests of an address.")
@click.option("--requests-per-minute", type=click.IntRange(1), help="REST requests of an address.")
@click.option("--open", "browse", is_flag=True, help="Open the browser when it is ready.")
@click.option("--json", "as_json", is_flag=True, help="Print one line of JSON when it is ready.")
@click.option("--test-mode", is_flag=True, help="For tests: fixed clock and decks.")
@click.option("--bot-beat", type=click.IntRange(0), help="For tests: milliseconds of a bot.")
@click.option("--seed", type=int, help="For tests: fixes ids, seeds and deals.")
def serve(*, as_json: bool, browse: bool, **given: object) -> None:
    """Run a server: people play in the browser, in the terminal, or through a program.

    Games are kept in a SQLite file, or in a PostgreSQL database that several servers may share.
    Ctrl-C ends it; whatever was acknowledged is kept.
    """
    extra("litestar", "serve")
    import uvloop  # noqa: PLC0415 (the whole server is loaded only here)

    from sideboards.service.databases import default_database  # noqa: PLC0415
    from sideboards.service.logs import configure  # noqa: PLC0415
    from sideboards.service.pages import LOOPBACK  # noqa: PLC0415
    from sideboards.service.server import Address, Options, serve  # noqa: PLC0415

    chosen = {name: value for name, value in given.items() if value is not None}
    chosen["database"] = chosen.get("database") or default_database()
    if chosen["test_mode"]:  # which nobody else may reach
        chosen.setdefault("host", LOOPBACK[0])
    options = Options(**chosen)  # type: ignore[arg-type] # click has checked them

    def ready(address: Address) -> None:
        if as_json:
            found = {"here": address.here, "room": address.room, "port": address.port}
            click.echo(json.dumps(found))
        else:
            _welcome(address.here, address.room, str(chosen["database"]))
        sys.stdout.flush()
        if browse:
            click.launch(address.here)

    configure()
    uvloop.run(serve(options, ready))


def _welcome(here: str, room: str | None, database: str) -> None:
    """Say where the server can be reached, with a QR code for phones in the room."""
    click.echo(f"Sideboards is ready. On this machine: {here}")
    if room is not None:
        click.echo(f"For everybody in the same network:   {room}")
        if sys.stdout.isatty():
            click.echo(_qr_code(room))
    place = "a PostgreSQL database" if "://" in database else database
    click.echo(f"Games are kept in {place}. Ctrl-C ends the server.")


def _qr_code(text: str) -> str:
    """A QR code of half blocks, dark on white whatever the colors of the terminal are."""
    import segno  # noqa: PLC0415 (only where it is shown)

    rows = [list(row) for row in segno.make(text, error="m").matrix_iter(border=4)]
    rows += [[0] * len(rows[0])] * (len(rows) % 2)
    lines = [
        "".join(HALVES[above, below] for above, below in zip(*pair, strict=True))
        for pair in zip(rows[::2], rows[1::2], strict=True)
    ]
    return "\n".join(f"{DARK_ON_WHITE}{line}{AS_BEFORE}" for line in lines)
