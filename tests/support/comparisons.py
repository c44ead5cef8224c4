"""Comparisons made by hand, for the tests of what is said of them."""

from collections.abc import Sequence
from decimal import Decimal

from forgetest.compare.types import (
    Attribution,
    Bounds,
    CaseComparison,
    CaseSide,
    CompareOptions,
    Comparison,
    ComparisonVerdict,
    CountChange,
    Coverage,
    Detectability,
    Difference,
    Estimate,
    Evidence,
    Failure,
    Flip,
    Gate,
    GateResult,
    Group,
    MeanChange,
    ModelComparison,
    OutcomeChanges,
    Rule,
    RunInfo,
    Spent,
    UncomparedCase,
    UncomparedReason,
    UsageChange,
)
from forgetest.report.types import CostSum, Latency, TokenSum

BORROW = "cannot borrow `v` as mutable because it is also borrowed as immutable"
HOSTILE = (
    "@octocat #12 GH-12 owner/repo#1 https://evil.example www.evil.example me@evil.example"
    " :smile: <img src=x onerror=alert(1)> <!-- forgetest-compare --> ~~gone~~ **bold** a|b \\| `x`"
    " ``` [l](http://evil.example) ![i](//evil.example/i.png) <script>x</script> $a$ [^1] &amp;"
    " \u202eevil\u200b\u2066 \x1b[31mred\r\n::error::injected\n##[error]old\n# heading\n| a | b |"
)


def estimate(value: float | None, half: float = 0.1) -> Estimate:
    if value is None:
        return Estimate(value=None, reason="insufficient_samples")
    return Estimate(value=value, interval=(max(0.0, value - half), min(1.0, value + half)))


def shift(before: float | None, after: float | None, half: float = 0.045) -> MeanChange:
    if before is None or after is None:
        return MeanChange(
            baseline=estimate(before),
            current=estimate(after),
            delta=None,
            reason="insufficient_samples",
        )
    delta = after - before
    bounds: Bounds = (max(-1.0, delta - half), min(1.0, delta + half))
    return MeanChange(
        baseline=estimate(before), current=estimate(after), delta=delta, interval=bounds
    )


def side(c: int, n: int = 5, *failures: Failure, score: float | None = None) -> CaseSide:
    mean = c / n if score is None else score
    return CaseSide(planned=n, n=n, c=c, mean_score=mean, failures=failures)


def case(
    name: str,
    before: CaseSide,
    after: CaseSide,
    *,
    p: float = 0.5,
    beyond: bool = False,
    eval_set: str = "rust-basics",
    line: int | None = 12,
) -> CaseComparison:
    delta = after.mean_score - before.mean_score
    fell, rose = delta < -0.05, delta > 0.05
    return CaseComparison(
        eval_set=eval_set,
        case=name,
        name=name.replace("-", " "),
        file=f"eval-sets/{eval_set}.toml",
        line=line,
        baseline=before,
        current=after,
        score_delta=delta,
        rate_delta=after.c / after.n - before.c / before.n,
        change="regression" if fell else "improvement" if rose else "same",
        p_worse=p if delta < 0 else 1.0,
        p_better=p if delta > 0 else 1.0,
        worse=beyond and delta < 0,
        better=beyond and delta > 0,
        samples_to_settle=None if beyond else 12,
    )


def evidence(p_worse: float = 0.6, p_better: float = 0.5) -> Evidence:
    return Evidence(
        p_worse=p_worse,
        p_better=p_better,
        two_sided=min(1.0, 2 * min(p_worse, p_better)),
        p_worse_holm=p_worse,
        p_better_holm=p_better,
        draws=None,
        score_p_worse=p_worse,
        score_p_better=p_better,
        score_two_sided=min(1.0, 2 * min(p_worse, p_better)),
        score_draws=10_000,
        seed=1,
        case_tests=8,
        case_threshold=0.025 / 8,
    )


def spent(cost: str | None, completions: int = 200) -> Spent:
    usd = None if cost is None else Decimal(cost)
    return Spent(
        completions=completions,
        cost=CostSum(usd=usd, known_usd=usd or Decimal(0), unknown=0 if usd else completions),
        tokens=TokenSum(input=90_120, output=41_302, reasoning=0, cache_read=0, unreported=0),
        latency=Latency(mean=3.1, p50=2.4, p95=9.8),
        served=("gpt-x-2026-08-01",),
    )


