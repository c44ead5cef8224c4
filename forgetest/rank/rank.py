"""Runs to a ranking of their models."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from forgetest import __version__
from forgetest.compare.comparability import differences, run_info
from forgetest.compare.maps import Maps
from forgetest.compare.side import Side, SideCase
from forgetest.errors import ExitCode, ForgetestError
from forgetest.metrics import competition_ranks
from forgetest.rank.common import common_cases
from forgetest.rank.entries import Entry, Labelled, entries, labelled
from forgetest.rank.figures import cost, estimate, estimate_at_k, exact_rate, shrunk
from forgetest.rank.letters import letters
from forgetest.rank.notes import notes
from forgetest.rank.pairs import Standing, pair_tests
from forgetest.rank.types import Differing, LeftOut, Options, Ranked, Ranking, Run

_NAMED = 3  # cases of a complaint


class NotRankableError(ForgetestError):
    """Runs have no case in common, or numbers that do not mean the same."""

    code = ExitCode.UNSCORED


def rank(sides: Sequence[Side], options: Options) -> Ranking:
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
        runs=tuple(Run(label=run.label, run=run_info(run.side)) for run in runs),
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
    entry: Entry
    standing: Standing
    rate: Fraction


def _ordered(found: Sequence[Entry], keys: Sequence[str]) -> list[_Stood]:
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


def _why_none(left: Sequence[LeftOut]) -> str:
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
