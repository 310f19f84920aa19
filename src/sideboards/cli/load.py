"""`sideboards load`: people by the thousand, for whoever wants to know what a server can take."""

import asyncio
import resource
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from sideboards.cli.options import INTERRUPTED, complain, json_option, print_json
from sideboards.core.refusal import Refusal
from sideboards.minds.workers import extra

if TYPE_CHECKING:
    from sideboards.load import Crowd

FAULTS = 1
SHOW_EVERY = 1.0
SPARE_FILES = 64
"""Files that this process opens beside one socket for each person."""
QUANTILES = (50, 95, 99)


@click.command(
    short_help="Let thousands of people play on a server, and measure.",
    epilog="""\b
Examples:
  sideboards serve --sockets-per-address 5000 --guests-per-hour 100000 \\
                   --requests-per-minute 1000000
  sideboards load http://localhost:8000 --tables 500 --moves-per-second 200
  sideboards load http://localhost:8000 --seconds 600 --json""",
)
@click.argument("url")
@click.option("--tables", type=int, default=20, show_default=True, help="Tables at the same time.")
@click.option("--players", type=int, default=4, show_default=True, help="Seats of a table, 1 to 6.")
@click.option("--bots", type=int, default=0, show_default=True, help="Of these, seats of bots.")
@click.option(
    "--moves-per-second",
    type=float,
    help="Of all people together; by default each thinks for about 5 seconds.",
)
@click.option("--seconds", type=float, default=30.0, show_default=True, help="How long they play.")
@click.option("--seed", type=int, default=0, show_default=True, help="Who does what, and when.")
@click.option("--yes-it-is-mine", "mine", is_flag=True, help="Also a server on another machine.")
@json_option
def load(*, as_json: bool, **given: Any) -> None:  # noqa: ANN401 (click has checked them)
    """Let people by the thousand play on the server at URL, and measure what they notice.

    They make tables, sit down, think, draft, swap, change their mind, load the page again, go away
    and come back, and check every view that they get. Games that have begun when the time is over,
    or at Ctrl-C, are played to their end; a second Ctrl-C ends at once.

    The exit code is 1 if anything went wrong that should not have.
    """
    extra("httpx", "serve")
    import uvloop  # noqa: PLC0415 (only where there is a loop)

    from sideboards.load import Crowd, Plan  # noqa: PLC0415 (httpx)

    plan = Plan(**given)
    crowd = Crowd(plan)
    begin = resource.getrusage(resource.RUSAGE_SELF)
    with _files_for(plan.people):
        uvloop.run(_shown(crowd, live=sys.stderr.isatty()))
    found = _found(crowd, begin)
    if as_json:
        print_json(found)
    elif sys.stdout.isatty():
        # Only at the end: a line that is wider than the terminal could not be drawn over.
        click.echo("\n".join([*_table(crowd), _row("again", plan.again)]))
    else:
        click.echo(_line(crowd))
    for sentence in crowd.tally.sentences:
        complain(sentence, FAULTS)
    if crowd.tally.faults:
        raise click.exceptions.Exit(FAULTS)
    if crowd.stopped:
        raise click.exceptions.Exit(complain("stopped", INTERRUPTED))


