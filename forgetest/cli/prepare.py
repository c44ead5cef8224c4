"""What the commands that grade prepare: the chosen cases, and a workbench.

A workbench is the toolchain, the sandbox and the grader. Configuration and options come first, in
`configuration`.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import typer
from rich.console import Console

from forgetest.check.deep import Checks, CheckStore
from forgetest.check.types import CaseCheck, Severity
from forgetest.cli.interrupts import INTERRUPTS
from forgetest.cli.options import comma_list
from forgetest.errors import ConfigError
from forgetest.evalset.load import load
from forgetest.evalset.select import keep, select
from forgetest.evalset.types import EvalSet
from forgetest.render.safe import one_line
from forgetest.run.manifest import LeftOut
from forgetest.run.settings import CacheTable, RunTable, Settings
from forgetest.runner.session import Workbench
from forgetest.runner.workbench import open_workbench
from forgetest.system.machine import cache_folder, workers
from forgetest.value import count


def load_cases(
    paths: Sequence[Path],
    *,
    filters: Sequence[str] | None = None,
    globs: Sequence[str] | None = None,
    limit: int | None = None,
) -> tuple[EvalSet, ...]:
    """Return the eval sets of files and folders with the cases that the options select.

    `EvalSetError` carries every problem of every file. A note says where a shipped set is in
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
    opening = open_workbench(
        table,
        cache,
        workers=workers(),
        folder=cache_folder(),
        allow_custom_checks=allow_custom_checks,
    )
    return INTERRUPTS.run(opening)


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
