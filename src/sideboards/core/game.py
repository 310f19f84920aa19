"""The game as a value: a set-up, the moves, and the one function that makes a move.

All chance is in the `Setup`. A choice stays sealed in the `State` until every seat has sealed
one; the last seal closes the round: all cards are laid, the rest is passed on, everybody draws.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from typing import TYPE_CHECKING, Literal, NoReturn

from sideboards.core.board import Board, Laid
from sideboards.core.edition import CARDS, NUMBERS, Edition, Numbers, check_numbers
from sideboards.core.objective import Objectives
from sideboards.core.refusal import IllegalMove, Refusal, quoted
from sideboards.core.scoring import MODES, Mode, Score, final_scores

if TYPE_CHECKING:
    from random import Random

End = Literal["left", "right"]
Hand = tuple[int, ...]

LAST_ROUND = 6
DEALT: dict[Mode, int] = {"standard": 3, "variant": 4, "solo": 3}
"""Cards that everybody gets at the start (R7, R17, R18)."""
DRAWN: dict[Mode, int] = {"standard": 1, "variant": 1, "solo": 2}
"""Cards that everybody draws after a round (R10, R17, R18)."""
MOST_SEATS = 6


@dataclass(frozen=True, slots=True)
class Start:
    """Lay the first two cards side by side, written ``12,40~`` (R9)."""

    left: Laid
    right: Laid

    def __str__(self) -> str:
        return f"{self.left},{self.right}"


@dataclass(frozen=True, slots=True)
class Place:
    """Lay one card at one end, written ``L17`` or ``R17~`` (R11)."""

    laid: Laid
    end: End

    def __str__(self) -> str:
        return f"{self.end[0].upper()}{self.laid}"


@dataclass(frozen=True, slots=True)
class Swap:
    """Throw both hand cards and draw two new ones, written ``swap`` (R14)."""

    def __str__(self) -> str:
        return "swap"


@dataclass(frozen=True, slots=True)
class Undo:
    """Take the sealed choice back, written ``undo`` (R8)."""

    def __str__(self) -> str:
        return "undo"


Choice = Start | Place
"""A move that is sealed until the round closes."""
Move = Choice | Swap | Undo
Played = tuple[int, Choice | Swap]
"""A move that counts, with its seat."""


@dataclass(frozen=True, slots=True)
class Setup:
    """Everything that is decided before the first move, all chance included (R5–R7, R15)."""

    edition: Edition
    mode: Mode
    seats: int
    objectives: Numbers
    deck: tuple[int, ...]
    """All cards, the top of the draw pile first."""
    refill: tuple[int, ...]
    """All cards in the order that discards take when they become the draw pile."""

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise Refusal(f"mode: found {quoted(self.mode)}; expected {', '.join(MODES)}")
        check_seats(self.seats, self.mode)
        check_numbers(self.objectives)
        check_order("deck", self.deck)
        check_order("refill", self.refill)
        for name in ("objectives", "deck", "refill"):  # also for callers without a type checker
            object.__setattr__(self, name, tuple(getattr(self, name)))


@dataclass(frozen=True, slots=True)
class Seat:
    """One player's things on the table and in hand."""

    board: Board
    hands: tuple[Hand, ...]
    """All hands so far, one for each own move; the last is the present one."""
    swap: bool
    """Whether the swap card is still unused."""

    @property
    def hand(self) -> Hand:
        """The cards in hand: first what was passed on, then what was drawn."""
        return self.hands[-1]


@dataclass(frozen=True, slots=True)
class State:
    """A game at one moment. It knows everything, so it is never shown to anybody; see `View`."""

    setup: Setup
    round: int
    """0 is the start, then 1 to 6; 7 when the game is over."""
    seats: tuple[Seat, ...]
    sealed: tuple[Choice | None, ...]
    """What each seat has chosen in this round, hidden until all have."""
    pile: tuple[int, ...]
    discards: tuple[int, ...]
    played: tuple[Played, ...]
    """Per round the swaps as they came, then the choices in seat order; not yet the sealed ones."""

    @property
    def over(self) -> bool:
        """Whether all boards are finished."""
        return self.round > LAST_ROUND

    @property
    def waiting(self) -> tuple[int, ...]:
        """The seats that have yet to choose in this round."""
        if self.over:
            return ()
        return tuple(seat for seat, choice in enumerate(self.sealed) if choice is None)

    @property
    def objectives(self) -> Objectives:
        """The three open objectives."""
        return self.setup.edition.objectives(self.setup.objectives)


def check_seats(seats: int, mode: Mode) -> None:
    """Refuse a number of seats that cannot play this mode (R5, R17, R18)."""
    fewest, most = (1, 1) if mode == "solo" else (2, MOST_SEATS)
    if type(seats) is not int or not fewest <= seats <= most:
        expected = "1 player" if mode == "solo" else f"{fewest} to {most} players"
        raise Refusal(f"seats: found {quoted(seats)} in mode {mode}; expected {expected}")


