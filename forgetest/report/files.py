"""Reading and writing reports, and what makes a reader doubt one."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from forgetest.errors import ForgetestError
from forgetest.manifest import JOURNAL, MANIFEST, REPORT
from forgetest.report.types import SCHEMA_VERSION, Report
from forgetest.rundir import without_manifest
from forgetest.seal import DIGEST, JournalMark, Seal, check_document, file_digest, sealed

CHANGED = (
    "this report does not fit its own digest: it was damaged, or changed by hand or by another tool"
)
OTHER_JOURNAL = (
    f"this report was not made from the {JOURNAL} beside it, or that was damaged;"
    f" remove {REPORT} to see what the journal says"
)
NO_SUMS = (
    "an older forgetest wrote this run, without checksums: damage to its files would go unnoticed"
)


class ReportError(ForgetestError):
    """A report can not be read: not there, not JSON, not ours, or from a newer forgetest."""


def dump(report: Report) -> str:
    """Return the report as JSON text with its digest; deterministic for equal reports."""
    return sealed(report.model_dump_json(indent=1, exclude=_not_asked(report)), indent=1)


def _not_asked(report: Report) -> dict[str, Any]:
    """Return the keys that only a report with options of `[report]` has, and its old digest."""
    if report.report_options is not None:
        return {DIGEST: True}
    return {DIGEST: True, "report_options": True, "models": {"__all__": {"extensions": True}}}


def parse(raw: bytes, *, file: str) -> Report:
    """Return the report in JSON; one that does not fit its digest has a warning more.

    ReportError says in one line what is wrong with it.
    """
    try:
        data: Any = json.loads(raw.decode(), parse_constant=_refuse)
    except ValueError as error:
        raise ReportError(f"{file}: not a JSON report: {error}") from None
    if b"\\ud" in raw.lower() and not _is_unicode(data):
        raise ReportError(f"{file}: holds half of a surrogate pair, which is no text")
    version = data.get("schema_version") if isinstance(data, dict) else None
    if not isinstance(version, int):
        raise ReportError(f"{file}: not a forgetest report: schema_version is missing")
    refuse_newer(version, data.get("forgetest"), file=file)
    said = data.pop(DIGEST, None)
    try:
        report = Report.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ReportError(f"{file}: {place}: {first['msg']}") from None
    return warned(report, CHANGED) if check_document(raw, said) is Seal.BROKEN else report


def warned(report: Report, warning: str) -> Report:
    """Return the report with one more warning, before all others."""
    return report.model_copy(update={"warnings": (warning, *report.warnings)})


def doubts(report: Report) -> tuple[str, ...]:
    """Return the warnings that say that a report may not be what its run wrote."""
    return tuple(one for one in report.warnings if one in (CHANGED, OTHER_JOURNAL, NO_SUMS))


def journal_doubt(folder: Path, mark: JournalMark | None) -> str | None:
    """Say why a report may not be what the run folder that it lies in says; None if it is."""
    if not (folder / MANIFEST).is_file():
        return None
    if mark is None:
        return NO_SUMS
    with suppress(OSError):  # a journal that is not there contradicts nothing
        if file_digest(folder / JOURNAL) != mark.digest:
            return OTHER_JOURNAL
    return None


def refuse_newer(version: int, writer: str | None, *, file: str) -> None:
    """Raise ReportError, which says who wrote it, for a report of a newer schema."""
    if version > SCHEMA_VERSION:
        raise ReportError(
            f"{file}: written by forgetest {writer} with schema {version};"
            f" this one reads up to {SCHEMA_VERSION}: upgrade forgetest"
        )


def _is_unicode(data: Any) -> bool:
    """Tell whether all strings of parsed JSON can be written again."""
    try:
        json.dumps(data, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is not a JSON number")


def load(path: Path) -> Report:
    """Return the report in a file, or in a run folder; ReportError when there is none."""
    file = path / REPORT if path.is_dir() else path
    if path.is_dir() and not file.exists():
        raise ReportError(f"{path}: {without_manifest(path)}")
    try:
        return parse(file.read_bytes(), file=str(file))
    except OSError as error:
        raise ReportError(f"{file}: can not be read: {error}") from None
