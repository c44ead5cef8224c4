"""Grade each sample several times, to find verdicts that hang on chance: map order, time."""

from collections.abc import Iterable
from dataclasses import dataclass

from forgetest.evalset.types import Case
from forgetest.grading.codegrader import Identified
from forgetest.grading.verdict import Verdict

UNSTEADY = "unsteady"  # two gradings of the same code disagreed


@dataclass(frozen=True, slots=True)
class Repeating:
    """A grader that asks `grader` `times` times and keeps the verdict that says least good."""

    grader: Identified
    times: int

    @property
    def identity(self) -> str:
        """The grader's own, and how often it is asked."""
        return f"{self.grader.identity}\nrepeated {self.times}"

    async def grade(self, case: Case, code: str) -> Verdict:
        """Return the worst verdict, flagged when another differs; raise `Fault` as `grader`."""
        verdicts = [await self.grader.grade(case, code) for _ in range(self.times)]
        worst = min(verdicts, key=_rank)
        if len({_essence(verdict) for verdict in verdicts}) == 1:
            return worst
        return worst.model_copy(update={"flags": (*worst.flags, UNSTEADY)})


def _rank(verdict: Verdict) -> tuple[bool, bool, int]:
    return verdict.passed, verdict.compiled, verdict.tests_passed


def _essence(verdict: Verdict) -> tuple[Iterable[object], ...]:
    """Return what two gradings of the same code must agree on."""
    tests = tuple((test.name, test.outcome) for test in verdict.tests)
    lints = tuple((lint.code, lint.span) for lint in verdict.lints)
    return (verdict.outcome,), tests, lints
