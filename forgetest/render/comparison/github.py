"""A comparison as GitHub's workflow commands: annotations at the lines of the cases.

The runner reads one command a line, so no text may hold a line break of its own; it decodes
%25, %0D and %0A in messages, and %3A and %2C in properties too. Of each kind, a step shows ten.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from forgetest.compare.types import (
    Comparison,
    ComparisonVerdict,
    GateResult,
    UncomparedCase,
    UncomparedReason,
)
from forgetest.render.comparison.cases import (
    Moved,
    beyond_noise,
    failure_lines,
    improved,
    moved_cells,
    regressed,
)
from forgetest.render.comparison.words import gate_words, left_out_cells, verdict_line
from forgetest.render.safe import Paths, one_line
from forgetest.value import count

SHOWN = 10  # of a kind, by GitHub, of one step
KINDS = ("error", "warning", "notice")
LEFT_OUT = {UncomparedReason.CHANGED, UncomparedReason.REMOVED, UncomparedReason.NEWLY_UNSCORED}


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
    """Return one command a line: what dropped, what is open or left out, and what rose.

    Files are named relative to `root`, the repository; relative ones are meant from `here`, which
    is the root unless said otherwise. A file outside of it is not named.
    """
    paths = Paths(root, here or root)
    told = [*_overall(comparison), *_cases(comparison, paths), *_left_out(comparison, paths)]
    lines = (one.command() for kind in KINDS for one in _first([a for a in told if a.kind == kind]))
    return "".join(f"{line}\n" for line in lines)


def _first(told: list[Annotation]) -> list[Annotation]:
    """Return as many as GitHub shows; the last one says how many it does not."""
    if len(told) <= SHOWN:
        return told
    rest = count(len(told) - SHOWN + 1, "annotation")
    last = Annotation(told[0].kind, f"{rest} more", "The job summary and --format json have all.")
    return [*told[: SHOWN - 1], last]


def _overall(comparison: Comparison) -> Iterator[Annotation]:
    """Yield what no single case says."""
    line = verdict_line(comparison)
    if comparison.finding in {ComparisonVerdict.INCONCLUSIVE, ComparisonVerdict.NOT_COMPARABLE}:
        yield Annotation("warning", str(comparison.finding), line)
    elif comparison.finding is ComparisonVerdict.REGRESSED and not regressed(comparison):
        yield Annotation("error", str(comparison.finding), line)
    if comparison.gate.result is GateResult.INCOMPLETE:
        yield Annotation("warning", "incomplete", f"gate: {gate_words(comparison)}")


def _cases(comparison: Comparison, paths: Paths) -> Iterator[Annotation]:
    # A drop that the rule does not call a regression is worth a look, and no error.
    kind = "error" if comparison.finding is ComparisonVerdict.REGRESSED else "warning"
    for one in regressed(comparison):
        yield _of_case(kind, "dropped", one, paths)
    for one in improved(comparison):
        yield _of_case("notice", "rose", one, paths)


def _of_case(kind: str, word: str, one: Moved, paths: Paths) -> Annotation:
    passed, score, change, p, _ = moved_cells(one)
    noise = "beyond noise" if beyond_noise(one) else "within noise"
    lines = [
        one_line(one.model.current),
        f"score {score} ({change}), passed {passed}, p {p}, {noise}",
        *(failure_lines(one.case.current) if word == "dropped" else []),
    ]
    title = f"{one_line(one.name)} {word}"
    file = paths.of(one.case.file)
    return Annotation(kind, title, "\n".join(map(one_line, lines)), file, one.case.line)


def _left_out(comparison: Comparison, paths: Paths) -> Iterator[Annotation]:
    for left in comparison.coverage.left_out:
        if left.gap in LEFT_OUT:
            yield _of_left(left, paths)


def _of_left(left: UncomparedCase, paths: Paths) -> Annotation:
    case, model, why = left_out_cells(left)
    message = f"{model}: {one_line(why)}; it has no part in the comparison"
    if left.compared_anyway:
        message = f"{model}: {one_line(why)}"
    file = paths.of(left.file) if left.file else None
    return Annotation("warning", f"{case} {left.gap}", message, file, left.line)


def _data(text: str) -> str:
    safe = text.encode(errors="replace").decode()
    return safe.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
