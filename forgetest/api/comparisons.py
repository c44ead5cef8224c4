"""Two runs compared, for Python and for `forgetest compare`: what changed, and how sure that is."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from forgetest.compare.compare import compare_sides
from forgetest.compare.pair import can_map, sides_between
from forgetest.compare.read import open_compared, side_of
from forgetest.compare.side import Side
from forgetest.compare.types import (
    CompareOptions,
    Comparison,
    ComparisonVerdict,
    Evidence,
    GateResult,
)
from forgetest.errors import ConfigError
from forgetest.render.comparison.markdown import comparison_markdown
from forgetest.report.types import Report
from forgetest.run.settings import CompareTable

Run = str | Path | Report
Gate = Literal["threshold", "evidence", "either"]
Say = Callable[[str], object]


class RunComparison(Comparison):
    """What changed between two runs; the fields are those of `forgetest compare --format json`."""

    @classmethod
    def of(cls, comparison: Comparison) -> "RunComparison":
        """Return a comparison for Python."""
        return cls.model_construct(comparison.model_fields_set, **dict(comparison))

    @property
    def verdict(self) -> ComparisonVerdict:
        """Regressed, improved, same, inconclusive or not comparable; of all models together."""
        return self.finding

    @property
    def passed(self) -> bool:
        """Whether the gate passes; without a gate, it does unless the runs cannot be compared."""
        return self.gate.result is GateResult.PASSED

    @property
    def evidence(self) -> dict[str, Evidence]:
        """How likely each model's change is by chance, by the model's name in the current run."""
        return {model.current: model.evidence for model in self.models}

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON of `forgetest compare --format json`, parsed."""
        return self.model_dump(mode="json")

    def to_markdown(self) -> str:
        """Return the text of `forgetest compare --format markdown`."""
        return comparison_markdown(self)

    def __repr__(self) -> str:
        return f"<Comparison: {self.verdict}, gate {self.gate.result}>"

    def __str__(self) -> str:
        return repr(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareRequest:
    """How two runs are to be compared, on the command line or from Python."""

    table: CompareTable  # with what the configuration says
    maps: tuple[tuple[str, str], ...] = ()  # they win over those of the table
    between: tuple[str, str] | None = None  # two models of one run
    seed: int = 1
    allow_incomparable: bool = False

    @property
    def options(self) -> CompareOptions:
        """The options that the table sets, with defaults for the rest, and no maps yet."""
        values = {name: value for name, value in self.table if value is not None}
        rule = values.pop("gate", None)
        values.pop("maps", None)
        more = {"rule": rule, "seed": self.seed, "allow_incomparable": self.allow_incomparable}
        return CompareOptions.model_validate({**values, **more})


def compared(
    request: CompareRequest,
    baseline: Side,
    current: Side,
    *,
    say: Say,
    grade_again: Callable[[Side], Side] | None = None,
) -> RunComparison:
    """Return what changed from baseline to current, or `between` two models of the baseline.

    `say` hears which maps of the configuration do not fit. `grade_again` grades the baseline with
    today's toolchain. Raises PairingError for a model or map that names nothing.
    """
    if request.between is not None:
        baseline, current, maps = sides_between(baseline, request.between)
    else:
        maps = request.maps or tuple(_applicable(request.table.maps or {}, baseline, current, say))
    options = request.options.model_copy(update={"maps": maps})
    if grade_again is None:
        return RunComparison.of(compare_sides(baseline, current, options))
    again = grade_again(baseline)
    return RunComparison.of(compare_sides(again, current, options, graded_then=baseline))


def _applicable(
    maps: Mapping[str, str], old: Side, new: Side, say: Say
) -> Iterator[tuple[str, str]]:
    """Yield the maps of the configuration that fit the two runs; say which do not."""
    for pair in maps.items():
        if can_map(pair, old, new):
            yield pair
        else:
            say(f"note: maps of forgetest.toml: no {pair[0]} and {pair[1]} here")


def configured_table(file: Path) -> CompareTable:
    """Return `[compare]` of a configuration; ConfigFileError for a wrong one."""
    # Loaded here: most comparisons have no such file and must not wait for what reads it.
    from forgetest.runner.config import load_config

    return load_config(file, os.environ, tables=("compare",)).compare


def compare(  # noqa: PLR0913 - options, all of them keywords
    baseline: Run,
    current: Run | None = None,
    *,
    between: tuple[str, str] | None = None,
    gate: Gate | None = None,
    threshold: float | None = None,
    alpha: float | None = None,
    margin: float | None = None,
    allow_unscored: float | None = None,
    allow_removed: Sequence[str] | None = None,
    strict: bool | None = None,
    maps: Mapping[str, str] | None = None,
    allow_incomparable: bool = False,
    allow_incomplete: bool = False,
    seed: int = 1,
    config: str | Path | None = None,
) -> RunComparison:
    """Return what got better or worse from one run to another, and how sure that is.

    A run is a `Report`, a run folder or a report.json. With `between`, two models of one run are
    compared. The options are those of `forgetest compare`; `config` is a forgetest.toml for those
    that are not given, and no file is read without it. Raises `ForgetestError` for what cannot be
    read or paired.
    """
    given = _table(
        gate=gate,
        threshold=threshold,
        alpha=alpha,
        margin=margin,
        allow_unscored=allow_unscored,
        allow_removed=None if allow_removed is None else tuple(allow_removed),
        strict=strict,
    )
    if (current is None) == (between is None):
        raise ConfigError("compare() takes two runs, or one run and between=(A, B)")
    request = CompareRequest(
        table=given if config is None else given.over(configured_table(Path(config))),
        maps=tuple((maps or {}).items()),
        between=between,
        seed=seed,
        allow_incomparable=allow_incomparable,
    )
    old = _side(baseline, allow_incomplete=allow_incomplete)
    new = old if current is None else _side(current, allow_incomplete=allow_incomplete)
    return compared(request, old, new, say=str)


def _table(**options: Any) -> CompareTable:
    try:
        return CompareTable.model_validate(options)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise ConfigError(f"{first['loc'][0]}: {first['msg'].lower()}") from None


def _side(run: Run, *, allow_incomplete: bool) -> Side:
    if not isinstance(run, Report):
        return open_compared(str(run), allow_incomplete=allow_incomplete)
    path = getattr(run, "path", None)
    return side_of(run, file=str(path or f"the run of {run.created}"))
