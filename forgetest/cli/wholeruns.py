"""Opens what is shown or written in full: a report with its samples, and its cases if known."""

import sys
from pathlib import Path

from forgetest.cli.sides import standard_input
from forgetest.compare.read import STANDARD_INPUT
from forgetest.evalset.types import EvalSet
from forgetest.manifest import MANIFEST, REPORT, Manifest
from forgetest.render.run import Run
from forgetest.report.files import open_run, parse
from forgetest.report.types import Report
from forgetest.runstate import State, read_state
from forgetest.words import readable


def open_whole(name: str, *, label: str | None = None) -> Run:
    """Return the run behind a name of the command line; of an unfinished one, what there is.

    Raises ReportError and RunDirError for what can not be read.
    """
    if name == STANDARD_INPUT:
        report = parse(standard_input(), file="standard input")
        return Run(report, (), label or "standard input")
    run = open_run(Path(name))
    note_unfinished(Path(name))
    return Run(run.report, _eval_sets(run.report, run.manifest), readable(label or name))


def note_unfinished(path: Path) -> None:
    """Say on standard error why the folder of a run has no report, and how to come by one."""
    if (path / REPORT).exists() or not (path / MANIFEST).exists():
        return
    found = read_state(path)
    if found.state is State.RUNNING:
        process = f" (process {found.process})" if found.process else ""
        what = f"still running{process}; this is what there is so far"
    else:
        why = f" ({found.reason})" if found.reason else ""
        what = f"{found.state}{why}; continue with forgetest run --resume {path}"
    sys.stderr.write(f"note: {path}: {what}\n")


def _eval_sets(report: Report, manifest: Manifest | None) -> tuple[EvalSet, ...]:
    """Return the eval sets of a run folder, if they are those of the report."""
    sets = manifest.plan.eval_sets if manifest else ()
    known = {case.key for item in sets for case in item.cases}
    asked = {case.key for model in report.models for case in model.cases}
    return sets if asked <= known else ()
