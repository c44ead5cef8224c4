"""Carries out `forgetest validate`, but for --deep."""

from collections.abc import Sequence
from pathlib import Path

import typer

from forgetest.check.anchors import AnchorCheck, check_anchors
from forgetest.cli.interrupts import INTERRUPTS
from forgetest.cli.picked import ALL_CASES, Picked
from forgetest.cli.printing import counter, results
from forgetest.cli.setup import configuration, workbench
from forgetest.errors import CratesError, ExitCode
from forgetest.evalset.types import EvalSet
from forgetest.render.checks import case_line, validation_table
from forgetest.runner.session import Workbench
from forgetest.settings import RunTable
from forgetest.words import count


def validate_paths(
    paths: Sequence[Path],
    *,
    grading: RunTable | None,
    checks: bool,
    quiet: bool,
    picked: Picked = ALL_CASES,
) -> ExitCode:
    """Read eval sets and grade their references as `grading` says; None reads only."""
    sets = picked.of(paths)
    if grading is None:
        cases = count(sum(len(item.cases) for item in sets), "case")
        typer.echo(f"{cases} in {count(len(sets), 'eval set')} read", err=True)
        return ExitCode.DONE
    bench = workbench(grading, allow_custom_checks=checks, cache=configuration(None).cache)
    found = INTERRUPTS.run(_check(sets, bench, quiet=quiet))
    results().print(validation_table(found))
    return ExitCode.REGRESSION if any(item.problems for item in found) else ExitCode.DONE


async def _check(sets: Sequence[EvalSet], bench: Workbench, *, quiet: bool) -> list[AnchorCheck]:
    cases = [case for item in sets for case in item.cases]
    listen = counter(len(cases), case_line, quiet=quiet)
    missing = await bench.grader.prepare_available(cases)
    for error in missing.values():
        if not isinstance(error, CratesError):  # this machine's own, and nothing about the cases
            raise error
    return await check_anchors(
        sets,
        grader=bench.remembering(),
        missing=missing,
        parallelism=bench.parallelism,
        listen=listen,
    )
