"""Reading and writing reports."""

import json
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from forgetest.errors import ForgetestError
from forgetest.manifest import REPORT
from forgetest.report.types import SCHEMA_VERSION, Report


class ReportError(ForgetestError):
    """A report can not be read: not there, not JSON, not ours, or from a newer forgetest."""


def dump(report: Report) -> str:
    """Return the report as JSON text with a final newline; deterministic for equal reports."""
    return report.model_dump_json(indent=1, exclude=_not_asked(report)) + "\n"


def _not_asked(report: Report) -> dict[str, Any]:
    """Return the keys that only a report with options of `[report]` has."""
    if report.report_options is not None:
        return {}
    return {"report_options": True, "models": {"__all__": {"extensions": True}}}


def parse(text: str, *, file: str) -> Report:
    """Return the report in JSON text; ReportError says in one line what is wrong with it."""
    try:
        data: Any = json.loads(text, parse_constant=_refuse)
    except ValueError as error:
        raise ReportError(f"{file}: not a JSON report: {error}") from None
    version = data.get("schema_version") if isinstance(data, dict) else None
    if not isinstance(version, int):
        raise ReportError(f"{file}: not a forgetest report: schema_version is missing")
    refuse_newer(version, data.get("forgetest"), file=file)
    try:
        return Report.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ReportError(f"{file}: {place}: {first['msg']}") from None


def refuse_newer(version: int, writer: str | None, *, file: str) -> None:
    """Raise ReportError, which says who wrote it, for a report of a newer schema."""
    if version > SCHEMA_VERSION:
        raise ReportError(
            f"{file}: written by forgetest {writer} with schema {version};"
            f" this one reads up to {SCHEMA_VERSION}: upgrade forgetest"
        )


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is not a JSON number")


def load(path: Path) -> Report:
    """Return the report in a file, or in a run folder; ReportError when there is none."""
    file = path / REPORT if path.is_dir() else path
    try:
        return parse(file.read_text(encoding="utf-8"), file=str(file))
    except (OSError, UnicodeDecodeError) as error:
        raise ReportError(f"{file}: can not be read: {error}") from None
