"""What a comparison says, in sentences that terminal, markdown, page and annotations share.

First the verdict and what was compared, then the gate and what to do next, the evidence, and at
last cost, tokens and latency. Names come from models and users, so every sentence that holds one
takes the `Marks` that make them safe for its place.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from forgetest.compare.types import (
    Attribution,
    CompareOptions,
    Comparison,
    ComparisonVerdict,
    CountChange,
    Coverage,
    Detectability,
    Difference,
    GateResult,
    ModelComparison,
    Rule,
    RunInfo,
    Spent,
    UncomparedCase,
    UncomparedReason,
    UsageChange,
)
from forgetest.render.comparison.numbers import (
    NONE,
    chance,
    level,
    point_bounds,
    points,
    rate,
    score,
    share_change,
)
from forgetest.render.numbers import and_more, money, more, seconds
from forgetest.render.safe import PLAIN, Marks, one_line
from forgetest.value import count

NAMED = 3  # models named in a line
DRIFTS = 6  # changed counts of one kind that are shown


def verdict_line(comparison: Comparison, marks: Marks = PLAIN) -> str:
    """Return the whole comparison in one line: the finding, and what it rests on."""
    return "; ".join(part for part in verdict_parts(comparison, marks) if part)


def verdict_parts(comparison: Comparison, marks: Marks) -> tuple[str, str]:
    """Return the headline, such as `regressed: 2 of 40 cases dropped`, and the figures to it."""
    finding = comparison.finding
    if finding is ComparisonVerdict.NOT_COMPARABLE or not comparison.models:
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
    named = and_more([marks.name(model.current) for model in alike], NAMED)
    return f"{len(alike)} of {count(len(comparison.models), 'model')} ({named})"


def moved(comparison: Comparison) -> str:
    """Return how many cases moved, by the threshold and, where that is the rule, beyond noise."""
    options = comparison.options
    falls = sum(model.regressions for model in comparison.models)
    rises = sum(model.improvements for model in comparison.models)
    total = count(comparison.coverage.compared, "case")
    by = f"by more than {options.threshold:g}"
    if options.rule in {Rule.EVIDENCE, Rule.EITHER}:
        if comparison.finding is ComparisonVerdict.IMPROVED:
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


def rates(model: ModelComparison, options: CompareOptions) -> str:
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
    compared = f"{count(coverage.compared, noun)} compared"
    counts = Counter(left.gap for left in coverage.left_out)
    gaps = [
        f"{counts[gap]} {gap}{_parts(coverage, gap)}" for gap in UncomparedReason if counts[gap]
    ]
    unscored = (coverage.unscored_baseline, coverage.unscored_current)
    samples = f"; unscored samples {unscored[0]} -> {unscored[1]}" if any(unscored) else ""
    return f"{compared}{'; ' if gaps else ''}{', '.join(gaps)}{samples}"


def _parts(coverage: Coverage, gap: UncomparedReason) -> str:
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
    return [*named, *filter(None, [more(len(ordered) - DRIFTS)])]


def attribution_words(split: Attribution) -> str:
    """Return `model -3.1 points, environment -1.0: rustc A -> B; 4 verdicts changed`."""
    rustc = split.rustc_now
    if split.rustc_then != split.rustc_now:
        rustc = f"{split.rustc_then} -> {split.rustc_now}"
    verdicts = count(len(split.flips), "verdict")
    return (
        f"model {points(split.model)} points, environment {points(split.environment)}:"
        f" rustc {one_line(rustc)}; {verdicts} changed"
    )


def run_words(run: RunInfo, marks: Marks = PLAIN) -> str:
    """Return where a side comes from, when it was made, and how large it is."""
    day = marks.prose(run.created[:16]).replace("T", " ")
    size = f"{count(run.cases, 'case')} x {count(run.samples_per_case, 'sample')}"
    unfinished = "" if run.complete else " · incomplete"
    return f"{marks.name(run.file)} · {day} · {size}{unfinished}"


def left_out_cells(case: UncomparedCase) -> list[str]:
    """Return case, model and reason of a case that is not compared."""
    parts = f": {', '.join(one_line(part) for part in case.parts)}" if case.parts else ""
    anyway = " (compared anyway)" if case.compared_anyway else ""
    return [
        one_line(f"{case.eval_set}/{case.case}"),
        one_line(case.model),
        f"{case.gap}{parts}{anyway}",
    ]


def gate_words(comparison: Comparison, marks: Marks = PLAIN) -> str:
    """Return the result of the gate and its reasons."""
    gate = comparison.gate
    if gate.rule:
        head = f"{gate.result} ({gate.rule} rule)"
    elif gate.result is GateResult.PASSED:
        head = "not requested"
    else:
        head = f"not requested; the result would be {gate.result}"
    return "; ".join([head, *(marks.prose(reason) for reason in gate.reasons)])


def next_step(comparison: Comparison) -> str:
    """Return what to do next, as an instruction."""
    if comparison.gate.result is GateResult.INCOMPLETE:
        return (
            "Finish the run (`forgetest run --resume FOLDER`), or restore the cases that are left"
            " out; until then there is no verdict"
        )
    if comparison.finding is ComparisonVerdict.NOT_COMPARABLE:
        return (
            "Make a new baseline with the current settings, or compare anyway with"
            " `--allow-incomparable`"
        )
    return _step_after_verdict(comparison)


def _step_after_verdict(comparison: Comparison) -> str:
    noise = comparison.by_evidence not in {ComparisonVerdict.REGRESSED, ComparisonVerdict.IMPROVED}
    rerun = _rerun(comparison)
    match comparison.finding:
        case ComparisonVerdict.REGRESSED if noise:
            return f"This may be noise: {rerun}, or look at the cases that dropped"
        case ComparisonVerdict.REGRESSED:
            return "Look at the cases that dropped: this is more than noise"
        case ComparisonVerdict.IMPROVED if noise:
            return f"This may be noise: {rerun} before you rely on it"
        case ComparisonVerdict.INCONCLUSIVE:
            return f"Not enough data to decide: {rerun}"
        case ComparisonVerdict.IMPROVED:
            return "Nothing to fix; this run can be the next baseline"
        case _:
            return "Nothing to do"


def _rerun(comparison: Comparison) -> str:
    needed = [model.detectability.samples_to_settle for model in comparison.models]
    samples = max((number for number in needed if number), default=0)
    if samples:
        return f"run both again with {samples:,} samples per case"
    return "compare more samples or more cases"


def rests_on(model: ModelComparison, options: CompareOptions) -> str:
    """Return what both rules say about a model, and how they fit together."""
    parts = [
        f"threshold {options.threshold:g}: {model.by_threshold}",
        f"evidence at alpha {options.alpha:g}: {model.by_evidence}",
        _together(model),
    ]
    return " · ".join(part for part in parts if part)


def _together(model: ModelComparison) -> str:
    decided = {ComparisonVerdict.REGRESSED, ComparisonVerdict.IMPROVED}
    if model.by_threshold in decided and model.by_evidence not in decided:
        return f"within noise: {settled_by(model.detectability)}"
    if model.by_evidence in decided and model.by_threshold not in decided:
        return "beyond noise, but below the threshold"
    if model.by_threshold in decided and model.by_evidence in decided:
        agree = model.by_threshold is model.by_evidence
        return "beyond noise" if agree else "the rules disagree: look at the cases"
    return ""


def settled_by(seen: Detectability) -> str:
    """Return how many samples or cases would separate this difference from noise."""
    ways = []
    if seen.samples_to_settle:
        ways.append(count(seen.samples_to_settle, "sample per case", "samples per case"))
    if seen.cases_to_settle:
        ways.append(count(seen.cases_to_settle, "case like these", "cases like these"))
    if not ways:
        return "no number of samples of these cases would settle it"
    return f"{' or '.join(ways)} would settle it"


def detectability_line(seen: Detectability) -> str:
    """Return the smallest change of the pass rate that a comparison of this size detects."""
    if not seen.minimum_difference:
        return "Smallest detectable change: unknown (too few cases, or none of them varies)"
    size = points(min(1.0, seen.minimum_difference)).removeprefix("+")
    return f"Smallest detectable change: {size} points (80 % power)"


def test_lines(model: ModelComparison, options: CompareOptions) -> list[str]:
    """Return the tests over all cases, of passes and of scores, and those of single cases."""
    evidence = model.evidence
    passes = _drop_and_rise(evidence.p_worse, evidence.p_better)
    scores = _drop_and_rise(evidence.score_p_worse, evidence.score_p_better)
    holm = ""
    if (evidence.p_worse_holm, evidence.p_better_holm) != (evidence.p_worse, evidence.p_better):
        corrected = _drop_and_rise(evidence.p_worse_holm, evidence.p_better_holm)
        holm = f"; corrected for all models (Holm): {corrected}"
    limit = f"significant below {options.alpha / 2:g}"
    return [
        f"passes: {passes} ({_drawn(evidence.draws)}; {limit}){holm}",
        f"scores: {scores} ({_drawn(evidence.score_draws)})",
        _single_cases(model),
    ]


def _drop_and_rise(p_worse: float, p_better: float) -> str:
    """Return the chance of a drop and of a rise like this one, had nothing changed."""
    return f"{chance(p_worse)} for a drop, {chance(p_better)} for a rise"


def _drawn(draws: int | None) -> str:
    return "exact test" if draws is None else f"{draws:,} permutations"


def _single_cases(model: ModelComparison) -> str:
    fell = sum(case.worse for case in model.cases)
    rose = sum(case.better for case in model.cases)
    tested = count(model.evidence.case_tests, "case")
    return (
        f"single cases: {fell} fell and {rose} rose beyond noise"
        f" (p at most {model.evidence.case_threshold:.3g}; {tested} with enough samples)"
    )


def usage_rows(usage: UsageChange) -> Iterator[list[str]]:
    """Return name, baseline, current and relative change; what neither side has is left out."""
    before, after = usage.baseline, usage.current
    yield _counted("completions", before.completions, after.completions)
    yield ["cost", money(before.cost), money(after.cost), _cost_change(before, after)]
    yield from _tokens(before, after)
    if before.latency and after.latency:
        yield _timed("latency p50", before.latency.p50, after.latency.p50)
        yield _timed("latency p95", before.latency.p95, after.latency.p95)
    if before.served != after.served:
        yield ["served as", _served(before), _served(after), ""]


def usage_line(usage: UsageChange) -> str:
    """Return cost, and what else changed, in one line."""
    rows = [row for row in usage_rows(usage) if row[0] == "cost" or row[1] != row[2]]
    changed = [(f"{name} {before} -> {after}", change) for name, before, after, change in rows]
    return " · ".join(f"{words} ({change})" if change else words for words, change in changed)


def _counted(name: str, before: int, after: int) -> list[str]:
    return [name, f"{before:,}", f"{after:,}", share_change(before, after)]


def _timed(name: str, before: float, after: float) -> list[str]:
    return [name, seconds(before), seconds(after), share_change(before, after)]


def _cost_change(before: Spent, after: Spent) -> str:
    if before.cost.usd is None or after.cost.usd is None:
        return NONE
    return share_change(float(before.cost.usd), float(after.cost.usd))


def _tokens(before: Spent, after: Spent) -> Iterator[list[str]]:
    for name in ("input", "output", "reasoning", "cache_read", "unreported"):
        counts = (getattr(before.tokens, name), getattr(after.tokens, name))
        if any(counts):
            label = "no token count" if name == "unreported" else f"tokens {name.replace('_', ' ')}"
            yield _counted(label, *counts)


def _served(side: Spent) -> str:
    return one_line(", ".join(side.served)) or NONE
