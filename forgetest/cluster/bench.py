"""A workbench whose samples are graded here, or on the cluster that `grade_on` names."""

import dataclasses
from importlib.util import find_spec
from pathlib import Path

from forgetest.errors import ConfigError
from forgetest.run.settings import CacheTable, RunTable
from forgetest.runner.session import Workbench
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
    from forgetest.cluster.grader import ClusterGrader  # noqa: PLC0415 - few grade on a cluster

    local = int(table.grade_on.removeprefix(_LOCAL)) if table.grade_on.startswith(_LOCAL) else 0
    remote = ClusterGrader(
        bench,
        address="" if local else table.grade_on,
        local=local,
        cache=cache or cache_folder(),
        dependencies_mib=limits.dependencies_mib,
        allow_custom_checks=allow_custom_checks,
    )
    return dataclasses.replace(bench, parallelism=table.parallelism or 0, remote=remote)
