"""The command `coach`: what every decision of a recorded game cost, and why."""

from typing import TYPE_CHECKING

import click

from sideboards.cli.options import (
    edition_option,
    json_option,
    lang_option,
    named,
    open_screen,
    print_json,
    progress,
    read,
    spoken_words,
)
from sideboards.core.notation import Record, parse_record
from sideboards.core.refusal import Refusal
from sideboards.data import load_edition
from sideboards.terminal import Screen
from sideboards.words import Words

if TYPE_CHECKING:
    from sideboards.minds.coach import Advice, Lesson, Review
    from sideboards.minds.par import Par

COSTLY = 0.5
"""A decision that lost as many points is listed."""


@click.command(
    short_help="Judge every decision of a game: what it cost, and why.",
    epilog="Example: sideboards coach games/game-001.txt --seat 0",
)
@click.argument("record")
@click.option("--seat", type=int, help="Only this seat, numbered from 0 as in the record.")
@click.option("--all", "every", is_flag=True, help="Every decision with all its options.")
@click.option(
    "--seed", type=int, default=0, show_default=True, help="The same seed gives the same figures."
)
@edition_option
@json_option
@lang_option
def coach(
    record: str,
    *,
    seat: int | None,
    every: bool,
    seed: int,
    edition: str | None,
    as_json: bool,
    lang: str | None,
) -> None:
    """Judge every decision by what its player could know: expected points, loss, reason.

    RECORD is a game record, finished or not, or - for standard input.
    """
    spoken = spoken_words(lang)
    material = load_edition(edition)
    with named(record):
        game = parse_record(read(record), material, unfinished=True)
    seats = range(game.setup.seats)
    if seat is not None and seat not in seats:
        raise Refusal(f"--seat: found {seat}; expected 0 to {seats[-1]}")
    found = _review(game, list(seats) if seat is None else [seat], seed)
    from sideboards.minds.report import coach_report, player_names  # noqa: PLC0415 (numba)

    if as_json:
        print_json(coach_report(game, found, spoken, seed=seed))
        return
    names = player_names(game, spoken)
    screen = open_screen(spoken)
    if not found.finished:
        screen.say_words("coach.unfinished")
    for i, lesson in enumerate(found.lessons):
        if i or not found.finished:
            screen.say()
        screen.say_heading(f"{names[lesson.seat]} ({spoken('points', count=lesson.points)})")
        _show(screen, lesson, every=every, solo=game.setup.mode == "solo")
        if found.par is not None:
            for line in par_lines(found.par, lesson.points, spoken):
                screen.say(f"  {line}")


def _review(game: Record, seats: list[int], seed: int) -> "Review":
    try:
        from sideboards.minds.coach import review  # noqa: PLC0415 (numba is an extra)
    except ModuleNotFoundError as error:
        if error.name != "numba":
            raise
        raise Refusal(
            "coach: numba is not installed; expected the extra fast "
            "(pip install 'sideboards[fast]')"
        ) from None
    count = sum(seat in seats for seat, _ in game.played)
    with progress(range(count), "decisions") as numbers:
        next(numbers, None)  # a number is done when the next one is taken
        return review(game, seats=seats, seed=seed, tell=lambda: next(numbers, None))


def _show(screen: Screen, lesson: "Lesson", *, every: bool, solo: bool) -> None:
    """Print what the decisions of a seat come to, and those that cost something."""
    words = screen.words
    if not lesson.advices:
        screen.say(f"  {words('coach.none')}")
        return
    summary = words(
        "coach.accuracy",
        percent=round(lesson.accuracy),
        count=len(lesson.advices),
        loss=words.decimal(lesson.loss),
    )
    screen.say(f"  {summary}")
    luck = "coach.luck.draw" if solo else "coach.luck.hands"
    screen.say(f"  {words(luck, points=words.decimal(lesson.luck, signed=True))}")
    if lesson.costliest:
        screen.say(f"  {words('coach.costliest')}")
        _show_decisions(screen, lesson.costliest)
    if every:
        screen.say(f"  {words('coach.all')}")
        for advice in lesson.advices:
            _show_options(screen, advice, solo=solo)
        return
    costly = [advice for advice in lesson.advices if advice.loss >= COSTLY]
    screen.say(f"  {words('coach.listed' if costly else 'coach.spotless')}")
    if costly:
        _show_decisions(screen, costly)


def _show_decisions(screen: Screen, advices: "list[Advice] | tuple[Advice, ...]") -> None:
    words = screen.words
    rows = [
        [
            f"    {_when(advice, words)}",
            str(advice.move),
            words("coach.better", move=advice.best.move),
            advice.sentence(words),
        ]
        for advice in advices
    ]
    screen.table(rows, left=len(rows[0]))


def _show_options(screen: Screen, advice: "Advice", *, solo: bool) -> None:
    """Print a decision with all its options, the best first, the chosen one marked."""
    words = screen.words
    screen.say(f"    {_when(advice, words)}  {advice.move}  {advice.sentence(words)}")
    heads = ["coach.option", "coach.now", "coach.expected", "coach.loss", "coach.winning"]
    rows = [[words(head) for head in heads]]
    for option in advice.options:
        mark = ">" if option == advice.chosen else " "
        loss = advice.options[0].expected - option.expected
        rows.append(
            [
                f"{mark} {option.move}",
                str(option.now.total),
                words.decimal(option.expected),
                words.decimal(-loss),
                words("coach.percent", percent=round(100 * option.winning)),
            ]
        )
    width = len(heads) - solo  # alone at the table nobody wins
    screen.table([[f"      {first}", *rest[: width - 1]] for first, *rest in rows])


def _when(advice: "Advice", words: Words) -> str:
    return words("coach.round", round=advice.round) if advice.round else words("coach.start")


def par_lines(par: "Par", points: int, words: Words) -> list[str]:
    """The exact best of a solo deal beside the own points, and moves that lead there."""
    share = round(100 * points / par.total)
    moves = " ".join(map(str, par.moves))
    return [
        words("coach.par", par=par.total, count=points, percent=share),
        words("labelled", name=words("coach.par.moves"), text=moves),
    ]
