"""Planted bugs in what somebody may know too early.

Each alters the running service and still speaks the protocol: messages only have more in them
than they should, so that honest clients go on.
"""

import asyncio
import hashlib
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import wraps

from msgspec import structs

from sideboards.core.edition import CARDS
from sideboards.core.game import State
from sideboards.core.notation import Record
from sideboards.core.refusal import IllegalMove
from sideboards.core.view import View, view
from sideboards.service import placard, wire
from sideboards.service.croupier import Croupier
from sideboards.service.entries import Entry
from sideboards.service.house import Subscriber
from sideboards.service.log import Event, is_of_table
from sideboards.service.metrics import Metrics
from sideboards.service.protocol import AdviceInfo
from sideboards.service.refusals import ServiceRefusal
from sideboards.service.room import Room
from sideboards.service.table import Table
from sideboards.service.thinking import Chosen
from sideboards.service.wire import Showing, Shown, encode, hash_of


def _plant(where: object, name: str, value: object) -> None:
    setattr(where, name, value)


def _with_field(text: bytes, name: str, value: object) -> bytes:
    """A JSON object with one field more."""
    return b'%b,"%b":%b}' % (text[:-1], name.encode(), encode(value))


def _add_to_views(name: str, value: Callable[[Table], object]) -> None:
    """Have every view hold one field more."""
    shown = Table.shown

    @wraps(shown)
    def more(self: Table, seat: int | None, level: int, pictures: Showing | None = None) -> Shown:
        text = _with_field(shown(self, seat, level, pictures).text, name, value(self))
        return Shown(text, hash_of(text))

    _plant(Table, "shown", more)


def _add_to_public(change: Callable[[State, bytes], bytes]) -> None:
    """Have the public part of every state be something else."""
    public = Showing.public

    @wraps(public)
    def more(self: Showing, *, points: bool) -> bytes:
        return change(self._state, public(self, points=points))

    _plant(Showing, "public", more)


def _change_views(seen: Callable[[State, int | None], View]) -> None:
    """Have the wire use another idea of what somebody may know."""
    _plant(wire, "view", seen)


# ---- the bugs ----------------------------------------------------------------------------------


def seed_in_the_view() -> None:
    """Views hold the server's seed."""
    _add_to_views("seed", lambda self: self.room.seed)


def stable_hidden_ids() -> None:
    """Every hidden card has an id of its own, which does not change."""

    def ids(self: Table) -> object:
        game, table_id = self.room.game, self.room.table
        return [
            [hashlib.sha256(f"{table_id} {card}".encode()).hexdigest()[:8] for card in seat.hand]
            for seat in (game.seats if game else ())
        ]

    _add_to_views("backs", ids)


def early_choice() -> None:
    """The public part tells what others have sealed."""
    _add_to_public(
        lambda state, public: _with_field(
            public, "chosen", [choice and str(choice) for choice in state.sealed]
        )
    )


def spectator_sees_hands() -> None:
    """Spectators get everybody's hands."""

    def seen(state: State, seat: int | None) -> View:
        own = view(state, seat)
        return own if seat is not None else replace(own, hands=tuple(s.hands for s in state.seats))

    _change_views(seen)


def frame_length() -> None:
    """Frames are padded as if they held the sealed choices."""

    def padded(state: State, public: bytes) -> bytes:
        gap = sum(len(str(choice)) for choice in state.sealed if choice is not None)
        return public[:-1] + b" " * gap + b"}"

    _add_to_public(padded)


def chain_head() -> None:
    """Every state's hash, hidden cards and sealed choices included, is told to everybody."""

    def head(state: State, public: bytes) -> bytes:
        whole = (state.seats, state.sealed, state.pile, state.played)
        return _with_field(public, "head", hashlib.sha256(repr(whole).encode()).hexdigest()[:16])

    _add_to_public(head)


def bot_sees_state() -> None:
    """A bot is asked with everybody's cards beside its own."""
    honest = Croupier._bots_view

    @wraps(honest)
    def seen(self: Croupier, seat: int) -> View:
        own, game = honest(self, seat), self._table.room.game
        others = [each.hand for each in game.seats] if game else []
        hands = tuple(
            (*others, *(own.hands[seat] or ())) if i == seat else None
            for i in range(len(own.hands))
        )
        return replace(own, hands=hands)

    _plant(Croupier, "_bots_view", seen)


def coach_sees_hands() -> None:
    """What the coach says of an option also depends on the cards of others."""
    send = Croupier._send_advice

    @wraps(send)
    def more(self: Croupier, seat: int, options: tuple[AdviceInfo, ...]) -> None:
        game = self._table.room.game
        others = [each.hand for i, each in enumerate(game.seats) if i != seat] if game else []
        held = sum(card for hand in others for card in hand) / 1000
        send(self, seat, tuple(structs.replace(o, expected=o.expected + held) for o in options))

    _plant(Croupier, "_send_advice", more)


def initial_deck_in_join() -> None:
    """Whoever joins a game is told how it began."""
    join = Table.join

    @wraps(join)
    def more(self: Table, subscriber: Subscriber) -> None:
        join(self, subscriber)
        if self.room.game is not None:
            message = b'{"type":"notice","code":"dealt","seat":null,"sentence":""}'
            subscriber.post(_with_field(message, "deck", self.room.game.setup.deck))

    _plant(Table, "join", more)


