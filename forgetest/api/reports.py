"""A run's report for Python: report.json as typed values, a frame of its samples, its numbers."""

import json
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from pydantic import PrivateAttr

from forgetest.errors import ConfigError
from forgetest.render.formats.csv import sample_rows
from forgetest.render.markdown import report_markdown
from forgetest.render.run import ShownRun
from forgetest.report.files import dump_report, open_run
from forgetest.report.types import ModelReport, Report

Library = Literal["pandas", "polars"]


class RunReport(Report):
    """A run's results, with every sample; the fields are those of report.json."""

    _path: Path | None = PrivateAttr(None)

    @classmethod
    def read(cls, path: str | Path) -> "RunReport":
        """Return the report of a run folder or of a report.json; of an unfinished run, so far.

        Damage is named in `warnings`. Raises `ForgetestError` for what cannot be read.
        """
        return cls.of(open_run(Path(path)).report, Path(path))

    @classmethod
    def of(cls, report: Report, path: Path | None) -> "RunReport":
        """Return a report that knows where it was read from."""
        made = cls.model_construct(report.model_fields_set, **dict(report))
        made._path = path  # noqa: SLF001 - our own
        return made

    @property
    def path(self) -> Path | None:
        """The run folder, or the file that was read."""
        return self._path

    @property
    def label(self) -> str:
        """A name for people: that of the run folder, or when the run began."""
        return self.created if self._path is None else self._path.resolve().name

    def summary(self) -> dict[str, dict[str, float | None]]:
        """Return the numbers of each model by its name: rates from 0 to 1, counts, US dollars.

        What cannot be known is None; `models` has the reasons and the intervals.
        """
        return {str(model.model): _summary(model) for model in self.models}

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each planned sample, with the columns of samples.csv.

        What is not known is None. Samples are counted from 1; `passed` of an unscored one is None.
        """
        rows = sample_rows([ShownRun(self, (), self.label)])
        return [{name: _plain(cell) for name, cell in row.items()} for row in rows]

    def to_frame(self, library: Library | None = None) -> Any:
        """Return `rows()` as a DataFrame of pandas, or of polars where that alone is installed.

        `library` says which. Raises ConfigError where it is not installed.
        """
        return _FRAMES[_installed(library)](self.rows())

    def to_dict(self) -> dict[str, Any]:
        """Return report.json as parsed JSON."""
        parsed: dict[str, Any] = json.loads(dump_report(self))
        return parsed

    def to_markdown(self) -> str:
        """Return the tables of `forgetest report --format markdown`."""
        return report_markdown(self)

    def __repr__(self) -> str:
        rates = (f"{name} {_percent(row['pass_rate'])}" for name, row in self.summary().items())
        state = "" if self.complete else ", incomplete"
        return f"<Report of {self.label}: {', '.join(rates)}{state}>"

    def __str__(self) -> str:
        return repr(self)


def _summary(model: ModelReport) -> dict[str, float | None]:
    block = model.overall
    return {
        "pass_rate": block.pass_rate.value,
        **{f"pass@{k}": metric.value for k, metric in block.pass_at_k.items()},
        **{f"pass^{k}": metric.value for k, metric in block.pass_hat_k.items()},
        "mean_score": block.mean_score.value,
        "compile_rate": block.compile_rate.value,
        "test_pass_rate": block.test_pass_rate.value,
        "lint_free_rate": block.lint_free_rate.value,
        "cases": block.cases,
        "samples": block.samples,
        "scored": block.samples_scored,
        "passed": block.samples_passed,
        "usd": None if model.cost.usd is None else float(model.cost.usd),
    }


def _percent(rate: float | None) -> str:
    return "unscored" if rate is None else f"{rate:.3f}"


def _plain(cell: Any) -> Any:
    """Return a text as a string alone: frames take the members of enumerations for objects."""
    return str(cell) if isinstance(cell, str) else cell


def _installed(library: Library | None) -> Library:
    for name in (library,) if library else _FRAMES:
        if find_spec(name) is not None:
            return name
    wanted = library or "pandas or polars"
    raise ConfigError(f"to_frame() needs {wanted}: install {library or 'one of them'} with pip")


def _pandas(rows: list[dict[str, Any]]) -> Any:
    # Its nullable types: a column of booleans or integers keeps its type beside what is missing.
    return import_module("pandas").DataFrame(rows).convert_dtypes()


def _polars(rows: list[dict[str, Any]]) -> Any:
    return import_module("polars").DataFrame(rows, infer_schema_length=None)


_FRAMES: Mapping[Library, Callable[[list[dict[str, Any]]], Any]] = {
    "pandas": _pandas,
    "polars": _polars,
}
