"""How one case stands for one model, for tools that know tests that pass, fail or break.

A case fails when a scored sample is wrong. It is unscored, and no failure, when the machine spoiled
samples of it and the rest are right.
"""

from collections import Counter
from enum import StrEnum

from forgetest.grading.verdict import Outcome
from forgetest.render.safe import one_line
from forgetest.report.types import CaseReport, SampleReport

SHOWN = 20  # samples of a case that are told one by one
CODES = 3  # error codes that are named behind an outcome
_LINE = 300  # characters of a sample's line


class Standing(StrEnum):
    """What a tool for tests is told of a case."""

    PASSED = "passed"
    FAILED = "failed"
    UNSCORED = "unscored"
    NOT_PLANNED = "not_planned"


def standing(case: CaseReport) -> Standing:
    """Return how the case stands."""
    if case.c < case.n:
        return Standing.FAILED
    if case.n < case.planned:
        return Standing.UNSCORED
    return Standing.PASSED if case.n else Standing.NOT_PLANNED


def commonest(case: CaseReport) -> str:
    """Return the outcome that most of the wrong samples have, or the kind of fault of most.

    Returns the standing for a case that has neither.
    """
    wrong = _outcomes(case) or Counter(str(one.fault_kind) for one in unscored(case))
    return min(wrong, key=lambda name: (-wrong[name], name)) if wrong else str(standing(case))


def told(case: CaseReport) -> str:
    """Return `passed 3 of 5; compile_failed 2 (E0308 2); 1 unscored (provider)`."""
    parts = [f"passed {case.c} of {case.n}"]
    wrong = sorted(_outcomes(case).items(), key=lambda item: (-item[1], item[0]))
    parts.extend(f"{name} {count}{_codes(case, name)}" for name, count in wrong)
    if missing := unscored(case):
        kinds = ", ".join(sorted({str(one.fault_kind or "not graded") for one in missing}))
        parts.append(f"{len(missing)} unscored ({kinds})")
    return "; ".join(parts)


def lines(case: CaseReport) -> list[str]:
    """Return a line for each sample that did not pass, `#2 compile_failed: ...`; at most SHOWN."""
    told = [_line(sample) for sample in case.samples if not sample.passed]
    if len(told) > SHOWN:
        return [*told[:SHOWN], f"and {len(told) - SHOWN} more"]
    return told


def unscored(case: CaseReport) -> list[SampleReport]:
    """Return the samples without a verdict."""
    return [sample for sample in case.samples if not sample.scored]


def reason(sample: SampleReport) -> str:
    """Return why a sample did not pass, on one line; empty for one that did."""
    if not sample.scored:
        return one_line(f"{sample.fault_kind}: {sample.fault}" if sample.fault else "not graded")
    return one_line("; ".join(sample.verdict.reasons) if sample.verdict else "", _LINE)


def work_secs(case: CaseReport) -> float:
    """Return the seconds of all requests and gradings of a case, added up."""
    return sum(request_secs(sample) + grading_secs(sample) for sample in case.samples)


def request_secs(sample: SampleReport) -> float:
    """Return the seconds of the sample's successful request; 0 where nobody measured."""
    return (sample.completion.latency_secs or 0.0) if sample.completion else 0.0


def grading_secs(sample: SampleReport) -> float:
    """Return the seconds that grading took."""
    return sample.verdict.timings.get("total", 0.0) if sample.verdict else 0.0


def error_codes(sample: SampleReport) -> list[str]:
    """Return the rustc codes that stopped a sample, each once, in their order."""
    if sample.verdict is None or sample.outcome is not Outcome.COMPILE_FAILED:
        return []
    return list(dict.fromkeys(error.code for error in sample.verdict.errors if error.code))


def _outcomes(case: CaseReport) -> Counter[str]:
    return Counter(str(one.outcome) for one in case.samples if one.scored and not one.passed)


def _codes(case: CaseReport, outcome: str) -> str:
    if outcome != Outcome.COMPILE_FAILED:
        return ""
    counts = Counter(code for sample in case.samples for code in error_codes(sample))
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    named = ", ".join(f"{one_line(code)} {count}" for code, count in ordered[:CODES])
    return f" ({named}{', …' if len(ordered) > CODES else ''})" if named else ""


def _line(sample: SampleReport) -> str:
    word = str(sample.outcome) if sample.scored else "unscored"
    why = reason(sample)
    return f"#{sample.index + 1} {word}{': ' if why else ''}{why}"
