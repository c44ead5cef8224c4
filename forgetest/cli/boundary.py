"""Where every error of the program ends: one line on standard error and an exit code."""

import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path

import typer

from forgetest import __version__
from forgetest.errors import ExitCode, Fault, ForgetestError, ProblemsError

# The base of every complaint about the command line, which typer itself does not export by name.
UsageError = typer.BadParameter.__base__ or typer.BadParameter


def guarded(program: Callable[[], object]) -> int:
    """Run the program; return its exit code, with a line on standard error for every failure."""
    try:
        code = program()
    except ForgetestError as error:
        _say(error)
        return error.code
    except Fault as error:
        _say(error)
        return ExitCode.USAGE
    except (KeyboardInterrupt, typer.Abort):
        return ExitCode.INTERRUPTED
    except SystemExit:
        # typer leaves so when the reader of our output went away, as `head` does: no failure.
        return ExitCode.DONE
    except Exception as error:  # noqa: BLE001 - the last boundary: what comes here is our bug
        return _unexpected(error)
    return code if isinstance(code, int) else ExitCode.DONE


def _unexpected(error: Exception) -> int:
    if isinstance(error, UsageError):
        typer.echo(f"error: {error.format_message()}", err=True)  # type: ignore[attr-defined]
        return ExitCode.USAGE
    _report_bug(traceback.format_exc())
    return ExitCode.BUG


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
