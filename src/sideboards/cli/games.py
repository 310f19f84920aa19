"""Commands that play: `simulate` and `play`."""

import sys
from contextlib import suppress
from pathlib import Path
from random import Random, SystemRandom

import click

from sideboards.cli.network import play_remote
from sideboards.cli.options import (
    BOT_NAMES,
    INTERRUPTED,
    MOST_GAMES,
    bots_option,
    chosen_setup,
    complain,
    edition_option,
    json_option,
    lang_option,
    new_folder,
    objectives_option,
    open_screen,
    print_json,
    progress,
    seated,
    solo_option,
    spoken_words,
    table,
    variant_option,
    warm,
    write_whole,
)
from sideboards.core.game import scores
from sideboards.core.notation import Record, format_record
from sideboards.core.refusal import Refusal
from sideboards.data import load_edition
from sideboards.minds.arena import play_game
from sideboards.minds.bots import BOTS, bot, checked
from sideboards.terminal import Game, Quit


@click.command(epilog="Example: sideboards simulate --players 4 --games 100 --seed 7 --out games")
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
    mode, seats = table(4 if players is None and not solo else players, variant=variant, solo=solo)
    if not 1 <= games <= MOST_GAMES:
        raise Refusal(f"--games: found {games}; expected 1 to {MOST_GAMES}")
    names = seated(bots, seats, material)
    warm(names)
    chosen_setup(material, mode, seats, objectives, Random(0))  # refuses before anything is written
    new_folder(out)
    totals, wins, done = [0] * seats, [0] * seats, 0
    try:
        with progress(range(1, games + 1), "games") as numbers:
            for number in numbers:
                rng = Random(f"{seed}/{number}")
                setup = chosen_setup(material, mode, seats, objectives, rng)
                state = play_game(setup, [checked(name, bot(name)) for name in names], rng)
                file = out / f"game-{number:0{len(str(games))}}.txt"
                write_whole(file, format_record(Record(setup, state.played, tuple(names))))
                for seat, result in enumerate(scores(state)):
                    totals[seat] += result.points.total
                    wins[seat] += result.place == 1
                done = number
    except KeyboardInterrupt:
        stopped = f"stopped; {done} whole records are in {out}"
        raise click.exceptions.Exit(complain(stopped, INTERRUPTED)) from None
    played = [
        {"bot": name, "mean": total / games, "wins": won}
        for name, total, won in zip(names, totals, wins, strict=True)
    ]
    if as_json:
        print_json({"games": games, "out": str(out), "seats": played})
    else:
        click.echo(f"{games} {'record' if games == 1 else 'records'} in {out}")
        for name, total, won in zip(names, totals, wins, strict=True):
            click.echo(f"{name:10}  mean {total / games:5.1f}  first in {won}")


@click.command(epilog="Example: sideboards play --players 4 --lang de")
@click.option("--players", type=int, help="1 to 6 seats, yours included; by default 2.")
@variant_option
@solo_option
@click.option(
    "--bots", help=f"Who plays, in turn: {', '.join(BOTS)}; by default greedy, on a server nobody."
)
@objectives_option
@click.option("--seed", type=int, help="Deal the same game again.")
@click.option("--record", type=Path, help="New file for the game record.")
@edition_option
@lang_option
@click.option("--server", help="Play on a server, such as http://localhost:8000.")
@click.option("--table", "link", help="Link or code of a table to sit down at.")
@click.option("--name", help="Your name on the server.")
@click.option("--new", is_flag=True, help="Open a table, also if another waits for you there.")
@click.option("--clock", help="For a round at a new table: seconds, 10 to 300, or 1d, 2d, 3d.")
@click.option("--assist", type=click.IntRange(0, 3), help="How much help a new table gives.")
@click.option("--public", is_flag=True, help="Show a new table in the list of all.")
def play(
    *,
    players: int | None,
    variant: bool,
    solo: bool,
    bots: str | None,
    objectives: str | None,
    seed: int | None,
    record: Path | None,
    edition: str | None,
    lang: str | None,
    server: str | None,
    link: str | None,
    name: str | None,
    new: bool,
    clock: str | None,
    assist: int | None,
    public: bool,
) -> None:
    """Play a game in the terminal: against bots, or on a server also with others."""
    if record is not None:
        check_new(record)
    if server is not None or link is not None:
        if seed is not None or edition is not None:
            raise Refusal(
                "--seed, --edition: found with --server; expected none, all deal together"
            )
        play_remote(
            server=server, link=link, name=name, new=new, players=players, variant=variant,
            solo=solo, bots=bots, objectives=objectives, record=record, lang=lang,
            clock=clock, assist=assist, public=public,
        )  # fmt: skip
        return
    if (name, clock, assist) != (None, None, None) or new or public:
        raise Refusal(
            "--name, --new, --clock, --assist, --public: one found without --server; "
            "expected with it"
        )
    spoken = spoken_words(lang)
    material = load_edition(edition)
    mode, seats = table(2 if players is None and not solo else players, variant=variant, solo=solo)
    rng = Random(SystemRandom().getrandbits(64) if seed is None else seed)
    if objectives is None and material.suggestions:
        objectives = f"s{rng.randint(1, len(material.suggestions))}"
    setup = chosen_setup(material, mode, seats, objectives, rng)
    kinds = seated(bots or "greedy", max(seats - 1, 1), material)[: seats - 1]
    others = [
        (f"{name} ({spoken(f'bot.{kind}') if kind in BOTS else kind})", checked(kind, bot(kind)))
        for name, kind in zip(BOT_NAMES, kinds, strict=False)
    ]
    screen = open_screen(spoken)
    if sys.stdin is None:
        raise Refusal("standard input: closed; expected somebody to play")
    with suppress(ImportError):
        import readline  # noqa: F401, PLC0415 (arrow keys, where the system has them)
    if "master" in kinds:
        from sideboards.minds.warm import warm_up  # noqa: PLC0415 (numba)

        warm_up(lambda: screen.say_words("play.compiling"), background=True)
    game = Game(screen, setup, others, rng, input)
    try:
        state = game.play()
    except (Quit, EOFError, KeyboardInterrupt) as left:
        screen.say()
        screen.say_words("play.left")
        code = INTERRUPTED if isinstance(left, KeyboardInterrupt) else 0
        raise click.exceptions.Exit(code) from None
    if record is not None:
        write_whole(record, format_record(Record(setup, state.played, game.names)))
        screen.say_words("play.recorded", file=record)


def check_new(record: Path) -> None:
    """Refuse a file that is there already or cannot be written: rather now than after the game."""
    if record.exists():
        raise Refusal(f"--record: {record} is there already; expected a new file")
    write_whole(record, "")
    record.unlink()
