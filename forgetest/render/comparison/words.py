"""What a comparison says, in sentences that terminal, markdown and annotations share.

Names come from models and users, so every sentence that holds one takes the function that makes
them safe for its place.
"""

from collections import Counter
from collections.abc import Sequence

from forgetest.compare.types import (
    Attribution,
    Comparison,
    CountChange,
    Coverage,
    Difference,
    Finding,
    Gap,
    LeftOut,
    ModelComparison,
    Options,
    Rule,
    RunInfo,
)
from forgetest.render.comparison.numbers import chance, level, point_bounds, points, rate, score
from forgetest.render.safe import PLAIN, Marks, one_line
from forgetest.words import count

NAMED = 3  # models named in a line
DRIFTS = 6  # counts told of one kind


def verdict_line(comparison: Comparison, marks: Marks = PLAIN) -> str:
    """Return the whole comparison in one line: the finding, and what it rests on."""
    return "; ".join(part for part in verdict_parts(comparison, marks) if part)


def verdict_parts(comparison: Comparison, marks: Marks) -> tuple[str, str]:
    """Return the headline, such as `regressed: 2 of 40 cases dropped`, and the figures to it."""
    finding = comparison.finding
    if finding is Finding.NOT_COMPARABLE or not comparison.models:
        return f"{finding}: {not_comparable_because(comparison, marks)}", ""
    if len(comparison.models) > 1:
        return f"{finding}: {_which_models(comparison, marks)}", moved(comparison)
    figures = rates(comparison.models[0], comparison.options)
    return f"{finding}: {moved(comparison)}", figures


def not_comparable_because(comparison: Comparison, marks: Marks) -> str:
    """Return what stands between both runs."""
    refusing = [difference for difference in comparison.differences if difference.refuses]
    if refusing:
        return "; ".join(difference_words(difference, marks) for difference in refusing)
    if not comparison.coverage.compared:
        return "no case of both runs could be compared"
    return (
        "; ".join(marks.prose(reason) for reason in comparison.gate.reasons) or "see what differs"
    )


def _which_models(comparison: Comparison, marks: Marks) -> str:
    alike = [model for model in comparison.models if model.finding is comparison.finding]
    named = ", ".join(marks.name(model.current) for model in alike[:NAMED])
    rest = len(alike) - NAMED
    more = f" and {rest} more" if rest > 0 else ""
    return f"{len(alike)} of {count(len(comparison.models), 'model')} ({named}{more})"


def moved(comparison: Comparison) -> str:
    """Return how many cases moved, by the threshold and, where that is the rule, beyond noise."""
    options = comparison.options
    falls = sum(model.regressions for model in comparison.models)
    rises = sum(model.improvements for model in comparison.models)
    total = count(comparison.coverage.compared, "case")
    by = f"by more than {options.threshold:g}"
    if options.rule in {Rule.EVIDENCE, Rule.EITHER}:
        if comparison.finding is Finding.IMPROVED:
            return f"{_beyond(comparison, 'better')} of {total} rose beyond noise, {rises} {by}"
        return f"{_beyond(comparison, 'worse')} of {total} fell beyond noise, {falls} dropped {by}"
    if not falls and not rises:
        return f"none of {total} moved {by}"
    if not falls:
        return f"{rises} of {total} rose {by}, none dropped"
    return f"{falls} of {total} dropped {by}{f', {rises} rose' if rises else ''}"


def _beyond(comparison: Comparison, direction: str) -> int:
    cases = (case for model in comparison.models for case in model.cases)
    return sum(case.better if direction == "better" else case.worse for case in cases)


def rates(model: ModelComparison, options: Options) -> str:
    """Return both pass rates, the change with its interval, and the chance of such a change."""
    shift = model.pass_rate
    if shift.delta is None:
        return f"pass rate {rate(shift.baseline)} to {rate(shift.current)}"
    within = ""
    if shift.interval is not None:
        within = f" ({level(options.alpha)} interval {point_bounds(shift.interval)})"
    return (
        f"pass rate {rate(shift.baseline)} to {rate(shift.current)},"
        f" {points(shift.delta)} points{within}, {chance(model.evidence.two_sided)}"
    )


