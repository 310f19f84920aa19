"""A game that is changed in place and knows its observations as bytes, for quick environments.

`core` defines the rules; this module repeats the few that move cards (R7–R18) without making a
new state for every decision. What boards show it looks up in tables of tracks. The tests play it
beside `core`, move by move in every mode: hands, boards, piles, discards, scores, masks and every
seat's observation, the last against `observation.encode`, which sees a view only.
"""

from functools import lru_cache

from sideboards.core.board import Board, Laid
from sideboards.core.card import COLUMNS, HEIGHTS, unpacked
from sideboards.core.edition import CARDS, Edition, Numbers
from sideboards.core.game import DEALT, DRAWN, LAST_ROUND, MOST_SEATS, Hand
from sideboards.core.objective import Objective, Objectives
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
from sideboards.fast.machine import machine
from sideboards.fast.tables import FIRST
from sideboards.minds.observation import KINDS, OBJECTIVES, drawers

_TURNED = 64
"""Added to a card's number when it lies turned; numbers go to 60."""
_CARD_SIZE = HEIGHTS * KINDS
_BOARD_SIZE = COLUMNS * _CARD_SIZE
_BYTE = tuple(bytes([code]) for code in range(_TURNED + CARDS + 1))
_UPRIGHT = bytes(code % _TURNED for code in range(256))
"""From how a card lies to its number."""
_PASSED = tuple(bytes([number, 0]) for number in range(CARDS + 1))
_SEEN = tuple(1 << 8 * (number - 1) if number else 0 for number in range(CARDS + 1))
"""A whole number of 60 bytes with a 1 in a card's byte."""
_ROUNDS = tuple(bytes(i == round_ for i in range(LAST_ROUND + 2)) for round_ in range(8))
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
def _heights(edition: Edition) -> tuple[int, ...]:
    """The heights of colors and handles of every card as `Card` packs them, by these numbers."""
    rest = (0,) * (_TURNED - len(edition.upright))
    return (*edition.upright, *rest, *edition.turned)


@lru_cache(maxsize=64)
def _found(objective: Objective) -> bytes | None:
    """What an objective finds in every track; None for a very wide pattern, read by the core."""
    small = machine(objective)
    return None if small is None else small.read_all().tobytes()


@lru_cache(maxsize=64)
def _flags(seat: int, seats: int) -> tuple[bytes, ...]:
    """Flags of all seats, by their bits, beginning with the own seat and going on to the left."""
    order = [(seat + place) % seats for place in range(seats)]
    rest = bytes(MOST_SEATS - seats)
    return tuple(bytes(bits >> i & 1 for i in order) + rest for bits in range(1 << seats))


