"""Commands that measure bots: `arena` and `strength`."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from sideboards.cli.options import (
    MOST_GAMES,
    chosen_objectives,
    edition_option,
    json_option,
    objectives_option,
    print_json,
    solo_option,
    table,
    variant_option,
    warm,
    write_whole,
)
from sideboards.core.edition import Edition
from sideboards.core.refusal import Refusal, quoted
from sideboards.data import load_edition, read_file
from sideboards.minds.arena import Deal, Match
from sideboards.minds.bots import bot
from sideboards.minds.chart import Picture, chart, check_chart
from sideboards.minds.standings import (
    Duel,
    Figure,
    Standing,
    check_ratings,
    duels,
    ratings,
    standings,
)
from sideboards.minds.strength import DEALS, QUICK_DEALS, Line, Strength
from sideboards.minds.strength import strength as measured
from sideboards.minds.workers import Workers, workers

jobs_option = click.option("--jobs", type=int, help="Processes; by default one for each core.")
cluster_option = click.option(
    "--cluster", metavar="ADDRESS", help="Play on the Dask cluster with this scheduler."
)
seed_option = click.option(
    "--seed", type=int, default=0, show_default=True, help="The same seed gives the same games."
)


@click.command(
    short_help="Let bots play thousands of games and compare them.",
    epilog="Example: sideboards arena greedy random --deals 200 --plot arena.svg",
)
@click.argument("bots", nargs=-1, required=True, metavar="BOT...")
@click.option("--deals", type=int, default=1000, show_default=True, help="How many deals.")
@click.option("--players", type=int, help="1 to 6 seats; by default 2, with --table one per bot.")
@variant_option
@solo_option
@click.option(
    "--round-robin/--table",
    "round_robin",
    default=True,
    help="Every pair of bots shares the seats (the default), or all bots at one table.",
)
@objectives_option
@seed_option
@jobs_option
@cluster_option
@edition_option
@click.option("--plot", type=Path, help="Draw the result into this .svg or .png file.")
@json_option
def arena(
    *,
    bots: tuple[str, ...],
    deals: int,
    players: int | None,
    variant: bool,
    solo: bool,
    round_robin: bool,
    objectives: str | None,
    seed: int,
    jobs: int | None,
    cluster: str | None,
    edition: str | None,
    plot: Path | None,
    as_json: bool,
) -> None:
    """Let bots play thousands of games and compare them.

    Every deal is played so that every bot sits on every seat equally often; solo, everybody plays
    it alone. A standard error counts deals, not games. CPU time per move leaves out the first
    game of every process.

    BOT is the name of a bot, or module:function for one of your own.
    """
    _check_deals(deals)
    material = load_edition(edition)
    _check_bots(bots, material)
    usual = None if solo else 2 if round_robin else len(bots)
    mode, seats = table(usual if players is None else players, variant=variant, solo=solo)
    match = Match(
        bots=bots,
        mode=mode,
        seats=seats,
        one_table=not round_robin and mode != "solo",
        deals=deals,
        seed=seed,
        objectives=chosen_objectives(material, objectives),
        edition=None if edition is None else read_file(edition),
    )
    check_ratings()
    warm(bots)
    form = None if plot is None else _picture(plot)
    with workers(_checked_jobs(jobs, cluster), cluster) as crew:
        played = _played(crew, match, "deals")
    found = standings(match, played)
    pairs, rated = duels(match, played), ratings(match, played)
    if as_json:
        print_json(_arena_json(match, found, pairs, rated))
    else:
        _print_arena(match, found, pairs, rated)
    if plot is not None and form is not None:
        write_whole(plot, _drawn(match, found, form))


@click.command(
    short_help="Measure the shipped bots beside the floors they must keep.",
    epilog="Example: sideboards strength --quick",
)
@click.option("--deals", type=int, help=f"How many deals; by default {DEALS}.")
@click.option("--quick", is_flag=True, help=f"Only {QUICK_DEALS} deals: a first look.")
@seed_option
@jobs_option
@cluster_option
@json_option
def strength(
    *,
    deals: int | None,
    quick: bool,
    seed: int,
    jobs: int | None,
    cluster: str | None,
    as_json: bool,
) -> None:
    """Measure the shipped bots: one table, each figure beside the floor it must keep.

    Solo on the same deals, then pairs of bots with exchanged seats, random objectives. Floors
    are meant for the full number of deals.
    """
    if quick and deals is not None:
        raise Refusal(f"--quick: found --deals {deals} too; expected one of them")
    deals = QUICK_DEALS if quick else DEALS if deals is None else deals
    _check_deals(deals)
    with workers(_checked_jobs(jobs, cluster), cluster) as crew:
        found = measured(
            lambda match: _played(crew, match, " ".join(match.labels)), deals=deals, seed=seed
        )
    if as_json:
        print_json(_strength_json(found, deals, seed))
    else:
        _print_strength(found, deals, seed)


def _check_deals(deals: int) -> None:
    if not 1 <= deals <= MOST_GAMES:
        raise Refusal(f"--deals: found {deals}; expected 1 to {MOST_GAMES}")


def _check_bots(names: Sequence[str], edition: Edition) -> None:
    for name in names:
        try:
            bot(name, edition)
        except Refusal as refusal:
            raise Refusal(f"BOT: {refusal}") from None


def _checked_jobs(jobs: int | None, cluster: str | None) -> int | None:
    if jobs is not None and cluster is not None:
        raise Refusal(f"--cluster: found --jobs {jobs} too; expected one of them")
    if jobs is not None and jobs < 1:
        raise Refusal(f"--jobs: found {jobs}; expected 1 or more")
    return jobs


def _picture(file: Path) -> Picture:
    """What kind of picture a file will be; refused now rather than after the games."""
    check_chart()
    if not (file.parent.is_dir() and os.access(file.parent, os.W_OK)):
        raise Refusal(f"--plot: {file.parent} is no folder to write to; expected one")
    match file.suffix:
        case ".svg":
            return "svg"
        case ".png":
            return "png"
        case _:
            raise Refusal(f"--plot: found {quoted(file.name)}; expected a name in .svg or .png")


def _played(crew: Workers, match: Match, label: str) -> list[Deal]:
    """All deals of a match, with a progress bar where somebody watches."""
    hidden = not sys.stderr.isatty()
    deals: list[Deal] = []
    with click.progressbar(length=match.deals, label=label, file=sys.stderr, hidden=hidden) as bar:
        for batch in crew(match):
            deals += batch
            bar.update(len(batch))
    return deals


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _how(match: Match) -> str:
    """How a match was played, in a few words."""
    deals, games = _counted(match.deals, "deal"), _counted(match.games, "game")
    if match.mode == "solo":
        return f"Solo, everybody on the same {deals}: {games}, seed {match.seed}"
    where = f"{match.seats} players{', variant' if match.mode == 'variant' else ''}"
    seats = "every bot on every seat" if match.one_table else "pairs with exchanged seats"
    return f"{where}, {deals}, {seats}: {games}, seed {match.seed}"


def _give_or_take(reach: float | None) -> str:
    return "–" if reach is None else f"± {reach:.1f}"


def _print_rows(rows: Sequence[Sequence[str]]) -> None:
    """Print a table: the first column to the left, figures to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for first, *others in rows:
        cells = [f"{cell:>{width}}" for cell, width in zip(others, widths[1:], strict=True)]
        click.echo("  ".join([f"{first:{widths[0]}}", *cells]).rstrip())


