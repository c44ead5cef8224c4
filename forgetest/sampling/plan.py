"""Which samples a run draws, in which order: eval sets x models x n."""

import hashlib
from collections.abc import Collection, Sequence

from pydantic import Field

from forgetest.evalset.types import EvalSet, NoEffect, UnsafeRule, fields_without
from forgetest.value import Value

ANCHORS = "reference"  # the provider of answers that are known to be right, or wrong


# What the names of a provider's models begin with, for a name without its provider.
_FAMILIES = {"openai": ("gpt-", "o3", "o4"), "anthropic": ("claude",), "gemini": ("gemini",)}


class ModelSpec(Value):
    """`provider/model`, split at the first slash; the rest may hold slashes and colons."""

    provider: str = Field(description="The part before the first slash.")
    model: str = Field(description="The rest, which may hold slashes and colons.")

    def __str__(self) -> str:
        return f"{self.provider}/{self.model}"


def is_anchor(model: str) -> bool:
    """Tell whether this is the name of an anchor: the reference solution, or a stub."""
    return model.startswith(f"{ANCHORS}/")


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

    def samples(self) -> list[Sample]:
        """Return every sample: index by index, so that each case has an early result."""
        most = max((self.samples_per_case, *self.recorded.values()))
        return [
            Sample(model=model, eval_set=eval_set.id, case=case.id, index=index)
            for index in range(most)
            for eval_set in self.eval_sets
            for case in eval_set.cases
            for model in self.models
            if index < self.count(model, case.key)
        ]


def parse_model(text: str) -> ModelSpec:
    """Split `provider/model` at the first slash; ValueError when a part is missing."""
    provider, slash, model = text.partition("/")
    if not (provider and slash and model):
        close = next((start for start, name in _FAMILIES.items() if text.startswith(name)), None)
        meant = f"did you mean {close}/{text}?" if close else "such as ollama/qwen3:8b"
        raise ValueError(f"model {text!r} is not provider/model; {meant}")
    return ModelSpec(provider=provider, model=model)


def remaining(samples: Sequence[Sample], settled: Collection[str]) -> list[Sample]:
    """Return the samples whose keys are not settled, in plan order."""
    return [sample for sample in samples if sample.key not in settled]