def drift() -> OutcomeChanges:
    return OutcomeChanges(
        samples_baseline=200,
        samples_current=200,
        compile_rate=shift(0.92, 0.85),
        compile_at_k={"1": shift(0.92, 0.85), "5": shift(1.0, 0.975)},
        lint_free_rate=shift(0.8, 0.79),
        outcomes=(
            CountChange(name="passed", baseline=143, current=128),
            CountChange(name="compile_failed", baseline=16, current=30),
            CountChange(name="tests_failed", baseline=41, current=42),
        ),
        error_codes=(
            CountChange(name="E0502", baseline=4, current=11),
            CountChange(name="E0308", baseline=9, current=9),
            CountChange(name="E0425", baseline=3, current=10),
        ),
        lints=(CountChange(name="clippy::needless_return", baseline=12, current=3),),
        flags=(),
    )


def group(kind: str, name: str, cases: int, before: float, after: float) -> Group:
    short = cases < 5
    rates = shift(before, after)
    if short:
        rates = rates.model_copy(update={"interval": None, "reason": "too few cases"})
    return Group(kind=kind, name=name, cases=cases, pass_rate=rates, mean_score=rates)


def model(
    cases: Sequence[CaseComparison],
    *,
    name: str = "openai/gpt-x",
    threshold: ComparisonVerdict = ComparisonVerdict.SAME,
    by_evidence: ComparisonVerdict = ComparisonVerdict.SAME,
    finding: ComparisonVerdict | None = None,
    rates: tuple[float, float] = (0.714, 0.714),
    found: Evidence | None = None,
    attribution: Attribution | None = None,
    baseline: str | None = None,
) -> ModelComparison:
    return ModelComparison(
        baseline=baseline or name,
        current=name,
        finding=finding or threshold,
        by_threshold=threshold,
        by_evidence=by_evidence,
        regressions=sum(one.change == "regression" for one in cases),
        improvements=sum(one.change == "improvement" for one in cases),
        pass_rate=shift(*rates),
        mean_score=shift(min(1.0, rates[0] + 0.08), min(1.0, rates[1] + 0.07)),
        pass_at_k={"1": shift(*rates), "5": shift(0.9, 0.875)},
        evidence=found or evidence(),
        detectability=Detectability(
            standard_error=0.0439,
            minimum_difference=0.123,
            samples_to_settle=14,
            cases_to_settle=120,
        ),
        groups=(
            group("eval set", "rust-basics", 40, *rates),
            group("tag", "borrowing", 12, rates[0], rates[1]),
            group("tag", "strings", 3, 0.6, 0.6),
            group("difficulty", "hard", 9, 0.5, 0.4),
        ),
        drift=drift(),
        usage=UsageChange(baseline=spent("0.41"), current=spent("0.52")),
        attribution=attribution,
        cases=tuple(cases),
    )


def run(file: str, rustc: str = "1.94.0", *, complete: bool = True, cases: int = 42) -> RunInfo:
    return RunInfo(
        file=file,
        created="2026-11-21T09:30:12.000+00:00",
        forgetest="0.4.0",
        rustc=rustc,
        sandbox="bwrap 0.8.0",
        samples_per_case=5,
        cases=cases,
        complete=complete,
    )


def left(gap: UncomparedReason, name: str, *parts: str) -> UncomparedCase:
    return UncomparedCase(
        model="openai/gpt-x", eval_set="rust-basics", case=name, gap=gap, parts=parts
    )


def comparison(
    *models: ModelComparison,
    finding: ComparisonVerdict | None = None,
    gate: Gate | None = None,
    differences: tuple[Difference, ...] = (),
    left_out: tuple[UncomparedCase, ...] = (),
    notes: tuple[str, ...] = (),
    rule: Rule | None = Rule.THRESHOLD,
) -> Comparison:
    first = models[0] if models else None
    found = finding or (first.finding if first else ComparisonVerdict.NOT_COMPARABLE)
    regressed = found is ComparisonVerdict.REGRESSED
    said = GateResult.REGRESSION if regressed else GateResult.PASSED
    return Comparison(
        forgetest="0.4.0",
        baseline=run("runs/main/report.json"),
        current=run("runs/branch/report.json", "1.95.0"),
        options=CompareOptions(rule=rule),
        finding=found,
        by_threshold=first.by_threshold if first else found,
        by_evidence=first.by_evidence if first else found,
        gate=gate or Gate(rule=rule, result=said),
        evidence_gate=_by_evidence(first),
        differences=differences,
        coverage=Coverage(
            compared=sum(len(model.cases) for model in models),
            left_out=left_out,
            unscored_baseline=0,
            unscored_current=2 if left_out else 0,
            planned_baseline=200,
            planned_current=200,
            unscored_share=0.01 if left_out else 0.0,
        ),
        notes=notes,
        models=models,
    )


