"""The page of a comparison: verdict, changed cases, evidence, and both codes side by side.

Both sides are models of one page, each baseline next to its counterpart.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from forgetest.compare.types import Comparison, ModelComparison
from forgetest.evalset.types import Case
from forgetest.render.comparison.cases import (
    Moved,
    beyond_noise,
    failure_lines,
    improved,
    moved_cells,
    name_of,
    regressed,
    settled,
)
from forgetest.render.comparison.headline import headline, next_step
from forgetest.render.comparison.numbers import level
from forgetest.render.comparison.terminal import drift_rows, group_cells, large_groups, rate_rows
from forgetest.render.comparison.words import (
    attribution_words,
    coverage_words,
    detectability_line,
    gate_words,
    left_out_cases,
    left_out_cells,
    model_name,
    rates,
    repeat_words,
    rests_on,
    run_words,
    shows_variants,
    summary_cells,
    test_lines,
    usage_rows,
    variant_name,
)
from forgetest.render.formats.standing import Files
from forgetest.render.html.data import EMBEDDED, sample_details
from forgetest.render.html.markup import assets, link_to, templates
from forgetest.render.html.models import CaseAcrossModels, PageModel
from forgetest.render.html.page import page_data
from forgetest.render.run import ShownRun
from forgetest.report.types import CaseReport, ModelReport


@dataclass(frozen=True, slots=True)
class Sides:
    """Entries in pairs; `pairs` are places of baseline and current among them."""

    entries: tuple[PageModel, ...]
    rows: tuple[CaseAcrossModels, ...]
    pairs: tuple[tuple[int, int], ...]


def sides(comparison: Comparison, baseline: ShownRun, current: ShownRun) -> Sides:
    """Return the compared models of both runs with the cases that were compared."""
    entries: list[PageModel] = []
    pairs: list[tuple[int, int]] = []
    for model in comparison.models:
        then, now = _named(baseline, model.baseline), _named(current, model.current)
        if then is not None and now is not None:
            pairs.append((len(entries), len(entries) + 1))
            entries.append(PageModel(f"{model.baseline} (baseline)", then, baseline))
            entries.append(PageModel(current_name(model), now, current))
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


def _named(run: ShownRun, name: str) -> ModelReport | None:
    return next((model for model in run.report.models if str(model.model) == name), None)


def _keys(comparison: Comparison) -> list[str]:
    return list(dict.fromkeys(case.key for model in comparison.models for case in model.cases))


def _cases(run: ShownRun) -> Iterator[Case]:
    return (case for item in run.eval_sets for case in item.cases)


def _rows(
    keys: Sequence[str], results: Sequence[Mapping[str, CaseReport]], known: Mapping[str, Case]
) -> Iterator[CaseAcrossModels]:
    for key in keys:
        of_case = tuple(cases.get(key) for cases in results)
        if any(result is not None for result in of_case):
            yield CaseAcrossModels(key, of_case, known.get(key))


EXCERPTS = 20  # dropped cases whose failures are shown


@dataclass(frozen=True, slots=True)
class MovedRow:
    """A case that moved, with the address of its samples on both sides."""

    name: str
    address: str
    model: str
    variant: str
    cells: tuple[str, ...]
    fell: bool
    failures: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ModelPart:
    """Everything that is shown of one pair of models."""

    name: str
    finding: str
    summary: tuple[str, ...]
    rates: tuple[tuple[str, ...], ...]
    lines: tuple[str, ...]
    drift: tuple[tuple[str, str], ...]
    groups: tuple[tuple[str, ...], ...]
    usage: tuple[tuple[str, ...], ...]


def comparison_files(
    comparison: Comparison,
    baseline: ShownRun,
    current: ShownRun,
    *,
    stem: str = "comparison",
    budget: int = EMBEDDED,
) -> Files:
    """Return the page and, for many samples, the files that it loads: name -> text.

    Both runs are the full reports of what is compared; details of samples beyond `budget` bytes
    go to files next to the page, named after `stem`.
    """
    both = sides(comparison, baseline, current)
    details = sample_details(both.rows, stem=stem, budget=budget)
    figures = rates(comparison.models[0]) if len(comparison.models) == 1 else ""
    text = (
        templates()
        .get_template("comparison.html.j2")
        .render(
            assets=assets(loads_files=bool(details.files)),
            title=headline(comparison).text,
            figures=figures,
            comparison=comparison,
            runs=[
                ("baseline", run_words(comparison.baseline)),
                ("current", run_words(comparison.current)),
            ],
            gate=gate_words(comparison),
            repeats=repeat_words(comparison),
            next_step=next_step(comparison),
            coverage=coverage_words(comparison.coverage, len(comparison.models)),
            level=level(comparison.options.alpha),
            fell=_moved(comparison, regressed(comparison)),
            rose=_moved(comparison, improved(comparison)),
            varied=shows_variants(comparison),
            models=[_model(model, comparison) for model in comparison.models],
            left_out=[left_out_cells(case) for case in left_out_cases(comparison.coverage)],
            differences=[
                (item.what, item.baseline, item.current) for item in comparison.differences
            ],
            beside=sorted(details.files),
            data=page_data(both.entries, both.rows, details, pairs=both.pairs),
        )
    )
    return {f"{stem}.html": text, **details.files}


def _moved(comparison: Comparison, moved: Sequence[Moved]) -> list[MovedRow]:
    return [
        _row(comparison, case, with_failures=place < EXCERPTS) for place, case in enumerate(moved)
    ]


def _row(comparison: Comparison, moved: Moved, *, with_failures: bool) -> MovedRow:
    *cells, noise = moved_cells(moved)
    return MovedRow(
        name=name_of(comparison, moved),
        address=link_to(moved.case.key, current_name(moved.model)),
        model=model_name(moved.model),
        variant=variant_name(moved.model),
        cells=(*cells, "; ".join(filter(None, (noise, settled(moved))))),
        fell=moved.case.score_delta < 0 or (beyond_noise(moved) and moved.case.worse),
        failures=tuple(failure_lines(moved.case.current)) if with_failures else (),
    )


def _model(model: ModelComparison, comparison: Comparison) -> ModelPart:
    options = comparison.options
    alike = model.baseline == model.current
    cause = (attribution_words(model.attribution),) if model.attribution else ()
    evidence = (*test_lines(model, options), detectability_line(model.detectability))
    return ModelPart(
        name=model.current if alike else f"{model.baseline} -> {model.current}",
        finding=str(model.finding),
        summary=tuple(summary_cells(model)),
        rates=tuple((name, *cells) for name, cells in rate_rows(model)),
        lines=(rests_on(model, options), *evidence, *cause),
        drift=tuple((name, ", ".join(words)) for name, words in drift_rows(model)),
        groups=tuple(tuple(group_cells(group)) for group in large_groups(model)),
        usage=tuple(tuple(row) for row in usage_rows(model.usage)),
    )
