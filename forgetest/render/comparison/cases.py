"""Which cases of a comparison are shown, in which order, and how one of them failed."""

from collections.abc import Iterator
from dataclasses import dataclass

from forgetest.compare.types import CaseComparison, CaseSide, Comparison, Failure, ModelComparison
from forgetest.render.comparison.numbers import score, score_change
from forgetest.render.numbers import passed_of
from forgetest.render.safe import one_line

TESTS = 3  # failing tests named per way of failing
FAILURES = 3  # ways of failing told per case


@dataclass(frozen=True, slots=True)
class Moved:
    """A case that moved, and of which model."""

    model: ModelComparison
    case: CaseComparison

    @property
    def name(self) -> str:
        """Return `set/case`."""
        return self.case.key


def name_of(comparison: Comparison, one: Moved) -> str:
    """Return `set/case`, or only the case where all cases are of one set."""
    sets = {case.eval_set for model in comparison.models for case in model.cases}
    return one_line(one.name if len(sets) > 1 else one.case.case)


def regressed(comparison: Comparison) -> list[Moved]:
    """Return the cases that fell, the largest drop first: by threshold or beyond noise."""
    return sorted(_moved(comparison, "regression"), key=lambda one: _order(one, 1))


def improved(comparison: Comparison) -> list[Moved]:
    """Return the cases that rose, the largest rise first."""
    return sorted(_moved(comparison, "improvement"), key=lambda one: _order(one, -1))


def _moved(comparison: Comparison, direction: str) -> Iterator[Moved]:
    for model in comparison.models:
        for case in model.cases:
            if _direction(case) == direction:
                yield Moved(model, case)


def _direction(case: CaseComparison) -> str:
    """Return where a case went; evidence counts where the mean score stays in the threshold."""
    if case.change != "same":
        return case.change
    return "regression" if case.worse else "improvement" if case.better else "same"


def _order(one: Moved, sign: int) -> tuple[float, str, str, str]:
    return (sign * one.case.score_delta, one.case.eval_set, one.case.case, one.model.current)


def beyond_noise(one: Moved) -> bool:
    """Tell whether the case alone is evidence, in the direction in which it moved."""
    return one.case.worse if _direction(one.case) == "regression" else one.case.better


def p_of(one: Moved) -> str:
    """Return the chance of such a move or a larger one, had nothing changed."""
    fell = _direction(one.case) == "regression"
    return score(one.case.p_worse if fell else one.case.p_better)


def passed(side: CaseSide) -> str:
    """Return `c/n`; unscored samples are marked and never hidden."""
    return passed_of(side.c, side.n, side.planned)


def case_cells(one: Moved) -> list[str]:
    """Return passed and score before and after, the change, its chance, and what that says."""
    case = one.case
    return [
        f"{passed(case.baseline)} -> {passed(case.current)}",
        f"{score(case.baseline.mean_score)} -> {score(case.current.mean_score)}",
        score_change(case.score_delta),
        p_of(one),
        "beyond" if beyond_noise(one) else "within",
    ]


def settled(one: Moved) -> str:
    """Return how many samples a run would settle a case that stays within noise, if known."""
    needed = one.case.samples_to_settle
    return "" if beyond_noise(one) or not needed else f"n = {needed:,} settles"


def failure_lines(side: CaseSide) -> list[str]:
    """Return a line per way of failing, the commonest first; of model text, so to be escaped."""
    shown = [_failure(failure, side.n) for failure in side.failures[:FAILURES]]
    rest = max(len(side.failures), side.ways) - len(shown)
    return [*shown, f"and {rest} more ways"] if shown and rest > 0 else shown


def _failure(failure: Failure, n: int) -> str:
    said = " ".join(one_line(part) for part in (failure.code, failure.message) if part)
    parts = [f"{failure.samples} of {n} {one_line(failure.outcome)}", said, _tests(failure.tests)]
    return ": ".join(part for part in parts if part)


def _tests(tests: tuple[str, ...]) -> str:
    named = ", ".join(one_line(test, 80) for test in tests[:TESTS])
    rest = len(tests) - TESTS
    return f"{named} and {rest} more" if rest > 0 else named
