"""What one call of a compiler came to, whether it was made directly or through cargo.

A call that a signal cut short says nothing yet: it is made again, whatever it had printed by then.
"""

import re
import signal
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, TypeVar

from forgetest.errors import Fault, FaultKind
from forgetest.grading.diagnostics import RustcMessage
from forgetest.process import Exit, is_sent, signal_name

_TRIES = 3
_CRASHES = 2  # in the same way, by a signal that nobody sends
# rustc's own sentence about the linker: it has no place in any source, and nothing of a sample's.
_LINKER_SIGNAL = re.compile(r"linking with `[^`]*` failed: signal: (\d+)\b.*")


class Interruptible(Protocol):
    """What came of a command that a signal may have cut short."""

    @property
    def cut_by(self) -> int | None:
        """The signal that ended it, or what it had called, unless that was ours."""
        ...


Ended = TypeVar("Ended", bound=Interruptible)


async def undisturbed(
    attempt: Callable[[], Awaitable[Ended]], name: str, *, trusted: bool = True
) -> Ended:
    """Return what `attempt` comes to, made again while a signal cuts it short.

    A trusted program that crashes in the same way each time does so over its input, and that end is
    returned. What is not trusted can send itself any signal but SIGKILL. Raises `Fault` naming what
    was run where only somebody else can have ended it.
    """
    signals: list[int] = []
    while len(signals) < _TRIES:
        ended = await attempt()
        if ended.cut_by is None:
            return ended
        signals.append(ended.cut_by)
        if trusted and len(signals) == _CRASHES and _is_crash(signals):
            return ended
    disturbed = not _is_crash(signals) if trusted else set(signals) == {signal.SIGKILL}
    if disturbed:
        names = ", ".join(dict.fromkeys(map(signal_name, signals)))
        message = f"{name} was killed {_TRIES} times, and not by forgetest: {names}"
        raise Fault(FaultKind.SANDBOX, message)
    return ended


def _is_crash(signals: list[int]) -> bool:
    return len(set(signals)) == 1 and not is_sent(signals[0])


@dataclass(frozen=True, slots=True)
class BuildRun:
    """How a compiler ended and what it said."""

    exit: Exit
    diagnostics: tuple[RustcMessage, ...]  # in the compiler's order
    compiler_signal: int | None  # the signal that ended the compiler itself
    last_words: str  # the end of what was said beside the diagnostics, as one line
    program: Path | None = None  # the executable that was built

    @property
    def succeeded(self) -> bool:
        """Whether the compiler did what it was asked."""
        return self.exit.code == 0 and not self.exit.output_limited

    @property
    def errors(self) -> list[RustcMessage]:
        """The errors among the diagnostics."""
        return [message for message in self.diagnostics if message.is_error]

    @property
    def cut_by(self) -> int | None:
        """The signal, not ours, that ended the compiler, cargo above it, or the linker below it."""
        if self.succeeded or self.exit.timed_out or self.exit.output_limited:
            return None
        if self.exit.signal is not None:
            return self.exit.cut_by
        below = self.compiler_signal or _linker_signal(self.errors)
        return None if below is None else replace(self.exit, signal=below).cut_by

    def ends_like(self, other: "BuildRun") -> bool:
        """Tell whether another run came to the same end, whatever words it found for it."""
        return _end_of(self) == _end_of(other)


def _end_of(run: BuildRun) -> tuple[object, ...]:
    ended = run.exit
    signals = (ended.signal, run.compiler_signal, _linker_signal(run.errors))
    return ended.code, signals, ended.timed_out, ended.output_limited


def _linker_signal(errors: Iterable[RustcMessage]) -> int | None:
    for error in errors:
        if not error.spans and error.code is None:
            found = _LINKER_SIGNAL.fullmatch(error.message)
            if found:
                return int(found[1])
    return None
