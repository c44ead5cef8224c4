"""Samples of every odd and every dishonest kind, each with the verdict that it deserves.

A file of `corpus/grade` is a sample as it is; its lines that begin with `//@` say what must come of
it, and tests, errors, lints and flags that it does not name must not be there.
"""

from pathlib import Path

import pytest
from graded import CORPUS, expected
from graders import CASES, grade, make_grader, outcomes

from forgetest.grading.verdict import Verdict

pytestmark = pytest.mark.cargo


def words(text: str | None) -> list[str]:
    return sorted((text or "").split())


def short(code: str | None) -> str:
    return code.removeprefix("clippy::") if code else "(none)"


def bad_tests(verdict: Verdict) -> list[str]:
    fine = ("passed", "ignored")
    return sorted(f"{name}={word}" for name, word in outcomes(verdict).items() if word not in fine)


@pytest.mark.parametrize("file", CORPUS, ids=lambda file: file.stem)
def test_a_sample_gets_the_verdict_that_it_deserves(
    file: Path, pytestconfig: pytest.Config
) -> None:
    code = file.read_bytes().decode()
    wanted = expected(code)

    verdict = grade(make_grader(pytestconfig), CASES[wanted["case"]], code)

    found = {
        "outcome": str(verdict.outcome),
        "tests": bad_tests(verdict),
        "lints": sorted(short(lint.code) for lint in verdict.lints),
        "silenced": verdict.lints_silenced,
        "flags": sorted(verdict.flags),
    }
    assert found == {
        "outcome": wanted["outcome"],
        "tests": words(wanted.get("tests")),
        "lints": words(wanted.get("lints")),
        "silenced": int(wanted.get("silenced", "0")),
        "flags": words(wanted.get("flags")),
    }
    assert set(words(wanted.get("errors"))) <= {short(error.code) for error in verdict.errors}
    assert verdict.passed == (wanted["outcome"] == "passed")
    assert bool(verdict.reasons) != verdict.passed
    refused = wanted["outcome"] == "policy"
    assert bool(verdict.errors) == (not verdict.compiled and not refused)


def test_the_corpus_is_there() -> None:
    assert len(CORPUS) > 30
