"""A graded sample's crate as files for a person: the same layout, named without randomness."""

from dataclasses import dataclass

from forgetest.evalset.types import Case
from forgetest.grading.crate import Crate, build_crate
from forgetest.grading.verdict import Layout, Verdict

TOKEN = "forgetest"  # noqa: S105 - stands where a graded crate has what no sample can foresee


@dataclass(frozen=True, slots=True)
class Exported:
    """A crate to be written, and the lock file of its dependencies where one is known."""

    crate: Crate
    lock: bytes | None
    layout: Layout


def graded_crate(case: Case, code: str, verdict: Verdict | None, *, lock: bytes | None) -> Exported:
    """Return the workspace in which a sample was graded.

    Verdicts tell how far the tests had to reach into the sample; without one, or with one of a
    version that did not say, they stand where they are tried first. Raises EvalSetError when a
    context file would lie outside the crate.
    """
    reach = verdict.reach if verdict else None
    crate = build_crate(case, code, token=TOKEN, reach=reach)
    return Exported(crate, lock, crate.layout)
