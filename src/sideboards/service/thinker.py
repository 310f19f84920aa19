"""The program of a thinking process: reads requests from standard input, answers on the same.

Standard input is one end of a socket pair. When the server dies, its end closes, and so does
this process, whatever it thinks about.
"""

import os
import signal
import sys
from collections.abc import Callable, Generator
from contextlib import suppress
from queue import SimpleQueue
from random import Random
from threading import Thread
from typing import BinaryIO

from sideboards.core.edition import Edition, parse_edition
from sideboards.core.notation import parse_record
from sideboards.core.refusal import Refusal
from sideboards.data import load_edition
from sideboards.minds.bots import BOTS, bot
from sideboards.service.thoughts import (
    LENGTH,
    AskCold,
    Cold,
    Done,
    Failed,
    Hello,
    Progress,
    Ready,
    Reply,
    Request,
    Result,
    Think,
    Thought,
    Warm,
    Weigh,
    Weights,
    Work,
    frame,
    request_decoder,
    view_of,
)
from sideboards.words import words

WEIGHING = 1_000
"""Worlds of one decision while it is being made: a quarter of the later review."""
_JOBS = 8
"""Jobs that are kept half done; a process works at one at a time, others were given up."""

Steps = Generator[float, None, dict[str, object]]


class Thinker:
    """Answers requests."""

    def __init__(self) -> None:
        self.edition: Edition = load_edition()
        self.jobs: dict[Work, Steps] = {}

    def answer(self, request: Request) -> Reply:
        """The reply to a request."""
        match request:
            case Hello(edition):
                if edition is not None:
                    self.edition = parse_edition(edition)
                return Ready(self.refused())
            case AskCold():
                from sideboards.minds.warm import is_cold  # noqa: PLC0415 (numba)

                return Cold(is_cold())
            case Warm():
                from sideboards.minds.warm import load_kernels  # noqa: PLC0415 (numba)

                load_kernels(self.edition)
                return Done()
            case Think(name, seen, seed):
                move = BOTS[name](view_of(seen, self.edition), Random(seed))
                return Thought(str(move))
            case Weigh(seen, seed):
                from sideboards.minds.coach import weigh  # noqa: PLC0415 (numba)

                options = weigh(view_of(seen, self.edition), Random(seed), samples=WEIGHING)
                return Weights(tuple((str(o.move), o.expected, o.winning) for o in options))
            case Work():
                return self.work(request)

    def refused(self) -> dict[str, str]:
        """By name, why a bot cannot play with this edition."""
        if self.edition == load_edition():
            return {}  # its values are shipped; no need to look, which would load numpy
        found = {}
        for name in BOTS:
            try:
                bot(name, self.edition)
            except Refusal as refusal:
                found[name] = str(refusal)
        return found

    def work(self, work: Work) -> Reply:
        """Do the next piece of a job."""
        if work not in self.jobs:
            while len(self.jobs) >= _JOBS:
                del self.jobs[next(iter(self.jobs))]
            self.jobs[work] = self.steps(work)
        try:
            return Progress(next(self.jobs[work]))
        except StopIteration as end:
            del self.jobs[work]
            return Result(end.value)

    def steps(self, work: Work) -> Steps:
        """A job, piece by piece: yields how much of it is done, returns what was found."""
        if work.kind == "par":
            from sideboards.minds.par import par  # noqa: PLC0415 (numba)
            from sideboards.minds.report import par_report  # noqa: PLC0415 (numba)

            yield 0.0
            return par_report(par(parse_record(work.record, self.edition).setup))
        from sideboards.minds.coach import review_steps  # noqa: PLC0415 (numba)
        from sideboards.minds.report import coach_report  # noqa: PLC0415 (numba)

        record = parse_record(work.record, self.edition, unfinished=True)
        found = yield from review_steps(record)
        return coach_report(record, found, words(work.language))


def read_frames(source: BinaryIO, take: Callable[[Request], None]) -> None:
    """Take every request; at the end of the input end the process at once."""
    with suppress(OSError):  # the server was killed
        while len(head := source.read(LENGTH)) == LENGTH:
            size = int.from_bytes(head)
            if len(data := source.read(size)) < size:
                break
            take(request_decoder.decode(data))
    os._exit(0)


def main() -> None:
    """Answer until the server is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # the server ends it, after the last answer
    os.nice(5)
    requests: SimpleQueue[Request] = SimpleQueue()
    thinker = Thinker()
    with open(0, "rb", closefd=False) as source, open(0, "wb", closefd=False) as out:
        Thread(target=read_frames, args=(source, requests.put), daemon=True).start()
        while True:
            try:
                reply = thinker.answer(requests.get())
            except Exception as error:  # told to the server, which then starts another process
                reply = Failed(f"{type(error).__name__}: {error}")
            try:
                out.write(frame(reply))
                out.flush()
            except OSError:
                sys.exit()


if __name__ == "__main__":
    main()
