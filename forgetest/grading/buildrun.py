"""What one call of a compiler came to, whether it was made directly or through cargo."""

import signal
from dataclasses import dataclass
from pathlib import Path

from forgetest.grading.diagnostics import RustcMessage
from forgetest.process import Exit


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
