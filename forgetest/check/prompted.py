"""Whether tests fit what the prompt declares, where no reference solution proves it."""

from forgetest.check.lab import Lab
from forgetest.check.types import Finding, Kind, Severity
from forgetest.evalset.types import Case
from forgetest.grading.verdict import Outcome, Verdict
from forgetest.mutants.blanks import skeleton

# The tests use what the prompt's code does not hold: the answer may well bring it.
_ABSENT = frozenset(
    {"E0405", "E0407", "E0412", "E0422", "E0423", "E0425", "E0432", "E0433", "E0437", "E0531"}
    | {"E0532", "E0560", "E0574", "E0576", "E0599", "E0609", "E0277", "E0369"}
)


async def prompted(case: Case, lab: Lab) -> tuple[Finding, ...]:
    """Return what is wrong between a prompt's code and the tests; `Fault` as the grader."""
    wanted = case.expectations
    code = skeleton(case)
    if code is None or not (wanted.should_compile and wanted.should_pass_tests):
        return ()
    return _findings(await lab.grade(case, code))


def _findings(verdict: Verdict) -> tuple[Finding, ...]:
    if verdict.passed:
        return (_broken(Kind.STUB, "the prompt's own declarations, as todo!(), pass the tests"),)
    if verdict.outcome is not Outcome.TEST_BUILD_FAILED:
        return ()
    sure = [error for error in verdict.test_errors if error.code not in _ABSENT and error.span]
    if not sure:
        return ()
    code = f"{sure[0].code}: " if sure[0].code else ""
    message = f"the tests do not compile against what the prompt declares: {code}{sure[0].message}"
    return (_broken(Kind.PROMPT_CODE, message),)


def _broken(kind: Kind, message: str) -> Finding:
    return Finding(kind=kind, severity=Severity.BROKEN, message=message)
