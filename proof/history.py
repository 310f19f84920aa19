"""A history: what every client sent and heard, beside what is stored; and what is wrong with it.

The checker knows no rules of the game and nothing of the service: a sealed choice stands until it
is taken back or the round closes, a round closes with the last choice, and whatever somebody was
told stays true. An operation without an answer is in doubt: it may be stored or not, but not twice.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

Kind = Literal["lost", "duplicated", "changed after seen", "forked", "leaked"]
FAILURES = Path(__file__).parents[1] / "proof-failures"
"""Where histories with faults are kept."""
LATER = ("busy", "cannot_save", "stopping")
"""Refusals that say nothing of the action itself: the same request may be sent again."""
MOST = 12
"""The most faults of one kind that are told; more of them say nothing new."""


class Answer(msgspec.Struct, frozen=True):
    """What a client heard of an operation."""

    at: float
    type: Literal["ack", "refused"]
    seq: int | None = None
    code: str = ""


class Operation(msgspec.Struct):
    """An action that a client asked for, perhaps several times, under one key."""

    table: str
    seat: int
    key: str
    action: str
    sent: list[float] = []
    """When, in seconds; each time with the same key."""
    answers: list[Answer] = []

    @property
    def acknowledged(self) -> bool:
        """Whether the client was told that it is stored."""
        return any(answer.type == "ack" for answer in self.answers)

    @property
    def in_doubt(self) -> bool:
        """Whether the client was told nothing."""
        return not self.answers

    def __str__(self) -> str:
        return f"{self.action} of seat {self.seat} under {self.key} at table {self.table}"


class Heard(msgspec.Struct, frozen=True):
    """What one client then knew, after a view, a public part, an acknowledgement or a refusal."""

    at: float
    table: str
    seat: int | None
    """None is a spectator."""
    seq: int
    round: int
    hash: str
    """Of the whole view, made by the client from what it knows."""
    public: str
    """The hash of the public part."""
    sealed: tuple[bool, ...]
    boards: tuple[str, ...]
    choice: str | None = None
    server: int = 0
    """Which server told it."""

    @property
    def client(self) -> str:
        """Who heard it."""
        who = "a spectator" if self.seat is None else f"seat {self.seat}"
        return f"{who} at table {self.table}"


class Stored(msgspec.Struct, frozen=True):
    """An event of the log. Keys begin with the seat that asked."""

    position: int
    seat: int
    action: str
    key: str = ""


class History(msgspec.Struct):
    """All that was sent, heard and stored in a run."""

    operations: list[Operation] = []
    heard: list[Heard] = []
    """In the order of hearing."""
    logs: dict[str, list[Stored]] = {}
    """What the database holds at the end, by table."""
    leaks: list[str] = []
    """What a scanner of frames has found, in sentences."""
    expected: list[Kind] = []
    """The kinds of fault in it, for a history that is kept as an example."""
    beside: list[str] = []
    """What else was found wrong in the run, in sentences; the history itself need not show it."""

    def save(self, path: Path) -> None:
        """Write it as JSON."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(msgspec.json.format(msgspec.json.encode(self), indent=1))

    @classmethod
    def load(cls, path: Path) -> "History":
        """The history in a file."""
        return msgspec.json.decode(path.read_bytes(), type=cls)


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that should not have happened."""

    kind: Kind
    sentence: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.sentence}"


def faults(history: History) -> list[Fault]:
    """All that is wrong with a history."""
    found = [
        *_log_faults(history),
        *_operation_faults(history),
        *_heard_faults(history),
        *_truth_faults(history),
        *(Fault("leaked", leak) for leak in history.leaks),
    ]
    return list(dict.fromkeys(found))


def judge(
    history: History, name: str, *, keep: bool, others: Iterable[str] = ()
) -> tuple[str, ...]:
    """The faults of a history as sentences, and behind them the others of its run.

    If there are any it may be kept, which is told. What is kept names its kinds of fault, and so
    is an example for `tests/proof/histories` as it is.
    """
    found, beside = faults(history), list(others)
    told = Counter[str]()
    sentences = []
    for fault in found:
        told[fault.kind] += 1
        if told[fault.kind] <= MOST:
            sentences.append(str(fault))
    sentences += beside
    if sentences and keep:
        history.expected, history.beside = list(dict.fromkeys(f.kind for f in found)), beside
        history.save(FAILURES / f"{name}.json")
        sentences.append(f"the history is in {FAILURES.name}/{name}.json")
    return tuple(sentences)


# ---- what is stored ---------------------------------------------------------------------------


def _log_faults(history: History) -> Iterator[Fault]:
    """Positions with gaps or doubles, keys that are stored twice, and what nobody asked for."""
    asked = Counter((o.table, f"{o.seat}.{o.key}") for o in history.operations)
    people = {(o.table, o.seat) for o in history.operations}
    for table, log in history.logs.items():
        positions = [event.position for event in log]
        if positions != list(range(len(log))):
            wrong = next(n for n, at in enumerate(positions) if at != n)
            yield Fault("forked", f"table {table} has position {positions[wrong]} in place {wrong}")
        for key, times in Counter(event.key for event in log if event.key).items():
            if times > 1:
                yield Fault("duplicated", f"key {key} is stored {times} times at table {table}")
        for event in _since_deal(log):
            ours = (table, event.seat) in people and is_move(event.action)
            if ours and (table, event.key) not in asked:
                what = f"{event.action} of seat {event.seat} at table {table}"
                yield Fault("duplicated", f"{what} is stored once more than anybody asked for it")


def _operation_faults(history: History) -> Iterator[Fault]:
    """Acknowledged, but not stored; refused, but stored; told one thing, then another."""
    stored = {(table, e.key): e for table, log in history.logs.items() for e in log if e.key}
    for operation in history.operations:
        event = stored.get((operation.table, f"{operation.seat}.{operation.key}"))
        types = [a.type for a in operation.answers if a.code not in LATER]
        if operation.acknowledged and event is None:
            yield Fault("lost", f"{operation} was acknowledged and is not stored")
        elif event is not None and (event.seat, event.action) != (operation.seat, operation.action):
            what = f"stored as {event.action} of seat {event.seat}"
            yield Fault("changed after seen", f"{operation} is {what}")
        elif (
            event is not None
            and not operation.acknowledged
            and len(operation.sent) == 1
            and operation.answers
        ):
            yield Fault("changed after seen", f"{operation} was refused and is stored")
        if "ack" in types and "refused" in types[types.index("ack") :]:
            yield Fault("changed after seen", f"{operation} was acknowledged, later refused")


# ---- what was heard ---------------------------------------------------------------------------


def _heard_faults(history: History) -> Iterator[Fault]:
    """What one client was told differs from what it, or another, was told before."""
    latest: dict[str, int] = {}
    facts: dict[tuple[object, ...], tuple[object, str]] = {}
    for heard in history.heard:
        me = heard.client
        if heard.seq < latest.get(me, 0):
            yield Fault("changed after seen", f"{me} heard {latest[me]} events, then {heard.seq}")
        latest[me] = heard.seq
        for what, about, said in (
            ("the boards of round", (heard.table, heard.round), heard.boards),
            ("the public part after event", (heard.table, heard.seq), heard.public),
            ("the view after event", (me, heard.seq), heard.hash),
        ):
            first, by = facts.setdefault((what, *about), (said, me))
            if first != said and by == me:
                yield Fault("changed after seen", f"{me} heard {what} {about[1]} in two ways")
            elif first != said:
                yield Fault("forked", f"{by} and {me} heard {what} {about[1]} in two ways")


@dataclass(frozen=True, slots=True)
class Truth:
    """What the log says after an event: the round, and what every seat has sealed."""

    round: int
    choices: tuple[str | None, ...]


def truths(log: list[Stored], seats: int) -> list[Truth]:
    """What was so after the deal, and after each event behind it."""
    now, choices = 0, [None] * seats
    choice: list[str | None] = [*choices]
    found = [Truth(now, tuple(choice))]
    for event in _since_deal(log):
        if event.action == "undo":
            choice[event.seat] = None
        elif is_move(event.action) and event.action != "swap":
            choice[event.seat] = event.action
        if None not in choice:
            now, choice = now + 1, [*choices]
        found.append(Truth(now, tuple(choice)))
    return found


def _truth_faults(history: History) -> Iterator[Fault]:
    """What a client was told is not what the log says."""
    known: dict[str, list[Truth]] = {}
    for heard in history.heard:
        if heard.table not in history.logs:
            continue
        if heard.table not in known:
            known[heard.table] = truths(history.logs[heard.table], len(heard.sealed))
        log, me = known[heard.table], heard.client
        if heard.seq > len(log):
            yield Fault(
                "changed after seen", f"{me} heard {heard.seq} events; {len(log)} are stored"
            )
            continue
        truth = log[heard.seq - 1]
        sealed = tuple(choice is not None for choice in truth.choices)
        if (heard.round, heard.sealed) != (truth.round, sealed):
            yield Fault(
                "changed after seen",
                f"{me} heard after event {heard.seq} who has chosen in round {heard.round}; "
                "stored is something else",
            )
        elif heard.seat is not None and heard.choice != truth.choices[heard.seat]:
            yield Fault(
                "changed after seen",
                f"{me} heard after event {heard.seq} that it has chosen {heard.choice}; "
                f"stored is {truth.choices[heard.seat]}",
            )


def _since_deal(log: list[Stored]) -> list[Stored]:
    dealt = next((n for n, event in enumerate(log) if event.action == "deal"), len(log))
    return log[dealt + 1 :]


def is_move(action: str) -> bool:
    """Whether an action is about cards: one word, with a card's number, `swap` or `undo`."""
    return action in ("swap", "undo") or (" " not in action and any(map(str.isdigit, action)))
