"""The plan of a run that grows: more samples, models, variants or cases than it began with.

What the run has asked stays as it is, so that nothing is asked again: a plan only gains samples.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from forgetest.errors import ConfigError
from forgetest.evalset.types import EvalSet
from forgetest.run.manifest import hash_case
from forgetest.runner.variants import VariantTable, resolve, resolved
from forgetest.sampling.plan import (
    WITHOUT_VARIANTS,
    ModelSpec,
    Plan,
    parse_model,
    variant_named,
)


@dataclass(frozen=True, slots=True)
class Additions:
    """What a run is to have besides what it has; names may begin with a plus sign."""

    models: tuple[str, ...] = ()
    variants: tuple[str, ...] = ()
    eval_sets: tuple[EvalSet, ...] = ()
    samples: int | None = None  # per case, of all together
    pass_k: tuple[int, ...] = ()


def extended(plan: Plan, more: Additions, tables: Mapping[str, VariantTable]) -> Plan:
    """Return the plan with the additions.

    ConfigError when they add nothing, or contradict what the run has asked.
    """
    if plan.recorded:
        raise ConfigError("a run of recorded completions cannot be extended: no model was asked")
    variants = {**_unchanged(plan, tables), **tables}
    models = tuple(dict.fromkeys(_models(plan, more, variants)))
    new = plan.model_copy(
        update={
            "models": models,
            "samples_per_case": _samples(plan, more.samples),
            "pass_k": tuple(sorted({*plan.pass_k, *more.pass_k})),
            "eval_sets": _eval_sets(plan.eval_sets, more.eval_sets),
            "variants": {**resolved(tables, _other(models, plan)), **plan.variants},
        }
    )
    _demand_more(plan, new)
    return new


def _demand_more(plan: Plan, new: Plan) -> None:
    largest = max(new.pass_k)
    if largest > new.samples_per_case:
        raise ConfigError(
            f"pass@{largest} needs at least {largest} samples per case, and the run has"
            f" {new.samples_per_case}: add --samples {largest}"
        )
    if new.digest == plan.digest:
        raise ConfigError(
            "the run has all of that already; name more --samples, --models, --variant or"
            " --eval-set, or continue it with --resume"
        )


def _samples(plan: Plan, samples: int | None) -> int:
    if samples is not None and samples < plan.samples_per_case:
        raise ConfigError(
            f"the run has {plan.samples_per_case} samples per case: --samples is how many it is to"
            f" have in the end, and cannot be {samples}"
        )
    return samples or plan.samples_per_case


def _unchanged(plan: Plan, tables: Mapping[str, VariantTable]) -> Mapping[str, VariantTable]:
    """Return the plan's variants by name; ConfigError when the configuration has changed one."""
    for name, asked in plan.variants.items():
        if name in tables and resolve(name, tables[name]).hash != asked.hash:
            raise ConfigError(
                f"variant {name}: it is another in forgetest.toml than in the run: restore it, or"
                " give the new one a name of its own"
            )
    return dict.fromkeys(plan.variants, VariantTable())


def _models(plan: Plan, more: Additions, known: Iterable[str]) -> Iterator[ModelSpec]:
    """Yield the models of the run, then each old and new one in each variant that it lacks."""
    yield from plan.models
    asked = [model for model in plan.models if model.provider not in WITHOUT_VARIANTS]
    names = tuple(known)
    try:
        added = [variant_named(_bare(name), names) for name in more.variants]
        for model in asked:
            for variant in added:
                yield model.model_copy(update={"variant": variant})
        for name in map(_bare, more.models):
            spec = parse_model(name, names)
            alone = name != spec.plain or spec.provider in WITHOUT_VARIANTS
            ways = [spec.variant] if alone else [*(model.variant for model in asked), *added]
            for variant in ways or [None]:
                yield spec.model_copy(update={"variant": variant})
    except ValueError as error:
        raise ConfigError(str(error)) from None


def _bare(name: str) -> str:
    return name.strip().removeprefix("+")


def _other(models: Iterable[ModelSpec], plan: Plan) -> Iterator[ModelSpec]:
    """Yield the models whose variant is not in the plan."""
    return (model for model in models if model.variant not in plan.variants)


def _eval_sets(old: tuple[EvalSet, ...], new: tuple[EvalSet, ...]) -> tuple[EvalSet, ...]:
    """Return the old sets with their new cases, and the new sets."""
    by_id = {eval_set.id: eval_set for eval_set in new}
    grown = tuple(_grown(eval_set, by_id.pop(eval_set.id, None)) for eval_set in old)
    return (*grown, *by_id.values())


def _grown(old: EvalSet, new: EvalSet | None) -> EvalSet:
    known = {case.id: hash_case(case) for case in old.cases}
    added = new.cases if new else ()
    for case in added:
        if case.id in known and known[case.id] != hash_case(case):
            raise ConfigError(
                f"{case.key}: the case is another in {case.file} than in the run: an extended run"
                " asks the same; restore the case, or start a new run"
            )
    more = tuple(case for case in added if case.id not in known)
    return old.model_copy(update={"cases": (*old.cases, *more)})
