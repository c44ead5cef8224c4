"""The cells that the table in the terminal and the one in markdown have in common."""

from collections.abc import Sequence

from forgetest.check.types import CaseCheck, DeepCheck, Severity, Soundness, Strength, Totals
from forgetest.grading.probe import Noticed
from forgetest.grading.verdict import Outcome
from forgetest.metrics import percent
from forgetest.render.numbers import seconds
from forgetest.words import count

NOTHING = "–"
COLUMNS = ("difficulty", "reference", "stub", "blanks", "slowest", "timeout", "killed", "strength")
NARROW = ("level", "ref", *COLUMNS[2:])  # the same, in a terminal


def case_cells(case: CaseCheck) -> list[str]:
    """Return the cells of a case, one for each of `COLUMNS`."""
    return [
        str(case.difficulty or NOTHING),
        _reference(case.soundness),
        _stub(case.soundness),
        _blanks(case.soundness),
        *_times(case.soundness),
        _killed(case.strength),
        _share(case.test_strength),
    ]


def total_cells(sums: Totals) -> list[str]:
    """Return the cells of a line of totals, one for each of `COLUMNS`."""
    left = [""] * (len(COLUMNS) - 2)
    killed = f"{sums.killed}/{sums.killed + sums.survived}"
    return [*left, killed, _share(sums.test_strength)]


def finding_words(case: CaseCheck) -> str:
    """Return the kinds of a case's findings, the gravest severity before them."""
    kinds = dict.fromkeys(str(one.kind) for one in case.findings)
    return ", ".join(kind.replace("_", " ") for kind in kinds)


def severity_of(case: CaseCheck) -> Severity | None:
    """Return the gravest severity among a case's findings, None when there is no finding."""
    found = {one.severity for one in case.findings}
    return next((severity for severity in Severity if severity in found), None)


def totals_words(sums: Totals) -> str:
    """Return the sums of a set, or of all, in one line."""
    uncounted = f"{sums.not_compiled} do not compile, {sums.equivalent} equivalent"
    parts = [
        count(sums.cases, "case"),
        f"{sums.broken} broken",
        *([f"{sums.unchecked} not checked"] if sums.unchecked else []),
        *([f"{sums.weak} too weak"] if sums.weak else []),
        f"{count(sums.mutants, 'mutant')} ({uncounted})",
        f"{sums.killed} of {sums.killed + sums.survived} killed: {_share(sums.test_strength)}",
    ]
    if sums.lowest_strength is not None:
        parts.append(f"lowest {_share(sums.lowest_strength)}")
    return ", ".join(parts)


def head_words(found: DeepCheck) -> str:
    """Return what checked the cases, in one line."""
    rustc = found.toolchain.rustc.partition("\n")[0]
    return (
        f"forgetest {found.forgetest}, {rustc}, {found.sandbox},"
        f" {count(found.times, 'grading')} of each reference, {seconds(found.secs)}"
    )


def _reference(sound: Soundness) -> str:
    if sound.reference is None or sound.score is None:
        return NOTHING
    return f"{sound.score:.2f}"


def _stub(sound: Soundness) -> str:
    """Return what became of the stub; what fails as it should says so in one short word."""
    match sound.stub:
        case None:
            return NOTHING
        case Outcome.COMPILE_FAILED | Outcome.COMPILE_TIMEOUT:
            return "no build"
        case Outcome.PASSED:
            return "passes"
        case _:
            return "fails"


def _blanks(sound: Soundness) -> str:
    """Return how many implementations that do nothing are noticed, of those that compile."""
    counted = [one for one in sound.blanks.values() if one is not Noticed.NOT_COMPILED]
    noticed = sum(one is not Noticed.PASSED for one in counted)
    return f"{noticed}/{len(counted)}" if counted else NOTHING


def _times(sound: Soundness) -> Sequence[str]:
    if sound.timing is None:
        return (NOTHING, NOTHING)
    return seconds(sound.timing.slowest_secs), f"{sound.timing.suggested_timeout_secs:g} s"


def _killed(strong: Strength | None) -> str:
    """Return how many mutants are killed of those that count, and how many were not tried."""
    if strong is None:
        return NOTHING
    more = f" (+{strong.left_out})" if strong.left_out else ""
    return f"{strong.killed}/{strong.counted}{more}"


def _share(share: float | None) -> str:
    return NOTHING if share is None else percent(share)
