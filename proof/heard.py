"""What was heard in twin worlds, and the comparison of the two, byte for byte."""

import asyncio
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from proof.lines import content, first_difference
from proof.needles import Needles
from proof.scanner import Scanner
from proof.sides import Side
from proof.twins import Pair, Viewer
from sideboards.core.edition import Edition
from sideboards.core.fair import deal_key
from sideboards.service.log import Event
from sideboards.service.tables import read_log

FAILURES = Path(__file__).parents[1] / "proof-failures"
ENOUGH = 0.95
"""The share of pairs that must really differ, and be seen to differ by somebody."""
MOST_DISTURBED = 0.2
SHOWN = 40
"""Bytes around a difference that are told."""
MOST_FAULTS = 40
METRICS_TRIES, FEW_TRIES, METRICS_AGAIN = 200, 10, 0.02
"""How often figures are asked for while sockets are closing, and otherwise; the seconds between."""
Channel = tuple[str, Viewer]


@dataclass(slots=True)
class Heard:
    """What everybody got at one table in one world."""

    table: str = ""
    before: dict[Channel, bytes] = field(default_factory=dict)
    """Until the time, by channel and viewer."""
    after: dict[Channel, bytes] = field(default_factory=dict)
    frames: dict[Viewer, list[bytes]] = field(default_factory=dict)
    failed: str = ""

    def add(self, channel: str, viewer: Viewer, data: bytes) -> None:
        """Keep what came before the time."""
        self.before[channel, viewer] = self.before.get((channel, viewer), b"") + data


