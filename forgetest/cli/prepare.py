"""What every command that grades prepares: configuration, eval sets, toolchain, grader.

Which cases of eval sets the command line names.
"""

import os
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import platformdirs
from pydantic import ValidationError

from forgetest.cli.interrupts import INTERRUPTS
from forgetest.errors import ConfigError
from forgetest.evalset.load import load
from forgetest.evalset.select import select
from forgetest.evalset.types import EvalSet
from forgetest.grading.grader import Grader
from forgetest.grading.graders import RepeatedGrading
from forgetest.grading.limits import Limits, demand_allowance, use_all_files
from forgetest.grading.verdict_store import VerdictStore
from forgetest.run.settings import CacheTable, RunTable, Settings
from forgetest.runner.config import Config, load_config
from forgetest.runner.session import Workbench
from forgetest.sandbox.backends import AUTO
from forgetest.sandbox.choose import choose
from forgetest.sandbox.sandbox import Sandbox
from forgetest.sandbox.types import Held
from forgetest.system.process import KIB, MIB
from forgetest.system.toolchain import Toolchain


@dataclass(frozen=True, slots=True)
class CaseFilter:
    """What --filter and --case say."""

    tags: Sequence[str] = ()
    globs: Sequence[str] = ()

    def of(self, paths: Sequence[Path]) -> tuple[EvalSet, ...]:
        """Return the eval sets of files and folders with these cases.

        `EvalSetError` carries every problem of every file.
        """
        return select(load(paths), filters=self.tags, cases=self.globs)


ALL_CASES = CaseFilter()


CONFIG = Path("forgetest.toml")
# A compiler takes 150 MB for a sample of a page, a test what its limit allows and few ever want.
_MEMORY_PER_WORKER = 512 * MIB
_AVAILABLE = re.compile(r"^MemAvailable:\s+(\d+) kB$", re.MULTILINE)


def configuration(path: Path | None) -> Config:
    """Return the configuration named, or the one in this folder, or an empty one."""
    if path is None:
        return load_config(CONFIG, os.environ) if CONFIG.exists() else Config()
    if not path.is_file():
        raise ConfigError(f"{path}: no such configuration file")
    return load_config(path, os.environ)


def cache_folder() -> Path:
    """Return where built dependencies and verdicts are kept."""
    return platformdirs.user_cache_path("forgetest")


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def workers() -> int:
    """Return how many samples to grade at once: one for each core that memory allows."""
    fitting = available_memory() // _MEMORY_PER_WORKER
    return max(1, min(cores(), fitting))


def available_memory() -> int:
    """Return the bytes of memory that may be used now; no limit where the system does not say."""
    try:
        found = _AVAILABLE.search(Path("/proc/meminfo").read_text(encoding="ascii"))
    except OSError:
        return sys.maxsize
    return int(found[1]) * KIB if found else sys.maxsize


def eval_sets(
    settings: Settings, *, tags: Sequence[str], globs: Sequence[str]
) -> tuple[EvalSet, ...]:
    """Return the eval sets with the chosen cases, and the time limit of the command line."""
    chosen = CaseFilter(tags, globs).of(settings.eval_sets)
    if settings.timeout_secs is None:
        return chosen
    limit = {"timeout_secs": settings.timeout_secs}
    return tuple(
        item.model_copy(
            update={"cases": tuple(case.model_copy(update=limit) for case in item.cases)}
        )
        for item in chosen
    )


def workbench(table: RunTable, *, allow_custom_checks: bool, cache: CacheTable) -> Workbench:
    """Return the toolchain and a grader, which refuses custom checks unless they are allowed.

    Raises `ToolchainError` when there is no compiler, or no sandbox as `table` wants it.
    """
    demand_allowance(Limits())
    use_all_files()
    toolchain = Toolchain.resolve(os.environ)
    folder = cache_folder()
    wanted = table.sandbox or AUTO
    sandbox = INTERRUPTS.run(choose(wanted, toolchain=toolchain, cache=folder))
    grader = Grader(
        toolchain,
        cache=folder,
        sandbox=sandbox,
        allow_custom_checks=allow_custom_checks,
        dependency_budget=cache.dependencies_mib * MIB,
    )
    return Workbench(
        toolchain=toolchain,
        grader=grader,
        judge=RepeatedGrading(grader, times)
        if (times := table.repeat_grading or 1) > 1
        else grader,
        sandbox=sandbox,
        parallelism=table.parallelism or workers(),
        verdicts=_store(table, sandbox, cache),
    )


def _store(table: RunTable, sandbox: Sandbox, cache: CacheTable) -> VerdictStore | None:
    """Return the verdicts of earlier runs, unless they are not wanted or cannot be kept safe.

    Without a sandbox any sample could write verdicts, for itself and for others.
    """
    if table.verdict_cache is False or sandbox.guarantees.write is not Held.ENFORCED:
        return None
    return verdict_store(cache)


def verdict_store(cache: CacheTable) -> VerdictStore:
    """Return the verdicts of earlier runs."""
    return VerdictStore(cache_folder(), budget=cache.verdicts_mib * MIB)


def run_table(
    *,
    eval_sets: Sequence[Path] | None = None,
    models: str | None = None,
    pass_k: str | None = None,
    output: Path | None = None,
    **rest: float | str | None,
) -> RunTable:
    """Return what the command line says of a run; ConfigError names a wrong option."""
    said = {
        **rest,
        "eval_sets": tuple(str(path) for path in eval_sets) if eval_sets else None,
        "models": _words(models),
        "pass_k": None if pass_k is None else _numbers(pass_k),
        "output": None if output is None else str(output),
    }
    try:
        return RunTable.model_validate(said)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        option = str(first["loc"][0]).removesuffix("_secs").replace("_", "-")
        raise ConfigError(f"--{option}: {first['msg'][0].lower()}{first['msg'][1:]}") from None


def _words(text: str | None) -> tuple[str, ...] | None:
    if text is None:
        return None
    return tuple(word.strip() for word in text.split(",") if word.strip())


def _numbers(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(word) for word in text.split(","))
    except ValueError:
        raise ConfigError(f"--pass-k {text}: give whole numbers such as 1,5") from None
