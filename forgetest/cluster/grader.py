"""This end of the line: a grader whose samples are judged by the workers of a Dask cluster.

Each sample is one plain task for one worker that `roster` chooses, so that it is known who had it
when a worker dies. Dask tells when workers come and go, sets them up, and moves the JSON.
"""

import asyncio
import contextlib
import json
import logging
import secrets
import time
import warnings
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import CancelledError
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import dask
from distributed import Client, LocalCluster
from distributed.utils import silence_logging_cmgr

from forgetest.cluster.machine import GradingMachine, GradingOptions, machine_of
from forgetest.cluster.roster import GradingWorker, Roster
from forgetest.cluster.worker import GradingPlugin, carried_out, described
from forgetest.errors import ConfigError, Fault, FaultKind, ToolchainError
from forgetest.evalset.types import Case
from forgetest.grading.limits import Limits, Order
from forgetest.grading.probe import Noticed, Probe
from forgetest.grading.rules import too_long
from forgetest.grading.verdict import Verdict
from forgetest.runner.session import Workbench
from forgetest.system.files import temporary_folder
from forgetest.system.machine import cores
from forgetest.value import count

LOG = logging.getLogger("forgetest")
PATIENCE = "forgetest.wait-for-workers"  # a setting of Dask's configuration
_PROVING_SECS = 300.0
_CLOSING_SECS = 10.0
_POLL_SECS = 0.05
_FAULTS = 3  # in a row, and a worker gets no more samples while there are others


class _Unfit(Exception):  # noqa: N818 - nothing is wrong with the sample
    """A worker cannot grade; the text says why."""


class _Lost(Exception):  # noqa: N818 - the same
    """A worker left or died with a sample."""


