"""What asking again was worth: the pass rate after each round, the gain, and which errors went.

A sample that passes in a round is asked no more, so the rate after a round counts all that passed
by then. Only scored samples count: a conversation under way may still pass.
"""

from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

from forgetest.grading.verdict import Outcome
from forgetest.metrics import paired_delta, paired_differences, paired_interval, stratified_test
from forgetest.report.aggregate import mean_metric
from forgetest.report.score import did_as_asked
from forgetest.report.types import (
    AfterRound,
    CaseReport,
    RepairedCode,
    RepairGain,
    RoundReport,
    RoundsReport,
    SampleReport,
)
from forgetest.report.usage import UsageTotals
from forgetest.sampling.variant import MOST_ROUNDS, Variant

UNCODED = "uncoded"  # errors to which rustc gives no code, such as those of syntax
_SEED = 0  # of the test's draws, where exact sums would take seconds


def rounds_report(variant: Variant, cases: Sequence[CaseReport]) -> RoundsReport | None:
    """Return what the rounds of a variant were worth; None where samples are asked once."""
    if variant.rounds == 1:
        return None
    return RoundsReport(
        most=variant.rounds,
        feedback=variant.feedback,
        score_round=variant.score_round,
        after=tuple(_after(number, cases) for number in range(1, variant.rounds + 1)),
        gain=_gain(cases),
        codes=_codes(cases),
    )


def _scored(cases: Sequence[CaseReport]) -> list[SampleReport]:
    return [sample for case in cases for sample in case.samples if sample.scored]


def _passes_by(sample: SampleReport, number: int) -> bool:
    """Tell whether a sample passes in one of its first rounds: the one that passes is its last."""
    return bool(sample.passed) and len(sample.rounds) <= number


def _passed(case: CaseReport, number: int) -> int:
    return sum(_passes_by(sample, number) for sample in case.samples)


def _after(number: int, cases: Sequence[CaseReport]) -> AfterRound:
    samples = _scored(cases)
    passed = sum(_passes_by(sample, number) for sample in samples)
    replies = [
        answered.completion
        for sample in samples
        for answered in sample.rounds[:number]
        if answered.completion is not None
    ]
    totals = UsageTotals.of(replies)
    timed = bool(replies) and len(totals.latencies) == len(replies)
    secs = sum(totals.latencies) if timed else None
    return AfterRound(
        round=number,
        asked=sum(len(sample.rounds) >= number for sample in samples),
        passed=passed,
        pass_rate=mean_metric(
            [case for case in cases if case.n],
            lambda case: Fraction(_passed(case, number), case.n),
            minimum=None,
        ),
        usd=totals.cost.usd,
        usd_per_solved=_each(totals.cost.usd, passed),
        secs=secs,
        secs_per_solved=secs / passed if secs is not None and passed else None,
    )


def _each(usd: Decimal | None, passed: int) -> Decimal | None:
    return usd / passed if usd is not None and passed else None


def _gain(cases: Sequence[CaseReport]) -> RepairGain | None:
    """Return the gain over the cases, and the test over the samples, each with itself."""
    scored = [case for case in cases if case.n]
    ends = (1, MOST_ROUNDS)
    first, last = ([(case.n, _passed(case, by)) for case in scored] for by in ends)
    delta = paired_delta(first, last)
    if delta is None:
        return None
    interval = paired_interval(paired_differences(first, last))
    samples = _scored(cases)
    alone, together = ([(1, int(_passes_by(item, by))) for item in samples] for by in ends)
    return RepairGain(
        repaired=sum(c for _, c in together) - sum(c for _, c in alone),
        delta=float(delta),
        ci95=None if interval is None else (interval.lower, interval.upper),
        p_value=float(stratified_test(alone, together, seed=_SEED).two_sided),
    )


def _errors(answered: RoundReport) -> set[str]:
    """Return the codes of the errors for which an answer does not compile; syntax has none."""
    if answered.verdict is None or answered.outcome is not Outcome.COMPILE_FAILED:
        return set()
    return {error.code or UNCODED for error in answered.verdict.errors}


def _codes(cases: Sequence[CaseReport]) -> dict[str, RepairedCode]:
    samples: Counter[str] = Counter()
    repaired: Counter[str] = Counter()
    remained: Counter[str] = Counter()
    for sample in _scored(cases):
        *earlier, last = sample.rounds
        seen = set().union(*map(_errors, earlier))
        samples.update(seen)
        remained.update(seen & _errors(last))
        if last.verdict is not None and did_as_asked(last.verdict):
            repaired.update(seen)
    return {
        code: RepairedCode(samples=number, repaired=repaired[code], remained=remained[code])
        for code, number in sorted(samples.items(), key=lambda item: (-item[1], item[0]))
    }
