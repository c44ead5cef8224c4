"""report.json on disk: writing, reading, opening a run, and finding what somebody names in it."""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from forgetest.errors import ConfigError, ForgetestError
from forgetest.evalset.forms import suggestion
from forgetest.evalset.types import Case
from forgetest.report.build import build_report
from forgetest.report.samples import SampleReport
from forgetest.report.stream import Source, find_samples, report_pieces, with_samples
from forgetest.report.types import SCHEMA_VERSION, CaseReport, Metric, ModelReport, Report
from forgetest.run.folder import read_manifest, without_manifest
from forgetest.run.manifest import JOURNAL, MANIFEST, REPORT, Manifest
from forgetest.run.records import JournalRecords
from forgetest.run.seal import DIGEST, JournalMark, SealState, check_document, file_digest
from forgetest.sampling.plan import ModelSpec, unsaid
from forgetest.value import readable

CHANGED = (
    "this report does not match its own digest:"
    " it was damaged, or edited by hand or by another tool"
)
OTHER_JOURNAL = (
    f"this report was not made from the {JOURNAL} next to it, or that was damaged;"
    f" remove {REPORT} to see what the journal says"
)
NO_SUMS = (
    "an older forgetest wrote this run, without checksums: damage to its files would go unnoticed"
)


class ReportError(ForgetestError):
    """A report cannot be read: not there, not JSON, not ours, or from a newer forgetest."""


def dump_report(report: Report) -> str:
    """Return the report as JSON text with its digest; deterministic for equal reports."""
    return "".join(report_pieces(report))


def parse_report(raw: bytes, *, file: str) -> Report:
    """Return the report in JSON, with one more warning where it does not match its digest.

    ReportError says in one line what is wrong with it.
    """
    return _read(Source(raw), file=file)


def _read(source: Source, *, file: str) -> Report:
    """Return a report whose samples are parsed when they are looked at, if it fits its digest."""
    layout = find_samples(source)
    if layout is not None:
        head, _ = _parsed(layout.head, file=file)
        report = with_samples(head, layout, partial(_sample, file=file))
        if report is not None:
            return report
    raw = source.whole()
    report, digest = _parsed(raw, file=file)
    return warned(report, CHANGED) if check_document(raw, digest) is SealState.BROKEN else report


def _parsed(raw: bytes, *, file: str) -> tuple[Report, object]:
    """Return the report in JSON, and what it says is its digest."""
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
    digest = data.pop(DIGEST, None)
    try:
        return Report.model_validate(data), digest
    except ValidationError as error:
        raise ReportError(f"{file}: {_what(error)}") from None


def _sample(raw: bytes, *, file: str) -> SampleReport:
    try:
        return SampleReport.model_validate_json(raw)
    except ValidationError as error:
        raise ReportError(f"{file}: {_what(error)}") from None


def _what(error: ValidationError) -> str:
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"])
    return f"{place}: {first['msg']}"


def warned(report: Report, warning: str) -> Report:
    """Return the report with one more warning, before all others."""
    return report.model_copy(update={"warnings": (warning, *report.warnings)})


def doubts(report: Report) -> tuple[str, ...]:
    """Return the warnings that say that a report may not be what its run wrote."""
    known = (CHANGED, OTHER_JOURNAL, NO_SUMS)
    return tuple(warning for warning in report.warnings if warning in known)


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


def load_report(path: Path) -> Report:
    """Return the report in a file, or in a run folder; ReportError when there is none."""
    file = path / REPORT if path.is_dir() else path
    if path.is_dir() and not file.exists():
        raise ReportError(f"{path}: {without_manifest(path)}")
    try:
        return _read(Source.opened(file), file=str(file))
    except OSError as error:
        raise ReportError(f"{file}: cannot be read: {error}") from None


def read_pass_rates(path: Path) -> dict[str, float | None]:
    """Return the pass rate of each model of a run folder's report, read without its samples.

    Returns nothing where there is no report, or none that can be read.
    """
    rates: dict[str, float | None] = {}
    with suppress(OSError, ValueError, LookupError, TypeError, RecursionError):
        source = Source.opened(path / REPORT)
        layout = find_samples(source)
        for model in json.loads(layout.head if layout else source.whole())["models"]:
            name = str(ModelSpec.model_validate(model["model"]))
            rates[name] = Metric.model_validate(model["overall"]["pass_rate"]).value
    return rates


