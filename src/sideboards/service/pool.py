"""The pool: so many thinking processes, kept alive; whoever is free takes the most urgent task.

Bots come before advice, advice before reviews. A process that dies, hangs or talks nonsense is
killed and another is started. Kernels are made ready in a process of their own, which then takes
the place of one that has none, so nobody waits for the compiler.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

from sideboards.service.thoughts import AskCold, Cold, Done, Reply, Request, Warm
from sideboards.service.worker import Broken, Hung, Worker

logger = logging.getLogger("sideboards.thinking")

Answer = TypeVar("Answer")
Urgency = Literal["bot", "advice", "job"]
URGENCIES: tuple[Urgency, ...] = ("bot", "advice", "job")
COMPILING = 900.0
"""Seconds after which a compiler counts as hung; usually it takes one."""
WARMING_TRIES = 3
BAD_STARTS = 3
"""So many processes in a row that do not even start: the pool is down, until one does."""
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 10.0
"""Seconds between attempts to start a process that does not start."""


@dataclass(eq=False)
class Task(Generic[Answer]):
    """A request on its way to a process and back."""

    request: Request
    urgency: Urgency
    warm: bool
    """Whether it needs compiled kernels."""
    limit: float
    """Seconds of work after which the process counts as hung."""
    read: Callable[[Reply], Answer]
    """Makes sense of a reply; raises Broken if there is none, and the process is killed."""
    on: Worker | None
    """The process that must do it, because it has done the beginning."""
    answer: asyncio.Future[tuple[Answer, Worker]] = field(init=False)

    def __post_init__(self) -> None:
        self.answer = asyncio.get_running_loop().create_future()


class Pool:
    """Thinking processes and the tasks that wait for them."""

    def __init__(
        self, processes: int, program: Sequence[str], edition: bytes | None, *, warming: bool
    ) -> None:
        self.processes = processes
        self.program = program
        self.edition = edition
        self.warming = warming
        """Whether compiled kernels are there or may still come."""
        self.refused: dict[str, str] = {}
        """By name, why a bot cannot play with this edition."""
        self.workers: dict[int, Worker] = {}
        """By place in the pool: the processes that take tasks."""
        self.running = False
        self._bad_starts = 0
        self._tasks: dict[Urgency, list[Task[Any]]] = {urgency: [] for urgency in URGENCIES}
        self._spare: Worker | None = None
        self._more = asyncio.Event()
        self._cold = asyncio.Event()
        self._keepers: list[asyncio.Task[None]] = []

    @property
    def down(self) -> bool:
        """Whether it makes no sense to wait for an answer."""
        return not self.running or (not self.workers and self._bad_starts >= BAD_STARTS)

    @property
    def warm(self) -> bool:
        """Whether somebody has compiled kernels at hand."""
        return any(worker.warm for worker in self.workers.values())

    def start(self) -> None:
        """Begin to start processes, in the background."""
        self.running = True
        self._keepers = [asyncio.create_task(self._keep(place)) for place in range(self.processes)]
        if self.warming:
            self._keepers.append(asyncio.create_task(self._warm_up()))

    async def stop(self) -> None:
        """End all processes; tasks that wait break."""
        self.running = False
        for keeper in self._keepers:
            keeper.cancel()
        await asyncio.gather(*self._keepers, return_exceptions=True)
        if self._spare is not None:
            await self._spare.end()
        for tasks in self._tasks.values():
            for task in tasks:
                _fail(task, Broken("was ended with the server"))
            tasks.clear()

    async def ask(
        self,
        request: Request,
        *,
        urgency: Urgency,
        limit: float,
        read: Callable[[Reply], Answer],
        warm: bool = False,
        wait: float | None = None,
        on: Worker | None = None,
    ) -> tuple[Answer, Worker]:
        """The answer, and who gave it; raises Broken, also when `wait` seconds have passed."""
        if not self.running:
            raise Broken("was ended with the server")
        task = Task(request, urgency, warm, limit, read, on)
        self._tasks[urgency].append(task)
        self._more.set()
        try:
            async with asyncio.timeout(wait):
                return await task.answer
        except TimeoutError:
            raise Hung(f"did not answer within {wait:g} seconds") from None
        finally:
            if task in self._tasks[urgency]:
                self._tasks[urgency].remove(task)

    async def _keep(self, place: int) -> None:
        """Have a process at this place of the pool, for ever, whatever happens."""
        while True:
            try:
                await self._employ(place)
            except Exception:  # else nobody would ever think here again
                logger.exception("a thinking process was given up: started another")
                await asyncio.sleep(FIRST_PAUSE)

    async def _employ(self, place: int) -> None:
        """Have one process at this place and give it what waits, until it ends."""
        worker = await self._started()
        self.workers[place] = worker
        self._cold.set()
        try:
            while not worker.gone:
                if self._spare is not None and not worker.warm:
                    old, worker, self._spare = worker, self._spare, None
                    self.workers[place] = worker
                    self._cold.set()  # others may wait for their turn
                    await old.end()
                elif (task := self._take(worker)) is not None:
                    await _do(task, worker)
                else:
                    self._more.clear()
                    await self._more.wait()
            logger.warning("thinking process %d died: started another", worker.pid)
        except Broken as broken:
            logger.warning("thinking process %d %s: started another", worker.pid, broken)
        finally:
            del self.workers[place]
            self._give_up_on(worker)
            await worker.end()

    def _take(self, worker: Worker) -> Task[Any] | None:
        """The most urgent task that this process can do."""
        for tasks in self._tasks.values():
            for task in tasks:
                if task.on in (None, worker) and (worker.warm or not task.warm):
                    tasks.remove(task)
                    return task
        return None

    def _give_up_on(self, worker: Worker) -> None:
        """Break the tasks that only this process could do."""
        for tasks in self._tasks.values():
            for task in [task for task in tasks if task.on is worker]:
                tasks.remove(task)
                _fail(task, Broken("died"))

    async def _started(self) -> Worker:
        """A new process that has said hello; tried again and again."""
        pause = FIRST_PAUSE
        while True:
            try:
                worker = await self._new()
            except Exception as error:  # Broken, or what nobody has thought of
                self._bad_starts += 1
                trace = None if isinstance(error, Broken) else error
                logger.warning(
                    "a thinking process %s; the next in %.1f s", error, pause, exc_info=trace
                )
                if self.down:
                    for task in self._tasks["bot"]:
                        _fail(task, Broken("does not start"))
            else:
                self._bad_starts = 0
                return worker
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    async def _new(self) -> Worker:
        worker = Worker(self.program, self._more.set)
        try:
            await worker.open(self.edition)
        except BaseException:
            await worker.end()
            raise
        self.refused = worker.refused
        return worker

    async def _warm_up(self) -> None:
        """Make processes with kernels until every place of the pool has one."""
        failures, pause = 0, FIRST_PAUSE
        while True:
            await self._cold.wait()
            self._cold.clear()
            if self._spare is not None or all(worker.warm for worker in self.workers.values()):
                continue
            try:
                self._spare = await self._warmed()
            except Exception as error:  # Broken, or what nobody has thought of
                failures += 1
                trace = None if isinstance(error, Broken) else error
                logger.warning("making the kernels ready: the process %s", error, exc_info=trace)
                if failures >= WARMING_TRIES:
                    self._offer_no_kernels()
                await asyncio.sleep(pause)
                pause = min(2 * pause, LONGEST_PAUSE)
                self._cold.set()
            else:
                failures, pause = 0, FIRST_PAUSE
                self.warming = True
                self._more.set()

    def _offer_no_kernels(self) -> None:
        """Until it succeeds after all, nobody need wait for kernels."""
        if self.warming:
            logger.error("the kernels cannot be made ready: master, coach, par are not offered")
        self.warming = False
        for tasks in self._tasks.values():
            for task in tasks:
                if task.warm:
                    _fail(task, Broken("has no kernels"))

    async def _warmed(self) -> Worker:
        worker = await self._new()
        try:
            reply = await worker.ask(AskCold(), limit=COMPILING)
            if isinstance(reply, Cold) and reply.cold:
                logger.info(
                    "compiling the kernels (once, about a minute): until then hard sits in for "
                    "master"
                )
            if not isinstance(await worker.ask(Warm(), limit=COMPILING), Done):
                raise Broken("did not warm up")
        except BaseException:
            await worker.end()
            raise
        worker.warm = True
        return worker


async def _do(task: Task[Answer], worker: Worker) -> None:
    """Have a task done; raises Broken after telling whoever waits."""
    if task.answer.done():
        return
    try:
        answer = task.read(await worker.ask(task.request, limit=task.limit))
    except Broken as broken:
        _fail(task, broken)
        raise
    except asyncio.CancelledError:
        _fail(task, Broken("was ended with the server"))
        raise
    except Exception as error:  # nonsense of any kind must not cost the process its place
        unread = Broken("gave an answer that cannot be read")
        _fail(task, unread)
        raise unread from error
    if not task.answer.done():
        task.answer.set_result((answer, worker))


def _fail(task: Task[Answer], broken: Broken) -> None:
    if not task.answer.done():
        task.answer.set_exception(broken)
        task.answer.exception()  # who no longer waits need not hear of it
