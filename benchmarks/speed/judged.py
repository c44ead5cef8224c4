"""What a contestant found out about a sample, in the form in which all of them are compared."""

from collections.abc import Iterable, Iterator

from forgetest.grading.verdict import Diagnostic, Outcome, Verdict
from forgetest.value import Value

Lint = tuple[str, int, int]  # code, line and column, 1-based

PASSED = "passed"
FAILED = "failed"
IGNORED = "ignored"


class Expected(Value):
    """What isolated cargo says of a sample."""

    compiles: bool
    tests: dict[str, str] | None  # name -> passed, failed, ignored; None: they do not build
    lints: tuple[Lint, ...]  # with every lint of clippy::all forced on
    written: tuple[Lint, ...]  # with the silencing that the sample has written

    @property
    def silenced(self) -> int:
        """How many lints the sample silences."""
        return len(set(self.lints) - set(self.written))


class Judged(Value):
    """What a contestant says of a sample; None stands for what it cannot tell."""

    compiles: bool
    tests: dict[str, str] | None = None  # also None: they were not built
    lints: tuple[Lint, ...] | None = None
    written: tuple[Lint, ...] | None = None
    silenced: int | None = None


def differences(expected: Expected, judged: Judged) -> Iterator[str]:
    """Yield a line for each thing in which a contestant's verdict is not the expected one."""
    if judged.compiles != expected.compiles:
        yield f"compiles: {judged.compiles}, expected {expected.compiles}"
        return
    if judged.tests != expected.tests:
        yield f"tests: {judged.tests}, expected {expected.tests}"
    for name in ("lints", "written", "silenced"):
        found, wanted = getattr(judged, name), getattr(expected, name)
        if found is not None and found != wanted:
            yield f"{name}: {found}, expected {wanted}"


def from_verdict(verdict: Verdict) -> Judged:
    """Return what the grader found, in the common form."""
    built = verdict.compiled and verdict.outcome is not Outcome.TEST_BUILD_FAILED
    known = {PASSED: PASSED, IGNORED: IGNORED, FAILED: FAILED}
    ended = {test.name: known.get(test.outcome, str(test.outcome)) for test in verdict.tests}
    return Judged(
        compiles=verdict.compiled,
        tests=ended if built else None,
        lints=ordered(_lint(found) for found in verdict.lints),
        silenced=verdict.lints_silenced,
    )


def ordered(lints: Iterable[Lint]) -> tuple[Lint, ...]:
    """Return each lint once, in the order in which lists of them are compared."""
    return tuple(sorted(set(lints)))


def _lint(found: Diagnostic) -> Lint:
    span = found.span
    return (found.code or "", span.line if span else 0, span.column if span else 0)
