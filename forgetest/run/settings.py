"""What a run is asked to do: command line over configuration file over defaults."""

import re
from collections.abc import Collection, Iterator, Sequence
from decimal import Decimal
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, field_validator, model_validator
from pydantic_core import PydanticCustomError

from forgetest.errors import ConfigError
from forgetest.evalset.forms import quoted
from forgetest.extract.types import Extractor
from forgetest.grading.verdict import Outcome
from forgetest.metrics import Classification
from forgetest.sampling.plan import (
    WITHOUT_VARIANTS,
    ModelSpec,
    Sampling,
    parse_model,
    variant_named,
)
from forgetest.sandbox.types import Requested
from forgetest.value import Value

Weight = Annotated[float, Field(ge=0)]
Penalty = Annotated[float, Field(ge=0, le=1)]

_GRADE_ON = re.compile(r"local:[1-9][0-9]{0,3}|[a-z]+://[^\s/]+:[0-9]+/?")


def _place(name: str) -> str:
    if not _GRADE_ON.fullmatch(name):
        raise PydanticCustomError(
            "grade_on",
            "must be a Dask scheduler, such as tcp://10.0.0.7:8786, or local:N, not {name}",
            {"name": name},
        )
    return name


GradeOn = Annotated[str, AfterValidator(_place)]  # where samples are graded

FAILURES = tuple(
    str(name)
    for name in (*Classification, *Outcome)
    if name not in (Classification.PASS, Outcome.PASSED)
)
"""What can be penalized: classes, then outcomes."""


class RunTable(Value):
    """What a run asks for and how it grades; the command line wins over it."""

    eval_sets: tuple[str, ...] | None = Field(
        None,
        description="Files or folders of eval sets, or names of shipped sets.",
        examples=[["eval-sets", "rust-basics"]],
    )
    models: tuple[str, ...] | None = Field(
        None,
        description="Models as provider/model.",
        examples=[["ollama/qwen3:8b", "reference/solution"]],
    )
    variants: tuple[str, ...] | None = Field(
        None,
        description="Variants in which all models are asked, of [variants]. Default: default.",
        examples=[["default", "terse"]],
    )
    samples: int | None = Field(
        None, ge=1, description="Samples per case. Default: the largest k of pass_k.", examples=[10]
    )
    pass_k: tuple[int, ...] | None = Field(
        None, description="Values of k for pass@k. Default: 1.", examples=[[1, 5]]
    )
    temperature: float | None = Field(
        None, ge=0, description="Sampling temperature; not sent if unset.", examples=[0.8]
    )
    top_p: float | None = Field(
        None, gt=0, le=1, description="Nucleus sampling; not sent if unset.", examples=[0.95]
    )
    max_tokens: int | None = Field(
        None, ge=1, description="Maximum length of a completion, in tokens.", examples=[4096]
    )
    seed: int | None = Field(
        None,
        description="Seed of the first sample of a case; each further sample adds 1.",
        examples=[1],
    )
    parallelism: int | None = Field(
        None, ge=1, description="Samples graded in parallel. Default: CPU cores.", examples=[4]
    )
    concurrency: int | None = Field(
        None, ge=1, description="Requests sent in parallel to each provider.", examples=[8]
    )
    timeout_secs: float | None = Field(
        None, gt=0, description="Time limit of each test; overrides the eval set.", examples=[30]
    )
    extractor: Extractor | None = Field(
        None,
        description="Which code blocks of a completion are graded. Default: defining.",
        examples=["last"],
    )
    sandbox: Requested | None = Field(
        None, description="Sandbox for generated code. Default: auto.", examples=["bwrap"]
    )
    repeat_grading: int | None = Field(
        None,
        ge=1,
        description="How often each sample is graded; verdicts that differ make it unsteady.",
        examples=[3],
    )
    max_cost: float | None = Field(
        None,
        gt=0,
        description="US dollars; once the known cost reaches it, no more requests are sent.",
        examples=[5],
    )
    output: str | None = Field(
        None, description="Folder for new run folders. Default: runs.", examples=["runs"]
    )
    grade_on: GradeOn | None = Field(
        None,
        description="Where to grade: a Dask scheduler, or local:N for N processes. Default: here.",
        examples=["tcp://10.0.0.7:8786", "local:4"],
    )
    verdict_cache: bool | None = Field(
        None, description="Whether verdicts of earlier runs are reused.", examples=[False]
    )

    def over(self, below: "RunTable") -> "RunTable":
        """Return this table, with the values of `below` for what it does not give."""
        given = {name: value for name, value in self if value is not None}
        return below.model_copy(update=given)

    @property
    def runs_folder(self) -> Path:
        """The folder for run folders."""
        return Path(self.output or "runs")


class CompareTable(Value):
    """How two runs are compared and what fails the gate; the command line wins over it."""

    gate: Literal["threshold", "evidence", "either"] | None = Field(
        None,
        description="Fail on a regression by this rule. Default: no gate.",
        examples=["evidence"],
    )
    threshold: float | None = Field(
        None,
        ge=0,
        le=1,
        description="Tolerated drop of a case's mean score. Default: 0.05.",
        examples=[0.1],
    )
    alpha: float | None = Field(
        None,
        gt=0,
        lt=1,
        description="Significance level: accepted risk of a false alarm. Default: 0.05.",
        examples=[0.01],
    )
    margin: float | None = Field(
        None,
        ge=0,
        le=1,
        description="Tolerated drop of the pass rate, for the evidence rule. Default: 0.",
        examples=[0.02],
    )
    allow_unscored: float | None = Field(
        None,
        ge=0,
        le=1,
        description="Share of samples that may be unscored or missing. Default: 0.",
        examples=[0.02],
    )
    allow_removed: tuple[str, ...] | None = Field(
        None,
        description="Cases that may be missing from the new run: id, set/case or glob.",
        examples=[["rust-basics/memo"]],
    )
    strict: bool | None = Field(
        None,
        description="Whether an inconclusive result or a changed case fails. Default: false.",
        examples=[True],
    )
    maps: dict[str, str] | None = Field(
        None,
        description="New names of models and eval sets, by their old names.",
        examples=[{"openai/gpt-a": "openai/gpt-b"}],
    )

    def over(self, below: "CompareTable") -> "CompareTable":
        """Return this table, with the values of `below` for what it does not give."""
        given = {name: value for name, value in self if value is not None}
        return below.model_copy(update=given)


