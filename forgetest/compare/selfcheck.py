"""How often a gate fires on no change: random halves of one run against each other."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random

from forgetest.compare.gate import is_regression
from forgetest.compare.side import Side, SideCase, SideModel
from forgetest.compare.types import CompareOptions
from forgetest.metrics import Counts, change, exact, gate_evidence, paired_delta, wilson
from forgetest.value import Value

SCHEMA_VERSION = 1


class Alarms(Value):
    """How many of the splits a rule called a regression."""

    splits: int
    fired: int
    interval: tuple[float, float]  # 95 %, Wilson, of the rate


class ModelCheck(Value):
    """The false alarms of one model's samples."""

    model: str
    cases: int  # with two samples or more
    cases_left_out: int
    samples_per_half: int  # of the case that has most
    threshold: Alarms
    evidence: Alarms


class SelfCheck(Value):
    """What `compare --self-check` says."""

    schema_version: int = SCHEMA_VERSION
    file: str
    options: CompareOptions
    models: tuple[ModelCheck, ...]


@dataclass(frozen=True, slots=True)
class _Half:
    scores: list[Fraction]  # one mean a case
    counts: list[Counts]


def self_check(side: Side, options: CompareOptions, *, splits: int) -> SelfCheck:
    """Return how often each rule fires when nothing changed, over so many seeded splits.

    Each split divides a case's samples at random into two halves of equal size; of an odd number
    one is left out. The halves are smaller than the run: a rule that errs on them errs less, or
    as often, on the whole.
    """
    return SelfCheck(
        file=side.file,
        options=options,
        models=tuple(_check(model, options, splits) for model in side.models.values()),
    )


def _check(model: SideModel, options: CompareOptions, splits: int) -> ModelCheck:
    rng = Random(options.seed)  # noqa: S311 - must be repeatable, not secret
    cases = [case for case in model.cases.values() if case.n > 1]
    fired = [_fired(*_halves(cases, rng), options) for _ in range(splits)] if cases else []
    return ModelCheck(
        model=model.name,
        cases=len(cases),
        cases_left_out=len(model.cases) - len(cases),
        samples_per_half=max((case.n // 2 for case in cases), default=0),
        threshold=_alarms([threshold for threshold, _ in fired]),
        evidence=_alarms([evidence for _, evidence in fired]),
    )


def _halves(cases: Sequence[SideCase], rng: Random) -> tuple[_Half, _Half]:
    first, second = _Half([], []), _Half([], [])
    for case in cases:
        half = case.n // 2
        shuffled = rng.sample(case.samples, 2 * half)
        for side, samples in ((first, shuffled[:half]), (second, shuffled[half:])):
            side.scores.append(sum((sample.score for sample in samples), Fraction()) / half)
            side.counts.append((half, sum(sample.passed for sample in samples)))
    return first, second


def _fired(baseline: _Half, current: _Half, options: CompareOptions) -> tuple[bool, bool]:
    threshold = exact(options.threshold)
    pairs = zip(baseline.scores, current.scores, strict=True)
    evidence = gate_evidence(
        baseline.counts, current.counts, alpha=options.alpha, seed=options.seed
    )
    delta = paired_delta(baseline.counts, current.counts) or Fraction()
    return (
        any(change(a, b, threshold) == "regression" for a, b in pairs),
        is_regression(evidence, delta, margin=exact(options.margin)),
    )


def _alarms(fired: Sequence[bool]) -> Alarms:
    rate = wilson(len(fired), sum(fired))
    interval = (0.0, 1.0) if rate is None else (rate.lower, rate.upper)
    return Alarms(splits=len(fired), fired=sum(fired), interval=interval)
