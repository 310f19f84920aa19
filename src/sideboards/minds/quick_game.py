"""A game that is changed in place and knows its observations as bytes, for quick environments.

`core` defines the rules; this module repeats the few that move cards (R7–R18) without making a
new state for every decision. What boards show is read by `minds.machine`. The tests play it
beside `core`, move by move in every mode: hands, boards, piles, discards, scores, masks and every
seat's observation, the last against `observation.encode`, which sees a view only.
"""

from functools import lru_cache

from sideboards.core.board import Board, Laid, tracks
from sideboards.core.card import COLORS, COLUMNS, HEIGHTS
from sideboards.core.edition import CARDS, Edition, Numbers
from sideboards.core.game import DEALT, DRAWN, LAST_ROUND, MOST_SEATS, Hand
from sideboards.core.objective import Objectives
from sideboards.core.scoring import MODES, Mode, Score, Tally, scores_of, tally
from sideboards.fast.actions import (
    FIRST_PLACE,
    OVER,
    PAIRS,
    PLACE_2,
    PLACE_2_OR_SWAP,
    PLACE_3,
    SLOTS,
    START_3,
    START_4,
    SWAP,
    WAITING,
)
from sideboards.minds.machine import machine
from sideboards.minds.observation import KINDS, OBJECTIVES, drawers

_TURNED = 64
"""Added to a card's number when it lies turned; numbers go to 60."""
_COLORS = len(COLORS)
_CARD_SIZE = HEIGHTS * KINDS
_BOARD_SIZE = COLUMNS * _CARD_SIZE
_BYTE = tuple(bytes([number]) for number in range(CARDS + 1))
_SEEN = tuple(1 << 8 * (number - 1) if number else 0 for number in range(CARDS + 1))
"""A whole number of 60 bytes with a 1 in a card's byte."""
_ROUNDS = tuple(bytes(i == round_ for i in range(LAST_ROUND + 2)) for round_ in range(8))
_FLAGS = tuple(bytes(bits >> i & 1 for i in range(MOST_SEATS)) for bits in range(1 << MOST_SEATS))
_LAID = tuple(Laid(code % _TURNED, code >= _TURNED) for code in range(_TURNED + CARDS + 1))


@lru_cache(maxsize=8)
def _drawers(edition: Edition) -> tuple[bytes, ...]:
    """The drawers of every card, upright by number and turned by number + 64."""
    faces = [bytes(_CARD_SIZE)] * (_TURNED + CARDS + 1)
    for number, card in enumerate(edition.cards, 1):
        faces[number] = drawers(card).tobytes()
        faces[_TURNED + number] = drawers(card.turn()).tobytes()
    return tuple(faces)


@lru_cache(maxsize=8)
def _heights(edition: Edition) -> tuple[tuple[int, ...], ...]:
    """The heights of the colors and handles of every card, by the same numbers."""
    found: list[tuple[int, ...]] = [()] * (_TURNED + CARDS + 1)
    for number in range(1, CARDS + 1):
        for code in (number, _TURNED + number):
            found[code] = tracks((_LAID[code],), edition)  # of one card, a track is its height
    return tuple(found)


@lru_cache(maxsize=1000)
def _open(numbers: Numbers) -> bytes:
    return bytes(number in numbers for number in range(1, OBJECTIVES + 1))


