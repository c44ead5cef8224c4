"""Read what cargo and rustc say in JSON: diagnostics, and the programs that were built.

Owns whose file a diagnostic points into; what follows from it for a sample is left to the steps.
Other people's JSON is read leniently: unknown keys and lines that are no JSON are passed over.
"""

from collections.abc import Collection, Iterable, Iterator

from pydantic import BaseModel, ValidationError

from forgetest.grading.verdict import Diagnostic, Span

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
    found = {(one.code, one.message, one.span): one for one in diagnostics}
    return tuple(found.values())


def _place(span: RustcSpan) -> Span:
    return Span(
        file=span.file_name,
        line=span.line_start,
        column=span.column_start,
        end_line=span.line_end,
        end_column=span.column_end,
        label=(span.label or "")[:_LABEL_KEPT],
    )