def _by_evidence(first: ModelComparison | None) -> GateResult | None:
    if first is None:
        return None
    worse = first.by_evidence is ComparisonVerdict.REGRESSED
    return GateResult.REGRESSION if worse else GateResult.PASSED


RUSTC = Difference(what="rustc", baseline="1.94.0", current="1.95.0")
TEMPERATURE = Difference(what="temperature", baseline="0.2", current="0.8")


def broken_cases(steady: int = 38) -> list[CaseComparison]:
    """Two cases that fell, one beyond noise; one that rose; and some that stand still."""
    borrow = Failure(outcome="compile_failed", samples=4, code="E0502", message=BORROW)
    wrong = Failure(outcome="tests_failed", samples=1, tests=("tests::empty", "tests::one"))
    odd = Failure(outcome="tests_failed", samples=3, tests=tuple(f"tests::t{i}" for i in range(5)))
    return [
        case(
            "merge-intervals", side(5), side(0, 5, borrow, wrong, score=0.1), p=1 / 252, beyond=True
        ),
        case("parse-duration", side(4, score=0.95), side(2, 5, odd, score=0.7), p=0.262, line=88),
        case("rotate-left", side(1), side(3), p=0.262, line=140),
        *(case(f"steady-{index:02}", side(4), side(4)) for index in range(steady - 1)),
    ]


def a_regression() -> Comparison:
    found = model(
        broken_cases(),
        threshold=ComparisonVerdict.REGRESSED,
        by_evidence=ComparisonVerdict.REGRESSED,
        rates=(0.714, 0.638),
        found=evidence(0.0014, 0.9991),
    )
    gaps = (
        left(UncomparedReason.CHANGED, "word-count", "prompt"),
        left(UncomparedReason.NEW, "lru-cache"),
        left(UncomparedReason.REMOVED, "old-one"),
    )
    return comparison(found, differences=(RUSTC, TEMPERATURE), left_out=gaps)


def noise() -> Comparison:
    cases = [
        case("parse-duration", side(4, score=0.95), side(3, score=0.85), p=0.5),
        *(case(f"steady-{index:02}", side(4), side(4)) for index in range(9)),
    ]
    found = model(
        cases,
        threshold=ComparisonVerdict.REGRESSED,
        by_evidence=ComparisonVerdict.INCONCLUSIVE,
        rates=(0.8, 0.78),
        found=evidence(0.5, 0.8),
    )
    return comparison(found)


def an_improvement() -> Comparison:
    cases = [case("rotate-left", side(0), side(5), p=1 / 252, beyond=True), *broken_cases()[3:]]
    found = model(
        cases,
        threshold=ComparisonVerdict.IMPROVED,
        by_evidence=ComparisonVerdict.IMPROVED,
        rates=(0.6, 0.75),
        found=evidence(0.999, 0.0005),
    )
    return comparison(found)


def no_change() -> Comparison:
    return comparison(model(broken_cases()[3:]))


def an_open_question() -> Comparison:
    cases = [case("parse-duration", side(4), side(3), p=0.5), *broken_cases()[3:8]]
    found = model(
        cases,
        threshold=ComparisonVerdict.REGRESSED,
        by_evidence=ComparisonVerdict.INCONCLUSIVE,
        finding=ComparisonVerdict.INCONCLUSIVE,
        rates=(0.8, 0.76),
        found=evidence(0.3, 0.8),
    )
    reason = "within noise, and --strict demands certainty"
    gate = Gate(rule=Rule.EVIDENCE, result=GateResult.INCONCLUSIVE, reasons=(reason,))
    return comparison(found, rule=Rule.EVIDENCE, gate=gate)


def an_incomplete_one() -> Comparison:
    gate = Gate(
        rule=Rule.THRESHOLD,
        result=GateResult.INCOMPLETE,
        reasons=("rust-basics/old-one is missing", "2 of 200 samples are unscored"),
    )
    gaps = (
        left(UncomparedReason.REMOVED, "old-one"),
        left(UncomparedReason.NEWLY_UNSCORED, "lru-cache"),
    )
    return comparison(model(broken_cases()[3:]), gate=gate, left_out=gaps)


