"""Reports: what the coach and par found, as plain data for programs."""

from sideboards.core.notation import Record
from sideboards.minds.coach import Advice, Review
from sideboards.minds.par import Par
from sideboards.words import Words


def par_report(found: Par) -> dict[str, object]:
    """The best possible score of a solo deal and a way to reach it."""
    return {"par": found.total, "moves": [str(move) for move in found.moves]}


def player_names(game: Record, spoken: Words) -> list[str]:
    """The names of a record; where it has none, those of the seats."""
    seats = range(1, game.setup.seats + 1)
    return list(game.names) or [spoken("seat", number=number) for number in seats]


def coach_report(game: Record, found: Review, spoken: Words, *, seed: int = 0) -> dict[str, object]:
    """The whole review of a game, with sentences in the language of `spoken`."""
    names = player_names(game, spoken)
    par = None
    if found.par is not None:
        par = {"total": found.par.total, "moves": [str(move) for move in found.par.moves]}
    return {
        "mode": game.setup.mode,
        "objectives": list(game.setup.objectives),
        "seed": seed,
        "finished": found.finished,
        "players": [
            {
                "seat": lesson.seat,
                "name": names[lesson.seat],
                "points": lesson.points,
                "accuracy": round(lesson.accuracy, 1),
                "loss": round(lesson.loss, 3),
                "luck": round(lesson.luck, 3),
                "costliest": [lesson.advices.index(advice) for advice in lesson.costliest],
                "decisions": [_decision(advice, spoken) for advice in lesson.advices],
            }
            for lesson in found.lessons
        ],
        "par": par,
    }


def _decision(advice: Advice, spoken: Words) -> dict[str, object]:
    return {
        "round": advice.round,
        "move": str(advice.move),
        "chosen": str(advice.chosen.move),
        "best": str(advice.best.move),
        "loss": round(advice.loss, 3),
        "winning_loss": round(advice.winning_loss, 4),
        "luck": round(advice.luck, 3),
        "sentence": advice.sentence(spoken),
        "reasons": [{"key": clause.key, "count": clause.count} for clause in advice.clauses],
        "options": [
            {
                "move": str(option.move),
                "expected": round(option.expected, 3),
                "winning": round(option.winning, 4),
                "now": option.now._asdict() | {"total": option.now.total},
            }
            for option in advice.options
        ],
    }
