"""What a run may cost at most, model by model, without asking anybody."""

from forgetest.plan import ModelSpec, Plan, Sample
from forgetest.price import LOCAL, Estimate, estimate
from forgetest.prompt import render
from forgetest.runner.conduct import sampling_for
from forgetest.runner.sources import OpenSources
from forgetest.source import Draw


def estimates(plan: Plan, sources: OpenSources) -> dict[ModelSpec, Estimate]:
    """Return each model's requests and the most they can cost; unknown prices stay unknown."""
    return {model: _estimate(plan, model, sources) for model in plan.models}


def _estimate(plan: Plan, model: ModelSpec, sources: OpenSources) -> Estimate:
    draws = list(_draws(plan, model))
    preset = sources.preset(model.provider)
    if preset is not None:
        return estimate(draws, preset)
    return Estimate(requests=len(draws), input_tokens=0, output_tokens=0, cost=LOCAL)


def _draws(plan: Plan, model: ModelSpec) -> list[Draw]:
    return [
        Draw(
            sample=Sample(model=model, eval_set=case.eval_set, case=case.id, index=index),
            case=case,
            prompt=render(case),
            sampling=sampling_for(plan.sampling, case, index),
        )
        for index in range(plan.samples_per_case)
        for eval_set in plan.eval_sets
        for case in eval_set.cases
    ]
