"""Prompts that give a case's answer away, leave its question out, or are too long."""

import pytest
from program import ROOT

from forgetest.check.prompts import known_context, plan_findings, prompt_findings
from forgetest.check.summary import totals
from forgetest.check.types import PromptFault, PromptFinding, Validation
from forgetest.evalset.load import load
from forgetest.evalset.types import Case, ContextFile, EvalSet, Expectations
from forgetest.render.checking import validation_markdown
from forgetest.render.prompt import finding_lines
from forgetest.run.manifest import ToolchainInfo
from forgetest.sampling.plan import ModelSpec, Plan, Sampling
from forgetest.sampling.prompt import fenced, render
from forgetest.sampling.providers.presets import PRESETS, Preset
from forgetest.sampling.variant import Example, Variant

SOLUTION = """
pub fn clamp_sum(numbers: &[u8]) -> u8 {
    // 255 is the most
    numbers.iter().fold(0, |sum: u8, &number| sum.saturating_add(number))
}
"""
TESTS = """
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_sums_stop() {
        assert_eq!(clamp_sum(&[200, 200]), 255);
    }
}
"""
CASE = Case(
    id="sum",
    eval_set="s",
    name="Sum",
    prompt="Write `pub fn clamp_sum(numbers: &[u8]) -> u8`,\nas `clamp_sum(&[1, 2])` is 3.",
    reference_solution=SOLUTION,
    expectations=Expectations(test_file=TESTS, expected_functions=("clamp_sum",)),
)


def faults(variant: Variant, case: Case = CASE) -> list[PromptFault]:
    return [finding.fault for finding in prompt_findings(case, {"v": variant})]


@pytest.mark.parametrize(
    "shown",
    [
        SOLUTION,
        TESTS.replace("    ", "\t"),  # white space means nothing
        "as in numbers.iter().fold(0, |sum: u8, &number| sum\n  .saturating_add(number))",
        "for clamp_sum(&[200, 200]) it is 255",
        "assert_eq!( clamp_sum(&[200, 200]), 255 );",
    ],
)
def test_a_prompt_that_shows_code_of_tests_or_solution_is_found(shown: str) -> None:
    variant = Variant(system=f"{{% raw %}}{shown}{{% endraw %}}")

    expected = {
        "assert_eq": [PromptFault.TESTS],
        "fold": [PromptFault.SOLUTION],
        "it is": [],  # values alone are no code of the tests
    }
    (wanted,) = (fault for word, fault in expected.items() if word in shown)
    assert faults(variant) == wanted


@pytest.mark.parametrize(
    "template",
    [
        "{prompt}",
        "{prompt}\n{signatures}\n{context}",
        "{{ prompt | indent(4) | upper }}",
        "{prompt}\n```rust\npub fn clamp_sum(numbers: &[u8]) -> u8 {\n    todo!()\n}\n```",
        "{prompt}\n#[cfg(test)]\nmod tests {\n    use super::*;\n    #[test]\n    fn it_works() {",
    ],
)
def test_signatures_and_frames_are_no_finding(template: str) -> None:
    assert faults(Variant(template=template)) == []


def test_what_the_cases_own_prompt_shows_is_no_finding() -> None:
    repair = CASE.model_copy(update={"prompt": f"Mend this:\n{SOLUTION}{TESTS}"})

    assert faults(Variant(template="{prompt} Be brief."), repair) == []


def test_a_question_or_a_context_file_that_is_left_out_is_found() -> None:
    file = ContextFile(path="src/limits.rs", content="pub const MOST: u8 = 255;")
    case = CASE.model_copy(update={"context": (file,)})

    assert faults(Variant(template="Write {signatures}"), case) == [
        PromptFault.QUESTION,
        PromptFault.CONTEXT,
    ]
    assert faults(Variant(system="Be brief."), case) == []


def test_an_example_that_is_asked_itself_is_told_and_gives_nothing_away() -> None:
    example = Example(case="s/sum", prompt=render(CASE).user, answer=fenced(SOLUTION, "rust"))

    assert faults(Variant(examples=(example,))) == [PromptFault.EXAMPLE]
    twin = example.model_copy(update={"case": "t/sum", "prompt": "Sum up."})
    assert faults(Variant(examples=(twin,))) == [PromptFault.SOLUTION]


