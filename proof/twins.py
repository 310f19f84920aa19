"""Twin worlds: two games that some of their viewers must not be able to tell apart, up to a time.

The second world is the first with two cards exchanged that a viewer has not seen (in the pile, in
hands, among discards), or with another choice sealed by somebody else. Everybody does the same in
both. All of it is a function of a seed and a number.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from random import Random
from typing import Literal

from sideboards.core.edition import CARDS, Edition
from sideboards.core.game import (
    DRAWN,
    Move,
    Setup,
    State,
    Swap,
    Undo,
    deal,
    legal,
    new_setup,
    step,
)
from sideboards.core.notation import parse_move
from sideboards.core.scoring import Mode
from sideboards.core.view import view

Viewer = int | None
"""A seat, or None for a spectator."""
Place = Literal["hand", "pile", "discards"]
KINDS: tuple[tuple[Place, Place] | Literal["choice"], ...] = (
    ("pile", "hand"),
    "choice",
    ("hand", "hand"),
    ("pile", "pile"),
    "choice",
    ("discards", "hand"),
    ("pile", "hand"),
    ("discards", "pile"),
)
"""Where the two cards lie that are exchanged, in turn; or that a sealed choice is another one."""
OBJECTIVES = ((1, 8, 15), (3, 12, 22), (6, 10, 27), (7, 14, 30))
"""A few, because a server counts points faster when it has seen an objective before."""
_SHAPES: tuple[tuple[Mode, int, float], ...] = (
    ("standard", 2, 0.25),
    ("standard", 3, 0.25),
    ("variant", 3, 0.0),
    ("standard", 4, 0.25),
    ("standard", 2, 0.4),
    ("standard", 3, 0.4),
    ("variant", 2, 0.0),
    ("standard", 5, 0.25),
    ("standard", 2, 0.25),
    ("solo", 1, 0.3),
    ("standard", 3, 0.25),
    ("standard", 6, 0.25),
    ("standard", 4, 0.4),
)
"""Mode, seats, and how likely a seat swaps; 13 of them, so that they meet every kind."""
_LONG_EVERY = 50
"""Every so many pairs six seats play up to a late round with all swaps: the pile is refilled."""
_ROUNDS = (0, 1, 1, 2, 0, 1, 3, 0, 2, 5)
_CARD = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Deed:
    """What a seat does: a move, `undo`, or `draft MOVE`."""

    seat: int
    action: str
    round: int


@dataclass(frozen=True, slots=True)
class World:
    """A deal, what is done until the time, and what ends the round after it."""

    setup: Setup
    deeds: tuple[Deed, ...]
    last: tuple[Deed, ...]

    def state(self) -> State:
        """The game at the time."""
        return list(self.states())[-1]

    def states(self) -> Iterator[State]:
        """The game from the deal to the time."""
        state = deal(self.setup)
        yield state
        for deed in self.deeds:
            if not deed.action.startswith("draft "):
                state = step(state, deed.seat, parse_move(deed.action))
                yield state


@dataclass(frozen=True, slots=True)
class Pair:
    """Two worlds, and who must not be able to tell them apart."""

    number: int
    kind: str
    worlds: tuple[World, World]
    viewer: Viewer
    """The one whose every channel is compared."""
    blind: frozenset[Viewer]
    """All who must not see a difference."""
    probes: tuple[int, ...]
    """The exchanged cards: numbers that the viewer may guess."""

    @property
    def differ(self) -> bool:
        """Whether the whole states are different."""
        one, other = self.worlds
        return one.state() != other.state()


def twins(edition: Edition, seed: int, number: int, *, orderly: bool = False) -> Pair:
    """The pair with a number; in an `orderly` one seats act one after the other, as an environment
    for agents asks them.
    """
    rng = Random(f"twins {seed} {number}")
    mode, seats, swaps = _SHAPES[number % len(_SHAPES)]
    rounds = _ROUNDS[rng.randrange(len(_ROUNDS))]
    if number % _LONG_EVERY == _LONG_EVERY // 2:
        mode, seats, swaps, rounds = "standard", 6, 0.9, rng.choice((5, 6))
    objectives = OBJECTIVES[rng.randrange(len(OBJECTIVES))]
    setup = new_setup(edition, mode=mode, seats=seats, rng=rng, objectives=objectives)
    kinds = [KINDS[(number + i) % len(KINDS)] for i in range(len(KINDS))]
    fewest = min(seats - 1, kinds[0] == "choice")
    script = _Script(setup, rng, swaps, orderly=orderly)
    for _ in range(rounds):
        script.write_round()
    script.write_part(fewest)
    first = World(setup, tuple(script.deeds), script.end())
    state = first.state()
    for kind in kinds:
        if kind == "choice":
            found = _other_choice(first, state, rng, number)
        else:
            found = _exchanged(first, state, kind, rng)
        if found is not None:
            name = kind if isinstance(kind, str) else "-".join(kind)
            return replace(found, number=number, kind=name)
    raise AssertionError("in every game the pile has cards that a seat has not seen")


def known(state: State, viewer: Viewer) -> set[int]:
    """The cards whose numbers somebody has seen."""
    seen = view(state, viewer)
    cards = {card for hands in seen.hands if hands for hand in hands for card in hand}
    return cards | {each.card for board in seen.boards for each in board if each.card}  # type: ignore[misc]


# ---- the script --------------------------------------------------------------------------------


class _Script:
    """Writes what everybody does."""

    def __init__(self, setup: Setup, rng: Random, swaps: float, *, orderly: bool) -> None:
        self.state = deal(setup)
        self.deeds: list[Deed] = []
        self._rng = rng
        self._swaps = swaps
        self._orderly = orderly

    def write_round(self) -> None:
        """A whole round; here and there somebody takes a choice back."""
        *others, last = self._order()
        for seat in others:
            self._choose(seat)
            if self._at_times(0.1):
                self._do(seat, Undo())
                self._choose(seat)
        self._choose(last)

    def write_part(self, fewest: int) -> None:
        """A round in which at least so many seats, but not all, have done something.

        If somebody should have, somebody has also sealed a choice.
        """
        *some, _ = self._order()
        for seat in some[: self._rng.randint(fewest, len(some))]:
            self._choose(seat)
            if self._at_times(0.2):
                self._do(seat, Undo())
                if self._at_times(0.7):
                    self._choose(seat)
        if fewest and not any(self.state.sealed):
            self._choose(some[0])

    def end(self) -> tuple[Deed, ...]:
        """What ends the round."""
        state, pick = self.state, self._rng.choice
        return tuple(
            Deed(seat, str(pick(_choices(state, seat))), state.round) for seat in state.waiting
        )

    def _choose(self, seat: int) -> None:
        moves = legal(self.state, seat)
        if isinstance(moves[-1], Swap) and self._rng.random() < self._swaps:
            self._do(seat, moves[-1])
        self._do(seat, self._rng.choice(_choices(self.state, seat)))

    def _do(self, seat: int, move: Move) -> None:
        if not isinstance(move, Swap | Undo) and self._at_times(0.2):
            self.deeds.append(Deed(seat, f"draft {move}", self.state.round))
        self.deeds.append(Deed(seat, str(move), self.state.round))
        self.state = step(self.state, seat, move)

    def _at_times(self, share: float) -> bool:
        return not self._orderly and self._rng.random() < share

    def _order(self) -> list[int]:
        seats = range(len(self.state.seats))
        return list(seats) if self._orderly else self._rng.sample(seats, len(seats))


def _choices(state: State, seat: int) -> list[Move]:
    return [move for move in legal(state, seat) if not isinstance(move, Swap)]


# ---- the second world --------------------------------------------------------------------------


def _exchanged(first: World, state: State, kind: tuple[Place, Place], rng: Random) -> Pair | None:
    """The same with two cards exchanged that a viewer has not seen; None if there are none."""
    seats = range(len(state.seats))
    viewer = None if rng.random() < 0.15 and len(seats) > 1 else rng.choice(seats)
    seen = known(state, viewer)
    places: dict[Place, list[int]] = {
        "hand": [card for seat in state.seats for card in seat.hand if card not in seen],
        "pile": [card for card in state.pile if card not in seen],
        "discards": [card for card in state.discards if card not in seen],
    }
    if state.round < 6:  # one that comes next, so that somebody sees it soon
        next_ = state.pile[: len(seats) * DRAWN[first.setup.mode]]
        places["pile"] = [card for card in next_ if card not in seen] or places["pile"]
    one_of, other_of = places[kind[0]], places[kind[1]]
    if kind == ("pile", "pile"):
        other_of = [card for card in state.pile if card not in seen]
    pairs = [(one, other) for one, other in product(one_of, other_of) if one != other]
    if not pairs:
        return None
    one, other = rng.choice(pairs)
    traded = {one: other, other: one}

    def trade(card: int) -> int:
        return traded.get(card, card)

    setup = first.setup
    second = World(
        replace(setup, deck=tuple(map(trade, setup.deck)), refill=tuple(map(trade, setup.refill))),
        tuple(_renamed(deed, trade) for deed in first.deeds),
        tuple(_renamed(deed, trade) for deed in first.last),
    )
    blind = [seat for seat in seats if not {one, other} & known(state, seat)]
    both = frozenset[Viewer]([None, *blind])
    return Pair(0, "", (first, second), viewer, both, (one, other))


def _renamed(deed: Deed, trade: Callable[[int], int]) -> Deed:
    action = _CARD.sub(lambda found: str(trade(int(found[0]))), deed.action)
    return replace(deed, action=action)


def _other_choice(first: World, state: State, rng: Random, number: int) -> Pair | None:
    """The same with other choices sealed by one seat in the open round; None if nobody has.

    Two of three pairs have choices of other lengths.
    """
    sealed = [seat for seat, choice in enumerate(state.sealed) if choice is not None]
    if not sealed:
        return None
    chooser = rng.choice(sealed)
    deeds, now = list(first.deeds), deal(first.setup)
    for place, deed in enumerate(first.deeds):
        word = deed.action.removeprefix("draft ")
        if deed.seat == chooser and deed.round == state.round and word not in ("swap", "undo"):
            others = [str(m) for m in _choices(now, chooser) if str(m) != word]
            longer = [text for text in others if len(text) != len(word)]
            text = rng.choice(longer if number % 3 else others)
            deeds[place] = replace(deed, action=deed.action.replace(word, text))
        if word == deed.action:
            now = step(now, deed.seat, parse_move(deeds[place].action))
    others_ = [seat for seat in range(len(state.seats)) if seat != chooser]
    viewer = rng.choice([None, *others_])
    hidden = sorted(set(range(1, CARDS + 1)) - known(state, viewer))
    probes = tuple(rng.sample(hidden, 2))
    worlds = (first, replace(first, deeds=tuple(deeds)))
    return Pair(0, "", worlds, viewer, frozenset([None, *others_]), probes)
