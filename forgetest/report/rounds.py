"""What asking again was worth: the pass rate after each round, the gain, and which errors went.

A sample that passes in a round is asked no more, so the rate after a round counts all that passed
by then. Only scored samples count: a conversation under way may still pass.
"""

from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction

from forgetest.grading.verdict import Outcome
from forgetest.metrics import (
    Counts,
    paired_delta,
    paired_differences,
    paired_interval,
    stratified_test,
)
from forgetest.report.aggregate import mean_metric
from forgetest.report.samples import RoundReport, SampleReport
from forgetest.report.score import did_as_asked
from forgetest.report.types import AfterRound, RepairedCode, RepairGain, RoundsReport
from forgetest.report.usage import UsageCount
from forgetest.sampling.variant import MOST_ROUNDS, Variant

UNCODED = "uncoded"  # errors to which rustc gives no code, such as those of syntax
_SEED = 0  # of the test's draws, where exact sums would take seconds


@dataclass(slots=True)
class RoundCount:
    """Counts what each round of the scored samples gave; no sample is kept."""

    variant: Variant
    asked: Counter[int] = field(default_factory=Counter)  # by round
    passed: Counter[int] = field(default_factory=Counter)  # by the round that passed
    cases: list[tuple[int, Counter[int]]] = field(default_factory=list)  # n, and the same
    spent: dict[int, UsageCount] = field(default_factory=dict)  # up to a round
    seen: Counter[str] = field(default_factory=Counter)  # errors before the last round
    repaired: Counter[str] = field(default_factory=Counter)
    remained: Counter[str] = field(default_factory=Counter)
    first: list[Counts] = field(default_factory=list)  # of each sample by itself
    last: list[Counts] = field(default_factory=list)

    def begin_case(self) -> None:
        """Count what comes for a new case."""
        self.cases.append((0, Counter()))

    def add(self, sample: SampleReport) -> None:
        """Count one sample of the case."""
        if not sample.scored or self.variant.rounds == 1:
            return
        rounds = len(sample.rounds)
        n, passed = self.cases[-1]
        self.cases[-1] = n + 1, passed
        self.asked.update(range(1, rounds + 1))
        if sample.passed:  # one that passes in a round is asked no more
            self.passed[rounds] += 1
            passed[rounds] += 1
        self.first.append((1, int(bool(sample.passed) and rounds <= 1)))
        self.last.append((1, int(bool(sample.passed))))
        self._spend(sample)
        self._repair(sample)

    def _spend(self, sample: SampleReport) -> None:
        for number in range(1, self.variant.rounds + 1):
            spent = self.spent.setdefault(number, UsageCount())
            for answered in sample.rounds[:number]:
                if answered.completion is not None:
                    spent.add(answered.completion)

    def _repair(self, sample: SampleReport) -> None:
        *earlier, last = sample.rounds
        seen = set().union(*map(_errors, earlier))
        self.seen.update(seen)
        self.remained.update(seen & _errors(last))
        if last.verdict is not None and did_as_asked(last.verdict):
            self.repaired.update(seen)

    @property
    def report(self) -> RoundsReport | None:
        """What the rounds were worth; None where samples are asked once."""
        variant = self.variant
        if variant.rounds == 1:
            return None
        return RoundsReport(
            most=variant.rounds,
            feedback=variant.feedback,
            score_round=variant.score_round,
            after=tuple(self._after(number) for number in range(1, variant.rounds + 1)),
            gain=self._gain(),
            codes=self._codes(),
        )

    def _after(self, number: int) -> AfterRound:
        passed = _by(self.passed, number)
        scored = [(n, by) for n, by in self.cases if n]
        totals = self.spent.get(number, UsageCount()).totals
        timed = 0 < totals.completions == len(totals.latencies)
        secs = sum(totals.latencies) if timed else None
        return AfterRound(
            round=number,
            asked=self.asked[number],
            passed=passed,
            pass_rate=mean_metric(
                [Fraction(_by(by, number), n) for n, by in scored],
                samples=sum(n for n, _ in scored),
                minimum=None,
            ),
            usd=totals.cost.usd,
            usd_per_solved=_each(totals.cost.usd, passed),
            secs=secs,
            secs_per_solved=secs / passed if secs is not None and passed else None,
        )

    def _gain(self) -> RepairGain | None:
        """Return the gain over the cases, and the test over the samples, each with itself."""
        scored = [(n, by) for n, by in self.cases if n]
        first, last = ([(n, _by(by, end)) for n, by in scored] for end in (1, MOST_ROUNDS))
        delta = paired_delta(first, last)
        if delta is None:
            return None
        interval = paired_interval(paired_differences(first, last))
        return RepairGain(
            repaired=sum(c for _, c in self.last) - sum(c for _, c in self.first),
            delta=float(delta),
            ci95=None if interval is None else (interval.lower, interval.upper),
            p_value=float(stratified_test(self.first, self.last, seed=_SEED).two_sided),
        )

    def _codes(self) -> dict[str, RepairedCode]:
        return {
            code: RepairedCode(
                samples=number, repaired=self.repaired[code], remained=self.remained[code]
            )
            for code, number in sorted(self.seen.items(), key=lambda item: (-item[1], item[0]))
        }


def _by(passed: Counter[int], number: int) -> int:
    """Return how many passed by a round."""
    return sum(many for round_, many in passed.items() if round_ <= number)


def _each(usd: Decimal | None, passed: int) -> Decimal | None:
    return usd / passed if usd is not None and passed else None


def _errors(answered: RoundReport) -> set[str]:
    """Return the codes of the errors for which an answer does not compile; syntax has none."""
    if answered.verdict is None or answered.outcome is not Outcome.COMPILE_FAILED:
        return set()
    return {error.code or UNCODED for error in answered.verdict.errors}
