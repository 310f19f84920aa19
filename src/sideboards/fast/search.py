"""Monte Carlo: what each option is worth when everybody then plays by the values.

A sample deals all hidden cards at random, in the same way for every option, and plays to the
end. So options are compared in the same worlds, and few samples tell them apart.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sideboards.core.card import COLUMNS, HEIGHTS
from sideboards.core.scoring import ROW_POINTS
from sideboards.fast.actions import SWAP
from sideboards.fast.engine import STARTS, WHOLE, Material, Rules, bonus, start_slots, tally
from sideboards.fast.kernel import kernel
from sideboards.fast.playout import below, first_state, random_bits
from sideboards.fast.policy import worth
from sideboards.fast.worth import Worth

_NEVER = -(1 << 40)


class Position(NamedTuple):
    """What one seat, number 0 here, knows of a game; the others follow to its left."""

    words: NDArray[np.int64]
    """By seat: the board."""
    hands: NDArray[np.int64]
    """By seat: the cards that are known, then 0 for each that is not."""
    swaps: NDArray[np.bool_]
    pool: NDArray[np.int64]
    """The cards that may be in a hidden hand or in the pile."""
    columns: int
    held: int


class Game(NamedTuple):
    """What does not change while options are tried."""

    material: Material
    rules: Rules
    values: Worth


class World(NamedTuple):
    """One deal of the hidden cards, as it is played on."""

    words: NDArray[np.int64]
    hands: NDArray[np.int64]
    rest: NDArray[np.int64]
    """By seat: what was not laid in this round."""
    swaps: NDArray[np.bool_]
    pile: NDArray[np.int64]
    """The next cards from the top and from the bottom of the pool."""


class Found(NamedTuple):
    """Sums over all samples, by option."""

    points: NDArray[np.float64]
    """The own points."""
    utility: NDArray[np.float64]
    """In solo the points; else the share of the victory, and a little for the margin."""


@kernel
def _new_world(seats: int) -> World:
    return World(
        np.zeros((seats, 3), np.int64),
        np.zeros((seats, 4), np.int64),
        np.zeros((seats, 4), np.int64),
        np.zeros(seats, np.bool_),
        np.zeros(2, np.int64),
    )


@kernel
def _best(world: World, seat: int, held: int, columns: int, game: Game) -> tuple[int, int, int]:
    """The best placement by the values: its value, its slot, and its way (end x 2 + turned)."""
    words, cards = world.words, game.material.cards
    low, middle, high = words[seat, 0], words[seat, 1], words[seat, 2]
    power = HEIGHTS**columns
    best, best_slot, best_way = _NEVER, 0, 0
    for slot in range(held):
        card = world.hands[seat, slot]
        for turned in range(2):
            a, b, c = cards[card, turned, 0], cards[card, turned, 1], cards[card, turned, 2]
            value = worth(
                low + a * power, middle + b * power, high + c * power, columns + 1, game.values
            )
            if value > best:
                best, best_slot, best_way = value, slot, turned
            value = worth(
                low * HEIGHTS + a,
                middle * HEIGHTS + b,
                high * HEIGHTS + c,
                columns + 1,
                game.values,
            )
            if value > best:
                best, best_slot, best_way = value, slot, 2 + turned
    return best, best_slot, best_way


@kernel
def _lay(world: World, seat: int, slot: int, way: int, held: int, columns: int, game: Game) -> None:
    """Lay a card of the hand; the others are the rest."""
    words, cards = world.words, game.material.cards
    card, turned = world.hands[seat, slot], way & 1
    grown, moved = (HEIGHTS, 1) if way >= 2 else (1, HEIGHTS**columns)
    for word in range(3):
        words[seat, word] = words[seat, word] * grown + cards[card, turned, word] * moved
    kept = 0
    for other in range(held):
        if other != slot:
            world.rest[seat, kept] = world.hands[seat, other]
            kept += 1


@kernel
def _begin(world: World, seat: int, action: int, held: int, game: Game) -> None:
    """Lay two cards of the hand; the others are the rest."""
    left, right, left_turned, right_turned = start_slots(action)
    one, other = world.hands[seat, left], world.hands[seat, right]
    cards = game.material.cards
    for word in range(3):
        world.words[seat, word] = (
            cards[one, left_turned, word] * HEIGHTS + cards[other, right_turned, word]
        )
    kept = 0
    for slot in range(held):
        if slot != left and slot != right:  # noqa: PLR1714 (a tuple would cost time)
            world.rest[seat, kept] = world.hands[seat, slot]
            kept += 1


@kernel
def _best_start(world: World, seat: int, held: int, game: Game) -> int:
    """The best start by the values; left and right do not matter."""
    best, best_action = _NEVER, 0
    for action in range(STARTS):
        left, right, _, _ = start_slots(action)
        if left < right < held:
            _begin(world, seat, action, held, game)
            words = world.words
            value = worth(words[seat, 0], words[seat, 1], words[seat, 2], 2, game.values)
            if value > best:
                best, best_action = value, action
    return best_action


@kernel
def _swap(world: World, seat: int, pool: NDArray[np.int64]) -> None:
    world.swaps[seat] = False
    world.pile[1] -= 2
    world.hands[seat, 0] = pool[world.pile[1]]
    world.hands[seat, 1] = pool[world.pile[1] + 1]


@kernel
def _choose(
    world: World, seat: int, held: int, columns: int, pool: NDArray[np.int64], game: Game
) -> None:
    """Let a seat lay a card by the values, after a swap if that promises more.

    The value of a board is what a fresh pair makes of it on average.
    """
    best, slot, way = _best(world, seat, held, columns, game)
    if world.swaps[seat]:
        words, rules = world.words, game.rules
        fresh = worth(words[seat, 0], words[seat, 1], words[seat, 2], columns, game.values)
        needed = (COLUMNS - columns) * rules.drawn * rules.seats + 4
        if fresh - best > game.values.keep[columns + 1] and world.pile[1] - world.pile[0] >= needed:
            _swap(world, seat, pool)
            _, slot, way = _best(world, seat, held, columns, game)
    _lay(world, seat, slot, way, held, columns, game)


@kernel
def _pass_on(world: World, left_over: int, pool: NDArray[np.int64], rules: Rules) -> None:
    for seat in range(rules.seats):
        giver = seat - 1 if seat else rules.seats - 1
        for slot in range(left_over):
            world.hands[seat, slot] = world.rest[giver, slot]
        for slot in range(left_over, left_over + rules.drawn):
            world.hands[seat, slot] = pool[world.pile[0]]
            world.pile[0] += 1


@kernel
def _play_out(
    world: World, columns: int, left_over: int, pool: NDArray[np.int64], game: Game
) -> None:
    rules = game.rules
    while columns < COLUMNS:
        if not rules.passes:
            left_over = 0
        _pass_on(world, left_over, pool, rules)
        held = left_over + rules.drawn
        for seat in range(rules.seats):
            _choose(world, seat, held, columns, pool, game)
        columns += 1
        left_over = held - 1


@kernel
def _totals(
    world: World, game: Game, lengths: NDArray[np.int64], totals: NDArray[np.int64]
) -> None:
    pays, rules = game.material.pays, game.rules
    for seat in range(rules.seats):
        colors, handles, length = tally(world.words, seat, game.material, WHOLE)
        lengths[seat] = length
        totals[seat] = colors * pays[0] + handles * pays[1] + length * ROW_POINTS
        totals[seat] += rules.swaps and world.swaps[seat]
    for seat in range(rules.seats):
        totals[seat] += bonus(lengths, seat, rules, pays[2])


@kernel
def _utility(totals: NDArray[np.int64], margin: float) -> float:
    """The share of the victory of seat 0, and a little for the distance to the best other."""
    if len(totals) == 1:
        return totals[0]
    best_other, shared = totals[1], 1
    for seat in range(1, len(totals)):
        best_other = max(best_other, totals[seat])
        shared += totals[seat] == totals[0]
    win = 0.0
    if totals[0] >= best_other:
        win = 1.0 / shared
    return win + margin * (totals[0] - best_other)


@kernel
def _deal(world: World, position: Position, pool: NDArray[np.int64], state: np.uint64) -> np.uint64:
    """Deal the hidden cards anew."""
    for i in range(len(pool) - 1):
        state = random_bits(state)
        j = i + below(state, len(pool) - i)
        pool[i], pool[j] = pool[j], pool[i]
    world.pile[0], world.pile[1] = 0, len(pool)
    for seat in range(len(position.words)):
        world.swaps[seat] = position.swaps[seat]
        for word in range(3):
            world.words[seat, word] = position.words[seat, word]
        for slot in range(position.held):
            card = position.hands[seat, slot]
            if card == 0:
                card = pool[world.pile[0]]
                world.pile[0] += 1
            world.hands[seat, slot] = card
    return state


@kernel
def _copy(world: World, dealt: World, held: int) -> None:
    world.pile[0], world.pile[1] = dealt.pile[0], dealt.pile[1]
    for seat in range(len(world.words)):
        world.swaps[seat] = dealt.swaps[seat]
        for word in range(3):
            world.words[seat, word] = dealt.words[seat, word]
        for slot in range(held):
            world.hands[seat, slot] = dealt.hands[seat, slot]
            world.rest[seat, slot] = dealt.rest[seat, slot]


@kernel
def try_options(
    position: Position,
    options: NDArray[np.int64],
    game: Game,
    samples: int,
    seed: int,
    margin: float,
    sums: Found,
) -> None:
    """Play so many samples of every option to the end, and add what was found to `sums`."""
    seats, columns, held = game.rules.seats, position.columns, position.held
    pool = position.pool.copy()
    dealt, world = _new_world(seats), _new_world(seats)
    lengths, totals = np.zeros(seats, np.int64), np.zeros(seats, np.int64)
    state = first_state(seed)
    for _ in range(samples):
        state = _deal(dealt, position, pool, state)
        for seat in range(1, seats):
            if columns == 0:
                _begin(dealt, seat, _best_start(dealt, seat, held, game), held, game)
            else:
                _choose(dealt, seat, held, columns, pool, game)
        for i in range(len(options)):
            _copy(world, dealt, held)
            option = options[i]
            if option == SWAP:
                _swap(world, 0, pool)
                _, slot, way = _best(world, 0, held, columns, game)
                _lay(world, 0, slot, way, held, columns, game)
            elif columns == 0:
                _begin(world, 0, option, held, game)
            else:
                slot, way = (option - STARTS) // 4, (option - STARTS) % 4
                _lay(world, 0, slot, way, held, columns, game)
            if columns == 0:
                _play_out(world, 2, held - 2, pool, game)
            else:
                _play_out(world, columns + 1, held - 1, pool, game)
            _totals(world, game, lengths, totals)
            sums.points[i] += totals[0]
            sums.utility[i] += _utility(totals, margin)
