"""Views: what one seat, or a spectator, may know (R8, R16), and the states it cannot rule out.

This is the border that hidden cards never cross: people, bots and programs all get a `View`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from typing import TYPE_CHECKING

from sideboards.core.board import Board, packed, picture
from sideboards.core.card import HEIGHTS
from sideboards.core.edition import CARDS, Edition, Numbers
from sideboards.core.game import (
    DEALT,
    DRAWN,
    LAST_ROUND,
    Choice,
    Hand,
    Move,
    Place,
    Played,
    Setup,
    Start,
    State,
    Swap,
    cards,
    check_seat,
    choices,
    replay,
    step,
)
from sideboards.core.objective import Counts, Objectives, counter
from sideboards.core.scoring import (
    Mode,
    Points,
    Score,
    Tally,
    paid,
    row_bonuses,
    scores_of,
)

if TYPE_CHECKING:
    from random import Random


Counted = dict[int, Counts]
"""What packed boards show. Boards of different lengths are different numbers: no card has all its
drawers at the top."""


@dataclass(frozen=True, slots=True)
class Option:
    """A legal move, with the points its seat would have if the game ended after it."""

    move: Move
    points: Points


@dataclass(frozen=True, slots=True)
class View:
    """All that a seat may know; with seat None, all that a spectator may know."""

    seat: int | None
    edition: Edition
    mode: Mode
    objective_numbers: Numbers
    round: int
    """0 is the start, then 1 to 6; 7 when the game is over."""
    boards: tuple[Board, ...]
    """Everybody's board as of the last closed round."""
    swaps: tuple[bool, ...]
    """Who still has an unused swap card."""
    sealed: tuple[bool, ...]
    """Who has chosen in this round."""
    choice: Choice | None
    """What this seat itself has sealed."""
    hands: tuple[tuple[Hand, ...] | None, ...]
    """The hands so far of every seat that may be known: the own ones; at the end everybody's."""
    pile: int
    discards: int
    open_discards: tuple[int, ...] | None
    """The discards themselves, when the game is over."""
    played: tuple[Played, ...]
    """The moves that all have seen: those of closed rounds, and the swaps of this one."""

    @property
    def over(self) -> bool:
        """Whether all boards are finished."""
        return self.round > LAST_ROUND

    @property
    def objectives(self) -> Objectives:
        """The three open objectives."""
        return self.edition.objectives(self.objective_numbers)

    @property
    def hand(self) -> Hand:
        """The own cards: first what was passed on, then what was drawn."""
        hands = None if self.seat is None else self.hands[self.seat]
        return hands[-1] if hands else ()

    @property
    def opening_hand(self) -> Hand:
        """The own cards as they were when the round opened, before a swap."""
        hands = None if self.seat is None else self.hands[self.seat]
        own = [move for seat, move in self.played if seat == self.seat]
        swapped = bool(own) and isinstance(own[-1], Swap)
        return hands[-2] if hands and swapped else self.hand

    @property
    def left_over(self) -> tuple[Hand, ...]:
        """What this seat did not lay, round by round: passed on, or in solo discarded."""
        own = [move for seat, move in self.played if seat == self.seat]
        hands = None if self.seat is None else self.hands[self.seat]
        return tuple(
            tuple(card for card in hand if card not in cards(move))
            for hand, move in zip(hands or (), own, strict=False)
            if not isinstance(move, Swap)
        )

    @property
    def scores(self) -> tuple[Score, ...]:
        """Everybody's score if the game ended with the boards that lie open."""
        return self.scores_knowing({})

    def scores_knowing(self, known: Counted) -> tuple[Score, ...]:
        """The same, for whoever has counted some boards before."""
        objectives, counts = _counting(self.edition, self.objective_numbers, len(self.boards[0]))
        boards = [packed(board, self.edition) for board in self.boards]
        counted = [Tally(*(known.get(board) or counts(board))) for board in boards]
        return scores_of(counted, objectives, self.mode, self.swaps)

    @property
    def legal(self) -> tuple[Move, ...]:
        """Every legal move of this seat; none when it has sealed a choice."""
        if self.seat is None or self.over or self.choice is not None:
            return ()
        return choices(self.hand, start=self.round == 0, swap=self.swaps[self.seat])

    @property
    def options(self) -> tuple[Option, ...]:
        """Every legal move of this seat with its points; the bonus is against open boards."""
        moves = self.legal
        return tuple(map(Option, moves, self.points_beside(self.scores, {}))) if moves else ()

    def points_beside(self, scores: Sequence[Score], known: Counted) -> list[Points]:
        """The points of every legal move, for whoever knows the present scores already."""
        seat = self.seat
        if seat is None or self.over or self.choice is not None:
            return []
        board = self.boards[seat]
        objectives, counts = _counting(
            self.edition, self.objective_numbers, len(board) + 1 if board else 2
        )
        kept = 1 if self.swaps[seat] and self.mode != "variant" else 0
        lengths = [score.tally.row for i, score in enumerate(scores) if i != seat]
        worth: dict[Counts, Points] = {}  # many placements show the same
        bonuses: dict[int, int] = {}
        options: list[Points] = []
        for after in self._packed_after(board):
            shown = known.get(after) or counts(after)
            if shown not in worth:
                if (length := shown[2]) not in bonuses:
                    beside = row_bonuses([*lengths, length], objectives[2], self.mode)
                    bonuses[length] = beside.get(length, 0)
                worth[shown] = paid(shown, objectives, bonuses, kept)
            options.append(worth[shown])
        if kept and self.round > 0:  # a swap: the score as it is, less the swap card
            options.append(Points(*scores[seat].points[:4], 0))
        return options

    def count_into(self, known: Counted) -> None:
        """Count the own board, and what it may become next, as far as it is not known."""
        if self.seat is None:
            return
        board, edition, numbers = self.boards[self.seat], self.edition, self.objective_numbers
        now = packed(board, edition)
        known[now] = known.get(now) or _counting(edition, numbers, len(board))[1](now)
        if not self.over:
            counts = _counting(edition, numbers, len(board) + 1)[1]
            for after in self._packed_after(board):
                known[after] = known.get(after) or counts(after)

    def _packed_after(self, board: Board) -> list[int]:
        """The packed board after each placement or start, in the order of `choices`.

        Each card is added as a number; laying it and packing anew would take most of the time.
        What is laid on the left is laid on the right of the mirrored board: that shows the same
        (R9), and then the tables are read at neighbouring places.
        """
        columns = self.edition.columns
        if self.round == 0:
            return [
                one * HEIGHTS + other
                for left, right in permutations(self.hand, 2)
                for one in columns[left]
                for other in columns[right]
            ]
        here = packed(board, self.edition) * HEIGHTS
        mirrored = packed(board[::-1], self.edition) * HEIGHTS
        after: list[int] = []
        for card in self.hand:
            upright, turned = columns[card]
            after += (mirrored + upright, mirrored + turned, here + upright, here + turned)
        return after

    def __str__(self) -> str:
        numbers = ",".join(map(str, self.objective_numbers))
        lines = [
            f"round {self.round}, objectives {numbers}, pile {self.pile}, discards {self.discards}"
        ]
        for seat, board in enumerate(self.boards):
            lines.append(f"seat {seat}{' (you)' if seat == self.seat else ''}")
            lines.append(picture(board, self.edition))
        if self.seat is not None:
            lines.append(f"hand {' '.join(map(str, self.hand))}")
        return "\n".join(lines)


