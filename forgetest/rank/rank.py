"""Runs to a ranking: which models, on which common cases, in which order, and how surely."""

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import sqrt
from pathlib import Path

from forgetest.compare.comparability import declared_differences, run_info
from forgetest.compare.pair import Maps
from forgetest.compare.side import Side, SideCase, SideModel
from forgetest.compare.types import Estimate
from forgetest.errors import ExitCode, ForgetestError
from forgetest.metrics import (
    Counts,
    Number,
    Reason,
    bayes_exact,
    competition_ranks,
    exact,
    modified_wilson,
    pass_at_k_exact,
)
from forgetest.rank.pairs import Standing, letters, pair_tests
from forgetest.rank.types import (
    Differing,
    PairTest,
    Ranked,
    RankedRun,
    Ranking,
    RankOptions,
    Shrunk,
    UnrankedCase,
    UnrankedReason,
)
from forgetest.report.score import ranking_key
from forgetest.report.usage import UsageTotals
from forgetest.run.manifest import REPORT, CaseHashes
from forgetest.version import __version__

_NAMED = 3  # runs, models or cases that a sentence names


@dataclass(frozen=True, slots=True)
class Labelled:
    """A run and its label."""

    label: str
    side: Side


@dataclass(frozen=True, slots=True)
class Contestant:
    """A model of a run."""

    name: str
    run: Labelled
    model: SideModel


@dataclass(frozen=True, slots=True)
class _Placed:
    """A contestant with its common cases."""

    contestant: Contestant
    standing: Standing
    rate: Fraction


class NotRankableError(ForgetestError):
    """Runs have no case in common, or numbers that do not mean the same."""

    code = ExitCode.UNSCORED


def rank_models(sides: Sequence[Side], options: RankOptions) -> Ranking:
    """Return the models of one or several runs, best first, on the cases that all have in common.

    Ranks are by the exact pass rate, ties share (1 2 2 4). The order of runs and models changes
    nothing. Raises NotRankableError without a common case, and for runs of other scoring rules.
    """
    runs = labelled(sides)
    declared = _differences(runs)
    scored, unscored = contestants(runs)
    keys, left_out = common_cases(runs, scored)
    if not keys:
        raise NotRankableError(_why_none(left_out))
    placed = _best_first(scored, keys)
    standings = [model.standing for model in placed]
    cases = [standing.cases for standing in standings]
    tests = pair_tests(standings, options)
    differing = [(test.higher, test.lower) for test in tests if test.differ]
    group = letters([standing.name for standing in standings], differing)
    ranks = competition_ranks([model.rate for model in placed], tol=0)
    ks = options.k or tuple(sorted({k for run in runs for k in run.side.pass_k}))
    return Ranking(
        forgetest=__version__,
        options=options,
        runs=tuple(RankedRun(label=run.label, run=run_info(run.side)) for run in runs),
        differences=declared,
        cases=len(keys),
        left_out=left_out,
        notes=ranking_notes(runs, cases, tests, unscored),
        models=tuple(
            _ranked(model, rank, group[model.standing.name], ks, alpha=options.alpha)
            for model, rank in zip(placed, ranks, strict=True)
        ),
        pairs=tests,
    )


def _best_first(contestants: Sequence[Contestant], keys: Sequence[str]) -> list[_Placed]:
    """Return the models with their common cases, in the order that a leaderboard has too."""
    placed: list[_Placed] = []
    for contestant in contestants:
        cases = tuple(contestant.model.cases[key] for key in keys)
        standing = Standing(contestant.name, cases)
        placed.append(_Placed(contestant, standing, exact_rate(cases)))
    return sorted(placed, key=_ranking_key)


def _ranking_key(model: _Placed) -> tuple[Number, Number, str]:
    cases = model.standing.cases
    scores = sum((case.mean_score for case in cases), Fraction())
    return ranking_key(model.rate, scores / len(cases), model.standing.name)


def _differences(runs: Sequence[Labelled]) -> tuple[Differing, ...]:
    """Return what is declared to differ, each once; NotRankableError where it changes meanings."""
    values: dict[str, set[str]] = {}
    for run in runs[1:]:
        for item in declared_differences(runs[0].side, run.side, Maps()):
            if item.refuses:
                raise NotRankableError(
                    f"{run.side.file}: its {item.what} is {item.current}, that of"
                    f" {runs[0].side.file} is {item.baseline}: their numbers do not mean the same"
                )
            values.setdefault(item.what, set()).update((item.baseline, item.current))
    return tuple(
        Differing(what=name, values=tuple(sorted(values[name], key=_shorter))) for name in values
    )


