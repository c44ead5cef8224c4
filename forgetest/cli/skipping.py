"""Leaves broken cases out of a run, before anything is paid for: `--skip-broken`."""

from collections.abc import Iterable, Iterator, Sequence

from rich.console import Console

from forgetest.check.deep import Checks
from forgetest.check.types import CaseCheck, Severity
from forgetest.cli.deepcheck import TIMES, check_store
from forgetest.cli.interrupts import INTERRUPTS
from forgetest.errors import ConfigError
from forgetest.evalset.select import keep
from forgetest.evalset.types import EvalSet
from forgetest.manifest import LeftOut
from forgetest.render.safe import one_line
from forgetest.runner.session import Workbench
from forgetest.words import count

EvalSets = tuple[EvalSet, ...]


def without_broken(
    sets: Sequence[EvalSet], bench: Workbench, *, quiet: bool
) -> tuple[EvalSets, tuple[LeftOut, ...]]:
    """Return the eval sets without broken cases, and what was left out and why.

    Says so on standard error, a line for each. ConfigError when no case is sound.
    """
    console = Console(stderr=True, highlight=False, quiet=quiet)
    cases = count(sum(len(item.cases) for item in sets), "case")
    console.print(f"checking {cases} before asking", markup=False)
    checker = Checks(
        bench.grader, bench.parallelism, times=TIMES, mutants=False, store=check_store(bench)
    )
    found = INTERRUPTS.run(checker.all(sets))
    gone = tuple(_left_out(check) for check in found.values() if check.broken)
    for line in _lines(found.values(), gone):
        console.print(line, markup=False, soft_wrap=True)
    names = {one.case for one in gone}
    kept = keep(sets, lambda case: case.key not in names)
    if not kept:
        raise ConfigError("every case is broken; see forgetest validate --deep, and mend them")
    return kept, gone


def _lines(found: Iterable[CaseCheck], gone: Iterable[LeftOut]) -> Iterator[str]:
    """Yield what is left out and why, and what is asked although nothing is known of it."""
    for one in gone:
        yield f"left out: {one.case}: {one_line(one.reason)}"
    for check in found:
        for finding in check.findings:
            if finding.severity is Severity.UNCHECKED:
                yield f"not checked, and kept: {check.case}: {one_line(finding.message)}"


def _left_out(check: CaseCheck) -> LeftOut:
    why = (one.message for one in check.findings if one.severity is Severity.BROKEN)
    return LeftOut(case=check.case, reason=next(why))
