"""Where every error of the program ends: one line on standard error and an exit code."""

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
    except ForgetestError as error:
        _say(error)
        return error.exit_code
    except Fault as fault:
        typer.echo(f"error: {fault.message}", err=True)
        return ExitCode.USAGE
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        # The reader of our output went away, as `head` does; nothing is left to say to it.
        sys.stderr.close()
        return ExitCode.DONE
    except Exception:  # noqa: BLE001 - the last boundary: whatever comes here is our bug
        _report_bug(traceback.format_exc())
        return ExitCode.BUG
    return ExitCode.DONE


def _code(leave: SystemExit) -> int:
    if isinstance(leave.code, int):
        return leave.code
    return ExitCode.DONE if leave.code is None else ExitCode.USAGE


def _say(error: ForgetestError) -> None:
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
