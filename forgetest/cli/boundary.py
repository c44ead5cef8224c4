"""Where every error of the program ends: one line on standard error and an exit code."""

import contextlib
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path

import typer

from forgetest import __version__
from forgetest.cli.streams import flush_streams
from forgetest.errors import ExitCode, Fault, ForgetestError, OutputLostError, ProblemsError

# The base of every complaint about the command line, which typer itself does not export by name.
UsageError = typer.BadParameter.__base__ or typer.BadParameter
_RESULTS = (ExitCode.DONE, ExitCode.REGRESSION, ExitCode.UNSCORED)
_THREADLESS = "can't start new thread"  # what Python says when the system grants none


def guarded(program: Callable[[], object]) -> int:
    """Run the program; return its exit code, with a line on standard error for every failure."""
    try:
        code = _carried_out(program)
    except OutputLostError:  # and the line that says why with it
        code = ExitCode.OUTPUT_LOST
    try:
        flush_streams()
    except OutputLostError as lost:
        return _without_result(code, lost)
    return code


def _without_result(code: int, lost: OutputLostError) -> int:
    """Return what the program leaves with when what it found could not be written."""
    if code not in _RESULTS:
        return code
    with contextlib.suppress(OutputLostError):
        _say(lost)
    return ExitCode.OUTPUT_LOST


def _carried_out(program: Callable[[], object]) -> int:
    try:
        code = program()
    except BaseException as error:  # noqa: BLE001 - the last boundary
        return _told(_first_cause(error))
    if isinstance(code, int) and not isinstance(code, ExitCode) and code == ExitCode.INTERRUPTED:
        return (
            _interrupted()
        )  # typer's own word for KeyboardInterrupt, of which nothing is said yet
    return code if isinstance(code, int) else ExitCode.DONE


def _told(error: BaseException) -> int:
    """Say what ended the program, and return what it leaves with."""
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
        case _:
            return _unexpected(error)


def _interrupted() -> int:
    with contextlib.suppress(OutputLostError):  # by the terminal that hung up
        typer.echo("interrupted", err=True)
    return ExitCode.INTERRUPTED


def _first_cause(error: BaseException) -> BaseException:
    """Return the first of the errors that tasks ended with together."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _unexpected(error: BaseException) -> int:
    if isinstance(error, UsageError):
        typer.echo(f"error: {error.format_message()}", err=True)  # type: ignore[attr-defined]
        return ExitCode.USAGE
    refusal = _refusal(error)
    if refusal is not None:
        typer.echo(f"error: {refusal}", err=True)
        return ExitCode.USAGE
    _report_bug("".join(traceback.format_exception(error)))
    return ExitCode.BUG


def _refusal(error: BaseException) -> str | None:
    """Return what the system refused, in a line; None when the error is no refusal of a system."""
    if isinstance(error, OSError) and error.strerror:
        place = "" if error.filename is None else f"{error.filename}: "
        return f"{place}{error.strerror}"
    if isinstance(error, MemoryError):
        return "memory ran out; raise the limit (ulimit -v), or lower --parallelism"
    if isinstance(error, RuntimeError) and str(error) == _THREADLESS:
        return "the system grants no more threads; raise its limits (ulimit -u, ulimit -v)"
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
        place = f"please report it with {_log(trace)}"
    except OSError as error:
        place = f"no log of it can be written: {error.strerror}"
    typer.echo(f"error: this is a bug in forgetest ({last}); {place}", err=True)


def _log(trace: str) -> Path:
    """Return the file that holds what is known of a bug."""
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
