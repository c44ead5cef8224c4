"""The models of one or several runs, best first, as the rows that a page has for them.

The cases of all runs of a page: what each was, and what became of it for every model.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from forgetest.evalset.types import Case
from forgetest.render.run import ShownRun
from forgetest.report.types import CaseReport, Metric, ModelReport, SampleReport
from forgetest.sampling.completion import Usd


@dataclass(frozen=True, slots=True)
class PageModel:
    """One model of one run."""

    name: str  # unique on the page
    model: ModelReport
    run: ShownRun

    @property
    def samples(self) -> Iterator[SampleReport]:
        """Every sample, case by case."""
        return (sample for case in self.model.cases for sample in case.samples)

    @property
    def first(self) -> Metric:
        """The pass rate that ranks: pass@1, or pass@k of the smallest k."""
        at_k = self.model.overall.pass_at_k
        return at_k.get("1") or next(iter(at_k.values()), self.model.overall.pass_rate)

    @property
    def cost_per_solved(self) -> Usd | None:
        """US dollars of all samples for each that passed; None when unknown or none passed."""
        usd, passed = self.model.cost.usd, self.model.overall.samples_passed
        return usd / passed if usd is not None and passed else None

    @property
    def latencies(self) -> list[float]:
        """Seconds of every request whose time is known, shortest first."""
        found = (sample.completion for sample in self.samples)
        return sorted(one.latency_secs for one in found if one and one.latency_secs is not None)


def entries(runs: Sequence[ShownRun]) -> tuple[PageModel, ...]:
    """Return every model of every run, best first: by pass@1, mean score, then name."""
    counts = Counter(str(model.model) for run in runs for model in run.report.models)
    found = [
        PageModel(_name(str(model.model), run, unique=counts[str(model.model)] == 1), model, run)
        for run in runs
        for model in run.report.models
    ]
    return tuple(sorted(_distinct(found), key=_order))


def _name(model: str, run: ShownRun, *, unique: bool) -> str:
    return model if unique else f"{model} @ {run.label}"


def _distinct(found: Sequence[PageModel]) -> Iterator[PageModel]:
    """Yield entries with a number after a name that an earlier one has already."""
    seen: Counter[str] = Counter()
    for entry in found:
        seen[entry.name] += 1
        again = seen[entry.name]
        name = entry.name if again == 1 else f"{entry.name} #{again}"
        yield PageModel(name, entry.model, entry.run)


def _order(entry: PageModel) -> tuple[float, float, str]:
    return (-worth(entry.first), -worth(entry.model.overall.mean_score), entry.name)


def worth(metric: Metric) -> float:
    """Return a metric's value for sorting; one without a value comes last."""
    return -1.0 if metric.value is None else metric.value


@dataclass(frozen=True, slots=True)
class CaseAcrossModels:
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


def case_rows(
    runs: Sequence[ShownRun], entries: Sequence[PageModel]
) -> tuple[CaseAcrossModels, ...]:
    """Return every case that any model was asked, in the order of the runs."""
    results = [{case.key: case for case in entry.model.cases} for entry in entries]
    known = {case.key: case for run in runs for item in run.eval_sets for case in item.cases}
    keys = dict.fromkeys(
        case.key for run in runs for model in run.report.models for case in model.cases
    )
    return tuple(
        CaseAcrossModels(key, tuple(found.get(key) for found in results), known.get(key))
        for key in keys
    )


def changed_cases(runs: Sequence[ShownRun]) -> tuple[str, ...]:
    """Return the cases that are not the same in all runs, by the hashes of their parts."""
    seen: dict[str, set[str]] = {}
    for run in runs:
        for item in run.report.eval_sets:
            for case in item.cases:
                said = case.hashes.model_dump_json()
                seen.setdefault(f"{item.id}/{case.id}", set()).add(said)
    return tuple(key for key, hashes in seen.items() if len(hashes) > 1)
