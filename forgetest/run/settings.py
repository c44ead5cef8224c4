"""What a run is asked to do: command line over configuration file over defaults."""

from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated

from pydantic import Field, field_validator, model_validator

from forgetest.errors import ConfigError
from forgetest.evalset.forms import quoted
from forgetest.extract.types import Extractor
from forgetest.grading.verdict import Outcome
from forgetest.metrics import Classification
from forgetest.sampling.plan import ModelSpec, Sampling, parse_model
from forgetest.sandbox.types import Requested
from forgetest.value import Value

Weight = Annotated[float, Field(ge=0)]
Penalty = Annotated[float, Field(ge=0, le=1)]

FAILURES = tuple(
    str(name)
    for name in (*Classification, *Outcome)
    if name not in (Classification.PASS, Outcome.PASSED)
)
"""What can be penalized: classes, then outcomes."""


class RunTable(Value):
    """`[run]` of forgetest.toml, and what the command line gives; None is "not given"."""

    eval_sets: tuple[str, ...] | None = Field(None, description="Files or folders of eval sets.")
    models: tuple[str, ...] | None = Field(None, description="Models as provider/model.")
    samples: int | None = Field(None, description="Samples per case.")
    pass_k: tuple[int, ...] | None = Field(None, description="The k of pass@k.")
    temperature: float | None = Field(None, ge=0, description="Not sent if unset.")
    top_p: float | None = Field(None, gt=0, le=1, description="Not sent if unset.")
    max_tokens: int | None = Field(None, ge=1, description="Longest completion, in tokens.")
    seed: int | None = Field(None, description="Seed of the first sample of a case.")
    parallelism: int | None = Field(None, ge=1, description="Samples graded in parallel.")
    concurrency: int | None = Field(None, ge=1, description="Parallel requests per provider.")
    timeout_secs: float | None = Field(
        None, gt=0, description="Seconds that one test may take; overrides the eval set."
    )
    extractor: Extractor | None = Field(None, description="Which code of a completion is graded.")
    sandbox: Requested | None = Field(None, description="Sandbox for generated code.")
    repeat_grading: int | None = Field(None, ge=1, description="Times that each sample is graded.")
    output: str | None = Field(None, description="Folder for run folders.")
    verdict_cache: bool | None = Field(None, description="Reuse verdicts of earlier runs.")

    def over(self, below: "RunTable") -> "RunTable":
        """Return this table, with the values of `below` for what it does not give."""
        given = {name: value for name, value in self if value is not None}
        return below.model_copy(update=given)


class CacheTable(Value):
    """`[cache]` of forgetest.toml: how much the user's cache may hold."""

    dependencies_mib: int = Field(5 * 1024, ge=0, description="Size limit of built dependencies.")
    verdicts_mib: int = Field(512, ge=0, description="Size limit of cached verdicts.")


class LatencyTable(Value):
    """`latency` of `[report]`: which request times score 1, and which 0."""

    full_secs: float = Field(ge=0, description="Requests up to this long score 1.")
    none_secs: float = Field(gt=0, description="Requests this long or longer score 0.")

    @model_validator(mode="after")
    def _in_order(self) -> "LatencyTable":
        if self.full_secs >= self.none_secs:
            raise ValueError(
                f"full_secs must be less than none_secs, not {self.full_secs:g} and"
                f" {self.none_secs:g}"
            )
        return self


class ReportTable(Value):
    """`[report]` of forgetest.toml: numbers beside the score, which never change it."""

    suite_weights: dict[str, Weight] | None = Field(
        None, description="Weight of an eval set in the overall run score; others weigh 1."
    )
    penalties: dict[str, Penalty] | None = Field(
        None, description="Cost of a failure, 0 to 1, by class or outcome; others cost 1."
    )
    latency: LatencyTable | None = Field(None, description="A score for the time of requests.")

    @field_validator("penalties")
    @classmethod
    def _known(cls, penalties: dict[str, float] | None) -> dict[str, float] | None:
        for name in penalties or {}:
            if name not in FAILURES:
                close = get_close_matches(name, FAILURES, n=1)
                hint = f"did you mean {close[0]}?" if close else f"use {', '.join(FAILURES)}"
                raise ValueError(f"unknown failure {quoted(name)}; {hint}")
        return penalties

    @property
    def asked(self) -> "ReportTable | None":
        """The table, or None where it asks for nothing."""
        return self if any(value is not None for _, value in self) else None


class Settings(Value):
    """A complete request for a run."""

    eval_sets: tuple[Path, ...]
    models: tuple[ModelSpec, ...]
    samples: int
    pass_k: tuple[int, ...]
    sampling: Sampling
    parallelism: int
    concurrency: int | None
    timeout_secs: float | None
    extractor: Extractor
    output: Path


def settle(table: RunTable, *, cores: int) -> Settings:
    """Return the settings with defaults filled in; ConfigError when they make no run."""
    ks = _ks(table.pass_k or (1,))
    return Settings(
        eval_sets=_paths(table.eval_sets),
        models=_models(table.models),
        samples=_samples(table.samples, ks),
        pass_k=ks,
        sampling=Sampling(
            temperature=table.temperature,
            top_p=table.top_p,
            max_tokens=table.max_tokens,
            seed=table.seed,
        ),
        parallelism=table.parallelism or cores,
        concurrency=table.concurrency,
        timeout_secs=table.timeout_secs,
        extractor=table.extractor or Extractor.DEFINING,
        output=Path(table.output or "runs"),
    )


def _paths(names: Sequence[str] | None) -> tuple[Path, ...]:
    if not names:
        raise ConfigError(
            "no eval set given; name one with --eval-set FILE, or create one with forgetest init"
        )
    return tuple(Path(name) for name in names)


def _models(names: Sequence[str] | None) -> tuple[ModelSpec, ...]:
    if not names:
        raise ConfigError("no model given; name one with --models, such as reference/solution")
    models: list[ModelSpec] = []
    for name in names:
        try:
            model = parse_model(name.strip())
        except ValueError as error:
            raise ConfigError(str(error)) from None
        if model in models:
            raise ConfigError(f"model {name} is given twice; name each model once")
        models.append(model)
    return tuple(models)


def _ks(ks: Sequence[int]) -> tuple[int, ...]:
    wrong = [k for k in ks if k < 1]
    if wrong:
        raise ConfigError(f"pass@{wrong[0]} does not exist: k must be at least 1")
    return tuple(sorted(set(ks)))


def _samples(samples: int | None, ks: Sequence[int]) -> int:
    largest = max(ks)
    if samples is None:
        return largest
    if samples < largest:
        raise ConfigError(
            f"pass@{largest} needs at least {largest} samples per case, got {samples}:"
            f" use --samples {largest} or a smaller k"
        )
    return samples
