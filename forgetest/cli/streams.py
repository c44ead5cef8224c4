"""Standard output and standard error, so that neither is lost in silence nor breaks a run.

A reader of standard output that goes away, as `head` does, has what it wanted: the rest is thrown
away, and the command ends with its own exit code. All else that cannot be written is told once, as
an `OutputLostError`; afterwards the stream leads to nowhere, so that cleaning up and Python's own
last flush can go on. Characters that a terminal does not have are spelled with those that it has.
"""

import codecs
import errno
import io
import os
import select
import sys
import threading
from typing import TYPE_CHECKING, TextIO

from forgetest.errors import OutputLostError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

OUT, ERR = 1, 2  # descriptors
_NAMES = {OUT: "standard output", ERR: "standard error"}
_SPELLED = {
    "…": "...", "–": "-", "\u2019": "'", "·": "|", "±": "+-", "⚠": "!", "\ufe0f": "", "─": "-",
    "▁": "_",
}  # fmt: skip
_CLOSED = "standard output is closed; redirect it, to a file or to /dev/null"
_LOST: set[int] = set()  # what could not be written to


class _Descriptor(io.FileIO):
    """A standard descriptor whose failures are told once."""

    def __init__(self, descriptor: int) -> None:
        super().__init__(descriptor, "w", closefd=False)

    def write(self, data: "ReadableBuffer", /) -> int:
        """Write what the descriptor takes, and return how much; wait where it takes nothing yet."""
        try:
            # None is said by a pipe that somebody else made non-blocking, and that is full.
            while (written := super().write(data)) is None:
                select.select([], [self], [])
        except OSError as error:
            _lead_nowhere(self.fileno())
            if error.errno != errno.EPIPE or self.fileno() != OUT:
                _LOST.add(self.fileno())
                raise OutputLostError(f"{_NAMES[self.fileno()]}: {error.strerror}") from None
            return memoryview(data).nbytes
        return written


class _Closed(io.RawIOBase):
    """Standard output of a process that was started without one."""

    def writable(self) -> bool:
        """Return True: it is written to, in vain."""
        return True

    def write(self, data: "ReadableBuffer", /) -> int:
        """Raise OutputLostError the first time; return how much was thrown away from then on."""
        if OUT in _LOST:
            return memoryview(data).nbytes
        _LOST.add(OUT)
        raise OutputLostError(_CLOSED)


def guard_streams() -> None:
    """Put streams that tell their failures in the place of Python's own."""
    codecs.register_error("forgetest-spelled", _spell)
    threading.excepthook = _ignore_lost_output
    no_output, no_errors = sys.stdout is None, sys.stderr is None
    for descriptor in range(3):
        _fill(descriptor)
    sys.stdout = _stream(_Closed() if no_output else _Descriptor(OUT), sys.stdout)
    # Whoever closes standard error wants silence.
    sys.stderr = _stream(io.FileIO(os.devnull, "w") if no_errors else _Descriptor(ERR), sys.stderr)


def demand_output() -> None:
    """Raise OutputLostError where there is no standard output for a result."""
    if isinstance(getattr(sys.stdout.buffer, "raw", None), _Closed):
        raise OutputLostError(_CLOSED)


def flush_streams() -> None:
    """Write what is buffered; raise OutputLostError for what could not be written until now."""
    sys.stdout.flush()
    sys.stderr.flush()
    if _LOST:
        raise OutputLostError(f"{_NAMES[min(_LOST)]} was lost")


def write_document(text: str) -> None:
    """Write to standard output what other programs read: UTF-8, whatever the terminal's."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
    sys.stdout.buffer.flush()


def _fill(descriptor: int) -> None:
    """Open a closed descriptor, or the next file of ours would be taken for a standard stream."""
    try:
        os.fstat(descriptor)
    except OSError:
        _lead_nowhere(descriptor)


def _lead_nowhere(descriptor: int) -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    if nowhere != descriptor:
        os.dup2(nowhere, descriptor)
        os.close(nowhere)


def _stream(raw: io.RawIOBase, old: TextIO | None) -> TextIO:
    encoding = "utf-8" if old is None else old.encoding
    buffering = old is not None and bool(old.line_buffering)
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=encoding,
        errors="forgetest-spelled",
        line_buffering=buffering,
    )


def _spell(error: UnicodeError) -> tuple[str, int]:
    """Spell what an encoding lacks: readable where there is a custom, by number where not."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(_spelled, error.object[error.start : error.end])), error.end


def _spelled(character: str) -> str:
    known = _SPELLED.get(character)
    if "\udc80" <= character <= "\udcff":  # a byte of a name that is not UTF-8
        return f"\\x{ord(character) - 0xDC00:02x}"
    return character.encode("ascii", "backslashreplace").decode() if known is None else known


def _ignore_lost_output(failed: threading.ExceptHookArgs) -> None:
    """Say nothing of a thread that draws when nobody can see it; `flush_streams` tells it."""
    if not isinstance(failed.exc_value, OutputLostError):
        threading.__excepthook__(failed)
