"""Which samples a run draws, in which order: eval sets x models x n."""

import hashlib
import re
from collections.abc import Collection, Container, Iterator, Sequence
from difflib import get_close_matches
from typing import Literal

from pydantic import Field

from forgetest.evalset.types import Case, EvalSet, NoEffect, UnsafeRule, fields_without
from forgetest.sampling.variant import (
    DEFAULT,
    DEFAULT_NAME,
    Answer,
    Effort,
    Variant,
    unless,
)
from forgetest.value import Value

COMMANDS = "exec"  # the provider of commands
ANCHORS = "reference"  # the provider of answers that are known to be right, or wrong
WITHOUT_VARIANTS = (ANCHORS, "replay")  # they answer alike, however they are asked
VARIANT_NAME = re.compile(r"[a-z][a-z0-9_-]*")
_INDEX = re.compile(r"0|[1-9][0-9]{0,17}", re.ASCII)

# What the names of a provider's models begin with, for a name without its provider.
_FAMILIES = {"openai": ("gpt-", "o3", "o4"), "anthropic": ("claude",), "gemini": ("gemini",)}


class ModelSpec(Value):
    """`provider/model@variant`: the model, and the way it is asked.

    The provider ends at the first slash; the rest may hold slashes, colons and other `@`.
    """

    provider: str = Field(description="The part before the first slash.")
    model: str = Field(description="The rest, which may hold slashes and colons.")
    variant: str | None = Field(
        None,
        description="The way it is asked; left out for the default one.",
        exclude_if=lambda value: value is None,
    )

    def __str__(self) -> str:
        return self.plain if self.variant is None else f"{self.plain}@{self.variant}"

    @property
    def plain(self) -> str:
        """The model without the way it is asked."""
        return f"{self.provider}/{self.model}"

    @property
    def is_asked(self) -> bool:
        """Whether it answers according to how it is asked; anchors and recordings do not."""
        return self.provider not in WITHOUT_VARIANTS

    @property
    def variant_shown(self) -> str:
        """The way it is asked, for people: the default one has a name, too."""
        return self.variant or DEFAULT_NAME

    def titled(self, name: str) -> str:
        """Return a name that begins with the model's, such as `p/m@x @ run`, without the variant.

        Tables have a column for that.
        """
        return self.plain + name.removeprefix(str(self))


def unsaid(name: str) -> str:
    """Return the name of a model that somebody wrote, without `@default`, which is never said."""
    return name.removesuffix(f"@{DEFAULT_NAME}")


def is_anchor(model: str) -> bool:
    """Tell whether this is the name of an anchor: the reference solution, or a stub."""
    return model.startswith(f"{ANCHORS}/")


def is_reference(model: str) -> bool:
    """Tell whether this is the anchor that answers with the reference solution."""
    return model == f"{ANCHORS}/solution"


class Sampling(Value):
    """How completions are drawn; None means "not sent"."""

    temperature: float | None = Field(None, description="Temperature; null: not sent.")
    top_p: float | None = Field(None, description="Nucleus sampling; null: not sent.")
    max_tokens: int | None = Field(
        None, description="Longest completion, in tokens; null: the case's or the provider's."
    )
    seed: int | None = Field(
        None, description="Seed of the first sample of a case; each further one adds 1."
    )
    stop: tuple[str, ...] | None = unless(None, "Texts that end a completion.")
    reasoning_effort: Effort | None = unless(None, "How much the model thinks.")
    thinking_tokens: int | None = unless(None, "Tokens to think with.")
    answer: Literal[Answer.TOOL] | None = unless(None, "The form in which the code is asked for.")

    def of(self, variant: Variant, case: Case, index: int) -> "Sampling":
        """Return one sample's sampling: what its variant sets, its own seed and token limit.

        The variant's values win over the run's, and the run's token limit over the case's.
        """
        asked = {
            "temperature": variant.temperature,
            "top_p": variant.top_p,
            "max_tokens": variant.max_tokens or self.max_tokens or case.max_tokens,
            "seed": None if self.seed is None else self.seed + index,
            "stop": variant.stop or None,
            "reasoning_effort": variant.reasoning_effort,
            "thinking_tokens": variant.thinking_tokens,
            "answer": None if variant.answer is Answer.TEXT else variant.answer,
        }
        return self.model_copy(
            update={key: set_ for key, set_ in asked.items() if set_ is not None}
        )


class Sample(Value):
    """One planned draw."""

    model: ModelSpec
    eval_set: str
    case: str
    index: int  # 0-based among the case's n samples

    @property
    def key(self) -> str:
        """The sample's identity in the journal; slashes of model names are kept."""
        return f"{self.model}|{self.eval_set}/{self.case}|{self.index}"


