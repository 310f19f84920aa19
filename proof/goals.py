"""The goals: what is asked of the service, how much of it, and which function tries it."""

import importlib
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proof.outcome import Outcome


@dataclass(frozen=True, slots=True)
class Goal:
    """Something that is claimed, and how often it must hold."""

    name: str
    title: str
    asked: str
    """What must hold, in a sentence."""
    unit: str
    """What is counted."""
    gate: int
    """How many in the short form."""
    target: int
    """How many in a soak."""
    chunk: int
    """How many at a time."""
    place: str
    """`module:function`, imported only when it is used."""
    verdict: str = ""
    """The same for what judges samples, if there are some."""
    samples: int = 0
    """So many of each are judged together in a soak, once."""

    def run(self, folder: Path, count: int, seed: int, mutant: str = "") -> Outcome:
        """Try so many."""
        run = _found(self.place)
        # A goal without planted bugs of its own has no such argument.
        more: dict[str, Any] = {"mutant": mutant} if mutant else {}
        return run(folder, count, seed, **more)

    def judge(self, samples: Mapping[str, Sequence[float]]) -> Outcome:
        """What is to be said of samples."""
        return _found(self.verdict)(samples)

    def again(self, count: int, seed: int, mutant: str = "") -> str:
        """The command that tries the same again."""
        command = ["python", "-m", "proof", self.name, "--count", str(count), "--seed", str(seed)]
        return shlex.join([*command, "--mutant", mutant] if mutant else command)


def _found(place: str) -> Callable[..., Outcome]:
    module, _, name = place.partition(":")
    function: Callable[..., Outcome] = getattr(importlib.import_module(module), name)
    return function


