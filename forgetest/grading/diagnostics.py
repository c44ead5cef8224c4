"""One call of a compiler: its diagnostics, how it ended, and when to make it again.

The JSON of cargo and rustc is read leniently: unknown keys and lines that are not JSON are skipped.
A `BuildRun` is the result of one call, whether it was made directly or through cargo. A call that a
signal cut short proves nothing and is made again (`undisturbed`), no matter what it printed.
"""

import re
import signal
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, TypeVar

from pydantic import BaseModel, ValidationError

from forgetest.errors import Fault, FaultKind
from forgetest.grading.verdict import Diagnostic, Span
from forgetest.system.process import Exit, is_sent, signal_name

ERROR = "error"

_RENDERED_KEPT = 4000  # characters of one diagnostic's text
_LABEL_KEPT = 400


class _Code(BaseModel):
    code: str


class _Expansion(BaseModel):
    span: "RustcSpan"


class RustcSpan(BaseModel):
    """A place in a source file, and the macro call that it was expanded from."""

    file_name: str
    line_start: int
    column_start: int
    line_end: int
    column_end: int
    is_primary: bool = False
    label: str | None = None
    expansion: _Expansion | None = None

    def with_expansions(self) -> Iterator["RustcSpan"]:
        """Yield this place, then the macro calls around it, innermost first."""
        span: RustcSpan | None = self
        while span is not None:
            yield span
            span = span.expansion.span if span.expansion else None


class RustcMessage(BaseModel):
    """One diagnostic as rustc gives it."""

    level: str
    message: str
    code: _Code | None = None
    spans: list[RustcSpan] = []
    children: list["RustcMessage"] = []
    rendered: str | None = None

    @property
    def is_error(self) -> bool:
        """Whether it says why the build failed, and not only that it did."""
        return self.level.startswith(ERROR) and not self.message.startswith("aborting due to")

    def own_span(self, files: Collection[str]) -> RustcSpan | None:
        """Return where it points into `files`: by its primary span if that does, else by any."""
        for spans in (
            [span for span in self.spans if span.is_primary],
            self.spans,
            [span for child in self.children for span in child.spans],
        ):
            for span in spans:
                for place in span.with_expansions():
                    if place.file_name in files:
                        return place
        return None

    def diagnostic(self, files: Collection[str]) -> Diagnostic:
        """Return it as a value, placed in one of `files` when it points into any."""
        span = self.own_span(files)
        return Diagnostic(
            level=ERROR if self.is_error else self.level,
            code=self.code.code if self.code else None,
            message=self.message,
            span=_place(span) if span else None,
            rendered=(self.rendered or "")[:_RENDERED_KEPT],
        )


class _Target(BaseModel):
    name: str = ""
    kind: list[str] = []


class CargoMessage(BaseModel):
    """One line of cargo's JSON."""

    reason: str
    target: _Target = _Target()
    message: RustcMessage | None = None
    executable: str | None = None
    fresh: bool = False


def read_messages(stdout: bytes) -> list[CargoMessage]:
    """Return cargo's messages in their order."""
    messages = []
    for line in stdout.splitlines():
        try:
            messages.append(CargoMessage.model_validate_json(line))
        except ValidationError:
            continue
    return messages


def read_diagnostics(stderr: bytes) -> tuple[tuple[RustcMessage, ...], str]:
    """Return the diagnostics of a compiler that was called directly, and what else it printed."""
    messages, rest = [], []
    for line in stderr.splitlines():
        try:
            messages.append(RustcMessage.model_validate_json(line))
        except ValidationError:
            rest.append(line.decode(errors="replace"))
    return tuple(messages), "\n".join(rest)


def unique(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return the diagnostics without those that say the same of the same place."""
    by_content = {(line.code, line.message, line.span): line for line in diagnostics}
    return tuple(by_content.values())


def _place(span: RustcSpan) -> Span:
    return Span(
        file=span.file_name,
        line=span.line_start,
        column=span.column_start,
        end_line=span.line_end,
        end_column=span.column_end,
        label=(span.label or "")[:_LABEL_KEPT],
    )


_TRIES = 3
_CRASHES = 2  # in the same way, by a signal that no process sends to another
# rustc's own sentence about the linker: it points into no source and quotes nothing of a sample.
_LINKER_SIGNAL = re.compile(r"linking with `[^`]*` failed: signal: (\d+)\b.*")


class Interruptible(Protocol):
    """The end of a command that a signal may have cut short."""

    @property
    def cut_by(self) -> int | None:
        """The signal that ended it, or what it had called, unless that was ours."""
        ...


Attempt = TypeVar("Attempt", bound=Interruptible)


async def undisturbed(
    attempt: Callable[[], Awaitable[Attempt]], name: str, *, trusted: bool = True
) -> Attempt:
    """Return the result of `attempt`, which is made again while a signal cuts it short.

    A trusted program that crashes in the same way each time does so over its input, and that end is
    returned. An untrusted one can send itself any signal but SIGKILL. Raises `Fault` with the name
    of the command if only something else can have ended it.
    """
    signals: list[int] = []
    while len(signals) < _TRIES:
        result = await attempt()
        if result.cut_by is None:
            return result
        signals.append(result.cut_by)
        if trusted and len(signals) == _CRASHES and _is_crash(signals):
            return result
    disturbed = not _is_crash(signals) if trusted else set(signals) == {signal.SIGKILL}
    if disturbed:
        names = ", ".join(dict.fromkeys(map(signal_name, signals)))
        message = f"{name} was killed {_TRIES} times, and not by forgetest: {names}"
        raise Fault(FaultKind.SANDBOX, message)
    return result


def _is_crash(signals: list[int]) -> bool:
    return len(set(signals)) == 1 and not is_sent(signals[0])


@dataclass(frozen=True, slots=True)
class BuildRun:
    """How a call of a compiler ended and what it printed."""

    exit: Exit
    diagnostics: tuple[RustcMessage, ...]  # in the compiler's order
    compiler_signal: int | None  # the signal that ended the compiler itself
    last_words: str  # the end of what it printed besides the diagnostics, as one line
    program: Path | None = None  # the executable that was built

    @property
    def succeeded(self) -> bool:
        """Whether the compiler did its work."""
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
        """Tell whether another run ended in the same way, with other output or not."""
        return _end_of(self) == _end_of(other)


def _end_of(run: BuildRun) -> tuple[object, ...]:
    signals = (run.exit.signal, run.compiler_signal, _linker_signal(run.errors))
    return run.exit.code, signals, run.exit.timed_out, run.exit.output_limited


def _linker_signal(errors: Iterable[RustcMessage]) -> int | None:
    for error in errors:
        if not error.spans and error.code is None:
            match = _LINKER_SIGNAL.fullmatch(error.message)
            if match:
                return int(match[1])
    return None
