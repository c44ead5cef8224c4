"""What a comparison says first: the gate's result, why in a few words, and what to do.

The first line must tell a reviewer everything, so nothing in it may contradict the gate: a gate
that failed leads with what made it fail, one that passed says how far the numbers moved.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from forgetest.compare.types import (
    CaseComparison,
    Comparison,
    ComparisonVerdict,
    GateResult,
    ModelComparison,
    Rule,
    RunInfo,
    UncomparedReason,
)
from forgetest.render.comparison.numbers import points, score
from forgetest.render.comparison.words import difference_words, samples_to_settle, subject_words
from forgetest.render.numbers import and_more
from forgetest.render.safe import PLAIN, Marks
from forgetest.run.manifest import REPORT
from forgetest.value import count

NAMED = 3  # models or cases named in a line
PASS, FAIL, WARN, UNKNOWN = "✅", "❌", "⚠️", "❓"


@dataclass(frozen=True, slots=True)
class Headline:
    """The verdict in one line: a sign, the word that it comes down to, and the rest."""

    sign: str
    word: str
    rest: str

    @property
    def text(self) -> str:
        """The line without its sign."""
        return f"{self.word}{self.rest}"


def headline(comparison: Comparison, marks: Marks = PLAIN) -> Headline:
    """Return the gate's result with what it rests on; without a gate, what is proven.

    Where prompts are what is compared, it ends with the variants.
    """
    first, subject = _headline(comparison, marks), subject_words(comparison)
    return replace(first, rest=f"{first.rest}; {marks.prose(subject)}") if subject else first


def _headline(comparison: Comparison, marks: Marks) -> Headline:
    reasons = "; ".join(marks.prose(reason) for reason in comparison.gate.reasons)
    match comparison.gate.result:
        case GateResult.REGRESSION:
            return Headline(FAIL, f"Regression{_by(comparison)}", _fall(comparison, marks))
        case GateResult.INCOMPLETE:
            return Headline(FAIL, "Incomplete", f": {reasons}")
        case GateResult.INCONCLUSIVE:
            return Headline(FAIL, "Inconclusive", f": {_moved(comparison)}{reasons}")
        case GateResult.NOT_COMPARABLE:
            return Headline(FAIL, "Not comparable", f": {_why_not(comparison, marks)}")
    if comparison.finding is ComparisonVerdict.NOT_COMPARABLE:
        return Headline(UNKNOWN, "Not comparable", f": {_why_not(comparison, marks)}")
    shown = _without_gate if comparison.options.rule is None else _passed
    return shown(comparison, marks)


def _why_not(comparison: Comparison, marks: Marks) -> str:
    refusing = [difference for difference in comparison.differences if difference.refuses]
    if refusing:
        return "; ".join(difference_words(difference, marks) for difference in refusing)
    reasons = "; ".join(marks.prose(reason) for reason in comparison.gate.reasons)
    return reasons or "changed cases were compared"


def _passed(comparison: Comparison, marks: Marks) -> Headline:
    if comparison.by_evidence is ComparisonVerdict.IMPROVED:
        return Headline(PASS, "Improved", f"{_rise(comparison, marks)}{_not_compared(comparison)}")
    rest = f"{_why_passed(comparison)}{_size(comparison)}{_not_compared(comparison)}"
    return Headline(PASS, "No regression", rest)


def _why_passed(comparison: Comparison) -> str:
    options = comparison.options
    if options.rule is not Rule.EVIDENCE:
        return f": no case's score dropped by more than {options.threshold:g}"
    moved = any(model.pass_rate.delta for model in comparison.models)
    if comparison.by_evidence is ComparisonVerdict.INCONCLUSIVE or (moved and not options.margin):
        return " beyond noise"
    if options.margin:
        return f": the change is proven to be within {points(options.margin)[1:]} points"
    return f": no case's score moved by more than {options.threshold:g}"


def _size(comparison: Comparison) -> str:
    if len(comparison.models) > 1:
        return f" in {len(comparison.models):,} models"
    delta = comparison.models[0].pass_rate.delta
    return "" if delta is None else f" ({points(delta)} points)"


def _not_compared(comparison: Comparison) -> str:
    gone = [case for case in comparison.coverage.left_out if case.gap is not UncomparedReason.NEW]
    return f"; {count(len(gone), 'case')} not compared" if gone else ""


def _without_gate(comparison: Comparison, marks: Marks) -> Headline:
    match comparison.finding:
        case ComparisonVerdict.REGRESSED:
            return Headline(FAIL, "Regression", _fall(comparison, marks))
        case ComparisonVerdict.IMPROVED:
            return Headline(PASS, "Improved", _rise(comparison, marks))
        case ComparisonVerdict.SAME:
            return Headline(PASS, "No change", f": {_still(comparison)}")
    return Headline(WARN, "Inconclusive", f": {_moved(comparison)}within noise")


def _still(comparison: Comparison) -> str:
    if comparison.options.margin:
        return f"the pass rate is the same within {points(comparison.options.margin)[1:]} points"
    return f"no case's score moved by more than {comparison.options.threshold:g}"


def _moved(comparison: Comparison) -> str:
    delta = comparison.models[0].pass_rate.delta if len(comparison.models) == 1 else None
    return "" if delta is None else f"{points(delta)} points, "


def fired(comparison: Comparison) -> tuple[Rule, ...]:
    """Return the rules by which there is a regression, of those that the gate asks."""
    asked = {Rule.THRESHOLD: comparison.by_threshold, Rule.EVIDENCE: comparison.by_evidence}
    rule = comparison.options.rule or Rule.EVIDENCE
    return tuple(
        name
        for name, verdict in asked.items()
        if rule in {name, Rule.EITHER} and verdict is ComparisonVerdict.REGRESSED
    )


def _by(comparison: Comparison) -> str:
    """Return which of two rules calls it a regression."""
    if comparison.options.rule is not Rule.EITHER:
        return ""
    rules = fired(comparison)
    return " by both rules" if len(rules) > 1 else f" by the {rules[0]} rule"


def _fall(comparison: Comparison, marks: Marks) -> str:
    rules = fired(comparison)
    fallen = [model for model in comparison.models if _regressed(model, rules)]
    return _of_models(
        comparison, fallen, [_fall_of(model, comparison, marks) for model in fallen], marks
    )


def _regressed(model: ModelComparison, rules: Sequence[Rule]) -> bool:
    by = {Rule.THRESHOLD: model.by_threshold, Rule.EVIDENCE: model.by_evidence}
    return any(by[rule] is ComparisonVerdict.REGRESSED for rule in rules)


def _of_models(
    comparison: Comparison, models: Sequence[ModelComparison], moves: list[str], marks: Marks
) -> str:
    if len(comparison.models) == 1:
        return f": {moves[0]}"
    names = [marks.name(model.current) for model in models]
    if len(models) == 1:
        return f" in {names[0]}: {moves[0]}"
    return f" in {len(models)} of {len(comparison.models)} models: {and_more(names, NAMED)}"


def _fall_of(model: ModelComparison, comparison: Comparison, marks: Marks) -> str:
    options = comparison.options
    if Rule.EVIDENCE in fired(comparison) and model.by_evidence is ComparisonVerdict.REGRESSED:
        if fell_together(model, comparison):
            return f"pass rate fell {_points(model)}{_where(model, marks)}"
        return _beyond([case for case in model.cases if case.worse], "fell", model, marks)
    dropped = [case for case in model.cases if case.change == "regression"]
    noise = "" if model.by_evidence is ComparisonVerdict.REGRESSED else ", within noise"
    if len(dropped) == 1:
        drop = score(abs(dropped[0].score_delta))
        return f"{marks.name(dropped[0].key)} dropped by {drop}{noise}"
    total = count(len(model.cases), "case")
    return f"{len(dropped):,} of {total} dropped by more than {options.threshold:g}{noise}"


def _where(model: ModelComparison, marks: Marks) -> str:
    """Return the one case in which a model fell, if there is only one."""
    fell = [case for case in model.cases if case.rate_delta < 0]
    return f", all in {marks.name(fell[0].key)}" if len(fell) == 1 else ""


def fell_together(model: ModelComparison, comparison: Comparison) -> bool:
    """Tell whether all cases of a model together are the evidence for its regression."""
    delta, options = model.pass_rate.delta or 0.0, comparison.options
    proven = model.by_evidence is ComparisonVerdict.REGRESSED
    return proven and model.evidence.p_worse_holm < options.alpha / 2 and -delta > options.margin


def _points(model: ModelComparison) -> str:
    return f"{points(model.pass_rate.delta).lstrip('+-')} points"


def _beyond(
    cases: Sequence[CaseComparison], verb: str, model: ModelComparison, marks: Marks
) -> str:
    if len(cases) != 1:
        total = count(len(model.cases), "case")
        return f"{len(cases):,} of {total} {verb} beyond noise"
    case = cases[0]
    before, after = (f"{side.c}/{side.n}" for side in (case.baseline, case.current))
    return f"{marks.name(case.key)} passes {after}, was {before}"


def _rise(comparison: Comparison, marks: Marks) -> str:
    risen = [
        model for model in comparison.models if model.by_evidence is ComparisonVerdict.IMPROVED
    ]
    return _of_models(
        comparison, risen, [_rise_of(model, comparison, marks) for model in risen], marks
    )


def _rise_of(model: ModelComparison, comparison: Comparison, marks: Marks) -> str:
    delta, options = model.pass_rate.delta or 0.0, comparison.options
    if model.evidence.p_better_holm < options.alpha / 2 and delta > options.margin:
        return f"pass rate rose {_points(model)}"
    return _beyond([case for case in model.cases if case.better], "rose", model, marks)


def next_step(comparison: Comparison, marks: Marks = PLAIN) -> str:
    """Return what to do next, as an instruction."""
    match comparison.gate.result:
        case GateResult.INCOMPLETE:
            return _capital("; ".join(_to_complete(comparison, marks)))
        case GateResult.NOT_COMPARABLE:
            return _to_compare(comparison, marks)
        case GateResult.REGRESSION:
            return _after_regression(comparison, marks)
        case GateResult.INCONCLUSIVE:
            return _capital(_rerun(comparison))
    return _after_passing(comparison, marks)


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _to_complete(comparison: Comparison, marks: Marks) -> list[str]:
    """Return what to do about missing models, missing cases and unscored samples."""
    coverage = comparison.coverage
    steps = _to_map(comparison, marks)
    gone = dict.fromkeys(
        case.key
        for case in coverage.left_out
        if case.gap is UncomparedReason.REMOVED
        and not case.allowed
        and case.model not in coverage.missing_models
    )
    if gone:
        names = list(gone) if len(gone) <= NAMED else ["CASE"]
        option = marks.name(" ".join(f"--allow-removed {name}" for name in names))
        it, its = ("it", "its") if len(gone) == 1 else ("them", "their")
        steps.append(f"restore {it}, or accept {its} removal with {option}")
    elif coverage.missing_models and not steps:
        steps.append("run the missing model too, or make a new baseline without it")
    if coverage.unscored_current:
        steps.append(_resume("current run", comparison.current, marks))
    if coverage.unscored_baseline:
        steps.append(_resume("baseline", comparison.baseline, marks))
    return steps


def _to_map(comparison: Comparison, marks: Marks) -> list[str]:
    maps = " ".join(f"--map {old}={new}" for old, new in comparison.suggested_maps)
    return [f"to compare the old name with the new one, add {marks.name(maps)}"] if maps else []


def _resume(run: str, info: RunInfo, marks: Marks) -> str:
    folder = info.file.removesuffix(f"/{REPORT}")
    if folder.endswith(".json") or folder == "standard input":
        folder = "FOLDER"
    return f"finish the {run}: {marks.name(f'forgetest run --resume {folder}')}"


def _to_compare(comparison: Comparison, marks: Marks) -> str:
    unscored = comparison.coverage.unscored_run
    if unscored:
        info = comparison.current if unscored == "current run" else comparison.baseline
        return _capital(_resume(unscored, info, marks))
    if comparison.suggested_maps and not comparison.coverage.compared:
        return _capital(_to_map(comparison, marks)[0])
    refusing = [difference for difference in comparison.differences if difference.refuses]
    if refusing and all(difference.variant for difference in refusing):
        names = dict.fromkeys(f"MODEL@{difference.variant}" for difference in refusing)
        maps = marks.name(" ".join(f"--map {name}={name}" for name in names))
        return f"Make a new baseline, or if the prompts are what you compare, add {maps}"
    if refusing:
        return (
            "Make a new baseline with the current settings, or compare anyway with"
            f" {marks.name('--allow-incomparable')}"
        )
    if not comparison.models and not comparison.coverage.left_out:
        return "Compare runs of the same eval sets and models"
    return (
        "Make a new baseline with the eval sets as they are now; if their prompts are what you"
        f" compare, add {marks.name('--map SET=SET')}"
    )


def _after_regression(comparison: Comparison, marks: Marks) -> str:
    if Rule.EVIDENCE in fired(comparison) or comparison.by_evidence is ComparisonVerdict.REGRESSED:
        return "Look at the cases that dropped: this is more than noise"
    passes = comparison.evidence_gate is GateResult.PASSED
    would = f", and {marks.name('--gate evidence')} would pass" if passes else ""
    return f"This may be noise{would}: {_rerun(comparison)}"


def _after_passing(comparison: Comparison, marks: Marks) -> str:
    gated = comparison.options.rule is not None
    if comparison.finding is ComparisonVerdict.NOT_COMPARABLE:
        return _to_compare(comparison, marks)
    if gated and comparison.by_evidence is ComparisonVerdict.REGRESSED:
        return f"Look at the cases all the same: {marks.name('--gate evidence')} would fail this"
    match comparison.finding:
        case ComparisonVerdict.REGRESSED:
            return "Look at the cases that dropped: this is more than noise"
        case ComparisonVerdict.INCONCLUSIVE if not gated:
            return f"Not enough data to decide: {_rerun(comparison)}"
        case ComparisonVerdict.IMPROVED if comparison.by_evidence is ComparisonVerdict.IMPROVED:
            return "Nothing to fix; this run can be the next baseline"
    return "Nothing"


def _rerun(comparison: Comparison) -> str:
    needed = [samples_to_settle(model) for model in comparison.models]
    samples = min((number for number in needed if number), default=0)
    if samples:
        runs = "it" if comparison.baseline == comparison.current else "both"
        return f"run {runs} again with {samples:,} samples per case"
    return "compare more samples or more cases"
