"""Variants: what they change, how they are named, and that the default one leaves no trace."""

import pytest

from forgetest.evalset.types import Case, EvalSet
from forgetest.sampling.completion import Turn
from forgetest.sampling.plan import ModelSpec, Plan, Sample, Sampling, parse_model
from forgetest.sampling.prompt import draw_of, render
from forgetest.sampling.variant import DEFAULT, Example, Variant

CASE = Case(id="add", eval_set="s", name="Add", prompt="Write `add`.", max_tokens=50)
TERSE = Variant(system="Terse.", template="{prompt} Code alone.", temperature=0.1, stop=("//",))
PLAIN = ModelSpec(provider="openai", model="m")


def plan(*variants: str | None, **given: Variant) -> Plan:
    return Plan(
        models=tuple(PLAIN.model_copy(update={"variant": variant}) for variant in variants),
        samples_per_case=1,
        pass_k=(1,),
        sampling=Sampling(temperature=0.8, seed=7),
        eval_sets=(EvalSet(id="s", name="S", cases=(CASE,)),),
        variants=given,
    )


@pytest.mark.parametrize(
    ("text", "model", "variant"),
    [
        ("openai/m", "m", None),
        ("openai/m@terse", "m", "terse"),
        ("openai/m@default", "m", None),
        ("vertex/claude@20250514", "claude@20250514", None),
        ("cloudflare/@cf/meta/llama", "@cf/meta/llama", None),
        ("cloudflare/@cf/meta/llama@terse", "@cf/meta/llama", "terse"),
        ("reference/solution@terse", "solution@terse", None),
    ],
)
def test_the_name_of_a_model_may_end_with_its_variant(
    text: str, model: str, variant: str | None
) -> None:
    spec = parse_model(text, ["terse"])

    assert (spec.model, spec.variant) == (model, variant)
    assert str(spec) == text.removesuffix("@default")
    assert str(spec).startswith(spec.plain)


def test_a_variant_that_does_not_exist_is_refused() -> None:
    with pytest.raises(
        ValueError, match=r"there is no variant 'ters'; did you mean terse\? Or add"
    ):
        parse_model("openai/m@ters", ["terse"])
    with pytest.raises(ValueError, match=r"add \[variants.other\] to forgetest.toml"):
        parse_model("openai/m@other")


def test_the_default_variant_leaves_no_trace() -> None:
    assert DEFAULT.model_dump() == {}
    assert "variant" not in plan(None).model_dump_json()
    assert plan(None).digest != plan("terse", terse=TERSE).digest


def test_a_variant_is_known_by_all_that_it_changes() -> None:
    changed = TERSE.model_copy(update={"rounds": 2})

    assert TERSE.hash == Variant.model_validate_json(TERSE.model_dump_json()).hash
    assert len({DEFAULT.hash, TERSE.hash, changed.hash}) == 3
    assert plan("a", a=TERSE).digest != plan("a", a=changed).digest


def test_a_variant_sets_texts_and_sampling() -> None:
    planned = plan("terse", terse=TERSE)
    sample = Sample(model=planned.models[0], eval_set="s", case="add", index=2)

    draw = draw_of(planned, sample, CASE)

    assert sample.key == "openai/m@terse|s/add|2"
    assert (draw.prompt.system, draw.prompt.user) == ("Terse.", "Write `add`. Code alone.")
    assert draw.sampling == Sampling(temperature=0.1, seed=9, max_tokens=50, stop=("//",))
    assert draw.variant == TERSE


def test_a_system_text_alone_keeps_the_question() -> None:
    prompt = render(CASE, Variant(system=""))

    assert prompt.system == ""
    assert prompt.user == render(CASE).user


def test_examples_stand_before_the_question_unless_they_answer_it() -> None:
    other = Example(case="s/mul", prompt="Write `mul`.", answer="```rust\n```")
    own = Example(case="s/add", prompt="Write.", answer="!")
    same_text = Example(case="t/add", prompt=render(CASE).user, answer="!")

    prompt = render(CASE, Variant(examples=(own, other, same_text)))

    assert prompt.turns == (
        Turn(role="user", text="Write `mul`."),
        Turn(role="assistant", text="```rust\n```"),
        Turn(role="user", text=prompt.user),
    )
