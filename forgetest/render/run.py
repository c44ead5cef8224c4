"""A run to be shown or written: its report, with its whole cases where these are known."""

from dataclasses import dataclass

from forgetest.evalset.types import EvalSet
from forgetest.report.types import Report


@dataclass(frozen=True, slots=True)
class Run:
    """One run; `eval_sets` is empty when there is a report and no run folder."""

    report: Report
    eval_sets: tuple[EvalSet, ...]
    label: str  # tells it from the others
