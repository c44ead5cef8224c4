"""From the bytes of a report.json to one side of a comparison."""

from contextlib import suppress

from pydantic import ValidationError
from pydantic_core import from_json

from forgetest.compare.counting import CountedCase
from forgetest.compare.rows import Row
from forgetest.compare.side import Side, SideModel
from forgetest.manifest import SandboxInfo, ToolchainInfo
from forgetest.plan import ModelSpec, Sampling
from forgetest.report.files import CHANGED, ReportError, refuse_newer
from forgetest.report.types import EvalSetInfo
from forgetest.seal import JournalMark, Seal, check_document


class ModelRow(Row):
    """One model of a report."""

    model: ModelSpec
    cases: tuple[CountedCase, ...]


class ReportRow(Row):
    """A report, as far as it is compared."""

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
    complete: bool
    eval_sets: tuple[EvalSetInfo, ...]
    models: tuple[ModelRow, ...]
    journal: JournalMark | None = None
    digest: str | None = None


class _Head(Row):
    schema_version: int | None = None
    forgetest: str | None = None


def read(raw: bytes, *, file: str) -> Side:
    """Return what a comparison needs of a report in JSON; its doubts say what a reader must know.

    Raises ReportError, with one line, for what is no report, was cut off, is of a newer forgetest,
    holds NaN or infinity, or contradicts itself.
    """
    try:
        report = ReportRow.model_validate_json(raw)
    except ValidationError as error:
        raise ReportError(f"{file}: {_why(raw, error, file=file)}") from None
    refuse_newer(report.schema_version, report.forgetest, file=file)
    if (b"NaN" in raw or b"Infinity" in raw) and not _is_strict(raw):
        raise ReportError(f"{file}: holds NaN or infinity, which are no JSON numbers")
    models = {str(row.model): _model(row, file=file) for row in report.models}
    if len(models) < len(report.models):
        raise ReportError(f"{file}: holds a model twice")
    changed = check_document(raw, report.digest) is Seal.BROKEN
    return _side(report, models, file=file, doubts=(CHANGED,) if changed else ())


def _why(raw: bytes, error: ValidationError, *, file: str) -> str:
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
    """Tell whether all numbers are numbers; the words may also stand in a model's text."""
    try:
        from_json(raw, allow_inf_nan=False)
    except ValueError:
        return False
    return True


def _model(row: ModelRow, *, file: str) -> SideModel:
    cases = {case.key: case for case in row.cases}
    if len(cases) < len(row.cases):
        raise ReportError(f"{file}: {row.model} holds a case twice")
    return SideModel(name=str(row.model), cases=cases)


def _side(
    report: ReportRow, models: dict[str, SideModel], *, file: str, doubts: tuple[str, ...]
) -> Side:
    said = {name: getattr(report, name) for name in ReportRow.model_fields}
    for name in ("schema_version", "models", "digest"):
        del said[name]
    infos = [(f"{one.id}/{case.id}", one, case) for one in report.eval_sets for case in one.cases]
    return Side(
        **said,
        file=file,
        models=models,
        doubts=doubts,
        hashes={key: case.hashes for key, _, case in infos},
        places={key: (one.file, case.line) for key, one, case in infos},
    )
