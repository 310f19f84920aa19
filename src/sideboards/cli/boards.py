"""Commands about boards and files: `score`, `replay`, `verify`, `edition`."""

import json
from pathlib import Path

import click

from sideboards.cli.options import (
    edition_option,
    json_option,
    lang_option,
    named,
    open_screen,
    print_json,
    read,
    show_sheet,
    spoken_words,
    titles,
)
from sideboards.core.board import Laid
from sideboards.core.edition import parse_edition
from sideboards.core.fair import check_proof, parse_proof
from sideboards.core.game import replay as play_through
from sideboards.core.notation import format_board, parse_record
from sideboards.core.refusal import Refusal
from sideboards.core.sheet import parse_sheet, results, sheet_of
from sideboards.data import load_edition, shipped


@click.command(
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
    spoken = spoken_words(lang)
    folder = Path() if file == "-" else Path(file).parent
    with named(file):
        sheet = parse_sheet(
            read(file), load_edition(), load=lambda path: load_edition(folder / path)
        )
    if as_json:
        print_json(results(sheet, titles(spoken)))
    else:
        show_sheet(sheet, spoken)


@click.command(epilog="Example: sideboards replay games/game-001.txt")
@click.argument("record")
@edition_option
@json_option
@lang_option
def replay(record: str, *, edition: str | None, as_json: bool, lang: str | None) -> None:
    """Replay and check a game record, then show its boards and scores.

    RECORD is a game record, or - for standard input.
    """
    spoken = spoken_words(lang)
    material = load_edition(edition)
    with named(record):
        game = parse_record(read(record), material)
    state = play_through(game.setup, game.played)
    names = game.names or [spoken("seat", number=seat + 1) for seat in range(game.setup.seats)]
    sheet = sheet_of(state, names)
    if not as_json:
        show_sheet(sheet, spoken)
        return
    table = {
        "edition": {"name": material.name, "sha256": material.sha256},
        "mode": game.setup.mode,
        "objectives": game.setup.objectives,
        "boards": [format_board(seat.board) for seat in state.seats],
        "pile": len(state.pile),
        "discards": state.discards,
    }
    print_json(table | results(sheet, titles(spoken)))


@click.command(
    short_help="Check that a deal was fair, and that a record is possible with it.",
    epilog="Example: sideboards verify proof.json game.txt",
)
@click.argument("proof")
@click.argument("record", required=False)
@edition_option
def verify(proof: str, record: str | None, *, edition: str | None) -> None:
    """Check that a deal follows from its seeds and, with a record, that it can be played so.

    PROOF is a fairness proof in JSON, RECORD the game record of the same game. Choices are signed
    by nobody: that they are the ones that were made, only the players know.
    """
    material = load_edition(edition)
    with named(proof):
        claimed = parse_proof(read(proof))
        setup = check_proof(claimed, material)
    if record is not None:
        with named(record):
            game = parse_record(read(record), material, unfinished=True)
            for name in ("mode", "seats", "objectives", "deck", "refill"):
                if getattr(game.setup, name) != getattr(setup, name):
                    raise Refusal(f"{name}: not the one that was proved; expected the proof's")
    unopened = ", ".join(map(str, claimed.unopened)) or "none"
    played = ""
    if record is not None:
        last = play_through(game.setup, game.played)
        played = "; the record is a possible game with these cards" + (
            "" if last.over else f", as far as round {last.round}"
        )
    click.echo(f"deal verified{played}; seats without a seed of their own: {unopened}")


@click.group("edition", no_args_is_help=False, epilog="Example: sideboards edition show")
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
    data = shipped("edition.json") if file is None else read(file)
    with named(file or "the shipped edition"):
        material = parse_edition(data)
    if as_json:
        print_json({"sha256": material.sha256} | json.loads(data.decode("utf-8-sig")))
        return
    screen = open_screen(spoken_words(lang))
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
    with named(file or "the shipped edition"):
        material = parse_edition(shipped("edition.json") if file is None else read(file))
    counts = {
        "name": material.name,
        "sha256": material.sha256,
        "cards": len(material.cards),
        "objectives": len(material.patterns) + len(material.rows),
        "suggestions": len(material.suggestions),
    }
    if as_json:
        print_json(counts)
    else:
        click.echo(
            f"{file or 'the shipped edition'}: good ({material.name}; {counts['cards']} cards, "
            f"{counts['objectives']} objectives, {counts['suggestions']} suggestions; "
            f"sha256 {material.sha256})"
        )