def _shorter(value: str) -> tuple[int, str]:
    """Return a key by which 5 comes before 10."""
    return len(value), value


def _why_none(left_out: Sequence[UnrankedCase]) -> str:
    counts = Counter(case.gap for case in left_out)
    reasons = ", ".join(f"{number} {gap}" for gap, number in sorted(counts.items()))
    named = ", ".join(case.case for case in left_out[:_NAMED])
    more = ", …" if len(left_out) > _NAMED else ""
    return f"no case is common to all models: {reasons or 'none is scored'} ({named}{more})"


def _ranked(model: _Placed, rank: int, group: str, ks: Sequence[int], *, alpha: float) -> Ranked:
    cases = model.standing.cases
    usd, per_solved = cost_of_solving(cases)
    return Ranked(
        name=model.contestant.name,
        model=model.contestant.model.name,
        run=model.contestant.run.label,
        rank=rank,
        group=group,
        n=sum(case.n for case in cases),
        unscored=sum(case.planned - case.n for case in cases),
        c=sum(case.c for case in cases),
        pass_rate=mean_estimate(cases, lambda case: Fraction(case.c, case.n), alpha=alpha),
        pass_at_k={str(k): pass_at_k_estimate(cases, k, alpha=alpha) for k in ks},
        mean_score=mean_estimate(cases, lambda case: case.mean_score, alpha=alpha),
        bayes=shrunk([case.counts for case in cases]),
        usd=usd,
        cost_per_solved=per_solved,
    )


def labelled(sides: Sequence[Side]) -> list[Labelled]:
    """Return the runs in an order of their own, each with the shortest label that is its alone."""
    ordered = sorted(sides, key=lambda side: (side.created, side.plan_digest, side.file))
    short = [_short(side.file) for side in ordered]
    labels = [
        name if short.count(name) == 1 else side.file
        for name, side in zip(short, ordered, strict=True)
    ]
    return [Labelled(_numbered(labels, place), side) for place, side in enumerate(ordered)]


def _short(file: str) -> str:
    path = Path(file)
    return (path.parent.name if path.name == REPORT else path.name) or file


def _numbered(labels: Sequence[str], place: int) -> str:
    """Return a label with its number where the same run was given several times."""
    before = labels[:place].count(labels[place])
    return f"{labels[place]} #{before + 1}" if before else labels[place]


def contestants(runs: Sequence[Labelled]) -> tuple[list[Contestant], list[str]]:
    """Return the models that have a scored sample, and the names of those that have none."""
    times = Counter(name for run in runs for name in run.side.models)
    models = [
        Contestant(name if times[name] == 1 else f"{name} @ {run.label}", run, model)
        for run in runs
        for name, model in run.side.models.items()
    ]
    scored = [model for model in models if any(case.n for case in model.model.cases.values())]
    return scored, [model.name for model in models if model not in scored]


def common_cases(
    runs: Sequence[Labelled], contestants: Sequence[Contestant]
) -> tuple[list[str], tuple[UnrankedCase, ...]]:
    """Return `set/case` of what can be ranked by, in their order by name, and what cannot.

    A case is common when every run asked the very same (equal hashes) and every model has a scored
    sample of it.
    """
    keys = sorted({key for contestant in contestants for key in contestant.model.cases})
    gaps = {key: _gap(key, runs, contestants) for key in keys}
    common = [key for key, gap in gaps.items() if gap is None]
    return common, tuple(gap for gap in gaps.values() if gap is not None)


def _gap(
    key: str, runs: Sequence[Labelled], contestants: Sequence[Contestant]
) -> UnrankedCase | None:
    missing = tuple(run.label for run in runs if not _has(run, key))
    if parts := _changed(key, [run for run in runs if _has(run, key)]):
        return UnrankedCase(case=key, gap=UnrankedReason.CHANGED, parts=parts)
    if missing:
        return UnrankedCase(case=key, gap=UnrankedReason.MISSING, of=missing)
    unscored = tuple(sorted(model.name for model in contestants if not _is_scored(model, key)))
    return UnrankedCase(case=key, gap=UnrankedReason.UNSCORED, of=unscored) if unscored else None


def _has(run: Labelled, key: str) -> bool:
    return any(key in model.cases for model in run.side.models.values())