def _print_arena(
    match: Match, found: Sequence[Standing], pairs: Sequence[Duel], rated: Sequence[float]
) -> None:
    won = "best" if match.mode == "solo" else "wins"
    rows = [["bot", "mean", "95 %", won, "95 %", "rating", "ms/move", "longest"]]
    for each, rating in zip(found, rated, strict=True):
        wins = each.wins.percent
        rows.append([
            each.name, f"{each.mean.value:.1f}", _give_or_take(each.mean.interval),
            f"{wins.value:.1f} %", _give_or_take(wins.interval), f"{rating:.1f}",
            f"{each.clock.ms_per_move:.1f}", f"{each.clock.max_ms:.1f}",
        ])  # fmt: skip
    click.echo(_how(match))
    click.echo()
    _print_rows(rows)
    if pairs:
        click.echo()
        rows = [["pair", "ahead", "ties", "behind", "share", "95 %", "decided", "95 %"]]
        for pair in pairs:
            share, decided = pair.share.percent, pair.decided and pair.decided.percent
            rows.append([
                " – ".join(pair.bots), str(pair.ahead), str(pair.ties), str(pair.behind),
                f"{share.value:.1f} %", _give_or_take(share.interval),
                f"{decided.value:.1f} %" if decided else "–",
                _give_or_take(decided.interval) if decided else "–",
            ])  # fmt: skip
        _print_rows(rows)


