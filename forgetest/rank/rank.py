"""Runs to a ranking: which models, on which common cases, in which order, and how surely."""

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import sqrt

from forgetest.compare.comparability import declared_differences, run_info
from forgetest.compare.pair import Maps
from forgetest.compare.side import Side, SideCase
from forgetest.compare.types import Estimate
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
from forgetest.rank.entrants import (
    NAMED,
    AskedWays,
    Contestant,
    Entrant,
    Labelled,
    NotRankableError,
    changed_variants,
    common_cases,
    contestants,
    labelled,
    model_entrants,
    some_names,
    variant_entrants,
)
from forgetest.rank.pairs import Standing, letters, pair_tests
from forgetest.rank.types import (
    Differing,
    PairTest,
    RankBy,
    Ranked,
    RankedRun,
    Ranking,
    RankOptions,
    Shrunk,
    UnrankedCase,
)
from forgetest.report.score import ranking_key
from forgetest.report.usage import UsageTotals
from forgetest.version import __version__


@dataclass(frozen=True, slots=True)
class _Placed:
    """An entrant with its common cases."""

    entrant: Entrant
    standing: Standing
    rate: Fraction


def rank_models(sides: Sequence[Side], options: RankOptions) -> Ranking:
    """Return the models of one or several runs, best first, on the cases that all have in common.

    By variant, the ways of asking are ranked instead, over the models that were asked in all of
    them: a case counts once for each model. Ranks are by the exact pass rate, ties share (1 2 2 4).
    The order of runs and models changes nothing. Raises NotRankableError without a common case, for
    runs of other scoring rules, and where no variants can be ranked.
    """
    runs = labelled(sides)
    declared = _differences(runs)
    scored, unscored = contestants(runs)
    ways = _ways(scored) if options.by is RankBy.VARIANT else None
    entrants = variant_entrants(runs, scored, ways) if ways else model_entrants(scored)
    keys, left_out = common_cases(runs, [member for item in entrants for member in item.members])
    if not keys:
        raise NotRankableError(_why_none(left_out))
    placed = _best_first(entrants, keys)
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
        asked=ways.models if ways else (),
        left_out=left_out,
        notes=(*ranking_notes(runs, cases, tests, unscored), *(_not_in_all(ways) if ways else ())),
        models=tuple(
            _ranked(model, rank, group[model.standing.name], ks, alpha=options.alpha)
            for model, rank in zip(placed, ranks, strict=True)
        ),
        pairs=tests,
    )


def _ways(contestants: Sequence[Contestant]) -> AskedWays:
    return AskedWays.of(contestant.model.spec for contestant in contestants)


def _not_in_all(ways: AskedWays) -> Iterator[str]:
    if ways.others:
        yield f"left out, because they were not asked in every variant: {some_names(ways.others)}"


def _best_first(entrants: Sequence[Entrant], keys: Sequence[str]) -> list[_Placed]:
    """Return the entrants with their common cases, in the order that a leaderboard has too."""
    standings = [(entrant, entrant.standing(keys)) for entrant in entrants]
    placed = [_Placed(entrant, item, exact_rate(item.cases)) for entrant, item in standings]
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
    named = ", ".join(case.case for case in left_out[:NAMED])
    more = ", …" if len(left_out) > NAMED else ""
    return f"no case is common to all models: {reasons or 'none is scored'} ({named}{more})"


def _ranked(model: _Placed, rank: int, group: str, ks: Sequence[int], *, alpha: float) -> Ranked:
    entrant, standing = model.entrant, model.standing
    cases = standing.cases
    usd, per_solved = cost_of_solving(cases)
    return Ranked(
        name=standing.name,
        model=entrant.model,
        run=", ".join(dict.fromkeys(member.run.label for member in entrant.members)),
        spec=entrant.spec,
        rank=rank,
        group=group,
        n=sum(case.n for case in cases),
        unscored=sum(case.planned - case.n for case in cases),
        c=sum(case.c for case in cases),
        pass_rate=mean_estimate(standing, lambda case: Fraction(case.c, case.n), alpha=alpha),
        pass_at_k={str(k): pass_at_k_estimate(standing, k, alpha=alpha) for k in ks},
        mean_score=mean_estimate(standing, lambda case: case.mean_score, alpha=alpha),
        bayes=shrunk([case.counts for case in cases]),
        usd=usd,
        cost_per_solved=per_solved,
    )


def exact_rate(cases: Sequence[SideCase]) -> Fraction:
    """Return the mean over cases of c / n."""
    return sum((Fraction(case.c, case.n) for case in cases), Fraction()) / len(cases)


def mean_estimate(
    standing: Standing, value: Callable[[SideCase], Fraction], *, alpha: float
) -> Estimate:
    """Return the mean of a case value with its modified Wilson interval at 1 - alpha."""
    samples = sum(case.n for case in standing.cases)
    values = [value(case) for case in standing.cases]
    level = 1 - exact(alpha)
    interval = modified_wilson(values, samples, clusters=standing.clusters, level=level)
    if interval is None:
        return Estimate(value=None, reason=str(Reason.UNSCORED))
    return Estimate(value=float(interval.mean), interval=(interval.lower, interval.upper))


def pass_at_k_estimate(standing: Standing, k: int, *, alpha: float) -> Estimate:
    """Return pass@k; without a value unless every case has k samples."""
    if any(case.n < k for case in standing.cases):
        return Estimate(value=None, reason=str(Reason.INSUFFICIENT_SAMPLES))
    return mean_estimate(
        standing, lambda case: pass_at_k_exact(*case.counts, k) or exact(0), alpha=alpha
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


def _about_runs(runs: Sequence[Labelled]) -> Iterator[str]:
    for run in runs:
        yield from (f"{run.label}: {doubt}" for doubt in run.side.doubts)
    if changed := changed_variants(runs):
        yield f"variants that are not the same in all runs: {some_names(changed)}"


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
    yield from _about_runs(runs)
    unfinished = [run.label for run in runs if not run.side.complete]
    if unfinished:
        yield f"not all samples are scored: {some_names(unfinished)}"
    if unscored:
        yield f"left out, because none of their samples is scored: {some_names(sorted(unscored))}"
    sizes = {case.n for model_cases in cases for case in model_cases}
    if len(sizes) > 1:
        yield f"cases have {min(sizes)} to {max(sizes)} scored samples"
    if any(test.draws for test in tests):
        yield "some p-values are from random draws: exact ones would take minutes"
