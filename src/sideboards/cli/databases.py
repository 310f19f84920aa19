"""Commands for the server's database: `backup`, `restore` and `migrate`."""

import os
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from sideboards.core.refusal import Refusal
from sideboards.minds.workers import extra
from sideboards.service.databases import copied, open_store

T = TypeVar("T")
database_option = click.option(
    "--database",
    envvar="SIDEBOARDS_DATABASE",
    help="A SQLite file, or postgresql://…; by default the file in your data directory.",
)


@click.command(
    short_help="Write all tables and guests into one file, while servers run.",
    epilog="Example: sideboards backup games.dump",
)
@click.argument("file", type=Path)
@database_option
def backup(*, file: Path, database: str | None) -> None:
    """Write all tables and guests into one file, while servers run.

    FILE is new or is replaced, and is there whole or not at all. It can be restored into SQLite
    or PostgreSQL. It holds the secret that signs people's tokens: keep it to yourself.
    """
    extra("msgspec", "serve")
    from sideboards.service import dump  # noqa: PLC0415 (msgspec)

    if sys.platform != "win32":
        os.nice(19)  # a backup is in no hurry, whoever plays meanwhile is
    with _progress("saving") as shown:
        end = _run(dump.backup(copied(database), file, shown))
    click.echo(f"{file}: {end.tables} tables with {end.events} events, {end.guests} guests")


@click.command(
    short_help="Fill an empty database from a backup.",
    epilog="Example: sideboards restore games.dump --database postgresql://localhost/games",
)
@click.argument("file", type=Path)
@database_option
def restore(*, file: Path, database: str | None) -> None:
    """Fill an empty database from a backup.

    FILE comes from `sideboards backup`. All of it is restored or nothing; a database that holds
    tables or guests is refused. People keep their seats.
    """
    extra("msgspec", "serve")
    from sideboards.service import dump  # noqa: PLC0415 (msgspec)

    with _progress("restoring") as shown:
        end = _run(dump.restore(copied(database), file, shown))
    click.echo(f"{file}: {end.tables} tables with {end.events} events, {end.guests} guests")


@click.command(
    short_help="Bring a database to this program's version, or back to an older one.",
    epilog="Example: sideboards migrate --to 1 --database games.db",
)
@click.option("--to", type=int, help="The version wanted, 0 for empty; by default the newest.")
@click.option("--yes", is_flag=True, help="Delete all tables and guests for version 0, unasked.")
@database_option
def migrate(*, to: int | None, yes: bool, database: str | None) -> None:
    """Bring a database to this program's version, or back to an older one.

    A server does the former by itself when it starts. Going back may lose what the older version
    cannot hold; version 0 is an empty database. Make a backup first. No server may run on it.
    """
    if to == 0 and not yes:
        _ask_whether_to_delete(str(open_store(database)))
    before, after = _run(open_store(database).migrate(to))
    click.echo(f"version {before} -> {after}" if before != after else f"version {after} already")


def _ask_whether_to_delete(database: str) -> None:
    """Go on only if somebody at a terminal says so."""
    if not sys.stdin.isatty():
        raise Refusal("--to 0: deletes all tables and guests; expected --yes if that is meant")
    click.confirm(f"Delete all tables and guests in {database}?", abort=True, err=True)


def _run(work: Coroutine[Any, Any, T]) -> T:
    import asyncio  # noqa: PLC0415 (twice the time that --help takes)

    return asyncio.run(work)


@contextmanager
def _progress(label: str) -> Iterator[Callable[[int, int], None]]:
    """A bar that grows as (done, of) are told, where somebody watches."""
    hidden = not sys.stderr.isatty()
    with click.progressbar(length=1, label=label, file=sys.stderr, hidden=hidden) as bar:

        def tell(done: int, of: int) -> None:
            bar.length = of
            bar.update(done - bar.pos)

        yield tell
