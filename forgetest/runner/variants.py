"""The variants of forgetest.toml: tables that become ways of asking.

A variant is resolved when a run is planned: its files are read and its examples are rendered, so
that the plan holds all that is sent.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field, JsonValue, StringConstraints

from forgetest.errors import ConfigError, EvalSetError
from forgetest.evalset.forms import quoted, suggestion
from forgetest.evalset.load import load
from forgetest.evalset.types import Case
from forgetest.sampling.plan import VARIANT_NAME, ModelSpec
from forgetest.sampling.prompt import answer_text, render
from forgetest.sampling.template import names_in
from forgetest.sampling.variant import (
    DEFAULT_NAME,
    MOST_ROUNDS,
    Answer,
    Effort,
    Example,
    Feedback,
    ScoreRound,
    Variant,
)
from forgetest.value import Value

VariantName = Annotated[str, StringConstraints(pattern=f"^{VARIANT_NAME.pattern}$")]

TEXTS = ("system", "template")  # keys that hold a template, or name a file of one

_FILE = re.compile(r"\S+\.(?:md|txt|j2|jinja|jinja2|prompt)")


def _case_name(text: str) -> str:
    eval_set, _, case = text.rpartition("/")
    if not (eval_set and case):
        raise ValueError(f"{quoted(text)} is not EVAL_SET/CASE, such as starter/is-even")
    return text


CaseName = Annotated[str, AfterValidator(_case_name)]


class VariantTable(Value):
    """A way of asking; what is not set stays as it is."""

    system: str | None = Field(
        None,
        description="The system text, or a file of it (.md, .txt, .j2).",
        examples=["You write terse Rust.", "prompts/system.md"],
    )
    template: str | None = Field(
        None,
        description="The user's text, or a file of it, with {prompt}, {context}, {edition},"
        " {dependencies} and {signatures}.",
        examples=["{prompt}\n\nAnswer with code alone.", "prompts/terse.md"],
    )
    examples: tuple[CaseName, ...] | None = Field(
        None,
        description="Cases that are shown with their solutions, as EVAL_SET/CASE.",
        examples=[["starter/is-even"]],
    )
    temperature: float | None = Field(
        None, ge=0, description="Sampling temperature, over the run's.", examples=[0.2]
    )
    top_p: float | None = Field(
        None, gt=0, le=1, description="Nucleus sampling, over the run's.", examples=[0.95]
    )
    max_tokens: int | None = Field(
        None, ge=1, description="Token limit, over the run's and the case's.", examples=[2048]
    )
    stop: tuple[str, ...] | None = Field(
        None, description="Texts that end a completion.", examples=[["\n// END"]]
    )
    reasoning_effort: Effort | None = Field(
        None, description="How much the model thinks.", examples=["low"]
    )
    thinking_tokens: int | None = Field(
        None,
        ge=1,
        description="Tokens to think with, where a protocol counts them.",
        examples=[4096],
    )
    extra_body: dict[str, JsonValue] | None = Field(
        None, description="Extra fields of each request.", examples=[{"top_k": 40}]
    )
    answer: Answer | None = Field(
        None, description="The form in which the code is asked for.", examples=["tool"]
    )
    rounds: int | None = Field(
        None,
        ge=1,
        le=MOST_ROUNDS,
        description="Answers of a sample at most; each later one is told what was wrong.",
        examples=[3],
    )
    feedback: Feedback | None = Field(
        None, description="What is shown of the last answer.", examples=["compiler"]
    )
    score_round: ScoreRound | None = Field(
        None, description="The round that a sample is scored by.", examples=["last"]
    )


def resolved(tables: Mapping[str, VariantTable], models: Iterable[ModelSpec]) -> dict[str, Variant]:
    """Return the variants in which the models are asked, by name, with all that they send.

    ConfigError names the variant and the key that cannot be used.
    """
    names = dict.fromkeys(model.variant for model in models if model.variant is not None)
    return {name: resolve(name, tables[name]) for name in names}


def resolve(name: str, table: VariantTable) -> Variant:
    """Return a variant with its files read and its examples rendered; ConfigError if one is not."""
    given = {key: value for key, value in table if value is not None}
    for key in TEXTS:
        if key in given:
            given[key] = _text(name, key, given[key])
    given.pop("examples", None)
    variant = Variant.model_validate(given)
    examples = tuple(_example(name, case, variant) for case in table.examples or ())
    return variant.model_copy(update={"examples": examples})


def table_problems(name: str, table: VariantTable) -> Iterator[tuple[str, str]]:
    """Yield the keys of a variant that cannot be used, each with the reason.

    An empty key stands for the whole variant. Eval sets of examples are not read.
    """
    if name == DEFAULT_NAME:
        yield "", "the default variant is how models are asked without one; choose another name"
    for key in TEXTS:
        try:
            text_of(getattr(table, key) or "")
        except ValueError as error:
            yield key, str(error)


def text_of(value: str) -> str:
    """Return the text of a key, which may name a file; ValueError unless it is a template."""
    text = value
    if _FILE.fullmatch(value):
        try:
            text = Path(value).read_text(encoding="utf-8")
        except OSError as error:
            raise ValueError(f"{value} cannot be read: {error.strerror}") from None
        except UnicodeDecodeError:
            raise ValueError(f"{value} is not UTF-8 text") from None
    try:
        names_in(text)
    except ValueError as error:
        raise ValueError(str(error) if text is value else f"{value}: {error}") from None
    return text


def _text(name: str, key: str, value: str) -> str:
    try:
        return text_of(value)
    except ValueError as error:
        raise ConfigError(f"variant {name}: {key}: {error}") from None


def _example(name: str, key: str, variant: Variant) -> Example:
    case = _case(name, key)
    if case.reference_solution is None:
        raise ConfigError(f"variant {name}: examples: {key} has no reference_solution to show")
    return Example(
        case=case.key,
        prompt=render(case, variant).user,
        answer=answer_text(case.reference_solution, case.answer_files),
    )


def _case(name: str, key: str) -> Case:
    eval_set, _, wanted = key.rpartition("/")
    try:
        cases = {case.id: case for loaded in load([Path(eval_set)]) for case in loaded.cases}
    except EvalSetError as error:
        raise ConfigError(f"variant {name}: examples: {error.problems[0]}") from None
    if wanted not in cases:
        hint = suggestion(wanted, cases)
        more = f"; {hint}" if hint else ""
        raise ConfigError(f"variant {name}: examples: {eval_set} has no case {wanted}{more}")
    return cases[wanted]
