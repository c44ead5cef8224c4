"""The cases of all runs of a page: what each was, and what became of it for every model."""

from collections.abc import Sequence
from dataclasses import dataclass

from forgetest.evalset.types import Case
from forgetest.render.html.entry import Entry
from forgetest.render.run import Run
from forgetest.report.types import CaseReport


@dataclass(frozen=True, slots=True)
class CaseRow:
    """One case; `results` stand in the order of the entries, None where a run did not have it."""

    key: str  # set/case
    results: tuple[CaseReport | None, ...]
    case: Case | None = None  # prompt and tests, where the run folder gave them

    @property
    def any(self) -> CaseReport:
        """A report of the case: its name, tags and difficulty are the same in all."""
        return next(result for result in self.results if result is not None)

    @property
    def rate(self) -> float:
        """The share of all models' scored samples that passed."""
        found = [result for result in self.results if result is not None]
        scored = sum(result.n for result in found)
        return sum(result.c for result in found) / scored if scored else 0.0


def case_rows(runs: Sequence[Run], entries: Sequence[Entry]) -> tuple[CaseRow, ...]:
    """Return every case that any model was asked, in the order of the runs."""
    results = [{case.key: case for case in entry.model.cases} for entry in entries]
    known = {case.key: case for run in runs for item in run.eval_sets for case in item.cases}
    keys = dict.fromkeys(
        case.key for run in runs for model in run.report.models for case in model.cases
    )
    return tuple(
        CaseRow(key, tuple(found.get(key) for found in results), known.get(key)) for key in keys
    )


def changed_cases(runs: Sequence[Run]) -> tuple[str, ...]:
    """Return the cases that are not the same in all runs, by the hashes of their parts."""
    seen: dict[str, set[str]] = {}
    for run in runs:
        for item in run.report.eval_sets:
            for case in item.cases:
                said = case.hashes.model_dump_json()
                seen.setdefault(f"{item.id}/{case.id}", set()).add(said)
    return tuple(key for key, hashes in seen.items() if len(hashes) > 1)