def same_rustc(comparison: Comparison) -> str | None:
    """Return the compiler of both runs; None where they differ, which is told elsewhere."""
    rustc = comparison.current.rustc
    return rustc.removeprefix("rustc ") if rustc == comparison.baseline.rustc else None


def summary_cells(model: ModelComparison) -> list[str]:
    """Return both pass rates, the change with its interval, and the chance of such a change."""
    shift = model.pass_rate
    both = f"{rate(shift.baseline)} -> {rate(shift.current)}"
    bounds = point_bounds(shift.interval)
    return [both, points(shift.delta), bounds, score(model.evidence.two_sided)]


def difference_words(difference: Difference, marks: Marks = PLAIN) -> str:
    """Return `rustc 1.94.0 -> 1.95.0`."""
    before, after = (
        marks.name(side or "none") for side in (difference.baseline, difference.current)
    )
    return f"{marks.prose(difference.what)} {before} -> {after}"


def coverage_words(coverage: Coverage, models: int) -> str:
    """Return `40 cases compared; 1 changed (prompt), 1 new, 1 removed`."""
    noun = "case" if models < 2 else "case and model pair"  # noqa: PLR2004 - one model or more
    said = f"{count(coverage.compared, noun)} compared"
    counts = Counter(left.gap for left in coverage.left_out)
    gaps = [f"{counts[gap]} {gap}{_parts(coverage, gap)}" for gap in Gap if counts[gap]]
    unscored = (coverage.unscored_baseline, coverage.unscored_current)
    samples = f"; unscored samples {unscored[0]} -> {unscored[1]}" if any(unscored) else ""
    return f"{said}{'; ' if gaps else ''}{', '.join(gaps)}{samples}"


def _parts(coverage: Coverage, gap: Gap) -> str:
    alike = [left for left in coverage.left_out if left.gap is gap]
    words = sorted({one_line(part) for left in alike for part in left.parts})
    if any(left.compared_anyway for left in alike):
        words.append("compared anyway")
    return f" ({', '.join(words)})" if words else ""


def drift_words(changes: Sequence[CountChange]) -> list[str]:
    """Return `E0502 4 to 11` of what changed, the largest change first."""
    ordered = sorted(
        (change for change in changes if change.baseline != change.current),
        key=lambda change: (-abs(change.current - change.baseline), change.name),
    )
    named = [f"{one_line(c.name)} {c.baseline} to {c.current}" for c in ordered[:DRIFTS]]
    rest = len(ordered) - DRIFTS
    return [*named, f"and {rest} more"] if rest > 0 else named


def attribution_words(split: Attribution) -> str:
    """Return `model -3.1 points, environment -1.0: rustc A -> B; 4 verdicts changed`."""
    rustc = split.rustc_now
    if split.rustc_then != split.rustc_now:
        rustc = f"{split.rustc_then} -> {split.rustc_now}"
    said = count(len(split.flips), "verdict")
    return (
        f"model {points(split.model)} points, environment {points(split.environment)}:"
        f" rustc {one_line(rustc)}; {said} changed"
    )


def run_words(run: RunInfo, marks: Marks = PLAIN) -> str:
    """Return where a side comes from, when it was made, and how large it is."""
    day = marks.prose(run.created[:16]).replace("T", " ")
    size = f"{count(run.cases, 'case')} x {count(run.samples_per_case, 'sample')}"
    unfinished = "" if run.complete else " · incomplete"
    return f"{marks.name(run.file)} · {day} · {size}{unfinished}"


def left_cells(one: LeftOut) -> list[str]:
    """Return case, model and reason of a case that is not compared."""
    parts = f": {', '.join(one_line(part) for part in one.parts)}" if one.parts else ""
    anyway = " (compared anyway)" if one.compared_anyway else ""
    return [
        one_line(f"{one.eval_set}/{one.case}"),
        one_line(one.model),
        f"{one.gap}{parts}{anyway}",
    ]
