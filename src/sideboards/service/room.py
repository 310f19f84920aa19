"""A room: what the log says of a table, from its creation to its end.

The state of a table is the replay of its log. `Room.ask` checks what somebody wants to do and
answers with the entry to be stored; `Room.apply` takes an entry that is stored. Nothing here
waits, draws chance or knows the time.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import msgspec

from sideboards.core.edition import Edition
from sideboards.core.fair import (
    Proof,
    deal_key,
    fair_setup,
    is_seed,
    rules_string,
    seat_commitment,
    server_commitment,
)
from sideboards.core.game import LAST_ROUND, MOST_SEATS, Move, State, deal, replay, step
from sideboards.core.notation import Record, parse_move
from sideboards.core.refusal import IllegalMove, Refusal
from sideboards.core.scoring import Mode
from sideboards.minds.bots import BOTS
from sideboards.service.entries import Change, Create, Entry, Order, Sit, entry_of
from sideboards.service.limits import CHANGES_PER_GUEST, EVENTS_PER_TABLE
from sideboards.service.log import TABLE, Event, Phase
from sideboards.service.protocol import Settings
from sideboards.service.refusals import ServiceRefusal
from sideboards.service.terms import check_settings, read_practice

STAND_IN = "medium"
"""The bot that plays for somebody who left, is away, or has no time left."""
OPENING = 5_000
"""Milliseconds in which the seats open their seeds."""
NO_SEAT = "there is no such seat at this table; expected one of its seats"
WITHOUT_END = ("undo", "return", "vote", "bot", "settings")
"""What could go on and on; sitting down, too. It ends for whoever does it too often."""
ALONE = ("start", "close", "leave", "return")
"""The actions that are one word."""
SEEDED = ("bot", "remove", "leave")
"""The actions behind which the log tells the server's new seed."""


@dataclass(frozen=True, slots=True)
class Chair:
    """A seat with whoever sits there."""

    guest: str = ""
    bot: str = ""
    """The bot of the seat, or the one that plays for a person who left."""
    sitting: int = 0
    """How often somebody sat down here; tells the present person's token from older ones."""
    commit: str = ""
    seed: str = ""
    votes: frozenset[int] = frozenset()
    """The seats that would hand this one to a bot."""
    reserved: str = ""
    """The guest for whom an empty seat is kept."""

    @property
    def kind(self) -> Literal["empty", "person", "bot"]:
        """Who the seat belongs to."""
        return "person" if self.guest else "bot" if self.bot else "empty"

    @property
    def acts(self) -> bool:
        """Whether a person plays here now."""
        return bool(self.guest) and not self.bot


class Actor(msgspec.Struct, frozen=True):
    """Who asks: a guest, and the seat that belongs to her if she has one."""

    guest: str
    seat: int | None

    @property
    def number(self) -> int:
        """The seat as the log tells it."""
        return TABLE if self.seat is None else self.seat


