"""Which worker gets the next sample: the one with the most room, and nobody else's turn is lost.

A worker gets as many samples as it has cores, and as many again, so that the next is there when one
is done. A sample that lost its worker is a suspect: it gets its second worker alone, so that no
other is blamed for what it does.
"""

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

from forgetest.errors import Fault, FaultKind
from forgetest.value import count

UNDER_WAY = 2  # samples sent for each core of a worker


@dataclass(eq=False, slots=True)
class GradingWorker:
    """One worker process that may grade, and what it has to do now."""

    address: str
    name: str
    cores: int
    gone: asyncio.Future[bool] = field(  # whether it died, rather than left
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )
    idle: asyncio.Event = field(default_factory=asyncio.Event)
    under_way: int = 0
    alone: bool = False  # it is kept for a suspect
    faults: int = 0  # in a row

    def __post_init__(self) -> None:
        self.idle.set()

    @property
    def room(self) -> int:
        """How many more samples it takes."""
        return 0 if self.alone else UNDER_WAY * self.cores - self.under_way

    def take(self) -> None:
        """Note one more sample."""
        self.under_way += 1
        self.idle.clear()

    def give_back(self) -> None:
        """Note that a sample is done."""
        self.under_way -= 1
        if not self.under_way:
            self.idle.set()


class Roster:
    """The workers that may grade.

    Without any for `patience_secs`, samples are faults until one comes.
    """

    def __init__(self, patience_secs: float) -> None:
        self.workers: dict[str, GradingWorker] = {}
        self.ended: str | None = None  # why no worker is waited for any more
        self._patience_secs = patience_secs
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._giving_up: asyncio.TimerHandle | None = None
        self._one_suspect = asyncio.Lock()

    @property
    def cores(self) -> int:
        """The cores of all workers."""
        return sum(worker.cores for worker in self.workers.values())

    def join(self, worker: GradingWorker) -> None:
        """Let a worker grade from now on."""
        self.workers[worker.address] = worker
        if self._giving_up is not None:
            self._giving_up.cancel()
            self._giving_up = None
            self.ended = None
        self._wake_all()

    def leave(self, address: str, *, died: bool) -> GradingWorker | None:
        """Send no more samples to a worker, and wait for none; None where it did not grade."""
        worker = self.workers.pop(address, None)
        if worker is not None:
            worker.gone.set_result(died)
            if not self.workers and self.ended is None:
                loop = asyncio.get_running_loop()
                self._giving_up = loop.call_later(self._patience_secs, self._give_up)
        return worker

    def end(self, why: str) -> None:
        """Wait for no worker any more: what is not graded is a fault."""
        if self._giving_up is not None:
            self._giving_up.cancel()
            self._giving_up = None
        self.ended = why
        for address in list(self.workers):
            self.leave(address, died=False)
        self._wake_all()

    @contextlib.asynccontextmanager
    async def place(self) -> AsyncIterator[GradingWorker]:
        """Wait for room at a worker and take it until the context ends; `Fault` if none is left."""
        worker = await self._until(self._roomiest)
        worker.take()
        try:
            yield worker
        finally:
            worker.give_back()
            self._wake_one()

    @contextlib.asynccontextmanager
    async def alone(self) -> AsyncIterator[GradingWorker]:
        """Wait for a worker that does nothing else meanwhile; `Fault` if there is none."""
        async with self._one_suspect:
            worker = await self._until(self._quietest)
            worker.alone = True
            try:
                # A worker that leaves gives back what it had, and is idle, too.
                await worker.idle.wait()
                worker.take()
                try:
                    yield worker
                finally:
                    worker.give_back()
            finally:
                worker.alone = False
                self._wake_all()

    def _roomiest(self) -> GradingWorker | None:
        free = [worker for worker in self.workers.values() if worker.room > 0]
        return max(free, key=lambda worker: worker.room / worker.cores, default=None)

    def _quietest(self) -> GradingWorker | None:
        return min(self.workers.values(), key=lambda worker: worker.under_way, default=None)

    async def _until(self, choose: Callable[[], GradingWorker | None]) -> GradingWorker:
        while True:
            if self.ended is not None:
                raise Fault(FaultKind.CLUSTER, self.ended, final=True)
            worker = choose()
            if worker is not None:
                return worker
            turn = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            try:
                await turn
            except asyncio.CancelledError:
                if turn.done() and not turn.cancelled():
                    self._wake_one()  # it was somebody's turn
                raise

    def _wake_one(self) -> None:
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return

    def _wake_all(self) -> None:
        for _ in range(len(self._waiting)):
            self._wake_one()

    def _give_up(self) -> None:
        self.ended = f"no worker of the cluster was left for {self._patience_secs:g} s"
        self._wake_all()

    def __str__(self) -> str:
        return f"{count(len(self.workers), 'worker')}, {count(self.cores, 'core')}"
