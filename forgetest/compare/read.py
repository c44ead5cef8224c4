"""From a report.json, a run folder or standard input to one side of a comparison.

A case is counted as soon as its last sample is parsed, so that a large report is never in memory as
objects. A run that did not finish is read from its journal, where that is allowed.
"""

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from pydantic import Field, GetCoreSchemaHandler, ValidationError
from pydantic_core import CoreSchema, core_schema, from_json

from forgetest.compare.side import (
    CaseRow,
    DiagnosticRow,
    FailureKind,
    ReportPart,
    SampleRow,
    ScoredSample,
    Side,
    SideCase,
    SideModel,
    VariantRow,
    VerdictRow,
)
from forgetest.errors import ExitCode, ForgetestError
from forgetest.grading.verdict import CACHED, DUPLICATE, Outcome, TestOutcome, panic_message
from forgetest.report.build import build_report
from forgetest.report.files import CHANGED, ReportError, journal_doubt, refuse_newer
from forgetest.report.score import did_as_asked, lint_free, verdict_score
from forgetest.report.stream import Source, find_samples, head_of, sample_documents
from forgetest.report.types import EvalSetInfo, Report
from forgetest.report.usage import UsageCount
from forgetest.run.events import SampleRecord
from forgetest.run.folder import read_manifest, without_manifest
from forgetest.run.manifest import MANIFEST, REPORT, Manifest, SandboxInfo, ToolchainInfo
from forgetest.run.records import JournalRecords
from forgetest.run.rounds import settled
from forgetest.run.seal import JournalMark, SealState, check_document
from forgetest.run.state import State, read_state
from forgetest.sampling.plan import ModelSpec, Sampling
from forgetest.value import readable

MESSAGE_KEPT = 300  # characters of a diagnostic's first line
TESTS_KEPT = 8  # names of failing tests
_OURS = frozenset({CACHED, DUPLICATE})  # flags that say nothing of the model
_FINE = (TestOutcome.PASSED, TestOutcome.IGNORED)


