"""What `compare` and `rank` share: how their runs are opened, and which alpha they take."""

import sys
from functools import cache
from pathlib import Path

from forgetest.compare.read import STANDARD_INPUT, is_unfinished, open_side
from forgetest.compare.side import Side
from forgetest.errors import ConfigError

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
    """Return all of standard input, as often as asked; ConfigError when it can not be read."""
    if sys.stdin is None:
        raise ConfigError("standard input is closed; name a file, or pipe a report in")
    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise ConfigError(f"standard input: can not be read: {error.strerror}") from None
