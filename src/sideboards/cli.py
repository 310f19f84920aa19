"""The `sideboards` command."""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from pathlib import Path
from random import Random, SystemRandom
from typing import NoReturn

import click

from sideboards.core.board import Laid
from sideboards.core.edition import Edition, parse_edition
from sideboards.core.fair import check_proof, parse_proof
from sideboards.core.game import Setup, new_setup, scores
from sideboards.core.game import replay as play_through
from sideboards.core.notation import (
    Record,
    format_board,
    format_record,
    parse_objectives,
    parse_record,
)
from sideboards.core.refusal import Refusal, quoted
from sideboards.core.scoring import Mode
from sideboards.core.sheet import Sheet, parse_sheet, results, sheet_of
from sideboards.data import load_edition, read_file, shipped
from sideboards.minds.arena import play_game
from sideboards.minds.bots import BOTS, bot
from sideboards.terminal import Game, Quit, Screen
from sideboards.words import LANGUAGES, Words, preferred_language, words

NOT_WRITTEN = 1
BAD_INPUT = 2
INTERRUPTED = 130
MOST_GAMES = 1_000_000
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


def main() -> NoReturn:
    """Run the command; bad input is answered with one line and exit code 2."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal without our signs shows ? for them
            stream.reconfigure(errors="replace")
    try:
        code = app.main(sys.argv[1:] or ["--help"], "sideboards", standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
    except Refusal as refusal:
        code = _complain(str(refusal), BAD_INPUT)
    except click.ClickException as error:
        code = _complain(f"{error.format_message()} (see --help)", BAD_INPUT)
    except (KeyboardInterrupt, click.Abort):
        code = _complain("stopped", INTERRUPTED)
    except BrokenPipeError:  # whoever read our output has seen enough
        code = NOT_WRITTEN
    except OSError as error:
        code = _complain(f"output: {error.strerror}; expected a place to write", NOT_WRITTEN)
    if (
        code == NOT_WRITTEN and sys.stdout is not None
    ):  # the rest of the output has nowhere to go, not even at the exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code or 0)


def _complain(sentence: str, code: int) -> int:
    """Say a sentence on one line of standard error, whatever signs it quotes."""
    line = "".join(sign if sign.isprintable() else "?" for sign in sentence)
    click.echo(f"sideboards: {line}", err=True)
    return code


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Example: sideboards play --players 4 --lang de",
)
@click.version_option(package_name="sideboards", message="%(version)s")
def app() -> None:
    """Sideboards: play, score and replay the card game (unofficial)."""


@app.command(
    short_help="Score boards, finished or not, also those of the printed game.",
    epilog='Example: echo \'{"objectives": [3, 8, 19], "mode": "solo", "players": '
    '[{"name": "Ana", "board": "17 42~ 8"}]}\' | sideboards score -',
)
@click.argument("file")
@json_option
@lang_option
def score(file: str, *, as_json: bool, lang: str | None) -> None:
    """Score boards, finished or not, with the edition's objectives or your own.

    FILE is a score request in JSON, or - for standard input.
    """
    spoken = _words(lang)
    folder = Path() if file == "-" else Path(file).parent
    with _named(file):
        sheet = parse_sheet(
            _read(file), load_edition(), load=lambda path: load_edition(folder / path)
        )
    if as_json:
        _print_json(results(sheet, _titles(spoken)))
    else:
        _show_sheet(sheet, spoken)


@app.command(epilog="Example: sideboards simulate --players 4 --games 100 --seed 7 --out games")
@click.option("--out", type=Path, required=True, help="New or empty folder for the records.")
@click.option("--players", type=int, help="1 to 6 seats; by default 4.")
@variant_option
@solo_option
@click.option("--games", type=int, default=100, show_default=True, help="How many games.")
@click.option(
    "--seed", type=int, default=0, show_default=True, help="The same seed gives the same games."
)
@bots_option
@objectives_option
@edition_option
@json_option
def simulate(
    *,
    out: Path,
    players: int | None,
    variant: bool,
    solo: bool,
    games: int,
    seed: int,
    bots: str,
    objectives: str | None,
    edition: str | None,
    as_json: bool,
) -> None:
    """Let bots play and write one game record per game."""
    material = load_edition(edition)
    mode, seats = _table(4 if players is None and not solo else players, variant=variant, solo=solo)
    if not 1 <= games <= MOST_GAMES:
        raise Refusal(f"--games: found {games}; expected 1 to {MOST_GAMES}")
    names = _seated(bots, seats)
    _setup(material, mode, seats, objectives, Random(0))  # refuses before anything is written
    _new_folder(out)
    totals, wins, done = [0] * seats, [0] * seats, 0
    try:
        with _progress(range(1, games + 1), "games") as numbers:
            for number in numbers:
                rng = Random(f"{seed}/{number}")
                setup = _setup(material, mode, seats, objectives, rng)
                state = play_game(setup, [bot(name) for name in names], rng)
                file = out / f"game-{number:0{len(str(games))}}.txt"
                _write_whole(file, format_record(Record(setup, state.played, tuple(names))))
                for seat, result in enumerate(scores(state)):
                    totals[seat] += result.points.total
                    wins[seat] += result.place == 1
                done = number
    except KeyboardInterrupt:
        stopped = f"stopped; {done} whole records are in {out}"
        raise click.exceptions.Exit(_complain(stopped, INTERRUPTED)) from None
    played = [
        {"bot": name, "mean": total / games, "wins": won}
        for name, total, won in zip(names, totals, wins, strict=True)
    ]
    if as_json:
        _print_json({"games": games, "out": str(out), "seats": played})
    else:
        click.echo(f"{games} {'record' if games == 1 else 'records'} in {out}")
        for name, total, won in zip(names, totals, wins, strict=True):
            click.echo(f"{name:10}  mean {total / games:5.1f}  first in {won}")


@app.command(epilog="Example: sideboards replay games/game-001.txt")
@click.argument("record")
@edition_option
@json_option
@lang_option
def replay(record: str, *, edition: str | None, as_json: bool, lang: str | None) -> None:
    """Replay and check a game record, then show its boards and scores.

    RECORD is a game record, or - for standard input.
    """
    spoken = _words(lang)
    material = load_edition(edition)
    with _named(record):
        game = parse_record(_read(record), material)
    state = play_through(game.setup, game.played)
    names = game.names or [spoken("seat", number=seat + 1) for seat in range(game.setup.seats)]
    sheet = sheet_of(state, names)
    if not as_json:
        _show_sheet(sheet, spoken)
        return
    table = {
        "edition": {"name": material.name, "sha256": material.sha256},
        "mode": game.setup.mode,
        "objectives": game.setup.objectives,
        "boards": [format_board(seat.board) for seat in state.seats],
        "pile": len(state.pile),
        "discards": state.discards,
    }
    _print_json(table | results(sheet, _titles(spoken)))


@app.command(
    short_help="Check that a deal was fair, and that it was played.",
    epilog="Example: sideboards verify proof.json game.txt",
)
@click.argument("proof")
@click.argument("record", required=False)
@edition_option
def verify(proof: str, record: str | None, *, edition: str | None) -> None:
    """Check that a deal follows from its seeds and, with a record, that it was played.

    PROOF is a fairness proof in JSON, RECORD the game record of the same game.
    """
    material = load_edition(edition)
    with _named(proof):
        claimed = parse_proof(_read(proof))
        setup = check_proof(claimed, material)
    if record is not None:
        with _named(record):
            game = parse_record(_read(record), material)
            for name in ("mode", "seats", "objectives", "deck", "refill"):
                if getattr(game.setup, name) != getattr(setup, name):
                    raise Refusal(f"{name}: not the one that was proved; expected the proof's")
    unopened = ", ".join(map(str, claimed.unopened)) or "none"
    played = "" if record is None else " and played as recorded"
    click.echo(f"deal verified{played}; seats without a seed of their own: {unopened}")


@app.command(epilog="Example: sideboards play --players 4 --lang de")
@click.option("--players", type=int, help="1 to 6 seats, yours included; by default 2.")
@variant_option
@solo_option
@bots_option
@objectives_option
@click.option("--seed", type=int, help="Deal the same game again.")
@click.option("--record", type=Path, help="New file for the game record.")
@edition_option
@lang_option
def play(
    *,
    players: int | None,
    variant: bool,
    solo: bool,
    bots: str,
    objectives: str | None,
    seed: int | None,
    record: Path | None,
    edition: str | None,
    lang: str | None,
) -> None:
    """Play a game in the terminal against bots."""
    spoken = _words(lang)
    material = load_edition(edition)
    mode, seats = _table(2 if players is None and not solo else players, variant=variant, solo=solo)
    rng = Random(SystemRandom().getrandbits(64) if seed is None else seed)
    if objectives is None and material.suggestions:
        objectives = f"s{rng.randint(1, len(material.suggestions))}"
    setup = _setup(material, mode, seats, objectives, rng)
    if record is not None:
        if record.exists():
            raise Refusal(f"--record: {record} is there already; expected a new file")
        _write_whole(record, "")  # rather refused now than after the game
        record.unlink()
    kinds = _seated(bots, max(seats - 1, 1))[: seats - 1]
    others = [
        (f"{name} ({spoken(f'bot.{kind}')})", bot(kind))
        for name, kind in zip(BOT_NAMES, kinds, strict=False)
    ]
    screen = _screen(spoken)
    if sys.stdin is None:
        raise Refusal("standard input: closed; expected somebody to play")
    with suppress(ImportError):
        import readline  # noqa: F401, PLC0415 (arrow keys, where the system has them)
    game = Game(screen, setup, others, rng, input)
    try:
        state = game.play()
    except (Quit, EOFError):
        screen.say()
        screen.say_words("play.left")
        return
    if record is not None:
        _write_whole(record, format_record(Record(setup, state.played, game.names)))
        screen.say_words("play.recorded", file=record)


@app.group("edition", no_args_is_help=False, epilog="Example: sideboards edition show")
def edition_group() -> None:
    """Show or check an edition: the cards and objectives of one box."""


@edition_group.command("show", epilog="Example: sideboards edition show")
@click.argument("file", required=False)
@json_option
@lang_option
def edition_show(file: str | None, *, as_json: bool, lang: str | None) -> None:
    """Show the cards, objectives and suggestions of an edition.

    FILE is an edition file, or - for standard input; without it, the edition that is shipped.
    """
    data = shipped("edition.json") if file is None else _read(file)
    with _named(file or "the shipped edition"):
        material = parse_edition(data)
    if as_json:
        _print_json({"sha256": material.sha256} | json.loads(data.decode("utf-8-sig")))
        return
    screen = _screen(_words(lang))
    screen.say(f"{material.name}  sha256 {material.sha256}")
    if material.about:
        screen.say(material.about)
    screen.legend()
    for first in range(1, len(material.cards) + 1, 10):
        screen.say()
        screen.board(tuple(Laid(number) for number in range(first, first + 10)), material)
    for pattern in material.patterns:
        screen.objective(pattern)
    for row in material.rows:
        screen.objective(row)
    for number, suggestion in enumerate(material.suggestions, 1):
        screen.labelled(screen.words("suggestion", number=number), ",".join(map(str, suggestion)))


@edition_group.command(
    "check",
    short_help="Check an edition file, or name its first fault.",
    epilog="Example: sideboards edition check my-box.json",
)
@click.argument("file", required=False)
@json_option
def edition_check(file: str | None, *, as_json: bool) -> None:
    """Check an edition file: every card and objective, or the first fault and its place.

    FILE is an edition file, or - for standard input; without it, the edition that is shipped.
    """
    with _named(file or "the shipped edition"):
        material = parse_edition(shipped("edition.json") if file is None else _read(file))
    counts = {
        "name": material.name,
        "sha256": material.sha256,
        "cards": len(material.cards),
        "objectives": len(material.patterns) + len(material.rows),
        "suggestions": len(material.suggestions),
    }
    if as_json:
        _print_json(counts)
    else:
        click.echo(
            f"{file or 'the shipped edition'}: good ({material.name}; {counts['cards']} cards, "
            f"{counts['objectives']} objectives, {counts['suggestions']} suggestions; "
            f"sha256 {material.sha256})"
        )


def _words(lang: str | None) -> Words:
    return words(lang or preferred_language(os.environ))


def _titles(spoken: Words) -> list[str]:
    return [spoken(f"title.{tier}") for tier in range(1, 6)]


def _screen(spoken: Words) -> Screen:
    terminal = os.environ.get("TERM", "dumb")
    shown = sys.stdout is not None and sys.stdout.isatty()
    if not shown or terminal == "dumb" or os.environ.get("NO_COLOR"):
        return Screen(spoken, colors="none")
    true_color = os.environ.get("COLORTERM") in ("truecolor", "24bit")
    return Screen(spoken, colors="all" if true_color else "256")


def _print_json(value: object) -> None:
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


@contextmanager
def _named(file: str) -> Iterator[None]:
    """Tell a refusal together with the file that it is about."""
    try:
        yield
    except Refusal as refusal:
        place = "standard input" if file == "-" else file
        sentence = str(refusal).removeprefix(f"{file}: ")
        raise Refusal(f"{place}: {sentence}") from None


def _read(file: str) -> bytes:
    if file != "-":
        return read_file(file)
    if sys.stdin is None:
        raise Refusal("-: closed; expected something to read")
    return sys.stdin.buffer.read()


def _show_sheet(sheet: Sheet, spoken: Words) -> None:
    screen = _screen(spoken)
    for objective in sheet.objectives:
        screen.objective(objective)
    screen.result(sheet)


def _table(players: int | None, *, variant: bool, solo: bool) -> tuple[Mode, int]:
    """The mode and the number of seats that the options ask for."""
    seats = 1 if players is None else players
    if variant and (solo or seats == 1):
        raise Refusal("--variant: the variant is not offered for one player; expected 2 to 6")
    if solo and seats != 1:
        raise Refusal(f"--players: found {seats} with --solo; expected 1")
    if not 1 <= seats <= 6:
        raise Refusal(f"--players: found {seats}; expected 1 to 6")
    return ("variant" if variant else "solo" if seats == 1 else "standard"), seats


def _seated(bots: str, seats: int) -> list[str]:
    """The names of the bots, repeated in turn until every seat has one."""
    names = bots.split(",")
    for name in names:
        try:
            bot(name)
        except Refusal as refusal:
            raise Refusal(f"--bots: {refusal}") from None
    if len(names) > seats:
        raise Refusal(f"--bots: found {len(names)}; expected at most {seats}, one per seat")
    return [names[seat % len(names)] for seat in range(seats)]


def _setup(edition: Edition, mode: Mode, seats: int, objectives: str | None, rng: Random) -> Setup:
    chosen: tuple[int | None, int | None, int | None] = (None, None, None)
    if objectives and objectives.startswith("s"):
        number = objectives[1:]
        if number not in map(str, range(1, len(edition.suggestions) + 1)):
            expected = f"s1 to s{len(edition.suggestions)}"
            raise Refusal(f"--objectives: found {quoted(objectives)}; expected {expected}")
        chosen = edition.suggestions[int(number) - 1]
    elif objectives not in (None, "random"):
        try:
            chosen = parse_objectives(objectives)
        except Refusal as refusal:
            raise Refusal(f"--objectives: {refusal}") from None
    return new_setup(edition, seats=seats, mode=mode, objectives=chosen, rng=rng)


def _new_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        taken = any(folder.iterdir())
    except OSError as error:
        raise Refusal(f"--out: {folder}: {error.strerror}; expected a folder") from None
    if taken:
        raise Refusal(f"--out: {folder} is not empty; expected a new or empty folder")


def _write_whole(file: Path, text: str) -> None:
    """Write a file so that it is there whole or not at all."""
    unfinished = file.with_name(f".{file.name}.unfinished")
    try:
        try:
            unfinished.write_text(text, encoding="utf-8")
            unfinished.replace(file)
        finally:
            unfinished.unlink(missing_ok=True)
    except OSError as error:
        raise Refusal(f"{file}: {error.strerror}; expected a place to write") from None


@contextmanager
def _progress(numbers: range, label: str) -> Iterator[Iterator[int]]:
    """The numbers, with a progress bar where somebody watches."""
    hidden = not sys.stderr.isatty()
    with click.progressbar(numbers, label=label, file=sys.stderr, hidden=hidden) as shown:
        yield iter(shown)
