"""What the commands that grade prepare: what is asked of a run, the chosen cases, a workbench.

A workbench is the toolchain, the sandbox and the grader. Configuration and options come first, in
`configuration`.
"""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from rich.console import Console

from forgetest.api import start
from forgetest.api.start import RunRequest
from forgetest.cli.interrupts import INTERRUPTS
from forgetest.cli.options import comma_list
from forgetest.evalset.types import EvalSet
from forgetest.run.settings import CacheTable, RunTable
from forgetest.runner.config import Config
from forgetest.runner.session import Workbench
from forgetest.value import readable


def run_request(
    options: RunTable,
    config: Config,
    *,
    quiet: bool,
    allow_custom_checks: bool,
    filters: Sequence[str] | None = None,
    globs: Sequence[str] | None = None,
    limit: int | None = None,
    strict_params: bool = False,
    fail_fast: bool = False,
) -> RunRequest:
    """Return what a command line asks of a run; what it says before goes to standard error."""
    console = Console(stderr=True, quiet=quiet)
    return RunRequest(
        options=options,
        config=config,
        command=("forgetest", *map(readable, sys.argv[1:])),
        filters=filters or (),
        globs=comma_list(globs) or (),
        limit=limit,
        strict_params=strict_params,
        fail_fast=fail_fast,
        allow_custom_checks=allow_custom_checks,
        say=lambda line: print_line(console, line),
    )


def load_cases(
    paths: Sequence[Path],
    *,
    filters: Sequence[str] | None = None,
    globs: Sequence[str] | None = None,
    limit: int | None = None,
) -> tuple[EvalSet, ...]:
    """Return the eval sets of files and folders with the cases that the options select.

    `EvalSetError` carries every problem of every file.
    """
    console = Console(stderr=True)
    return start.load_cases(
        paths,
        say=lambda line: print_line(console, line),
        filters=filters or (),
        globs=comma_list(globs) or (),
        limit=limit,
    )


def workbench(table: RunTable, *, allow_custom_checks: bool, cache: CacheTable) -> Workbench:
    """Return the toolchain, the sandbox and a grader; custom checks fail unless allowed.

    Raises `ToolchainError` without a compiler, or without the sandbox that `table` names.
    """
    request = RunRequest(config=Config(cache=cache), allow_custom_checks=allow_custom_checks)
    return INTERRUPTS.run(request.workbench(table))


def say_notes(notes: Iterable[str], *, quiet: bool) -> None:
    """Print what the user should know before the run begins, a line each."""
    for note in notes:
        print_line(Console(stderr=True, quiet=quiet), f"note: {note}")


def print_line(console: Console, text: str) -> None:
    """Print a line as it is, however long."""
    console.print(text, highlight=False, markup=False, soft_wrap=True)
