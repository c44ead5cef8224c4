"""An absolute gate: what --fail-under demands of a report, and what falls short of it.

Each model has to meet each minimum. Anchors are not models: they are judged only in a run that has
nothing else. A number that a report does not know falls neither short nor is it met.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from forgetest.errors import ConfigError
from forgetest.evalset.forms import suggestion
from forgetest.report.types import Block, Metric, ModelReport, Report

ANCHOR = "reference"  # the provider of the anchors
SUITE = "suite"
_AT_K = re.compile(r"pass([@^])([1-9][0-9]*)")
_PLAIN = {  # what people write -> the field of the report
    "score": "mean_score",
    "mean_score": "mean_score",
    "pass_rate": "pass_rate",
    "compile": "compile_rate",
    "compile_rate": "compile_rate",
    "tests": "test_pass_rate",
    "test_pass_rate": "test_pass_rate",
    "lint_free": "lint_free_rate",
}
_FORM = "METRIC=NUMBER, such as pass@1=0.8 or score=70%"
NAMES = ("pass@1", "pass^1", *_PLAIN, SUITE, "overall")


@dataclass(frozen=True, slots=True)
class Minimum:
    """The least that a metric may be, from 0 to 1."""

    metric: str  # as the user wrote it
    least: Decimal
    suite: str | None = None  # of `suite:NAME`


@dataclass(frozen=True, slots=True)
class Shortfall:
    """A minimum that a model does not meet; `value` is None where the report does not know it."""

    model: str
    metric: str
    least: Decimal
    value: float | None
    reason: str | None = None  # why there is no value


def parse_minimum(text: str) -> Minimum:
    """Return the minimum of `pass@1=0.8`; ConfigError for a metric or number that is none."""
    metric, sign, number = (part.strip() for part in text.partition("="))
    name, _, suite = metric.partition(":")
    known = metric in NAMES or _AT_K.fullmatch(metric) or (name == SUITE and suite)
    if not sign or not known:
        hint = suggestion(metric, NAMES) or f"the metrics are {', '.join(NAMES)}, {SUITE}:NAME"
        raise ConfigError(f"--fail-under {text}: must be {_FORM}; {hint}")
    return Minimum(metric, _share(number, text), suite or None)


def _share(number: str, text: str) -> Decimal:
    try:
        least = Decimal(number.removesuffix("%"))
    except InvalidOperation:
        raise ConfigError(f"--fail-under {text}: must be {_FORM}") from None
    share = least / 100 if number.endswith("%") else least
    if share.is_nan() or not 0 <= share <= 1:
        raise ConfigError(f"--fail-under {text}: must be between 0 and 1, or 0 % and 100 %")
    return share


def demand_reported(
    minimums: Sequence[Minimum], *, pass_k: Sequence[int], suites: Sequence[str]
) -> None:
    """Raise ConfigError for a minimum of a k, or of an eval set, that a report does not have."""
    for minimum in minimums:
        at_k = _AT_K.fullmatch(minimum.metric)
        if at_k and int(at_k[2]) not in pass_k:
            raise ConfigError(
                f"--fail-under {minimum.metric}: the report has no k = {at_k[2]}: add"
                f" --pass-k {at_k[2]}"
            )
        if minimum.suite is not None and minimum.suite not in suites:
            hint = suggestion(minimum.suite, suites) or f"the eval sets are {', '.join(suites)}"
            raise ConfigError(f"--fail-under {minimum.metric}: no such eval set; {hint}")


def shortfalls(report: Report, minimums: Sequence[Minimum]) -> tuple[Shortfall, ...]:
    """Return what falls short or is unknown, model by model."""
    demand_reported(
        minimums, pass_k=report.pass_k, suites=[eval_set.id for eval_set in report.eval_sets]
    )
    return tuple(
        Shortfall(str(model.model), name, minimum.least, metric.value, metric.reason)
        for model in judged_models(report)
        for minimum in minimums
        for name, metric in _values(model, minimum)
        if metric.value is None or Decimal(str(metric.value)) < minimum.least
    )


def judged_models(report: Report) -> tuple[ModelReport, ...]:
    """Return the models that have to meet minimums: all but the anchors, where there are others."""
    models = tuple(model for model in report.models if model.model.provider != ANCHOR)
    return models or report.models


def _values(model: ModelReport, minimum: Minimum) -> Iterator[tuple[str, Metric]]:
    """Yield the numbers that a minimum is of, by name: one, or one for each eval set."""
    if minimum.suite is not None:
        yield minimum.metric, model.suites[minimum.suite].pass_rate
    elif minimum.metric == SUITE:
        yield from ((f"{SUITE}:{name}", block.pass_rate) for name, block in model.suites.items())
    elif minimum.metric == "overall":
        value = model.overall_macro
        yield "overall", Metric(value=value, reason="no scored samples" if value is None else None)
    else:
        yield minimum.metric, _of_block(model.overall, minimum.metric)


def _of_block(block: Block, metric: str) -> Metric:
    at_k = _AT_K.fullmatch(metric)
    if at_k is None:
        value: Metric = getattr(block, _PLAIN[metric])
        return value
    return (block.pass_at_k if at_k[1] == "@" else block.pass_hat_k)[at_k[2]]