@dataclass(frozen=True, slots=True)
class OpenRun:
    """A report, and the manifest of its run; None of a report that lies alone."""

    name: str  # as it was given
    report: Report
    manifest: Manifest | None

    def case(self, key: str) -> Case | None:
        """Return the case of the name `set/case` as it was asked; None when only a report is."""
        sets = self.manifest.plan.eval_sets if self.manifest else ()
        return next((case for item in sets for case in item.cases if case.key == key), None)


def open_run(path: Path) -> OpenRun:
    """Return the run in a folder, or of a report.json; of an unfinished run, what there is of it.

    A report that does not match its digest or the journal next to it says so in its warnings.
    Raises ReportError for what cannot be read, and RunDirError for a damaged folder.
    """
    folder = path.parent if path.name == REPORT else path
    manifest = read_manifest(folder) if (folder / MANIFEST).is_file() else None
    if path == folder and manifest is not None and not (folder / REPORT).exists():
        records = JournalRecords(folder, manifest.plan)
        report = build_report(manifest, records, journal=records.mark)
        return OpenRun(readable(str(path)), report, manifest)
    report = load_report(path)
    doubt = journal_doubt(folder, report.journal)
    if manifest is not None and manifest.plan_digest != report.plan_digest:
        manifest = None  # of another run
    return OpenRun(readable(str(path)), warned(report, doubt) if doubt else report, manifest)


NAMED = 5  # candidates that an error names


class PickedSample(NamedTuple):
    """One sample, with its model and case."""

    model: str
    case: CaseReport
    sample: SampleReport

    @property
    def key(self) -> str:
        """The case's name across eval sets: `set/case`."""
        return self.case.key

    @property
    def failed(self) -> bool:
        """Whether it is scored and did not pass; an unscored sample did not fail."""
        return self.sample.passed is False


def pick_models(report: Report, name: str | None) -> tuple[ModelReport, ...]:
    """Return the one model whose name is or contains `name`; all models without a name.

    Raises ConfigError when no model matches, or several do.
    """
    if name is None:
        return report.models
    name = unsaid(name)
    known = {str(model.model): model for model in report.models}
    matches = [name] if name in known else [full for full in known if name in full]
    if len(matches) == 1:
        return (known[matches[0]],)
    raise ConfigError(_not_one(f"--model {name}", "model", matches, list(known)))


def pick_case(report: Report, text: str) -> str:
    """Return `set/case` of an id, a `set/id`, or a glob that matches one case.

    Raises ConfigError when no case matches, or several do.
    """
    ids = {f"{item.id}/{case.id}": case.id for item in report.eval_sets for case in item.cases}
    if text in ids:
        return text
    exact = [key for key, name in ids.items() if name == text]
    matches = exact or [key for key in ids if _fits_glob(key, ids[key], text)]
    if len(matches) == 1:
        return matches[0]
    raise ConfigError(_not_one(text, "case", matches, list(ids)))


def _fits_glob(key: str, name: str, glob: str) -> bool:
    return fnmatchcase(name, glob) or fnmatchcase(key, glob)


def _not_one(text: str, noun: str, matches: Sequence[str], known: Sequence[str]) -> str:
    if matches:
        return f"{text}: matches {len(matches)} {noun}s: {_some(matches)}; name one of them"
    word = text.rpartition(" ")[2]
    hint = suggestion(word, known) or f"the {noun}s are {_some(known)}"
    return f"{text}: matches no {noun}; {hint}"


def _some(names: Sequence[str]) -> str:
    rest = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {rest} more" if rest > 0 else "")


def samples_of(models: Sequence[ModelReport], key: str) -> tuple[PickedSample, ...]:
    """Return every sample of one case, model by model."""
    return tuple(
        PickedSample(str(model.model), case, sample)
        for model in models
        for case in model.cases
        if case.key == key
        for sample in case.samples
    )


def pick_samples(samples: Sequence[PickedSample], number: int) -> tuple[PickedSample, ...]:
    """Return the sample of a number, counted from 1, of each model that has it.

    Raises ConfigError when there is none.
    """
    picked = tuple(sample for sample in samples if sample.sample.index == number - 1)
    if picked:
        return picked
    most = max((sample.sample.index + 1 for sample in samples), default=0)
    raise ConfigError(f"--sample {number}: the case has samples 1 to {most}")


def leading(samples: Sequence[PickedSample]) -> PickedSample | None:
    """Return the first sample that failed, else the first; None without samples."""
    failing = next((sample for sample in samples if sample.failed), None)
    return failing or next(iter(samples), None)