def _is_scored(contestant: Contestant, key: str) -> bool:
    case = contestant.model.cases.get(key)
    return case is not None and case.n > 0


def _changed(key: str, runs: Sequence[Labelled]) -> tuple[str, ...]:
    """Return the parts of a case that are not the same in all runs that have it."""
    hashes = [run.side.hashes.get(key) for run in runs]
    known = [parts for parts in hashes if parts is not None]
    if len(known) < len(hashes):
        return ("content",) if known else ()
    return tuple(
        part
        for part in CaseHashes.model_fields
        if len({getattr(parts, part) for parts in known}) > 1
    )


def exact_rate(cases: Sequence[SideCase]) -> Fraction:
    """Return the mean over cases of c / n."""
    return sum((Fraction(case.c, case.n) for case in cases), Fraction()) / len(cases)


def mean_estimate(
    cases: Sequence[SideCase], value: Callable[[SideCase], Fraction], *, alpha: float
) -> Estimate:
    """Return the mean of a case value with its modified Wilson interval at 1 - alpha."""
    samples = sum(case.n for case in cases)
    values = [value(case) for case in cases]
    interval = modified_wilson(values, samples, level=1 - exact(alpha))
    if interval is None:
        return Estimate(value=None, reason=str(Reason.UNSCORED))
    return Estimate(value=float(interval.mean), interval=(interval.lower, interval.upper))


def pass_at_k_estimate(cases: Sequence[SideCase], k: int, *, alpha: float) -> Estimate:
    """Return pass@k; without a value unless every case has k samples."""
    if any(case.n < k for case in cases):
        return Estimate(value=None, reason=str(Reason.INSUFFICIENT_SAMPLES))
    return mean_estimate(
        cases, lambda case: pass_at_k_exact(*case.counts, k) or exact(0), alpha=alpha
    )


def shrunk(counts: Sequence[Counts]) -> Shrunk:
    """Return Bayes@N of passes; cases may differ in n, as their posteriors are independent.

    With the same n everywhere it is `metrics.bayes` of the whole matrix with weights 0 and 1.
    """
    moments = [bayes_exact([[1] * c + [0] * (n - c)], (0, 1)) for n, c in counts]
    known = [moment for moment in moments if moment is not None]
    size = len(known)
    variance = sum((spread for _, spread in known), Fraction()) / size**2
    middle = sum((mean for mean, _ in known), Fraction()) / size
    return Shrunk(mean=float(middle), sigma=sqrt(variance))


def cost_of_solving(cases: Sequence[SideCase]) -> tuple[Decimal | None, Decimal | None]:
    """Return US dollars of all samples, and for each that passed; None where a price is unknown."""
    totals = UsageTotals.sum(case.usage for case in cases)
    scored = sum(case.n for case in cases)
    if totals.unpriced or totals.completions < scored:  # a report may be without its completions
        return None, None
    passed = sum(case.c for case in cases)
    return totals.usd, totals.usd / passed if passed else None


def ranking_notes(
    runs: Sequence[Labelled],
    cases: Sequence[Sequence[SideCase]],
    tests: Sequence[PairTest],
    unscored: Sequence[str],
) -> tuple[str, ...]:
    """Return every note; `cases` are each model's common ones, `unscored` the models without."""
    return tuple(_ranking_notes(runs, cases, tests, unscored))


def _ranking_notes(
    runs: Sequence[Labelled],
    cases: Sequence[Sequence[SideCase]],
    tests: Sequence[PairTest],
    unscored: Sequence[str],
) -> Iterator[str]:
    for first, second in itertools.pairwise(runs):
        if (first.side.created, first.side.plan_digest) == (
            second.side.created,
            second.side.plan_digest,
        ):
            yield f"{first.label} and {second.label} are the same run"
    for run in runs:
        yield from (f"{run.label}: {doubt}" for doubt in run.side.doubts)
    unfinished = [run.label for run in runs if not run.side.complete]
    if unfinished:
        yield f"not all samples are scored: {_some(unfinished)}"
    if unscored:
        yield f"left out, because none of their samples is scored: {_some(sorted(unscored))}"
    sizes = {case.n for model_cases in cases for case in model_cases}
    if len(sizes) > 1:
        yield f"cases have {min(sizes)} to {max(sizes)} scored samples"
    if any(test.draws for test in tests):
        yield "some p-values are from random draws: exact ones would take minutes"


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
