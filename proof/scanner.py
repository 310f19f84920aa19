"""The scanner: hears what one viewer gets, and says where it tells a card too early.

It rebuilds what this viewer may know from the messages alone: the own hands, the boards of closed
rounds, how many cards of each there must be. Everything else that looks like a card, every field
that nobody knows, and every open hand before the end is reported. Cheap enough to be always on.
"""

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Any

import msgspec

from sideboards.core.edition import CARDS
from sideboards.core.game import DEALT, DRAWN
from sideboards.service import protocol
from sideboards.words import LANGUAGES, words

Json = dict[str, Any]
LAST = 7
"""What the round is when a game is over."""
_CARD = re.compile(r"\d+")
_decode = msgspec.json.Decoder().decode


def _fields(kind: Any) -> frozenset[str]:  # noqa: ANN401 (a type of message)
    return frozenset(kind.__struct_encode_fields__)


MESSAGES = {
    kind.__struct_config__.tag: _fields(kind) | {"type"} for kind in protocol.ServerMessage.__args__
}
"""By type, the fields of every message that a server sends."""
PARTS = {
    "view": _fields(protocol.ViewInfo),
    "public": _fields(protocol.PublicInfo),
    "table": _fields(protocol.TableInfo),
    "clock": _fields(protocol.ClockInfo),
    "settings": _fields(protocol.Settings),
}
"""By name, the fields of what messages hold."""
_SEAT = _fields(protocol.SeatInfo)
_POINTS = _fields(protocol.PointsInfo)
_OPTION = _fields(protocol.OptionInfo)
_ADVICE = _fields(protocol.AdviceInfo)


