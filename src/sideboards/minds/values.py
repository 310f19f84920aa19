"""Values: what boards are worth in the end, learned by playing, kept in a small file.

A board is worth the points of its combinations so far, what the classes of its tracks still
bring, and what its row situation brings. The further points are learned: in every round the
value of a board moves towards the value of the best board that the next cards allow.
"""

import base64
import binascii
import json
import os
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray

from sideboards.core.card import COLUMNS
from sideboards.core.edition import NUMBERS, Edition, Numbers
from sideboards.core.objective import Objective, Pattern
from sideboards.core.refusal import Refusal
from sideboards.core.scoring import ROW_POINTS
from sideboards.core.strict import Node, read_json
from sideboards.data import read_file, shipped
from sideboards.fast.tables import FIRST, SITUATIONS, classes, found, runs
from sideboards.fast.worth import SCALE, Worth, lengths, row_sort

FORMAT = "sideboards-values-1"
GAMES = 2_000_000
SEED = 2024
MOST_GAMES = 100_000_000
_CHUNK = 50
"""Games with the same three objectives in a row: their tables stay near the processor."""
_RATES = (0.05, 0.001)
"""How far values move at the beginning and at the end."""
_SWAP_GAMES = 20_000


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """What was learned for one edition."""

    edition: str
    """The checksum of the edition file."""
    seed: int
    games: int
    keep: tuple[int, ...]
    """By number of columns: what an unused swap card is worth then."""
    further: dict[int, NDArray[np.int16]] = field(repr=False)
    """By objective: the further points of every class of tracks, or of every row situation."""


@lru_cache(maxsize=4)
def load_values(edition: Edition) -> Values:
    """The values of an edition: shipped, or trained on this machine before."""
    values = parse_values(shipped("values.json"))
    if values.edition == edition.sha256:
        return values
    file = values_file(edition)
    if not file.exists():
        raise Refusal(
            f"the edition {edition.name} has no values yet; expected them from `sideboards train`"
        )
    try:
        return parse_values(read_file(file))
    except Refusal as refusal:
        raise Refusal(f"{file}: {refusal}") from None


def values_file(edition: Edition) -> Path:
    """Where the values of an edition of one's own are kept on this machine."""
    data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(data) / "sideboards" / f"values-{edition.sha256[:16]}.json"


def format_values(values: Values) -> str:
    """The values as text; `parse_values` reads it."""
    whole = {
        "format": FORMAT,
        "edition": values.edition,
        "seed": values.seed,
        "games": values.games,
        "keep": values.keep,
        "further": {str(number): _packed(array) for number, array in values.further.items()},
    }
    return json.dumps(whole, indent=1) + "\n"


def parse_values(data: bytes) -> Values:
    """The values in a file."""
    root = read_json(data).fields({"format", "edition", "seed", "games", "keep", "further"})
    root["format"].choice(FORMAT)
    numbers = {str(number) for kind in NUMBERS.values() for number in kind}
    keep = root["keep"].items(COLUMNS + 1, COLUMNS + 1, "numbers")
    return Values(
        edition=root["edition"].hexadecimal(64),
        seed=root["seed"].whole(0, 2**62),
        games=root["games"].whole(1, MOST_GAMES),
        keep=tuple(each.whole(0, 100 * SCALE) for each in keep),
        further={
            int(number): _unpacked(node) for number, node in root["further"].fields(numbers).items()
        },
    )


def _packed(array: NDArray[np.int16]) -> str:
    return base64.b64encode(zlib.compress(array.astype("<i2").tobytes(), 9)).decode()


def _unpacked(node: Node) -> NDArray[np.int16]:
    try:
        raw = zlib.decompress(base64.b64decode(node.text(), validate=True))
        return np.frombuffer(raw, "<i2").astype(np.int16)
    except (binascii.Error, zlib.error, ValueError):
        node.refuse("found something else", "packed numbers")


@lru_cache(maxsize=16)
def learned_worth(edition: Edition, numbers: Numbers) -> Worth:
    """What boards are worth for three objectives, by what was learned."""
    color, handle, row = edition.objectives(numbers)
    values = load_values(edition)
    return Worth(
        color=_table(edition, color),
        handle=_table(edition, handle),
        runs=runs(row),
        rows=_table(edition, row),
        sort=row_sort(row),
        keep=np.array(values.keep),
    )


@lru_cache(maxsize=64)
def _table(edition: Edition, objective: Objective) -> NDArray[np.int16]:
    """The value of every track, or of every row situation, for one objective."""
    further = load_values(edition).further[objective.number or 0]
    if isinstance(objective, Pattern):
        so_far = found(objective).astype(np.int64) * objective.points
        later = further[classes(objective)]
        later[FIRST[COLUMNS] :] = 0
    else:
        so_far = ROW_POINTS * lengths(np.arange(SITUATIONS))
        later = further
    return (so_far * SCALE + later).astype(np.int16)


def train(
    edition: Edition,
    *,
    seed: int = SEED,
    games: int = GAMES,
    progress: Callable[[int], None] = lambda _: None,
) -> Values:
    """Learn the values of an edition; `progress` is told how many games were played since."""
    from sideboards.fast.engine import material, rules  # noqa: PLC0415 (numba is an extra)
    from sideboards.fast.learning import Lesson, learn_games, swap_gains  # noqa: PLC0415

    rng = Random(f"values/{seed}")
    objectives: tuple[Objective, ...] = (*edition.patterns, *edition.rows)
    weights = {
        each.number or 0: np.zeros(
            int(classes(each).max()) + 1 if isinstance(each, Pattern) else SITUATIONS, np.float32
        )
        for each in objectives
    }
    solo = rules("solo", 1)

    def lesson() -> Lesson:
        numbers = (*(rng.choice(kind) for kind in NUMBERS.values()),)
        color, handle, row = edition.objectives((numbers[0], numbers[1], numbers[2]))
        return Lesson(
            material(edition, (numbers[0], numbers[1], numbers[2])),
            classes(color),
            classes(handle),
            runs(row),
            *(weights[number] for number in numbers),
        )

    chunks = max(1, games // _CHUNK)
    first, last = _RATES
    for chunk in range(chunks):
        rate = first * (last / first) ** (chunk / chunks)
        learn_games(lesson(), solo, _CHUNK, rate, rng.getrandbits(62))
        progress(_CHUNK)
    some = range(max(1, _SWAP_GAMES // _CHUNK))
    gains = np.concatenate([swap_gains(lesson(), _CHUNK, rng.getrandbits(62)) for _ in some])
    return Values(
        edition=edition.sha256,
        seed=seed,
        games=games,
        keep=_keep(gains),
        further={
            number: np.round(array * SCALE).astype(np.int16) for number, array in weights.items()
        },
    )


def _keep(gains: NDArray[np.float64]) -> tuple[int, ...]:
    """What an unused swap card is worth, from what a swap would have gained in many games.

    `gains` holds, by game and by number of columns, how much better a fresh pair would have
    been. After the last card an unused card is worth its point; before, the better of using
    it now and keeping it.
    """
    keep = np.zeros(COLUMNS + 1)
    keep[COLUMNS] = 1
    for columns in range(COLUMNS - 1, 1, -1):
        keep[columns] = np.maximum(gains[:, columns], keep[columns + 1]).mean()
    return tuple(round(float(each) * SCALE) for each in keep)