class Room:
    """A table as its log tells it."""

    __slots__ = (
        "chairs",
        "code",
        "created",
        "edition",
        "game",
        "host",
        "keys",
        "next",
        "opening",
        "phase",
        "position",
        "seed",
        "sent_away",
        "seq",
        "settings",
        "spent",
        "started",
        "table",
    )

    def __init__(self, table: str, edition: Edition) -> None:
        self.table = table
        self.edition = edition
        self.settings = Settings()
        self.host = ""
        self.code = ""
        self.created = 0
        self.seed = ""
        self.chairs: list[Chair] = []
        self.phase: Phase = "waiting"
        self.started = False
        self.sent_away: set[str] = set()
        """Guests whom the host has sent away; they stay away from this table."""
        self.spent: Counter[str] = Counter()
        """How often each guest has done what could go on without end."""
        self.game: State | None = None
        self.opening: State | None = None
        """The game as it was when the present round opened."""
        self.keys: dict[str, str] = {}
        """What was stored under a key; keys begin with the seat that asked."""
        self.seq = 0
        """How many events of the game there were; everybody at the table knows of each."""
        self.position = -1
        self.next = ""

    # ---- questions -----------------------------------------------------------------------------

    @property
    def mode(self) -> Mode:
        """The mode that the settings ask for."""
        if self.settings.seats == 1:
            return "solo"
        return "variant" if self.settings.variant else "standard"

    @property
    def rules(self) -> str:
        """The rules string of the fair deal."""
        return rules_string(self.edition, self.mode, self.settings.seats, self.settings.objectives)

    @property
    def commit(self) -> str:
        """The server's commitment to its seed."""
        return server_commitment(self.table, self.rules, self.seed)

    @property
    def waiting(self) -> tuple[int, ...]:
        """The seats that have yet to choose in this round."""
        return self.game.waiting if self.game and self.phase == "playing" else ()

    @property
    def peopled(self) -> bool:
        """Whether some person plays; bots alone wait."""
        return any(chair.acts for chair in self.chairs)

    @property
    def bots_to_ask(self) -> tuple[int, ...]:
        """The seats for which a bot has to choose now."""
        bots = [seat for seat, chair in enumerate(self.chairs) if chair.bot]
        if not bots or not self.peopled:
            return ()
        waiting = self.waiting
        return tuple([seat for seat in bots if seat in waiting])

    @property
    def alone(self) -> bool:
        """Whether at most one person has a seat."""
        return sum(chair.kind == "person" for chair in self.chairs) <= 1

    @property
    def against_bots(self) -> bool:
        """Whether help harms nobody: at most one person plays, or the deal is known anyway."""
        return self.alone or self.settings.practice is not None

    def seat_of(self, guest: str) -> int | None:
        """The seat that belongs to a guest."""
        return next((i for i, chair in enumerate(self.chairs) if chair.guest == guest), None)

    def is_known(self, key: str, text: str) -> bool:
        """Whether an action was stored under a key; refused if that was another action."""
        stored = self.keys.get(key)
        if stored is None:
            return False
        if text != stored:
            raise ServiceRefusal("key_reused")
        return True

    @property
    def proof(self) -> Proof:
        """The proof of the deal, once the game is over or was given up."""
        if self.settings.practice is not None:
            raise ServiceRefusal("no_practice_proof")
        setup = self._over.setup
        return Proof(
            table=self.table,
            rules=self.rules,
            server_seed=self.seed,
            server_commit=self.commit,
            seat_seeds=tuple(chair.seed for chair in self.chairs),
            seat_commits=tuple(chair.commit for chair in self.chairs),
            deck=tuple(card - 1 for card in setup.deck),
            objectives=setup.objectives,
            refill=tuple(card - 1 for card in setup.refill),
        )

    def record(self, names: tuple[str, ...] = ()) -> Record:
        """The game record, once the game is over or was given up."""
        over = self._over
        return Record(over.setup, over.played, names)

    @property
    def _over(self) -> State:
        """The game, once it is over or was given up."""
        if self.phase not in ("finished", "abandoned"):
            raise ServiceRefusal("not_over")
        if self.game is None:
            raise ServiceRefusal("never_dealt")
        return self.game

    def bot_seed(self, seat: int) -> bytes:
        """The random stream of a bot for its next choice: one per seat, round and own move."""
        if self.game is None:
            raise ServiceRefusal("not_playing")
        moves = len(self.game.seats[seat].hands)
        seeds = [chair.seed for chair in self.chairs]
        return deal_key(self.table, f"bot-{seat}-{self.game.round}-{moves}", self.seed, seeds)

    # ---- checks --------------------------------------------------------------------------------

    def ask(self, actor: Actor, text: str, new_seed: Callable[[], str]) -> Entry:
        """The entry for an action that somebody asks for in text; refused if it is not allowed."""
        word, rest = _words(text)
        self._check_spent(actor.guest, word)
        match word:
            case "leave" if self.phase == "waiting" and not self.started:
                if (actor.seat, actor.guest) == (None, self.host):
                    return Entry(TABLE, f"{text} {new_seed()}")
                return self._ask_stand(actor, self._own_seat(actor), text, new_seed)
            case "remove":
                return self._ask_stand(actor, self._seat(rest), text, new_seed)
            case "bot":
                number, _, name = rest.partition(" ")
                self._check_bot(actor, self._seat(number), name)
                return Entry(actor.number, f"{text} {new_seed()}")
            case "start":
                return self._ask_start(actor)
            case "open":
                return self._ask_open(actor, rest)
            case "close":
                self._check_close(actor)
                return Entry(actor.number, "close")
            case "leave" | "return":
                return self._ask_leave(actor, word)
            case "vote":
                return Entry(self._own_seat(actor), f"vote {self._other_person(actor, rest)}")
            case _:
                return self.ask_move(self._own_seat(actor), text)

    def ask_move(self, seat: int, text: str) -> Entry:
        """The entry for a move of a seat, whoever chose it."""
        if self.game is None or self.phase not in ("playing", "finished"):
            raise ServiceRefusal("abandoned" if self.phase == "abandoned" else "not_playing")
        return Entry(seat, text, step(self.game, seat, read_move(text)))

    def ask_sit(self, seat: int, guest: str, commit: str, seed: str) -> Entry:
        """The entry for somebody who sits down."""
        self._check_waiting()
        self._check_spent(guest, "sit")
        if self.seat_of(guest) is not None:
            raise ServiceRefusal("already_seated")
        if not 0 <= seat < len(self.chairs):
            raise IllegalMove("no_seat", NO_SEAT)
        chair = self.chairs[seat]
        if chair.kind != "empty" or chair.reserved not in ("", guest):
            raise ServiceRefusal("seat_taken")
        if guest in self.sent_away:
            raise ServiceRefusal("sent_away")
        return entry_of(seat, "sit", Sit(guest, commit, seed))

    def ask_settings(self, actor: Actor, settings: Settings, seed: str) -> Entry:
        """The entry for other settings; taken seats cannot be cut off."""
        self._check_host(actor)
        self._check_spent(actor.guest, "settings")
        check_settings(settings, self.edition, self.settings)
        if any(chair.kind != "empty" for chair in self.chairs[settings.seats :]):
            raise ServiceRefusal("seat_taken")
        return entry_of(TABLE, "settings", Change(settings, seed))

    def check_absent(self, actor: Actor, text: str) -> int:
        """The seat of another person for whom a bot may choose."""
        self._own_seat(actor)
        seat = self._other_person(actor, text)
        if seat not in self.waiting:
            raise ServiceRefusal("not_away")
        return seat

    def _check_bot(self, actor: Actor, seat: int, bot: str) -> None:
        """A bot may take an empty seat, or another bot's."""
        self._check_host(actor)
        if self.chairs[seat].kind == "person":
            raise ServiceRefusal("seat_taken")
        if bot not in BOTS:
            raise ServiceRefusal("unknown_bot")

    def _ask_start(self, actor: Actor) -> Entry:
        self._check_host(actor)
        if any(chair.kind == "empty" for chair in self.chairs):
            raise ServiceRefusal("seats_empty")
        if not self.peopled:
            raise ServiceRefusal("nobody_left")
        return Entry(actor.number, "start")

    def _ask_stand(self, actor: Actor, seat: int, text: str, new_seed: Callable[[], str]) -> Entry:
        """Somebody leaves a table that waits, or is sent away by the host."""
        self._check_waiting()
        if seat != actor.seat:
            self._check_host(actor)
        if self.chairs[seat].kind == "empty":
            raise IllegalMove("no_seat", NO_SEAT)
        return Entry(actor.number, f"{text} {new_seed()}")

    def _ask_open(self, actor: Actor, seed: str) -> Entry:
        seat = self._own_seat(actor)
        chair = self.chairs[seat]
        if not self.started or self.phase != "waiting":
            raise ServiceRefusal("not_started")
        known = is_seed(seed) and seat_commitment(self.table, seat, seed) == chair.commit
        if chair.seed or not known:
            raise ServiceRefusal("bad_seed")
        return Entry(seat, f"open {seed}")

    def _ask_leave(self, actor: Actor, word: str) -> Entry:
        seat = actor.seat
        if seat is None or seat >= len(self.chairs) or self.chairs[seat].guest != actor.guest:
            raise ServiceRefusal("not_your_seat")
        if self.phase != "playing" and not (self.phase == "waiting" and self.started):
            raise ServiceRefusal("not_playing")
        if (word == "return") != bool(self.chairs[seat].bot):
            raise ServiceRefusal("not_a_person" if word == "return" else "bot_plays")
        return Entry(seat, word)

    def _own_seat(self, actor: Actor) -> int:
        seat = actor.seat
        if seat is None or seat >= len(self.chairs) or self.chairs[seat].guest != actor.guest:
            raise ServiceRefusal("not_your_seat")
        if self.chairs[seat].bot:
            raise ServiceRefusal("bot_plays")
        return seat

    def _seat(self, text: str) -> int:
        if text not in map(str, range(len(self.chairs))):
            raise IllegalMove("no_seat", NO_SEAT)
        return int(text)

    def _other_person(self, actor: Actor, text: str) -> int:
        seat = self._seat(text)
        if self.phase != "playing":
            raise ServiceRefusal("not_playing")
        if seat == actor.seat or not self.chairs[seat].acts:
            raise ServiceRefusal("not_a_person")
        return seat

    def _check_spent(self, guest: str, word: str) -> None:
        """Refuse what could fill a log without end; who goes, or is sent away, always may."""
        endless = word in WITHOUT_END or word == "sit"
        too_long = word == "sit" and self.position >= EVENTS_PER_TABLE
        if too_long or (endless and self.spent[guest] >= CHANGES_PER_GUEST):
            raise ServiceRefusal("too_many_requests")

    def _check_close(self, actor: Actor) -> None:
        """Before the start the host may end a table; later whoever plays there alone."""
        if self.phase != "playing":
            self._check_host(actor)
        elif actor.seat is None or not self.alone:
            raise ServiceRefusal("not_waiting")

    def _check_host(self, actor: Actor) -> None:
        if actor.guest != self.host:
            raise ServiceRefusal("not_host")
        self._check_waiting()

    def _check_waiting(self) -> None:
        if self.phase != "waiting" or self.started:
            raise ServiceRefusal("abandoned" if self.phase == "abandoned" else "not_waiting")

    # ---- the fold ------------------------------------------------------------------------------

    def apply(self, event: Event, after: State | None = None) -> None:
        """Take the next entry of the log; `after` is the state it leads to, if that is known."""
        if event.position != self.position + 1:
            raise AssertionError("a log has no gaps")
        self.position = event.position
        if event.key:
            self.keys[event.key] = asked_for(event)
        if self.game is not None:
            self.seq += 1
        word, _, said = event.action.partition(" ")
        self._spend(word, event.seat)
        match word:
            case "create" | "settings" | "sit" | "bot" | "remove" | "start" | "open":
                self._arrange(word, event, said)
            case "leave" if not self.started:
                self.seed = said
                self._stand(event.seat)
            case "deal":
                self._deal(said)
            case "leave" | "return" | "vote":
                self._hand_over(word, event.seat, said)
            case "close" | "abandon":
                self.phase = "abandoned"
            case "next":
                self.next = said
            case _:
                self._move(event, after)

    def _spend(self, word: str, seat: int) -> None:
        """Count what could go on without end; to be there again, without a bot, is no change."""
        if word in WITHOUT_END and (word != "return" or self.chairs[seat].bot):
            self.spent[self._guest(seat)] += 1

    def _arrange(self, word: str, event: Event, said: str) -> None:
        """Settings and seats before the deal."""
        match word:
            case "create":
                create = msgspec.json.decode(said, type=Create)
                self.settings, self.host, self.seed = create.settings, create.host, create.seed
                self.code, self.created = create.code, event.at
                kept = (*create.reserved, *[""] * MOST_SEATS)
                self.chairs = [Chair(reserved=kept[i]) for i in range(create.settings.seats)]
            case "settings":
                change = msgspec.json.decode(said, type=Change)
                self.settings, self.seed = change.settings, change.seed
                blanks = [Chair() for _ in range(MOST_SEATS)]
                self.chairs = (self.chairs + blanks)[: change.settings.seats]
            case "sit":
                sit = msgspec.json.decode(said, type=Sit)
                self.seed = sit.seed
                self.spent[sit.guest] += 1
                sitting = self.chairs[event.seat].sitting + 1
                self.chairs[event.seat] = Chair(sit.guest, sitting=sitting, commit=sit.commit)
            case "bot":
                number, name, self.seed = said.split(" ")
                sitting = self.chairs[int(number)].sitting
                self.chairs[int(number)] = Chair(bot=name, sitting=sitting)
            case "remove":
                number, self.seed = said.split(" ")
                if int(number) != event.seat and self.chairs[int(number)].guest:
                    self.sent_away.add(self.chairs[int(number)].guest)
                self._stand(int(number))
            case "start":
                self.started = True
            case "open":
                self.chairs[event.seat] = replace(self.chairs[event.seat], seed=said)

    def _hand_over(self, word: str, seat: int, said: str) -> None:
        """A seat goes to a bot, or back to its person; or its person is there again."""
        votes, bot = frozenset[int](), STAND_IN if word == "leave" else ""
        if word == "vote":
            seat, votes = int(said), self.chairs[int(said)].votes | {seat}
        self.chairs[seat] = replace(self.chairs[seat], bot=bot, votes=votes)
        self._count_votes()

    def _stand(self, seat: int) -> None:
        """Empty a chair; the next person is host if the host left, and without one it is over."""
        left = self._guest(seat)
        if seat != TABLE:
            self.chairs[seat] = Chair(sitting=self.chairs[seat].sitting)
        people = [chair.guest for chair in self.chairs if chair.guest]
        if left and left == self.host:
            if people:
                self.host = people[0]
            else:
                self.phase = "abandoned"

    def _guest(self, seat: int) -> str:
        """The guest of a seat; of the table itself that is the host."""
        return self.host if seat == TABLE else self.chairs[seat].guest

    def _deal(self, fixed: str) -> None:
        """Deal what the seeds decide, a known deal, or in a test the deck that it has fixed."""
        if self.settings.practice is not None:
            record = read_practice(self.settings.practice, self.edition)
            self.game = replay(record.setup, record.played)
        else:
            seeds = [chair.seed for chair in self.chairs]
            key = deal_key(self.table, self.rules, self.seed, seeds)
            setup = fair_setup(key, self.edition, self.rules)
            if fixed:
                order = msgspec.json.decode(fixed, type=Order)
                setup = replace(setup, deck=order.deck, refill=order.refill)
            self.game = deal(setup)
        self.opening = self.game
        self.phase = "playing"
        self.seq = 1

    def _count_votes(self) -> None:
        """Hand a silent seat to a bot when all other people want it; then these are fewer."""
        for seat, chair in enumerate(self.chairs):
            others = {i for i, other in enumerate(self.chairs) if other.acts and i != seat}
            if chair.acts and chair.votes and others <= chair.votes:
                self.chairs[seat] = replace(chair, bot=STAND_IN)
                self._count_votes()
                break

    def _move(self, event: Event, after: State | None) -> None:
        before = self.game
        if before is None:
            raise AssertionError("a move comes after the deal")
        self.game = after or step(before, event.seat, read_move(event.action))
        if self.game.round != before.round:
            self.opening = self.game
        if self.game.round > LAST_ROUND:
            self.phase = "finished"
        if self.chairs[event.seat].votes:
            self.chairs[event.seat] = replace(self.chairs[event.seat], votes=frozenset())


def asked_for(event: Event) -> str:
    """What was asked for when an event was stored under its key."""
    word, _, said = event.action.partition(" ")
    if word in SEEDED:
        return event.action.rpartition(" ")[0] if said else event.action
    return event.action if event.by == event.seat else f"help {event.seat}"


def read_move(text: str) -> Move:
    """The move in a text; refused with a code like every other mistake."""
    try:
        return parse_move(text)
    except Refusal:
        raise ServiceRefusal("not_an_action") from None


def _words(text: str) -> tuple[str, str]:
    """The first word of an action and what follows; refused if nothing should."""
    word, _, rest = text.partition(" ")
    if word in ALONE and text != word:
        raise ServiceRefusal("not_an_action")
    return word, rest