@contextmanager
def _files_for(people: int) -> Iterator[None]:
    """Let this process open a socket for each person."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = people + SPARE_FILES
    if hard != resource.RLIM_INFINITY and needed > hard:
        raise Refusal(
            f"--tables: found {people} people; expected at most {hard - SPARE_FILES}, "
            "as many as this system lets a process have sockets"
        )
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, needed), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


async def _shown(crowd: "Crowd", *, live: bool) -> None:
    """Run a crowd; on a terminal with what it does right now."""
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGINT, crowd.stop)
    loop.add_signal_handler(signal.SIGTERM, crowd.stop)
    running = asyncio.create_task(crowd.run())
    lines = 0
    try:
        while not running.done():
            if live:
                lines = _draw(_table(crowd), lines)
            await asyncio.wait([running], timeout=SHOW_EVERY)
    finally:
        if lines:
            click.echo(f"\x1b[{lines}F\x1b[J", nl=False, err=True)
        for sign in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(sign)
    await running


def _draw(lines: list[str], before: int) -> int:
    """Draw over what was drawn before; how many lines."""
    up = f"\x1b[{before}F" if before else ""
    click.echo(up + "".join(f"\x1b[K{line}\n" for line in lines), nl=False, err=True)
    return len(lines)


def _doing(crowd: "Crowd") -> str:
    """What happens right now, with how far it is."""
    plan = crowd.plan
    match crowd.stage:
        case "arriving":
            return f"people sit down: {crowd.sitting:,} of {plan.tables:,} tables"
        case "playing":
            share = min(1.0, crowd.seconds / plan.seconds)
            bar = "█" * round(24 * share)
            return f"{bar:░<24} {crowd.seconds:.0f} of {plan.seconds:g} s"
        case "closing":
            return "games are played to their end (Ctrl-C: at once)"
        case "over":
            return f"{crowd.seconds:.1f} s"


def _table(crowd: "Crowd") -> list[str]:
    """What was measured, for people."""
    plan, tally = crowd.plan, crowd.tally
    waits = "   ".join(
        f"p{share} {tally.waits.quantile(share / 100) * 1000:.1f}" for share in QUANTILES
    )
    refusals = ", ".join(f"{code} {count:,}" for code, count in tally.refusals.most_common(4))
    rows = {
        "": _doing(crowd),
        "people": f"{plan.people:,} at {plan.tables:,} tables, seed {plan.seed}",
        "moves": f"{tally.moves:,}   {_rate(crowd):.1f} per second of {plan.pace:g} wanted",
        "ms until stored": f"{waits}   longest {tally.waits.longest * 1000:.1f}",
        "games finished": f"{tally.games:,}"
        + (f"   {crowd.unfinished:,} left unfinished" if crowd.unfinished else ""),
        "minds changed": f"{tally.undos:,}   swaps {tally.swaps:,}   drafts {tally.drafts:,}",
        "came back": f"{tally.reloads:,}   connections lost {tally.losses:,}",
        "refused": refusals or "nothing",
        "faults": f"{tally.faults:,}",
    }
    return [_row(name, text) for name, text in rows.items()]


def _row(name: str, text: str) -> str:
    return f"{name:>16}  {text}"


def _line(crowd: "Crowd") -> str:
    """What was measured, on one line for logs."""
    tally = crowd.tally
    waits = " ".join(
        f"p{share} {tally.waits.quantile(share / 100) * 1000:.1f} ms" for share in QUANTILES
    )
    return (
        f"{crowd.plan.people} people, {tally.moves} moves, {_rate(crowd):.1f} per second, {waits}, "
        f"{tally.games} games, {tally.reloads} came back, {tally.losses} connections lost, "
        f"{sum(tally.refusals.values())} refused, {tally.faults} faults; "
        f"seed {crowd.plan.seed}, again: {crowd.plan.again}"
    )


def _rate(crowd: "Crowd") -> float:
    """Moves per second."""
    return crowd.tally.moves / crowd.seconds if crowd.seconds else 0.0


def _found(crowd: "Crowd", begin: resource.struct_rusage) -> dict[str, object]:
    """What was measured, for programs."""
    plan, tally = crowd.plan, crowd.tally
    now = resource.getrusage(resource.RUSAGE_SELF)
    cpu = now.ru_utime + now.ru_stime - begin.ru_utime - begin.ru_stime
    scale = 1 if sys.platform == "darwin" else 1024
    return {
        "url": plan.url,
        "tables": plan.tables,
        "people": plan.people,
        "seed": plan.seed,
        "again": plan.again,
        "seconds": round(crowd.seconds, 3),
        "stopped": crowd.stopped,
        "moves": tally.moves,
        "moves_per_second": round(_rate(crowd), 2),
        "wanted_per_second": plan.pace,
        "milliseconds": {
            **{f"p{share}": _ms(crowd, share) for share in QUANTILES},
            "longest": round(tally.waits.longest * 1000, 3),
        },
        "games": tally.games,
        "unfinished": crowd.unfinished,
        "unanswered": crowd.unanswered,
        "undos": tally.undos,
        "swaps": tally.swaps,
        "drafts": tally.drafts,
        "reloads": tally.reloads,
        "absences": tally.absences,
        "returns": tally.returns,
        "losses": tally.losses,
        "refusals": dict(tally.refusals),
        "faults": tally.faults,
        "sentences": tally.sentences,
        "own_cpu_seconds": round(cpu, 3),
        "own_bytes": now.ru_maxrss * scale,
    }


def _ms(crowd: "Crowd", share: int) -> float:
    return round(crowd.tally.waits.quantile(share / 100) * 1000, 3)
