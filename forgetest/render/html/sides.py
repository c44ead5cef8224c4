"""Both sides of a comparison as models of one page, each baseline beside its counterpart."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from forgetest.compare.types import Comparison, ModelComparison
from forgetest.evalset.types import Case
from forgetest.render.html.caserow import CaseRow
from forgetest.render.html.entry import Entry
from forgetest.render.run import Run
from forgetest.report.types import CaseReport, ModelReport


@dataclass(frozen=True, slots=True)
class Sides:
    """Entries in pairs; `pairs` are places of baseline and current among them."""

    entries: tuple[Entry, ...]
    rows: tuple[CaseRow, ...]
    pairs: tuple[tuple[int, int], ...]


def sides(comparison: Comparison, baseline: Run, current: Run) -> Sides:
    """Return the compared models of both runs with the cases that were compared."""
    entries: list[Entry] = []
    pairs: list[tuple[int, int]] = []
    for model in comparison.models:
        then, now = _named(baseline, model.baseline), _named(current, model.current)
        if then is not None and now is not None:
            pairs.append((len(entries), len(entries) + 1))
            entries.append(Entry(f"{model.baseline} (baseline)", then, baseline))
            entries.append(Entry(current_name(model), now, current))
    maps = dict(comparison.options.maps)
    results = [
        {_key(case, maps if place % 2 == 0 else {}): case for case in entry.model.cases}
        for place, entry in enumerate(entries)
    ]
    known = {case.key: case for run in (baseline, current) for case in _cases(run)}
    rows = tuple(_rows(_keys(comparison), results, known))
    return Sides(tuple(entries), rows, tuple(pairs))


def _key(case: CaseReport, maps: Mapping[str, str]) -> str:
    """Return a case's name, under the eval set that the current run has in place of its own."""
    return f"{maps.get(case.eval_set, case.eval_set)}/{case.case}"


def current_name(model: ModelComparison) -> str:
    """Return how a page names the current side of a pair."""
    return f"{model.current} (current)"


def _named(run: Run, name: str) -> ModelReport | None:
    return next((model for model in run.report.models if str(model.model) == name), None)


def _keys(comparison: Comparison) -> list[str]:
    found = (one.key for model in comparison.models for one in model.cases)
    return list(dict.fromkeys(found))


def _cases(run: Run) -> Iterator[Case]:
    return (case for item in run.eval_sets for case in item.cases)


def _rows(
    keys: Sequence[str], results: Sequence[Mapping[str, CaseReport]], known: Mapping[str, Case]
) -> Iterator[CaseRow]:
    for key in keys:
        found = tuple(cases.get(key) for cases in results)
        if any(result is not None for result in found):
            yield CaseRow(key, found, known.get(key))
