"""A comparison as GitHub's workflow commands: annotations at the lines of the cases.

The runner reads one command a line, so no text may hold a line break of its own; it decodes
%25, %0D and %0A in messages, and %3A and %2C in properties too. Of each kind, a step shows ten.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from forgetest.compare.types import (
    Comparison,
    GateResult,
    UncomparedCase,
    UncomparedReason,
)
from forgetest.render.comparison.cases import (
    Moved,
    beyond_noise,
    culprits,
    failed_the_gate,
    failure_lines,
    improved,
    moved_cells,
)
from forgetest.render.comparison.headline import PASS, headline, next_step
from forgetest.render.comparison.words import left_out_cases, left_out_cells
from forgetest.render.safe import Paths, one_line
from forgetest.value import count

SHOWN = 10  # of a kind, by GitHub, of one step
KINDS = ("error", "warning", "notice")
MISSING = {UncomparedReason.REMOVED, UncomparedReason.NEWLY_UNSCORED}


@dataclass(frozen=True, slots=True)
class Annotation:
    """One annotation; where it points, if anywhere, is relative to the repository's root."""

    kind: str
    title: str
    message: str
    file: str | None = None
    line: int | None = None

    def command(self) -> str:
        """Return the line that the runner reads."""
        named = [("file", self.file), ("line", self.line if self.file else None)]
        told = [(name, str(value)) for name, value in named if value is not None]
        told.append(("title", self.title))
        properties = ",".join(f"{name}={_property(value)}" for name, value in told)
        return f"::{self.kind} {properties}::{_data(self.message)}"


def annotations(comparison: Comparison, *, root: Path | None, here: Path | None = None) -> str:
    """Return one command a line: what failed the gate, what moved beyond noise, what is left out.

    Only what failed the gate is an error; what is within noise is not annotated.

    Files are named relative to `root`, the repository; relative ones are meant from `here`, which
    is the root unless said otherwise. A file outside of it is not named.
    """
    paths = Paths(root, here or root)
    told = [*_overall(comparison), *_cases(comparison, paths), *_left_out(comparison, paths)]
    lines = (
        annotation.command()
        for kind in KINDS
        for annotation in _first([item for item in told if item.kind == kind])
    )
    return "".join(f"{line}\n" for line in lines)


def _first(told: list[Annotation]) -> list[Annotation]:
    """Return as many as GitHub shows; the last one says how many it does not."""
    if len(told) <= SHOWN:
        return told
    rest = count(len(told) - SHOWN + 1, "annotation")
    last = Annotation(told[0].kind, f"{rest} more", "The job summary and --format json have all.")
    return [*told[: SHOWN - 1], last]


def _overall(comparison: Comparison) -> Iterator[Annotation]:
    """Yield the verdict where it failed the gate, or is open without one."""
    first = headline(comparison)
    if comparison.gate.result is not GateResult.PASSED:
        yield Annotation("error", first.word, f"{first.text}\nTo do: {next_step(comparison)}")
    elif first.sign is not PASS:
        yield Annotation("warning", first.word, f"{first.text}\nTo do: {next_step(comparison)}")


def _cases(comparison: Comparison, paths: Paths) -> Iterator[Annotation]:
    """Yield what failed the gate as errors, and what else moved beyond noise."""
    for moved in culprits(comparison):
        kind = "error" if failed_the_gate(comparison, moved) else "warning"
        if kind == "error" or comparison.gate.rule or beyond_noise(moved):
            yield _of_case(kind, "dropped", moved, paths)
    for moved in improved(comparison):
        if beyond_noise(moved):
            yield _of_case("notice", "rose", moved, paths)


def _of_case(kind: str, word: str, moved: Moved, paths: Paths) -> Annotation:
    passed, score, change, p, _ = moved_cells(moved)
    noise = "beyond noise" if beyond_noise(moved) else "within noise"
    lines = [
        one_line(moved.model.current),
        f"score {score} ({change}), passed {passed}, p {p}, {noise}",
        *(failure_lines(moved.case.current) if word == "dropped" else []),
    ]
    title = f"{one_line(moved.name)} {word}"
    file = paths.of(moved.case.file)
    return Annotation(kind, title, "\n".join(map(one_line, lines)), file, moved.case.line)


def _left_out(comparison: Comparison, paths: Paths) -> Iterator[Annotation]:
    for left in left_out_cases(comparison.coverage):
        if left.gap is UncomparedReason.CHANGED or left.gap in MISSING:
            yield _of_left(left, _kind_of_left(left, comparison), paths)


def _kind_of_left(left: UncomparedCase, comparison: Comparison) -> str:
    """Return `error` for what made a gate incomplete."""
    incomplete = comparison.gate.result is GateResult.INCOMPLETE
    return "error" if incomplete and left.gap in MISSING and not left.allowed else "notice"


def _of_left(left: UncomparedCase, kind: str, paths: Paths) -> Annotation:
    case, model, why = left_out_cells(left)
    message = f"{model}: {one_line(why)}; it has no part in the comparison"
    if left.compared_anyway:
        message = f"{model}: {one_line(why)}"
    file = paths.of(left.file) if left.file else None
    return Annotation(kind, f"{case} {left.gap}", message, file, left.line)


def _data(text: str) -> str:
    safe = text.encode(errors="replace").decode()
    return safe.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
