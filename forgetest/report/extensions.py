"""The numbers that `[report]` of forgetest.toml adds: weighted suites, penalties, a latency score.

They change neither the score of a sample nor the pass rates.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from forgetest.grading.verdict import Outcome
from forgetest.metrics import Number, latency_score, overall_run_score, penalized_score, suite_score
from forgetest.report.aggregate import CaseFigures
from forgetest.report.score import CLASS_OF
from forgetest.report.types import Extensions
from forgetest.run.settings import LatencyTable, ReportTable
from forgetest.sampling.plan import Plan

SuiteValue = Callable[[Sequence[CaseFigures]], Fraction | None]


def extensions(
    options: ReportTable, cases: Sequence[CaseFigures], latencies: Sequence[float]
) -> Extensions:
    """Return the numbers of one model; a suite without a scored case leaves the overall means.

    `latencies` are those of all answered requests, in seconds.
    """
    suites: dict[str, list[CaseFigures]] = {}
    for case in cases:
        suites.setdefault(case.report.eval_set, []).append(case)
    weights = options.suite_weights or {}
    return Extensions(
        classes=_classes(cases),
        suite_scores={name: _number(_accuracy(own)) for name, own in suites.items()},
        overall_run_score=_overall(suites, weights, _accuracy),
        penalized_score=_penalized(suites, weights, options.penalties),
        latency_score=_latency(latencies, options.latency),
    )


def option_warnings(plan: Plan, options: ReportTable | None) -> Iterator[str]:
    """Yield a sentence for weights of eval sets that the run does not have."""
    weights = options.suite_weights if options else None
    known = {item.id for item in plan.eval_sets}
    for name in weights or {}:
        if name not in known:
            yield f"[report] suite_weights names {name}, which is not an eval set of this run"


def _classes(cases: Sequence[CaseFigures]) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for case in cases:
        for outcome, number in case.outcomes.items():
            counts[str(CLASS_OF[outcome])] += number
    return dict(sorted(counts.items()))


def _accuracy(cases: Sequence[CaseFigures]) -> Fraction | None:
    return suite_score([(case.n, case.c) for case in cases])


def _overall(
    suites: dict[str, list[CaseFigures]], weights: dict[str, float], value: SuiteValue
) -> float | None:
    scores = {name: value(cases) for name, cases in suites.items()}
    known = {name: score for name, score in scores.items() if score is not None}
    shares: list[Number] = [weights.get(name, 1) for name in known]
    return _number(overall_run_score(list(known.values()), shares))


def _penalized(
    suites: dict[str, list[CaseFigures]],
    weights: dict[str, float],
    penalties: dict[str, float] | None,
) -> float | None:
    if penalties is None:
        return None
    costs: dict[str, Number] = {
        str(outcome): penalties.get(outcome, penalties.get(CLASS_OF[outcome], 1))
        for outcome in Outcome
    }

    def earned(cases: Sequence[CaseFigures]) -> Fraction | None:
        shares = [_earned(case, costs) for case in cases if case.n]
        return sum(shares, Fraction()) / len(shares) if shares else None

    return _overall(suites, weights, earned)


def _earned(case: CaseFigures, costs: dict[str, Number]) -> Fraction:
    kinds = {str(outcome): number for outcome, number in case.outcomes.items()}
    return penalized_score(kinds, costs, passing=Outcome.PASSED) or Fraction()


def _latency(latencies: Sequence[float], table: LatencyTable | None) -> float | None:
    if table is None:
        return None
    return _number(latency_score(latencies, table.full_secs, table.none_secs))


def _number(value: Fraction | None) -> float | None:
    return None if value is None else float(value)
