"""Thinking: bots choose, options are weighed and games are reviewed, all in other processes.

The effort is always a fixed number of samples. Only the watchdog looks at the clock: a bot that
does not answer in time, dies or answers illegally is replaced for that move by a weaker one, and
there is always a move. numpy and numba are never imported here.
"""

import asyncio
import hashlib
import logging
import os
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from sideboards.core.edition import Edition, parse_edition
from sideboards.core.game import Move, choices
from sideboards.core.notation import parse_record
from sideboards.core.refusal import Refusal, quoted
from sideboards.core.view import View
from sideboards.data import load_edition
from sideboards.fast import check_compiler
from sideboards.minds.bots import BOTS
from sideboards.service.pool import Pool
from sideboards.service.thoughts import (
    Kind,
    Progress,
    Reply,
    Result,
    Think,
    Thought,
    Weigh,
    Weights,
    Work,
    seen,
)
from sideboards.service.worker import PROGRAM, Broken, Hung, Worker
from sideboards.words import words

logger = logging.getLogger("sideboards.thinking")

LADDER = tuple(BOTS)
HERE = ("random", "easy", "greedy")
"""The bots that need no numpy: when all else fails, the server asks one of them itself."""
TRIES = (0.6, 0.8)
"""The parts of the watchdog's time until which the bot, then a weaker one, may answer."""
MOST_PROCESSES = 4
MOST_QUEUED = 20
MOST_KEPT = 100
COMPILED = ("master", "coach", "par", "advice")
"""What needs kernels."""


class Busy(Refusal):
    """Too many jobs wait already."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A bot's move."""

    move: Move
    bot: str
    """Who really chose it."""
    replaced: bool
    """Whether a weaker bot had to stand in because the other one failed."""
    sitting_in: bool
    """Whether `hard` sat in for `master`, whose kernels are not ready yet."""


@dataclass(eq=False, slots=True)
class Job:
    """A review, or the par of a deal, in the making."""

    kind: Kind
    progress: float = 0.0
    """0 to 1; never falls."""
    result: dict[str, object] | None = None
    failed: str | None = None
    """Why there will be no result: one sentence."""

    @property
    def done(self) -> bool:
        """Whether nothing more will happen."""
        return self.result is not None or self.failed is not None