class CountedCase(SideCase):
    """A case of a report, counted."""

    __slots__ = ()

    @classmethod
    def of(cls, row: CaseRow) -> "CountedCase":
        """Return the counts of one case; ValueError when its samples contradict what it says."""
        return cls.counted(row, row.samples)

    @classmethod
    def counted(cls, row: CaseRow, samples: Iterable[SampleRow]) -> "CountedCase":
        """Return the counts of one case and its samples, of which none is kept.

        Raises ValueError when they contradict what the case says.
        """
        counting = _SampleCount()
        for sample in samples:
            counting.add(sample)
        counting.check(row)
        return cls(
            eval_set=row.eval_set,
            case=row.case,
            name=row.name,
            tags=row.tags,
            difficulty=row.difficulty and str(row.difficulty),
            planned=row.planned,
            samples=tuple(counting.scored),
            c=row.c,
            compiled=sum(sample.compiled for sample in counting.scored),
            lint_free=counting.lint_free,
            mean_score=_mean([sample.score for sample in counting.scored]),
            failures=counting.failures,
            error_codes=counting.error_codes,
            lints=counting.lints,
            flags=counting.flags,
            usage=counting.usage.totals,
            distinct_completions=row.distinct_completions,
        )

    @classmethod
    def __get_pydantic_core_schema__(cls, _: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Return the schema of a case's row, followed by counting."""
        return core_schema.no_info_after_validator_function(
            cls.of, handler.generate_schema(CaseRow)
        )


@dataclass(slots=True)
class _SampleCount:
    """Counts the samples of one case one by one."""

    indexes: set[int] = field(default_factory=set)
    planned: int = 0
    lint_free: int = 0
    scored: list[ScoredSample] = field(default_factory=list)
    failures: Counter[FailureKind] = field(default_factory=Counter)
    error_codes: Counter[str] = field(default_factory=Counter)
    lints: Counter[str] = field(default_factory=Counter)
    flags: Counter[str] = field(default_factory=Counter)
    usage: UsageCount = field(default_factory=UsageCount)

    def add(self, sample: SampleRow) -> None:
        """Count one sample."""
        self.planned += 1
        self.indexes.add(sample.index)
        for reply in sample.completions:
            self.usage.add(reply)
        if sample.verdict is not None:
            self.scored.append(_scored_sample(sample.index, sample.verdict))
            self._judge(sample.verdict)

    def _judge(self, verdict: VerdictRow) -> None:
        self.lint_free += lint_free(verdict)
        if not verdict.passed:
            self.failures[_failure_kind(verdict)] += 1
        if verdict.outcome is Outcome.COMPILE_FAILED:
            self.error_codes.update(_codes(verdict.errors))
        self.lints.update(_codes(verdict.lints))
        self.flags.update(set(verdict.flags) - _OURS)

    def check(self, row: CaseRow) -> None:
        """Raise ValueError when the samples contradict what their case says."""
        if len(self.indexes) < self.planned:
            raise ValueError(f"case {row.case!r} holds a sample twice")
        counts = (self.planned, len(self.scored), sum(sample.passed for sample in self.scored))
        if counts != (row.planned, row.n, row.c):
            raise ValueError(
                f"case {row.case!r} says planned, n, c = {row.planned}, {row.n}, {row.c},"
                f" but its samples say {', '.join(map(str, counts))}"
            )


def _mean(scores: list[Fraction]) -> Fraction:
    """Return the mean; equal scores, which most are, are multiplied and not added one by one."""
    sums = (score * count for score, count in Counter(scores).items())
    return sum(sums, Fraction()) / max(1, len(scores))


def _scored_sample(draw: int, verdict: VerdictRow) -> ScoredSample:
    return ScoredSample(
        draw=draw,
        outcome=verdict.outcome,
        passed=verdict.passed,
        compiled=did_as_asked(verdict),
        score=verdict_score(verdict),
    )


def _codes(diagnostics: tuple[DiagnosticRow, ...]) -> set[str]:
    """Return the codes of rustc or clippy that one sample has."""
    return {diagnostic.code for diagnostic in diagnostics if diagnostic.code}


def _failure_kind(verdict: VerdictRow) -> FailureKind:
    errors = verdict.errors or verdict.test_errors
    tests = [test for test in verdict.tests if test.outcome not in _FINE]
    said = "" if errors else next((test.message for test in tests if test.message), "")
    message = errors[0].message if errors else said or next(iter(verdict.reasons), "")
    return FailureKind(
        outcome=verdict.outcome,
        code=errors[0].code if errors else None,
        message=message.split("\n", 1)[0][:MESSAGE_KEPT],
        tests=tuple(test.name for test in tests[:TESTS_KEPT]) if not errors else (),
        assertion=assertion(said)[:MESSAGE_KEPT],
    )


def assertion(message: str) -> str:
    """Return what a test said as one line: `assertion failed ... (left: 1, right: 3)`."""
    if not message:
        return ""
    head, *rest = panic_message(message).splitlines()
    values = [line.strip() for line in rest if line.strip().startswith(("left: ", "right: "))]
    return f"{head} ({', '.join(values)})" if values else head


class ModelRow(ReportPart):
    """One model of a report."""

    model: ModelSpec
    cases: tuple[CountedCase, ...]


class _UncountedModel(ReportPart):
    model: ModelSpec
    cases: tuple[CaseRow, ...]


class _ReportHead(ReportPart):
    """A report, as far as it is compared; its samples may stand elsewhere."""

    schema_version: int
    forgetest: str
    created: str
    plan_digest: str
    scoring_profile: str
    lint_rule: str
    extractor: str
    prompt_version: int
    toolchain: ToolchainInfo
    limits: dict[str, float | int]
    sandbox: SandboxInfo | None = None
    endpoints: dict[str, str]
    samples_per_case: int
    pass_k: tuple[int, ...]
    sampling: Sampling
    variants: dict[str, VariantRow] = Field(default_factory=dict)
    complete: bool
    eval_sets: tuple[EvalSetInfo, ...]
    models: Sequence[_UncountedModel | ModelRow]
    journal: JournalMark | None = None
    digest: str | None = None


class ReportHead(_ReportHead):
    """A report without its samples."""

    models: tuple[_UncountedModel, ...]


class ReportRow(_ReportHead):
    """A report with its samples, which are counted."""

    models: tuple[ModelRow, ...]


class _Head(ReportPart):
    schema_version: int | None = None
    forgetest: str | None = None


def read_side(raw: bytes, *, file: str) -> Side:
    """Return what a comparison needs of a report in JSON; its doubts say what a reader must know.

    Raises ReportError, with one line, for what is no report, was cut off, is of a newer forgetest,
    holds NaN or infinity, or contradicts itself.
    """
    return _read(Source(raw), file=file)


def _read(source: Source, *, file: str) -> Side:
    """Return the side of a report, a sample at a time where it fits its digest."""
    layout = find_samples(source)
    if layout is not None:
        with suppress(ValueError):  # reading all of it says what is wrong
            return _streamed(layout.head, map(layout.documents, layout.cases()), file=file)
    return _read_whole(source.whole(), file=file)


def side_of(report: Report, *, file: str) -> Side:
    """Return a report as a side that has its name; ReportError when it contradicts itself."""
    cases = (case for model in report.models for case in model.cases)
    try:
        return _streamed(head_of(report), (sample_documents(case) for case in cases), file=file)
    except ValueError as error:
        raise ReportError(f"{file}: {error}") from None


def _streamed(head: bytes, samples: Iterator[Iterator[bytes]], *, file: str) -> Side:
    """Return a side from a report without samples, and those of each case; ValueError."""
    report = ReportHead.model_validate_json(head)
    models = [
        ModelRow.model_construct(
            model=row.model,
            cases=tuple(
                CountedCase.counted(case, map(SampleRow.model_validate_json, next(samples)))
                for case in row.cases
            ),
        )
        for row in report.models
    ]
    return _side(report, models, file=file, doubts=())


def _read_whole(raw: bytes, *, file: str) -> Side:
    try:
        report = ReportRow.model_validate_json(raw)
    except ValidationError as error:
        raise ReportError(f"{file}: {_what_is_wrong(raw, error, file=file)}") from None
    if (b"NaN" in raw or b"Infinity" in raw) and not _is_strict(raw):
        raise ReportError(f"{file}: holds NaN or infinity, which are no JSON numbers")
    changed = check_document(raw, report.digest) is SealState.BROKEN
    return _side(report, report.models, file=file, doubts=(CHANGED,) if changed else ())


def _what_is_wrong(raw: bytes, error: ValidationError, *, file: str) -> str:
    """Say in a few words what is wrong; raises ReportError itself for a newer report."""
    first = error.errors(include_url=False)[0]
    if first["type"] == "json_invalid":
        return f"not a JSON report: {first['msg'].removeprefix('Invalid JSON: ')}"
    head = _Head.model_construct()
    with suppress(ValidationError):
        head = _Head.model_validate_json(raw)
    if head.schema_version is None:
        return "not a forgetest report: schema_version is missing"
    refuse_newer(head.schema_version, head.forgetest, file=file)
    place = ".".join(str(part) for part in first["loc"])
    return f"{place}: {first['msg'].removeprefix('Value error, ')}"


def _is_strict(raw: bytes) -> bool:
    """Tell whether all numbers are numbers; the words may also occur in a model's text."""
    try:
        from_json(raw, allow_inf_nan=False)
    except ValueError:
        return False
    return True


def _model(row: ModelRow, *, file: str) -> SideModel:
    cases = {case.key: case for case in row.cases}
    if len(cases) < len(row.cases):
        raise ReportError(f"{file}: {row.model} holds a case twice")
    return SideModel(row.model, cases)


def _side(
    report: _ReportHead, rows: Sequence[ModelRow], *, file: str, doubts: tuple[str, ...]
) -> Side:
    refuse_newer(report.schema_version, report.forgetest, file=file)
    models = {str(row.model): _model(row, file=file) for row in rows}
    if len(models) < len(rows):
        raise ReportError(f"{file}: holds a model twice")
    own = {"schema_version", "models", "digest"}
    infos = [
        (f"{eval_set.id}/{case.id}", eval_set, case)
        for eval_set in report.eval_sets
        for case in eval_set.cases
    ]
    return Side(
        **{name: getattr(report, name) for name in _ReportHead.model_fields if name not in own},
        file=file,
        models=models,
        doubts=doubts,
        hashes={key: case.hashes for key, _, case in infos},
        places={key: (eval_set.file, case.line) for key, eval_set, case in infos},
    )


STANDARD_INPUT = "-"


def _is_unfinished(name: str) -> bool:
    """Tell whether this is the folder of a run that has no report yet."""
    path = Path(name)
    return (path / MANIFEST).exists() and not (path / REPORT).exists()


def open_side(name: str, *, standard_input: Callable[[], bytes] | None = None) -> Side:
    """Return a side from a report.json, a finished run's folder, or `-`.

    Raises ReportError for what cannot be read.
    """
    if name == STANDARD_INPUT and standard_input is not None:
        return read_side(standard_input(), file="standard input")
    path = Path(name)
    file = path / REPORT if path.is_dir() else path
    if path.is_dir() and not file.exists():
        raise ReportError(f"{path}: {without_manifest(path)}")
    try:
        side = _read(Source.opened(file), file=readable(name))
    except OSError as error:
        raise ReportError(f"{file}: cannot be read: {error.strerror}") from None
    doubt = (
        journal_doubt(file.parent, side.journal) if side.journal and file.name == REPORT else None
    )
    return dataclasses.replace(side, doubts=(*side.doubts, doubt)) if doubt else side


def open_compared(
    name: str, *, allow_incomplete: bool, standard_input: Callable[[], bytes] | None = None
) -> Side:
    """Return a run, counted; an unfinished one only if allowed.

    Raises ReportError, RunDirError and UnfinishedError.
    """
    if name != STANDARD_INPUT and _is_unfinished(name):
        return open_unfinished(Path(name), allow_incomplete=allow_incomplete)
    return open_side(name, standard_input=standard_input)


class UnfinishedError(ForgetestError):
    """A run folder holds a run that did not come to its end."""

    code = ExitCode.UNSCORED


def open_unfinished(path: Path, *, allow_incomplete: bool) -> Side:
    """Return a side made of what an unfinished run's journal holds, if that is allowed.

    Raises UnfinishedError if not, and RunDirError for a damaged folder.
    """
    manifest = read_manifest(path)
    records = JournalRecords(path, manifest.plan)
    if not allow_incomplete:
        is_running = read_state(path).state is State.RUNNING
        finish = "wait for it" if is_running else f"finish it with forgetest run --resume {path}"
        raise UnfinishedError(
            f"{path}: {'still running' if is_running else 'unfinished'}:"
            f" {_progress(manifest, records)}; {finish},"
            " or compare what is there with --allow-incomplete"
        )
    report = build_report(manifest, records, journal=records.mark)
    return side_of(report, file=readable(str(path)))


def _progress(manifest: Manifest, records: Mapping[str, SampleRecord]) -> str:
    graded = len(settled(manifest.plan, records))
    return f"{graded} of {manifest.plan.size} samples are graded"