class Scanner:
    """Hears all messages of one viewer, from the first to the last, over however many sockets."""

    def __init__(self, seat: int | None) -> None:
        """`seat` is the viewer's own; None for a spectator."""
        self._seat = seat
        self._known: set[int] = set()
        self._over = False

    def hear(self, frame: bytes) -> list[str]:
        """What is wrong with the next message: one sentence each."""
        try:
            message = _decode(frame)
        except msgspec.DecodeError:
            return ["found a message that is no JSON; expected one of the protocol"]
        if not isinstance(message, dict) or message.get("type") not in MESSAGES:
            return ["found a message of an unknown type; expected one of the protocol"]
        faults = _unknown(message, MESSAGES[message["type"]], message["type"])
        for name, look in (
            ("view", self._view),
            ("public", self._public),
            ("table", self._table),
        ):
            part = message.get(name)
            if isinstance(part, dict):
                faults += _unknown(part, PARTS[name], name) + look(part)
        if message["type"] == "advice":
            faults += self._advice(message)
        if isinstance(sentence := message.get("sentence"), str):
            faults += self._sentence(message, sentence)
        return faults

    # ---- parts of messages ---------------------------------------------------------------------

    def _table(self, table: Json) -> list[str]:
        settings = table["settings"]
        faults = _unknown(settings, PARTS["settings"], "settings")
        for seat in table["seats"]:
            faults += _unknown(seat, _SEAT, "a seat")
        self._over |= table["phase"] in ("finished", "abandoned")
        self._over |= bool(settings.get("practice"))  # a known deal: nothing in it is a secret
        return faults

    def _advice(self, message: Json) -> list[str]:
        faults = self._cards([option["move"] for option in message["options"]], "advice")
        for option in message["options"]:
            faults += _unknown(option, _ADVICE, "an advice")
        return faults

    def _public(self, public: Json) -> list[str]:
        faults = []
        for points in public["scores"] or ():
            faults += _unknown(points, _POINTS, "points")
        seats = range(len(public["sealed"]))
        plain: Iterable[object] = (*public["sealed"], *public["swaps"])
        if not all(isinstance(each, bool) for each in plain):
            faults.append("public: found more than who has sealed and who can swap")
        if not set(public["swapped"]) <= set(seats):
            faults.append("public: found more than seats among those who swapped")
        for name in ("discards", "pile", "round"):
            if type(public[name]) is not int:
                faults.append(f"public: found {name} that is no number")
        return faults

    def _view(self, view: Json) -> list[str]:
        public = view["public"]
        faults = _unknown(public, PARTS["public"], "public") + self._public(public)
        now = public["round"]
        self._over |= now >= LAST
        if self._over:
            return faults
        if view["open_discards"] is not None:
            faults.append("view: found open discards; expected none before the end")
        for seat, hands in enumerate(view["hands"]):
            if hands is not None and seat != self._seat:
                faults.append(f"view: found the hands of seat {seat}; expected the own ones")
        faults += self._boards(view, now)
        if self._seat is not None:
            faults += self._own_hands(view)
        faults += self._cards(_moves(view), "moves")
        for option in view["options"]:
            if option.keys() - _OPTION or option.get("points", {}).keys() - _POINTS:
                faults.append("options: found a field that nobody knows")
        return faults

    def _boards(self, view: Json, now: int) -> list[str]:
        """Boards as of the last closed round, and the moves that made them."""
        faults, on_boards = [], set[int]()
        for seat, board in enumerate(view["boards"]):
            cards = cards_in(board)
            on_boards.update(cards)
            if len(cards) != (now + 1 if now else 0):
                faults.append(f"boards: seat {seat} has {len(cards)} cards in round {now}")
        moves = [text for text in view["played"] if not text.endswith("swap")]
        if len(moves) != now * len(view["boards"]):
            faults.append(f"played: found {len(moves)} choices in round {now}")
        for text in moves:
            seat, _, move = text.partition(" ")
            hidden = set(cards_in(move)) - on_boards
            faults += [
                f"played: seat {seat} has laid {card}, which lies on no board"
                for card in sorted(hidden)
            ]
        self._known |= on_boards
        return faults

    def _own_hands(self, view: Json) -> list[str]:
        """The own hands: as many as there were own moves, each of the right size."""
        mode, own = view["mode"], view["hands"][self._seat]
        if own is None:
            return ["view: found no hands; expected the own ones"]
        faults = []
        played = [text for text in view["played"] if text.startswith(f"{self._seat} ")]
        swapped = view["public"]["swapped"].count(self._seat)
        if len(own) != 1 + len(played) + swapped:
            faults.append(f"hands: found {len(own)} after {len(played) + swapped} own moves")
        later = DRAWN[mode] if mode == "solo" else DEALT[mode] - 2 + DRAWN[mode]
        for place, hand in enumerate(own):
            if len(hand) != (later if place else DEALT[mode]):
                faults.append(f"hands: found {len(hand)} cards in hand {place}")
            self._known.update(hand)
        return faults

    def _cards(self, texts: Iterable[str], where: str) -> list[str]:
        """Cards in moves that this viewer cannot know."""
        found = {card for text in texts for card in cards_in(text)} - self._known
        if not found or self._over:
            return []
        return [f"{where}: found card {card}, which this viewer cannot know" for card in found]

    def _sentence(self, message: Json, sentence: str) -> list[str]:
        """Numbers in a sentence must be known, or stand in the catalogue."""
        numbers = {int(n) for n in _CARD.findall(sentence) if 1 <= int(n) <= CARDS}
        if not numbers or self._over or message["type"] == "notice":  # which may hold a name
            return []
        unknown = numbers - self._known - _in_catalogue(message["code"])
        return [f"sentence: found the number {n} of a hidden card" for n in sorted(unknown)]


def _moves(view: Json) -> Iterable[str]:
    yield from (option["move"] for option in view["options"])
    if view["choice"]:
        yield view["choice"]


@lru_cache(maxsize=20_000)  # moves and boards repeat all the time
def cards_in(text: str) -> tuple[int, ...]:
    """The card numbers in a move or board."""
    return tuple(map(int, _CARD.findall(text)))


@cache
def _in_catalogue(code: str) -> frozenset[int]:
    texts = [words(language).texts.get(f"refusal.{code}", "") for language in LANGUAGES]
    return frozenset(int(n) for text in texts for n in _CARD.findall(str(text)))


def _unknown(part: Json, fields: frozenset[str], where: str) -> list[str]:
    return [f"{where}: found the field {name}, which nobody knows" for name in part.keys() - fields]