def check_order(name: str, order: tuple[int, ...]) -> None:
    """Refuse an order of the deck that does not hold every card once."""
    cards = range(1, CARDS + 1)
    seen = set()
    for card in order:
        if card not in cards:
            raise Refusal(
                f"{name}: unknown card {quoted(card)}; expected each of 1 to {CARDS} once"
            )
        if card in seen:
            raise Refusal(f"{name}: card {card} stands twice; expected 1 to {CARDS} once each")
        seen.add(card)
    if len(order) < CARDS:
        raise Refusal(f"{name}: found {len(order)} cards; expected 1 to {CARDS} once each")


def new_setup(
    edition: Edition,
    *,
    seats: int,
    rng: "Random",
    mode: Mode | None = None,
    objectives: tuple[int | None, int | None, int | None] = (None, None, None),
) -> Setup:
    """A shuffled set-up; an objective that is None is drawn at random (R6)."""
    drawn = [
        rng.choice(NUMBERS[kind]) if number is None else number
        for kind, number in zip(NUMBERS, objectives, strict=True)
    ]
    cards = range(1, CARDS + 1)
    return Setup(
        edition=edition,
        mode=mode or ("solo" if seats == 1 else "standard"),
        seats=seats,
        objectives=(drawn[0], drawn[1], drawn[2]),
        deck=tuple(rng.sample(cards, CARDS)),
        refill=tuple(rng.sample(cards, CARDS)),
    )


def deal(setup: Setup) -> State:
    """The state at the start: seat 0 has the first cards of the deck, seat 1 the next (R7)."""
    size = DEALT[setup.mode]
    seats = tuple(
        Seat(
            board=(),
            hands=(setup.deck[size * i : size * (i + 1)],),
            swap=setup.mode != "variant",
        )
        for i in range(setup.seats)
    )
    pile = setup.deck[size * setup.seats :]
    return State(setup, 0, seats, (None,) * setup.seats, pile, discards=(), played=())


def legal(state: State, seat: int) -> tuple[Move, ...]:
    """All moves that `seat` may choose from now; none when it has sealed a choice.

    A sealed seat may only play `Undo()`, which is not listed: it leads back, not on.
    """
    check_seat(state, seat)
    if state.sealed[seat] is not None or state.round > LAST_ROUND:
        return ()
    here = state.seats[seat]
    return choices(here.hands[-1], start=state.round == 0, swap=here.swap)


def choices(hand: Hand, *, start: bool, swap: bool) -> tuple[Move, ...]:
    """The moves that a hand allows: two cards at the start (R9, R17), else one (R11), or a swap."""
    moves: tuple[Move, ...] = ()
    if start:
        for left, right in permutations(hand, 2):
            moves += _starts(left, right)
        return moves
    for card in hand:
        moves += _PLACEMENTS[card]
    return (*moves, _SWAP) if swap else moves


_SWAP = Swap()
_TURNS = (False, True)
ENDS: tuple[End, End] = ("left", "right")
_PLACEMENTS: tuple[tuple[Place, ...], ...] = tuple(
    tuple(Place(Laid(card, turned), end) for end in ENDS for turned in _TURNS)
    for card in range(CARDS + 1)
)
"""By card number, so 0 stands for none."""


@cache
def _starts(left: int, right: int) -> tuple[Start, ...]:
    return tuple(Start(Laid(left, one), Laid(right, other)) for one in _TURNS for other in _TURNS)


def check_seat(state: State, seat: int) -> None:
    """Refuse a seat that is not at the table."""
    if not 0 <= seat < len(state.seats):
        _forbid("no_seat", f"there is no seat {seat}; expected 0 to {len(state.seats) - 1}")


def cards(choice: Choice) -> tuple[int, ...]:
    """The numbers of the cards that a choice lays."""
    laid = (choice.laid,) if isinstance(choice, Place) else (choice.left, choice.right)
    return tuple(each.card for each in laid if isinstance(each.card, int))


def step(state: State, seat: int, move: Move) -> State:
    """The state after `seat` makes `move`; raises `IllegalMove` if the rules forbid it."""
    check_seat(state, seat)
    sealed = state.sealed[seat]
    if isinstance(move, Undo):
        if sealed is None:
            _forbid("round_closed", f"seat {seat} has no sealed choice to take back")
        return _sealed(state, seat, None)
    if state.over:
        _forbid("over", "the game is over; expected no further move")
    if sealed is not None:
        _forbid("sealed", f"seat {seat} has sealed {sealed}; expected undo before {move}")
    if isinstance(move, Swap):
        return _swap(state, seat)
    _check_choice(state, seat, move)
    after = _sealed(state, seat, move)
    return after if None in after.sealed else _close(after)


def replay(setup: Setup, moves: Iterable[tuple[int, Move]]) -> State:
    """The state after a whole sequence of moves, each with its seat."""
    state = deal(setup)
    for seat, move in moves:
        state = step(state, seat, move)
    return state


def scores(state: State) -> tuple[Score, ...]:
    """Everybody's score if the game ended now."""
    return final_scores(
        [seat.board for seat in state.seats],
        state.objectives,
        state.setup.edition,
        state.setup.mode,
        [seat.swap for seat in state.seats],
    )