@lru_cache(maxsize=1_000)
def _counting(
    edition: Edition, numbers: Numbers, columns: int
) -> tuple[Objectives, Callable[[int], Counts]]:
    """The objectives with these numbers, and what they count on packed boards of a length."""
    objectives = edition.objectives(numbers)
    return objectives, counter(objectives, columns)


def view(state: State, seat: int | None) -> View:
    """What `seat` may know of a state; None for a spectator."""
    if seat is not None:
        check_seat(state, seat)
    setup, seats, over = state.setup, state.seats, state.over
    hands: list[tuple[Hand, ...] | None] = [None] * len(seats)
    if over:
        hands = [each.hands for each in seats]
    elif seat is not None:
        hands[seat] = seats[seat].hands
    return View(
        seat=seat,
        edition=setup.edition,
        mode=setup.mode,
        objective_numbers=setup.objectives,
        round=state.round,
        boards=tuple([each.board for each in seats]),
        swaps=tuple([each.swap for each in seats]),
        sealed=tuple([choice is not None for choice in state.sealed]),
        choice=None if seat is None else state.sealed[seat],
        hands=tuple(hands),
        pile=len(state.pile),
        discards=len(state.discards),
        open_discards=state.discards if over else None,
        played=state.played,
    )


def foresee(state: State) -> Counted:
    """What boards will show after the close of a round in which one seat has still to choose.

    Counted while there is time, because all wait for whoever chooses last, and at the close
    everybody's options are needed at once. What the last one lays is not known, so that board is
    not foreseen; every card that it may leave over is.
    """
    known: Counted = {}
    if len(state.sealed) == 1 or state.sealed.count(None) != 1:
        return known
    last = state.sealed.index(None)
    unseen = set(hand := state.seats[last].hand)
    for move in choices(hand, start=state.round == 0, swap=False):
        left = unseen.difference(cards(move)) if isinstance(move, Choice) else ()
        if left or not known:
            unseen.difference_update(left)
            after = step(state, last, move)
            for seat in range(len(state.seats)):
                if seat != last:
                    view(after, seat).count_into(known)
    return known


