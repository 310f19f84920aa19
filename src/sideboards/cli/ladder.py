"""Commands about single bots and deals: `bots`, `train` and `par`."""

import json
import sys
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
    spoken_words,
    write_whole,
)
from sideboards.core.notation import parse_record
from sideboards.core.refusal import Refusal
from sideboards.data import load_edition, shipped
from sideboards.fast import check_compiler
from sideboards.minds.bots import BOTS, bot

TRAINING_GAMES = 2_000_000
TRAINING_SEED = 2024
FEWEST_GAMES = 1_000


@click.command(epilog="Example: sideboards bots --lang de")
@json_option
@lang_option
def bots(*, as_json: bool, lang: str | None) -> None:
    """Show the bots: their characters, how strong they are and how long they think."""
    spoken = spoken_words(lang)
    measured = json.loads(shipped("ladder.json"))["bots"]
    missing = {}
    for name in BOTS:
        try:
            bot(name)
        except Refusal as refusal:
            missing[name] = str(refusal)
    if as_json:
        print_json(
            {
                name: measured[name]
                | {"character": spoken(f"bot.{name}.character"), "missing": missing.get(name)}
                for name in BOTS
            }
        )
        return
    screen = open_screen(spoken)
    rows = [["", spoken("bots.points"), spoken("bots.thinking")]]
    for name in BOTS:
        points, error, time = (
            spoken.decimal(measured[name][figure]) for figure in ("solo", "stderr", "ms")
        )
        rows.append([name, f"{points} ± {error}", f"{time} ms"])
    screen.table(rows)
    for name in BOTS:
        screen.labelled(name, spoken(f"bot.{name}.character"))
    for sentence in missing.values():
        screen.say(sentence)


@click.command(
    short_help="Learn the values of an edition, for hard and master.",
    epilog="Example: sideboards train --edition my-box.json",
)
@edition_option
@click.option("--games", type=int, default=TRAINING_GAMES, show_default=True, help="How many.")
@click.option("--seed", type=int, default=TRAINING_SEED, show_default=True, help="For chance.")
@click.option("--out", type=Path, help="File for the values; by default where the bots look.")
def train(*, edition: str | None, games: int, seed: int, out: Path | None) -> None:
    """Learn by self-play what boards of an edition are worth, for hard and master.

    The same edition, seed and number of games give the same values. The values of the shipped
    edition are shipped.
    """
    check_compiler("train")
    material = load_edition(edition)
    from sideboards.minds import values  # noqa: PLC0415 (numpy)

    if not FEWEST_GAMES <= games <= values.MOST_GAMES:
        expected = f"{FEWEST_GAMES} to {values.MOST_GAMES}"
        raise Refusal(f"--games: found {games}; expected {expected}")
    if not 0 <= seed < 2**62:
        raise Refusal(f"--seed: found {seed}; expected 0 to {2**62 - 1}")
    file = out or values.values_file(material)
    file.parent.mkdir(parents=True, exist_ok=True)
    hidden = not sys.stderr.isatty()
    with click.progressbar(length=games, label="games", file=sys.stderr, hidden=hidden) as shown:
        learned = values.train(material, seed=seed, games=games, progress=shown.update)
    write_whole(file, values.format_values(learned))
    click.echo(f"values of {material.name} in {file}")


@click.command(
    short_help="Find the best possible score of a solo deal.",
    epilog="Example: sideboards par games/game-001.txt",
)
@click.argument("record")
@edition_option
@json_option
@lang_option
def par(record: str, *, edition: str | None, as_json: bool, lang: str | None) -> None:
    """Find the best possible score of a solo deal, with the deck known, and a way to reach it.

    RECORD is the record of a solo game, or - for standard input.
    """
    check_compiler("par")
    spoken = spoken_words(lang)
    material = load_edition(edition)
    with named(record):
        game = parse_record(read(record), material)
    from sideboards.minds.par import par as best_possible  # noqa: PLC0415 (numba)
    from sideboards.minds.report import par_report  # noqa: PLC0415 (numba)

    found = best_possible(game.setup)
    if as_json:
        print_json(par_report(found))
    else:
        screen = open_screen(spoken)
        screen.say_words("par.total", total=found.total)
        screen.say("  ".join(map(str, found.moves)))
