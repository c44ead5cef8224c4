"""Pairs of runs by the thousand, and what the gates say of each."""

from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from random import Random

from forgetest.metrics import change, gate_evidence
from power.models import SETTINGS, Sampled, sampled
from power.published import TABLE
from power.results import Effect, Tally, Trial

_WORSE = 0.85  # of the pass rate, where every case is 15 % worse
_BROKEN: dict[Effect, int] = {"one broken": 1, "two broken": 2}
_NULL_PAIRS, _OTHER_PAIRS = 2000, 500

Run = list[Sampled]


def trials(*, quick: bool) -> list[Trial]:
    """Return all trials, or for a quick run some of them with few pairs."""
    found = [*_unchanged(), *_changed()]
    if not quick:
        return found
    small = [trial for trial in found if trial.cases == 20]  # noqa: PLR2004 - the quick size
    return [trial.model_copy(update={"pairs": 40}) for trial in small]


def simulated(planned: Sequence[Trial], *, seed: int, workers: int) -> list[Tally]:
    """Return a tally for each trial; the same for a seed, whatever the workers."""
    with ProcessPoolExecutor(workers) as pool:
        return list(pool.map(tally, planned, [seed] * len(planned)))


def tally(trial: Trial, seed: int) -> Tally:
    """Return what the rules say of the trial's pairs."""
    rng = Random(f"{seed} {trial.model_dump_json()}")  # noqa: S311 - repeatable, not secret
    counts = Counter[str]()
    for _ in range(trial.pairs):
        counts.update(_alarms(*_pair(trial, rng)))
    return Tally(
        trial=trial,
        any_case=counts["any_case"],
        mean=counts["mean"],
        evidence=counts["evidence"],
        together=counts["together"],
        single=counts["single"],
    )


def _alarms(baseline: Run, current: Run) -> Iterator[str]:
    if any(_fell(a.score, b.score) for a, b in zip(baseline, current, strict=True)):
        yield "any_case"
    if _fell(_mean(baseline), _mean(current)):
        yield "mean"
    found = gate_evidence([(n, c) for n, c, _ in baseline], [(n, c) for n, c, _ in current], seed=1)
    if found.regressed:
        yield "evidence"
    if found.shifted_down:
        yield "together"
    if any(case.worse for case in found.cases):
        yield "single"


def _pair(trial: Trial, rng: Random) -> tuple[Run, Run]:
    rates = SETTINGS[trial.setting].rates(trial.cases, rng)
    before, after = _with_effect(rates, trial.effect)
    return (
        [sampled(rate, trial.samples, rng) for rate in before],
        [sampled(rate, trial.samples, rng) for rate in after],
    )


def _with_effect(rates: list[float], effect: Effect) -> tuple[list[float], list[float]]:
    """Return the rates of both runs; a broken case was always solved and never is again."""
    if effect == "all 15 % worse":
        return rates, [rate * _WORSE for rate in rates]
    broken = _BROKEN.get(effect, 0)
    return [1.0] * broken + rates[broken:], [0.0] * broken + rates[broken:]


def _fell(before: float, after: float) -> bool:
    return change(before, after) == "regression"


def _mean(run: Run) -> float:
    return sum(case.score for case in run) / len(run)


def _unchanged() -> Iterator[Trial]:
    for row in TABLE:
        for setting in SETTINGS:
            yield Trial(
                setting=setting,
                cases=row.cases,
                samples=row.samples,
                effect="none",
                pairs=_NULL_PAIRS,
            )


def _changed() -> Iterator[Trial]:
    effects: tuple[Effect, ...] = ("one broken", "two broken", "all 15 % worse")
    for setting in SETTINGS:
        for cases in (20, 50):
            for samples in (3, 5, 10):
                for effect in effects:
                    yield Trial(
                        setting=setting,
                        cases=cases,
                        samples=samples,
                        effect=effect,
                        pairs=_OTHER_PAIRS,
                    )
