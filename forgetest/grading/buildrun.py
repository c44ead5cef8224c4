"""What one call of a compiler came to, whether it was made directly or through cargo."""

import signal
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from forgetest.errors import Fault, FaultKind
from forgetest.grading.diagnostics import RustcMessage
from forgetest.process import Exit

_TRIES = 2


class Killable(Protocol):
    """What came of a command that somebody else may have killed."""

    @property
    def killed_by_others(self) -> bool:
        """Whether a SIGKILL ended it that was not ours."""
        ...


Ended = TypeVar("Ended", bound=Killable)


async def undisturbed(attempt: Callable[[], Awaitable[Ended]], name: str) -> Ended:
    """Return what `attempt` comes to, made once more when somebody else killed it.

    Raises `Fault` naming what was run when that happens again.
    """
    for _ in range(_TRIES):
        ended = await attempt()
        if not ended.killed_by_others:
            return ended
    raise Fault(FaultKind.SANDBOX, f"{name} was killed twice, and not by forgetest")


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
    def killed_by_others(self) -> bool:
        """Whether a SIGKILL that was not ours ended the compiler, or cargo above it."""
        below = self.compiler_signal == signal.SIGKILL and not self.exit.timed_out
        return self.exit.killed_by_others or (below and not self.exit.output_limited)
