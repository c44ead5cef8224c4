"""Opens what is shown or written in full: a report with its samples, and its cases if known."""

from pathlib import Path

from forgetest.cli.sides import standard_input
from forgetest.compare.opening import STANDARD_INPUT
from forgetest.evalset.types import EvalSet
from forgetest.manifest import Manifest
from forgetest.render.run import Run
from forgetest.report.files import parse
from forgetest.report.opening import open_run
from forgetest.report.types import Report


def open_whole(name: str, *, label: str | None = None) -> Run:
    """Return the run behind a name of the command line; of an unfinished one, what there is.

    Raises ReportError and RunDirError for what can not be read.
    """
    if name == STANDARD_INPUT:
        report = parse(standard_input(), file="standard input")
        return Run(report, (), label or "standard input")
    run = open_run(Path(name))
    return Run(run.report, _eval_sets(run.report, run.manifest), label or name)


def _eval_sets(report: Report, manifest: Manifest | None) -> tuple[EvalSet, ...]:
    """Return the eval sets of a run folder, if they are those of the report."""
    sets = manifest.plan.eval_sets if manifest else ()
    known = {case.key for item in sets for case in item.cases}
    asked = {case.key for model in report.models for case in model.cases}
    return sets if asked <= known else ()
