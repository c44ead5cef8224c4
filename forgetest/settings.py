"""What a run is asked to do: command line over configuration file over defaults."""

from collections.abc import Sequence
from pathlib import Path

from pydantic import Field

from forgetest.errors import ConfigError
from forgetest.extract import Extractor
from forgetest.plan import ModelSpec, Sampling, parse_model
from forgetest.sandbox.types import Requested
from forgetest.value import Value


class RunTable(Value):
    """`[run]` of forgetest.toml, and what the command line gives; None is "not said"."""

    eval_sets: tuple[str, ...] | None = Field(None, description="Files or folders of eval sets.")
    models: tuple[str, ...] | None = Field(None, description="Models as provider/model.")
    samples: int | None = Field(None, description="Samples per case.")
    pass_k: tuple[int, ...] | None = Field(None, description="The k of pass@k.")
    temperature: float | None = Field(None, ge=0, description="Not sent if unset.")
    top_p: float | None = Field(None, gt=0, le=1, description="Not sent if unset.")
    max_tokens: int | None = Field(None, ge=1, description="Longest completion, in tokens.")
    seed: int | None = Field(None, description="Seed of the first sample of a case.")
    parallelism: int | None = Field(None, ge=1, description="Graders at work at once.")
    concurrency: int | None = Field(None, ge=1, description="Requests at once, per provider.")
    timeout_secs: float | None = Field(None, gt=0, description="Over the eval set's own.")
    extractor: Extractor | None = Field(None, description="Which code of a completion counts.")
    sandbox: Requested | None = Field(None, description="What holds generated code.")
    repeat_grading: int | None = Field(None, ge=1, description="Gradings of each sample.")
    output: str | None = Field(None, description="Where run folders go.")
    verdict_cache: bool | None = Field(None, description="Use verdicts of earlier runs.")

    def over(self, below: "RunTable") -> "RunTable":
        """Return this table with `below` where this one says nothing."""
        said = {name: value for name, value in self if value is not None}
        return below.model_copy(update=said)


class CacheTable(Value):
    """`[cache]` of forgetest.toml: how much the user's cache may hold."""

    dependencies_mib: int = Field(5 * 1024, ge=0, description="Of built dependencies.")
    verdicts_mib: int = Field(512, ge=0, description="Of verdicts.")


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
        raise ConfigError("no eval set given; name one with --eval-set FILE, or run forgetest init")
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
            raise ConfigError(f"model {name} is named twice; each model is asked once")
        models.append(model)
    return tuple(models)


def _ks(ks: Sequence[int]) -> tuple[int, ...]:
    wrong = [k for k in ks if k < 1]
    if wrong:
        raise ConfigError(f"pass@{wrong[0]} does not exist: k counts samples, from 1 on")
    return tuple(sorted(set(ks)))


def _samples(samples: int | None, ks: Sequence[int]) -> int:
    largest = max(ks)
    if samples is None:
        return largest
    if samples < largest:
        raise ConfigError(
            f"{samples} samples can not give pass@{largest}: draw at least {largest} with"
            f" --samples {largest}, or ask for a smaller k"
        )
    return samples
