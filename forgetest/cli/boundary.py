"""Where every error of the program ends: one line on standard error and an exit code."""

import os
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path

import typer

from forgetest import __version__
from forgetest.errors import ExitCode, Fault, ForgetestError, ProblemsError


def guarded(program: Callable[[], object]) -> int:
    """Run the program; return its exit code, with a line on standard error for every failure."""
    try:
        program()
    except SystemExit as leave:
        return _code(leave)
    except (ForgetestError, Fault) as error:
        _say(error)
        return ExitCode.USAGE
    except (KeyboardInterrupt, BrokenPipeError) as stop:
        return _stopped(stop)
    except Exception:  # noqa: BLE001 - the last boundary: whatever comes here is our bug
        _report_bug(traceback.format_exc())
        return ExitCode.BUG
    return ExitCode.DONE


def _stopped(stop: BaseException) -> int:
    """Return the code of an interrupt; a reader that went away, as `head` does, is no failure."""
    if isinstance(stop, KeyboardInterrupt):
        return ExitCode.INTERRUPTED
    # Python flushes standard output once more at exit, which would complain.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return ExitCode.DONE


def _code(leave: SystemExit) -> int:
    if isinstance(leave.code, int):
        return leave.code
    return ExitCode.DONE if leave.code is None else ExitCode.USAGE


def _say(error: ForgetestError | Fault) -> None:
    if isinstance(error, ProblemsError):
        for problem in error.problems:
            typer.echo(str(problem), err=True)
        count = len(error.problems)
        typer.echo(f"error: {count} problem{'s' if count > 1 else ''} found", err=True)
    else:
        typer.echo(f"error: {error}", err=True)


def _report_bug(trace: str) -> None:
    with tempfile.NamedTemporaryFile(
        "w", prefix="forgetest-bug-", suffix=".log", delete=False, encoding="utf-8"
    ) as file:
        file.write(f"forgetest {__version__}, Python {sys.version}\n\n{trace}")
    last = trace.strip().splitlines()[-1]
    typer.echo(
        f"error: this is a bug in forgetest ({last}); please report it with {Path(file.name)}",
        err=True,
    )