_Found = bytes | None
_Opened = tuple[Objectives, tuple[_Found, _Found, _Found], bytes]


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
        self._flags = [_flags(seat, seats) for seat in range(seats)]
        self._slices = [
            tuple(slice(seat * size, (seat + seats) * size) for size in (_BOARD_SIZE, COLUMNS, 3))
            for seat in range(seats)
        ]
        self._choosing = [
            [PLACE_2_OR_SWAP if bits >> seat & 1 else PLACE_2 for seat in range(seats)]
            for bits in range(1 << seats)
        ]
        self._absent = MOST_SEATS - seats
        self._no_board = bytes(self._absent * _BOARD_SIZE)
        self._no_cards = bytes(self._absent * COLUMNS)
        self._no_tallies = bytes(self._absent * 3)
        self._shown_tallies = bytes(2 * 3 * seats)
        self._shown_hands: dict[Hand, bytes] = {}
        self._opened: dict[Numbers, _Opened] = {}
        self._end = self._no_cards + bytes(MOST_SEATS * 3)

    def deal(self, numbers: Numbers, deck: list[int], refill: list[int]) -> None:
        """Begin with these objectives, this deck and this order of refilled cards (R6, R7)."""
        seats, size = self.seats, DEALT[self.mode]
        self.numbers = numbers
        opened = self._opened.get(numbers) or self._open(numbers)
        self.objectives, self._found, self._game = opened
        self._deck, self._refill = deck, refill
        self._top, self._bottom = size * seats, CARDS
        self.round = 0
        self.discards: list[int] = []
        self.hands: list[Hand] = [tuple(deck[i : i + size]) for i in range(0, self._top, size)]
        self._boards = [b""] * seats
        self._faces = [b""] * seats
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

    def _open(self, numbers: Numbers) -> _Opened:
        """Three objectives, what they find, and the head of an observation with them; kept."""
        color, handle, row = objectives = self.edition.objectives(numbers)
        found = _found(color), _found(handle), _found(row)
        shown = bytes(number in numbers for number in range(1, OBJECTIVES + 1))
        opened = self._opened[numbers] = objectives, found, self._table + shown
        return opened

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
        return tuple([bool(self._swap_bits >> seat & 1) for seat in range(self.seats)])

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
        hand, flags, of_seat = self.hands[seat], self._flags[seat], self._slices[seat]
        end = self._end
        if self._tallies:
            end = self._no_cards + self._shown_tallies[of_seat[2]] + self._no_tallies
        return bytearray().join(
            (
                self._head,
                _BYTE[self.sealed[seat]],
                flags[self._sealed_bits],
                flags[self._swap_bits],
                self._shown_hands.get(hand) or self._show_hand(hand),
                self._passed[seat],
                (self._own_seen[seat] | self._laid).to_bytes(CARDS, "little"),
                self._shown_boards[of_seat[0]],
                self._no_board,
                self._shown_cards[of_seat[1]],
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

    def _show_piles(self) -> None:
        """All that comes before the own choice: the game, the round and the piles as bytes."""
        piles = bytes((self._bottom - self._top, len(self.discards)))
        self._head = self._game + _ROUNDS[self.round] + piles

    def _show_boards(self) -> None:
        """The boards as bytes, twice around the table, so that any seat can begin."""
        self._show_piles()
        columns = len(self._boards[0])
        rest = bytes((COLUMNS - columns) * _CARD_SIZE)
        self._shown_boards = (rest.join(self._faces) + rest) * 2
        rest = bytes(COLUMNS - columns)
        self._shown_cards = (rest.join(self._boards) + rest).translate(_UPRIGHT) * 2
        if self._tallies:
            counted = [bytes(self._tally(board)) for board in self._boards]
            self._shown_tallies = b"".join(counted) * 2

    def _tally(self, board: bytes) -> Tally:
        """What a board shows, looked up track by track."""
        color, handle, row = self._found
        if color is None or handle is None or row is None:
            laid = tuple([_LAID[code] for code in board])
            return tally(laid, self.objectives, self.edition)
        heights, packed = self._heights, 0
        for code in board:
            packed = packed * HEIGHTS + heights[code]
        first = FIRST[len(board)]
        tracks = [first + track for track in unpacked(packed)]
        a, b, c, d, e, f, g, h = tracks
        rows = self.objectives[2]
        return Tally(
            color[a] + color[b] + color[c] + color[d] + color[e],
            handle[f] + handle[g] + handle[h],
            rows.length([row[track] for track in tracks[rows.reader.tracks]]),
        )

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
        self._show_piles()

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
                self.situations = [*self._choosing[self._swap_bits]]
            self._pass_and_draw(leftovers)
        self._show_boards()

    def _pass_and_draw(self, leftovers: list[Hand]) -> None:
        """Everybody gets what the right neighbour left over, and draws (R10, R12, R17, R18)."""
        draws, hands, seen = range(DRAWN[self.mode]), self.hands, self._own_seen
        for seat in range(self.seats):
            hand = leftovers[seat - 1]
            for _ in draws:
                if self._top == self._bottom:
                    self._refill_pile()
                hand += (self._deck[self._top],)
                self._top += 1
            hands[seat] = hand
            if len(hand) == 2:
                one, other = hand
                seen[seat] |= _SEEN[one] | _SEEN[other]
            else:
                for card in hand:
                    seen[seat] |= _SEEN[card]

    def _lay_start(self) -> list[Hand]:
        """Lay everybody's first two cards (R9); what is left over."""
        leftovers: list[Hand] = []
        drawers_of = self._drawers
        for seat, hand in enumerate(self.hands):
            pair, turns = divmod(self.sealed[seat] - 1, 4)
            one, other = PAIRS[pair]
            left, right = hand[one], hand[other]
            if len(hand) == 3:
                card = hand[3 - one - other]
                leftovers.append((card,))
                self._passed[seat] = _PASSED[card]
            else:
                rest = tuple([card for card in hand if card not in (left, right)])
                leftovers.append(rest)
                self._passed[seat] = bytes(rest)
            self._laid |= _SEEN[left] | _SEEN[right]
            if turns >= 2:
                left += _TURNED
            if turns % 2:
                right += _TURNED
            self._boards[seat] = _BYTE[left] + _BYTE[right]
            self._faces[seat] = drawers_of[left] + drawers_of[right]
        return leftovers

    def _lay(self) -> list[Hand]:
        """Lay everybody's card at its end (R11); what is left over."""
        leftovers: list[Hand] = []
        boards, faces, sealed, passed = self._boards, self._faces, self.sealed, self._passed
        drawers_of, laid = self._drawers, self._laid
        for seat, hand in enumerate(self.hands):
            way = sealed[seat] - 1 - FIRST_PLACE
            slot = way >> 2
            card = hand[slot]
            if len(hand) == 2:
                other = hand[1 - slot]
                leftovers.append((other,))
                passed[seat] = _PASSED[other]
            else:
                rest = hand[:slot] + hand[slot + 1 :]
                leftovers.append(rest)
                passed[seat] = bytes(rest)
            laid |= _SEEN[card]
            if way & 1:
                card += _TURNED
            if way & 2:
                boards[seat] += _BYTE[card]
                faces[seat] += drawers_of[card]
            else:
                boards[seat] = _BYTE[card] + boards[seat]
                faces[seat] = drawers_of[card] + faces[seat]
        self._laid = laid
        return leftovers