def test_solutions_of_shipped_cases_are_found_and_those_of_others_are_no_finding() -> None:
    sets = load([ROOT / "eval-sets" / name for name in ("starter.toml", "rust-collections.toml")])
    cases = [case for eval_set in sets for case in eval_set.cases]

    def shows(code: str | None) -> Variant:
        return Variant(examples=(Example(case="x/y", prompt="?", answer=fenced(code or "")),))

    others = cases[1:] + cases[:1]
    for case, other in zip(cases, others, strict=True):
        assert faults(shows(case.reference_solution), case) == [PromptFault.SOLUTION], case.key
        assert faults(shows(case.expectations.test_file), case) == [PromptFault.TESTS], case.key
        assert faults(shows(other.reference_solution), case) == [], (case.key, other.key)


def small(context: int | None, **extra: object) -> Preset:
    return Preset.model_validate(
        {
            "name": "mine",
            "base_url": "http://127.0.0.1:1",
            "local": True,
            "max_tokens": 500,
            "context_tokens": context,
            "extra_body": extra,
        }
    )


@pytest.mark.parametrize(
    ("preset", "context"),
    [
        (small(800), 800),
        (small(None), None),
        (small(None, options={"num_ctx": 2048}), 2048),
        (PRESETS["ollama"], None),
        (PRESETS["openai"].model_copy(update={"context_tokens": 9}), 9),
    ],
)
def test_a_context_is_what_the_user_says(preset: Preset, context: int | None) -> None:
    assert known_context("m", preset) == context


def test_the_price_list_knows_contexts() -> None:
    assert known_context("gpt-4", PRESETS["openai"]) == 8192
    assert known_context("no-such-model", PRESETS["openai"]) is None


def test_a_prompt_that_exceeds_the_context_with_its_token_limit_is_found() -> None:
    long = Variant(template="{prompt}" + " word" * 150)
    model = ModelSpec(provider="mine", model="m")
    plan = Plan(
        models=(model, model.model_copy(update={"variant": "long"})),
        samples_per_case=1,
        pass_k=(1,),
        sampling=Sampling(),
        eval_sets=(EvalSet(id="s", name="S", cases=(CASE,)),),
        variants={"long": long},
    )

    (finding,) = plan_findings(plan, lambda _: small(800))

    assert (finding.variant, finding.fault) == ("long", PromptFault.LENGTH)
    assert "may exceed the 800 tokens of mine/m, as up to 500 are for the answer" in finding.message
    assert list(plan_findings(plan, lambda _: small(8000))) == []
    assert list(plan_findings(plan, lambda _: None)) == []


def test_findings_are_told_once_with_their_variants_and_first_cases() -> None:
    cases = [CASE.model_copy(update={"id": name}) for name in "abcde"]
    blind = {name: Variant(template="Write it.", top_p=p) for name, p in (("x", 0.5), ("y", 0.6))}

    (line,) = finding_lines(finding for case in cases for finding in prompt_findings(case, blind))

    assert line == (
        "variants x, y: the case's own prompt is left out; write {prompt} in the template"
        " (5 cases: s/a, s/b, s/c and 2 more)"
    )


def test_a_report_of_checks_in_markdown_has_a_list_of_bad_prompts() -> None:
    finding = PromptFinding(
        variant="x*", case="s/a", fault=PromptFault.TESTS, message="the prompt shows the tests"
    )
    check = validation(prompts=(finding,))

    assert "### Prompts\n\n- variant x\\*: the prompt shows the tests (1 case: s/a)" in (
        validation_markdown(check, survivors=0)
    )
    assert "### Prompts" not in validation_markdown(validation(), survivors=0)


def validation(*, prompts: tuple[PromptFinding, ...] = ()) -> Validation:
    """Return a check of no cases."""
    return Validation(
        forgetest="1",
        toolchain=ToolchainInfo(rustc="rustc 1", cargo="cargo 1", clippy="clippy 1"),
        sandbox="none",
        times=1,
        min_strength=None,
        secs=1.0,
        sets=(),
        totals=totals([]),
        prompts=prompts,
    )