GOALS = (
    Goal(
        "G1", "load",
        "1,000 games of 4 at 500 moves per second",
        "seconds", 30, 600, 120, "proof.crowds:load",
    ),
    Goal(
        "G1b", "many sockets",
        "10,000 sockets at 2,500 games are held in at most 600 MB, and some of them move",
        "sockets", 1_000, 10_000, 10_000, "proof.crowds:hold",
    ),
    Goal(
        "G2", "latency",
        "under that load p99 of a stored move is at most 4 times that of a bare echo, and all see "
        "the new round within 6 times that",
        "A/B rounds", 5, 150, 5, "proof.crowds:full",
    ),
    Goal(
        "G3", "kill -9 of the server",
        "nothing acknowledged is lost, doubled, changed after it was seen, or forked",
        "kills", 15, 1_000, 20, "proof.kills:run",
    ),
    Goal(
        "G3b", "starts",
        "after a kill it is ready within 2 s, with 1,000 live and 100,000 finished games",
        "starts", 2, 100, 10, "proof.starts:run",
    ),
    Goal(
        "G4", "power losses",
        "the file is synced before anybody hears of a move; whenever the power fails, with torn "
        "writes or without, nothing acknowledged is missing",
        "acknowledgements", 200, 10_000, 500, "proof.syncs:run",
    ),
    Goal(
        "R39", "full and failing disks",
        "nothing is acknowledged that is not stored; people are told, keep their connections, and "
        "moves flow within 5 s once there is space",
        "times", 3, 500, 5, "proof.disks:run",
    ),
    Goal(
        "G5", "kill -9 of PostgreSQL",
        "nothing is lost or doubled; moves flow again within 5 s",
        "kills", 3, 100, 3, "proof.database:run",
    ),
    Goal(
        "G5b", "pauses of PostgreSQL",
        "a database that stands still for 30 s loses and doubles nothing; whoever asks hears that "
        "it takes longer; moves flow again within 5 s",
        "pauses", 1, 20, 2, "proof.database:pauses",
    ),
    Goal(
        "R41", "two servers, cut off",
        "servers that are cut from their database and from each other, some for 10 s, never fork "
        "a game",
        "cuts", 2, 1_000, 5, "proof.database:long_cuts",
    ),
    Goal(
        "G6", "cuts of the network",
        "every move is applied exactly once, whatever is cut, stalled or torn, for up to a minute",
        "cuts", 100, 10_000, 200, "proof.cuts:soak",
    ),
    Goal(
        "G6b", "back after a kill",
        "4,000 people are back within 10 s after a restart, and none of them is refused",
        "kills", 1, 100, 5, "proof.returns:after_kills",
    ),
    Goal(
        "R16", "half-open connections",
        "whoever is cut off without a word notices it, and is back soon after",
        "connections", 4, 1_000, 20, "proof.cuts:half_open",
    ),
    Goal(
        "R15", "coming back at every version",
        "whoever comes back, however much was missed, sees what those see who stayed",
        "games", 1, 200, 10, "proof.absences:versions",
    ),
    Goal(
        "R19", "people who are gone",
        "every game goes on without up to all but one of its people; whoever comes back has the "
        "same seat and cards, and nobody else does",
        "games", 4, 700, 14, "proof.absences:run",
    ),
    Goal(
        "G7", "hostile input",
        "no crash, no unhandled exception, no leak; honest games beside it finish; a stream of "
        "bytes for every ten messages",
        "messages", 50_000, 1_000_000, 500_000, "proof.fuzz:run",
    ),
    Goal(
        "R23", "strangers",
        "foreign origins, foreign seats, forged facts, floods and giants have no effect",
        "tries", 100, 10_000, 40, "proof.strangers:run",
    ),
    Goal(
        "R32", "many connections",
        "up to 5,000 connections per second with half a request each: no move is lost, refused or "
        "late; how much longer moves take is told beside that in quiet",
        "connections", 5_000, 1_000_000, 100_000, "proof.knocks:run",
    ),
    Goal(
        "R35", "guesses",
        "of a million links and codes none is found, and of 10,000 tables 20 are opened",
        "guesses", 2_500, 1_000_000, 50_000, "proof.guesses:run",
    ),
    Goal(
        "R27", "names that are code",
        "they stay text on every page, in all five languages",
        "names", 60, 600, 60, "proof.injection:run",
    ),
    Goal(
        "G8", "secrecy",
        "two worlds that differ in what a seat may not know give it the same bytes",
        "pairs of worlds", 500, 100_000, 500, "proof.worlds:run", "proof.turns:verdict", 2_000,
    ),
    Goal(
        "L1", "lively people",
        "people who swap, change their mind, come and go are never told a card too early, whatever "
        "they do, and are never refused what is allowed",
        "moves", 200, 200_000, 2_000, "proof.loads:run",
    ),
    Goal(
        "G9", "memory",
        "an idle socket has at most 32 KiB, a live game 48 KiB (short: 48 and 64), a finished one "
        "nothing after 60 s; connections that come and go leave at most 2 %",
        "connections", 2_000, 100_000, 100_000, "proof.crowds:caps",
    ),
    Goal(
        "G10", "stops",
        "it ends within 5 s, and every move on its way is acknowledged or refused",
        "games under way", 50, 5_000, 50, "proof.stops:run",
    ),
    Goal(
        "G10b", "rolling restarts",
        "with 1,000 games on two servers, restarted in turn, nothing is lost, nobody is refused, "
        "all are back within 10 s, and 99 of 100 people wait at most 3 s",
        "restarts", 2, 200, 4, "proof.returns:rolling",
    ),
    Goal(
        "G10c", "restart of one server",
        "with 1,000 games nothing is lost, nobody is refused, and all are back within 10 s after "
        "the start; how long people wait is told",
        "stops", 1, 100, 5, "proof.returns:after_stops",
    ),
    Goal(
        "R43", "upgrades",
        "games in every round go on after an upgrade, and after the way back",
        "games", 10, 1_000, 20, "proof.stops:upgrade",
    ),
    Goal(
        "R42", "jumps of the calendar",
        "an hour or a day forward or back, or another time zone: nobody runs out of time by it",
        "timed seats", 20, 2_000, 100, "proof.clocks:jumps",
    ),
    Goal(
        "R44", "time without a server",
        "a minute without a server: nobody runs out of time by it, and everybody gets 20 s more",
        "timed seats", 80, 10_000, 1_000, "proof.clocks:downtime",
    ),
    Goal(
        "G11", "backups",
        "a copy made under load is whole, and every game in it can be restored",
        "games", 1_000, 100_000, 10_000, "proof.backups:run",
    ),
    Goal(
        "G11b", "restores",
        "100,000 games are restored within a minute",
        "games", 1_000, 100_000, 100_000, "proof.backups:large",
    ),
    Goal(
        "G11c", "moves beside a backup",
        "with 1,000 games and 500 moves per second p99 is at most twice as long while one is made",
        "A/B rounds", 1, 100, 5, "proof.archives:run",
    ),
    Goal(
        "G12", "replays",
        "both engines give the same result, 60 cards are conserved, a record is read back as it "
        "was written",
        "games", 1_000, 1_000_000, 10_000, "proof.games:run",
    ),
    Goal(
        "G13", "order of arrival",
        "who clicks first changes nobody's cards",
        "games in an order", 2_000, 200_000, 100, "proof.arrivals:orders",
    ),
    Goal(
        "R11", "repeats",
        "what is sent up to five times, over sockets and as requests, counts once",
        "messages", 200, 100_000, 5_000, "proof.arrivals:repeats",
    ),
    Goal(
        "R12", "races",
        "of two at once both count; no mixed outcomes",
        "races", 40, 1_000, 40, "proof.arrivals:run",
    ),
    Goal(
        "F1", "fair deals",
        "what was promised before the deal is what was dealt, played and published",
        "games", 20, 10_000, 200, "proof.deals:run",
    ),
    Goal(
        "F2", "unbiased decks",
        "every card comes to every place equally often, and no deck comes twice",
        "decks", 6_000, 1_000_000, 100_000, "proof.decks:run",
    ),
)  # fmt: skip
"""All of them, in the order in which a soak takes them in turn."""
