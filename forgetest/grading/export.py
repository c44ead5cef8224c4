"""A graded sample's crate as files for a person: the same layout, named without randomness."""

from dataclasses import dataclass

from forgetest.evalset.types import Case
from forgetest.grading.crate import Crate, Layout, build_crate
from forgetest.grading.verdict import Verdict

TOKEN = "forgetest"  # noqa: S105 - stands where a graded crate has what no sample can foresee


@dataclass(frozen=True, slots=True)
class Exported:
    """A crate to be written, and the lock file of its dependencies where one is known."""

    crate: Crate
    lock: bytes | None
    layout: Layout


def graded_crate(case: Case, code: str, verdict: Verdict | None, *, lock: bytes | None) -> Exported:
    """Return the workspace in which a sample was graded.

    Tests that could not reach what they need from outside were built a second time, inside a copy
    of the sample; where they failed to build there too, their errors say so. Raises EvalSetError
    when a context file would lie outside the crate.
    """
    layout = _spliced_again(verdict)
    crate = build_crate(case, code, token=TOKEN, layout=layout)
    return Exported(crate, lock, crate.layout)


def _spliced_again(verdict: Verdict | None) -> Layout | None:
    errors = verdict.test_errors if verdict else ()
    inside = any(error.span and error.span.file.startswith("case/src/") for error in errors)
    return Layout.SPLICE if inside else None
