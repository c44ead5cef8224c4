"""What the commands that grade prepare: configuration, options, cases, and a workbench.

A command calls these from top to bottom: it reads `forgetest.toml`, lays its options over it, loads
the chosen cases, and sets up the toolchain, the sandbox and the grader.
"""

import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import platformdirs
import typer
from pydantic import ValidationError
from rich.console import Console

from forgetest.check.deep import Checks, CheckStore
from forgetest.check.types import CaseCheck, Severity
from forgetest.cli.interrupts import INTERRUPTS
from forgetest.cli.options import comma_list, config_path, whole_numbers
from forgetest.errors import ConfigError
from forgetest.evalset.load import load
from forgetest.evalset.select import keep, select
from forgetest.evalset.types import EvalSet
from forgetest.grading.grader import Grader
from forgetest.grading.graders import RepeatedGrading
from forgetest.grading.limits import Limits, demand_allowance, use_all_files
from forgetest.grading.verdict_store import VerdictStore
from forgetest.render.safe import one_line
from forgetest.run.manifest import LeftOut
from forgetest.run.settings import CacheTable, RunTable, Settings
from forgetest.runner.config import Config, load_config
from forgetest.runner.session import Workbench
from forgetest.sandbox.backends import AUTO
from forgetest.sandbox.choose import choose
from forgetest.sandbox.types import Held
from forgetest.system.process import KIB, MIB
from forgetest.system.toolchain import Toolchain
from forgetest.value import count

# A compiler takes 150 MB for a one-page sample, a test what its limit allows; few need as much.
_MEMORY_PER_WORKER = 512 * MIB
_SINGULAR = {"eval-sets": "eval-set", "variants": "variant"}
_AVAILABLE = re.compile(r"^MemAvailable:\s+(\d+) kB$", re.MULTILINE)


def configuration(path: Path | None) -> Config:
    """Return the named configuration, or the one in this folder, or an empty one."""
    file = config_path(path)
    return Config() if file is None else load_config(file, os.environ)


def run_table(
    *,
    eval_sets: Sequence[Path] | None = None,
    models: Sequence[str] | None = None,
    variants: Sequence[str] | None = None,
    pass_k: Sequence[str] | None = None,
    output: Path | None = None,
    no_verdict_cache: bool = False,
    **others: float | str | None,
) -> RunTable:
    """Return the `[run]` table that the options make; ConfigError names a wrong option."""
    options = {
        **others,
        "eval_sets": tuple(map(str, eval_sets)) if eval_sets else None,
        "models": comma_list(models),
        "variants": comma_list(variants),
        "pass_k": whole_numbers("--pass-k", pass_k),
        "output": None if output is None else str(output),
        "verdict_cache": False if no_verdict_cache else None,
    }
    try:
        return RunTable.model_validate(options)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        option = option_name(str(first["loc"][0]))
        raise ConfigError(f"{option}: {first['msg'][0].lower()}{first['msg'][1:]}") from None


def option_name(key: str) -> str:
    """Return the option of a key of `[run]`."""
    words = key.removesuffix("_secs").replace("_", "-")
    return f"--{_SINGULAR.get(words, words)}"


def load_cases(
    paths: Sequence[Path],
    *,
    filters: Sequence[str] | None = None,
    globs: Sequence[str] | None = None,
    limit: int | None = None,
) -> tuple[EvalSet, ...]:
    """Return the eval sets of files and folders with the cases that the options select.

    `EvalSetError` carries every problem of every file. A note says where a shipped set stands in
    for a file that is not there.
    """
    eval_sets = load(paths)
    for path in paths:
        if len(path.parts) > 1 and not path.exists():
            note = f"note: there is no {path} here: using the eval set that ships with forgetest"
            typer.echo(note, err=True)
    return select(eval_sets, filters=filters or (), cases=comma_list(globs) or (), limit=limit)


def planned_cases(
    settings: Settings,
    *,
    filters: Sequence[str] | None,
    globs: Sequence[str] | None,
    limit: int | None,
) -> tuple[EvalSet, ...]:
    """Return the selected cases of a run; --timeout replaces their own time limits."""
    eval_sets = load_cases(settings.eval_sets, filters=filters, globs=globs, limit=limit)
    if settings.timeout_secs is None:
        return eval_sets
    longest = {"timeout_secs": settings.timeout_secs}
    return tuple(
        eval_set.model_copy(
            update={"cases": tuple(case.model_copy(update=longest) for case in eval_set.cases)}
        )
        for eval_set in eval_sets
    )