class QuickGame:
    """One game after the other at the same table; `deal` begins, `act` makes a move."""

    def __init__(self, edition: Edition, mode: Mode, seats: int, *, tallies: bool) -> None:
        self.edition, self.mode, self.seats = edition, mode, seats
        self._tallies = tallies
        self._drawers = _drawers(edition)
        self._heights = _heights(edition)
        self._table = bytes(mode == each for each in MODES)
        self._table += bytes(i + 1 == seats for i in range(MOST_SEATS))
        self._all = (1 << seats) - 1
        self._absent = MOST_SEATS - seats
        self._no_board = bytes(self._absent * _BOARD_SIZE)
        self._no_cards = bytes(self._absent * COLUMNS)
        self._no_tallies = bytes(self._absent * 3)
        self._shown_tallies = bytes(2 * 3 * seats)
        self._shown_hands: dict[Hand, bytes] = {}
        self._end = self._no_cards + bytes(MOST_SEATS * 3)

    def deal(self, numbers: Numbers, deck: list[int], refill: list[int]) -> None:
        """Begin with these objectives, this deck and this order of refilled cards (R6, R7)."""
        seats, size = self.seats, DEALT[self.mode]
        self.numbers = numbers
        self.objectives: Objectives = self.edition.objectives(numbers)
        color, handle, row = self.objectives
        self._machines = machine(color), machine(handle), machine(row)
        self._game = self._table + _open(numbers)
        self._deck, self._refill = deck, refill
        self._top, self._bottom = size * seats, CARDS
        self.round = 0
        self.discards: list[int] = []
        self.hands: list[Hand] = [tuple(deck[i : i + size]) for i in range(0, self._top, size)]
        self._boards: list[tuple[int, ...]] = [()] * seats
        self._faces = [b""] * seats
        self._cards = [b""] * seats
        self._own_seen = [0] * seats
        for seat, hand in enumerate(self.hands):
            for card in hand:
                self._own_seen[seat] |= _SEEN[card]
        self._laid = 0
        self._passed = [b"\0\0"] * seats
        self.sealed = [0] * seats  # as an observation has it: action + 1
        self._sealed_bits = 0
        self._swap_bits = 0 if self.mode == "variant" else self._all
        self.situations = [START_3 if size == 3 else START_4] * seats
        self._show_boards()

    @property
    def pile(self) -> list[int]:
        """The draw pile, top first."""
        return self._deck[self._top : self._bottom]

    @property
    def boards(self) -> tuple[Board, ...]:
        """Everybody's board as of the last closed round."""
        return tuple([tuple([_LAID[code] for code in board]) for board in self._boards])

    @property
    def swaps(self) -> tuple[bool, ...]:
        """Who has an unused swap card."""
        return tuple(bool(self._swap_bits >> seat & 1) for seat in range(self.seats))

    @property
    def over(self) -> bool:
        """Whether all boards are finished."""
        return self.round > LAST_ROUND

    def scores(self) -> tuple[Score, ...]:
        """Everybody's score if the game ended now."""
        counted = [self._tally(board) for board in self._boards]
        return scores_of(counted, self.objectives, self.mode, self.swaps)

    def act(self, seat: int, action: int) -> None:
        """Make a legal action: a swap at once, a choice sealed until all have chosen (R8)."""
        if action == SWAP:
            self._swap(seat)
            return
        self.sealed[seat] = action + 1
        self._sealed_bits |= 1 << seat
        if self._sealed_bits == self._all:
            self._close()
        else:
            self.situations[seat] = WAITING

    def observe(self, seat: int) -> bytearray:
        """The observation of a seat, laid out as `observation.LAYOUT` says."""
        hand, seats, bits = self.hands[seat], self.seats, self._sealed_bits
        swaps = self._swap_bits
        if seat:  # begin with the own seat, go on to the left
            others = seats - seat
            bits = (bits >> seat | bits << others) & self._all
            swaps = (swaps >> seat | swaps << others) & self._all
        stop = seat + seats
        end = self._end
        if self._tallies:
            end = self._no_cards + self._shown_tallies[seat * 3 : stop * 3] + self._no_tallies
        return bytearray().join(
            (
                self._head,
                bytes((self._bottom - self._top, len(self.discards), self.sealed[seat])),
                _FLAGS[bits],
                _FLAGS[swaps],
                self._shown_hands.get(hand) or self._show_hand(hand),
                self._passed[seat],
                (self._own_seen[seat] | self._laid).to_bytes(CARDS, "little"),
                self._shown_boards[seat * _BOARD_SIZE : stop * _BOARD_SIZE],
                self._no_board,
                self._shown_cards[seat * COLUMNS : stop * COLUMNS],
                end,
            )
        )

    def _show_hand(self, hand: Hand) -> bytes:
        """The drawers and the numbers of a hand as bytes; those of pairs are kept."""
        faces, rest = self._drawers, SLOTS - len(hand)
        shown = b"".join([*[faces[card] for card in hand], bytes(rest * _CARD_SIZE)])
        shown += bytes(hand) + bytes(rest)
        if len(hand) <= 2:
            self._shown_hands[hand] = shown
        return shown

    def _show_boards(self) -> None:
        """The boards as bytes, twice around the table, so that any seat can begin."""
        self._head = self._game + _ROUNDS[self.round]
        columns = len(self._boards[0])
        rest = bytes((COLUMNS - columns) * _CARD_SIZE)
        self._shown_boards = (rest.join(self._faces) + rest) * 2
        rest = bytes(COLUMNS - columns)
        self._shown_cards = (rest.join(self._cards) + rest) * 2
        if self._tallies:
            counted = [bytes(self._tally(board)) for board in self._boards]
            self._shown_tallies = b"".join(counted) * 2

    def _tally(self, board: tuple[int, ...]) -> Tally:
        """What a board shows, read track by track."""
        color, handle, row = self._machines
        if color is None or handle is None or row is None:
            laid = tuple([_LAID[code] for code in board])
            return tally(laid, self.objectives, self.edition)
        heights_of = self._heights
        found = [*zip(*[heights_of[code] for code in board], strict=True)] or [()] * KINDS
        colors = color.read(found[:_COLORS])
        handles = handle.read(found[_COLORS:])
        rows = self.objectives[2]
        return Tally(sum(colors), sum(handles), rows.length(row.read(found[rows.reader.tracks])))

    def _refill_pile(self) -> None:
        """The discards become the draw pile (R15)."""
        self._deck = [card for card in self._refill if card in self.discards]
        self._top, self._bottom = 0, len(self._deck)
        self.discards = []

    def _swap(self, seat: int) -> None:
        """The hand is thrown, two cards come from the bottom of the pile (R14)."""
        drawn = []
        for _ in range(2):
            if self._top == self._bottom:
                self._refill_pile()
            self._bottom -= 1
            drawn.append(self._deck[self._bottom])
        self.discards += self.hands[seat]
        one, other = drawn
        self.hands[seat] = (one, other)
        self._own_seen[seat] |= _SEEN[one] | _SEEN[other]
        self._swap_bits &= ~(1 << seat)
        self.situations[seat] = PLACE_2

    def _close(self) -> None:
        """All sealed choices are laid, the rest goes left, everybody draws; or the game ends."""
        leftovers = self._lay() if self.round else self._lay_start()
        seats, mode = self.seats, self.mode
        self._sealed_bits = 0
        self.sealed = [0] * seats
        self.round += 1
        if self.round > LAST_ROUND or mode == "solo":
            self.discards += [card for rest in leftovers for card in rest]
            leftovers = [()] * seats
        if self.round > LAST_ROUND:
            self.hands, self.situations = leftovers, [OVER] * seats
        else:
            if mode == "variant":
                leftovers = [tuple(sorted(rest)) for rest in leftovers]
                self.situations = [PLACE_3] * seats
            else:
                swaps = self._swap_bits
                self.situations = [
                    PLACE_2_OR_SWAP if swaps >> seat & 1 else PLACE_2 for seat in range(seats)
                ]
            self._pass_and_draw(leftovers)
        self._show_boards()

    def _pass_and_draw(self, leftovers: list[Hand]) -> None:
        """Everybody gets what the right neighbour left over, and draws (R10, R12, R17, R18)."""
        draws, hands, seen = DRAWN[self.mode], self.hands, self._own_seen
        for seat in range(self.seats):
            hand = leftovers[seat - 1]
            for _ in range(draws):
                if self._top == self._bottom:
                    self._refill_pile()
                hand += (self._deck[self._top],)
                self._top += 1
            hands[seat] = hand
            bits = seen[seat]
            for card in hand:
                bits |= _SEEN[card]
            seen[seat] = bits

    def _lay_start(self) -> list[Hand]:
        """Lay everybody's first two cards (R9); what is left over."""
        leftovers: list[Hand] = []
        for seat, hand in enumerate(self.hands):
            pair, turns = divmod(self.sealed[seat] - 1, 4)
            left, right = (hand[slot] for slot in PAIRS[pair])
            rest = tuple([card for card in hand if card not in (left, right)])
            leftovers.append(rest)
            self._passed[seat] = bytes(rest).ljust(2, b"\0")
            self._laid |= _SEEN[left] | _SEEN[right]
            self._cards[seat] = bytes((left, right))
            if turns >= 2:
                left += _TURNED
            if turns % 2:
                right += _TURNED
            self._boards[seat] = (left, right)
            self._faces[seat] = self._drawers[left] + self._drawers[right]
        return leftovers

    def _lay(self) -> list[Hand]:
        """Lay everybody's card at its end (R11); what is left over."""
        leftovers: list[Hand] = []
        boards, faces, sealed = self._boards, self._faces, self.sealed
        for seat, hand in enumerate(self.hands):
            way = sealed[seat] - 1 - FIRST_PLACE
            slot = way >> 2
            card = hand[slot]
            rest = hand[:slot] + hand[slot + 1 :]
            leftovers.append(rest)
            self._passed[seat] = bytes(rest) if len(rest) == 2 else _BYTE[rest[0]] + b"\0"
            self._laid |= _SEEN[card]
            byte = _BYTE[card]
            if way & 1:
                card += _TURNED
            if way & 2:
                boards[seat] += (card,)
                faces[seat] += self._drawers[card]
                self._cards[seat] += byte
            else:
                boards[seat] = (card, *boards[seat])
                faces[seat] = self._drawers[card] + faces[seat]
                self._cards[seat] = byte + self._cards[seat]
        return leftovers
