"""Turns every error of the program into one line on standard error and an exit code."""

import contextlib
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path

import typer

from forgetest.cli.streams import flush_streams
from forgetest.errors import (
    ExitCode,
    Fault,
    ForgetestError,
    OutputLostError,
    ProblemsError,
    first_cause,
)
from forgetest.version import __version__

# The base of typer's errors about the command line, which it does not export by name.
UsageError = typer.BadParameter.__base__ or typer.BadParameter
_RESULTS = (ExitCode.DONE, ExitCode.REGRESSION, ExitCode.UNSCORED)
_QUOTE = "; quote a value that holds spaces, *, ? or brackets, so that it stays one"
_NO_THREAD = "can't start new thread"  # what Python says when the system refuses one


def run_to_exit_code(program: Callable[[], object]) -> int:
    """Run the program; return its exit code, with a line on standard error for every failure."""
    try:
        code = _run(program)
    except OutputLostError:  # the line that says why is lost, too
        code = ExitCode.OUTPUT_LOST
    try:
        flush_streams()
    except OutputLostError as lost:
        return _code_of_lost_output(code, lost)
    return code


def _code_of_lost_output(code: int, lost: OutputLostError) -> int:
    """Return the exit code of a program whose output could not be written."""
    if code not in _RESULTS:
        return code
    with contextlib.suppress(OutputLostError):
        _say(lost)
    return ExitCode.OUTPUT_LOST


def _run(program: Callable[[], object]) -> int:
    try:
        code = program()
    except BaseException as error:  # noqa: BLE001 - the last boundary
        return _end(first_cause(error))
    if code == ExitCode.INTERRUPTED and not isinstance(code, ExitCode):
        return _interrupted()  # typer turned KeyboardInterrupt into this code, without a line
    return code if isinstance(code, int) else ExitCode.DONE


def _end(error: BaseException) -> int:
    """Print the error that ended the program, and return the exit code."""
    match error:
        case ForgetestError():
            _say(error)
            return error.code
        case Fault():
            _say(error)
            return ExitCode.USAGE
        case KeyboardInterrupt() | typer.Abort():
            return _interrupted()
        case SystemExit():
            return error.code if isinstance(error.code, int) else ExitCode.BUG
        case _ if _from_an_interrupt(error):
            return _interrupted()
        case _:
            return _unexpected(error)


def _from_an_interrupt(error: BaseException | None) -> bool:
    """Whether a signal lies behind an error: Python 3.11 wraps what a `__set_name__` raises."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def _interrupted() -> int:
    with contextlib.suppress(OutputLostError):  # by the terminal that hung up
        typer.echo("interrupted", err=True)
    return ExitCode.INTERRUPTED


def _unexpected(error: BaseException) -> int:
    if isinstance(error, UsageError):
        said = error.format_message()  # type: ignore[attr-defined]
        hint = _QUOTE if "unexpected extra argument" in said else ""
        typer.echo(f"error: {said}{hint}", err=True)
        return ExitCode.USAGE
    message = _system_error(error)
    if message is not None:
        typer.echo(f"error: {message}", err=True)
        return ExitCode.USAGE
    _report_bug("".join(traceback.format_exception(error)))
    return ExitCode.BUG


def _system_error(error: BaseException) -> str | None:
    """Return in a line what the system refused; None for any other error."""
    if isinstance(error, OSError) and error.strerror:
        place = "" if error.filename is None else f"{error.filename}: "
        return f"{place}{error.strerror}"
    if isinstance(error, MemoryError):
        return "out of memory: raise the limit (ulimit -v), or lower --parallelism"
    if isinstance(error, RuntimeError) and str(error) == _NO_THREAD:
        return "cannot start more threads: raise the limits (ulimit -u, ulimit -v)"
    return None


def _say(error: ForgetestError | Fault) -> None:
    if isinstance(error, ProblemsError):
        for problem in error.problems:
            typer.echo(str(problem), err=True)
        count = len(error.problems)
        typer.echo(f"error: {count} problem{'s' if count > 1 else ''} found", err=True)
    else:
        typer.echo(f"error: {error}", err=True)


def _report_bug(trace: str) -> None:
    last = trace.strip().splitlines()[-1]
    try:
        remedy = f"please report it with {_write_log(trace)}"
    except OSError as error:
        remedy = f"its log cannot be written: {error.strerror}"
    typer.echo(f"error: this is a bug in forgetest ({last}); {remedy}", err=True)


def _write_log(trace: str) -> Path:
    """Write everything known about a bug to a new file, and return its path."""
    with tempfile.NamedTemporaryFile(
        "w",
        prefix="forgetest-bug-",
        suffix=".log",
        delete=False,
        encoding="utf-8",
        errors="backslashreplace",
    ) as file:
        file.write(f"forgetest {__version__}, Python {sys.version}\n\n{trace}")
    return Path(file.name)
