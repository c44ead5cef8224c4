"""Opens the runs that `compare`, `rank`, `report` and `show` read, and checks --alpha.

`open_named` counts a run, for numbers; `open_whole` reads all of its samples, to show them.
"""

import sys
from functools import cache
from pathlib import Path

from forgetest.compare.read import STANDARD_INPUT, is_unfinished, open_side, open_unfinished
from forgetest.compare.side import Side
from forgetest.errors import ConfigError
from forgetest.evalset.types import EvalSet
from forgetest.render.run import ShownRun
from forgetest.report.files import open_run, parse_report
from forgetest.report.types import Report
from forgetest.run.manifest import MANIFEST, REPORT, Manifest
from forgetest.run.state import State, read_state
from forgetest.value import readable

LEAST_ALPHA = 1e-12  # below this, an interval covers everything


def check_alpha(alpha: float) -> None:
    """Raise ConfigError for an alpha that makes no test."""
    if not 0 < alpha < 1:
        raise ConfigError(f"--alpha must be between 0 and 1, got {alpha:g}")
    if alpha < LEAST_ALPHA:
        raise ConfigError(f"--alpha must be at least {LEAST_ALPHA:g}, got {alpha:g}")


def open_named(name: str, *, allow_incomplete: bool) -> Side:
    """Return the run that the command line names, counted; an unfinished one only if allowed.

    Raises ReportError, RunDirError and UnfinishedError.
    """
    if name != STANDARD_INPUT and is_unfinished(name):
        return open_unfinished(Path(name), allow_incomplete=allow_incomplete)
    return open_side(name, standard_input=standard_input)


@cache
def standard_input() -> bytes:
    """Return all of standard input, also when asked again; ConfigError when it cannot be read."""
    if sys.stdin is None:
        raise ConfigError("standard input is closed: name a file, or pipe a report in")
    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise ConfigError(f"standard input: cannot be read: {error.strerror}") from None


def open_whole(name: str, *, label: str | None = None) -> ShownRun:
    """Return the run that the command line names, whole; of an unfinished one, its results so far.

    Raises ReportError and RunDirError for what cannot be read.
    """
    if name == STANDARD_INPUT:
        report = parse_report(standard_input(), file="standard input")
        return ShownRun(report, (), label or "standard input")
    run = open_run(Path(name))
    note_unfinished(Path(name))
    return ShownRun(run.report, _eval_sets(run.report, run.manifest), readable(label or name))


def note_unfinished(path: Path) -> None:
    """Say on standard error why a run folder has no report, and how to get one."""
    if (path / REPORT).exists() or not (path / MANIFEST).exists():
        return
    run = read_state(path)
    if run.state is State.RUNNING:
        process = f" (process {run.process})" if run.process else ""
        note = f"still running{process}; showing its results so far"
    else:
        reason = f" ({run.reason})" if run.reason else ""
        note = f"{run.state}{reason}; continue with forgetest run --resume {path}"
    sys.stderr.write(f"note: {path}: {note}\n")


def _eval_sets(report: Report, manifest: Manifest | None) -> tuple[EvalSet, ...]:
    """Return the eval sets of a run folder, if they are those of the report."""
    sets = manifest.plan.eval_sets if manifest else ()
    known = {case.key for eval_set in sets for case in eval_set.cases}
    asked = {case.key for model in report.models for case in model.cases}
    return sets if asked <= known else ()