@dataclass(slots=True)
class Tally:
    """What was found in all pairs."""

    seed: int
    keep: bool
    """Whether a pair that differs is kept in a file."""
    done: int = 0
    differ: int = 0
    seen: int = 0
    shared: int = 0
    """Those with PostgreSQL."""
    disturbed: int = 0
    counted_otherwise: bool = False
    """Whether figures of the two worlds have differed."""
    scanned: int = 0
    searched: int = 0
    faults: list[str] = field(default_factory=list)
    compared: Counter[str] = field(default_factory=Counter)
    """Bytes, by channel."""
    pairs: Counter[str] = field(default_factory=Counter)
    """By channel, those in which it was compared."""
    kinds: Counter[str] = field(default_factory=Counter)
    heard: list[tuple[Pair, Heard]] = field(default_factory=list)

    @property
    def is_enough(self) -> bool:
        """Whether so much has gone wrong that more would tell nothing new."""
        return len(self.faults) >= MOST_FAULTS

    def take(self, pair: Pair, one: Heard | None, other: Heard | None) -> None:
        """Compare the two worlds of a pair."""
        if one is None or other is None:
            self.disturbed += 1
            return
        self.done += 1
        self.kinds[pair.kind] += 1
        for world in (one, other):
            if world.failed:
                self.faults.append(f"{self._name(pair)}: {world.failed}")
                return
        if one.table != other.table:
            self.faults.append(f"{self._name(pair)}: found two ids of one table")
        self.differ += pair.differ
        blind = [each for each in one.before if each[1] in pair.blind]
        for channel, viewer in blind:
            self._compare(pair, channel, viewer, one, other)
        self.pairs.update({channel for channel, _ in blind})
        self.seen += one.before != other.before or one.after != other.after
        for viewer, frames in one.frames.items():
            self.scanned += len(frames)
            hear = Scanner(viewer).hear
            for fault in dict.fromkeys(fault for frame in frames for fault in hear(frame)):
                self.faults.append(f"{self._name(pair)}: {_called(viewer)} was told: {fault}")
        self.heard.append((pair, one))

    def _compare(self, pair: Pair, channel: str, viewer: Viewer, one: Heard, other: Heard) -> None:
        mine, yours = one.before[channel, viewer], other.before.get((channel, viewer), b"")
        self.compared[channel] += len(mine)
        if mine == yours:
            return
        place = first_difference(mine, yours)
        near = slice(max(0, place - SHOWN), place + SHOWN)
        fault = (
            f"{self._name(pair)}: {channel} of {_called(viewer)} differs at byte {place} of "
            f"{len(mine)} and {len(yours)}: {mine[near]!r} and {yours[near]!r}"
        )
        self.faults.append(fault + self._kept(pair, channel, mine, yours))

    def _kept(self, pair: Pair, channel: str, mine: bytes, yours: bytes) -> str:
        """The file in which a difference can be read as a whole."""
        if not self.keep:
            return ""
        FAILURES.mkdir(exist_ok=True)
        file = FAILURES / f"worlds-{self.seed}-{pair.number}-{channel}.json"
        text = [each.decode("latin-1") for each in (mine, yours)]
        file.write_text(json.dumps({"pair": pair.number, "seed": self.seed, "heard": text}))
        return f" (see {file.parent.name}/{file.name})"

    def _name(self, pair: Pair) -> str:
        return f"pair {pair.number} of seed {self.seed} ({pair.kind})"

    async def compare_metrics(self, sides: Sequence[Side], pairs: int = 0) -> None:
        """Figures that count what happened are equal in both worlds, once all sockets are gone.

        `pairs` of them have come to their time just now.
        """
        if self.disturbed or self.counted_otherwise:  # what differs once differs for ever
            return
        for tries in range(METRICS_TRIES):
            mine, yours = [_counts(await side.metrics()) for side in sides]
            different = set(mine) ^ set(yours)
            closing = any(line.startswith(b"sideboards_sockets") for line in different)
            if not different or (tries > FEW_TRIES and not closing):
                break
            await asyncio.sleep(METRICS_AGAIN)
        if different:
            self.counted_otherwise = True
            self.faults.append(f"metrics differ: {sorted(different)[:4]}")
        self.compared["metrics"] += sum(map(len, mine))
        self.pairs["metrics"] += pairs

    def search(self, logs: dict[str, list[Event]], edition: Edition) -> None:
        """Look for seeds and keys in all that anybody got before the time."""
        for pair, heard in self.heard:
            room = read_log(heard.table, logs[heard.table], edition)
            seeds = [chair.seed for chair in room.chairs]
            key = deal_key(room.table, room.rules, room.seed, seeds)
            dealer = {"the server's seed": bytes.fromhex(room.seed), "the deal key": key}
            for (channel, viewer), data in heard.before.items():
                secrets = dealer | {
                    f"the seed of seat {seat}": bytes.fromhex(seed)
                    for seat, seed in enumerate(seeds)
                    if seed and seat != viewer
                }
                self.searched += len(data)
                for hit in Needles(secrets).hits(data):
                    where = f"{channel} of {_called(viewer)}"
                    self.faults.append(f"{self._name(pair)}: {where} holds {hit}")
        self.heard.clear()

    def judge(self) -> None:
        """Too few pairs that really differ, or too many disturbed ones, are faults too."""
        for name, count in (("differ", self.differ), ("were seen to differ", self.seen)):
            if count < ENOUGH * self.done:
                self.faults.append(f"found {count} of {self.done} pairs that {name}; expected 95 %")
        if self.disturbed > MOST_DISTURBED * (self.done + self.disturbed):
            self.faults.append(f"found {self.disturbed} pairs disturbed by a busy machine")

    def figures(self) -> dict[str, float]:
        """What was counted."""
        found: dict[str, float] = {
            "pairs": self.done,
            "pairs that differ": self.differ,
            "pairs seen to differ": self.seen,
            "pairs with PostgreSQL": self.shared,
            "pairs disturbed": self.disturbed,
            "frames scanned": self.scanned,
            "bytes searched for seeds": self.searched,
            "bytes compared": self.compared.total(),
        }
        found |= {f"bytes of {channel}": size for channel, size in self.compared.items()}
        found |= {f"pairs over {channel}": count for channel, count in self.pairs.items()}
        return found | {f"pairs {kind}": count for kind, count in self.kinds.items()}


def _called(viewer: Viewer) -> str:
    return "a spectator" if viewer is None else f"seat {viewer}"


def _counts(page: bytes) -> list[bytes]:
    """The lines of metrics that count; side by side, either of two may be there first."""
    return sorted(
        line
        for line in content(page).splitlines()
        if line.startswith(b"sideboards_") and b"_seconds" not in line
    )
