"""Whose doing a difference is: the model's, or that of the toolchain and the grader.

The baseline's completions were graded then and are graded again now. What differs between those
two is not the model's doing; what differs between now and the current run is.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from forgetest.compare.comparability import first_line
from forgetest.compare.pair import ModelPair
from forgetest.compare.shift import Value, mean_score, pass_rate
from forgetest.compare.side import Side, SideCase
from forgetest.compare.types import Attribution, Flip, ModelComparison

Triple = tuple[SideCase, SideCase, SideCase]
"""One case: the baseline as graded then, the same completions graded now, the current run."""


def attributed(
    models: Sequence[ModelComparison], pairs: Sequence[ModelPair], *, then: Side, now: Side
) -> tuple[ModelComparison, ...]:
    """Return the comparisons with each difference split by whose doing it is."""
    by_name = {(pair.baseline, pair.current): pair for pair in pairs}
    return tuple(
        model.model_copy(
            update={"attribution": _attribution(by_name[model.baseline, model.current], then, now)}
        )
        for model in models
    )


def _attribution(pair: ModelPair, then: Side, now: Side) -> Attribution:
    triples = list(_triples(pair, then))
    rates = [_mean(triples, i, pass_rate) for i in range(3)]
    scores = [_mean(triples, i, mean_score) for i in range(3)]
    return Attribution(
        graded_then=_number(rates[0]),
        graded_now=_number(rates[1]),
        current=_number(rates[2]),
        environment=_change(rates[0], rates[1]),
        model=_change(rates[1], rates[2]),
        score_environment=_change(scores[0], scores[1]),
        score_model=_change(scores[1], scores[2]),
        rustc_then=first_line(then.toolchain.rustc),
        rustc_now=first_line(now.toolchain.rustc),
        flips=tuple(flip for triple in triples for flip in _flips(*triple[:2])),
    )


def _triples(pair: ModelPair, then: Side) -> Iterator[Triple]:
    cases = then.models[pair.baseline].cases
    for before, after in pair.cases:
        old = cases.get(before.key)
        if old is not None and old.n:
            yield old, before, after


def _mean(triples: Sequence[Triple], i: int, value: Value) -> Fraction | None:
    values = [value(triple[i]) for triple in triples]
    return sum(values, Fraction()) / len(values) if values else None


def _number(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def _change(before: Fraction | None, after: Fraction | None) -> float | None:
    return None if before is None or after is None else float(after - before)


def _flips(old: SideCase, new: SideCase) -> Iterator[Flip]:
    again = {sample.draw: sample for sample in new.samples}
    for sample in old.samples:
        now = again.get(sample.draw)
        if now is not None and now.outcome != sample.outcome:
            yield Flip(
                eval_set=old.eval_set,
                case=old.case,
                sample=sample.draw + 1,
                before=sample.outcome,
                after=now.outcome,
            )