def _forbid(code: str, sentence: str) -> NoReturn:
    raise IllegalMove(code, sentence)


def _check_choice(state: State, seat: int, move: Choice) -> None:
    hand = state.seats[seat].hand
    if isinstance(move, Start):
        if state.round > 0:
            _forbid("one_card", f"seat {seat} starts in round {state.round}; expected one card")
        if move.left.card == move.right.card:
            _forbid("same_card", f"{move} lays one card twice; expected two cards of the hand")
        wanted: tuple[object, ...] = (move.left.card, move.right.card)
    else:
        if state.round == 0:
            _forbid("two_cards", f"seat {seat} lays one card at the start; expected two")
        if move.end not in ENDS:
            _forbid("one_card", f"{quoted(move.end)} is no end of a board; expected left or right")
        wanted = (move.laid.card,)
    for card in wanted:
        if card not in hand:
            _forbid("not_in_hand", f"seat {seat} does not hold card {card}; expected a hand card")


def _sealed(state: State, seat: int, choice: Choice | None) -> State:
    sealed = (*state.sealed[:seat], choice, *state.sealed[seat + 1 :])
    return State(
        state.setup, state.round, state.seats, sealed, state.pile, state.discards, state.played
    )


def _swap(state: State, seat: int) -> State:
    """The hand is thrown, two cards come from the bottom of the pile, at once (R14)."""
    here = state.seats[seat]
    if state.setup.mode == "variant":
        _forbid("no_swap", "the variant has no swap cards; expected a placement")
    if state.round == 0:
        _forbid("too_early", "no swap before the first cards lie; expected two cards")
    if not here.swap:
        _forbid("swap_used", f"seat {seat} has used its swap card; expected a placement")
    stock = _Stock(state)
    drawn = (stock.draw(bottom=True), stock.draw(bottom=True))
    seats = list(state.seats)
    seats[seat] = Seat(here.board, (*here.hands, drawn), swap=False)
    return State(
        setup=state.setup,
        round=state.round,
        seats=tuple(seats),
        sealed=state.sealed,
        pile=stock.pile,
        discards=stock.discards + here.hand,
        played=(*state.played, (seat, _SWAP)),
    )


def _close(state: State) -> State:
    """All sealed choices are laid, the rest goes left, everybody draws; or the game ends."""
    boards: list[Board] = []
    leftovers: list[list[int]] = []
    played = list(state.played)
    for i, choice in enumerate(state.sealed):
        seat = state.seats[i]
        if isinstance(choice, Place):
            laid = choice.laid
            boards.append((laid, *seat.board) if choice.end == "left" else (*seat.board, laid))
        elif isinstance(choice, Start):
            boards.append((choice.left, choice.right))
        else:
            raise AssertionError("a round closes when all have sealed")
        gone = cards(choice)
        leftovers.append([card for card in seat.hands[-1] if card not in gone])
        played.append((i, choice))
    stock = _Stock(state)
    hands = _next_hands(state, leftovers, stock)
    seats = [
        Seat(board, (*seat.hands, hand), seat.swap)
        for seat, board, hand in zip(state.seats, boards, hands, strict=True)
    ]
    return State(
        setup=state.setup,
        round=state.round + 1,
        seats=tuple(seats),
        sealed=(None,) * len(seats),
        pile=stock.pile,
        discards=stock.discards,
        played=tuple(played),
    )


def _next_hands(state: State, leftovers: list[list[int]], stock: "_Stock") -> list[Hand]:
    """What everybody holds next: passed and drawn cards, in solo two new ones, at the end none."""
    if state.round == LAST_ROUND or state.setup.mode == "solo":
        stock.discards += tuple(card for rest in leftovers for card in rest)
        leftovers = [[] for _ in leftovers]
    if state.round == LAST_ROUND:
        return [()] * len(leftovers)
    drawn = range(DRAWN[state.setup.mode])
    # Passed cards are sorted, so that their order tells nothing about where they come from.
    return [
        (*sorted(leftovers[i - 1]), *[stock.draw() for _ in drawn]) for i in range(len(leftovers))
    ]


class _Stock:
    """The draw pile and the discards while cards are drawn."""

    __slots__ = ("_refill", "discards", "pile")

    def __init__(self, state: State) -> None:
        self.pile = state.pile
        self.discards = state.discards
        self._refill = state.setup.refill

    def draw(self, *, bottom: bool = False) -> int:
        """The next card; when the pile is empty, the discards become the pile first (R15)."""
        if not self.pile:
            self.pile = tuple(card for card in self._refill if card in self.discards)
            self.discards = ()
        if bottom:
            card, self.pile = self.pile[-1], self.pile[:-1]
        else:
            card, self.pile = self.pile[0], self.pile[1:]
        return card


def was_refilled(before: State, after: State) -> bool:
    """Whether the discards became the pile between two states of a game (R15)."""
    return after.discards[: len(before.discards)] != before.discards
