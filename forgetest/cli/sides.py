"""Opens what `compare` and `rank` read: a report, a run folder, standard input."""

import sys
from functools import cache
from pathlib import Path

from forgetest.compare.opening import STANDARD_INPUT, is_unfinished, open_side
from forgetest.compare.side import Side


def open_named(name: str, *, allow_incomplete: bool) -> Side:
    """Return the side behind a name of the command line, of an unfinished run only if allowed.

    Raises ReportError, RunDirError and UnfinishedError.
    """
    if name != STANDARD_INPUT and is_unfinished(name):
        from forgetest.compare.unfinished import open_unfinished  # what reads a journal is large

        return open_unfinished(Path(name), allow_incomplete=allow_incomplete)
    return open_side(name, standard_input=standard_input)


@cache
def standard_input() -> bytes:
    """Return all of standard input, as often as asked."""
    return sys.stdin.buffer.read()