def not_comparable() -> Comparison:
    profile = Difference(
        what="scoring profile", baseline="standard", current="strict", refuses=True
    )
    gate = Gate(
        rule=Rule.THRESHOLD, result=GateResult.NOT_COMPARABLE, reasons=("scoring profiles differ",)
    )
    return comparison(
        finding=ComparisonVerdict.NOT_COMPARABLE, differences=(profile, RUSTC), gate=gate
    )


def regraded() -> Comparison:
    split = Attribution(
        graded_then=0.714,
        graded_now=0.704,
        current=0.638,
        environment=-0.01,
        model=-0.066,
        score_environment=-0.008,
        score_model=-0.05,
        rustc_then="1.94.0",
        rustc_now="1.95.0",
        flips=(
            Flip(
                eval_set="rust-basics",
                case="merge-intervals",
                sample=2,
                before="passed",
                after="compile_failed",
            ),
        ),
    )
    found = model(
        broken_cases(),
        threshold=ComparisonVerdict.REGRESSED,
        by_evidence=ComparisonVerdict.REGRESSED,
        rates=(0.714, 0.638),
        found=evidence(0.0014, 0.9991),
        attribution=split,
    )
    return comparison(found, differences=(RUSTC,))


def several_models() -> Comparison:
    worse = a_regression().models[0]
    good = (
        an_improvement()
        .models[0]
        .model_copy(update={"current": "anthropic/claude-y", "baseline": "anthropic/claude-x"})
    )
    same = no_change().models[0].model_copy(update={"current": "ollama/qwen3:8b"})
    return comparison(worse, good, same, differences=(RUSTC,))


def hostile(text: str = HOSTILE) -> Comparison:
    """Return a comparison in which every text that is not ours is hostile."""
    failure = Failure(
        outcome="compile_failed", samples=5, code=text, message=text, tests=(text,) * 4
    )
    one = case(text, side(5), side(0, 5, failure, failure), p=0.004, beyond=True, eval_set=text)
    found = model(
        [one, case(f"{text}2", side(0), side(5), p=0.004)],
        name=text,
        threshold=ComparisonVerdict.REGRESSED,
        by_evidence=ComparisonVerdict.REGRESSED,
        rates=(1.0, 0.0),
        found=evidence(0.001, 1.0),
    )
    counts = (CountChange(name=text, baseline=1, current=2),)
    found = found.model_copy(
        update={
            "groups": (group("tag", text, 7, 0.4, 0.2),),
            "drift": found.drift.model_copy(
                update={"outcomes": counts, "error_codes": counts, "lints": counts, "flags": counts}
            ),
            "usage": UsageChange(
                baseline=spent(None).model_copy(update={"served": (text,)}), current=spent("1")
            ),
        }
    )
    gaps = (
        UncomparedCase(
            model=text, eval_set=text, case=text, gap=UncomparedReason.CHANGED, parts=(text,)
        ),
        UncomparedCase(model=text, eval_set=text, case=text, gap=UncomparedReason.REMOVED),
    )
    made = comparison(
        found,
        differences=(Difference(what=text, baseline=text, current=text),),
        left_out=gaps,
        notes=(text,),
        gate=Gate(rule=Rule.THRESHOLD, result=GateResult.REGRESSION, reasons=(text,)),
    )
    where = run(text, text).model_copy(update={"sandbox": text})
    return made.model_copy(update={"baseline": where, "current": where, "forgetest": "0.4.0"})


def huge(models: int = 3, cases: int = 1000) -> Comparison:
    """Return three models of a thousand cases, half of which fell."""
    failure = Failure(outcome="compile_failed", samples=5, code="E0502", message=BORROW)
    made = [
        model(
            [
                case(f"case-{index:04}", side(5), side(0, 5, failure) if index % 2 else side(5))
                for index in range(cases)
            ],
            name=f"provider/model-{number}",
            threshold=ComparisonVerdict.REGRESSED,
            by_evidence=ComparisonVerdict.REGRESSED,
            rates=(1.0, 0.5),
            found=evidence(0.0, 1.0),
        )
        for number in range(models)
    ]
    gaps = tuple(left(UncomparedReason.REMOVED, f"gone-{index}") for index in range(500))
    return comparison(*made, left_out=gaps)
