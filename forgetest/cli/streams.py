"""Guards standard output and standard error: no output is lost silently, and none breaks a run.

When a reader of standard output goes away, as `head` does, the rest is discarded and the command
ends with its own exit code. Any other failure to write raises one `OutputLostError`; afterwards the
stream writes to /dev/null, so that the cleanup and Python's last flush succeed. Characters that a
terminal lacks are spelled with those it has.
"""

import codecs
import errno
import io
import os
import select
import sys
import threading
from collections.abc import Iterable
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
_CLOSED = "standard output is closed: redirect it to a file or to /dev/null"
_LOST: set[int] = set()  # descriptors that could not be written to


class _Descriptor(io.FileIO):
    """A standard descriptor that reports its first failure."""

    def __init__(self, descriptor: int) -> None:
        super().__init__(descriptor, "w", closefd=False)

    def write(self, data: "ReadableBuffer", /) -> int:
        """Write as much as possible and return how much; wait while the descriptor is full."""
        try:
            # None comes from a full pipe that another process made non-blocking.
            while (written := super().write(data)) is None:
                select.select([], [self], [])
        except OSError as error:
            _redirect_to_null(self.fileno())
            if error.errno != errno.EPIPE or self.fileno() != OUT:
                _LOST.add(self.fileno())
                raise OutputLostError(f"{_NAMES[self.fileno()]}: {error.strerror}") from None
            return memoryview(data).nbytes
        return written


class _Closed(io.RawIOBase):
    """Standard output of a process that was started without one."""

    def writable(self) -> bool:
        """Return True: writing is what reports the closed output."""
        return True

    def write(self, data: "ReadableBuffer", /) -> int:
        """Raise OutputLostError the first time; afterwards discard the data."""
        if OUT in _LOST:
            return memoryview(data).nbytes
        _LOST.add(OUT)
        raise OutputLostError(_CLOSED)


def guard_streams() -> None:
    """Replace Python's streams with ones that report failures."""
    codecs.register_error("forgetest-spelled", _spell)
    threading.excepthook = _ignore_lost_output
    no_output, no_errors = sys.stdout is None, sys.stderr is None
    for descriptor in range(3):
        _fill(descriptor)
    sys.stdout = _stream(_Closed() if no_output else _Descriptor(OUT), sys.stdout)
    # A closed standard error means that no messages are wanted.
    sys.stderr = _stream(io.FileIO(os.devnull, "w") if no_errors else _Descriptor(ERR), sys.stderr)


def demand_output() -> None:
    """Raise OutputLostError if standard output is closed."""
    if isinstance(getattr(sys.stdout.buffer, "raw", None), _Closed):
        raise OutputLostError(_CLOSED)


def flush_streams() -> None:
    """Write what is buffered; raise OutputLostError if any output was lost so far."""
    sys.stdout.flush()
    sys.stderr.flush()
    if _LOST:
        raise OutputLostError(f"{_NAMES[min(_LOST)]} was lost")


def write_document(text: str | Iterable[str]) -> None:
    """Write to standard output what programs read, whole or in pieces: UTF-8, in every terminal."""
    sys.stdout.flush()
    for piece in [text] if isinstance(text, str) else text:
        sys.stdout.buffer.write(piece.encode("utf-8", "backslashreplace"))
    sys.stdout.buffer.flush()


def _fill(descriptor: int) -> None:
    """Open a closed descriptor, which the next file we open would take otherwise."""
    try:
        os.fstat(descriptor)
    except OSError:
        _redirect_to_null(descriptor)


def _redirect_to_null(descriptor: int) -> None:
    null = os.open(os.devnull, os.O_RDWR)
    if null != descriptor:
        os.dup2(null, descriptor)
        os.close(null)


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
    """Spell characters that an encoding lacks: by a likeness if there is one, else by number."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(_spelled, error.object[error.start : error.end])), error.end


def _spelled(character: str) -> str:
    known = _SPELLED.get(character)
    if "\udc80" <= character <= "\udcff":  # a byte of a name that is not UTF-8
        return f"\\x{ord(character) - 0xDC00:02x}"
    return character.encode("ascii", "backslashreplace").decode() if known is None else known


def _ignore_lost_output(failed: threading.ExceptHookArgs) -> None:
    """Ignore the error of a thread that draws on a lost stream; `flush_streams` reports it."""
    if not isinstance(failed.exc_value, OutputLostError):
        threading.__excepthook__(failed)
