"""The goals: what is asked of the service, how much of it, and which function tries it."""

import importlib
from collections.abc import Callable
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

    def run(self, folder: Path, count: int, seed: int, mutant: str = "") -> Outcome:
        """Try so many."""
        module, _, function = self.place.partition(":")
        run: Callable[..., Outcome] = getattr(importlib.import_module(module), function)
        # A goal without planted bugs of its own has no such argument.
        more: dict[str, Any] = {"mutant": mutant} if mutant else {}
        return run(folder, count, seed, **more)

    def again(self, count: int, seed: int) -> str:
        """The command that tries the same again."""
        return f"python -m proof {self.name} --count {count} --seed {seed}"


GOALS = (
    Goal(
        "G1", "load and latency",
        "1,000 games of 4 at 500 moves per second; p99 of a stored move at most 4 times that of a "
        "bare echo (short: 200 games, 100 per second, 6 times)",
        "A/B rounds", 5, 150, 5, "proof.crowds:full",
    ),
    Goal(
        "G3", "kill -9 of the server",
        "nothing acknowledged is lost, doubled, changed after it was seen, or forked",
        "kills", 15, 1_000, 20, "proof.kills:run",
    ),
    Goal(
        "G4", "power losses",
        "the file is synced before anybody hears of a move; whenever the power fails, with torn "
        "writes or without, nothing acknowledged is missing",
        "acknowledgements", 200, 10_000, 500, "proof.syncs:run",
    ),
    Goal(
        "G5", "kill -9 of PostgreSQL",
        "nothing is lost or doubled; moves flow again within 5 s",
        "kills", 3, 100, 3, "proof.database:run",
    ),
    Goal(
        "R41", "two servers, cut off",
        "servers that are cut from their database and from each other never fork a game",
        "cuts", 2, 1_000, 5, "proof.database:cuts",
    ),
    Goal(
        "G6", "cuts of the network",
        "every move is applied exactly once, whatever is cut, stalled or torn",
        "cuts", 100, 10_000, 200, "proof.cuts:run",
    ),
    Goal(
        "R16", "half-open connections",
        "whoever is cut off without a word notices it, and is back soon after",
        "connections", 4, 1_000, 20, "proof.cuts:half_open",
    ),
    Goal(
        "G7", "hostile input",
        "no crash, no unhandled exception, no leak; honest games beside it finish",
        "messages", 50_000, 1_000_000, 20_000, "proof.fuzz:run",
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
        "R27", "names that are code",
        "they stay text on every page, in all five languages",
        "names", 60, 600, 60, "proof.injection:run",
    ),
    Goal(
        "G8", "secrecy",
        "two worlds that differ in what a seat may not know give it the same bytes",
        "pairs of worlds", 500, 100_000, 500, "proof.worlds:run",
    ),
    Goal(
        "G9", "memory",
        "an idle socket has at most 32 KiB, a live game 48 KiB (short: 48 and 64), a finished one "
        "nothing after 60 s; connections that come and go leave nothing",
        "connections", 2_000, 100_000, 4_000, "proof.crowds:caps",
    ),
    Goal(
        "G10", "stops",
        "it ends within 5 s, and every move on its way is acknowledged or refused",
        "games under way", 50, 5_000, 50, "proof.stops:run",
    ),
    Goal(
        "R43", "upgrades",
        "games in every round go on after an upgrade, and after the way back",
        "games", 10, 1_000, 20, "proof.stops:upgrade",
    ),
    Goal(
        "G11", "backups",
        "a copy made under load is whole, and every game in it can be restored",
        "games", 1_000, 100_000, 2_000, "proof.backups:run",
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
        "R11", "repeats and races",
        "what is sent five times counts once; of two at once both count; no mixed outcomes",
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
