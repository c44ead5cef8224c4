"""Whether the tests of a case notice code: quicker than a verdict, and not one.

The sample is built and tested as for a verdict, but nothing is linted, no test runs twice, and the
first that does not pass is the last. Code that passes here must be graded before it is believed.
"""

from dataclasses import dataclass
from enum import StrEnum

from forgetest.evalset.types import Case
from forgetest.grading.stages import build_tests, compile_sample
from forgetest.grading.testrun import TestRun
from forgetest.grading.verdict import TestOutcome, TestResult
from forgetest.grading.workshop import Workshop

_NEUTRAL = frozenset({TestOutcome.PASSED, TestOutcome.IGNORED})


class Noticed(StrEnum):
    """How the tests react to code."""

    NOT_COMPILED = "not_compiled"
    FAILED = "failed"  # a test fails, crashes or leaves early
    TIMEOUT = "timeout"  # a test does not end in time
    PASSED = "passed"  # every test that ran passes


@dataclass(frozen=True, slots=True)
class Probe:
    """The result of a probe; `test` is the test that noticed, empty if none did."""

    noticed: Noticed
    test: str = ""


async def probe(workshop: Workshop, case: Case, code: str) -> Probe:
    """Return how the tests react to code; raise `Fault` when the machinery fails."""
    async with workshop.open(case, code) as workspace:
        compilation = await compile_sample(workshop, workspace, case, lint=False)
        if compilation.built is None:
            return Probe(Noticed.NOT_COMPILED)
        build = await build_tests(workshop, workspace, case, compilation.built)
        if build.program is None:
            return Probe(Noticed.NOT_COMPILED)
        run = TestRun(
            build.workspace,
            build.program,
            workshop.limits,
            case,
            workshop.sandbox,
            workshop.defences,
            until_failure=True,
        )
        return _probe(await run.results())


def _probe(tests: tuple[TestResult, ...]) -> Probe:
    first = next((test for test in tests if test.outcome not in _NEUTRAL), None)
    if first is None:
        return Probe(Noticed.PASSED)
    timed_out = first.outcome is TestOutcome.TIMEOUT
    return Probe(Noticed.TIMEOUT if timed_out else Noticed.FAILED, first.name)
