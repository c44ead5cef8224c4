"""How many samples are graded at once changes no verdict."""

import asyncio

import pytest
from graded import CORPUS, expected
from graders import CASES, make_grader

from forgetest.evalset.types import Case
from forgetest.grading.grader import SampleGrader
from forgetest.grading.graders import ConcurrencyLimit
from forgetest.grading.verdict import Verdict

pytestmark = pytest.mark.cargo

SAMPLES = 6
ROUNDS = 3
EVERY = len(CORPUS) // SAMPLES


def samples() -> list[tuple[Case, str]]:
    codes = [path.read_bytes().decode() for path in CORPUS[::EVERY]]
    return [(CASES[expected(code)["case"]], code) for code in codes]


def essence(verdict: Verdict) -> str:
    """Return what may not differ: all but times and the panicking thread's own words."""
    tests = [(test.name, str(test.outcome)) for test in verdict.tests]
    found = (verdict.outcome, tests, verdict.errors, verdict.lints, verdict.lints_silenced)
    return repr((found, verdict.flags, verdict.integrity))


async def graded(grader: SampleGrader, workers: int) -> list[str]:
    limited = ConcurrencyLimit(grader, asyncio.Semaphore(workers))
    verdicts = await asyncio.gather(*(limited.grade(case, code) for case, code in samples()))
    return [essence(verdict) for verdict in verdicts]


def test_one_two_and_four_workers_agree_three_times(pytestconfig: pytest.Config) -> None:
    grader = make_grader(pytestconfig)

    async def all_of_them() -> list[list[str]]:
        return [await graded(grader, workers) for workers in (1, 2, 4) * ROUNDS]

    first, *others = asyncio.run(all_of_them())
    assert len(first) >= SAMPLES
    assert len(set(first)) > SAMPLES // 2, "the samples are too much alike to prove anything"
    for found in others:
        assert found == first
