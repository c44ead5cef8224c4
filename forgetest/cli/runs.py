"""What `compare` and `rank` share: how their runs are opened, and which alpha they take.

Opens what is shown or written in full: a report with its samples, and its cases if known.
"""

import sys
from functools import cache
from pathlib import Path

from forgetest.compare.read import STANDARD_INPUT, is_unfinished, open_side
from forgetest.compare.side import Side
from forgetest.errors import ConfigError
from forgetest.evalset.types import EvalSet
from forgetest.render.run import ShownRun
from forgetest.report.files import open_run, parse_report
from forgetest.report.types import Report
from forgetest.run.manifest import MANIFEST, REPORT, Manifest
from forgetest.run.state import State, read_state
from forgetest.value import readable

LEAST_ALPHA = 1e-12  # less is no other interval than all of it


def check_alpha(alpha: float) -> None:
    """Raise ConfigError for what is no chance, or one too small to tell from none."""
    if not LEAST_ALPHA <= alpha < 1:
        raise ConfigError(f"--alpha {alpha:g} is no chance between 0 and 1, such as 0.05")


def open_named(name: str, *, allow_incomplete: bool) -> Side:
    """Return the side behind a name of the command line, of an unfinished run only if allowed.

    Raises ReportError, RunDirError and UnfinishedError.
    """
    if name != STANDARD_INPUT and is_unfinished(name):
        from forgetest.compare.read import open_unfinished  # what reads a journal is large

        return open_unfinished(Path(name), allow_incomplete=allow_incomplete)
    return open_side(name, standard_input=standard_input)


@cache
def standard_input() -> bytes:
    """Return all of standard input, as often as asked; ConfigError when it cannot be read."""
    if sys.stdin is None:
        raise ConfigError("standard input is closed; name a file, or pipe a report in")
    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise ConfigError(f"standard input: cannot be read: {error.strerror}") from None


def open_whole(name: str, *, label: str | None = None) -> ShownRun:
    """Return the run behind a name of the command line; of an unfinished one, what there is.

    Raises ReportError and RunDirError for what cannot be read.
    """
    if name == STANDARD_INPUT:
        report = parse_report(standard_input(), file="standard input")
        return ShownRun(report, (), label or "standard input")
    run = open_run(Path(name))
    note_unfinished(Path(name))
    return ShownRun(run.report, _eval_sets(run.report, run.manifest), readable(label or name))


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
