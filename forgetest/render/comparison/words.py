"""What a comparison says, in sentences that terminal, markdown, page and annotations share.

First the numbers and what was compared, then the gate, the evidence, and at last cost, tokens and
latency; `headline.py` has the verdict. Names come from models and users, so every sentence that
holds one takes the `Marks` that make them safe for its place.
"""

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
    points,
    rate,
    score,
    share_change,
)
from forgetest.render.numbers import and_more, money, more, seconds
from forgetest.render.safe import PLAIN, Marks, one_line
from forgetest.value import count

NAMED = 5  # cases named that are not compared
DRIFTS = 6  # changed counts of one kind that are shown


def rates(model: ModelComparison) -> str:
    """Return both pass rates, the change, and the chance of such a change had nothing changed."""
    shift = model.pass_rate
    both = f"pass rate {rate(shift.baseline)} to {rate(shift.current)}"
    if shift.delta is None:
        return both
    p = deciding_p(model)
    return f"{both}, {points(shift.delta)} points{'' if p is None else f', {chance(p)}'}"


def deciding_p(model: ModelComparison) -> float | None:
    """Return the p-value that the gate holds against alpha/2, in the direction of the change.

    It is of all cases together, corrected for the models compared. None where nothing moved.
    """
    delta, evidence = model.pass_rate.delta, model.evidence
    if not delta:
        return None
    return evidence.p_worse_holm if delta < 0 else evidence.p_better_holm


def repeat_words(comparison: Comparison) -> str:
    """Return in how many cases all samples of a side are one text, which p-values do not know."""
    cases = [case for model in comparison.models for case in model.cases]
    repeating = [
        [side.n for side in (case.baseline, case.current) if side.repeats] for case in cases
    ]
    sizes = sorted({n for sides in repeating for n in sides})
    if not sizes:
        return ""
    noun = "case" if len(comparison.models) == 1 else "case and model pair"
    number = f"{sum(map(bool, repeating)):,} of {count(len(cases), noun)}"
    n = " to ".join(f"{size:,}" for size in dict.fromkeys((sizes[0], sizes[-1])))
    return (
        f"in {number}, n = {n} are 1 distinct completion: p takes the samples for independent"
        " and may overstate the evidence"
    )


def same_rustc(comparison: Comparison) -> str | None:
    """Return the compiler of both runs; None where they differ, which is told elsewhere."""
    rustc = comparison.current.rustc
    return rustc.removeprefix("rustc ") if rustc == comparison.baseline.rustc else None


def summary_cells(model: ModelComparison) -> list[str]:
    """Return both pass rates, the change, and the p-value that decides."""
    shift = model.pass_rate
    both = f"{rate(shift.baseline)} -> {rate(shift.current)}"
    return [both, points(shift.delta), score(deciding_p(model))]


def subject_words(comparison: Comparison) -> str:
    """Return `variant default -> terse` where prompts are what is compared, and nothing else is."""
    subjects = {
        model.variants
        for model in comparison.models
        if len(set(model.variants)) > 1
        or (model.baseline, model.current) in comparison.options.maps
    }
    if len(subjects) != 1 or len({model.variants for model in comparison.models}) > 1:
        return ""
    ((before, after),) = subjects
    if before == after:
        return f"variant {after}, before -> after" if comparison.models[0].current_model else ""
    return f"variant {before} -> {after}"


def shows_variants(comparison: Comparison) -> bool:
    """Tell whether tables of models have a column of variants: not all models have the same."""
    return len({model.variants for model in comparison.models}) > 1


def model_name(model: ModelComparison) -> str:
    """Return the model without the way in which it is asked, as the current run has it."""
    return model.current if model.current_model is None else model.current_model.plain


def variant_name(model: ModelComparison) -> str:
    """Return `terse`, or `default -> terse` where both sides were asked in two ways."""
    before, after = model.variants
    return after if before == after else f"{before} -> {after}"


def difference_words(difference: Difference, marks: Marks = PLAIN) -> str:
    """Return `rustc 1.94.0 -> 1.95.0`."""
    before, after = (
        marks.name(side or "none") for side in (difference.baseline, difference.current)
    )
    return f"{marks.prose(difference.what)} {before} -> {after}"


def coverage_words(coverage: Coverage, models: int, marks: Marks = PLAIN) -> str:
    """Return `40 cases compared; changed (prompt): set/a; 1 new; removed: set/b`."""
    noun = "case" if models < 2 else "case and model pair"  # noqa: PLR2004 - one model or more
    parts = [f"{count(coverage.compared, noun)} compared"]
    for gap in UncomparedReason:
        left = [case for case in left_out_cases(coverage) if case.gap is gap]
        if left:
            parts.append(_gap_words(gap, left, marks))
    unscored = (coverage.unscored_baseline, coverage.unscored_current)
    if any(unscored):
        parts.append(f"unscored samples {unscored[0]:,} to {unscored[1]:,}")
    return "; ".join(parts)


