"""What a verdict depends on, as a key; and which verdicts may stand for another grading."""

import hashlib

from forgetest.evalset.types import Case
from forgetest.grading.lint import CLIPPY_FAILED
from forgetest.grading.repeat import UNSTEADY
from forgetest.grading.verdict import Outcome, Verdict

# What a case says that grading does not look at. Anything else belongs to the key, so that a new
# field of a case is in it unless somebody decides otherwise.
_WITHOUT_EFFECT = {
    "id", "eval_set", "name", "description", "tags", "difficulty", "max_tokens", "file", "line",
    "equivalent_mutants",
}  # fmt: skip
_TIMED_OUT = frozenset({"test_timeout", "compile_timeout"})
# How a test ends that met a limit: on another day, or with fewer neighbours, it might not have.
_LIMITED = frozenset({"timeout", "memory_limit", "output_limit"})
_UNSTEADY = frozenset({UNSTEADY, CLIPPY_FAILED})


def verdict_key(case: Case, code: str, *, identity: str, lock: str) -> str:
    """Return 64 hex digits for code, case, grader and lock file of the dependencies."""
    digest = hashlib.sha256()
    for part in (identity, lock, case.model_dump_json(exclude=_WITHOUT_EFFECT), code):
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()


def is_repeatable(case: Case) -> bool:
    """Return whether a grading of the case depends on nothing but what the key holds."""
    return case.expectations.custom_check is None


def is_shareable(verdict: Verdict) -> bool:
    """Return whether a verdict may stand for the next grading of the same code.

    No limit was met, nothing wavered, and a failed build is explained by an error in the source.
    """
    return (
        verdict.outcome not in _TIMED_OUT
        and not any(test.outcome in _LIMITED for test in verdict.tests)
        and not _UNSTEADY.intersection(verdict.flags)
        and _is_explained(verdict)
    )


def _is_explained(verdict: Verdict) -> bool:
    """Return whether a failed build has an error in the source to show for itself.

    A compiler that crashed or was out of memory may have met the limits of that moment.
    """
    match verdict.outcome:
        case Outcome.COMPILE_FAILED:
            return any(error.span for error in verdict.errors)
        case Outcome.TEST_BUILD_FAILED:
            return any(error.span for error in verdict.test_errors)
        case _:
            return True
