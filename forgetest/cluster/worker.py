"""What runs in a worker: one bench for a session, proven before its first sample.

Dask sets the plugin up in every worker, those that join later included. Samples come as JSON and
verdicts go back as JSON; so do faults, because an exception would end in a traceback over there.
"""

import asyncio
import contextlib
import json
import os
import signal
import traceback
from pathlib import Path
from typing import Any

from distributed import WorkerPlugin, get_worker
from distributed.worker import Worker

from forgetest.cluster.machine import GradingOptions, machine_of, other_toolchain
from forgetest.errors import Fault, FaultKind, ForgetestError
from forgetest.evalset.types import Case, Dependency
from forgetest.grading.limits import Order
from forgetest.run.settings import CacheTable, RunTable
from forgetest.runner.session import Workbench
from forgetest.runner.workbench import open_workbench
from forgetest.system.machine import cache_folder, workers
from forgetest.system.toolchain import Toolchain

_SETUP_SECS = 20.0  # for a worker that takes tasks before Dask has set it up


class GradingPlugin(WorkerPlugin):
    """Grades in one worker for one session, until Dask takes it down.

    Dask pickles it before `setup`; then it holds its name and the options as JSON.
    """

    def __init__(self, session: str, options: GradingOptions) -> None:
        self.name = session
        self._options = options.model_dump_json()

    def setup(self, worker: Worker) -> None:
        """Begin to open the bench; nobody waits for it here, so that other workers begin, too."""
        options = GradingOptions.model_validate_json(self._options)
        if options.quiet_interrupts:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        self._cores = max(1, min(worker.state.nthreads, workers()))
        self._crates: dict[tuple[Dependency, ...], asyncio.Task[None]] = {}
        self._under_way: set[asyncio.Task[Any]] = set()
        self._bench = asyncio.create_task(_proven_bench(options))

    async def teardown(self, worker: Worker) -> None:  # noqa: ARG002 - Dask's signature
        """Stop what is under way and leave no process behind."""
        tasks = [self._bench, *self._crates.values(), *self._under_way]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def describe(self) -> dict[str, Any]:
        """Return what this machine grades with, once it has proven itself."""
        machine = machine_of(await asyncio.shield(self._bench), cores=self._cores)
        return machine.model_dump(mode="json")

    async def carry_out(self, job: dict[str, Any]) -> dict[str, Any]:
        """Return the verdict on a sample, or what the tests make of it."""
        task = asyncio.create_task(self._carry_out(job))
        self._under_way.add(task)
        try:
            return await task
        finally:
            self._under_way.discard(task)

    async def _carry_out(self, job: dict[str, Any]) -> dict[str, Any]:
        bench = await asyncio.shield(self._bench)
        case = Case.model_validate(job["case"])
        await self._prepared(bench, case, job["lock"])
        if job["probe"]:
            found = await bench.grader.probe(case, job["code"])
            return {"probe": {"noticed": found.noticed, "test": found.test}}
        verdict = await bench.grader.grade(case, job["code"], order=Order(job["order"]))
        return {"verdict": verdict.model_dump(mode="json")}

    async def _prepared(self, bench: Workbench, case: Case, lock: str | None) -> None:
        """Wait until the crates of a case are built from the run's lock, once for all samples."""
        task = self._crates.get(case.dependencies)
        if task is None:
            pinned = None if lock is None else lock.encode()
            task = asyncio.create_task(bench.grader.prepare_more([case], lock=pinned))
            self._crates[case.dependencies] = task
        await asyncio.shield(task)


async def _proven_bench(options: GradingOptions) -> Workbench:
    """Return a bench whose grader has judged the canaries; ForgetestError where it cannot."""
    if other := other_toolchain(Toolchain.resolve(os.environ), options.run):
        raise ForgetestError(other)
    bench = await open_workbench(
        RunTable(sandbox=options.run.sandbox, verdict_cache=False),
        CacheTable(dependencies_mib=options.dependencies_mib),
        workers=workers(),
        folder=cache_folder() if options.cache is None else Path(options.cache),
        allow_custom_checks=options.allow_custom_checks,
    )
    await bench.grader.prepare(())
    return bench


async def described(session: str) -> str:
    """Return the JSON of a `GradingMachine`, or of an `error`."""
    return await _answered(session, None)


async def carried_out(session: str, job: str) -> str:
    """Return the JSON of a verdict, a probe, a `fault`, or an `error` of this machine."""
    return await _answered(session, job)


async def _answered(session: str, job: str | None) -> str:
    try:
        plugin = await _plugin(session)
        answer = await (plugin.describe() if job is None else plugin.carry_out(json.loads(job)))
    except Fault as fault:
        answer = {"fault": [fault.kind, fault.message, fault.final]}
    except ForgetestError as error:
        answer = {"error": str(error)}
    except Exception as error:  # noqa: BLE001 - our own bug, told where the run is
        why = f"{type(error).__name__}: {error}"
        answer = {"fault": [FaultKind.INTERNAL, why, False], "log": traceback.format_exc()}
    return json.dumps(answer)


async def _plugin(session: str) -> GradingPlugin:
    """Return the plugin of a session; ForgetestError in a worker that Dask did not set up."""
    worker = get_worker()
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_SETUP_SECS):
            while session not in worker.plugins:  # noqa: ASYNC110 - Dask has no event for it
                await asyncio.sleep(0.05)
    plugin = worker.plugins.get(session)
    if not isinstance(plugin, GradingPlugin):
        raise ForgetestError("Dask did not set it up")
    return plugin
