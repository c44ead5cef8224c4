"""`forgetest runs` lists the runs; the rest opens those that other commands read.

`open_named` counts a run, for numbers; `open_whole` reads all of its samples, to show them;
`latest` is the run that is meant when none is named.
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import Annotated

import typer

from forgetest.cli import options as opt
from forgetest.errors import ConfigError, ForgetestError

if opt.CALLED:
    from forgetest.cli.terminal import check_format, print_tables, write_out
    from forgetest.compare.read import STANDARD_INPUT, open_compared
    from forgetest.compare.side import Side
    from forgetest.evalset.types import EvalSet
    from forgetest.render.numbers import more
    from forgetest.render.run import ShownRun
    from forgetest.render.run_list import LISTED_RUNS, ListedRun, run_list_markdown, run_list_tables
    from forgetest.report.files import open_run, parse_report, read_pass_rates
    from forgetest.report.types import Report
    from forgetest.run.folder import read_manifest
    from forgetest.run.history import latest_run, run_folders
    from forgetest.run.manifest import MANIFEST, REPORT, Manifest
    from forgetest.run.records import JournalRecords
    from forgetest.run.rounds import settled
    from forgetest.run.state import State, read_state
    from forgetest.value import readable

LEAST_ALPHA = 1e-12  # below this, an interval covers everything
MOST_LISTED = 20

FolderArgument = Annotated[
    Path | None,
    typer.Argument(
        metavar="DIR", help="Folder of run folders. Default: runs, or that of forgetest.toml."
    ),
]
AllOption = Annotated[
    bool, typer.Option("--all", "-a", help=f"List all runs, not only the latest {MOST_LISTED}.")
]


def runs(
    folder: FolderArgument = None, all_: AllOption = False, format_: opt.TextFormat = "text"
) -> None:
    """List the runs, the latest first: state, eval sets, and the pass rate of each model.

    Example: forgetest runs
    """
    check_format(format_)
    root = runs_folder() if folder is None else folder
    folders = run_folders(root)
    if not folders:
        raise ConfigError(f"no run below {root}: name another folder, or start with forgetest run")
    shown = folders if all_ else folders[:MOST_LISTED]
    listed, hidden = [_listed(path) for path in shown], len(folders) - len(shown)
    match format_:
        case "json":
            write_out(LISTED_RUNS.dump_json(listed, indent=1).decode() + "\n", None)
        case "markdown":
            write_out(run_list_markdown(listed, hidden=hidden), None)
        case _:
            print_tables(lambda width: run_list_tables(listed, hidden=hidden, width=width))


def _listed(path: Path) -> ListedRun:
    """Return what a run folder says of its run, or why it cannot be read."""
    name = readable(str(path))
    try:
        manifest, state = read_manifest(path), read_state(path)
        planned = manifest.plan.size
        graded = planned if state.state is State.COMPLETE else _graded(path, manifest)
    except ForgetestError as error:
        return ListedRun(run=name, problem=str(error).removeprefix(f"{path}/"))
    return ListedRun(
        run=name,
        created=manifest.created,
        state=state.state,
        reason=state.reason,
        graded=graded,
        planned=planned,
        eval_sets=tuple(item.id for item in manifest.plan.eval_sets),
        models=tuple(map(str, manifest.plan.models)),
        pass_rates=read_pass_rates(path),
    )


def _graded(path: Path, manifest: Manifest) -> int:
    """Return how many samples are graded so far; RunDirError for a damaged journal."""
    return len(settled(manifest.plan, JournalRecords(path, manifest.plan)))


def runs_folder() -> Path:
    """Return the folder in which a run makes its own; ConfigError for a wrong forgetest.toml."""
    from forgetest.cli.configuration import configuration

    return configuration(None).run.runs_folder


def latest() -> Path:
    """Return the latest run with results, and say on standard error which it is.

    Newer runs that it stands in for are named. Raises RunDirError where there is no run.
    """
    path, empty = latest_run(runs_folder())
    what = "latest run with results" if empty else "latest run"
    sys.stderr.write(f"{what}: {readable(str(path))}\n")
    if empty:
        newer = f"{readable(str(empty[0]))} ({read_state(empty[0]).state})"
        rest = more(len(empty) - 1, "run")
        sys.stderr.write(f"note: newer, without any: {newer}{f' {rest}' if rest else ''}\n")
    return path


def is_latest(run: Path) -> bool:
    """Tell whether a run is the one that is meant where none is named."""
    root = runs_folder()
    return root.resolve() == run.resolve().parent and latest_run(root)[0].name == run.name


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
    return open_compared(name, allow_incomplete=allow_incomplete, standard_input=standard_input)


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
