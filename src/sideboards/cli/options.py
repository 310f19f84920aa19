"""What the commands share: options, how files are read and written, how bots are seated."""

import json
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import click

from sideboards.core.edition import Edition
from sideboards.core.game import Setup, new_setup
from sideboards.core.notation import parse_objectives
from sideboards.core.refusal import Refusal, quoted
from sideboards.core.scoring import Mode
from sideboards.core.sheet import Sheet
from sideboards.data import read_file
from sideboards.minds.bots import BOTS, bot
from sideboards.terminal import Screen, plain
from sideboards.words import LANGUAGES, Words, preferred_language, words

NOT_WRITTEN = 1
BAD_INPUT = 2
INTERRUPTED = 130
MOST_GAMES = 1_000_000
COMPILING = "compiling the kernels (once, about a minute) ..."
BOT_NAMES = ("Ana", "Ben", "Carla", "Dario", "Emma")

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for scripts.")
lang_option = click.option(
    "--lang", help=f"Language: {', '.join(LANGUAGES)}; by default the locale's."
)
edition_option = click.option("--edition", help="Edition file; by default the one shipped.")
variant_option = click.option("--variant", is_flag=True, help="Bigger hands, no swap cards.")
solo_option = click.option("--solo", is_flag=True, help="One player, with a ranking.")
objectives_option = click.option(
    "--objectives", help='Three numbers "3,8,19", a suggestion "s1", or "random".'
)
bots_option = click.option(
    "--bots", default="greedy", show_default=True, help=f"Who plays, in turn: {', '.join(BOTS)}."
)


def complain(sentence: str, code: int) -> int:
    """Say a sentence on one line of standard error, whatever signs it quotes."""
    click.echo(f"sideboards: {plain(sentence)}", err=True)
    return code


def spoken_words(lang: str | None) -> Words:
    """The words of the language that was asked for, else of the locale."""
    return words(lang or preferred_language(os.environ))


def titles(spoken: Words) -> list[str]:
    """The five titles of the solo ranking."""
    return [spoken(f"title.{tier}") for tier in range(1, 6)]


def open_screen(spoken: Words) -> Screen:
    """A screen with as many colors as standard output shows."""
    terminal = os.environ.get("TERM", "dumb")
    shown = sys.stdout is not None and sys.stdout.isatty()
    if not shown or terminal == "dumb" or os.environ.get("NO_COLOR"):
        return Screen(spoken, colors="none")
    true_color = os.environ.get("COLORTERM") in ("truecolor", "24bit")
    return Screen(spoken, colors="all" if true_color else "256")


def print_json(value: object) -> None:
    """Print a value as JSON."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


@contextmanager
def named(file: str) -> Iterator[None]:
    """Tell a refusal together with the file that it is about."""
    try:
        yield
    except Refusal as refusal:
        place = "standard input" if file == "-" else file
        sentence = str(refusal).removeprefix(f"{file}: ")
        raise Refusal(f"{place}: {sentence}") from None


def read(file: str) -> bytes:
    """The bytes of a file that was named, or of standard input."""
    if file != "-":
        return read_file(file)
    if sys.stdin is None:
        raise Refusal("-: closed; expected something to read")
    return sys.stdin.buffer.read()


def show_sheet(sheet: Sheet, spoken: Words) -> None:
    """Show a score sheet: objectives, boards, results."""
    screen = open_screen(spoken)
    for objective in sheet.objectives:
        screen.objective(objective)
    screen.result(sheet)


def table(players: int | None, *, variant: bool, solo: bool) -> tuple[Mode, int]:
    """The mode and the number of seats that the options ask for."""
    seats = 1 if players is None else players
    if variant and (solo or seats == 1):
        raise Refusal("--variant: the variant is not offered for one player; expected 2 to 6")
    if solo and seats != 1:
        raise Refusal(f"--players: found {seats} with --solo; expected 1")
    if not 1 <= seats <= 6:
        raise Refusal(f"--players: found {seats}; expected 1 to 6")
    return ("variant" if variant else "solo" if seats == 1 else "standard"), seats


def seated(bots: str, seats: int, edition: Edition) -> list[str]:
    """The names of the bots, repeated in turn until every seat has one."""
    names = bots.split(",")
    for name in names:
        try:
            bot(name, edition)
        except Refusal as refusal:
            raise Refusal(f"--bots: {refusal}") from None
    if len(names) > seats:
        raise Refusal(f"--bots: found {len(names)}; expected at most {seats}, one per seat")
    return [names[seat % len(names)] for seat in range(seats)]


def chosen_objectives(
    edition: Edition, objectives: str | None
) -> tuple[int | None, int | None, int | None]:
    """The objectives that the option asks for; None for each that is drawn at random."""
    if objectives and objectives.startswith("s"):
        number = objectives[1:]
        if number not in map(str, range(1, len(edition.suggestions) + 1)):
            expected = f"s1 to s{len(edition.suggestions)}"
            raise Refusal(f"--objectives: found {quoted(objectives)}; expected {expected}")
        return edition.suggestions[int(number) - 1]
    if objectives in (None, "random"):
        return (None, None, None)
    try:
        return parse_objectives(objectives)
    except Refusal as refusal:
        raise Refusal(f"--objectives: {refusal}") from None


def warm(names: Iterable[str]) -> None:
    """Compile what the named bots need before many games begin, and say so."""
    if "master" in names:
        from sideboards.minds.warm import warm_up  # noqa: PLC0415 (numba)

        warm_up(lambda: click.echo(COMPILING, err=True))


def chosen_setup(
    edition: Edition, mode: Mode, seats: int, objectives: str | None, rng: Random
) -> Setup:
    """A set-up with the objectives that the option asks for."""
    chosen = chosen_objectives(edition, objectives)
    return new_setup(edition, seats=seats, mode=mode, objectives=chosen, rng=rng)


def new_folder(folder: Path) -> None:
    """Make a folder for results; refuse one that holds something."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        taken = any(folder.iterdir())
    except OSError as error:
        raise Refusal(f"--out: {folder}: {error.strerror}; expected a folder") from None
    if taken:
        raise Refusal(f"--out: {folder} is not empty; expected a new or empty folder")


def write_whole(file: Path, text: str | bytes) -> None:
    """Write a file so that it is there whole or not at all."""
    unfinished = file.with_name(f".{file.name}.unfinished")
    try:
        try:
            unfinished.write_bytes(text.encode() if isinstance(text, str) else text)
            unfinished.replace(file)
        finally:
            unfinished.unlink(missing_ok=True)
    except OSError as error:
        raise Refusal(f"{file}: {error.strerror}; expected a place to write") from None


@contextmanager
def progress(numbers: range, label: str) -> Iterator[Iterator[int]]:
    """The numbers, with a progress bar where somebody watches."""
    hidden = not sys.stderr.isatty()
    with click.progressbar(numbers, label=label, file=sys.stderr, hidden=hidden) as shown:
        yield iter(shown)