class Plan(Value):
    """All samples of a run, in order; `digest` tells whether a resumed run is the same run."""

    models: tuple[ModelSpec, ...]
    samples_per_case: int
    pass_k: tuple[int, ...]
    sampling: Sampling
    eval_sets: tuple[EvalSet, ...]
    recorded: dict[str, int] = Field(default_factory=dict)  # `model|set/case` -> its own n
    variants: dict[str, Variant] = unless({}, "The ways of asking that models are asked in.")
    conversations: dict[str, Variant] = unless({}, "The rounds that recordings hold, by model.")

    @property
    def digest(self) -> str:
        """A hex SHA-256 over what decides which completions are asked for, wherever files lie."""
        cases = (case for eval_set in self.eval_sets for case in eval_set.cases)
        left_out = fields_without(NoEffect.ON_PLAN)
        if all(case.unsafe is UnsafeRule.ALLOW for case in cases):
            left_out.add("unsafe")  # plans from before there was such a rule keep their digest
        case_places = {"__all__": left_out}
        hashed = self.model_dump_json(
            exclude={"eval_sets": {"__all__": {"file": True, "cases": case_places}}}
        )
        return hashlib.sha256(hashed.encode()).hexdigest()

    def count(self, model: ModelSpec, case: str) -> int:
        """Return n of one model and `set/case`; recordings may hold more of one than another."""
        return self.recorded.get(f"{model}|{case}", self.samples_per_case)

    def variant(self, model: ModelSpec) -> Variant:
        """Return the way in which a model of the plan is asked."""
        if model.variant is None:
            return self.conversations.get(str(model), DEFAULT)
        return self.variants[model.variant]

    @property
    def size(self) -> int:
        """Samples of all models."""
        return sum(map(self.size_of, self.models))

    def size_of(self, model: ModelSpec) -> int:
        """Return the samples of one model."""
        cases = (case for eval_set in self.eval_sets for case in eval_set.cases)
        return sum(self.count(model, case.key) for case in cases)

    def samples(self) -> Iterator[Sample]:
        """Yield every sample: index by index, so that each case has an early result."""
        return self._samples(self.models)

    def samples_of(self, model: ModelSpec) -> Iterator[Sample]:
        """Yield the samples of one model, in the order of the plan."""
        return self._samples((model,))

    def _samples(self, models: Sequence[ModelSpec]) -> Iterator[Sample]:
        most = max((self.samples_per_case, *self.recorded.values()))
        return (
            Sample(model=model, eval_set=eval_set.id, case=case.id, index=index)
            for index in range(most)
            for eval_set in self.eval_sets
            for case in eval_set.cases
            for model in models
            if index < self.count(model, case.key)
        )


def parse_model(text: str, variants: Collection[str] = ()) -> ModelSpec:
    """Split `provider/model@variant`; ValueError when a part is missing, or no such variant exists.

    What follows the last `@` is a variant when it looks like a name: models have dates there, and
    paths.
    """
    provider, slash, model = text.partition("/")
    if not (provider and slash and model):
        close = next((start for start, name in _FAMILIES.items() if text.startswith(name)), None)
        meant = f"did you mean {close}/{text}?" if close else "such as ollama/qwen3:8b"
        raise ValueError(f"model {text!r} is not provider/model; {meant}")
    asked, at, variant = model.rpartition("@")
    if provider in WITHOUT_VARIANTS or not (asked and at and VARIANT_NAME.fullmatch(variant)):
        return ModelSpec(provider=provider, model=model)
    return ModelSpec(provider=provider, model=asked, variant=variant_named(variant, variants))


def variant_named(name: str, variants: Collection[str]) -> str | None:
    """Return the variant, None for the default one; ValueError when it does not exist."""
    if name == DEFAULT_NAME:
        return None
    if name not in variants:
        close = get_close_matches(name, (DEFAULT_NAME, *variants), n=1)
        meant = f"did you mean {close[0]}? Or add" if close else "add"
        raise ValueError(
            f"there is no variant {name!r}; {meant} [variants.{name}] to forgetest.toml"
        )
    return name


class SampleKeys(Container[str]):
    """The keys of a plan's samples, of which none is held."""

    def __init__(self, plan: Plan) -> None:
        self._models = {str(model): model for model in plan.models}
        self._cases = {case.key for eval_set in plan.eval_sets for case in eval_set.cases}
        self._plan = plan

    def __contains__(self, key: object) -> bool:
        """Tell whether the plan has a sample of this key."""
        named, _, index = str(key).rpartition("|")
        name, _, case = named.rpartition("|")
        if name not in self._models or case not in self._cases or not _INDEX.fullmatch(index):
            return False
        return int(index) < self._plan.count(self._models[name], case)
