"""Grade a reference several times in several orders, and tell chance from order."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle, islice

from forgetest.check.lab import Lab
from forgetest.check.types import Finding, Kind, Severity
from forgetest.evalset.types import Case
from forgetest.grading.limits import Order
from forgetest.grading.verdict import TestOutcome, Verdict

_NAMED = 3  # tests named in a finding
Essence = tuple[str, tuple[tuple[str, TestOutcome], ...]]


@dataclass(frozen=True, slots=True)
class Run:
    """One grading of the reference, with its tests in some order."""

    order: Order
    verdict: Verdict


async def runs_of(case: Case, code: str, lab: Lab) -> tuple[Run, ...]:
    """Return `lab.times` gradings in turning orders; unless all pass, as many once more.

    The second round tells what always ends so in an order from what hangs on chance.

    Raises `Fault` when the machinery fails.
    """
    orders = list(islice(cycle(Order), lab.times))
    runs = [Run(order, await lab.grade(case, code, order)) for order in orders]
    if not all(run.verdict.passed for run in runs) and any(run.verdict.tests for run in runs):
        runs += [Run(order, await lab.grade(case, code, order)) for order in orders]
    return tuple(runs)


def worst_of(runs: Sequence[Run]) -> Verdict:
    """Return the verdict that says least good."""
    verdicts = (run.verdict for run in runs)
    return min(verdicts, key=lambda one: (one.passed, one.compiled, one.tests_passed))


def unsteady(runs: Sequence[Run]) -> Finding | None:
    """Return the finding on gradings that differ, None when all agree."""
    by_order: dict[Order, set[Essence]] = {}
    for run in runs:
        by_order.setdefault(run.order, set()).add(_essence(run.verdict))
    if len(set.union(*by_order.values())) == 1:
        return None
    names = _differing(runs)
    if any(len(found) > 1 for found in by_order.values()):
        passed = sum(run.verdict.passed for run in runs)
        message = (
            f"the reference passed {passed} of {len(runs)} gradings: {names} hang on chance,"
            " such as map order, time or threads"
        )
        return Finding(kind=Kind.FLAKY, severity=Severity.BROKEN, message=message)
    failing = [order for order in by_order if not _passes(runs, order)]
    orders = f": with the tests {' and '.join(failing)} they do not pass" if failing else ""
    message = f"the tests hang on their order ({names}){orders}"
    return Finding(kind=Kind.ORDER, severity=Severity.BROKEN, message=message)


def _passes(runs: Sequence[Run], order: Order) -> bool:
    return all(run.verdict.passed for run in runs if run.order is order)


def _differing(runs: Sequence[Run]) -> str:
    """Return the tests that did not end the same each time."""
    ends: dict[str, set[TestOutcome]] = {}
    for test in (test for run in runs for test in run.verdict.tests):
        ends.setdefault(test.name, set()).add(test.outcome)
    names = [name for name, outcomes in ends.items() if len(outcomes) > 1]
    if not names:
        return "its outcomes"
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


def _essence(verdict: Verdict) -> Essence:
    return verdict.outcome, tuple((test.name, test.outcome) for test in verdict.tests)
