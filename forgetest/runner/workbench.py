"""What grading needs on this machine: toolchain, sandbox, grader, verdicts of earlier runs."""

import os
from pathlib import Path

from forgetest.grading.grader import SampleGrader
from forgetest.grading.limits import Limits, demand_allowance
from forgetest.grading.verdict_store import VerdictStore
from forgetest.run.settings import CacheTable, RunTable
from forgetest.runner.session import Workbench
from forgetest.sandbox.backends import AUTO
from forgetest.sandbox.choose import choose
from forgetest.sandbox.types import Held
from forgetest.system.machine import open_files
from forgetest.system.process import MIB
from forgetest.system.toolchain import Toolchain


async def open_workbench(
    table: RunTable,
    cache: CacheTable,
    *,
    workers: int,
    folder: Path,
    allow_custom_checks: bool = False,
) -> Workbench:
    """Return the toolchain, the sandbox and a grader for up to `workers` samples at once.

    `folder` keeps crates and verdicts. Custom checks fail unless they are allowed. Raises
    `ToolchainError` without a compiler, or without the sandbox that `table` names.
    """
    demand_allowance(Limits())
    open_files()
    toolchain = Toolchain.resolve(os.environ)
    sandbox = await choose(table.sandbox or AUTO, toolchain=toolchain, cache=folder)
    grader = SampleGrader(
        toolchain,
        cache=folder,
        sandbox=sandbox,
        allow_custom_checks=allow_custom_checks,
        dependency_budget=cache.dependencies_mib * MIB,
    )
    # Without a sandbox, a sample could write verdicts for itself and for others.
    unsafe = sandbox.guarantees.write is not Held.ENFORCED
    kept = table.verdict_cache is not False and not unsafe
    return Workbench(
        toolchain=toolchain,
        grader=grader,
        sandbox=sandbox,
        parallelism=table.parallelism or workers,
        times=table.repeat_grading or 1,
        verdicts=VerdictStore(folder, budget=cache.verdicts_mib * MIB) if kept else None,
    )
