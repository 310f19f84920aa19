"""A soak: all goals in turn, a chunk at a time, for hours; it can be stopped and goes on later.

Every chunk runs in a process of its own, so that one that hangs or dies costs no result. What was
found is kept after every chunk, and the page is written anew.
"""

import contextlib
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import SystemRandom

import psutil

from proof.goals import Goal
from proof.ledger import Ledger, load, save
from proof.outcome import Outcome
from proof.report import write_report

CHUNK_LIMIT = 1800.0
"""Seconds after which a chunk counts as hung."""
GOODBYE = 4.0
"""Seconds in which a chunk that was stopped may end its servers itself."""
LOOK_EVERY = 0.2
TOLD = 2000
"""Characters of a chunk's last words that are kept."""


def seed_of(seed: int, goal: Goal, chunk: int) -> int:
    """The seed of a chunk: the same for the same soak, different for every chunk."""
    text = f"{seed} {goal.name} {chunk}".encode()
    return int.from_bytes(hashlib.sha256(text).digest()[:4], "big")


@dataclass
class Soak:
    """The goals, how long, and where everything is kept."""

    goals: Sequence[Goal]
    folder: Path
    report: Path
    seconds: float
    source: str
    """`module:name` of the list of goals, for the processes that run the chunks."""
    seed: int | None = None
    chunks: int | None = None
    """So many at most in this run."""
    ledger: Ledger = field(init=False)
    stopped: bool = False

    def __post_init__(self) -> None:
        """Take up what former runs have kept."""
        self.folder.mkdir(parents=True, exist_ok=True)
        fresh = SystemRandom().randrange(10**6) if self.seed is None else self.seed
        self.ledger = load(self._state) or Ledger(fresh)
        self.ledger.runs += 1

    @property
    def _state(self) -> Path:
        return self.folder / "state.json"

    def stop(self) -> None:
        """End as soon as the present chunk has let go of its servers."""
        self.stopped = True

    def run(self) -> int:
        """Run until time is up or all is reached; the exit code."""
        begin = time.monotonic()
        self._keep()
        run = 0
        while not self.stopped and time.monotonic() - begin < self.seconds and run != self.chunks:
            left = [goal for goal in self.goals if self.ledger.of(goal).done < goal.target]
            if not left:
                break
            # In rotation: the goal that was begun least often is next, in the order of the list.
            goal = min(left, key=lambda each: self.ledger.of(each).begun)
            self._chunk(goal, self.seconds - (time.monotonic() - begin))
            run += 1
        self._keep()
        return 1 if self.ledger.faults else 0

    def _chunk(self, goal: Goal, time_left: float) -> None:
        entry = self.ledger.of(goal)
        seed = seed_of(self.ledger.seed, goal, entry.begun)
        entry.begun += 1
        count = min(goal.chunk, goal.target - entry.done)
        self._tell(goal, count, seed, time_left)
        save(self.ledger, self._state)
        begin = time.monotonic()
        outcome = self._outcome(goal, count, seed)
        took = time.monotonic() - begin
        self.ledger.seconds += took
        if outcome is not None:
            self.ledger.note(goal, outcome, goal.again(count, seed), took)
            whole = f"python -m proof soak --only {goal.name} --seed {self.ledger.seed}"
            self.ledger.judge(goal, whole)
            for fault in outcome.faults[:3]:
                print(f"  fault: {fault}", flush=True)
        self._keep()

    def _tell(self, goal: Goal, count: int, seed: int, time_left: float) -> None:
        entry = self.ledger.of(goal)
        share = entry.done / goal.target
        clock = time.strftime("%H:%M:%S")
        print(
            f"{clock}  {goal.name:4} {goal.title:24} {entry.done:>9,} of {goal.target:>9,} "
            f"{goal.unit} ({share:4.0%})  next {count:,}, seed {seed}; "
            f"{max(0.0, time_left) / 3600:.2f} h left, {self.ledger.faults} faults\n"
            f"  again: {goal.again(count, seed)}",
            flush=True,
        )

    def _keep(self) -> None:
        save(self.ledger, self._state)
        write_report(self.report, self.ledger, self.goals)

    def _outcome(self, goal: Goal, count: int, seed: int) -> Outcome | None:
        """What a chunk found; None if it was stopped before its end."""
        with tempfile.TemporaryDirectory(prefix="sideboards-soak-") as folder:
            result, words = Path(folder) / "outcome.json", Path(folder) / "words.txt"
            with words.open("wb") as said:
                process = subprocess.Popen(
                    [
                        sys.executable, "-m", "proof", "chunk", goal.name, "--goals", self.source,
                        "--count", str(count), "--seed", str(seed), "--folder", folder,
                        "--result", str(result),
                    ],
                    stdin=subprocess.DEVNULL, stdout=said, stderr=said, start_new_session=True,
                )  # fmt: skip
            hung = self._wait(process)
            if self.stopped and not result.exists():
                return None
            if hung:
                return Outcome(0, (f"the chunk did not end within {CHUNK_LIMIT:g} s",))
            if result.exists():
                found = json.loads(result.read_text())
                return Outcome(**found | {"faults": tuple(found["faults"])})
            last = words.read_text(errors="replace")[-TOLD:].strip().splitlines()[-1:]
            code = process.returncode
            return Outcome(0, (f"the chunk ended with {code}: {' '.join(last) or 'no word'}",))

    def _wait(self, process: subprocess.Popen[bytes]) -> bool:
        """Wait for a chunk, ending it when the soak is stopped; whether it hung."""
        end = time.monotonic() + CHUNK_LIMIT
        while process.poll() is None:
            if self.stopped or time.monotonic() > end:
                end_all(process)
                return not self.stopped
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(LOOK_EVERY)
        return False


def end_all(process: subprocess.Popen[bytes]) -> None:
    """End a chunk: first kindly, then with everything that it has started."""
    family = children(process.pid)
    process.send_signal(signal.SIGINT)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(GOODBYE)
    kill(family)
    process.kill()
    process.wait()


def children(pid: int) -> list[psutil.Process]:
    """All processes that a process has started, and theirs."""
    with contextlib.suppress(psutil.NoSuchProcess):
        return psutil.Process(pid).children(recursive=True)
    return []


def kill(family: list[psutil.Process]) -> None:
    """End processes at once."""
    for each in family:
        with contextlib.suppress(psutil.NoSuchProcess):
            each.kill()


def run_chunk(goal: Goal, count: int, seed: int, folder: Path, result: Path) -> None:
    """Run a chunk, in a process that ends with the soak that started it."""
    parent = os.getppid()
    threading.Thread(target=_end_with, args=(parent, folder), daemon=True).start()
    games = folder / "games"
    games.mkdir()
    try:
        outcome = goal.run(games, count, seed)
    finally:
        kill(children(os.getpid()))
        if os.getppid() != parent:
            shutil.rmtree(folder, ignore_errors=True)
    unfinished = result.with_suffix(".unfinished")
    unfinished.write_text(json.dumps(asdict(outcome)))
    unfinished.replace(result)


def _end_with(parent: int, folder: Path) -> None:
    """Interrupt this process when the soak was killed, so that its servers end too."""
    while os.getppid() == parent:
        time.sleep(1)
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(2 * GOODBYE)
    kill(children(os.getpid()))
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)
