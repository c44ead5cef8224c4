"""The two anchors of an eval set, through the pipe of any model."""

import asyncio
from decimal import Decimal

import pytest

from forgetest.errors import Fault, ForgetestError
from forgetest.evalset.types import Case
from forgetest.sampling.completion import Completion, Cost, Draw, Finish
from forgetest.sampling.plan import ModelSpec, Sample, Sampling
from forgetest.sampling.prompt import render
from forgetest.sampling.reference import ReferenceSource

SOLVED = Case(
    id="add",
    eval_set="basics",
    name="Add",
    prompt="p",
    reference_solution="/// ```\npub fn add() {}\n",
)
UNSOLVED = SOLVED.model_copy(update={"id": "sub", "reference_solution": None})


def shout(source: str) -> str:
    return source.upper()


def complete(source: ReferenceSource, case: Case) -> Completion:
    model = ModelSpec(provider="reference", model=source.model)
    draw = Draw(
        sample=Sample(model=model, eval_set=case.eval_set, case=case.id, index=0),
        case=case,
        prompt=render(case),
        sampling=Sampling(),
    )
    return asyncio.run(source.complete(draw))


def test_the_solution_comes_back_as_a_free_reply_in_a_rust_block() -> None:
    assert complete(ReferenceSource("solution", shout), SOLVED) == Completion(
        text="````rust\n/// ```\npub fn add() {}\n````\n",
        finish=Finish.STOP,
        cost=Cost(usd=Decimal(0), source="local"),
        latency_secs=None,
        served_model="reference/solution",
    )


def test_the_stub_is_made_from_the_solution() -> None:
    completion = complete(ReferenceSource("stub", shout), SOLVED)

    assert completion.text == "````rust\n/// ```\nPUB FN ADD() {}\n````\n"
    assert completion.served_model == "reference/stub"


@pytest.mark.parametrize("model", ["solution", "stub"])
def test_cases_without_a_solution_are_named_before_the_run(model: str) -> None:
    source = ReferenceSource(model, shout)
    source.check([SOLVED])

    with pytest.raises(ForgetestError) as caught:
        source.check([SOLVED, UNSOLVED])

    assert str(caught.value) == (
        f'reference/{model}: no reference_solution in "basics/sub"; '
        "add one, or skip the case with --filter or --case"
    )


def test_asking_for_what_is_not_there_is_a_fault_not_an_empty_reply() -> None:
    with pytest.raises(Fault, match="basics/sub"):
        complete(ReferenceSource("solution", shout), UNSOLVED)


def test_there_are_only_two_models() -> None:
    with pytest.raises(ForgetestError, match="use reference/solution or reference/stub"):
        ReferenceSource("solutions", shout)
