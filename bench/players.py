"""Who sits at the sockets: players who move at random, spectators, callers of a bare server."""

import time

import msgspec
from picows import WSFrame, WSTransport

from bench.swarm import Crowd, Socket

CALL = b'{"type":"act","key":"3.1.abcdefgh","action":"R17~"}'
"""As long as the request of a move."""


class Caller(Socket):
    """Somebody who calls a bare server, and waits for an answer of a known length."""

    def __init__(self, crowd: Crowd, answer: int = len(CALL)) -> None:
        super().__init__(crowd)
        self._answer = answer

    def on_ws_connected(self, transport: WSTransport) -> None:
        """The handshake is done; nothing else is waited for."""
        super().on_ws_connected(transport)
        self.crowd.joined += 1
        self.crowd.ready.append(self)

    def hear(self, frame: WSFrame) -> None:
        """Take an answer; others' messages and answers to pings have other lengths."""
        if frame.payload_size == self._answer:
            self.asking = False
            self.crowd.answer(time.perf_counter() - self.sent)
            self.crowd.free(self)

    def request(self) -> bytes:
        """Always the same."""
        return CALL


class Option(msgspec.Struct):
    """What a player reads of an option."""

    move: str


class Public(msgspec.Struct):
    """What a player reads of the public part."""

    round: int


class Result(msgspec.Struct):
    """What a player reads of the end."""

    winners: tuple[int, ...]


class Seen(msgspec.Struct):
    """What a player reads of a view."""

    options: tuple[Option, ...]
    public: Public
    result: Result | None


class Heard(msgspec.Struct):
    """What a player reads of a message."""

    type: str
    view: Seen | None = None
    code: str | None = None


ACK = b'{"type":"ack"'
_read = msgspec.json.Decoder(Heard).decode


class Party:
    """The players of one table, as far as they wait for each other."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._seen = 0
        self._last = 0.0
        """When somebody saw the newest round."""
        self.closing = 0.0
        """When the last choice of the round was sent."""

    def see(self, at: float) -> float | None:
        """One more sees the new round; if it is the last, the seconds since the last choice."""
        self._seen = (self._seen + 1) % self._size
        self._last = max(self._last, at)
        return None if self._seen else self._last - self.closing


class Player(Socket):
    """A seat that plays random legal moves; without a party somebody who only watches."""

    def __init__(self, crowd: Crowd, hello: dict[str, str], party: Party | None = None) -> None:
        super().__init__(crowd)
        self._hello = msgspec.json.encode({"type": "hello", "protocol": 1, **hello})
        self._party = party
        self._round = -1
        self._options: tuple[Option, ...] = ()
        self._moves = 0
        self._waits = False

    def on_ws_connected(self, transport: WSTransport) -> None:
        """The handshake is done: say hello."""
        super().on_ws_connected(transport)
        self.send(self._hello)

    def hear(self, frame: WSFrame) -> None:
        """Take a message, with the time at which it came; it is read later.

        All sit in one process here: if it read what one of them gets at once, the answer that
        comes to another behind it would seem to take longer.
        """
        at, data = time.perf_counter(), frame.get_payload_as_bytes()
        if data.startswith(ACK):
            self.asking = False
            self.crowd.answer(at - self.sent)
        self.crowd.keep(self, at, data)

    def read(self, at: float, data: bytes) -> None:
        """Read a message that came at that time."""
        heard = _read(data)
        if heard.type == "refused":
            self.crowd.fail(f"refused: {heard.code}")
        if heard.view is not None:
            self._look(heard.view, at, closed=heard.type == "ack")

    def _look(self, view: Seen, at: float, *, closed: bool) -> None:
        round_, self._round = self._round, view.public.round
        if round_ < 0:
            self.crowd.joined += 1
        elif self._round > round_ and self._party is not None:
            if closed:
                self._party.closing = self.sent
            if (took := self._party.see(at)) is not None:
                self.crowd.rounds.append(took)
        if view.result is not None:
            self.crowd.over += 1
        self._options = view.options
        if self._options and not self._waits and not self.asking:
            self._waits = True
            self.crowd.free(self)

    def request(self) -> bytes:
        """A random legal move."""
        self._waits = False
        self._moves += 1
        option = self._options[self.crowd.rng.randrange(len(self._options))]
        key = f"{self._round}.{self._moves}.bench"
        return b'{"type":"act","key":"%b","action":"%b"}' % (key.encode(), option.move.encode())
