"""Runs to a ranking of their models.

The cases that all models have in common, and why the others are left out.

Who is ranked: every model of every run that has a scored sample, under a name of its own.

What one model's samples of the common cases come to.

What a reader must know beside the numbers of a ranking, as sentences.
"""

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import sqrt
from pathlib import Path

from forgetest import __version__
from forgetest.compare.comparability import differences, run_info
from forgetest.compare.pair import Maps
from forgetest.compare.side import Side, SideCase, SideModel
from forgetest.compare.types import Estimate
from forgetest.errors import ExitCode, ForgetestError
from forgetest.metrics import (
    Counts,
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
from forgetest.report.usage import UsageTotals
from forgetest.run.manifest import REPORT, CaseHashes


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


def entries(runs: Sequence[Labelled]) -> tuple[list[Contestant], list[str]]:
    """Return the models that have a scored sample, and the names of those that have none."""
    times = Counter(name for run in runs for name in run.side.models)
    found = [
        Contestant(name if times[name] == 1 else f"{name} @ {run.label}", run, model)
        for run in runs
        for name, model in run.side.models.items()
    ]
    scored = [one for one in found if any(case.n for case in one.model.cases.values())]
    return scored, [one.name for one in found if one not in scored]


def common_cases(
    runs: Sequence[Labelled], entries: Sequence[Contestant]
) -> tuple[list[str], tuple[UnrankedCase, ...]]:
    """Return `set/case` of what can be ranked by, in their order by name, and what cannot.

    A case is common when every run asked the very same (equal hashes) and every model has a scored
    sample of it.
    """
    keys = sorted({key for one in entries for key in one.model.cases})
    gaps = {key: _gap(key, runs, entries) for key in keys}
    found = [key for key, gap in gaps.items() if gap is None]
    return found, tuple(gap for gap in gaps.values() if gap is not None)


def _gap(key: str, runs: Sequence[Labelled], entries: Sequence[Contestant]) -> UnrankedCase | None:
    missing = tuple(run.label for run in runs if not _has(run, key))
    if parts := _changed(key, [run for run in runs if _has(run, key)]):
        return UnrankedCase(case=key, gap=UnrankedReason.CHANGED, parts=parts)
    if missing:
        return UnrankedCase(case=key, gap=UnrankedReason.MISSING, of=missing)
    unscored = tuple(sorted(one.name for one in entries if not _is_scored(one, key)))
    return UnrankedCase(case=key, gap=UnrankedReason.UNSCORED, of=unscored) if unscored else None


def _has(run: Labelled, key: str) -> bool:
    return any(key in model.cases for model in run.side.models.values())


def _is_scored(one: Contestant, key: str) -> bool:
    case = one.model.cases.get(key)
    return case is not None and case.n > 0


def _changed(key: str, runs: Sequence[Labelled]) -> tuple[str, ...]:
    """Return the parts of a case that are not the same in all runs that have it."""
    hashes = [run.side.hashes.get(key) for run in runs]
    known = [one for one in hashes if one is not None]
    if len(known) < len(hashes):
        return ("content",) if known else ()
    return tuple(
        part for part in CaseHashes.model_fields if len({getattr(one, part) for one in known}) > 1
    )


def exact_rate(cases: Sequence[SideCase]) -> Fraction:
    """Return the mean over cases of c / n."""
    return sum((Fraction(case.c, case.n) for case in cases), Fraction()) / len(cases)


def estimate(
    cases: Sequence[SideCase], value: Callable[[SideCase], Fraction], *, alpha: float
) -> Estimate:
    """Return the mean of a case value with its modified Wilson interval at 1 - alpha."""
    samples = sum(case.n for case in cases)
    found = modified_wilson([value(case) for case in cases], samples, level=1 - exact(alpha))
    if found is None:
        return Estimate(value=None, reason=str(Reason.UNSCORED))
    return Estimate(value=float(found.mean), interval=(found.lower, found.upper))


def estimate_at_k(cases: Sequence[SideCase], k: int, *, alpha: float) -> Estimate:
    """Return pass@k; without a value unless every case has k samples."""
    if any(case.n < k for case in cases):
        return Estimate(value=None, reason=str(Reason.INSUFFICIENT_SAMPLES))
    return estimate(cases, lambda case: pass_at_k_exact(*case.counts, k) or exact(0), alpha=alpha)


def shrunk(counts: Sequence[Counts]) -> Shrunk:
    """Return Bayes@N of passes; cases may differ in n, as their posteriors are independent.

    With the same n everywhere it is `metrics.bayes` of the whole matrix with weights 0 and 1.
    """
    moments = [bayes_exact([[1] * c + [0] * (n - c)], (0, 1)) for n, c in counts]
    known = [one for one in moments if one is not None]
    size = len(known)
    variance = sum((spread for _, spread in known), Fraction()) / size**2
    middle = sum((mean for mean, _ in known), Fraction()) / size
    return Shrunk(mean=float(middle), sigma=sqrt(variance))


def cost(cases: Sequence[SideCase]) -> tuple[Decimal | None, Decimal | None]:
    """Return US dollars of all samples, and for each that passed; None where a price is unknown."""
    totals = UsageTotals.sum(case.usage for case in cases)
    scored = sum(case.n for case in cases)
    if totals.unpriced or totals.completions < scored:  # a report may be without its completions
        return None, None
    passed = sum(case.c for case in cases)
    return totals.usd, totals.usd / passed if passed else None


_NOTES_NAMED = 3


def notes(
    runs: Sequence[Labelled],
    cases: Sequence[Sequence[SideCase]],
    tests: Sequence[PairTest],
    silent: Sequence[str],
) -> tuple[str, ...]:
    """Return every note; `cases` are each model's common ones, `silent` the models without any."""
    return tuple(_notes(runs, cases, tests, silent))


def _notes(
    runs: Sequence[Labelled],
    cases: Sequence[Sequence[SideCase]],
    tests: Sequence[PairTest],
    silent: Sequence[str],
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
    if silent:
        yield f"left out, for no sample of theirs is scored: {_some(sorted(silent))}"
    sizes = {case.n for own in cases for case in own}
    if len(sizes) > 1:
        yield f"cases have {min(sizes)} to {max(sizes)} scored samples"
    if any(one.draws for one in tests):
        yield "some p-values are drawn by lot, for exact ones would take minutes"


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NOTES_NAMED else ""
    return ", ".join(names[:_NOTES_NAMED]) + more


_NAMED = 3  # cases of a complaint


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
    found, silent = entries(runs)
    keys, left = common_cases(runs, found)
    if not keys:
        raise NotRankableError(_why_none(left))
    standings = _ordered(found, keys)
    cases = [one.standing.cases for one in standings]
    tests = pair_tests([one.standing for one in standings], options)
    apart = [(one.higher, one.lower) for one in tests if one.differ]
    group = letters([one.standing.name for one in standings], apart)
    places = competition_ranks([one.rate for one in standings], tol=0)
    ks = options.k or tuple(sorted({k for run in runs for k in run.side.pass_k}))
    return Ranking(
        forgetest=__version__,
        options=options,
        runs=tuple(RankedRun(label=run.label, run=run_info(run.side)) for run in runs),
        differences=declared,
        cases=len(keys),
        left_out=left,
        notes=notes(runs, cases, tests, silent),
        models=tuple(
            _ranked(one, place, group[one.standing.name], ks, alpha=options.alpha)
            for one, place in zip(standings, places, strict=True)
        ),
        pairs=tests,
    )


@dataclass(frozen=True, slots=True)
class _Stood:
    entry: Contestant
    standing: Standing
    rate: Fraction


def _ordered(found: Sequence[Contestant], keys: Sequence[str]) -> list[_Stood]:
    """Return the models best first; those of equal rates by mean score, then by name."""
    stood: list[_Stood] = []
    for one in found:
        cases = tuple(one.model.cases[key] for key in keys)
        stood.append(_Stood(one, Standing(one.name, cases), exact_rate(cases)))
    return sorted(stood, key=lambda one: (-one.rate, -_score(one.standing.cases), one.entry.name))


def _score(cases: Sequence[SideCase]) -> Fraction:
    return sum((case.mean_score for case in cases), Fraction())


def _differences(runs: Sequence[Labelled]) -> tuple[Differing, ...]:
    """Return what is declared to differ, each once; NotRankableError where it changes meanings."""
    values: dict[str, set[str]] = {}
    for run in runs[1:]:
        for one in differences(runs[0].side, run.side, Maps()):
            if one.refuses:
                raise NotRankableError(
                    f"{run.side.file}: its {one.what} is {one.current}, that of"
                    f" {runs[0].side.file} is {one.baseline}: their numbers do not mean the same"
                )
            values.setdefault(one.what, set()).update((one.baseline, one.current))
    return tuple(
        Differing(what=what, values=tuple(sorted(values[what], key=_shorter))) for what in values
    )


def _shorter(value: str) -> tuple[int, str]:
    """Return a key by which 5 comes before 10."""
    return len(value), value


def _why_none(left: Sequence[UnrankedCase]) -> str:
    counts = Counter(one.gap for one in left)
    told = ", ".join(f"{number} {gap}" for gap, number in sorted(counts.items()))
    named = ", ".join(one.case for one in left[:_NAMED])
    more = ", …" if len(left) > _NAMED else ""
    return f"no case is common to all models: {told or 'none is scored'} ({named}{more})"


def _ranked(one: _Stood, place: int, group: str, ks: Sequence[int], *, alpha: float) -> Ranked:
    cases = one.standing.cases
    usd, per_solved = cost(cases)
    return Ranked(
        name=one.entry.name,
        model=one.entry.model.name,
        run=one.entry.run.label,
        rank=place,
        group=group,
        n=sum(case.n for case in cases),
        unscored=sum(case.planned - case.n for case in cases),
        c=sum(case.c for case in cases),
        pass_rate=estimate(cases, lambda case: Fraction(case.c, case.n), alpha=alpha),
        pass_at_k={str(k): estimate_at_k(cases, k, alpha=alpha) for k in ks},
        mean_score=estimate(cases, lambda case: case.mean_score, alpha=alpha),
        bayes=shrunk([case.counts for case in cases]),
        usd=usd,
        cost_per_solved=per_solved,
    )
