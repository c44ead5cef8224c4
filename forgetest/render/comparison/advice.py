"""What the gate says, and what a person who reads a comparison does now."""

from forgetest.compare.types import Comparison, Finding, GateResult
from forgetest.render.safe import PLAIN, Marks


def gate_words(comparison: Comparison, marks: Marks = PLAIN) -> str:
    """Return what the gate says and why."""
    gate = comparison.gate
    head = str(gate.result) if gate.rule else "none was asked for"
    if gate.rule:
        head = f"{head} ({gate.rule} rule)"
    elif gate.result is not GateResult.PASSED:
        head = f"{head}; it would say {gate.result}"
    return "; ".join([head, *(marks.prose(reason) for reason in gate.reasons)])


def next_step(comparison: Comparison) -> str:
    """Return what a person who reads this does now."""
    if comparison.gate.result is GateResult.INCOMPLETE:
        return (
            "Finish the run (`forgetest run --resume FOLDER`), or bring back what is left out;"
            " nothing is decided before"
        )
    if comparison.finding is Finding.NOT_COMPARABLE:
        return (
            "Make a new baseline under today's settings, or look at the difference in spite of it"
            " with `--allow-incomparable`"
        )
    return _judged(comparison)


def _judged(comparison: Comparison) -> str:
    noise = comparison.by_evidence not in {Finding.REGRESSED, Finding.IMPROVED}
    step = _settle(comparison)
    match comparison.finding:
        case Finding.REGRESSED if noise:
            return f"It may be noise: {step}, or look at the cases that dropped"
        case Finding.REGRESSED:
            return "Look at the cases that dropped: this is more than noise"
        case Finding.IMPROVED if noise:
            return f"It may be noise: {step} before you rely on it"
        case Finding.INCONCLUSIVE:
            return f"It can not be told yet: {step}"
        case Finding.IMPROVED:
            return "Nothing to mend; this run can be the next baseline"
        case _:
            return "Nothing to do"


def _settle(comparison: Comparison) -> str:
    needed = [model.detectability.samples_to_settle for model in comparison.models]
    samples = max((number for number in needed if number), default=0)
    if samples:
        return f"run both again with {samples:,} samples a case"
    return "compare more samples or more cases"