class CacheTable(Value):
    """Size limits of the user's cache folder; what was used least recently goes first."""

    dependencies_mib: int = Field(
        5 * 1024, ge=0, description="Size limit of built dependencies, in MiB.", examples=[2048]
    )
    verdicts_mib: int = Field(
        512, ge=0, description="Size limit of cached verdicts, in MiB.", examples=[256]
    )


class LatencyTable(Value):
    """Which request times score 1, and which 0."""

    full_secs: float = Field(
        ge=0, description="Requests up to this many seconds score 1.", examples=[2]
    )
    none_secs: float = Field(
        gt=0, description="Requests of this many seconds or more score 0.", examples=[30]
    )

    @model_validator(mode="after")
    def _in_order(self) -> "LatencyTable":
        if self.full_secs >= self.none_secs:
            raise ValueError(
                f"full_secs must be less than none_secs, not {self.full_secs:g} and"
                f" {self.none_secs:g}"
            )
        return self


class ReportTable(Value):
    """Extra numbers in the report, which never change the score."""

    suite_weights: dict[str, Weight] | None = Field(
        None,
        description="Weight of an eval set in the overall run score; others weigh 1.",
        examples=[{"rust-basics": 2}],
    )
    penalties: dict[str, Penalty] | None = Field(
        None,
        description="Cost of a failure, 0 to 1, by class or outcome; others cost 1.",
        examples=[{"refusal": 0.5}],
    )
    latency: LatencyTable | None = Field(
        None,
        description="A score for the time of requests.",
        examples=[{"full_secs": 2, "none_secs": 30}],
    )

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
    max_cost_usd: Decimal | None
    output: Path


def merged(options: RunTable, file: RunTable) -> tuple[RunTable, tuple[str, ...]]:
    """Return the command line over the file, and what of the file gave way to it, in sentences.

    Only where the two together make no run: a k of one that needs more samples than the other has.
    """
    table = options.over(file)
    largest = max(table.pass_k or (1,))
    if table.samples is None or table.samples >= largest:
        return table, ()
    if options.samples is None and options.pass_k is not None:
        note = (
            f"{largest} samples per case, not the {table.samples} of the configuration:"
            f" pass@{largest} needs them"
        )
        return table.model_copy(update={"samples": largest}), (note,)
    if options.samples is not None and options.pass_k is None:
        ks = tuple(sorted({min(k, table.samples) for k in table.pass_k or ()}))
        note = (
            f"pass@{largest} of the configuration needs {largest} samples per case: with"
            f" --samples {table.samples} the report has {_pass_at(ks)}"
        )
        return table.model_copy(update={"pass_k": ks}), (note,)
    return table, ()


def _pass_at(ks: Sequence[int]) -> str:
    return " and ".join(f"pass@{k}" for k in ks)


def settle(table: RunTable, *, cores: int, variants: Collection[str] = ()) -> Settings:
    """Return the settings with defaults filled in; ConfigError when they make no run.

    `variants` are the names of those that exist.
    """
    ks = _ks(table.pass_k or (1,))
    return Settings(
        eval_sets=eval_set_paths(table.eval_sets),
        models=_models(table.models, table.variants or (), variants),
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
        max_cost_usd=None if table.max_cost is None else exact_usd(table.max_cost),
        output=table.runs_folder,
    )


def exact_usd(dollars: float) -> Decimal:
    """Return the amount that was written, such as 0.1, and not its nearest binary fraction."""
    return Decimal(str(dollars))


def eval_set_paths(names: Sequence[str] | None) -> tuple[Path, ...]:
    """Return the files, folders or names of shipped sets; ConfigError without any."""
    if not names:
        raise ConfigError(
            "no eval set given; name a file or a shipped set (forgetest sets) with --eval-set, or"
            " create one with forgetest init"
        )
    return tuple(Path(name) for name in names)


def _models(
    names: Sequence[str] | None, asked: Sequence[str], known: Collection[str]
) -> tuple[ModelSpec, ...]:
    """Return the models, each in all variants that are asked for unless it names its own."""
    if not names:
        raise ConfigError(
            "no model given: add --models PROVIDER/MODEL, such as ollama/qwen3:8b, or set models"
            " under [run] in forgetest.toml, or write a configuration that runs as it is with"
            " forgetest init"
        )
    models: list[ModelSpec] = []
    try:
        variants = [variant_named(name.strip(), known) for name in asked]
        for name in names:
            for model in _in_variants(name.strip(), variants, known):
                if model in models:
                    raise ConfigError(f"model {model} is given twice; name each model once")
                models.append(model)
    except ValueError as error:
        raise ConfigError(str(error)) from None
    return tuple(models)


def _in_variants(
    name: str, variants: Sequence[str | None], known: Collection[str]
) -> Iterator[ModelSpec]:
    """Yield a model in each variant, or in the one that its name ends with."""
    model = parse_model(name, known)
    if name != model.plain or model.provider in WITHOUT_VARIANTS:
        yield model
        return
    for variant in variants or (None,):
        yield model.model_copy(update={"variant": variant})


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