def workbench(table: RunTable, *, allow_custom_checks: bool, cache: CacheTable) -> Workbench:
    """Return the toolchain, the sandbox and a grader; custom checks fail unless allowed.

    Raises `ToolchainError` without a compiler, or without the sandbox that `table` names.
    """
    demand_allowance(Limits())
    use_all_files()
    toolchain = Toolchain.resolve(os.environ)
    folder = cache_folder()
    sandbox = INTERRUPTS.run(choose(table.sandbox or AUTO, toolchain=toolchain, cache=folder))
    grader = Grader(
        toolchain,
        cache=folder,
        sandbox=sandbox,
        allow_custom_checks=allow_custom_checks,
        dependency_budget=cache.dependencies_mib * MIB,
    )
    times = table.repeat_grading or 1
    # Without a sandbox, a sample could write verdicts for itself and for others.
    unsafe = sandbox.guarantees.write is not Held.ENFORCED
    return Workbench(
        toolchain=toolchain,
        grader=grader,
        case_grader=RepeatedGrading(grader, times) if times > 1 else grader,
        sandbox=sandbox,
        parallelism=table.parallelism or workers(),
        verdicts=None if table.verdict_cache is False or unsafe else verdict_store(cache),
    )


def cache_folder() -> Path:
    """Return the folder of built dependencies, verdicts and checks."""
    return platformdirs.user_cache_path("forgetest")


def verdict_store(cache: CacheTable) -> VerdictStore:
    """Return the verdicts of earlier runs."""
    return VerdictStore(cache_folder(), budget=cache.verdicts_mib * MIB)


def check_store(bench: Workbench) -> CheckStore | None:
    """Return the results of earlier checks; None where verdicts are not cached either."""
    return None if bench.verdicts is None else CheckStore(cache_folder())


def without_broken(
    eval_sets: Sequence[EvalSet], bench: Workbench, *, quiet: bool
) -> tuple[tuple[EvalSet, ...], tuple[LeftOut, ...]]:
    """Return the eval sets without broken cases, and the broken cases with the reason.

    Prints each of them on standard error. ConfigError when every case is broken.
    """
    console = Console(stderr=True, highlight=False, quiet=quiet)
    cases = count(sum(len(eval_set.cases) for eval_set in eval_sets), "case")
    console.print(f"checking {cases} before the run", markup=False)
    checker = Checks(bench.grader, bench.parallelism, mutants=False, store=check_store(bench))
    checks = INTERRUPTS.run(checker.all(eval_sets))
    left_out = tuple(
        LeftOut(case=check.case, reason=_why_broken(check))
        for check in checks.values()
        if check.broken
    )
    for line in _skipping_lines(checks.values(), left_out):
        console.print(line, markup=False, soft_wrap=True)
    broken = {case.case for case in left_out}
    kept = keep(eval_sets, lambda case: case.key not in broken)
    if not kept:
        raise ConfigError("every case is broken: run forgetest validate --deep and fix them")
    return kept, left_out


def _why_broken(check: CaseCheck) -> str:
    return next(
        finding.message for finding in check.findings if finding.severity is Severity.BROKEN
    )


def _skipping_lines(checks: Iterable[CaseCheck], left_out: Iterable[LeftOut]) -> Iterator[str]:
    """Yield a line for each broken case, and for each that stays although it was not checked."""
    for case in left_out:
        yield f"skipped: {case.case}: {one_line(case.reason)}"
    for check in checks:
        for finding in check.findings:
            if finding.severity is Severity.UNCHECKED:
                yield f"not checked, kept: {check.case}: {one_line(finding.message)}"


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def workers() -> int:
    """Return how many samples to grade in parallel: one per core, as far as memory allows."""
    return max(1, min(cores(), available_memory() // _MEMORY_PER_WORKER))


def available_memory() -> int:
    """Return the bytes of free memory; no limit where the system does not tell."""
    try:
        match = _AVAILABLE.search(Path("/proc/meminfo").read_text(encoding="ascii"))
    except OSError:
        return sys.maxsize
    return int(match[1]) * KIB if match else sys.maxsize
