"""Which cases of a comparison are shown, in which order, and how one of them failed."""

from collections.abc import Iterator
from dataclasses import dataclass

from forgetest.compare.types import (
    CaseComparison,
    CaseSide,
    Comparison,
    Failure,
    GateResult,
    ModelComparison,
    Rule,
)
from forgetest.render.comparison.headline import fell_together, fired
from forgetest.render.comparison.numbers import score, score_change
from forgetest.render.numbers import and_more, more, passed_of
from forgetest.render.safe import one_line

TESTS = 3  # failing tests named per way of failing
FAILURES = 3  # ways of failing named per case


@dataclass(frozen=True, slots=True)
class Moved:
    """A case that moved, and of which model."""

    model: ModelComparison
    case: CaseComparison

    @property
    def name(self) -> str:
        """Return `set/case`."""
        return self.case.key


def name_of(comparison: Comparison, moved: Moved) -> str:
    """Return `set/case`, or only the case if all cases are of one set."""
    sets = {case.eval_set for model in comparison.models for case in model.cases}
    return one_line(moved.name if len(sets) > 1 else moved.case.case)


def regressed(comparison: Comparison) -> list[Moved]:
    """Return the cases that fell, the largest drop first: by threshold or beyond noise."""
    return sorted(_moved(comparison, "regression"), key=lambda moved: _order(moved, 1))


def improved(comparison: Comparison) -> list[Moved]:
    """Return the cases that rose, the largest rise first."""
    return sorted(_moved(comparison, "improvement"), key=lambda moved: _order(moved, -1))


def culprits(comparison: Comparison) -> list[Moved]:
    """Return the dropped cases behind a failed gate, those beyond noise first, then by the drop.

    Where a model's cases failed the gate together, all of them that dropped by more than the
    threshold are behind it. Without a gate, every case that fell is returned.
    """
    fell = regressed(comparison)
    if comparison.gate.rule is not None:
        fell = [moved for moved in fell if _is_behind(comparison, moved)]
    return sorted(fell, key=lambda moved: not beyond_noise(moved))


def _is_behind(comparison: Comparison, moved: Moved) -> bool:
    if comparison.gate.result is not GateResult.REGRESSION:
        return False
    together = Rule.EVIDENCE in fired(comparison) and fell_together(moved.model, comparison)
    return failed_the_gate(comparison, moved) or (together and moved.case.change == "regression")


def failed_the_gate(comparison: Comparison, moved: Moved) -> bool:
    """Tell whether a case alone is reason enough for the gate to fail."""
    rules, case = fired(comparison), moved.case
    by_threshold = Rule.THRESHOLD in rules and case.change == "regression"
    fails = by_threshold or (Rule.EVIDENCE in rules and case.worse)
    return fails and comparison.gate.result is GateResult.REGRESSION


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


def _order(moved: Moved, sign: int) -> tuple[float, str, str, str]:
    return (
        sign * moved.case.score_delta,
        moved.case.eval_set,
        moved.case.case,
        moved.model.current,
    )


def beyond_noise(moved: Moved) -> bool:
    """Tell whether the case alone is evidence, in the direction in which it moved."""
    return moved.case.worse if _direction(moved.case) == "regression" else moved.case.better


def p_of(moved: Moved) -> str:
    """Return the chance of such a move or a larger one, had nothing changed."""
    fell = _direction(moved.case) == "regression"
    return score(moved.case.p_worse if fell else moved.case.p_better)


def passed(side: CaseSide) -> str:
    """Return `c/n`; unscored samples are marked and never hidden."""
    return passed_of(side.c, side.n, side.planned)


def moved_cells(moved: Moved) -> list[str]:
    """Return passed and score before and after, the change, its chance, and what that says."""
    case = moved.case
    return [
        f"{passed(case.baseline)} -> {passed(case.current)}",
        f"{score(case.baseline.mean_score)} -> {score(case.current.mean_score)}",
        score_change(case.score_delta),
        p_of(moved),
        "beyond" if beyond_noise(moved) else "within",
    ]


def settled(moved: Moved) -> str:
    """Return how many samples a run would settle a case that stays within noise, if known."""
    needed = moved.case.samples_to_settle
    return "" if beyond_noise(moved) or not needed else f"n = {needed:,} settles"


def failure_lines(side: CaseSide) -> list[str]:
    """Return a line per way of failing, the commonest first; of model text, so to be escaped."""
    shown = [_failure(failure, side.n) for failure in side.failures[:FAILURES]]
    rest = more(max(len(side.failures), side.ways) - len(shown), "way to fail", "ways to fail")
    return [*shown, rest] if shown and rest else shown


def _failure(failure: Failure, n: int) -> str:
    words = (failure.code, failure.assertion or failure.message)
    message = " ".join(one_line(part) for part in words if part)
    tests = and_more([one_line(test, 80) for test in failure.tests], TESTS)
    parts = [f"{failure.samples} of {n} {one_line(failure.outcome)}", tests, message]
    return ": ".join(part for part in parts if part)