class Thinkers:
    """All thinking of one server.

    `file` holds the bytes of the edition's file when it is not the shipped edition. Without
    `processes` there is one for each core, but at most four: the server itself takes one core
    at most, and gets it first, because thinking processes run at a lower priority.
    """

    def __init__(
        self,
        edition: Edition,
        *,
        file: bytes | None = None,
        processes: int | None = None,
        watchdog: float = 5.0,
        patience: float = 60.0,
        program: Sequence[str] = PROGRAM,
    ) -> None:
        if edition != (load_edition() if file is None else parse_edition(file)):
            raise Refusal(f"edition: found {quoted(edition.name)}; expected it with its own file")
        count = min(MOST_PROCESSES, os.cpu_count() or 1) if processes is None else processes
        self.edition = edition
        self.watchdog = watchdog
        self.patience = patience
        """Seconds without progress after which a job counts as hung."""
        self._missing = _missing()
        self._pool = Pool(count, program, file, warming=not self._missing)
        self._jobs: dict[tuple[Kind, bytes, str], Job] = {}
        self._working: set[asyncio.Task[None]] = set()
        # One process is left to the bots, if there are two.
        self._turns = asyncio.Semaphore(max(1, count - 1))

    async def start(self) -> None:
        """Begin; processes start in the background, and who asks early waits a moment."""
        self._pool.start()

    async def stop(self) -> None:
        """End all processes. Jobs fail; bots that are asked get an answer all the same."""
        for task in self._working:
            task.cancel()
        await asyncio.gather(*self._working, return_exceptions=True)
        await self._pool.stop()

    @property
    def warm(self) -> bool:
        """Whether compiled kernels are at hand: master plays, options are weighed, jobs run."""
        return self._pool.warm

    def offered(self) -> tuple[str, ...]:
        """The bots that can play here, weakest first."""
        return tuple(name for name in LADDER if self.refusal(name) is None)

    def refusal(self, what: str) -> str | None:
        """Why a bot, `coach`, `par` or `advice` is not offered; None if it is."""
        if what in COMPILED and self._missing:
            return self._missing.format(who=what)
        if what in COMPILED and not self._pool.warming:
            return f"{what}: the kernels cannot be made ready; expected a numba that works here"
        # The coach and advice go by the same values as the master.
        return self._pool.refused.get("master" if what in ("coach", "advice") else what)

    async def choose(self, name: str, view: View, seed: bytes) -> Chosen:
        """The move of a bot with `Random(seed)`, always legal, always before the watchdog barks.

        Only what is in the view counts, and it is all that the other process gets.
        """
        if name not in LADDER:
            raise Refusal(f"bot: found {quoted(name)}; expected {', '.join(self.offered())}")
        what = seen(view)
        replaced = self.refusal(name) is not None  # it was seated by a server that offers it
        sitting_in = name == "master" and not replaced and not self._pool.warm
        asked: str | None = "hard" if sitting_in else self._weaker(name) if replaced else name
        start = asyncio.get_running_loop().time()
        for share in TRIES:
            if asked is None or self._pool.down:
                break
            left = start + share * self.watchdog - asyncio.get_running_loop().time()
            try:
                move = await self._think(Think(asked, what, seed), view, left)
            except Broken as broken:
                logger.warning("bot %s replaced: its process %s", asked, broken)
                replaced, asked = True, self._weaker(asked)
            else:
                return Chosen(move, asked, replaced, sitting_in)
        return _here(asked or HERE[0], view, seed, sitting_in=sitting_in)

    async def _think(self, request: Think, view: View, wait: float) -> Move:
        """The move from another process; raises Broken."""
        moves = {str(move): move for move in _legal(view)}

        def read(reply: Reply) -> Move:
            if isinstance(reply, Thought) and reply.move in moves:
                return moves[reply.move]
            raise Broken("gave an answer that makes no sense")

        move, _ = await self._pool.ask(
            request,
            urgency="bot",
            warm=request.bot == "master",
            limit=TRIES[0] * self.watchdog,
            wait=max(0.0, wait),
            read=read,
        )
        return move

    def _weaker(self, name: str) -> str | None:
        """The next weaker bot that is offered; None below the weakest."""
        below = LADDER[: LADDER.index(name)]
        return next((each for each in reversed(below) if self.refusal(each) is None), None)

    async def weigh(self, view: View, seed: bytes) -> list[tuple[str, float, float]]:
        """Move, expected points and share of the victory of each option, best first.

        Of two starts that are each other's mirror image there is one. Empty as long as there are
        no kernels, and when the answer takes longer than the watchdog allows.
        """
        if (sentence := self.refusal("advice")) is not None:
            raise Refusal(sentence)
        request = Weigh(seen(view), seed)
        if not self._pool.warm:
            return []
        moves = {str(move) for move in _legal(view)}

        def read(reply: Reply) -> list[tuple[str, float, float]]:
            if isinstance(reply, Weights) and moves.issuperset(o[0] for o in reply.options):
                return list(reply.options)
            raise Broken("gave an answer that makes no sense")

        try:
            options, _ = await self._pool.ask(
                request,
                urgency="advice",
                warm=True,
                limit=self.watchdog,
                wait=self.watchdog,
                read=read,
            )
        except Broken as broken:
            logger.warning("no advice: the process %s", broken)
            return []
        return options

    def job(self, kind: Kind, record: str, language: str) -> Job:
        """The job that reviews a game or finds the par of its deal: a new one, or a known one.

        Refuses a record that cannot be read, and with `Busy` when too many jobs wait. A job that
        failed is begun anew.
        """
        if (sentence := self.refusal(kind)) is not None:
            raise Refusal(sentence)
        data = record.encode()
        key = (kind, hashlib.sha256(data).digest(), words(language).language)
        job = self._jobs.pop(key, None)
        if job is None or job.failed is not None:
            game = parse_record(data, self.edition, unfinished=kind == "coach")
            if kind == "par" and game.setup.mode != "solo":
                raise Refusal(f"par: found a {game.setup.mode} game; expected a solo game")
            if len(self._working) >= MOST_QUEUED:
                raise Busy(f"{kind}: {MOST_QUEUED} jobs wait already; expected fewer, try later")
            job = Job(kind)
            task = asyncio.create_task(self._work(job, Work(kind, data, language)))
            self._working.add(task)
            task.add_done_callback(self._working.discard)
        self._jobs[key] = job  # at the end: the last one that somebody asked for
        finished = [key for key, job in self._jobs.items() if job.done]
        for old in finished[: max(0, len(finished) - MOST_KEPT)]:
            del self._jobs[old]
        return job

    async def _work(self, job: Job, work: Work) -> None:
        """Have all pieces of a job done, one after the other, so that bots can come between."""
        try:
            async with self._turns:
                try:
                    await self._work_on(job, work)
                except Hung:
                    raise
                except Broken as broken:  # whatever killed it may not have been the job
                    logger.warning("%s begins again: the process %s", job.kind, broken)
                    await self._work_on(job, work)
        except Broken as broken:
            job.failed = f"{job.kind}: the process {broken}; expected a result"
        except asyncio.CancelledError:
            job.failed = f"{job.kind}: the server stops; expected it to run"
            raise

    async def _work_on(self, job: Job, work: Work) -> None:
        worker: Worker | None = None
        while job.result is None:
            piece, worker = await self._pool.ask(
                work, urgency="job", warm=True, limit=self.patience, read=_piece, on=worker
            )
            if isinstance(piece, Result):
                job.progress, job.result = 1.0, piece.data
            else:
                job.progress = max(job.progress, min(1.0, piece.share))


def _piece(reply: Reply) -> Progress | Result:
    if isinstance(reply, Progress | Result):
        return reply
    raise Broken("gave an answer that makes no sense")


def _missing() -> str:
    """Why kernels cannot be had, with a place for who needs them; empty if they can."""
    try:
        check_compiler("{who}")
    except Refusal as refusal:
        return str(refusal)
    return ""


def _legal(view: View) -> tuple[Move, ...]:
    seat = view.seat or 0
    return choices(view.hand, start=view.round == 0, swap=view.swaps[seat])


def _here(asked: str, view: View, seed: bytes, *, sitting_in: bool) -> Chosen:
    """A move without any other process, of a bot that is no stronger than the one asked."""
    weaker = [name for name in HERE if LADDER.index(name) <= LADDER.index(asked)][-1]
    return Chosen(BOTS[weaker](view, Random(seed)), weaker, replaced=True, sitting_in=sitting_in)
