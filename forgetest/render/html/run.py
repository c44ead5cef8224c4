"""What a page shows: a report and, where its run folder is at hand, the cases it was made of."""

from dataclasses import dataclass

from forgetest.evalset.types import EvalSet
from forgetest.report.types import Report


@dataclass(frozen=True, slots=True)
class Run:
    """One run; without eval sets the page has no prompts, contexts, tests and references."""

    report: Report
    eval_sets: tuple[EvalSet, ...]
    label: str  # names the run where a page has several