def left_out_cases(coverage: Coverage) -> list[UncomparedCase]:
    """Return the cases that are not compared; those of a missing model go unnamed."""
    return [
        case
        for case in coverage.left_out
        if case.gap is not UncomparedReason.REMOVED or case.model not in coverage.missing_models
    ]


def _gap_words(gap: UncomparedReason, left: Sequence[UncomparedCase], marks: Marks) -> str:
    cases = dict.fromkeys(case.key for case in left)
    if gap is UncomparedReason.NEW:
        return f"{len(cases):,} new"
    details = sorted({one_line(part) for case in left for part in case.parts})
    if any(case.compared_anyway for case in left):
        details.append("compared anyway")
    if all(case.allowed for case in left):
        details.append("allowed")
    brackets = f" ({marks.prose(', '.join(details))})" if details else ""
    return f"{gap}{brackets}: {and_more([marks.name(case) for case in cases], NAMED)}"


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
    allowed = " (allowed)" if case.allowed else ""
    return [
        one_line(case.key),
        one_line(case.model),
        f"{case.gap}{parts}{anyway}{allowed}",
    ]


def gate_words(comparison: Comparison, marks: Marks = PLAIN) -> str:
    """Return the gate's rule and result, and where the rules differ, what evidence would say."""
    gate, options = comparison.gate, comparison.options
    if gate.rule is None:
        would = "" if gate.result is GateResult.PASSED else f"; the result would be {gate.result}"
        return f"not requested{would}"
    threshold, evidence = f"threshold {options.threshold:g}", f"evidence at alpha {options.alpha:g}"
    rules = {Rule.THRESHOLD: threshold, Rule.EVIDENCE: evidence}
    rule = rules.get(gate.rule, f"{threshold} or {evidence}")
    return f"{rule}: {gate.result}{_evidence_beside(comparison, marks)}"


def _evidence_beside(comparison: Comparison, marks: Marks) -> str:
    """Return what `--gate evidence` would say to the verdict of the threshold rule."""
    gate, would = comparison.gate, comparison.evidence_gate
    if gate.rule is not Rule.THRESHOLD or would is None:
        return ""
    by_evidence = comparison.by_evidence is ComparisonVerdict.REGRESSED
    if gate.result is GateResult.REGRESSION:
        noise = "more than noise" if by_evidence else "within noise"
    elif gate.result is GateResult.PASSED and by_evidence:
        noise = "all cases together fell beyond noise"
    else:
        return ""
    says = {GateResult.PASSED: "pass", GateResult.REGRESSION: "fail too"}.get(would, f"be {would}")
    if gate.result is GateResult.PASSED:
        says = "fail"
    return f" ({noise}; {marks.name('--gate evidence')} would {says})"


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
        return f"within noise: {settled_by(model)}"
    if model.by_evidence in decided and model.by_threshold not in decided:
        return "beyond noise, but below the threshold"
    if model.by_threshold in decided and model.by_evidence in decided:
        agree = model.by_threshold is model.by_evidence
        return "beyond noise" if agree else "the rules disagree: look at the cases"
    return ""


def samples_to_settle(model: ModelComparison) -> int | None:
    """Return the fewest samples per case at which evidence would decide, if the rates stay.

    That is by all cases together or by one case alone, whichever takes fewer: either decides.
    """
    now = max((max(case.baseline.n, case.current.n) for case in model.cases), default=0)
    together = model.detectability.samples_to_settle
    needed = [together, *(case.samples_to_settle for case in model.cases)]
    return min((number for number in needed if number and number > now), default=None)


def settled_by(model: ModelComparison) -> str:
    """Return how many samples or cases would separate this difference from noise."""
    ways = []
    samples, cases = samples_to_settle(model), model.detectability.cases_to_settle
    if samples:
        ways.append(count(samples, "sample per case", "samples per case"))
    if cases and cases > len(model.cases):
        ways.append(count(cases, "case like these", "cases like these"))
    if not ways:
        return "no number of samples of these cases would settle it"
    return f"{' or '.join(ways)} would settle it"


def detectability_line(seen: Detectability) -> str:
    """Return the smallest change of the pass rate that a comparison of this size detects."""
    if seen.standard_error is None:
        return "smallest detectable change: unknown (one case has no spread)"
    if not seen.minimum_difference:
        return "smallest detectable change: unknown (all cases moved alike, so there is no spread)"
    size = points(min(1.0, seen.minimum_difference)).removeprefix("+")
    return f"smallest detectable change: {size} points (80 % power)"


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
        f" (p at most {model.evidence.case_threshold:.3g}, Tarone's correction for {tested})"
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