def imagine(view: View, rng: "Random") -> State:
    """A state that `view` cannot rule out: reachable by legal play, with equal views throughout.

    Hidden cards are spread as if the others had chosen blindly among their cards.
    """
    while True:
        try:
            setup = _Guess(view, rng).setup()
            break
        except _Contradiction:  # happens only after a refill of the pile
            continue
    state = replay(setup, view.played)
    for seat, sealed in enumerate(view.sealed):
        if sealed and seat == view.seat and view.choice is not None:
            state = step(state, seat, view.choice)
        elif sealed:
            hand = state.seats[seat].hand
            state = step(state, seat, rng.choice(choices(hand, start=view.round == 0, swap=False)))
    return state


class _Contradiction(Exception):
    """A guess that turned out impossible."""


class _Guess:
    """Deals the game again with blank cards, and writes a number on each when it must be known.

    A blank is a place in the deck. The known hands and the openly laid cards say what some
    blanks are; which blank of a hidden hand a laid card was is chosen by chance.
    """

    def __init__(self, view: View, rng: "Random") -> None:
        self.view = view
        self.rng = rng
        self.card_of: dict[int, int] = {}
        self.blank_of: dict[int, int] = {}
        self.pile = list(range(CARDS))
        self.discards: list[int] = []
        self.refilled = False
        self.from_top: list[int] = []
        self.from_bottom: list[int] = []
        self.hands: list[list[int]] = []
        self.known_hands = [iter(hands) if hands else None for hands in view.hands]

    def setup(self) -> Setup:
        """A set-up that leads to the view."""
        for seat in range(len(self.view.boards)):
            self.hands.append([])
            self._draw(seat, DEALT[self.view.mode])
        choices_made = 0
        for seat, move in self.view.played:
            match move:
                case Swap():
                    thrown, self.hands[seat] = self.hands[seat], []
                    self._draw(seat, len(thrown), bottom=True)
                    self.discards += thrown
                    continue
                case Start() | Place():
                    for card in cards(move):
                        self._lay(seat, card)
            choices_made += 1
            if choices_made % len(self.hands) == 0:
                self._close(round_=choices_made // len(self.hands) - 1)
        return self._setup()

    def _lay(self, seat: int, card: int) -> None:
        hand = self.hands[seat]
        if card not in self.blank_of:
            blanks = [blank for blank in hand if blank not in self.card_of]
            if not blanks:
                raise _Contradiction
            self._write(self.rng.choice(blanks), card)
        if self.blank_of[card] not in hand:
            raise _Contradiction
        hand.remove(self.blank_of[card])

    def _close(self, round_: int) -> None:
        """The rest is passed on or discarded, and everybody draws, as in the real game."""
        if round_ == LAST_ROUND or self.view.mode == "solo":
            for hand in self.hands:
                self.discards += hand
                hand.clear()
        if round_ == LAST_ROUND:
            return
        self.hands = [self.hands[i - 1] for i in range(len(self.hands))]
        for seat in range(len(self.hands)):
            self._draw(seat, DRAWN[self.view.mode])

    def _draw(self, seat: int, count: int, *, bottom: bool = False) -> None:
        """`seat` draws; if its hands are known, the passed and drawn blanks get their numbers."""
        passed = self.hands[seat]
        known_hands = self.known_hands[seat]
        hand = next(known_hands) if known_hands else None
        drawn: list[int] = []
        for i in range(count):
            card = hand[len(passed) + i] if hand else None
            drawn.append(self._take(card, bottom=bottom))
            if card is not None:
                self._write(drawn[-1], card)
        if hand:
            blanks = [blank for blank in passed if blank not in self.card_of]
            written = {self.card_of[blank] for blank in passed if blank in self.card_of}
            rest = sorted(set(hand[: len(passed)]) - written)
            if len(rest) != len(blanks):
                raise _Contradiction
            self.rng.shuffle(rest)
            for blank, card in zip(blanks, rest, strict=True):
                self._write(blank, card)
        self.hands[seat] = passed + drawn

    def _take(self, card: int | None, *, bottom: bool) -> int:
        """The next blank of the pile; after a refill, whose order is free, one that can be it."""
        if not self.pile:
            self.refilled = True
            self.pile, self.discards = self.discards, []
        if not self.refilled:
            return self.pile.pop(-1 if bottom else 0)
        if card is None:
            blank = self.rng.choice(self.pile)
        elif card in self.blank_of:
            blank = self.blank_of[card]
            if blank not in self.pile:
                raise _Contradiction
        else:
            blanks = [blank for blank in self.pile if blank not in self.card_of]
            if not blanks:
                raise _Contradiction
            blank = self.rng.choice(blanks)
        self.pile.remove(blank)
        (self.from_bottom if bottom else self.from_top).append(blank)
        return blank

    def _write(self, blank: int, card: int) -> None:
        if self.card_of.setdefault(blank, card) != card:
            raise _Contradiction
        if self.blank_of.setdefault(card, blank) != blank:
            raise _Contradiction

    def _setup(self) -> Setup:
        """The set-up of this guess; cards that nobody saw fill the blanks by chance."""
        unseen = [card for card in range(1, CARDS + 1) if card not in self.blank_of]
        self.rng.shuffle(unseen)
        deck = [self.card_of[b] if b in self.card_of else unseen.pop() for b in range(CARDS)]
        refill = self.rng.sample(range(1, CARDS + 1), CARDS)
        if self.refilled:
            self.rng.shuffle(self.pile)
            order = [deck[b] for b in (*self.from_top, *self.pile, *reversed(self.from_bottom))]
            inside, ordered = set(order), iter(order)
            refill = [next(ordered) if card in inside else card for card in refill]
        view = self.view
        return Setup(
            edition=view.edition,
            mode=view.mode,
            seats=len(view.boards),
            objectives=view.objective_numbers,
            deck=tuple(deck),
            refill=tuple(refill),
        )
