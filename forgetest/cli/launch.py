"""Runs a prepared session and prints its report, for `forgetest run` and `forgetest grade`."""

import contextlib
import shlex
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from rich.console import Console

from forgetest.cli.fail_under import judge_minimums
from forgetest.cli.interrupts import INTERRUPTS
from forgetest.cli.output import open_page
from forgetest.cli.prepare import print_line
from forgetest.cli.report import (
    RunOutputs,
    present_formats,
    print_report,
    write_formats,
    write_report,
)
from forgetest.cli.runs import is_latest
from forgetest.cli.watch import Watch
from forgetest.errors import ExitCode, OutputLostError
from forgetest.render.conclusions import has_broken_cases, next_steps
from forgetest.render.formats.documents import PAGE
from forgetest.render.run import ShownRun
from forgetest.report.minimum import Minimum
from forgetest.report.types import Report
from forgetest.runner.session import Finished, Session, run_session
from forgetest.sampling.plan import Plan
from forgetest.value import readable


def launch(
    session: Session,
    outputs: RunOutputs,
    *,
    quiet: bool,
    minimums: Sequence[Minimum] = (),
    complete: Callable[[Report], Report] = lambda report: report,
) -> ExitCode:
    """Run a session, print and write its report, and return the exit code.

    What is printed is `complete(report)`. An interrupted run says how to continue it. A model below
    one of the minimums decides the exit code, even with unscored samples.
    """
    console = Console(stderr=True)
    watch = Watch(console, quiet=quiet)
    try:
        with watch:
            finished = INTERRUPTS.run(run_session(session, watch))
    except KeyboardInterrupt:
        return _interrupted(console, watch)
    lost = _print_report(complete(finished.report), outputs.printed)
    _write_files(finished, session.plan, outputs, Console(stderr=True, quiet=quiet))
    if lost is not None:
        raise OutputLostError(f"{lost}; the report is in {finished.path / 'report.json'}")
    gate = judge_minimums(finished.report, minimums)
    if finished.report.complete:
        return gate
    more = " --max-cost USD" if session.halt.too_dear else ""
    print_line(console, f"to retry unscored samples: forgetest run --resume {finished.path}{more}")
    return gate or ExitCode.UNSCORED


def _interrupted(console: Console, watch: Watch) -> ExitCode:
    graded, planned = watch.settled()
    with contextlib.suppress(OutputLostError):  # by the terminal that hung up
        if watch.path is None:
            print_line(console, "interrupted before the run began")
        else:
            print_line(console, f"interrupted: {graded} of {planned} samples graded; continue with")
            print_line(console, f"  forgetest run --resume {watch.path}")
    return ExitCode.INTERRUPTED


def _print_report(report: Report, form: str) -> OutputLostError | None:
    """Print a report; return the error that prevented it, as files are written all the same."""
    try:
        print_report(report, form)
    except OutputLostError as lost:
        return lost
    return None


def _write_files(finished: Finished, plan: Plan, outputs: RunOutputs, console: Console) -> None:
    """Write the formats that are asked for, and again those that an earlier session wrote."""
    say = partial(print_line, console)
    say(f"report: {finished.path / 'report.json'}")
    run = ShownRun(finished.report, plan.eval_sets, readable(finished.path.resolve().name))
    formats = dict.fromkeys((*outputs.written, *present_formats(finished.path)))
    write_formats(tuple(formats), [run], finished.path, say=say)
    if outputs.file is not None:
        write_report(outputs.form, [run], outputs.file, say=say)
    if has_broken_cases(finished.report):
        say("note: broken cases leave the exit code as it is; forgetest validate ends with 1")
    for line in next_steps(finished.report, _argument(finished.path)):
        say(line)
    if outputs.open_page:
        open_page(outputs.file if outputs.file and outputs.form == "html" else finished.path / PAGE)


def _argument(run: Path) -> str:
    """Return how a later command names a run; nothing where it is the one that is meant anyway."""
    return "" if is_latest(run) else shlex.quote(readable(str(run)))
