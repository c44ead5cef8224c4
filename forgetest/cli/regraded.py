"""Grades the baseline of a comparison again, with today's toolchain and grader."""

import dataclasses
from pathlib import Path

from rich.console import Console

from forgetest.cli.comparing import Regrading
from forgetest.cli.launch import Request, carried_out
from forgetest.cli.regrade import regrading
from forgetest.cli.table import run_table
from forgetest.cli.watch import Watch
from forgetest.compare.read import open_side
from forgetest.compare.side import Side
from forgetest.errors import ConfigError
from forgetest.folders import temporary_folder
from forgetest.manifest import MANIFEST, REPORT
from forgetest.runner.regrade import RecordedRun


def regraded(name: str, then: Side, asked: Regrading) -> Side:
    """Return the run behind a side with its completions graded now; nothing of it is kept.

    Raises ConfigError when `name` leads to no run folder, and what grading a run raises.
    """
    folder = _run_folder(name)
    request = Request(
        table=run_table(sandbox=asked.sandbox),
        config=asked.config,
        allow_custom_checks=asked.allow_custom_checks,
        quiet=asked.quiet,
    )
    watch = Watch(Console(stderr=True), quiet=asked.quiet)
    with temporary_folder() as root:
        opening, bench, plan = regrading(folder, root, request)
        sources = RecordedRun(folder)
        finished = carried_out(opening, bench, sources, plan=plan, watch=watch)
        side = open_side(str(finished.path))
    return dataclasses.replace(side, file=then.file, created=then.created)


def _run_folder(name: str) -> Path:
    path = Path(name)
    folder = path.parent if path.name == REPORT else path
    if not (folder / MANIFEST).is_file():
        raise ConfigError(
            f"{name}: --regrade needs the baseline's run folder: a report alone has no tests"
        )
    return folder