def _arena_json(
    match: Match, found: Sequence[Standing], pairs: Sequence[Duel], rated: Sequence[float]
) -> dict[str, object]:
    return {
        "games": match.games,
        "deals": match.deals,
        "seed": match.seed,
        "mode": match.mode,
        "seats": match.seats,
        "bots": [
            {
                "name": each.name,
                "mean": each.mean.value,
                "stderr": each.mean.stderr,
                "win_share": each.wins.value,
                "win_stderr": each.wins.stderr,
                "rating": rating,
                "ms_per_move": each.clock.ms_per_move,
                "max_ms": each.clock.max_ms,
            }
            for each, rating in zip(found, rated, strict=True)
        ],
        "pairs": [
            {
                "bots": pair.bots,
                "ahead": pair.ahead,
                "ties": pair.ties,
                "behind": pair.behind,
                "share": pair.share.value,
                "share_stderr": pair.share.stderr,
                "decided_share": pair.decided and pair.decided.value,
                "decided_stderr": pair.decided and pair.decided.stderr,
            }
            for pair in pairs
        ],
    }


def _drawn(match: Match, found: Sequence[Standing], form: Picture) -> bytes:
    names = match.labels
    solo = match.mode == "solo"
    return chart(
        found,
        title=" – ".join(names) if len(names) < 4 else f"{len(names)} bots",
        subtitle=f"{_how(match)}. Bars: 95 % confidence",
        won="Best on the deal" if solo else "Games won, ties split",
        even=1 / len(names) if solo or match.one_table else 1 / 2,
        form=form,
    )


def _shown(figure: Figure, unit: str) -> str:
    doubt = "" if figure.stderr is None else f" ± {figure.stderr:.2f}"
    return f"{figure.value:.2f}{doubt}{'' if unit == 'points' else ' ' + unit}"


def _cells(line: Line) -> list[str]:
    """A line of the strength table as cells."""
    verdict = {None: "", True: "holds", False: "missed"}[line.holds]
    clock = line.clock
    times = [f"{clock.ms_per_move:.1f}", f"{clock.max_ms:.1f}"] if clock else ["", ""]
    return [
        f"{line.section}: {line.what}",
        _shown(line.figure, line.unit),
        line.floor.text if line.floor else "",
        verdict,
        *times,
    ]


def _print_strength(found: Strength, deals: int, seed: int) -> None:
    click.echo(f"{_counted(deals, 'deal')}, random objectives, seed {seed}; ± one standard error")
    click.echo()
    head = ["", "figure", "floor", "verdict", "ms/move", "longest"]
    _print_rows([head, *map(_cells, found.lines)])
    click.echo()
    for note in found.notes:
        click.echo(note)


def _strength_json(found: Strength, deals: int, seed: int) -> dict[str, object]:
    return {
        "deals": deals,
        "seed": seed,
        "lines": [
            {
                "section": line.section,
                "what": line.what,
                "value": line.figure.value,
                "stderr": line.figure.stderr,
                "unit": line.unit,
                "floor": line.floor and line.floor.text,
                "holds": line.holds,
                "ms_per_move": line.clock and line.clock.ms_per_move,
                "max_ms": line.clock and line.clock.max_ms,
            }
            for line in found.lines
        ],
        "notes": found.notes,
    }
