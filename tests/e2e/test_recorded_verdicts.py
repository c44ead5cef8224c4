"""The grader agrees with the verdicts that others' completions are known to deserve.

Verdicts are remembered from one run of the tests to the next: each is found by everything that
decides it, and the sources of grading are a part of that.
"""

from pathlib import Path
from typing import Any

import pytest
from program import Program
from recorded import DATA, Graded, files, graded, needs_data

VERDICTS = {
    "passed": "pass",
    "tests_failed": "test_fail",
    "test_timeout": "timeout",
    "test_crashed": "crash",
    "compile_failed": "compile_error",
    "compile_timeout": "compile_error",
    "test_build_failed": "compile_error",
    "empty": "compile_error",
    "refused": "compile_error",
    "truncated": "compile_error",
    "no_code": "compile_error",
    # A `main` of its own, which did not compile beside the recorder's.
    "requirement_failed": "compile_error",
}
# Fills a vector without end: whether memory or time runs out first is the machine's to say.
ENDLESS = {"base:3", "base:4"}
# The recorder waited 10 s, for what does not end: the slowest test that ends takes 0.03 s.
LIMIT = ("--timeout", "2")
# The policy of `--extractor`, and its name in the recording.
POLICIES = {"first": "first", "last": "last", "all": "all", "defining": "entry_first"}


# Graded once for each policy, with its verdicts.
REPLIES = DATA / "completions-multipl-e-qwen3-4b.jsonl"


@pytest.mark.cargo
@needs_data
@pytest.mark.parametrize(
    "file", [file for file in files() if file != REPLIES], ids=lambda file: file.stem
)
def test_every_recorded_completion_gets_its_known_verdict(remembering: Program, file: Path) -> None:
    demand_known_verdicts(*graded(remembering, file, *LIMIT))


def demand_known_verdicts(report: dict[str, Any], found: list[Graded]) -> None:
    steady = [one for one in found if not one.row.get("flaky")]
    differing = {
        one.uid: (one.row["our_verdict"], VERDICTS[one.sample["outcome"]])
        for one in steady
        if VERDICTS[one.sample["outcome"]] not in right(one)
    }
    assert not differing
    agreement = report["agreement"]
    assert agreement["compared"] == agreement["agree"] == len(steady)


def right(one: Graded) -> set[str]:
    """Return the verdicts that a completion may get."""
    if one.uid in ENDLESS:
        return {"crash", "timeout"}
    return {str(one.row["our_verdict"])}


@pytest.mark.cargo
@needs_data
def test_each_extraction_policy_passes_as_many_as_recorded(remembering: Program) -> None:
    for policy, theirs in POLICIES.items():
        report, found = graded(remembering, REPLIES, *LIMIT, "--extractor", policy)

        if policy == "defining":
            demand_known_verdicts(report, found)
        ours = sum(one.sample["passed"] for one in found)
        expected = sum(said(one, theirs) == "pass" for one in found)
        assert abs(ours - expected) <= len(found) / 100, policy


def said(one: Graded, policy: str) -> str:
    return str(one.row["our_verdict_by_extraction"][policy])
