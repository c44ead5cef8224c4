"""A workbench whose samples are graded here, or on the cluster that `grade_on` names."""

import dataclasses
from importlib.util import find_spec
from pathlib import Path

from forgetest.cluster.machine import GradingOptions
from forgetest.errors import ConfigError
from forgetest.run.settings import CacheTable, RunTable
from forgetest.runner.session import Remote, Workbench
from forgetest.runner.workbench import open_workbench
from forgetest.system.machine import cache_folder, workers

_LOCAL = "local:"


async def open_bench(
    table: RunTable,
    limits: CacheTable,
    *,
    cache: Path | None = None,
    allow_custom_checks: bool,
) -> Workbench:
    """Return the bench of a run: toolchain, sandbox, grader, and a cluster if one is asked for.

    `cache` is the folder of crates and verdicts, the user's when None. Raises `ToolchainError`
    where nothing can be graded, ConfigError where Dask is not installed.
    """
    if table.grade_on is not None and find_spec("distributed") is None:
        raise ConfigError("--grade-on needs Dask: pip install 'forgetest[cluster]'")
    bench = await open_workbench(
        table,
        limits,
        workers=workers(),
        folder=cache or cache_folder(),
        allow_custom_checks=allow_custom_checks,
    )
    if table.grade_on is None:
        return bench
    local = int(table.grade_on.removeprefix(_LOCAL)) if table.grade_on.startswith(_LOCAL) else 0
    options = GradingOptions(
        sandbox=str(bench.sandbox.backend),
        allow_custom_checks=allow_custom_checks,
        dependencies_mib=limits.dependencies_mib,
        cache=str((cache or cache_folder()).resolve()) if local else None,
        quiet_interrupts=bool(local),
    )
    return dataclasses.replace(bench, remote=_remote(bench, options, table.grade_on, local))


def _remote(bench: Workbench, options: GradingOptions, address: str, local: int) -> Remote:
    from forgetest.cluster.grader import ClusterGrader  # noqa: PLC0415 - few grade on a cluster

    return ClusterGrader(bench, options, address=None if local else address, local=local)
