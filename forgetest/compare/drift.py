"""How failures, costs and groups of cases move between two runs."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

from forgetest.compare.pair import CasePair
from forgetest.compare.shift import (
    FEWEST,
    compile_rate,
    lint_free_rate,
    mean_score,
    pass_rate,
    shift,
    shift_at_k,
)
from forgetest.compare.side import Purse, SideCase, summed
from forgetest.compare.types import CountChange, Drift, Group, Spent, Usage
from forgetest.metrics import nearest_rank
from forgetest.report.types import CostSum, Latency, TokenSum

Counted = Callable[[SideCase], Counter[str]]


def drift(pairs: Sequence[CasePair], *, pass_k: Iterable[int], level: Fraction) -> Drift:
    """Return how the samples of some cases fail, before and after."""
    return Drift(
        samples_baseline=sum(before.n for before, _ in pairs),
        samples_current=sum(after.n for _, after in pairs),
        compile_rate=shift(pairs, compile_rate, level=level),
        compile_at_k={
            str(k): shift_at_k(pairs, lambda case: (case.n, case.compiled), k, level=level)
            for k in pass_k
        },
        lint_free_rate=shift(pairs, lint_free_rate, level=level),
        outcomes=_changes(pairs, _outcomes),
        error_codes=_changes(pairs, lambda case: case.error_codes),
        lints=_changes(pairs, lambda case: case.lints),
        flags=_changes(pairs, lambda case: case.flags),
    )


def _outcomes(case: SideCase) -> Counter[str]:
    return Counter(str(sample.outcome) for sample in case.samples)


def _changes(pairs: Sequence[CasePair], counted: Counted) -> tuple[CountChange, ...]:
    """Return the counts of both runs, the largest change first."""
    before, after = Counter[str](), Counter[str]()
    for old, new in pairs:
        before.update(counted(old))
        after.update(counted(new))
    found = [
        CountChange(name=name, baseline=before[name], current=after[name])
        for name in before.keys() | after.keys()
    ]
    return tuple(sorted(found, key=lambda one: (-abs(one.current - one.baseline), one.name)))


def usage(pairs: Sequence[CasePair]) -> Usage:
    """Return what the completions of some cases cost, before and after."""
    return Usage(
        baseline=_spent(summed([before.purse for before, _ in pairs])),
        current=_spent(summed([after.purse for _, after in pairs])),
    )


def _spent(purse: Purse) -> Spent:
    return Spent(
        completions=purse.completions,
        cost=CostSum(
            usd=None if purse.unpriced else purse.usd,
            known_usd=purse.usd,
            unknown=purse.unpriced,
            sources=tuple(sorted(purse.price_sources)),
        ),
        tokens=TokenSum(
            input=purse.input,
            output=purse.output,
            reasoning=purse.reasoning,
            cache_read=purse.cache_read,
            unreported=purse.unreported,
        ),
        latency=_latency(purse.latencies),
        served=tuple(sorted(purse.served)),
    )


def _latency(times: Sequence[float]) -> Latency | None:
    p50, p95 = nearest_rank(times, 0.5), nearest_rank(times, 0.95)
    if p50 is None or p95 is None:
        return None
    return Latency(mean=sum(times) / len(times), p50=p50, p95=p95)


def groups(pairs: Sequence[CasePair], *, level: Fraction) -> tuple[Group, ...]:
    """Return the shifts of each eval set, tag and difficulty, as the current run names them."""
    return tuple(
        Group(
            kind=kind,
            name=name,
            cases=len(chosen),
            pass_rate=shift(chosen, pass_rate, level=level, minimum=FEWEST),
            mean_score=shift(chosen, mean_score, level=level, minimum=FEWEST),
        )
        for kind, names_of in (("eval set", _set), ("tag", _tags), ("difficulty", _difficulty))
        for name, chosen in _grouped(pairs, names_of)
    )


def _grouped(
    pairs: Sequence[CasePair], names_of: Callable[[SideCase], tuple[str, ...]]
) -> list[tuple[str, list[CasePair]]]:
    found: dict[str, list[CasePair]] = {}
    for pair in pairs:
        for name in names_of(pair[1]):
            found.setdefault(name, []).append(pair)
    return sorted(found.items())


def _set(case: SideCase) -> tuple[str, ...]:
    return (case.eval_set,)


def _tags(case: SideCase) -> tuple[str, ...]:
    return tuple(dict.fromkeys(case.tags))


def _difficulty(case: SideCase) -> tuple[str, ...]:
    return () if case.difficulty is None else (case.difficulty,)