@dataclass(eq=False)
class ClusterGrader:
    """Grades on the cluster at `address`, or of `local` processes, while it is open.

    `bench` is that of the machine where the run is: its grader resolves crates, and a worker must
    grade with the same compilers, sandbox and guarantees.
    """

    bench: Workbench
    address: str
    local: int
    cache: Path  # of crates; workers of other machines have their users' own
    dependencies_mib: int
    allow_custom_checks: bool
    _listen: Callable[[str], object] = field(default=LOG.info)
    _session: str = field(default_factory=lambda: f"forgetest-{secrets.token_hex(8)}")
    _refused: dict[str, str] = field(default_factory=dict)
    _locks: dict[object, str | None] = field(default_factory=dict)

    @property
    def identity(self) -> str:
        """That of the run's own grader: workers with another grade nothing."""
        return self.bench.grader.identity

    @property
    def limits(self) -> Limits:
        """Those of the run's own grader."""
        return self.bench.grader.limits

    @property
    def capacity(self) -> int:
        """How many samples are graded at once, by the workers that are there now."""
        return max(1, self._roster.cores)

    def inform(self, listen: Callable[[str], object]) -> None:
        """Tell of workers that come, go or are refused."""
        self._listen = listen

    def status(self) -> str:
        """Return `3 workers, 24 cores`, and how many are refused."""
        refused = f", {len(self._refused)} refused" if self._refused else ""
        return f"grading on {self._roster}{refused}"

    @contextlib.asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Connect, have every worker prove itself, and grade until the context ends.

        Raises ConfigError where no scheduler answers, and ToolchainError where no worker can grade.
        """
        patience = dask.utils.parse_timedelta(dask.config.get(PATIENCE, "60s"))
        self._roster = Roster(patience)
        self._asked: dict[str, asyncio.Task[None]] = {}
        self._refused.clear()
        self._listen(
            f"starting {count(self.local, 'worker')}"
            if self.local
            else f"waiting for the workers of {self.address}"
        )
        await self.bench.grader.prepare(())
        async with contextlib.AsyncExitStack() as stack:
            stack.enter_context(silence_logging_cmgr(logging.CRITICAL))
            self._client = await stack.enter_async_context(self._connected(stack))
            stack.push_async_callback(self._closed)
            await self._welcome(patience)
            yield

    @contextlib.asynccontextmanager
    async def _connected(self, stack: contextlib.AsyncExitStack) -> AsyncIterator[Client]:
        """Give a client of the scheduler, started on this machine unless there is an address."""
        where: Any = self.address
        if self.local:
            where = await stack.enter_async_context(await self._local_cluster(stack))
        client = Client(where, asynchronous=True, set_as_default=False, name="forgetest")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of versions, which are compared below
                await client
        except (OSError, TimeoutError, ValueError) as error:
            with contextlib.suppress(Exception):
                await client.close(timeout=1)
            raise self._silent(error) from None
        try:
            yield client
        finally:
            with contextlib.suppress(Exception):
                await asyncio.wait_for(client.close(timeout=_CLOSING_SECS), _CLOSING_SECS)

    async def _local_cluster(self, stack: contextlib.AsyncExitStack) -> LocalCluster:
        """Return a scheduler and workers of this machine that nobody else can talk to."""
        folder = stack.enter_context(temporary_folder())
        return LocalCluster(
            n_workers=self.local,
            threads_per_worker=max(1, cores() // self.local),
            processes=True,
            asynchronous=True,
            security=True,  # whoever reaches a scheduler may run anything
            dashboard_address=":0",  # a port that is free; it shows nothing
            memory_limit=0,
            local_directory=str(folder),
            silence_logs=logging.CRITICAL,
        )

    async def _welcome(self, patience: float) -> None:
        """Set all workers up and wait until those that are there have proven themselves."""
        self._client.subscribe_topic("all", self._hear)
        self._run = machine_of(self.bench, cores=1)
        try:
            await self._client.register_plugin(self._plugin(), name=self._session)
        except Exception as error:  # noqa: BLE001 - of a worker without forgetest; its own answer says so
            LOG.debug("setting up workers: %s", error)
        scheduler: Any = self._client.scheduler
        try:
            present = (await scheduler.identity())["workers"]
        except OSError as error:
            raise self._silent(error) from None
        for address in present:
            self._meet(address)
        await self._first_workers(patience)

    def _plugin(self) -> GradingPlugin:
        """Return what Dask sets up in each worker."""
        options = GradingOptions(
            run=self._run,
            allow_custom_checks=self.allow_custom_checks,
            dependencies_mib=self.dependencies_mib,
            cache=str(self.cache.resolve()) if self.local else None,
            quiet_interrupts=bool(self.local),
        )
        return GradingPlugin(self._session, options)

    async def _first_workers(self, patience: float) -> None:
        """Wait until a worker may grade, and all that are there have been asked."""
        deadline = time.monotonic() + patience
        while True:
            if asking := [task for task in self._asked.values() if not task.done()]:
                await asyncio.wait(asking)
            elif self._roster.workers:
                return
            elif self._roster.ended is not None:
                raise ConfigError(self._roster.ended)
            elif self._refused:
                raise ToolchainError(f"no worker can grade: {'; '.join(self._refused.values())}")
            elif time.monotonic() > deadline:
                raise ConfigError(
                    f"no worker came to {self.address} within {patience:g} s: start one with"
                    f" `dask worker {self.address}`"
                )
            else:
                await asyncio.sleep(_POLL_SECS)

    def _silent(self, error: Exception) -> ConfigError:
        return ConfigError(
            f"no Dask scheduler answers at {self.address}: start one with `dask scheduler`"
            f" ({_first_line(error)})"
        )

    async def _closed(self) -> None:
        """Stop what is under way, over there too, and leave nothing of this session."""
        for task in self._asked.values():
            task.cancel()
        with contextlib.suppress(Exception):
            async with asyncio.timeout(_CLOSING_SECS):
                if self._client.status == "running":
                    self._client.unsubscribe_topic("all")
                    await self._client.unregister_worker_plugin(self._session)

    def _hear(self, event: tuple[float, dict[str, Any]]) -> None:
        """Hear from the scheduler that a worker came or went."""
        message = event[1]
        match message.get("action"):
            case "add-worker":
                self._meet(message["worker"])
            case "remove-worker":
                self._part(message["worker"], died=not message.get("expected"))

    def _meet(self, address: str) -> None:
        if address not in self._asked:
            self._asked[address] = asyncio.create_task(self._prove(address))

    def _part(self, address: str, *, died: bool) -> None:
        asking = self._asked.pop(address, None)
        if asking is not None:
            asking.cancel()
        self._refused.pop(address, None)
        worker = self._roster.leave(address, died=died)
        if worker is not None:
            self._tell_of_loss(worker, "is lost" if died else "has left")

    def _tell_of_loss(self, worker: GradingWorker, how: str) -> None:
        others = f"; {count(worker.under_way, 'sample')} to grade elsewhere"
        self._listen(f"worker {worker.name} {how}{others if worker.under_way else ''}")

    async def _prove(self, address: str) -> None:
        """Let a worker grade if it does as the run's machine does, and say so if not."""
        try:
            async with asyncio.timeout(_PROVING_SECS):
                machine = self._fit(await self._answer(address, described))
        except _Lost:
            return
        except Exception as error:  # noqa: BLE001 - whatever it is, this worker cannot grade
            self._refuse(address, address, _why_unfit(error))
            return
        name = f"{address} on {machine.host}"
        self._roster.join(GradingWorker(address, name, machine.cores))
        self._listen(f"worker {name} grades: {count(machine.cores, 'core')}")

    def _fit(self, answer: dict[str, Any]) -> GradingMachine:
        """Return the machine that a worker is on; raise `_Unfit` where the run's is another."""
        if "error" in answer or "fault" in answer:
            raise _Unfit(answer.get("error") or answer["fault"][1])
        machine = GradingMachine.model_validate(answer)
        if difference := machine.difference(self._run):
            raise _Unfit(difference)
        return machine

    def _refuse(self, address: str, name: str, why: str) -> None:
        self._refused[address] = f"worker {name}: {why}"
        self._listen(f"refused: {self._refused[address]}")

    async def grade(self, case: Case, code: str, *, order: Order = Order.WRITTEN) -> Verdict:
        """Return the verdict of a worker; raise `Fault` when the machinery fails."""
        size = len(code.encode("utf-8", "surrogatepass"))
        if size > self.limits.source_bytes:
            return too_long(size, self.limits.source_bytes)
        answer = await self._done(case, code, order=order, probe=False)
        return Verdict.model_validate(answer["verdict"])

    async def probe(self, case: Case, code: str) -> Probe:
        """Return whether the case's tests notice `code`; raise `Fault` when the machinery fails."""
        answer = await self._done(case, code, order=Order.WRITTEN, probe=True)
        return Probe(Noticed(answer["probe"]["noticed"]), answer["probe"]["test"])

    async def _done(self, case: Case, code: str, *, order: Order, probe: bool) -> dict[str, Any]:
        """Return what a worker answers about a sample, the second one if the first is lost."""
        job = json.dumps(
            {
                "case": case.model_dump(mode="json"),
                "code": code,
                "order": order,
                "probe": probe,
                "lock": self._lock(case),
            }
        )
        died_at: list[str] = []
        while True:
            async with self._roster.alone() if died_at else self._roster.place() as worker:
                try:
                    return self._weighed(worker, await self._answer(worker, carried_out, job))
                except _Lost:
                    if worker.gone.done() and worker.gone.result():
                        died_at.append(worker.name)
                except _Unfit as unfit:
                    self._dismiss(worker, str(unfit))
            if len(died_at) > 1:
                names = " and ".join(died_at)
                raise Fault(FaultKind.CLUSTER, f"workers died grading it: {names}", final=True)

    def _lock(self, case: Case) -> str | None:
        if case.dependencies not in self._locks:
            lock = self.bench.grader.lock_file(case) if case.dependencies else None
            self._locks[case.dependencies] = None if lock is None else lock.decode()
        return self._locks[case.dependencies]

    def _weighed(self, worker: GradingWorker, answer: dict[str, Any]) -> dict[str, Any]:
        """Return an answer that has a result; raise the fault or the unfitness that it tells."""
        if "error" in answer:
            raise _Unfit(answer["error"])
        if "fault" not in answer:
            worker.faults = 0
            return answer
        worker.faults += 1
        kind, message, final = answer["fault"]
        if "log" in answer:
            LOG.error("worker %s: %s", worker.name, answer["log"])
        if worker.faults >= _FAULTS and len(self._roster.workers) > 1:
            self._dismiss(worker, f"failed {_FAULTS} times in a row: {message}")
        raise Fault(FaultKind(kind), f"{message} (worker {worker.name})", final=final)

    def _dismiss(self, worker: GradingWorker, why: str) -> None:
        if self._roster.leave(worker.address, died=False) is not None:
            self._refuse(worker.address, worker.name, why)

    async def _answer(
        self, worker: GradingWorker | str, task: Callable[..., Awaitable[str]], *job: str
    ) -> dict[str, Any]:
        """Return the JSON that a task in a worker gives; `_Lost` if the worker leaves meanwhile."""
        named = worker if isinstance(worker, str) else worker.address
        gone = None if isinstance(worker, str) else worker.gone
        if self._client.status != "running" or (gone is not None and gone.done()):
            raise self._lost()
        future = self._client.submit(
            task,
            self._session,
            *job,
            key=f"{task.__name__}-{secrets.token_hex(8)}",
            workers=[named],
            allow_other_workers=False,
            pure=False,
            retries=0,
        )
        asking = asyncio.ensure_future(_result(future))
        try:
            await asyncio.wait({asking, *((gone,) if gone else ())}, return_when="FIRST_COMPLETED")
            if not asking.done():
                raise self._lost()
            text = asking.result()
            if text is None:
                raise self._lost()
            answer: dict[str, Any] = json.loads(text)
            return answer
        finally:
            asking.cancel()
            future.release()

    def _lost(self) -> _Lost:
        """Return the loss of a worker, and end everything if the scheduler is what is lost."""
        if self._client.status != "running" and self._roster.ended is None:
            why = f"the connection to the Dask scheduler {self.address or 'here'} is lost"
            self._roster.end(why)
            self._listen(why)
        return _Lost()


async def _result(future: Any) -> str | None:
    """Return what a future gives; None where Dask gave it up, with a worker or a scheduler."""
    try:
        text: str = await future
    except (asyncio.CancelledError, CancelledError):
        if (task := asyncio.current_task()) is not None and task.cancelling():
            raise
        return None
    return text


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)


def _why_unfit(error: Exception) -> str:
    match error:
        case _Unfit():
            return str(error)
        case TimeoutError():
            return f"has not proven itself within {_PROVING_SECS:g} s"
        case ImportError():
            return f"has no forgetest: pip install 'forgetest[cluster]' there ({error})"
        case _:
            return f"{type(error).__name__}: {_first_line(error)}"
