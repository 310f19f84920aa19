"""G12: games come out the same: in both engines, in every recorded game, and after a record.

Recorded games are played again in the core and side by side on arrays; random ones are played on
arrays and again in the core. In all of them the 60 cards are conserved, and a record that is
written, read and written again is the same text.
"""

import time
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise, zip_longest
from pathlib import Path
from random import Random

import numpy as np

from proof.mutants import MUTANTS
from proof.outcome import Outcome
from sideboards import (
    Edition,
    Mode,
    Record,
    State,
    Swap,
    deal,
    format_record,
    load_edition,
    new_setup,
    parse_record,
    replay,
    scores,
    step,
)
from sideboards.core.edition import CARDS
from sideboards.core.refusal import Refusal
from sideboards.fast import playout
from sideboards.fast.actions import WAIT, action_of
from sideboards.minds.batch import BatchedEnv
from tests.games import TABLES, random_game
from tests.test_games import steps_of
from tests.test_golden import GAMES as GOLDEN
from tests.test_golden import read
from tests.test_playout import moves_of, replayed, setup_of

AT_ONCE = 50
"""Random games with the same three objectives."""
TAKEN_BACK = 10
"""One game in so many is played in the core first: in any order, with choices taken back."""
Found = Iterator[str]


def run(folder: Path, count: int, seed: int, mutant: str = "") -> Outcome:
    """All recorded games, and so many random ones of every kind of table."""
    del folder  # nothing is written
    if mutant:
        MUTANTS[mutant]()
    begin = time.perf_counter()
    edition, rng = load_edition(), Random(seed)
    faults = [*recorded(edition)]
    done = 0
    while done < count:
        mode, seats = TABLES[rng.randrange(len(TABLES))]
        many = min(AT_ONCE, count - done)
        faults += random_games(edition, mode, seats, many, rng)
        for _ in range(-(-many // TAKEN_BACK)):
            faults += taken_back(edition, mode, seats, rng)
        done += many
    seconds = time.perf_counter() - begin
    figures = {"recorded games": float(len(GOLDEN)), "games per second": count / seconds}
    return Outcome(done, tuple(faults), figures)


def recorded(edition: Edition) -> Found:
    """What differs from how recorded games have always ended."""
    by_table: dict[tuple[Mode, int], list[tuple[Record, list[int]]]] = defaultdict(list)
    for number, line in enumerate(GOLDEN):
        record, pile, totals = read(line)
        state = replay(record.setup, record.played)
        if (len(state.pile), points(state)) != (pile, totals):
            yield f"recorded game {number}: ends with {points(state)}; expected {totals}"
        yield from whole(state, f"recorded game {number}", edition)
        if in_seat_order(record):
            by_table[record.setup.mode, record.setup.seats].append((record, totals))
    for (mode, seats), games in by_table.items():
        found = side_by_side(mode, seats, [record for record, _ in games])
        for number, (now, (_, totals)) in enumerate(zip(found, games, strict=True)):
            if now != totals:
                yield (
                    f"recorded game {number} of {seats}, {mode}: on arrays {now}; expected {totals}"
                )


def side_by_side(mode: Mode, seats: int, records: list[Record]) -> list[list[int]]:
    """How recorded games end when they are played at the same time on arrays."""
    table = BatchedEnv(
        len(records), players=seats, variant=mode == "variant", observations=False, autoreset=False
    )
    table.reset(setups=[record.setup for record in records])
    plans = [steps_of(actions(record), seats) for record in records]
    totals = np.zeros((len(records), seats), np.int64)
    for now in zip_longest(*plans, fillvalue=[WAIT] * seats):
        *_, infos = table.step(now)
        totals += infos["total"]
    found: list[list[int]] = totals.tolist()
    return found


def in_seat_order(record: Record) -> bool:
    """Whether swaps of a round came in the order of seats, as they do side by side."""
    pairs = pairwise(record.played)
    return all(
        seat < other
        for (seat, move), (other, next_) in pairs
        if isinstance(move, Swap) and isinstance(next_, Swap)
    )


def actions(record: Record) -> list[tuple[int, int]]:
    """Seats and actions in turn."""
    state, found = deal(record.setup), []
    for seat, move in record.played:
        found.append((seat, action_of(move, state.seats[seat].hand)))
        state = step(state, seat, move)
    return found


def random_games(edition: Edition, mode: Mode, seats: int, games: int, rng: Random) -> Found:
    """What differs between random games on arrays and the same in the core."""
    table = new_setup(edition, seats=seats, mode=mode, rng=rng)
    seed = rng.randrange(2**32)
    played, log = playout.logged_games(
        edition, mode=mode, seats=seats, objectives=table.objectives, games=games, seed=seed
    )
    for game in range(games):
        where = f"game {game} of {seats}, {mode}, objectives {table.objectives}, seed {seed}"
        try:
            state = replayed(setup_of(table, log, game), moves_of(log, game))
        except Refusal as refusal:
            yield f"{where}: not legal in the core: {refusal}"
            continue
        there = played.totals[game].tolist()
        if points(state) != there:
            yield f"{where}: {points(state)} in the core, {there} on arrays"
        yield from whole(state, where, edition)


def taken_back(edition: Edition, mode: Mode, seats: int, rng: Random) -> Found:
    """What differs when a game with choices taken back is played again from its log."""
    states, moves = random_game(edition, mode, seats, rng, swaps=0.1, undos=0.1)
    last = states[-1]
    where = f"game of {seats}, {mode}, deck {last.setup.deck[:3]}"
    if replay(last.setup, moves) != last:
        yield f"{where}: its log leads elsewhere"
    yield from whole(last, where, edition)


def whole(state: State, where: str, edition: Edition) -> Found:
    """What is wrong with the end of a game: its cards, or its record."""
    on_table = [laid.card for seat in state.seats for laid in seat.board]
    cards = [card for card in (*on_table, *state.pile, *state.discards) if isinstance(card, int)]
    if not state.over or sorted(cards) != list(range(1, CARDS + 1)):
        yield f"{where}: ends with {len(set(cards))} different cards; expected {CARDS}"
    text = format_record(Record(state.setup, state.played))
    read_back = parse_record(text.encode(), edition)
    if format_record(read_back) != text:
        yield f"{where}: its record is another one after it was read"
    if points(replay(read_back.setup, read_back.played)) != points(state):
        yield f"{where}: its record leads to another result"


def points(state: State) -> list[int]:
    """Everybody's total."""
    return [score.points.total for score in scores(state)]