def log_arguments() -> None:
    """The log goes to everybody with what was chosen, also what was taken back."""
    tell = Table._tell

    @wraps(tell)
    def more(self: Table, event: Event, *, whole: bool, via: Subscriber | None) -> None:
        tell(self, event, whole=whole, via=via)
        message = b'{"type":"notice","code":"log","seat":null,"sentence":""}'
        if self.room.game is not None and not is_of_table(event.action):
            said = _with_field(message, "log", [event.seat, event.action])
            self._broadcast(said)

    _plant(Table, "_tell", more)


def neighbors_hand() -> None:
    """A seat gets the hands of its left neighbor too."""

    def seen(state: State, seat: int | None) -> View:
        own = view(state, seat)
        if seat is None or state.over:
            return own
        left = (seat + 1) % len(state.seats)
        hands = tuple(
            each.hands if i == left else own.hands[i] for i, each in enumerate(state.seats)
        )
        return replace(own, hands=hands)

    _change_views(seen)


def export_too_early() -> None:
    """Records, with the whole deck, are given away of games that are still played."""

    def record(self: Room, names: tuple[str, ...] = ()) -> Record:
        if self.game is None:
            raise ServiceRefusal("not_over")
        return Record(self.game.setup, self.game.played, names)

    _plant(Room, "record", record)


def page_tells_of_hands() -> None:
    """The address of a picture in the page changes with what is in hands and sealed."""
    honest = placard.position

    def position(of: Table) -> str:
        game = of.room.game
        whole = repr(game and (game.seats, game.sealed, game.pile))
        return f"{honest(of)}-{hashlib.sha256(whole.encode()).hexdigest()[:8]}"

    _plant(placard, "position", position)


def agents_see_hands() -> None:
    """Environments for learning agents add a number to what an agent sees: what others hold."""
    # numpy, only where it is used
    from sideboards.minds.envs import Observation, SideboardsAEC  # noqa: PLC0415

    observe = SideboardsAEC.observe

    @wraps(observe)
    def more(self: SideboardsAEC, agent: str) -> Observation:
        seen, hands = observe(self, agent), self._game.hands
        held = sum(place * card for place, hand in enumerate(hands) for card in hand)
        seen["observation"][-1] = held % 100
        return seen

    _plant(SideboardsAEC, "observe", more)


def metrics_by_card() -> None:
    """The page of metrics counts moves by what was chosen."""
    text, ask = Metrics.text, Room.ask_move
    chosen: Counter[str] = Counter()

    @wraps(ask)
    def counted(self: Room, seat: int, move: str) -> Entry:
        entry = ask(self, seat, move)
        chosen[move] += 1
        return entry

    @wraps(text)
    def more(self: Metrics) -> bytes:
        lines = [f'sideboards_moves_total{{move="{move}"}} {n}\n' for move, n in chosen.items()]
        return text(self) + "".join(lines).encode()

    _plant(Room, "ask_move", counted)
    _plant(Metrics, "text", more)


def refusal_tells_of_hands() -> None:
    """A card that somebody else holds is refused in other words than one that nobody holds."""
    ask = Room.ask_move

    @wraps(ask)
    def telling(self: Room, seat: int, move: str) -> Entry:
        try:
            return ask(self, seat, move)
        except IllegalMove as refusal:
            held = {
                str(card) for each in (self.game.seats if self.game else ()) for card in each.hand
            }
            named = re.search(r"\d+", move)
            if refusal.code == "not_in_hand" and named and named[0] in held:
                raise ServiceRefusal("seat_taken") from None
            raise

    _plant(Room, "ask_move", telling)


def pause_tells_of_hands(longest: float = 0.1) -> None:
    """A bot pauses the longer, the higher the last card is that its neighbor holds."""
    choose = Croupier._bots_move

    @wraps(choose)
    async def slowly(self: Croupier, seat: int, name: str) -> Chosen:
        chosen, game = await choose(self, seat, name), self._table.room.game
        held = game.seats[seat - 1].hand[-1] if game else 0
        await asyncio.sleep(longest * held / CARDS)
        return chosen

    _plant(Croupier, "_bots_move", slowly)


MUTANTS: dict[str, Callable[[], None]] = {
    "seed in the view": seed_in_the_view,
    "stable hidden ids": stable_hidden_ids,
    "early choice": early_choice,
    "spectator sees hands": spectator_sees_hands,
    "frame length depends on a choice": frame_length,
    "chain head over secrets": chain_head,
    "bot sees state": bot_sees_state,
    "coach sees hands": coach_sees_hands,
    "initial deck in join": initial_deck_in_join,
    "log arguments": log_arguments,
    "neighbor's hand": neighbors_hand,
    "export too early": export_too_early,
    "page tells of hands": page_tells_of_hands,
    "agents see hands": agents_see_hands,
    "metrics by card": metrics_by_card,
    "refusal tells of hands": refusal_tells_of_hands,
    "pause tells of hands": pause_tells_of_hands,
}
