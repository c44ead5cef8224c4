"""The models and the cases of a page, over all of its runs: models best first, cases in order."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from forgetest.evalset.types import Case
from forgetest.render.leaderboard import leaderboard_order
from forgetest.render.run import ShownRun
from forgetest.report.samples import SampleReport
from forgetest.report.types import CaseReport, ModelReport


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
    def latencies(self) -> list[float]:
        """Seconds of every request whose time is known, shortest first."""
        replies = (reply for sample in self.samples for reply in sample.completions)
        return sorted(reply.latency_secs for reply in replies if reply.latency_secs is not None)


def page_models(runs: Sequence[ShownRun]) -> tuple[PageModel, ...]:
    """Return every model of every run, best first."""
    counts = Counter(str(model.model) for run in runs for model in run.report.models)
    models = [
        PageModel(_name(str(model.model), run, unique=counts[str(model.model)] == 1), model, run)
        for run in runs
        for model in run.report.models
    ]
    return tuple(
        sorted(_distinct(models), key=lambda entry: leaderboard_order(entry.model, entry.name))
    )


def _name(model: str, run: ShownRun, *, unique: bool) -> str:
    return model if unique else f"{model} @ {run.label}"


def _distinct(models: Sequence[PageModel]) -> Iterator[PageModel]:
    """Yield models with a number after a name that an earlier one has already."""
    seen: Counter[str] = Counter()
    for entry in models:
        seen[entry.name] += 1
        again = seen[entry.name]
        yield entry if again == 1 else replace(entry, name=f"{entry.name} #{again}")


@dataclass(frozen=True, slots=True)
class CaseAcrossModels:
    """One case; `results` are in the order of the models, None where a run did not have it."""

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
        results = [result for result in self.results if result is not None]
        scored = sum(result.n for result in results)
        return sum(result.c for result in results) / scored if scored else 0.0


def page_cases(
    runs: Sequence[ShownRun], models: Sequence[PageModel]
) -> tuple[CaseAcrossModels, ...]:
    """Return every case that any model was asked, in the order of the runs."""
    results = [{case.key: case for case in entry.model.cases} for entry in models]
    whole_cases = {case.key: case for run in runs for item in run.eval_sets for case in item.cases}
    keys = dict.fromkeys(
        case.key for run in runs for model in run.report.models for case in model.cases
    )
    return tuple(
        CaseAcrossModels(key, tuple(cases.get(key) for cases in results), whole_cases.get(key))
        for key in keys
    )


def cases_that_differ(runs: Sequence[ShownRun]) -> tuple[str, ...]:
    """Return the cases that are not the same in all runs, by the hashes of their parts."""
    hashes: dict[str, set[str]] = {}
    for run in runs:
        for item in run.report.eval_sets:
            for case in item.cases:
                key = f"{item.id}/{case.id}"
                hashes.setdefault(key, set()).add(case.hashes.model_dump_json())
    return tuple(key for key, versions in hashes.items() if len(versions) > 1)
