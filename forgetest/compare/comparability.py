"""What differs between two runs besides their samples, and whose doing a change is.

`declared_differences` lists declared differences, such as rustc or the temperature, and tells which
of them make the numbers of the two runs mean different things. `variant_differences` does the same
for the ways in which the compared models were asked.

`attributed` splits a change in two where the baseline was graded again: from then to now the
toolchain and the grader changed, from now to the current run the model did.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from pydantic import JsonValue

from forgetest.compare.model import CaseValue, mean_score, pass_rate
from forgetest.compare.pair import Maps, ModelPair, paired_models
from forgetest.compare.side import Side, SideCase
from forgetest.compare.types import Attribution, Difference, Flip, ModelComparison, RunInfo
from forgetest.sampling.plan import Sampling
from forgetest.sampling.variant import DEFAULT_NAME
from forgetest.sandbox.types import Guarantees, Held

NOT_SENT, NOT_RECORDED, RECORDED = "not sent", "not recorded", "recorded"
_TEXTS = ("system", "template")
SHORT = 48  # characters of a text that is shown whole


def declared_differences(baseline: Side, current: Side, maps: Maps) -> tuple[Difference, ...]:
    """Return every declared difference, those first that make numbers mean something else."""
    declared = (
        *_meanings(baseline, current, maps),
        *_versions(baseline, current, maps),
        *_conditions(baseline, current),
    )
    return tuple(item for item in declared if item.baseline != item.current)


def _meanings(baseline: Side, current: Side, maps: Maps) -> Iterator[Difference]:
    for name, old, new in (
        ("scoring profile", baseline.scoring_profile, current.scoring_profile),
        ("lint rule", baseline.lint_rule, current.lint_rule),
    ):
        yield Difference(what=name, baseline=old, current=new, refuses=True)
    yield Difference(
        what="version of the prompt's frame",
        baseline=str(baseline.prompt_version),
        current=str(current.prompt_version),
        refuses=not maps.eval_sets,  # a mapped eval set says that prompts are compared
    )


def _versions(baseline: Side, current: Side, maps: Maps) -> Iterator[Difference]:
    """Yield the version of each eval set that both runs have."""
    versions = {item.id: item.version for item in current.eval_sets}
    for item in baseline.eval_sets:
        name = maps.eval_set(item.id)
        if name in versions:
            yield Difference(
                what=f"version of {name}", baseline=item.version, current=versions[name]
            )


def _conditions(baseline: Side, current: Side) -> Iterator[Difference]:
    pairs = [
        ("forgetest", baseline.forgetest, current.forgetest),
        ("extractor", baseline.extractor, current.extractor),
        ("rustc", *_distinct_lines(baseline.toolchain.rustc, current.toolchain.rustc)),
        ("cargo", baseline.toolchain.cargo, current.toolchain.cargo),
        ("clippy", baseline.toolchain.clippy, current.toolchain.clippy),
        ("sandbox", sandbox_name(baseline), sandbox_name(current)),
        ("samples per case", str(baseline.samples_per_case), str(current.samples_per_case)),
    ]
    for name, old, new in pairs:
        yield Difference(what=name, baseline=old, current=new)
    yield from _guarantees(baseline, current)
    yield from _sampling(baseline.sampling, current.sampling)
    yield from _named("limit", dict(baseline.limits), dict(current.limits))
    yield from _named("server of", dict(baseline.endpoints), dict(current.endpoints))


def _distinct_lines(old: str, new: str) -> tuple[str, str]:
    """Return the first lines of both that differ; their own first lines when all are the same."""
    lines = zip(old.splitlines(), new.splitlines(), strict=False)
    return next((pair for pair in lines if pair[0] != pair[1]), (first_line(old), first_line(new)))


def first_line(text: str) -> str:
    """Return the first line, or nothing of nothing."""
    return text.split("\n", 1)[0]


def run_info(side: Side) -> RunInfo:
    """Return where a side comes from, and the toolchain and sandbox that graded it."""
    return RunInfo(
        file=side.file,
        created=side.created,
        forgetest=side.forgetest,
        rustc=first_line(side.toolchain.rustc),
        sandbox=sandbox_name(side),
        samples_per_case=side.samples_per_case,
        cases=sum(len(item.cases) for item in side.eval_sets),
        complete=side.complete,
    )


def sandbox_name(side: Side) -> str:
    """Return backend and version, such as `bwrap 0.8.0`."""
    if side.sandbox is None:
        return NOT_RECORDED
    return f"{side.sandbox.backend} {side.sandbox.version}".strip()


def _guarantees(baseline: Side, current: Side) -> Iterator[Difference]:
    if baseline.sandbox is None or current.sandbox is None:
        return
    old, new = baseline.sandbox.guarantees, current.sandbox.guarantees
    for name in Guarantees.model_fields:
        before, after = getattr(old, name), getattr(new, name)
        if isinstance(before, Held):
            guarantee = f"guarantee {name.replace('_', ' ')}"
            yield Difference(what=guarantee, baseline=str(before), current=str(after))


def _sampling(baseline: Sampling, current: Sampling) -> Iterator[Difference]:
    for name in Sampling.model_fields:
        yield Difference(
            what=name,
            baseline=_parameter(getattr(baseline, name)),
            current=_parameter(getattr(current, name)),
        )


def _parameter(value: JsonValue | tuple[str, ...]) -> str:
    """Return a setting as text: numbers and short texts as they are, long ones by their hash."""
    if value is None:
        return NOT_SENT
    if isinstance(value, float | int):
        return f"{value:g}"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if len(text) <= SHORT and text.isprintable():
        return text
    return f"{len(text):,} characters, {hashlib.sha256(text.encode()).hexdigest()[:8]}"


def variant_differences(baseline: Side, current: Side, maps: Maps) -> tuple[Difference, ...]:
    """Return what differs between the ways in which the compared models were asked.

    Where a map pairs two variants, or a model with itself, these are what is compared. Otherwise
    numbers on both sides of a variant that changed do not mean the same.
    """
    found: dict[Difference, None] = {}
    for before, after in paired_models(baseline, current, maps):
        if not (before.spec.is_asked and after.spec.is_asked):
            continue  # how a recording was asked is not known
        old, new = before.spec.variant, after.spec.variant
        mapped_to_itself = before.name == after.name and (before.name, after.name) in maps.models
        is_subject = old != new or mapped_to_itself
        settings = _changed_settings(_settings(baseline, old), _settings(current, new))
        for name, first, second in settings:
            difference = Difference(
                what=f"{name} of variant {old}" if old == new else f"variant's {name}",
                baseline=first,
                current=second,
                refuses=not is_subject,
                variant=None if is_subject else new,
            )
            found[difference] = None
    return tuple(found)


def _settings(side: Side, variant: str | None) -> Mapping[str, JsonValue] | None:
    """Return what a variant changes; None where the report does not say."""
    if variant is None:
        return {}
    known = side.variants.get(variant)
    return None if known is None else known.variant


def _changed_settings(
    old: Mapping[str, JsonValue] | None, new: Mapping[str, JsonValue] | None
) -> Iterator[tuple[str, str, str]]:
    """Yield name, old value and new value of each setting that differs."""
    if old is None or new is None:
        before, after = (NOT_RECORDED if side is None else RECORDED for side in (old, new))
        yield "prompt", before, after
        return
    for key in dict.fromkeys((*old, *new)):
        if old.get(key) != new.get(key):
            name = _SETTINGS.get(key, key.replace("_", " "))
            yield name, _setting(key, old.get(key)), _setting(key, new.get(key))


_SETTINGS = {
    "system": "system text",
    "examples": "set of examples",
    "stop": "list of stop texts",
    "max_tokens": "token limit",
    "extra_body": "extra body",
    "answer": "form of answer",
    "rounds": "number of rounds",
    "score_round": "scored round",
}


def _setting(key: str, value: JsonValue) -> str:
    """Return a variant's setting as text; examples by the cases that they are, and their hash."""
    if value is None:
        return DEFAULT_NAME
    if key == "examples" and isinstance(value, list):
        cases = ", ".join(str(item["case"]) for item in value if isinstance(item, dict))
        return f"{cases} ({hashlib.sha256(json.dumps(value).encode()).hexdigest()[:8]})"
    shown = _parameter(value)
    return f'"{shown}"' if shown == value and key in _TEXTS else shown


def _named(
    kind: str,
    baseline: dict[str, float | int] | dict[str, str],
    current: dict[str, float | int] | dict[str, str],
) -> Iterator[Difference]:
    for name in sorted(baseline.keys() & current.keys()):
        yield Difference(
            what=f"{kind} {name}", baseline=str(baseline[name]), current=str(current[name])
        )


Triple = tuple[SideCase, SideCase, SideCase]
"""One case: the baseline as graded then, the same completions graded now, the current run."""


def with_attribution(
    models: Sequence[ModelComparison], pairs: Sequence[ModelPair], *, then: Side, now: Side
) -> tuple[ModelComparison, ...]:
    """Return the comparisons with each change split into the model's part and the environment's."""
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


def _mean(triples: Sequence[Triple], i: int, value: CaseValue) -> Fraction | None:
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
